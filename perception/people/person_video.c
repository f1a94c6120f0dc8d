/* People in video, without a network: followed while their judgments are waited for, searched for afterwards. */
#include "perception/image/opencv_c.h"
#include "perception/people/person_detector_internal.h"

#include <math.h>
#include <stdlib.h>

/* Numbers chosen, so that images of 1280 x 720 keep 30/s (./dev bench station). */
enum {
    FOLLOWED_AN_IMAGE = 4, /* people who are looked for where they were; more take turns */
    MISSES_MAX = 30,       /* images in a row without them, after which they are looked for there no more */
    PIECE_WINDOWS = 3000,  /* HOG's, of a part of the image at one size */
    BANDS = 3,             /* ranges of a face's size */
    TILED_BANDS = 2,       /* of these, in which the image is searched in parts: */
    TILES = 3,
    NEAR_LEVELS = 5,         /* HOG's sizes about that of a person who is followed */
    FOLLOWED_NEIGHBOURS = 0, /* somebody was there in the last images */
    PROPOSALS = 2,           /* of a part of the image that are looked at closely */
    LATE_MAX = 3             /* images in a row that are not searched, as the next one waits */
};
static const double level_step = 1.08; /* HOG's sizes */
static const double near_share = 0.25; /* of a window, to each side: where a person is looked for again */
static const double face_middle_share =
    0.075; /* of a body, from the crown to the middle of the face; anthropometry */
static const double own_face_ratio =
    1.7; /* of a face to a ninth of its body, and the other way: HOG's boxes are coarse */
static const double face_near_share = 1; /* of a face, to each side */
static const double followed_face_share = 0.5,
                    followed_face_ratio = 1.35; /* the same of one that was shown in the last image */
static const int window_height_px = 128, window_width_px = 64;
static const int band_px[BANDS + 1] = {24, 44, 82, 0}; /* height of faces */
static const double coarse_step = 1.2; /* sizes of faces, to find any; POV_FACE_STEP: to be sure */

/* The next part of the image in which people are searched for. */
typedef struct {
    bool is_for_faces;       /* the last one was */
    int level, row;          /* of HOG's windows */
    int cascade, band, tile; /* of faces */
    int left_out;            /* images in a row that were not searched */
} people_schedule;

const pov_memory_shape pov_people_memory = {POV_PERSON_MAX, sizeof(pov_person), sizeof(people_schedule)};

/* From the image to the framed one. */
static pov_pixel_box framed_of(const pov_person_detector *d, pov_pixel_box box)
{
    const double scale = d->whole.scale;
    return (pov_pixel_box){(box.left_px + 0.5) * scale + border_px, (box.top_px + 0.5) * scale + border_px,
                           (box.right_px + 0.5) * scale + border_px,
                           (box.bottom_px + 0.5) * scale + border_px};
}

/* HOG's window about a body: the inverse of person_body_of_window. */
static pov_pixel_box window_of(pov_pixel_box body)
{
    const double height = (body.bottom_px - body.top_px) / (soles_share - crown_share),
                 middle = 0.5 * (body.left_px + body.right_px), top = body.top_px - crown_share * height;
    return (pov_pixel_box){middle - 0.25 * height, top, middle + 0.25 * height, top + height};
}

/* Scales a part of the framed image into the piece. False: it is too small for a window, or too large. */
static bool scale_piece(pov_person_detector *d, pov_grey *piece, pov_rectangle part, double scale)
{
    const int width_px = (int)lround(part.width_px * scale), height_px = (int)lround(part.height_px * scale);
    if (width_px < window_width_px || height_px < window_height_px ||
        (size_t)width_px * (size_t)height_px > d->piece_capacity)
        return false;
    CvMat all = cvMat(d->framed.height_px, d->framed.width_px, CV_8UC1, d->part_pixels), from;
    *piece = (pov_grey){d->piece_pixels, width_px, height_px, width_px};
    CvMat to = cvMat(height_px, width_px, CV_8UC1, d->piece_pixels);
    cvGetSubRect(&all, &from, cvRect(part.x_px, part.y_px, part.width_px, part.height_px));
    cvResize(&from, &to, scale < 1 ? CV_INTER_AREA : CV_INTER_LINEAR);
    return true;
}

/* From a window of a piece to the image. */
static pov_pixel_box piece_box(const pov_person_detector *d, const pov_people_window *w, pov_rectangle part,
                               double scale)
{
    const pov_people_window framed = *w;
    const double by = 1 / (scale * d->whole.scale), left = (part.x_px - border_px) / d->whole.scale - 0.5,
                 top = (part.y_px - border_px) / d->whole.scale - 0.5;
    return (pov_pixel_box){left + framed.x_px * by, top + framed.y_px * by,
                           left + (framed.x_px + framed.width_px) * by,
                           top + (framed.y_px + framed.height_px) * by};
}

/* Looks for a body about where one was, at sizes about its own; `neighbours`: windows side by side that it takes. */
static pov_status find_body_near(pov_person_detector *d, pov_people *people, pov_person **person,
                                 pov_pixel_box body, int neighbours)
{
    pov_people_window windows[WINDOW_MAX];
    pov_grey piece;
    int len, best = 0;
    const pov_pixel_box w = framed_of(d, window_of(body));
    const double slack_x = near_share * (w.right_px - w.left_px),
                 slack_y = near_share * (w.bottom_px - w.top_px);
    const pov_pixel_box about = {w.left_px - slack_x, w.top_px - slack_y, w.right_px + slack_x,
                                 w.bottom_px + slack_y};
    const double scale = window_height_px * pow(level_step, NEAR_LEVELS / 2) /
                         (w.bottom_px - w.top_px); /* the middle one fits */
    *person = NULL;
    const pov_rectangle part = pov_box_pixels(about, d->framed.width_px, d->framed.height_px);
    if (!scale_piece(d, &piece, part, scale))
        return pov_ok();
    POV_TRY(pov_people_find_bodies(
        d->search, windows, &len,
        &(pov_people_look){.image = &piece, .levels = NEAR_LEVELS, .neighbours = neighbours}, WINDOW_MAX));
    for (int i = 1; i < len; i++)
        best = windows[i].score > windows[best].score ? i : best;
    if (len > 0)
        *person = person_add_body(d, people, person_body_of_window(piece_box(d, &windows[best], part, scale)),
                                  windows[best].score);
    return pov_ok();
}

/* A part of the whole image, and the same part of the mirrored one. False: none of it is in the image. */
static bool look_at_part(const pov_person_detector *d, view *part, pov_pixel_box box)
{
    const view *whole = &d->whole;
    const pov_rectangle r = pov_box_pixels(box, whole->part.width_px, whole->part.height_px);
    if (r.width_px == 0 || r.height_px == 0)
        return false;
    *part = *whole;
    part->left_px = r.x_px / whole->scale;
    part->top_px = r.y_px / whole->scale;
    part->part = (pov_grey){whole->part.pixels + (ptrdiff_t)r.y_px * whole->part.stride_bytes + r.x_px,
                            r.width_px, r.height_px, whole->part.stride_bytes};
    part->mirrored = (pov_grey){whole->mirrored.pixels + (ptrdiff_t)r.y_px * whole->mirrored.stride_bytes +
                                    whole->mirrored.width_px - r.x_px - r.width_px,
                                r.width_px, r.height_px, whole->mirrored.stride_bytes};
    return true;
}

/* From the image to the pixels that are searched, `share` of its size wider on all sides. */
static pov_pixel_box searched_box(const pov_person_detector *d, pov_pixel_box box, double share)
{
    const pov_pixel_box framed = framed_of(d, box);
    const double x = share * (framed.right_px - framed.left_px),
                 y = share * (framed.bottom_px - framed.top_px);
    return (pov_pixel_box){framed.left_px - border_px - x, framed.top_px - border_px - y,
                           framed.right_px - border_px + x, framed.bottom_px - border_px + y};
}

/* Faces by one cascade in a part, found coarsely: to be looked at closely. */
static pov_status propose_faces(pov_person_detector *d, pov_pixel_box faces[PROPOSALS], int *len,
                                const view *part, int cascade)
{
    pov_people_window windows[WINDOW_MAX];
    const pov_people_look look = {.image = cascade == RIGHT ? &part->mirrored : &part->part,
                                  .neighbours = 1,
                                  .step = coarse_step,
                                  .least_px = person_least_face_px(part),
                                  .most_px = part->most_px};
    POV_TRY((cascade == FRONTAL ? pov_people_find_faces : pov_people_find_profiles)(d->search, windows, len,
                                                                                    &look, WINDOW_MAX));
    *len = *len < PROPOSALS ? *len : PROPOSALS;
    for (int i = 0; i < *len; i++) {
        if (cascade == RIGHT)
            windows[i].x_px = look.image->width_px - windows[i].x_px - windows[i].width_px;
        faces[i] = person_box(part, &windows[i]);
    }
    return pov_ok();
}

/* `person`: whose face it may be; NULL: anybody's. */
static pov_status find_face_near(pov_person_detector *d, pov_people *people, pov_person *person,
                                 pov_pixel_box face, unsigned cascades)
{
    view near;
    const double tall_px = (face.bottom_px - face.top_px) * d->whole.scale;
    if (!look_at_part(d, &near, searched_box(d, face, face_near_share)))
        return pov_ok();
    near.least_px = (int)(tall_px / own_face_ratio);
    near.most_px = (int)ceil(fmax(tall_px * own_face_ratio, 2 * face_searched_min_px));
    return person_find_faces(d, people, person, &near, cascades);
}

/* The face of a body, in its upper third and a little above and beside. */
static pov_status find_own_face(pov_person_detector *d, pov_people *people, pov_person *person,
                                unsigned cascades)
{
    view head;
    pov_pixel_box box = person->body, faces[PROPOSALS];
    int len;
    const double tall_px = box.bottom_px - box.top_px;
    box.bottom_px = box.top_px + tall_px / 3;
    if (!d->finds_faces || !look_at_part(d, &head, searched_box(d, box, 0.25)))
        return pov_ok();
    head.least_px = (int)(tall_px * face_share * d->whole.scale / own_face_ratio);
    head.most_px =
        (int)ceil(fmax(tall_px * face_share * d->whole.scale * own_face_ratio, 2 * face_searched_min_px));
    for (int cascade = 0; cascade < CASCADES; cascade++) {
        if (!(cascades & 1u << cascade))
            continue;
        POV_TRY(propose_faces(d, faces, &len, &head, cascade));
        for (int i = 0; i < len; i++)
            POV_TRY(find_face_near(d, people, person, faces[i], 1u << cascade));
    }
    return pov_ok();
}

/* The face of a person, by the cascades that it was shown to in the last image, and one of all in turn: where it was then, and of about
 * that size; else all about the head. */
static pov_status follow_face(pov_person_detector *d, pov_people *people, pov_person *person,
                              const pov_person *was, unsigned turn)
{
    view near;
    const double tall_px = (was->face.bottom_px - was->face.top_px) * d->whole.scale;
    const unsigned cascades = (unsigned)was->frontal << FRONTAL | (unsigned)was->looks_left << LEFT |
                              (unsigned)was->looks_right << RIGHT | 1u << turn % CASCADES;
    if (was->has_face && look_at_part(d, &near, searched_box(d, was->face, followed_face_share))) {
        near.least_px = (int)(tall_px / followed_face_ratio);
        near.most_px = (int)ceil(tall_px * followed_face_ratio);
        POV_TRY(person_find_faces(d, people, person, &near, cascades));
    }
    return person->has_face ? pov_ok() : find_own_face(d, people, person, cascades);
}

/* The body that a face is expected to have: its middle is about half a head below the crown. */
static pov_pixel_box expected_body(const pov_person *was)
{
    if (was->has_body)
        return was->body;
    const pov_pixel_box f = was->face;
    const double tall_px = (f.bottom_px - f.top_px) / face_share, middle_px = 0.5 * (f.left_px + f.right_px),
                 top_px = 0.5 * (f.top_px + f.bottom_px) - face_middle_share * tall_px;
    return (pov_pixel_box){middle_px - 0.15 * tall_px, top_px, middle_px + 0.15 * tall_px, top_px + tall_px};
}

/* Looks where a person was. Returns whether somebody is there now. */
static pov_status follow_person(pov_person_detector *d, pov_people *people, const pov_person *was,
                                unsigned turn, bool *is_there)
{
    const int before = people->len;
    pov_person *person;
    POV_TRY(find_body_near(d, people, &person, expected_body(was),
                           was->has_body ? FOLLOWED_NEIGHBOURS : POV_BODY_NEIGHBOURS));
    if (person)
        POV_TRY(follow_face(d, people, person, was, turn));
    else if (was->has_face)
        POV_TRY(find_face_near(d, people, NULL, was->face, ALL_CASCADES));
    *is_there = people->len > before;
    return pov_ok();
}

static int better_person_first(const void *a, const void *b)
{
    const pov_person *first = a, *second = b;
    return (second->score > first->score) - (second->score < first->score);
}

/* Some of those who were found lately are looked for; the others are taken to be where they were. */
pov_status person_follow(pov_person_detector *d, pov_people *people, pov_memory *memory)
{
    const int first = memory->next_turn, len = memory->len;
    for (int i = 0; i < len; i++)
        memory->expected[i].wants_turn = true;
    pov_memory_give_turns(memory, FOLLOWED_AN_IMAGE);
    for (int i = 0; i < len; i++) {
        pov_expected *expected = &memory->expected[(first + i) % len];
        const pov_person *was = expected->note;
        bool is_there = false;
        if (expected->has_turn) {
            POV_TRY(follow_person(d, people, was, memory->images, &is_there));
            expected->missed = is_there ? 0 : expected->missed + 1;
        } else if (expected->missed == 0 && !person_is_known(people, was->body) &&
                   people->len < POV_PERSON_MAX)
            people->persons[people->len++] = *was;
    }
    qsort(people->persons, (size_t)people->len, sizeof *people->persons, better_person_first);
    return pov_ok();
}

/* The next part of the image for HOG: rows of windows at one size. Out: the piece. False: all sizes are done. */
static bool next_rows(const pov_person_detector *d, people_schedule *at, pov_rectangle *part, double *scale)
{
    *scale = pow(level_step, -at->level);
    const int width_px = (int)(d->framed.width_px * *scale), height_px = (int)(d->framed.height_px * *scale);
    if (width_px < window_width_px || height_px < window_height_px)
        return false;
    const int rows = (height_px - window_height_px) / 8 + 1, columns = (width_px - window_width_px) / 8 + 1;
    const int some = PIECE_WINDOWS / columns > 1 ? PIECE_WINDOWS / columns : 1;
    const int top = (int)(8 * at->row / *scale),
              tall = (int)ceil((window_height_px + 8 * (some - 1)) / *scale) + 1;
    *part = (pov_rectangle){0, top, d->framed.width_px,
                            tall < d->framed.height_px - top ? tall : d->framed.height_px - top};
    at->row += some;
    if (at->row >= rows) {
        at->row = 0;
        at->level++;
    }
    return true;
}

static pov_status search_rows(pov_person_detector *d, pov_people *people, pov_rectangle part, double scale)
{
    pov_people_window windows[WINDOW_MAX];
    pov_grey piece;
    int len, looks = 0;
    if (!scale_piece(d, &piece, part, scale))
        return pov_ok();
    POV_TRY(pov_people_find_bodies(d->search, windows, &len, &(pov_people_look){.image = &piece, .levels = 1},
                                   WINDOW_MAX));
    qsort(windows, (size_t)len, sizeof *windows, person_window_better_first);
    for (int i = 0; i < len && looks < PROPOSALS; i++) {
        pov_person *person;
        const pov_pixel_box body = person_body_of_window(piece_box(d, &windows[i], part, scale));
        if (person_is_known(people, body) || person_is_masked(d, body))
            continue;
        looks++;
        POV_TRY(find_body_near(d, people, &person, body, POV_BODY_NEIGHBOURS));
        if (person)
            POV_TRY(find_own_face(d, people, person, ALL_CASCADES));
    }
    return pov_ok();
}

/* The next cascade, sizes and part of the image for faces. False: all are done. */
static bool next_faces(people_schedule *at)
{
    const bool is_tiled = at->band < TILED_BANDS;
    if (is_tiled && ++at->tile < TILES)
        return true;
    at->tile = 0;
    if (++at->band < BANDS)
        return true;
    at->band = 0;
    return ++at->cascade < 3;
}

static pov_status search_faces(pov_person_detector *d, pov_people *people, const people_schedule *at)
{
    pov_pixel_box faces[PROPOSALS];
    view part;
    const bool is_tiled = at->band < TILED_BANDS;
    const double wide = is_tiled ? (double)d->whole.part.width_px / TILES : d->whole.part.width_px,
                 slack = is_tiled ? band_px[at->band + 1] : 0;
    const pov_pixel_box box = {wide * at->tile - slack, 0, wide * (at->tile + 1) + slack,
                               d->whole.part.height_px};
    int len;
    if (!look_at_part(d, &part, box))
        return pov_ok();
    part.least_px = band_px[at->band];
    part.most_px = band_px[at->band + 1];
    POV_TRY(propose_faces(d, faces, &len, &part, at->cascade));
    for (int i = 0; i < len; i++)
        POV_TRY(find_face_near(d, people, NULL, faces[i], ALL_CASCADES));
    return pov_ok();
}

/* In turn a part of the image for bodies, and one for faces; after the last one the first again. */
static pov_status search_next_part(pov_person_detector *d, pov_people *people, people_schedule *at)
{
    pov_rectangle part;
    double scale;
    at->is_for_faces = d->finds_faces && !at->is_for_faces;
    if (at->is_for_faces) {
        POV_TRY(search_faces(d, people, at));
        if (!next_faces(at))
            at->cascade = at->band = at->tile = 0;
        return pov_ok();
    }
    if (!next_rows(d, at, &part, &scale)) {
        at->level = at->row = 0;
        if (!next_rows(d, at, &part, &scale))
            return pov_ok();
    }
    return search_rows(d, people, part, scale);
}

/* Those who were found, and those who were not for some images. */
static void remember_people(pov_memory *memory, const pov_people *people)
{
    for (int i = 0; i < people->len; i++)
        *(pov_person *)pov_memory_add(memory, NULL)->note = people->persons[i];
    for (int i = 0; i < memory->len; i++) {
        const pov_expected *before = &memory->expected[i];
        const pov_person *was = before->note;
        if (before->missed > 0 && before->missed <= MISSES_MAX &&
            !person_is_known(people, was->has_body ? was->body : was->face))
            (void)pov_memory_add(memory, before);
    }
    pov_memory_end(memory);
}

pov_status pov_person_detector_remember(pov_person_detector *detector, pov_memory *memory, bool is_late)
{
    people_schedule *at = memory->schedule;
    if (memory->images > 0 && is_late && at->left_out < LATE_MAX) {
        at->left_out++;
    } else if (memory->images > 0) {
        at->left_out = 0;
        POV_TRY(search_next_part(detector, &detector->found, at));
    }
    remember_people(memory, &detector->found);
    return pov_ok();
}
