#include "perception/tags/tag_follower.h"

#include "perception/tags/tag_match.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILES_ACROSS = 5, /* one is searched in each image, first at half size, for large tags; chosen: */
    TILES_DOWN = 3,
    SMALL_TILES_DOWN = 6, /* then at full size, for small ones; half as high, as they cost more */
    MISSED_MAX = 3        /* images in which a tag may be missing before it is given up; chosen */
};
static const double TILE_DECIMATE = 2; /* as many times smaller is a tile for large tags; chosen */
static const double REACH_EDGES = 0.4; /* how far from its prediction a tag is looked for; chosen */
static const double LOST_SHARE = 0.1;  /* more of the tags lost: the whole image is searched; chosen */
/* Searched about a predicted tag, in lengths of its edge: its white border and some motion; then, if it leapt, more. */
static const double WINDOW_EDGES[] = {0.6, 2};
static const double TILE_OVERLAP =
    0.22; /* of the image's height: a larger new tag waits for a whole search */
static const double SMALL_OVERLAP = 0.09; /* at full size, for small tags */
static const double SAME_PLACE_EDGES = 2; /* a reading nearer than this is of the tag that was expected */
/* A new tag that is misread in two bits is read in a later image. libapriltag's table for two bits takes 36 MB and 30 ms, and
 * chance passes for a tag 18 times as often. Measured on photographs of 26 tags, 60 images each with noise. */
static const int NEW_TAG_BITS_MAX = 1;

enum { CORNERS = 8 }; /* coordinates of a tag's corners, as they are expected */

typedef struct {
    int width_px, height_px; /* of the last image */
    int tile;                /* searched next */
} tag_schedule;

const pov_memory_shape pov_tag_memory = {POV_TAG_MAX, sizeof(pov_followed_tag), sizeof(tag_schedule)};

/** Prints of all tags seen before, each made once. */
typedef struct {
    pov_tag_family family;
    int id;
    pov_tag_pattern pattern;
} known_pattern;

/** An expected tag, and whether it is where it was expected. */
typedef struct {
    pov_tag expected;
    pov_followed_tag followed;
    const pov_tag_pattern *pattern; /* NULL: none */
    bool is_found;
} matched_tag;

struct pov_tag_follower {
    pov_tag_detector *detector;
    const pov_workers *workers;
    int bits_max;
    double corner_std_px, decimate, margin_min;
    int pattern_len;
    known_pattern patterns[POV_TAG_MAX];
    uint8_t *own_grey; /* for images that come without */
    size_t grey_capacity;
    pov_grey grey;   /* of the current image */
    pov_tags tags;   /* found in it */
    int matched_len; /* 0: none was looked for where it is expected */
    matched_tag matched[POV_TAG_MAX];
    pov_tag_follower_account account;
};

pov_status pov_tag_follower_new(pov_tag_follower **follower, const pov_tag_detector_config *detector)
{
    *follower = NULL;
    pov_tag_follower *made = calloc(1, sizeof *made);
    if (!made)
        return pov_error("out of memory for following tags");
    made->workers = detector->workers;
    made->bits_max = detector->max_bits_corrected;
    made->corner_std_px = detector->corner_std_px;
    made->decimate = detector->decimate;
    made->margin_min = detector->min_decision_margin;
    pov_tag_detector_config search = *detector;
    if (search.max_bits_corrected > NEW_TAG_BITS_MAX)
        search.max_bits_corrected = NEW_TAG_BITS_MAX;
    pov_status status = pov_tag_detector_new(&made->detector, &search);
    if (status.code != POV_OK)
        pov_tag_follower_destroy(&made);
    *follower = made;
    return status;
}

void pov_tag_follower_destroy(pov_tag_follower **follower)
{
    if (!*follower)
        return;
    pov_tag_detector_destroy(&(*follower)->detector);
    free((*follower)->own_grey);
    free(*follower);
    *follower = NULL;
}

pov_tag_follower_account pov_tag_follower_account_of(const pov_tag_follower *follower)
{
    return follower->account;
}

/* ---- one tag ---- */

/** NULL if no more fit in, or it has no print: such tags are searched for. */
static const pov_tag_pattern *pattern_of(pov_tag_follower *f, const pov_tag *tag)
{
    for (int i = 0; i < f->pattern_len; i++)
        if (f->patterns[i].family == tag->family && f->patterns[i].id == tag->id)
            return &f->patterns[i].pattern;
    pov_tag_print print;
    if (f->pattern_len == POV_TAG_MAX || pov_tag_print_make(&print, tag->family, tag->id).code != POV_OK)
        return NULL;
    known_pattern *known = &f->patterns[f->pattern_len++];
    known->family = tag->family;
    known->id = tag->id;
    pov_tag_pattern_make(&known->pattern, &print);
    return &known->pattern;
}

static void list_corners(double at[CORNERS], const pov_tag *tag)
{
    for (int i = 0; i < CORNERS; i++)
        at[i] = i % 2 ? tag->corner_px[i / 2].y : tag->corner_px[i / 2].x;
}

static pov_tag predict_tag(const pov_memory *memory, const pov_expected *expected)
{
    pov_tag tag = ((const pov_followed_tag *)expected->note)->tag;
    double at[CORNERS];
    pov_memory_predict(at, memory, expected, CORNERS);
    for (int i = 0; i < 4; i++)
        tag.corner_px[i] = (pov_vec2){at[2 * i], at[2 * i + 1]};
    return tag;
}

static double edge_px(const pov_tag *tag)
{
    double longest = 0;
    for (int i = 0; i < 4; i++)
        longest = fmax(longest, hypot(tag->corner_px[i].x - tag->corner_px[(i + 1) % 4].x,
                                      tag->corner_px[i].y - tag->corner_px[(i + 1) % 4].y));
    return longest;
}

static pov_rectangle window_about(const pov_tag *tag, double margin_px)
{
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (int i = 0; i < 4; i++) {
        x0 = fmin(x0, tag->corner_px[i].x);
        y0 = fmin(y0, tag->corner_px[i].y);
        x1 = fmax(x1, tag->corner_px[i].x);
        y1 = fmax(y1, tag->corner_px[i].y);
    }
    const int x = (int)floor(x0 - margin_px), y = (int)floor(y0 - margin_px);
    return (pov_rectangle){x, y, (int)ceil(x1 + margin_px) - x + 1, (int)ceil(y1 + margin_px) - y + 1};
}

/** Looks for a tag where it is expected. */
static void match_tag(void *follower, int index, int worker)
{
    const pov_tag_follower *f = follower;
    matched_tag *m = &((pov_tag_follower *)follower)->matched[index];
    (void)worker;
    pov_tag *tag = &m->followed.tag;
    m->is_found =
        m->pattern &&
        pov_tag_match(&m->followed, m->pattern, &f->grey, REACH_EDGES * edge_px(tag), f->bits_max) &&
        tag->decision_margin >= f->margin_min;
    tag->corner_std_px = hypot(tag->corner_std_px, f->corner_std_px);
}

static double distance_px(const pov_tag *a, const pov_tag *b)
{
    return hypot(a->corner_px[0].x - b->corner_px[0].x, a->corner_px[0].y - b->corner_px[0].y);
}

/** Of several tags of one id that are near one another, a reading is of the one that was expected nearest to it. */
static bool is_nearest(const pov_tag_follower *f, int expected, const pov_tag *reading)
{
    const pov_tag *own = &f->matched[expected].expected;
    const double away = distance_px(reading, own);
    for (int i = 0; i < f->matched_len; i++) {
        const pov_tag *other = &f->matched[i].expected;
        if (i != expected && other->family == own->family && other->id == own->id &&
            distance_px(reading, other) < away)
            return false;
    }
    return true;
}

/** The reading of an expected tag in the list, or -1: the nearest one that is of no other expected tag. */
static int reading_of(const pov_tag_follower *f, const pov_tags *tags, int expected)
{
    const pov_tag *own = &f->matched[expected].expected;
    int nearest = -1;
    double least = SAME_PLACE_EDGES * edge_px(own);
    for (int i = 0; i < tags->len; i++) {
        const pov_tag *tag = &tags->tags[i];
        if (tag->family != own->family || tag->id != own->id)
            continue;
        const double away = distance_px(tag, own);
        if (away < least && is_nearest(f, expected, tag)) {
            nearest = i;
            least = away;
        }
    }
    return nearest;
}

/* ---- one image ---- */

static bool is_listed(const pov_tags *tags, const pov_tag *tag)
{
    for (int i = 0; i < tags->len; i++)
        if (pov_tag_is_same_square(&tags->tags[i], tag))
            return true;
    return false;
}

static void expect_tags(pov_tag_follower *f, const pov_memory *memory)
{
    for (int i = 0; i < memory->len; i++) {
        const pov_followed_tag *before = memory->expected[i].note;
        matched_tag *m = &f->matched[i];
        m->expected = predict_tag(memory, &memory->expected[i]);
        m->followed = (pov_followed_tag){m->expected, before->look};
        m->pattern = pattern_of(f, &before->tag);
        m->is_found = false;
    }
    f->matched_len = memory->len;
}

static void match_tags(pov_tag_follower *f, pov_tags *tags)
{
    pov_tasks_run(f->workers, match_tag, f, f->matched_len);
    for (int i = 0; i < f->matched_len; i++) {
        const matched_tag *m = &f->matched[i];
        if (!m->is_found || is_listed(tags, &m->followed.tag))
            continue;
        f->account.matched++;
        if (tags->len < POV_TAG_MAX)
            tags->tags[tags->len++] = m->followed.tag;
    }
}

static pov_status search_about(pov_tag_follower *f, pov_tags *tags, const pov_image *image, int expected)
{
    const pov_tag *tag = &f->matched[expected].expected;
    if (reading_of(f, tags, expected) >= 0)
        return pov_ok();
    for (int i = 0; i < 2 && reading_of(f, tags, expected) < 0; i++)
        POV_TRY(pov_tag_detector_scan(f->detector, tags, image,
                                      window_about(tag, WINDOW_EDGES[i] * edge_px(tag) + 8), f->decimate));
    *(reading_of(f, tags, expected) >= 0 ? &f->account.searched : &f->account.lost) += 1;
    return pov_ok();
}

static pov_rectangle tile_window(int tile, int tiles_down, double overlap, const pov_image *image)
{
    const int column = tile % TILES_ACROSS, row = tile / TILES_ACROSS;
    const int beyond = (int)(overlap * image->height_px / 2);
    const int x0 = column * image->width_px / TILES_ACROSS - beyond;
    const int y0 = row * image->height_px / tiles_down - beyond;
    const int x1 = (column + 1) * image->width_px / TILES_ACROSS + beyond;
    const int y1 = (row + 1) * image->height_px / tiles_down + beyond;
    return (pov_rectangle){x0, y0, x1 - x0, y1 - y0};
}

/** The next part of the image. */
static pov_status scan_tile(pov_tag_follower *f, pov_tags *tags, const pov_image *image,
                            tag_schedule *schedule)
{
    const int large = TILES_ACROSS * TILES_DOWN, small = TILES_ACROSS * SMALL_TILES_DOWN,
              tile = schedule->tile;
    schedule->tile = (tile + 1) % (large + small);
    return tile < large
               ? pov_tag_detector_scan(f->detector, tags, image,
                                       tile_window(tile, TILES_DOWN, TILE_OVERLAP, image),
                                       f->decimate * TILE_DECIMATE)
               : pov_tag_detector_scan(f->detector, tags, image,
                                       tile_window(tile - large, SMALL_TILES_DOWN, SMALL_OVERLAP, image),
                                       f->decimate);
}

static pov_status scan_whole(pov_tag_follower *f, pov_tags *tags, const pov_image *image, double decimate)
{
    f->account.whole_image = true;
    return pov_tag_detector_scan(f->detector, tags, image,
                                 (pov_rectangle){0, 0, image->width_px, image->height_px}, decimate);
}

static bool continues_video(const pov_memory *memory, const pov_image *image)
{
    const tag_schedule *before = memory->schedule;
    return memory->len > 0 && image->width_px == before->width_px && image->height_px == before->height_px;
}

/* At half the size, which finds most tags in half the time; then at full size, if too many are still missing. */
static pov_status find_lost_tags(pov_tag_follower *f, pov_tags *tags, const pov_image *image, int expected)
{
    POV_TRY(scan_whole(f, tags, image, f->decimate * TILE_DECIMATE));
    return expected - tags->len > LOST_SHARE * expected ? scan_whole(f, tags, image, f->decimate) : pov_ok();
}

static pov_status find_tags(pov_tag_follower *f, pov_tags *tags, const pov_image *image, pov_memory *memory)
{
    const double lost_max = LOST_SHARE * memory->len;
    if (!continues_video(memory, image))
        return scan_whole(f, tags, image, f->decimate);
    expect_tags(f, memory);
    match_tags(f, tags);
    for (int i = 0; i < memory->len && f->account.lost <= lost_max; i++)
        POV_TRY(search_about(f, tags, image, i));
    return f->account.lost > lost_max ? find_lost_tags(f, tags, image, memory->len) : pov_ok();
}

/** Those found, and those that may come back. After a search of the whole image there are none of these. */
static void remember_tags(const pov_tag_follower *f, pov_memory *memory, const pov_tags *tags,
                          const pov_image *image)
{
    const pov_expected *before[POV_TAG_MAX] = {NULL};
    int missing[POV_TAG_MAX], missing_len = 0;
    for (int i = 0; i < memory->len; i++) {
        const int reading = f->matched_len > 0 ? reading_of(f, tags, i) : -1;
        if (reading < 0)
            missing[missing_len++] = i;
        else if (!before[reading])
            before[reading] = &memory->expected[i];
    }
    for (int i = 0; i < tags->len; i++) {
        double at[CORNERS];
        pov_expected *tag = pov_memory_add(memory, before[i]);
        list_corners(at, &tags->tags[i]);
        pov_memory_see(memory, tag, at, CORNERS);
        pov_followed_tag *note = tag->note;
        note->tag = tags->tags[i];
        const matched_tag *m = before[i] ? &f->matched[before[i] - memory->expected] : NULL;
        if (m && m->is_found)
            note->look = m->followed.look;
    }
    for (int i = 0; i < missing_len && !f->account.whole_image; i++) {
        const pov_expected *lost = &memory->expected[missing[i]];
        pov_expected *kept = lost->missed < MISSED_MAX ? pov_memory_add(memory, lost) : NULL;
        if (kept)
            kept->missed++;
    }
    tag_schedule *schedule = memory->schedule;
    schedule->width_px = image->width_px;
    schedule->height_px = image->height_px;
    pov_memory_end(memory);
}

static void copy_tags(pov_tags *to, const pov_tags *from)
{
    to->len = from->len;
    to->truncated = from->truncated;
    memcpy(to->tags, from->tags, (size_t)from->len * sizeof *from->tags);
}

static pov_status find_grey(pov_tag_follower *f, const pov_image *image)
{
    const size_t size = (size_t)image->width_px * (size_t)image->height_px;
    if (!image->grey && size > f->grey_capacity) {
        uint8_t *grown = realloc(f->own_grey, size);
        if (!grown)
            return pov_error("out of memory for an image of %d x %d", image->width_px, image->height_px);
        f->own_grey = grown;
        f->grey_capacity = size;
    }
    if (!image->grey)
        pov_grey_from_rgb(f->own_grey, image, (pov_rectangle){0, 0, image->width_px, image->height_px});
    f->grey = (pov_grey){image->grey ? image->grey : f->own_grey, image->width_px, image->height_px,
                         image->width_px};
    return pov_ok();
}

pov_status pov_tag_follower_run(pov_tag_follower *follower, pov_tags *tags, const pov_image *image,
                                pov_memory *memory)
{
    pov_image with_grey = *image;
    follower->tags.len = 0;
    follower->tags.truncated = false;
    follower->matched_len = 0;
    follower->account = (pov_tag_follower_account){0};
    POV_TRY(find_grey(follower, image));
    with_grey.grey = follower->grey.pixels;
    pov_memory_begin(memory, image->mid_exposure_ns, image->sequence);
    POV_TRY(find_tags(follower, &follower->tags, &with_grey, memory));
    pov_tags_sort(&follower->tags);
    copy_tags(tags, &follower->tags);
    return pov_ok();
}

pov_status pov_tag_follower_remember(pov_tag_follower *follower, const pov_image *image, pov_memory *memory)
{
    pov_image with_grey = *image;
    with_grey.grey = follower->grey.pixels;
    if (!follower->account.whole_image)
        POV_TRY(scan_tile(follower, &follower->tags, &with_grey, memory->schedule));
    pov_tags_sort(&follower->tags);
    remember_tags(follower, memory, &follower->tags, image);
    return pov_ok();
}
