#include "perception/tags/tag_detector.h"

#include "perception/tags/tag_corner.h"
#include "perception/tags/tag_print.h"
#include "perception/tags/tag_print_fit.h"

#include <apriltag/apriltag.h>
#include <math.h>
#include <stdlib.h>

enum { SIDE_MIN_PX = 16, BITS_MAX = 2 };

/* A pattern of chance, where a quadrilateral was found, must not be read as a tag more often than this. */
static const double CHANCE_MAX = 1e-4;
/* A reading so unlikely to be chance's needs half the contrast: tags in the dark. */
static const double CHANCE_SMALL = 1e-6;
static const double TABLE_BYTES_MAX = 256e6;
static const double TABLE_BYTES_PER_CODE = 48; /* libapriltag 3: three slots of 16 bytes */
/* Corners that agree this well, as a fraction of the diagonal, are of one printed square. */
static const double SAME_SQUARE = 0.2;
/* Black and white differ by twice the decision margin, and half of its minimum must be there (is_faint). If grey levels of
 * 12 x 12 pixels differ by less than three quarters of that, there is only noise, on which libapriltag would spend most of its
 * time. Measured: bench tags, noise of 2 levels. */
static const double NOISE_SHARE = 0.75;
static const double CUT_PX = 4; /* a corner so near a window's end may be the end's */

struct pov_tag_detector {
    pov_tag_detector_config config;
    apriltag_detector_t *apriltag;
    apriltag_family_t *families[POV_TAG_FAMILY_COUNT];
    uint8_t *grey;           /* grows to the largest window whose pixels are not at hand */
    const uint8_t *searched; /* the current window's */
    size_t grey_capacity;
};

/** Patterns that are within `bits` errors of one code. */
static double patterns_within(double nbits, int bits)
{
    double patterns = 1;

    if (bits >= 1)
        patterns += nbits;
    if (bits >= 2)
        patterns += nbits * (nbits - 1) / 2;
    return patterns;
}

/** Probability that random bits are within `bits` errors of a code of the family, turned either way. */
static double chance(const apriltag_family_t *family, int bits)
{
    return 4.0 * family->ncodes * patterns_within(family->nbits, bits) / exp2(family->nbits);
}

/** The errors to correct in this family: as many as asked for, unless chance or memory forbids. */
static int bits_correctable(const apriltag_family_t *family, int bits_asked)
{
    int bits = bits_asked;

    while (bits > 0 &&
           (chance(family, bits) > CHANCE_MAX ||
            family->ncodes * patterns_within(family->nbits, bits) * TABLE_BYTES_PER_CODE > TABLE_BYTES_MAX))
        bits--;
    return bits;
}

static pov_status config_check(const pov_tag_detector_config *config)
{
    int enabled = 0;

    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++)
        enabled += config->family[i];
    if (enabled == 0)
        return pov_error("tag detector: no tag family is enabled; enable at least one, such as tag36h11");
    if (!(config->decimate >= 1 && config->decimate <= 16))
        return pov_error("tag detector: decimate is %g; give 1 (full resolution) to 16", config->decimate);
    if (config->max_bits_corrected < 0 || config->max_bits_corrected > BITS_MAX)
        return pov_error("tag detector: max_bits_corrected is %d; give 0 to %d", config->max_bits_corrected,
                         BITS_MAX);
    if (!(config->min_decision_margin >= 0))
        return pov_error("tag detector: min_decision_margin is %g; give 0 or more",
                         config->min_decision_margin);
    if (!(config->corner_std_px > 0 && isfinite(config->corner_std_px)))
        return pov_error("tag detector: corner_std_px is %g; give a positive number", config->corner_std_px);
    return pov_ok();
}

static pov_status add_families(pov_tag_detector *detector)
{
    const pov_tag_detector_config *config = &detector->config;

    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++) {
        if (!config->family[i])
            continue;
        apriltag_family_t *family = pov_tag_family_create(i);
        if (!family)
            return pov_error("tag detector: out of memory for %s", pov_tag_family_name((pov_tag_family)i));
        detector->families[i] = family;
        apriltag_detector_add_family_bits(detector->apriltag, family,
                                          bits_correctable(family, config->max_bits_corrected));
    }
    return pov_ok();
}

static pov_status set_up(pov_tag_detector *detector)
{
    detector->apriltag = apriltag_detector_create();
    if (!detector->apriltag)
        return pov_error("tag detector: out of memory");
    /* Never more: the pool of libapriltag 3.3 lets a worker that wakes spuriously take a task that is still being added,
     * which crashes now and then. */
    detector->apriltag->nthreads = 1;
    detector->apriltag->qtp.min_white_black_diff = (int)fmax(
        detector->apriltag->qtp.min_white_black_diff, NOISE_SHARE * detector->config.min_decision_margin);
    return add_families(detector);
}

pov_status pov_tag_detector_new(pov_tag_detector **detector, const pov_tag_detector_config *config)
{
    *detector = NULL;
    POV_TRY(config_check(config));
    pov_tag_detector *made = calloc(1, sizeof *made);
    if (!made)
        return pov_error("tag detector: out of memory");
    made->config = *config;
    pov_status status = set_up(made);
    if (status.code != POV_OK)
        pov_tag_detector_destroy(&made);
    *detector = made;
    return status;
}

void pov_tag_detector_destroy(pov_tag_detector **detector)
{
    pov_tag_detector *d = *detector;

    if (!d)
        return;
    if (d->apriltag)
        apriltag_detector_destroy(d->apriltag);
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++) {
        if (d->families[i])
            pov_tag_family_destroy(i, d->families[i]);
    }
    free(d->grey);
    free(d);
    *detector = NULL;
}

static pov_status grow_grey(pov_tag_detector *detector, const pov_rectangle *window)
{
    size_t size = (size_t)window->width_px * (size_t)window->height_px;

    if (size <= detector->grey_capacity)
        return pov_ok();
    uint8_t *grown = realloc(detector->grey, size);
    if (!grown)
        return pov_error("tag detector: out of memory for an image of %d x %d", window->width_px,
                         window->height_px);
    detector->grey = grown;
    detector->grey_capacity = size;
    return pov_ok();
}

static pov_tag_family family_of(const pov_tag_detector *detector, const apriltag_family_t *family)
{
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++) {
        if (detector->families[i] == family)
            return (pov_tag_family)i;
    }
    POV_REQUIRE(!"a family of this detector");
    return POV_TAG_FAMILY_COUNT;
}

static double distance(pov_vec2 a, pov_vec2 b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

/** Corners to a fraction of a pixel: of the whole print, or of the square's edges alone where that is not to be had. */
static void refine_tag(pov_tag *tag, const pov_tag_detector *detector, const pov_grey *grey)
{
    apriltag_family_t *family = detector->families[tag->family];
    pov_tag_print print;
    const bool drawn = pov_tag_print_draw(&print, family, tag->id).code == POV_OK;

    if (!drawn || !pov_tag_print_fit(tag->corner_px, &tag->corner_std_px, &print, grey)) {
        (void)pov_tag_corners_refine(tag->corner_px, &tag->corner_std_px, grey, family->width_at_border);
        if (drawn)
            (void)pov_tag_print_fit(tag->corner_px, &tag->corner_std_px, &print, grey);
    }
    tag->corner_std_px = hypot(tag->corner_std_px, detector->config.corner_std_px);
}

/** libapriltag's detection in our terms, its corners as they are: its pixel centres are at (0.5, 0.5), ours at (0, 0); its
 * corners begin at the lower left of the tag as read and go counter-clockwise, as ours. */
static pov_tag rough_tag(const pov_tag_detector *detector, const apriltag_detection_t *found)
{
    pov_tag tag = {.family = family_of(detector, found->family),
                   .id = found->id,
                   .bits_corrected = found->hamming,
                   .decision_margin = found->decision_margin};

    for (int i = 0; i < 4; i++)
        tag.corner_px[i] = (pov_vec2){found->p[i][0] - 0.5, found->p[i][1] - 0.5};
    return tag;
}

static bool corners_finite(const pov_tag *tag)
{
    for (int i = 0; i < 4; i++) {
        if (!isfinite(tag->corner_px[i].x) || !isfinite(tag->corner_px[i].y))
            return false;
    }
    return true;
}

bool pov_tag_is_same_square(const pov_tag *a, const pov_tag *b)
{
    double reach = SAME_SQUARE * distance(a->corner_px[0], a->corner_px[2]);

    for (int i = 0; i < 4; i++) {
        bool near = false;
        for (int j = 0; j < 4; j++)
            near = near || distance(a->corner_px[i], b->corner_px[j]) < reach;
        if (!near)
            return false;
    }
    return true;
}

static void shift_tag(pov_tag *tag, const pov_rectangle *window)
{
    for (int i = 0; i < 4; i++) {
        tag->corner_px[i].x += window->x_px;
        tag->corner_px[i].y += window->y_px;
    }
}

/** A tag of a window is one of the first `len` of the list, whose places are the image's. */
static bool is_among(const pov_tags *tags, int len, pov_tag tag, const pov_rectangle *window)
{
    shift_tag(&tag, window);
    for (int i = 0; i < len; i++)
        if (pov_tag_is_same_square(&tags->tags[i], &tag))
            return true;
    return false;
}

/** The reading of a square that is less likely by chance. */
static bool is_likelier(const pov_tag_detector *detector, const pov_tag *a, const pov_tag *b)
{
    double chance_a = chance(detector->families[a->family], a->bits_corrected);
    double chance_b = chance(detector->families[b->family], b->bits_corrected);

    return chance_a != chance_b ? chance_a < chance_b : a->decision_margin > b->decision_margin;
}

/** Appends, or replaces a reading of the same square unless it is one of the first `kept`, or leaves the list as it is. */
static void merge_tag(const pov_tag_detector *detector, pov_tags *tags, const pov_tag *tag, int kept)
{
    for (int i = 0; i < tags->len; i++) {
        if (!pov_tag_is_same_square(&tags->tags[i], tag))
            continue;
        if (i >= kept && is_likelier(detector, tag, &tags->tags[i]))
            tags->tags[i] = *tag;
        return;
    }
    if (tags->len == POV_TAG_MAX)
        tags->truncated = true;
    else
        tags->tags[tags->len++] = *tag;
}

static int order_tags(const pov_tag *a, const pov_tag *b)
{
    pov_vec2 at_a = pov_tag_middle(a->corner_px), at_b = pov_tag_middle(b->corner_px);

    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (at_a.x != at_b.x)
        return at_a.x < at_b.x ? -1 : 1;
    return (at_a.y > at_b.y) - (at_a.y < at_b.y);
}

/** Insertion sort: the lists are short, and qsort may allocate. */
void pov_tags_sort(pov_tags *tags)
{
    for (int i = 1; i < tags->len; i++) {
        pov_tag tag = tags->tags[i];
        int j = i;

        for (; j > 0 && order_tags(&tag, &tags->tags[j - 1]) < 0; j--)
            tags->tags[j] = tags->tags[j - 1];
        tags->tags[j] = tag;
    }
}

/** All corners are clear of the window's border: a square that the border cuts has a false corner there. The image's own
 *  border is allowed. */
static bool is_whole(const pov_tag *tag, const pov_rectangle *window, const pov_image *image)
{
    const double left = window->x_px > 0 ? CUT_PX : -INFINITY, top = window->y_px > 0 ? CUT_PX : -INFINITY;
    const double right =
        window->x_px + window->width_px < image->width_px ? window->width_px - 1 - CUT_PX : INFINITY;
    const double low =
        window->y_px + window->height_px < image->height_px ? window->height_px - 1 - CUT_PX : INFINITY;

    for (int i = 0; i < 4; i++)
        if (tag->corner_px[i].x < left || tag->corner_px[i].x > right || tag->corner_px[i].y < top ||
            tag->corner_px[i].y > low)
            return false;
    return true;
}

static bool is_faint(const pov_tag_detector *detector, const apriltag_detection_t *found)
{
    const double least = detector->config.min_decision_margin;

    return found->decision_margin < (chance(found->family, found->hamming) < CHANCE_SMALL ? 0.5 : 1) * least;
}

static void collect_tags(const pov_tag_detector *detector, pov_tags *tags, const zarray_t *found,
                         const pov_rectangle *window, const pov_image *image)
{
    const pov_grey grey = {detector->searched, window->width_px, window->height_px, window->width_px};
    const int kept = tags->len;

    for (int i = 0; i < zarray_size(found); i++) {
        apriltag_detection_t *detection;

        zarray_get(found, i, &detection);
        if (is_faint(detector, detection))
            continue;
        pov_tag tag = rough_tag(detector, detection);
        if (is_among(tags, kept, tag, window))
            continue;
        refine_tag(&tag, detector, &grey);
        if (!corners_finite(&tag) || !is_whole(&tag, window, image))
            continue;
        shift_tag(&tag, window);
        merge_tag(detector, tags, &tag, kept);
    }
}

static pov_rectangle cut_window(pov_rectangle window, const pov_image *image)
{
    int x0 = window.x_px > 0 ? window.x_px : 0, y0 = window.y_px > 0 ? window.y_px : 0;
    int x1 = window.x_px + window.width_px, y1 = window.y_px + window.height_px;

    x1 = x1 < image->width_px ? x1 : image->width_px;
    y1 = y1 < image->height_px ? y1 : image->height_px;
    return (pov_rectangle){x0, y0, x1 - x0, y1 - y0};
}

/* A whole image lends its grey values, if it has them; a window is converted. */
static pov_status find_grey(pov_tag_detector *detector, const pov_image *image, pov_rectangle window)
{
    const bool is_all = window.width_px == image->width_px && window.height_px == image->height_px;
    detector->searched = image->grey;
    if (is_all && image->grey)
        return pov_ok();
    POV_TRY(grow_grey(detector, &window));
    pov_grey_from_rgb(detector->grey, image, window);
    detector->searched = detector->grey;
    return pov_ok();
}

pov_status pov_tag_detector_scan(pov_tag_detector *detector, pov_tags *tags, const pov_image *image,
                                 pov_rectangle window, double decimate)
{
    window = cut_window(window, image);
    if ((window.width_px < window.height_px ? window.width_px : window.height_px) / decimate < SIDE_MIN_PX)
        return pov_ok(); /* no room for a tag, and libapriltag expects some */
    POV_TRY(find_grey(detector, image, window));

    image_u8_t wrapped = {window.width_px, window.height_px, window.width_px, (uint8_t *)detector->searched};
    detector->apriltag->quad_decimate = (float)decimate;
    /* libapriltag's own refinement looks at nearest pixels only: at full resolution it loses small tags. */
    detector->apriltag->refine_edges = decimate > 1;
    zarray_t *found = apriltag_detector_detect(detector->apriltag, &wrapped);
    collect_tags(detector, tags, found, &window, image);
    apriltag_detections_destroy(found);
    return pov_ok();
}

pov_status pov_tag_detector_run(pov_tag_detector *detector, pov_tags *tags, const pov_image *image)
{
    tags->len = 0;
    tags->truncated = false;
    POV_TRY(pov_tag_detector_scan(detector, tags, image,
                                  (pov_rectangle){0, 0, image->width_px, image->height_px},
                                  detector->config.decimate));
    pov_tags_sort(tags);
    return pov_ok();
}
