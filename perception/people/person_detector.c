#include "perception/people/person_detector.h"

#include "perception/image/grey.h"
#include "perception/image/opencv_c.h"
#include "perception/people/opencv_people_shim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The image is searched at one size: a person a fifth of its height tall then has the 96 pixels that HOG learnt. */
static const int searched_height_px = 480;
static const int border_px =
    120; /* HOG wants a sixth of a person as ground around, also at the image's edge */
enum { WINDOW_MAX = 64 };

/* HOG's windows are 64 x 128 about people of 96: Dalal & Triggs 2005, section 5. */
static const double crown_share = 0.125, soles_share = 0.875, shoulders_share = 0.2;

/* A face is a ninth of a body, and the cascades' windows are of 20 pixels: half as much again to be sure. */
static const double face_share = 1 / 9.0, face_min_px = 30;
/* Faces of a twentieth of the image's height, and heads scaled as follows, have as many; smaller ones are not looked for,
 * which saves a quarter of the time. */
static const int face_searched_min_px = 24;
/* A body that a network found is scaled so that its face has these pixels; blowing images up more shows no more. */
static const double face_searched_px = 36, head_scale_max = 1.5;

/* ---- in video: numbers chosen, so that images of 1280 x 720 keep 30/s (./dev bench station) ---- */
enum {
    FOLLOWED_AN_IMAGE = 4, /* people who are looked for where they were; more take turns */
    MISSES_MAX = 30,       /* images in a row without them, after which they are looked for there no more */
    PIECE_WINDOWS = 3000,  /* HOG's, of a part of the image at one size */
    BANDS = 3,             /* ranges of a face's size */
    TILED_BANDS = 2,       /* of these, in which the image is searched in parts: */
    TILES = 3,
    NEAR_LEVELS = 5,         /* HOG's sizes about that of a person who is followed */
    FOLLOWED_NEIGHBOURS = 0, /* somebody was there in the last images */
    PROPOSALS = 2            /* of a part of the image that are looked at closely */
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

/* Cascades: a face from the front, and in profile looking to the image's left and right. */
enum { FRONTAL, LEFT, RIGHT, CASCADES, ALL_CASCADES = (1 << CASCADES) - 1 };

/* Part of the image as it is searched, and the same mirrored. */
typedef struct {
    double left_px, top_px; /* of its first pixel's outer corner, in the image */
    double scale;           /* searched pixels an image pixel */
    pov_grey part, mirrored;
    int least_px, most_px; /* of faces; 0: any that can be told */
} view;

struct pov_person_detector {
    pov_person_detector_config config;
    int width_px, height_px;
    bool finds_faces;
    pov_people_search *search;
    pov_grey framed; /* all of the image with a border, for HOG */
    view whole;      /* the same without it, for faces; their pixels are these: */
    size_t capacity; /* pixels that a part may have */
    uint8_t *grey, *part_pixels, *mirrored_pixels;
    /* In video: */
    uint8_t *piece_pixels;
    size_t piece_capacity;
    pov_people found; /* in this image */
};

/* The next part of the image in which people are searched for. */
typedef struct {
    bool is_for_faces;       /* the last one was */
    int level, row;          /* of HOG's windows */
    int cascade, band, tile; /* of faces */
} people_schedule;

const pov_memory_shape pov_people_memory = {POV_PERSON_MAX, sizeof(pov_person), sizeof(people_schedule)};

/* ---- cascades ---- */

static const char *const frontal_file = "haarcascade_frontalface_alt2.xml";
static const char *const known_folders[] = {"/usr/share/opencv4/haarcascades",
                                            "/usr/local/share/opencv4/haarcascades",
                                            "/usr/share/opencv/haarcascades"};

static bool holds_cascades(const char *folder)
{
    char path[POV_CASCADE_FOLDER_CAPACITY + 64];
    snprintf(path, sizeof path, "%s/%s", folder, frontal_file);
    return access(path, R_OK) == 0;
}

pov_status pov_person_find_cascades(const char **folder, const char *named)
{
    *folder = named;
    if (**folder)
        return holds_cascades(*folder) ? pov_ok()
                                       : pov_error("%s: no %s there; it comes with the package opencv-data",
                                                   *folder, frontal_file);
    for (size_t i = 0; i < sizeof known_folders / sizeof *known_folders; i++) {
        *folder = known_folders[i];
        if (holds_cascades(*folder))
            return pov_ok();
    }
    return pov_error("finding faces needs %s/%s: apt-get install opencv-data, name the folder as person: "
                     "{cascades: DIR}, or do without: person: {faces: false}",
                     known_folders[0], frontal_file);
}

/* ---- life ---- */

static pov_status allocate_pixels(pov_person_detector *d)
{
    const double scale = (double)searched_height_px / d->height_px;
    const int width_px = (int)lround(d->width_px * scale), height_px = (int)lround(d->height_px * scale);
    const int framed_width_px = width_px + 2 * border_px, framed_height_px = height_px + 2 * border_px;
    d->capacity = (size_t)width_px * (size_t)height_px;
    d->piece_capacity = (size_t)framed_width_px * (size_t)framed_height_px;
    d->grey = pov_allocate((size_t)d->width_px, (size_t)d->height_px);
    d->part_pixels = pov_allocate(d->piece_capacity, 1);
    d->mirrored_pixels = pov_allocate(d->capacity, 1);
    d->piece_pixels = pov_allocate(d->piece_capacity, 1);
    d->framed = (pov_grey){d->part_pixels, framed_width_px, framed_height_px, framed_width_px};
    d->whole = (view){
        .scale = scale,
        .part = {d->part_pixels + border_px * framed_width_px + border_px, width_px, height_px,
                 framed_width_px},
        .mirrored = {d->mirrored_pixels, width_px, height_px, width_px},
    };
    return pov_ok();
}

pov_status pov_person_detector_new(pov_person_detector **detector, const pov_person_detector_config *config,
                                   int width_px, int height_px)
{
    POV_REQUIRE(width_px > 0 && height_px > 0);
    const char *folder = NULL;
    *detector = NULL;
    if (!config->without_faces)
        POV_TRY(pov_person_find_cascades(&folder, config->cascade_folder));
    pov_person_detector *d = pov_allocate(1, sizeof *d);
    *d = (pov_person_detector){
        .config = *config, .width_px = width_px, .height_px = height_px, .finds_faces = folder != NULL};
    pov_status status = allocate_pixels(d);
    POV_THEN(status, pov_people_search_new(&d->search, folder));
    if (status.code != POV_OK)
        pov_person_detector_destroy(&d);
    *detector = d;
    return status;
}

void pov_person_detector_destroy(pov_person_detector **detector)
{
    if (!detector || !*detector)
        return;
    pov_people_search_destroy(&(*detector)->search);
    free((*detector)->grey);
    free((*detector)->part_pixels);
    free((*detector)->mirrored_pixels);
    free((*detector)->piece_pixels);
    free(*detector);
    *detector = NULL;
}

/* ---- what is searched ---- */

static CvMat mat_of(uint8_t *pixels, const pov_grey *image)
{
    return cvMat(image->height_px, image->width_px, CV_8UC1, pixels);
}

static void look_at_all(pov_person_detector *d, const pov_image *image)
{
    const pov_grey all = {d->grey, d->width_px, d->height_px, d->width_px};
    pov_grey_from_rgb(d->grey, image, (pov_rectangle){0, 0, d->width_px, d->height_px});
    CvMat from = mat_of(d->grey, &all), framed = mat_of(d->part_pixels, &d->framed), inner;
    CvMat mirrored = mat_of(d->mirrored_pixels, &d->whole.mirrored);
    cvGetSubRect(&framed, &inner,
                 cvRect(border_px, border_px, framed.cols - 2 * border_px, framed.rows - 2 * border_px));
    cvResize(&from, &inner, d->whole.scale < 1 ? CV_INTER_AREA : CV_INTER_LINEAR);
    cvFlip(&inner, &mirrored, 1);
    cvCopyMakeBorder(&inner, &framed, cvPoint(border_px, border_px), IPL_BORDER_REPLICATE, cvScalarAll(0));
}

/* The part of the image with the head of whoever fills a box, if it is in the image: the upper two fifths; of a box that is
 * wider than that, as legs are hidden, as much as it is wide. A twelfth of the height more all around. */
static bool look_at_head(pov_person_detector *d, view *head, const pov_image *image,
                         const pov_pixel_box *body)
{
    const double tall_px = body->bottom_px - body->top_px, wide_px = body->right_px - body->left_px;
    const double slack_px = tall_px / 12, shown_px = fmin(tall_px, fmax(0.42 * tall_px, wide_px));
    const pov_rectangle at =
        pov_box_pixels((pov_pixel_box){body->left_px - slack_px, body->top_px - slack_px,
                                       body->right_px + slack_px, body->top_px + shown_px + slack_px},
                       d->width_px, d->height_px);
    if (at.width_px < 1 || at.height_px < 1)
        return false;
    double scale = fmin(head_scale_max, face_searched_px / (face_share * tall_px));
    scale = fmin(scale, sqrt(0.9 * (double)d->capacity / ((double)at.width_px * at.height_px)));
    const int width_px = (int)fmax(1, lround(at.width_px * scale));
    const int height_px = (int)fmax(1, lround(at.height_px * scale));
    *head = (view){at.x_px,
                   at.y_px,
                   scale,
                   {d->part_pixels, width_px, height_px, width_px},
                   {d->mirrored_pixels, width_px, height_px, width_px},
                   0,
                   0};
    if ((size_t)head->part.width_px * (size_t)head->part.height_px > d->capacity)
        return false;
    const pov_grey cut = {d->grey, at.width_px, at.height_px, at.width_px};
    pov_grey_from_rgb(d->grey, image, at);
    CvMat from = mat_of(d->grey, &cut), part = mat_of(d->part_pixels, &head->part);
    CvMat mirrored = mat_of(d->mirrored_pixels, &head->mirrored);
    cvResize(&from, &part, scale < 1 ? CV_INTER_AREA : CV_INTER_LINEAR);
    cvFlip(&part, &mirrored, 1);
    return true;
}

/* From edges in what is searched to those in the image, whose first pixel's centre is (0, 0). */
static pov_pixel_box box_of(const view *v, const pov_people_window *w)
{
    const double left_px = v->left_px - 0.5, top_px = v->top_px - 0.5;
    return (pov_pixel_box){left_px + w->x_px / v->scale, top_px + w->y_px / v->scale,
                           left_px + (w->x_px + w->width_px) / v->scale,
                           top_px + (w->y_px + w->height_px) / v->scale};
}

/* ---- boxes ---- */

static double area(pov_pixel_box b)
{
    return fmax(0, b.right_px - b.left_px) * fmax(0, b.bottom_px - b.top_px);
}

/* Share of the smaller box that lies within the other. */
static double shared_area(pov_pixel_box a, pov_pixel_box b)
{
    const pov_pixel_box both = {fmax(a.left_px, b.left_px), fmax(a.top_px, b.top_px),
                                fmin(a.right_px, b.right_px), fmin(a.bottom_px, b.bottom_px)};
    return area(both) / fmax(1e-9, fmin(area(a), area(b)));
}

/* ---- people ---- */

static bool is_masked(const pov_person_detector *d, pov_pixel_box box)
{
    double x = 0.5 * (box.left_px + box.right_px), y = 0.5 * (box.top_px + box.bottom_px);
    for (int i = 0; i < d->config.mask_len; i++) {
        const pov_rectangle *mask = &d->config.masks[i];
        if (x >= mask->x_px && x < mask->x_px + mask->width_px && y >= mask->y_px &&
            y < mask->y_px + mask->height_px)
            return true;
    }
    return false;
}

static pov_person *add_person(pov_people *people)
{
    if (people->len == POV_PERSON_MAX) {
        people->truncated = true;
        return NULL;
    }
    pov_person *person = &people->persons[people->len++];
    *person = (pov_person){.has_body = false};
    return person;
}

static bool is_known(const pov_people *people, pov_pixel_box body)
{
    for (int i = 0; i < people->len; i++)
        if (shared_area(people->persons[i].body, body) > 0.6)
            return true;
    return false;
}

/* HOG's window is wider than the person: its middle half is shoulder to shoulder. */
static pov_pixel_box body_of(pov_pixel_box window)
{
    double width = window.right_px - window.left_px, height = window.bottom_px - window.top_px;
    return (pov_pixel_box){window.left_px + shoulders_share * width, window.top_px + crown_share * height,
                           window.right_px - shoulders_share * width, window.top_px + soles_share * height};
}

static int better_first(const void *a, const void *b)
{
    const pov_people_window *first = a, *second = b;
    return (second->score > first->score) - (second->score < first->score);
}

/* NULL: it is known, masked, or one too many. */
static pov_person *add_body(const pov_person_detector *d, pov_people *people, pov_pixel_box body,
                            double score)
{
    pov_person *person = is_known(people, body) || is_masked(d, body) ? NULL : add_person(people);
    if (!person)
        return NULL;
    person->has_body = true;
    person->body = body;
    person->score = score;
    person->face_resolved =
        d->finds_faces && face_share * (body.bottom_px - body.top_px) * d->whole.scale > face_min_px;
    return person;
}

static pov_status find_bodies(pov_person_detector *d, pov_people *people)
{
    pov_people_window windows[WINDOW_MAX];
    int len;
    POV_TRY(pov_people_find_bodies(d->search, windows, &len,
                                   &(pov_people_look){.image = &d->framed, .neighbours = POV_BODY_NEIGHBOURS},
                                   WINDOW_MAX));
    qsort(windows, (size_t)len, sizeof *windows, better_first);
    for (int i = 0; i < len; i++) {
        windows[i].x_px -= border_px;
        windows[i].y_px -= border_px;
        add_body(d, people, body_of(box_of(&d->whole, &windows[i])), windows[i].score);
    }
    return pov_ok();
}

/* ---- faces ---- */

/* Faces of the whole image: a face belongs to the body in whose uppermost third it is; else it is another person. */
static pov_person *owner_among(pov_people *people, pov_pixel_box face)
{
    double x = 0.5 * (face.left_px + face.right_px), y = 0.5 * (face.top_px + face.bottom_px);
    for (int i = 0; i < people->len; i++) {
        pov_person *person = &people->persons[i];
        if (person->has_face && shared_area(person->face, face) > 0.4)
            return person;
        const pov_pixel_box b = person->body;
        double head_px = (b.bottom_px - b.top_px) / 3, slack_px = (b.bottom_px - b.top_px) / 12;
        if (person->has_body && !person->has_face && x > b.left_px && x < b.right_px &&
            y > b.top_px - slack_px && y < b.top_px + head_px && face.bottom_px - face.top_px < head_px)
            return person;
    }
    pov_person *person = add_person(people);
    if (person)
        *person = (pov_person){.score = 1, .face_resolved = true};
    return person;
}

/* Faces of one body's head: its own, or one beside it. */
static bool is_own_face(const pov_person *person, pov_pixel_box face)
{
    double x = 0.5 * (face.left_px + face.right_px);
    if (person->has_face)
        return shared_area(person->face, face) > 0.4;
    return x > person->body.left_px && x < person->body.right_px;
}

/* `one`: whose head is searched; NULL: everybody's. */
static pov_person *take_face(const pov_person_detector *d, pov_people *people, pov_person *one,
                             pov_pixel_box face)
{
    if (is_masked(d, face) || (one && !is_own_face(one, face)))
        return NULL;
    pov_person *person = one ? one : owner_among(people, face);
    if (person && !person->has_face) {
        person->has_face = person->face_resolved = true;
        person->face = face;
    }
    return person;
}

static int least_face_px(const view *v)
{
    return v->least_px > face_searched_min_px ? v->least_px : face_searched_min_px;
}

static pov_status find_frontal(pov_person_detector *d, pov_people *people, pov_person *one, const view *v)
{
    pov_people_window windows[WINDOW_MAX];
    int len;
    POV_TRY(pov_people_find_faces(d->search, windows, &len,
                                  &(pov_people_look){.image = &v->part,
                                                     .neighbours = POV_FACE_NEIGHBOURS,
                                                     .least_px = least_face_px(v),
                                                     .most_px = v->most_px,
                                                     .step = POV_FACE_STEP},
                                  WINDOW_MAX));
    for (int i = 0; i < len; i++) {
        pov_person *person = take_face(d, people, one, box_of(v, &windows[i]));
        if (person)
            person->frontal = true;
    }
    return pov_ok();
}

/* The cascade knows profiles that look to the left; those that look to the right do so in a mirror. */
static pov_status find_profiles(pov_person_detector *d, pov_people *people, pov_person *one, const view *v,
                                bool mirrored)
{
    const pov_grey *image = mirrored ? &v->mirrored : &v->part;
    pov_people_window windows[WINDOW_MAX];
    int len;
    POV_TRY(pov_people_find_profiles(d->search, windows, &len,
                                     &(pov_people_look){.image = image,
                                                        .neighbours = POV_FACE_NEIGHBOURS,
                                                        .least_px = least_face_px(v),
                                                        .most_px = v->most_px,
                                                        .step = POV_FACE_STEP},
                                     WINDOW_MAX));
    for (int i = 0; i < len; i++) {
        if (mirrored)
            windows[i].x_px = image->width_px - windows[i].x_px - windows[i].width_px;
        pov_person *person = take_face(d, people, one, box_of(v, &windows[i]));
        if (person && mirrored)
            person->looks_right = true;
        else if (person)
            person->looks_left = true;
    }
    return pov_ok();
}

/* By the cascades of a set. */
static pov_status find_faces(pov_person_detector *d, pov_people *people, pov_person *one, const view *v,
                             unsigned cascades)
{
    if (cascades & 1u << FRONTAL)
        POV_TRY(find_frontal(d, people, one, v));
    if (cascades & 1u << LEFT)
        POV_TRY(find_profiles(d, people, one, v, false));
    return cascades & 1u << RIGHT ? find_profiles(d, people, one, v, true) : pov_ok();
}

/* ---- in video ---- */

/* From the image to the framed one. */
static pov_pixel_box framed_of(const pov_person_detector *d, pov_pixel_box box)
{
    const double scale = d->whole.scale;
    return (pov_pixel_box){(box.left_px + 0.5) * scale + border_px, (box.top_px + 0.5) * scale + border_px,
                           (box.right_px + 0.5) * scale + border_px,
                           (box.bottom_px + 0.5) * scale + border_px};
}

/* HOG's window about a body: the inverse of body_of. */
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
    CvMat all = mat_of(d->part_pixels, &d->framed), from;
    *piece = (pov_grey){d->piece_pixels, width_px, height_px, width_px};
    CvMat to = mat_of(d->piece_pixels, piece);
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
        *person =
            add_body(d, people, body_of(piece_box(d, &windows[best], part, scale)), windows[best].score);
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
                                  .least_px = least_face_px(part),
                                  .most_px = part->most_px};
    POV_TRY((cascade == FRONTAL ? pov_people_find_faces : pov_people_find_profiles)(d->search, windows, len,
                                                                                    &look, WINDOW_MAX));
    *len = *len < PROPOSALS ? *len : PROPOSALS;
    for (int i = 0; i < *len; i++) {
        if (cascade == RIGHT)
            windows[i].x_px = look.image->width_px - windows[i].x_px - windows[i].width_px;
        faces[i] = box_of(part, &windows[i]);
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
    return find_faces(d, people, person, &near, cascades);
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
        POV_TRY(find_faces(d, people, person, &near, cascades));
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

/* Some of those who were found lately are looked for; the others are taken to be where they were. */
static pov_status follow_people(pov_person_detector *d, pov_people *people, pov_memory *memory)
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
        } else if (expected->missed == 0 && !is_known(people, was->body) && people->len < POV_PERSON_MAX)
            people->persons[people->len++] = *was;
    }
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
    qsort(windows, (size_t)len, sizeof *windows, better_first);
    for (int i = 0; i < len && looks < PROPOSALS; i++) {
        pov_person *person;
        const pov_pixel_box body = body_of(piece_box(d, &windows[i], part, scale));
        if (is_known(people, body) || is_masked(d, body))
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
            !is_known(people, was->has_body ? was->body : was->face))
            (void)pov_memory_add(memory, before);
    }
    pov_memory_end(memory);
}

static int better_person_first(const void *a, const void *b)
{
    const pov_person *first = a, *second = b;
    return (second->score > first->score) - (second->score < first->score);
}

/* ---- all of it ---- */

static pov_status take_detections(pov_person_detector *d, pov_people *people, const pov_image *image,
                                  const pov_body_boxes *bodies)
{
    for (int i = 0; i < bodies->found->len; i++) {
        const pov_detection *detection = &bodies->found->detections[i];
        view head;
        if (detection->class_index != bodies->person_class || is_masked(d, detection->box))
            continue;
        pov_person *person = add_person(people);
        if (!person)
            break;
        *person =
            (pov_person){.has_body = true, .is_cut = true, .body = detection->box, .score = detection->score};
        if (!d->finds_faces || !look_at_head(d, &head, image, &person->body))
            continue;
        person->face_resolved =
            face_share * (person->body.bottom_px - person->body.top_px) * head.scale > face_min_px;
        POV_TRY(find_faces(d, people, person, &head, ALL_CASCADES));
    }
    return pov_ok();
}

pov_status pov_person_detector_run(pov_person_detector *detector, pov_people *people, const pov_image *image,
                                   const pov_body_boxes *bodies, pov_memory *memory)
{
    people->len = 0;
    people->truncated = false;
    if (image->width_px != detector->width_px || image->height_px != detector->height_px)
        return pov_status_with(POV_SKIPPED, "%s: not of the size that people are looked for in", image->name);
    if (bodies)
        return take_detections(detector, people, image, bodies);
    look_at_all(detector, image);
    if (memory)
        pov_memory_begin(memory, image->mid_exposure_ns, image->sequence);
    if (memory && memory->images > 0) {
        POV_TRY(follow_people(detector, people, memory));
        qsort(people->persons, (size_t)people->len, sizeof *people->persons, better_person_first);
    } else {
        POV_TRY(find_bodies(detector, people));
        if (detector->finds_faces)
            POV_TRY(find_faces(detector, people, NULL, &detector->whole, ALL_CASCADES));
    }
    detector->found = *people;
    return pov_ok();
}

pov_status pov_person_detector_remember(pov_person_detector *detector, pov_memory *memory)
{
    if (memory->images > 0)
        POV_TRY(search_next_part(detector, &detector->found, memory->schedule));
    remember_people(memory, &detector->found);
    return pov_ok();
}
