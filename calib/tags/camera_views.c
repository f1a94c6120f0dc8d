#include "calib/tags/camera_views.h"

#include "perception/geometry/ranked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Images so near in time are of one instant; chosen: below a period of 30 images/s. */
static const int64_t SAME_INSTANT_NS = 20000000;
/* A tag this far from its median, or a carried one that moved so between two exposures, is not where it is taken to be. */
static const double ELSEWHERE_PX = 1, CARRIED_PX = 0.3;
/* A tag that so many images see elsewhere does not stay; an image most of whose tags are elsewhere is one after the move. */
static const double ELSEWHERE_SHARE = 0.2, MOVED_SHARE = 0.5;

enum { ELSEWHERE_MIN = 2 };

typedef struct {
    pov_tag tag;
    int image, body; /* body: 0: it stays; 1: the board; else 2 + its number */
    bool is_chosen;  /* of those carried: it is in the survey */
} seen_tag;

/* Tags' numbers. */
typedef struct {
    int len, numbers[POV_TAG_MAP_MAX];
} number_list;

struct pov_camera_views {
    pov_camera_views_config config;
    pov_camera_image *images;
    seen_tag *seen;
    int image_len, seen_len, instant_len;
    number_list moving, without_size;
    double farthest_px;
    int note_len;
    char notes[POV_CAMERA_VIEWS_NOTE_MAX][POV_CAMERA_VIEWS_TEXT];
    pov_survey_seen given[POV_TAG_MAX]; /* to the survey, of one camera */
    int given_len;
    double *numbers[3]; /* of one tag's images */
};

pov_camera_views *pov_camera_views_new(const pov_camera_views_config *config)
{
    pov_camera_views *v = pov_allocate(1, sizeof *v);
    v->config = *config;
    v->images = pov_allocate(POV_CAMERA_IMAGE_MAX, sizeof *v->images);
    v->seen = pov_allocate(POV_CAMERA_SEEN_MAX, sizeof *v->seen);
    for (int i = 0; i < 3; i++)
        v->numbers[i] = pov_allocate(POV_CAMERA_IMAGE_MAX, sizeof *v->numbers[i]);
    return v;
}

void pov_camera_views_destroy(pov_camera_views **views)
{
    pov_camera_views *v = *views;
    if (!v)
        return;
    for (int i = 0; i < 3; i++)
        free(v->numbers[i]);
    free(v->images);
    free(v->seen);
    free(v);
    *views = NULL;
}

/* ---- images --------------------------------------------------------------------------------------------------------- */

static int body_of(const pov_camera_views *v, const pov_tag *tag)
{
    if (pov_tag_map_find(&v->config.survey->board, tag->family, tag->id))
        return 1;
    for (int i = 0; i < v->config.carried_len; i++)
        if (tag->id >= v->config.carried[i].first_id && tag->id <= v->config.carried[i].last_id)
            return 2 + tag->id;
    return 0;
}

/* The instant of the images before, unless this one is later, or its camera has one of it. */
static int find_instant(pov_camera_views *v, const pov_image *image)
{
    bool begins = v->image_len == 0;
    for (int i = v->image_len - 1; i >= 0 && v->images[i].instant == v->instant_len; i--)
        begins |= v->images[i].camera == image->camera ||
                  llabs(image->mid_exposure_ns - v->images[i].at_ns) > SAME_INSTANT_NS;
    v->instant_len += begins;
    return v->instant_len;
}

pov_status pov_camera_views_add(pov_camera_views *v, const pov_image *image, const pov_tags *tags)
{
    POV_REQUIRE(image->camera >= 0 && image->camera < v->config.camera_len);
    if (v->image_len == POV_CAMERA_IMAGE_MAX || v->seen_len + tags->len > POV_CAMERA_SEEN_MAX)
        return pov_error("%s: there are %d images with %d tags before it, and more are not taken; some "
                         "hundred say as much",
                         image->name, v->image_len, v->seen_len);
    pov_camera_image *of = &v->images[v->image_len];
    *of = (pov_camera_image){.camera = image->camera,
                             .instant = find_instant(v, image),
                             .at_ns = image->mid_exposure_ns,
                             .first_seen = v->seen_len,
                             .seen_len = tags->len,
                             .rms_px = NAN};
    snprintf(of->name, sizeof of->name, "%s", image->name);
    for (int i = 0; i < tags->len; i++)
        v->seen[v->seen_len++] = (seen_tag){tags->tags[i], v->image_len, body_of(v, &tags->tags[i]), false};
    v->image_len++;
    return pov_ok();
}

static void note(pov_camera_views *v, const char *text)
{
    if (v->note_len < POV_CAMERA_VIEWS_NOTE_MAX)
        snprintf(v->notes[v->note_len++], POV_CAMERA_VIEWS_TEXT, "%s", text);
}

/* ---- tags that stay ------------------------------------------------------------------------------------------------- */

static bool is_same(const pov_tag *a, const pov_tag *b)
{
    return a->family == b->family && a->id == b->id;
}

static bool is_of(const pov_camera_views *v, const seen_tag *seen, int camera, const pov_tag *tag)
{
    return seen->body == 0 && v->images[seen->image].camera == camera && is_same(&seen->tag, tag);
}

/* The median of each coordinate of a corner over a camera's images. */
static pov_vec2 median_corner(pov_camera_views *v, int camera, const pov_tag *tag, int corner)
{
    int len = 0;
    for (int i = 0; i < v->seen_len; i++) {
        if (!is_of(v, &v->seen[i], camera, tag))
            continue;
        v->numbers[0][len] = v->seen[i].tag.corner_px[corner].x;
        v->numbers[1][len++] = v->seen[i].tag.corner_px[corner].y;
    }
    return (pov_vec2){pov_median(v->numbers[0], len), pov_median(v->numbers[1], len)};
}

/* RMS distance of corners. */
static double apart_px(const pov_tag *a, const pov_tag *b)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += pow(a->corner_px[i].x - b->corner_px[i].x, 2) + pow(a->corner_px[i].y - b->corner_px[i].y, 2);
    return sqrt(sum / 4);
}

typedef struct {
    pov_tag mean;
    int images, elsewhere;
    double farthest_px;
    bool stays;
} track;

/* The mean of those that are near the median. */
static void find_mean(track *t, const pov_camera_views *v, int camera, const pov_tag *median)
{
    pov_vec2 sum[4] = {{0, 0}};
    int len = 0;
    for (int i = 0; i < v->seen_len; i++) {
        const pov_tag *tag = &v->seen[i].tag;
        if (!is_of(v, &v->seen[i], camera, median))
            continue;
        const double off_px = apart_px(tag, median);
        t->images++;
        t->farthest_px = fmax(t->farthest_px, off_px);
        t->elsewhere += off_px > ELSEWHERE_PX;
        for (int k = 0; k < 4 && off_px <= ELSEWHERE_PX; k++) {
            sum[k].x += tag->corner_px[k].x;
            sum[k].y += tag->corner_px[k].y;
        }
        len += off_px <= ELSEWHERE_PX;
    }
    t->mean = *median;
    for (int k = 0; k < 4 && len > 0; k++)
        t->mean.corner_px[k] = (pov_vec2){sum[k].x / len, sum[k].y / len};
    t->stays = len > 0 && !(t->elsewhere >= ELSEWHERE_MIN && t->elsewhere > ELSEWHERE_SHARE * t->images);
}

static track follow(pov_camera_views *v, int camera, const pov_tag *tag)
{
    track t = {.images = 0};
    pov_tag median = *tag;
    for (int k = 0; k < 4; k++)
        median.corner_px[k] = median_corner(v, camera, tag, k);
    find_mean(&t, v, camera, &median);
    return t;
}

static bool is_first(const pov_camera_views *v, int at, int camera)
{
    for (int i = 0; i < at; i++)
        if (is_of(v, &v->seen[i], camera, &v->seen[at].tag))
            return false;
    return true;
}

static pov_status give(pov_camera_views *v, int camera, const pov_tag *tag, int instant)
{
    if (v->given_len == POV_TAG_MAX)
        return pov_error("camera %s sees over %d tags; name fewer as carried", v->config.names[camera],
                         POV_TAG_MAX);
    v->given[v->given_len++] = (pov_survey_seen){*tag, instant};
    return pov_ok();
}

/* ---- a camera that moved ---- */

/* The share of an image's tags that the camera's first image of them has elsewhere; how far, in their median. */
static double share_elsewhere(pov_camera_views *v, const pov_camera_image *image, double *off_px)
{
    int len = 0, elsewhere = 0;
    for (int i = 0; i < image->seen_len; i++) {
        const seen_tag *seen = &v->seen[image->first_seen + i];
        if (seen->body > 0)
            continue;
        for (int k = 0; k < v->seen_len; k++) {
            if (!is_of(v, &v->seen[k], image->camera, &seen->tag))
                continue;
            const double apart = apart_px(&seen->tag, &v->seen[k].tag);
            elsewhere += apart > ELSEWHERE_PX;
            v->numbers[2][len++] = apart;
            break;
        }
    }
    *off_px = len > 0 ? pov_median(v->numbers[2], len) : 0;
    return len > 0 ? (double)elsewhere / len : 0;
}

/* Names the first image after the move. */
static pov_status tell_move(pov_camera_views *v, int camera)
{
    double off_px;
    for (int i = 0; i < v->image_len; i++) {
        const pov_camera_image *image = &v->images[i];
        if (image->camera != camera || !(share_elsewhere(v, image, &off_px) > MOVED_SHARE))
            continue;
        return pov_status_with(
            POV_UNDEFINED,
            "camera %s moved: in %s most of its tags are elsewhere than in the images before, "
            "by %.1f px, and none stayed; take the images again, without touching it. Tags "
            "that turn, or are carried, are to be named by --carried",
            v->config.names[camera], image->name, off_px);
    }
    return pov_ok();
}

static void keep_number(number_list *list, int number)
{
    for (int i = 0; i < list->len; i++)
        if (list->numbers[i] == number)
            return;
    if (list->len < POV_TAG_MAP_MAX)
        list->numbers[list->len++] = number;
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

enum { LIST_CAPACITY = 120 };

/* "20-31, 40": as --carried takes them. */
static void print_numbers(char text[LIST_CAPACITY], number_list *list)
{
    text[0] = '\0';
    qsort(list->numbers, (size_t)list->len, sizeof *list->numbers, by_number);
    for (int i = 0; i < list->len;) {
        const size_t length = strlen(text);
        int last = i;
        while (last + 1 < list->len && list->numbers[last + 1] == list->numbers[last] + 1)
            last++;
        if (length > LIST_CAPACITY - 30) {
            snprintf(text + length, LIST_CAPACITY - length, ", ...");
            return;
        }
        snprintf(text + length, LIST_CAPACITY - length, last > i ? "%s%d-%d" : "%s%d", i > 0 ? ", " : "",
                 list->numbers[i], list->numbers[last]);
        i = last + 1;
    }
}

static void note_left_out(pov_camera_views *v)
{
    char list[LIST_CAPACITY], text[POV_CAMERA_VIEWS_TEXT];
    print_numbers(list, &v->moving);
    snprintf(text, sizeof text,
             "tags that move in the images, by up to %.1f px, are left out: %s; --carried takes "
             "such as carried",
             v->farthest_px, list);
    if (v->moving.len > 0)
        note(v, text);
    print_numbers(list, &v->without_size);
    snprintf(text, sizeof text, "tags whose size is not given are left out: %s; --size gives it", list);
    if (v->without_size.len > 0)
        note(v, text);
}

static int count_images(const pov_camera_views *v, int camera)
{
    int len = 0;
    for (int i = 0; i < v->image_len; i++)
        len += v->images[i].camera == camera;
    return len;
}

static bool has_size(const pov_camera_views *v, const seen_tag *seen)
{
    return !isnan(pov_survey_edge_of(v->config.survey, &seen->tag, seen->body > 0));
}

static pov_status give_staying(pov_camera_views *v, int camera)
{
    const int images = count_images(v, camera);
    int staying = 0, strays = 0; /* of those that most images show */
    for (int i = 0; i < v->seen_len; i++) {
        const seen_tag *seen = &v->seen[i];
        if (seen->body > 0 || v->images[seen->image].camera != camera || !is_first(v, i, camera))
            continue;
        const track t = follow(v, camera, &seen->tag);
        staying += t.stays && 2 * t.images > images;
        strays += !t.stays;
        if (t.stays && has_size(v, seen))
            POV_TRY(give(v, camera, &t.mean, 0));
        else if (t.stays)
            keep_number(&v->without_size, seen->tag.id);
        else
            keep_number(&v->moving, seen->tag.id);
        if (!t.stays)
            v->farthest_px = fmax(v->farthest_px, t.farthest_px);
    }
    return strays > 0 && staying == 0 ? tell_move(v, camera) : pov_ok();
}

/* ---- tags that are carried ------------------------------------------------------------------------------------------ */

static int64_t begins_ns(const pov_camera_views *v, int image)
{
    const int instant = v->images[image].instant;
    while (image > 0 && v->images[image - 1].instant == instant)
        image--;
    return v->images[image].at_ns;
}

/* How far a carried tag moves, by its speed since its camera's image before, until the instant's first exposure. */
static double moved_px(const pov_camera_views *v, const seen_tag *seen)
{
    const pov_camera_image *image = &v->images[seen->image];
    const int64_t late_ns = image->at_ns - begins_ns(v, seen->image);
    for (int i = image->first_seen - 1; late_ns > 0 && i >= 0; i--) {
        const seen_tag *before = &v->seen[i];
        const pov_camera_image *of = &v->images[before->image];
        if (of->camera == image->camera && is_same(&before->tag, &seen->tag) && image->at_ns > of->at_ns)
            return apart_px(&before->tag, &seen->tag) * (double)late_ns / (double)(image->at_ns - of->at_ns);
    }
    return late_ns > 0 ? INFINITY : 0;
}

/* Another camera sees the same, at the same instant. */
static bool is_shared(const pov_camera_views *v, const seen_tag *seen)
{
    const int instant = v->images[seen->image].instant;
    for (int i = 0; i < v->seen_len; i++) {
        const seen_tag *other = &v->seen[i];
        if (other->is_chosen && other->body == seen->body && v->images[other->image].instant == instant &&
            v->images[other->image].camera != v->images[seen->image].camera)
            return true;
    }
    return false;
}

/* What is carried, at an instant: has any camera a chosen view of it before this one? */
static bool is_known_place(const pov_camera_views *v, int at)
{
    for (int i = at - 1; i >= 0; i--)
        if (v->seen[i].is_chosen && v->seen[i].body == v->seen[at].body &&
            v->images[v->seen[i].image].instant == v->images[v->seen[at].image].instant)
            return true;
    return false;
}

static bool is_chosen_of(const pov_camera_views *v, int i)
{
    return v->seen[i].body > 0 && v->seen[i].is_chosen;
}

static int count_places(const pov_camera_views *v)
{
    int len = 0;
    for (int i = 0; i < v->seen_len; i++)
        len += is_chosen_of(v, i) && !is_known_place(v, i);
    return len;
}

/* Keeps `keep` of the places, evenly spread over time. */
static void thin_out(pov_camera_views *v, int places, int keep)
{
    int number = 0;
    for (int i = 0; i < v->seen_len; i++) {
        if (!is_chosen_of(v, i) || is_known_place(v, i))
            continue;
        const bool stays = (number + 1) * keep / places > number * keep / places;
        number++;
        if (stays)
            continue;
        const int body = v->seen[i].body, instant = v->images[v->seen[i].image].instant;
        for (int k = v->seen_len - 1; k >= i; k--) /* the first of a place last: the others know it by that */
            if (v->seen[k].body == body && v->images[v->seen[k].image].instant == instant)
                v->seen[k].is_chosen = false;
    }
}

/* Counts the chosen tags of the camera that has most of them. */
static int count_chosen(const pov_camera_views *v)
{
    int len[POV_SURVEY_CAMERA_MAX] = {0}, most = 0;
    for (int i = 0; i < v->seen_len; i++)
        len[v->images[v->seen[i].image].camera] += is_chosen_of(v, i);
    for (int c = 0; c < v->config.camera_len; c++)
        most = len[c] > most ? len[c] : most;
    return most;
}

static void choose_carried(pov_camera_views *v)
{
    char text[POV_CAMERA_VIEWS_TEXT];
    int carried = 0, in_motion = 0;
    for (int i = 0; i < v->seen_len; i++) {
        seen_tag *seen = &v->seen[i];
        const bool is_carried = seen->body > 0 && has_size(v, seen);
        if (seen->body > 0 && !is_carried)
            keep_number(&v->without_size, seen->tag.id);
        seen->is_chosen = is_carried && moved_px(v, seen) < CARRIED_PX;
        carried += is_carried;
        in_motion += is_carried && !seen->is_chosen;
    }
    for (int i = 0; i < v->seen_len; i++)
        v->seen[i].is_chosen = v->seen[i].is_chosen && is_shared(v, &v->seen[i]);
    const int places = count_places(v);
    if (places > POV_CARRIED_INSTANT_MAX)
        thin_out(v, places, POV_CARRIED_INSTANT_MAX);
    while (count_chosen(v) > POV_CARRIED_SEEN_MAX) {
        const int left = count_places(v);
        thin_out(v, left, left * 3 / 4);
    }
    if (carried > 0 && places == 0) {
        snprintf(text, sizeof text,
                 "what is carried was never in two cameras' images of one instant while it stood%s",
                 in_motion > 0 ? "; hold it still for a second in each place" : "");
        note(v, text);
    }
}

static pov_status give_carried(pov_camera_views *v, int camera)
{
    for (int i = 0; i < v->seen_len; i++)
        if (is_chosen_of(v, i) && v->images[v->seen[i].image].camera == camera)
            POV_TRY(give(v, camera, &v->seen[i].tag, v->images[v->seen[i].image].instant));
    return pov_ok();
}

/* ---- */

pov_status pov_camera_views_survey(pov_camera_views *v, pov_tag_survey *survey)
{
    v->note_len = v->moving.len = v->without_size.len = 0;
    v->farthest_px = 0;
    choose_carried(v);
    for (int camera = 0; camera < v->config.camera_len; camera++) {
        v->given_len = 0;
        POV_TRY(give_staying(v, camera));
        POV_TRY(give_carried(v, camera));
        POV_TRY(pov_tag_survey_add_camera(survey, camera, v->config.names[camera], v->given, v->given_len));
    }
    note_left_out(v);
    return pov_ok();
}

/* ---- what remains ---- */

/* The survey's sighting that a seen tag is part of; NULL: none that has a place. */
static const pov_survey_sighting *sighting_of(const pov_camera_views *v, const pov_survey_report *r,
                                              const seen_tag *seen)
{
    const pov_camera_image *image = &v->images[seen->image];
    for (int i = 0; i < r->sighting_len; i++) {
        const pov_survey_sighting *s = &r->sightings[i];
        const int instant = seen->body > 0 ? image->instant : 0;
        if (r->views[s->view].camera == image->camera && is_same(&s->seen, &seen->tag) &&
            r->tags[s->tag].instant == instant && isfinite(s->rms_px))
            return s;
    }
    return NULL;
}

static void judge_image(pov_camera_image *image, const pov_camera_views *v, const pov_survey_report *r,
                        const pov_camera *camera)
{
    double sum = 0;
    image->judged_len = 0;
    for (int i = 0; i < image->seen_len; i++) {
        const seen_tag *seen = &v->seen[image->first_seen + i];
        const pov_survey_sighting *s = sighting_of(v, r, seen);
        if (!s)
            continue;
        const pov_tag_map_entry entry = pov_survey_entry_of(r, s);
        const pov_transform T_camera_tag =
            pov_transform_mul(pov_transform_inverse(r->views[s->view].T_table_camera.T), entry.T_table_tag.T);
        for (int k = 0; k < 4; k++) {
            pov_vec2 pixel;
            (void)pov_camera_project(camera, &pixel, NULL,
                                     pov_transform_apply(T_camera_tag, pov_tag_corner(entry.edge_m, k)));
            sum += pow(pixel.x - seen->tag.corner_px[k].x, 2) + pow(pixel.y - seen->tag.corner_px[k].y, 2);
        }
        image->judged_len++;
    }
    image->rms_px = image->judged_len > 0 ? sqrt(sum / (4 * image->judged_len)) : NAN;
}

void pov_camera_views_judge(pov_camera_views *v, const pov_survey_report *report, const pov_camera *cameras)
{
    for (int i = 0; i < v->image_len; i++)
        judge_image(&v->images[i], v, report, &cameras[v->images[i].camera]);
}

const pov_camera_image *pov_camera_views_images(const pov_camera_views *v, int *len)
{
    *len = v->image_len;
    return v->images;
}

int pov_camera_views_notes(const pov_camera_views *v,
                           char notes[POV_CAMERA_VIEWS_NOTE_MAX][POV_CAMERA_VIEWS_TEXT])
{
    memcpy(notes, v->notes, sizeof v->notes);
    return v->note_len;
}
