#include "perception/people/person_detector_internal.h"

#include "perception/image/grey.h"
#include "perception/image/opencv_c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The image is searched at one size: a person a fifth of its height tall then has the 96 pixels that HOG learnt. */
static const int searched_height_px = 480;

/* A body that a network found is scaled so that its face has these pixels; blowing images up more shows no more. */
static const double face_searched_px = 36, head_scale_max = 1.5;

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
    if (!config->without_faces && !config->faces_by_network)
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

pov_pixel_box person_box(const view *v, const pov_people_window *w)
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

bool person_is_masked(const pov_person_detector *d, pov_pixel_box box)
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

bool person_is_known(const pov_people *people, pov_pixel_box body)
{
    for (int i = 0; i < people->len; i++)
        if (shared_area(people->persons[i].body, body) > 0.6)
            return true;
    return false;
}

pov_pixel_box person_body_of_window(pov_pixel_box window)
{
    double width = window.right_px - window.left_px, height = window.bottom_px - window.top_px;
    return (pov_pixel_box){window.left_px + shoulders_share * width, window.top_px + crown_share * height,
                           window.right_px - shoulders_share * width, window.top_px + soles_share * height};
}

int person_window_better_first(const void *a, const void *b)
{
    const pov_people_window *first = a, *second = b;
    return (second->score > first->score) - (second->score < first->score);
}

pov_person *person_add_body(const pov_person_detector *d, pov_people *people, pov_pixel_box body,
                            double score)
{
    pov_person *person =
        person_is_known(people, body) || person_is_masked(d, body) ? NULL : add_person(people);
    if (!person)
        return NULL;
    person->has_body = true;
    person->body = body;
    person->score = score;
    return person;
}

static pov_status find_bodies(pov_person_detector *d, pov_people *people)
{
    pov_people_window windows[WINDOW_MAX];
    int len;
    POV_TRY(pov_people_find_bodies(d->search, windows, &len,
                                   &(pov_people_look){.image = &d->framed, .neighbours = POV_BODY_NEIGHBOURS},
                                   WINDOW_MAX));
    qsort(windows, (size_t)len, sizeof *windows, person_window_better_first);
    for (int i = 0; i < len; i++) {
        windows[i].x_px -= border_px;
        windows[i].y_px -= border_px;
        person_add_body(d, people, person_body_of_window(person_box(&d->whole, &windows[i])),
                        windows[i].score);
    }
    return pov_ok();
}

/* ---- faces ---- */

/* How far a face is from where a body's face is, in shares of the body; infinite: it is not the body's. Of a body whose legs are hidden or
 * cut the head is a larger part. */
static double distance_from_head(const pov_person *person, pov_pixel_box face)
{
    const pov_pixel_box b = person->body;
    const double x = 0.5 * (face.left_px + face.right_px), y = 0.5 * (face.top_px + face.bottom_px);
    const double tall_px = b.bottom_px - b.top_px, wide_px = b.right_px - b.left_px, slack_px = tall_px / 12;
    const double head_px = person->is_cut ? fmax(tall_px / 3, fmin(tall_px, 0.8 * wide_px)) : tall_px / 3;
    const bool fits = person->has_body && !person->has_face && x > b.left_px && x < b.right_px &&
                      y > b.top_px - slack_px && y < b.top_px + head_px &&
                      face.bottom_px - face.top_px < head_px;
    return fits ? fabs(x - 0.5 * (b.left_px + b.right_px)) / wide_px + fabs(face.top_px - b.top_px) / tall_px
                : INFINITY;
}

/* A face belongs to the body whose head is nearest. */
pov_person *person_with_head_at(pov_people *people, pov_pixel_box face)
{
    pov_person *owner = NULL;
    double least = INFINITY;
    for (int i = 0; i < people->len; i++) {
        pov_person *person = &people->persons[i];
        const double distance = distance_from_head(person, face);
        if (person->has_face && shared_area(person->face, face) > 0.4)
            return person;
        if (distance < least) {
            least = distance;
            owner = person;
        }
    }
    return owner;
}

pov_person *person_owning_face(pov_people *people, pov_pixel_box face)
{
    pov_person *owner = person_with_head_at(people, face);
    if (owner)
        return owner;
    owner = add_person(people);
    if (owner)
        *owner = (pov_person){.score = 1};
    return owner;
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
    if (person_is_masked(d, face) || (one && !is_own_face(one, face)))
        return NULL;
    pov_person *person = one ? one : person_owning_face(people, face);
    if (person && !person->has_face) {
        person->has_face = true;
        person->face = face;
    }
    return person;
}

int person_least_face_px(const view *v)
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
                                                     .least_px = person_least_face_px(v),
                                                     .most_px = v->most_px,
                                                     .step = POV_FACE_STEP},
                                  WINDOW_MAX));
    for (int i = 0; i < len; i++) {
        pov_person *person = take_face(d, people, one, person_box(v, &windows[i]));
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
                                                        .least_px = person_least_face_px(v),
                                                        .most_px = v->most_px,
                                                        .step = POV_FACE_STEP},
                                     WINDOW_MAX));
    for (int i = 0; i < len; i++) {
        if (mirrored)
            windows[i].x_px = image->width_px - windows[i].x_px - windows[i].width_px;
        pov_person *person = take_face(d, people, one, person_box(v, &windows[i]));
        if (person && mirrored)
            person->looks_right = true;
        else if (person)
            person->looks_left = true;
    }
    return pov_ok();
}

pov_status person_find_faces(pov_person_detector *d, pov_people *people, pov_person *one, const view *v,
                             unsigned cascades)
{
    if (cascades & 1u << FRONTAL)
        POV_TRY(find_frontal(d, people, one, v));
    if (cascades & 1u << LEFT)
        POV_TRY(find_profiles(d, people, one, v, false));
    return cascades & 1u << RIGHT ? find_profiles(d, people, one, v, true) : pov_ok();
}

/* ---- all of it ---- */

static pov_status take_detections(pov_person_detector *d, pov_people *people, const pov_image *image,
                                  const pov_body_boxes *bodies)
{
    for (int i = 0; bodies->found && i < bodies->found->len; i++) {
        const pov_detection *detection = &bodies->found->detections[i];
        view head;
        if (detection->class_index != bodies->person_class || person_is_masked(d, detection->box))
            continue;
        pov_person *person = add_person(people);
        if (!person)
            break;
        *person =
            (pov_person){.has_body = true, .is_cut = true, .body = detection->box, .score = detection->score};
        person->has_joints = detection->keypoint_len >= POV_JOINTS;
        for (int k = 0; person->has_joints && k < POV_JOINTS; k++)
            person->joints[k] = detection->keypoints[k];
        if (!bodies->faces && d->finds_faces && look_at_head(d, &head, image, &person->body))
            POV_TRY(person_find_faces(d, people, person, &head, ALL_CASCADES));
    }
    if (bodies->faces)
        person_take_faces(d, people, bodies);
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
        POV_TRY(person_follow(detector, people, memory));
    } else {
        POV_TRY(find_bodies(detector, people));
        if (detector->finds_faces)
            POV_TRY(person_find_faces(detector, people, NULL, &detector->whole, ALL_CASCADES));
    }
    detector->found = *people;
    return pov_ok();
}
