#include "perception/people/person_detector.h"

#include "perception/grey.h"
#include "perception/opencv_c.h"
#include "perception/people/opencv_people_shim.h"

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

struct pov_person_detector {
    pov_person_detector_config config;
    int width_px, height_px;
    bool finds_faces;
    double scale; /* searched pixels an image pixel */
    pov_people_search *search;
    pov_grey framed, mirrored; /* with a border; their pixels are ours */
    uint8_t *grey, *framed_pixels, *mirrored_pixels;
};

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

static pov_status find_cascades(const char **folder, const pov_person_detector_config *config)
{
    *folder = config->cascade_folder;
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

static pov_status allocate(pov_person_detector *d)
{
    int width_px = (int)lround(d->width_px * d->scale) + 2 * border_px;
    int height_px = (int)lround(d->height_px * d->scale) + 2 * border_px;
    d->grey = malloc((size_t)d->width_px * (size_t)d->height_px);
    d->framed_pixels = malloc((size_t)width_px * (size_t)height_px);
    d->mirrored_pixels = malloc((size_t)width_px * (size_t)height_px);
    d->framed = (pov_grey){d->framed_pixels, width_px, height_px, width_px};
    d->mirrored = (pov_grey){d->mirrored_pixels, width_px, height_px, width_px};
    return d->grey && d->framed_pixels && d->mirrored_pixels ? pov_ok()
                                                             : pov_error("person detector: out of memory");
}

pov_status pov_person_detector_new(pov_person_detector **detector, const pov_person_detector_config *config,
                                   int width_px, int height_px)
{
    POV_REQUIRE(width_px > 0 && height_px > 0);
    const char *folder = NULL;
    *detector = NULL;
    if (!config->without_faces)
        POV_TRY(find_cascades(&folder, config));
    pov_person_detector *d = calloc(1, sizeof *d);
    if (!d)
        return pov_error("person detector: out of memory");
    *d = (pov_person_detector){.config = *config,
                               .width_px = width_px,
                               .height_px = height_px,
                               .finds_faces = folder != NULL,
                               .scale = (double)searched_height_px / height_px};
    pov_status status = allocate(d);
    if (status.code == POV_OK)
        status = pov_people_search_new(&d->search, folder);
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
    free((*detector)->framed_pixels);
    free((*detector)->mirrored_pixels);
    free(*detector);
    *detector = NULL;
}

/* ---- the searched image ---- */

static CvMat mat_of(uint8_t *pixels, const pov_grey *image)
{
    return cvMat(image->height_px, image->width_px, CV_8UC1, pixels);
}

static void frame(pov_person_detector *d, const pov_image *image)
{
    const pov_grey whole = {d->grey, d->width_px, d->height_px, d->width_px};
    pov_grey_from_rgb(d->grey, image, 0, 0, d->width_px, d->height_px);
    CvMat from = mat_of(d->grey, &whole), framed = mat_of(d->framed_pixels, &d->framed), inner;
    CvMat mirrored = mat_of(d->mirrored_pixels, &d->mirrored);
    cvGetSubRect(&framed, &inner,
                 cvRect(border_px, border_px, framed.cols - 2 * border_px, framed.rows - 2 * border_px));
    cvResize(&from, &inner, d->scale < 1 ? CV_INTER_AREA : CV_INTER_LINEAR);
    cvCopyMakeBorder(&inner, &framed, cvPoint(border_px, border_px), IPL_BORDER_REPLICATE, cvScalarAll(0));
    cvFlip(&framed, &mirrored, 1);
}

/* From edges in the searched image to those in the image, whose first pixel's centre is (0, 0). */
static pov_pixel_box box_of(const pov_person_detector *d, const pov_people_window *w)
{
    double x = w->x_px - border_px, y = w->y_px - border_px;
    return (pov_pixel_box){x / d->scale - 0.5, y / d->scale - 0.5, (x + w->width_px) / d->scale - 0.5,
                           (y + w->height_px) / d->scale - 0.5};
}

/* ---- boxes ---- */

static double area(pov_pixel_box b)
{
    return fmax(0, b.right_px - b.left_px) * fmax(0, b.bottom_px - b.top_px);
}

/* Share of the smaller box that lies within the other. */
static double shared(pov_pixel_box a, pov_pixel_box b)
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
        const pov_mask *mask = &d->config.masks[i];
        if (x >= mask->x_px && x < mask->x_px + mask->width_px && y >= mask->y_px &&
            y < mask->y_px + mask->height_px)
            return true;
    }
    return false;
}

static pov_person *add(pov_people *people)
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
        if (shared(people->persons[i].body, body) > 0.6)
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

static pov_status find_bodies(pov_person_detector *d, pov_people *people)
{
    pov_people_window windows[WINDOW_MAX];
    int len;
    POV_TRY(pov_people_find_bodies(d->search, windows, &len, &d->framed, WINDOW_MAX));
    qsort(windows, (size_t)len, sizeof *windows, better_first);
    for (int i = 0; i < len; i++) {
        const pov_pixel_box body = body_of(box_of(d, &windows[i]));
        pov_person *person = is_known(people, body) || is_masked(d, body) ? NULL : add(people);
        if (!person)
            continue;
        person->has_body = true;
        person->body = body;
        person->score = windows[i].score;
        /* a face is a ninth of a body, and the cascades' windows are of 20 pixels: half as much again to be sure */
        person->face_resolved = d->finds_faces && (body.bottom_px - body.top_px) * d->scale / 9 > 30;
    }
    return pov_ok();
}

/* A face belongs to the body in whose uppermost third it is; or it is one more person's. */
static pov_person *whose(pov_people *people, pov_pixel_box face)
{
    double x = 0.5 * (face.left_px + face.right_px), y = 0.5 * (face.top_px + face.bottom_px);
    for (int i = 0; i < people->len; i++) {
        pov_person *person = &people->persons[i];
        if (person->has_face && shared(person->face, face) > 0.4)
            return person;
        const pov_pixel_box b = person->body;
        double head_px = (b.bottom_px - b.top_px) / 3, slack_px = (b.bottom_px - b.top_px) / 12;
        if (person->has_body && !person->has_face && x > b.left_px && x < b.right_px &&
            y > b.top_px - slack_px && y < b.top_px + head_px && face.bottom_px - face.top_px < head_px)
            return person;
    }
    pov_person *person = add(people);
    if (person)
        *person = (pov_person){.score = 1, .face_resolved = true};
    return person;
}

static pov_person *take_face(const pov_person_detector *d, pov_people *people,
                             const pov_people_window *window)
{
    const pov_pixel_box face = box_of(d, window);
    pov_person *person = is_masked(d, face) ? NULL : whose(people, face);
    if (person && !person->has_face) {
        person->has_face = person->face_resolved = true;
        person->face = face;
    }
    return person;
}

static pov_status find_frontal(pov_person_detector *d, pov_people *people)
{
    pov_people_window windows[WINDOW_MAX];
    int len;
    POV_TRY(pov_people_find_faces(d->search, windows, &len, &d->framed, WINDOW_MAX));
    for (int i = 0; i < len; i++) {
        pov_person *person = take_face(d, people, &windows[i]);
        if (person)
            person->frontal = true;
    }
    return pov_ok();
}

/* The cascade knows profiles that look to the left; those that look to the right do so in a mirror. */
static pov_status find_profiles(pov_person_detector *d, pov_people *people, bool mirrored)
{
    const pov_grey *image = mirrored ? &d->mirrored : &d->framed;
    pov_people_window windows[WINDOW_MAX];
    int len;
    POV_TRY(pov_people_find_profiles(d->search, windows, &len, image, WINDOW_MAX));
    for (int i = 0; i < len; i++) {
        if (mirrored)
            windows[i].x_px = image->width_px - windows[i].x_px - windows[i].width_px;
        pov_person *person = take_face(d, people, &windows[i]);
        if (person && mirrored)
            person->looks_right = true;
        else if (person)
            person->looks_left = true;
    }
    return pov_ok();
}

pov_status pov_person_detector_run(pov_person_detector *detector, pov_people *people, const pov_image *image)
{
    people->len = 0;
    people->truncated = false;
    if (image->width_px != detector->width_px || image->height_px != detector->height_px)
        return pov_status_with(POV_SKIPPED, "%s: not of the size that people are looked for in", image->name);
    frame(detector, image);
    POV_TRY(find_bodies(detector, people));
    if (!detector->finds_faces)
        return pov_ok();
    POV_TRY(find_frontal(detector, people));
    POV_TRY(find_profiles(detector, people, false));
    return find_profiles(detector, people, true);
}
