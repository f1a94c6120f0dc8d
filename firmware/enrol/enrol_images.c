#include "firmware/enrol/enrol_images.h"

#include "firmware/clock.h"
#include "firmware/progress.h"
#include "firmware/sources/folder_source.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int change_min = 40;        /* levels: more than noise and flicker */
static const double square_margin = 1.1; /* about what changes */
static const double square_least_px =
    0.5 * POV_PATCH_INNER;               /* twice its size: more enlarges only noise; chosen */
static const double square_worth = 0.75; /* of the whole image's side: a larger one is not worth cutting */
enum { CHANGED_MIN = 3 };                /* pixels of a row or column: fewer are noise */

/* Least and most light of each pixel over all images. */
typedef struct {
    int width_px, height_px;
    uint8_t *least, *most;
} change_map;

/** The last number of a file's name, before its extension: 75 of "duck_2__75.png", 12.5 of "012.5.jpg". False: there is
 *  none. */
static bool angle_of_name(double *angle_deg, const char *name)
{
    const char *dot = strrchr(name, '.'), *end = dot ? dot : name + strlen(name);
    while (end > name && !isdigit((unsigned char)end[-1]))
        end--;
    const char *begin = end;
    while (begin > name && isdigit((unsigned char)begin[-1]))
        begin--;
    const char *whole = begin;
    if (begin > name + 1 && begin[-1] == '.' && isdigit((unsigned char)begin[-2]))
        for (whole = begin - 1; whole > name && isdigit((unsigned char)whole[-1]); whole--) {
        }
    char number[32];
    if (begin == end || (size_t)(end - whole) >= sizeof number)
        return false;
    snprintf(number, sizeof number, "%.*s", (int)(end - whole), whole);
    *angle_deg = strtod(number, NULL);
    return isfinite(*angle_deg);
}

void pov_enrol_images_free(pov_enrol_images *images)
{
    free(images->images);
    *images = (pov_enrol_images){0};
}

pov_status pov_enrol_images_views(const pov_enrol_images *images, pov_view **views)
{
    *views = pov_allocate((size_t)images->len + 1, sizeof **views);
    for (int i = 0; i < images->len; i++)
        (*views)[i] = images->images[i].view;
    return pov_ok();
}

/* -------- one image after the other -------- */

typedef struct {
    pov_enrol_images *images;
    change_map *change; /* NULL: cut patches instead */
} reading;

static uint8_t green_at(const pov_image *image, int x, int y)
{
    return image->pixels[(size_t)y * (size_t)image->stride_bytes + 3 * (size_t)x + 1];
}

static pov_status note_change(change_map *map, const pov_image *image)
{
    const size_t area = (size_t)image->width_px * (size_t)image->height_px;
    if (!map->least) {
        *map = (change_map){image->width_px, image->height_px, malloc(area), calloc(area, 1)};
        if (!map->least || !map->most)
            return pov_error("%s: out of memory", image->name);
        memset(map->least, 255, area);
    }
    for (int y = 0; y < image->height_px; y++)
        for (int x = 0; x < image->width_px; x++) {
            const uint8_t light = green_at(image, x, y);
            const size_t i = (size_t)y * (size_t)image->width_px + (size_t)x;
            map->least[i] = light < map->least[i] ? light : map->least[i];
            map->most[i] = light > map->most[i] ? light : map->most[i];
        }
    return pov_ok();
}

static pov_status check_image(pov_enrol_images *images, const pov_image *image, int index)
{
    if (index >= POV_VIEW_MAX)
        return pov_error("%s: more than %d images; enrol from every second one, say", image->name,
                         POV_VIEW_MAX);
    if (images->width_px == 0) {
        images->width_px = image->width_px;
        images->height_px = image->height_px;
    }
    if (image->width_px != images->width_px || image->height_px != images->height_px)
        return pov_error("%s: %d x %d pixels where others have %d x %d; all must come from one camera, uncut",
                         image->name, image->width_px, image->height_px, images->width_px, images->height_px);
    return pov_ok();
}

static pov_status take_image(reading *r, const pov_image *image)
{
    double angle_deg;
    POV_TRY(check_image(r->images, image, r->images->len));
    if (!angle_of_name(&angle_deg, image->name))
        return pov_error(
            "%s: no number in its name; name images by the angle in degrees: 000.png, 010.png, ...",
            image->name);
    pov_enrol_image *taken = &r->images->images[r->images->len++];
    snprintf(taken->name, sizeof taken->name, "%s", image->name);
    taken->view.angle_rad = fmod(angle_deg, 360) * POV_DEG;
    if (r->change)
        return note_change(r->change, image);
    pov_patch_cut(&taken->view.patch, image, r->images->square);
    return pov_ok();
}

static pov_status read_each(reading *r, pov_image_source *source, pov_progress *progress)
{
    pov_image image;
    r->images->len = 0;
    for (;;) {
        const pov_status status = pov_image_source_next(source, &image, 1000);
        if (status.code == POV_END)
            return pov_ok();
        if (status.code == POV_SKIPPED)
            return pov_error("%s; mend or remove it", status.message);
        if (status.code == POV_ERROR)
            return status;
        if (status.code == POV_OK)
            POV_TRY(take_image(r, &image));
        pov_progress_update(progress, r->images->len, pov_clock_monotonic_ns());
    }
}

static pov_status read_folder(reading *r, const char *folder)
{
    pov_image_source *source;
    const pov_folder_source_config config = {.path = folder};
    POV_TRY(pov_folder_source_new(&source, &config));
    const int64_t expected = pov_image_source_statistics_of(source).expected;
    pov_progress progress = pov_progress_start(stderr, "images", expected, pov_clock_monotonic_ns());
    const pov_status status = read_each(r, source, &progress);
    pov_progress_clear(&progress);
    pov_image_source_destroy(&source);
    return status;
}

/* -------- what to cut -------- */

static bool is_changed(const change_map *map, int x, int y)
{
    const size_t i = (size_t)y * (size_t)map->width_px + (size_t)x;
    return map->most[i] - map->least[i] >= change_min;
}

/* First and last row (or column) in which something changes. */
static bool changed_range(const change_map *map, bool rows, int *first, int *last)
{
    const int len = rows ? map->height_px : map->width_px, across = rows ? map->width_px : map->height_px;
    *first = *last = -1;
    for (int i = 0; i < len; i++) {
        int changed = 0;
        for (int k = 0; k < across && changed < CHANGED_MIN; k++)
            changed += rows ? is_changed(map, k, i) : is_changed(map, i, k);
        if (changed < CHANGED_MIN)
            continue;
        *first = *first < 0 ? i : *first;
        *last = i;
    }
    return *first >= 0;
}

static pov_patch_square changed_square(const change_map *map)
{
    int left, right, top, bottom;
    const pov_image image = {.width_px = map->width_px, .height_px = map->height_px};
    const pov_patch_square whole = pov_patch_square_whole(&image);
    if (!changed_range(map, false, &left, &right) || !changed_range(map, true, &top, &bottom))
        return whole;
    const double side = fmax(square_margin * (fmax(right - left, bottom - top) + 1), square_least_px);
    if (side > square_worth * whole.side_px)
        return whole;
    return (pov_patch_square){0.5 * (left + right - side), 0.5 * (top + bottom - side), side};
}

static pov_status choose_square(pov_enrol_images *images, const char *folder)
{
    change_map map = {0};
    const pov_status status = read_folder(&(reading){images, &map}, folder);
    if (status.code == POV_OK && map.least)
        images->square = changed_square(&map);
    free(map.least);
    free(map.most);
    return status;
}

static pov_status known_square(pov_enrol_images *images, const pov_appearance_data *known)
{
    images->width_px = known->image_width_px;
    images->height_px = known->image_height_px;
    images->square = known->square;
    return pov_ok();
}

static int by_angle(const void *a, const void *b)
{
    const double x = ((const pov_enrol_image *)a)->view.angle_rad,
                 y = ((const pov_enrol_image *)b)->view.angle_rad;
    return (x > y) - (x < y);
}

static pov_status sort_views(pov_enrol_images *images, bool distinct)
{
    qsort(images->images, (size_t)images->len, sizeof *images->images, by_angle);
    for (int i = 1; i < images->len && distinct; i++)
        if (images->images[i].view.angle_rad - images->images[i - 1].view.angle_rad < 1e-9)
            return pov_error("%s and %s: the same angle, %g deg; keep one", images->images[i - 1].name,
                             images->images[i].name, pov_degrees(images->images[i].view.angle_rad));
    return pov_ok();
}

pov_status pov_enrol_images_read(pov_enrol_images *images, const char *folder,
                                 const pov_appearance_data *known)
{
    *images = (pov_enrol_images){.images = calloc(POV_VIEW_MAX, sizeof *images->images)};
    if (!images->images)
        return pov_error("out of memory");
    POV_TRY(known ? known_square(images, known) : choose_square(images, folder));
    POV_TRY(read_folder(&(reading){images, NULL}, folder));
    return sort_views(images, !known);
}
