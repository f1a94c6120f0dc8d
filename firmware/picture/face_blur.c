#include "firmware/picture/face_blur.h"

#include "perception/image/grey.h"
#include "perception/people/opencv_people_shim.h"
#include "perception/people/person_detector.h"

#include <stdlib.h>
#include <string.h>

enum {
    FACES_MAX = 64,
    FACE_MIN_PX = 20, /* the cascades' own window */
    FACE_MIN_SHARE =
        30 /* of the image's height; chosen: smaller ones have too few pixels to recognise anyone */
};
static const double margin_share = 0.3; /* of the face's side, on each side: hair, ears and chin; chosen */
enum { SQUARES = 6 };                   /* across a face; chosen: eyes and mouth fall into one row each */

struct pov_face_blur {
    const char *folder;
    pov_people_search *search;
    int min_px; /* of a face in this image */
    uint8_t *pixels, *grey, *mirrored;
    size_t capacity; /* pixels */
};

pov_status pov_face_blur_new(pov_face_blur **blur)
{
    const char *folder;
    *blur = NULL;
    POV_TRY(pov_person_find_cascades(&folder, ""));
    *blur = pov_allocate(1, sizeof **blur);
    (*blur)->folder = folder;
    return pov_ok();
}

void pov_face_blur_destroy(pov_face_blur **blur)
{
    if (!*blur)
        return;
    pov_people_search_destroy(&(*blur)->search);
    free((*blur)->pixels);
    free((*blur)->grey);
    free((*blur)->mirrored);
    free(*blur);
    *blur = NULL;
}

static pov_status make_room(pov_face_blur *b, const pov_image *image)
{
    const size_t capacity = (size_t)image->width_px * (size_t)image->height_px;
    const int share_px = image->height_px / FACE_MIN_SHARE,
              min_px = share_px > FACE_MIN_PX ? share_px : FACE_MIN_PX;
    b->min_px = min_px;
    if (!b->search)
        POV_TRY(pov_people_search_new(&b->search, b->folder));
    if (capacity <= b->capacity)
        return pov_ok();
    free(b->pixels);
    free(b->grey);
    free(b->mirrored);
    b->pixels = malloc(3 * capacity);
    b->grey = malloc(capacity);
    b->mirrored = malloc(capacity);
    b->capacity = b->pixels && b->grey && b->mirrored ? capacity : 0;
    return b->capacity ? pov_ok() : pov_error("out of memory");
}

static void copy_image(pov_face_blur *b, pov_image *blurred, const pov_image *image)
{
    const size_t row = 3 * (size_t)image->width_px;
    *blurred = *image;
    blurred->pixels = b->pixels;
    blurred->grey = NULL;
    blurred->coded = NULL; /* its file shows the faces */
    blurred->stride_bytes = (int)row;
    for (int y = 0; y < image->height_px; y++)
        memcpy(b->pixels + (size_t)y * row, image->pixels + (size_t)y * (size_t)image->stride_bytes, row);
    pov_grey_from_rgb(b->grey, image, (pov_rectangle){0, 0, image->width_px, image->height_px});
    for (int y = 0; y < image->height_px; y++)
        for (int x = 0; x < image->width_px; x++)
            b->mirrored[y * image->width_px + x] = b->grey[y * image->width_px + image->width_px - 1 - x];
}

static void fill_square(uint8_t *pixels, int stride_bytes, const int x[2], const int y[2])
{
    int64_t sum[3] = {0};
    const int64_t n = (int64_t)(x[1] - x[0]) * (y[1] - y[0]);
    for (int v = y[0]; v < y[1]; v++)
        for (int u = x[0]; u < x[1]; u++)
            for (int c = 0; c < 3; c++)
                sum[c] += pixels[v * stride_bytes + 3 * u + c];
    for (int v = y[0]; v < y[1]; v++)
        for (int u = x[0]; u < x[1]; u++)
            for (int c = 0; c < 3; c++)
                pixels[v * stride_bytes + 3 * u + c] = (uint8_t)(sum[c] / n);
}

static int bounded(int value, int high)
{
    return value < 0 ? 0 : value > high ? high : value;
}

static void hide_face(uint8_t *pixels, const pov_image *image, const pov_people_window *face)
{
    const int margin_px = (int)(margin_share * face->width_px), side_px = face->width_px + 2 * margin_px;
    const int tall_px = face->height_px + 2 * margin_px;
    for (int j = 0; j < SQUARES; j++)
        for (int i = 0; i < SQUARES; i++) {
            const int x_px = face->x_px - margin_px, y_px = face->y_px - margin_px;
            const int x[2] = {bounded(x_px + i * side_px / SQUARES, image->width_px),
                              bounded(x_px + (i + 1) * side_px / SQUARES, image->width_px)};
            const int y[2] = {bounded(y_px + j * tall_px / SQUARES, image->height_px),
                              bounded(y_px + (j + 1) * tall_px / SQUARES, image->height_px)};
            if (x[1] > x[0] && y[1] > y[0])
                fill_square(pixels, image->stride_bytes, x, y);
        }
}

/* True if its middle is in another window: two cascades often find the same face. */
static bool is_within(const pov_people_window *face, const pov_people_window *others, int len)
{
    const int x_px = face->x_px + face->width_px / 2, y_px = face->y_px + face->height_px / 2;
    for (int i = 0; i < len; i++)
        if (x_px >= others[i].x_px && x_px < others[i].x_px + others[i].width_px && y_px >= others[i].y_px &&
            y_px < others[i].y_px + others[i].height_px)
            return true;
    return false;
}

pov_status pov_face_blur_run(pov_face_blur *blur, pov_image *blurred, int *faces, const pov_image *image)
{
    pov_people_window found[3][FACES_MAX], all[3 * FACES_MAX];
    int len[3], all_len = 0;
    POV_TRY(make_room(blur, image));
    copy_image(blur, blurred, image);
    const pov_grey grey = {blur->grey, image->width_px, image->height_px, image->width_px};
    const pov_grey mirrored = {blur->mirrored, image->width_px, image->height_px, image->width_px};
    pov_people_look look = {
        .image = &grey, .neighbours = POV_FACE_NEIGHBOURS, .least_px = blur->min_px, .step = POV_FACE_STEP};
    POV_TRY(pov_people_find_faces(blur->search, found[0], &len[0], &look, FACES_MAX));
    POV_TRY(pov_people_find_profiles(blur->search, found[1], &len[1], &look, FACES_MAX));
    look.image = &mirrored;
    POV_TRY(pov_people_find_profiles(blur->search, found[2], &len[2], &look, FACES_MAX));
    *faces = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < len[k] && i < FACES_MAX; i++) {
            if (k == 2)
                found[k][i].x_px = image->width_px - found[k][i].x_px - found[k][i].width_px;
            hide_face(blur->pixels, blurred, &found[k][i]);
            *faces += !is_within(&found[k][i], all, all_len);
            all[all_len++] = found[k][i];
        }
    return pov_ok();
}
