#include "perception/objects/object_model.h"

#include <math.h>
#include <stdlib.h>

enum {
    SIDE = POV_PORTRAIT_SIDE,
    AREA = POV_PORTRAIT_AREA,
    CELL = OBJECT_CELL_PX,
    RIM_OUT = 2,
    SPREAD = 7,
    RASTER_ROWS = 7 /* numbers of each of its pixels */
};

static const double patch_cover_min = 0.5; /* share of a cell that the object fills, to be looked for */
static const double rim_worth = 0.8;

static uint8_t cell_of(int i)
{
    const int row = i / SIDE / CELL;
    return (uint8_t)(row * OBJECT_CELL_SIDE + i % SIDE / CELL);
}

static bool is_object(const pov_portrait *portrait, int column, int row)
{
    return column >= 0 && row >= 0 && column < SIDE && row < SIDE && portrait->depth[row * SIDE + column] > 0;
}

static object_point point_at(const pov_portrait *from, const pov_portrait_window *window, double radius_m,
                             int i)
{
    const pov_vec3 place_m = pov_portrait_point(from, window, radius_m, i);
    return (object_point){.place_m = {(float)place_m.x, (float)place_m.y, (float)place_m.z},
                          .colour = {from->colour[i][0], from->colour[i][1], from->colour[i][2]},
                          .cell = cell_of(i)};
}

/* Every seventh, then those after them, ...: SPREAD and AREA have no common factor. */
static void sample_points(object_portrait *to, const pov_portrait *from, const pov_portrait_window *window,
                          double radius_m)
{
    to->point_len = 0;
    for (int k = 0; k < AREA; k++) {
        const int i = k * (SPREAD * 59) % AREA;
        if (from->depth[i] > 0)
            to->points[to->point_len++] = point_at(from, window, radius_m, i);
    }
}

/* ---- raster and outline ---- */

/* Bounds of the portrait's pixels that show the object. */
typedef struct {
    int left, top, right, bottom; /* the last two are outside */
} extent;

static extent extent_of(const pov_portrait *portrait)
{
    extent e = {SIDE, SIDE, 0, 0};
    for (int i = 0; i < AREA; i++)
        if (portrait->depth[i] > 0) {
            e.left = i % SIDE < e.left ? i % SIDE : e.left;
            e.top = i / SIDE < e.top ? i / SIDE : e.top;
            e.right = i % SIDE + 1 > e.right ? i % SIDE + 1 : e.right;
            e.bottom = i / SIDE + 1;
        }
    return e;
}

static int area_of(extent e)
{
    return e.right > e.left ? (e.right - e.left) * (e.bottom - e.top) : 0;
}

/* Takes its room from the model's. */
static void sample_raster(object_raster *to, object_model *model, int *used, const pov_portrait *from,
                          const pov_portrait_window *window)
{
    const extent e = extent_of(from);
    to->len = area_of(e);
    to->width = to->len > 0 ? e.right - e.left : 0;
    to->height = to->len > 0 ? e.bottom - e.top : 0;
    float *numbers = model->numbers + (size_t)RASTER_ROWS * (size_t)*used;
    for (int c = 0; c < 3; c++) {
        to->place_m[c] = numbers + c * to->len;
        to->tone[c] = numbers + (3 + c) * to->len;
    }
    to->is_point = numbers + 6 * to->len;
    to->cell = model->cells + *used;
    *used += to->len;
    for (int at = 0; at < to->len; at++) {
        const int i = (e.top + at / to->width) * SIDE + e.left + at % to->width;
        if (from->depth[i] == 0)
            continue;
        const object_point point = point_at(from, window, model->radius_m, i);
        const object_tone tone =
            pov_object_tone_of((const float[3]){point.colour[0], point.colour[1], point.colour[2]});
        for (int c = 0; c < 3; c++) {
            to->place_m[c][at] = point.place_m[c];
            to->tone[c][at] = tone.of[c];
        }
        to->is_point[at] = 1;
        to->cell[at] = point.cell;
        to->count[point.cell]++;
    }
}

/* A full list keeps those that come first, so they come spread over the whole of the object. */
static void sample_outline(object_outline *to, const pov_portrait *from, const pov_portrait_window *window,
                           double radius_m)
{
    static const int way[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const extent e = extent_of(from);
    to->len = 0;
    for (int n = 0; n < 4 * AREA; n++) {
        const int i = n / 4 * (SPREAD * 59) % AREA, x = way[n % 4][0], y = way[n % 4][1];
        if (from->depth[i] == 0 || to->len == OBJECT_EDGE_MAX || is_object(from, i % SIDE + x, i / SIDE + y))
            continue;
        const object_point point = point_at(from, window, radius_m, i);
        const pov_vec3 by_m =
            pov_vec3_add(pov_vec3_scale(window->right_m, x), pov_vec3_scale(window->down_m, y));
        to->beside_m[0][to->len] = point.place_m[0] + (float)by_m.x;
        to->beside_m[1][to->len] = point.place_m[1] + (float)by_m.y;
        to->beside_m[2][to->len] = point.place_m[2] + (float)by_m.z;
        to->at[to->len++] = (int16_t)((i / SIDE - e.top) * (e.right - e.left) + i % SIDE - e.left);
    }
}

/* Just outside of the object, two pixels from its nearest pixel in one of eight directions. */
static void sample_rim(object_portrait *to, const pov_portrait *from, const pov_portrait_window *window,
                       double radius_m)
{
    static const int way[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    to->rim_len = 0;
    for (int i = 0; i < AREA; i++) {
        const int row = i / SIDE, column = i % SIDE;
        for (int k = 0; k < 8 && from->depth[i] > 0; k++) {
            const int x = way[k][0], y = way[k][1];
            if (is_object(from, column + x, row + y) ||
                is_object(from, column + RIM_OUT * x, row + RIM_OUT * y) ||
                !is_object(from, column - x, row - y) || to->rim_len == OBJECT_RIM_MAX || (x != 0 && y != 0))
                continue;
            object_point *point = &to->rim[to->rim_len++];
            *point = point_at(from, window, radius_m, (row - y) * SIDE + column - x);
            const pov_vec3 out = pov_vec3_add(pov_vec3_scale(window->right_m, (RIM_OUT + 1) * x),
                                              pov_vec3_scale(window->down_m, (RIM_OUT + 1) * y));
            point->place_m[0] += (float)out.x;
            point->place_m[1] += (float)out.y;
            point->place_m[2] += (float)out.z;
        }
    }
}

/* ---- patches ---- */

typedef struct {
    float place_m[3], direction[3], log_length, worth;
} patch;

static patch patch_of(const object_portrait *portrait, const double place_m[3], const double colour[3],
                      double worth)
{
    const double c = cos(portrait->azimuth_rad), s = sin(portrait->azimuth_rad);
    const double length =
        fmax(1, sqrt(colour[0] * colour[0] + colour[1] * colour[1] + colour[2] * colour[2]));
    return (patch){{(float)(c * place_m[0] + s * place_m[1]), (float)(c * place_m[1] - s * place_m[0]),
                    (float)place_m[2]},
                   {(float)(colour[0] / length), (float)(colour[1] / length), (float)(colour[2] / length)},
                   (float)log(length),
                   (float)worth};
}

typedef struct {
    double place_m[3], colour[3];
    int len;
} mean_point;

static void add_to_mean(mean_point *mean, const object_point *point)
{
    for (int k = 0; k < 3; k++) {
        mean->place_m[k] += (double)point->place_m[k];
        mean->colour[k] += point->colour[k];
    }
    mean->len++;
}

static void finish_mean(mean_point *mean)
{
    for (int k = 0; k < 3; k++) {
        mean->place_m[k] /= mean->len;
        mean->colour[k] /= mean->len;
    }
}

/* Returns how many. */
static int sample_patches(patch patches[OBJECT_PATCH_MAX], const object_portrait *portrait)
{
    int len = 0;
    mean_point cells[OBJECT_CELLS] = {{{0}, {0}, 0}}, rims[OBJECT_CELLS] = {{{0}, {0}, 0}};
    for (int i = 0; i < portrait->point_len; i++)
        add_to_mean(&cells[portrait->points[i].cell], &portrait->points[i]);
    for (int i = 0; i < portrait->rim_len; i++)
        add_to_mean(&rims[portrait->rim[i].cell], &portrait->rim[i]);
    for (int i = 0; i < OBJECT_CELLS; i++) {
        if (cells[i].len > 0)
            finish_mean(&cells[i]);
        if (rims[i].len > 0)
            finish_mean(&rims[i]);
    }
    for (int i = 0; i < OBJECT_CELLS; i++)
        if (cells[i].len >= patch_cover_min * CELL * CELL && len < OBJECT_PATCH_MAX)
            patches[len++] = patch_of(portrait, cells[i].place_m, cells[i].colour, 1);
    const int inside = len;
    int around = 0;
    for (int i = 0; i < OBJECT_CELLS; i++)
        around += rims[i].len > 1;
    for (int i = 0; i < OBJECT_CELLS; i++)
        if (rims[i].len > 1 && len < OBJECT_PATCH_MAX)
            patches[len++] =
                patch_of(portrait, rims[i].place_m, rims[i].colour, -rim_worth * inside / around);
    return len;
}

/* A first part of the list is spread over the whole: patches are put in an order by steps of five. */
static void make_patches(object_portrait *portrait)
{
    patch patches[OBJECT_PATCH_MAX];
    object_patches *to = &portrait->patches;
    const int len = sample_patches(patches, portrait);
    to->len = 0;
    to->worth_before[0] = 0;
    for (int first = 0; first < 3; first++)
        for (int i = first; i < len; i += 3) {
            const int at = to->len++;
            for (int k = 0; k < 3; k++) {
                to->place_m[k][at] = patches[i].place_m[k];
                to->direction[k][at] = patches[i].direction[k];
            }
            to->log_length[at] = patches[i].log_length;
            to->worth[at] = patches[i].worth;
            to->worth_before[at + 1] = to->worth_before[at] + (patches[i].worth > 0 ? patches[i].worth : 0);
        }
}

/* ---- the whole ---- */

static int by_azimuth(const void *a, const void *b)
{
    const double x = ((const object_portrait *)a)->azimuth_rad, y = ((const object_portrait *)b)->azimuth_rad;
    return (x > y) - (x < y);
}

/* The box along the front, around all points: portraits see every side of it. */
static void find_box(object_model *model, const pov_portraits *portraits)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const double c = cos(model->front_rad), s = sin(model->front_rad);
    for (int k = 0; k < model->len; k++)
        for (int i = 0; i < model->portraits[k].point_len; i++) {
            const float *p = model->portraits[k].points[i].place_m;
            const double along[2] = {c * (double)p[0] + s * (double)p[1],
                                     c * (double)p[1] - s * (double)p[0]};
            for (int a = 0; a < 2; a++) {
                low[a] = fmin(low[a], along[a]);
                high[a] = fmax(high[a], along[a]);
            }
        }
    const double x = 0.5 * (low[0] + high[0]), y = 0.5 * (low[1] + high[1]);
    model->size_m = (pov_vec3){high[0] - low[0], high[1] - low[1], portraits->height_m};
    model->middle_m = (pov_vec3){c * x - s * y, s * x + c * y, 0.5 * portraits->height_m};
}

static void prepare_portraits(object_model *model, const pov_portraits *portraits)
{
    object_point *next = model->points;
    int used = 0;
    for (int k = 0; k < model->len; k++) {
        const pov_portrait *from = &portraits->portraits[k];
        object_portrait *to = &model->portraits[k];
        const pov_portrait_window window =
            pov_portrait_window_of(from->eye_m, portraits->radius_m, portraits->height_m);
        to->eye_m = from->eye_m;
        to->azimuth_rad = atan2(from->eye_m.y, from->eye_m.x);
        to->points = next;
        sample_points(to, from, &window, portraits->radius_m);
        next += to->point_len;
        sample_raster(&to->raster, model, &used, from, &window);
        sample_outline(&to->outline, from, &window, portraits->radius_m);
        sample_rim(to, from, &window, portraits->radius_m);
        make_patches(to);
        model->elevation_rad +=
            atan2(from->eye_m.z - 0.5 * portraits->height_m, hypot(from->eye_m.x, from->eye_m.y)) /
            model->len;
    }
    find_box(model, portraits);
    qsort(model->portraits, (size_t)model->len, sizeof *model->portraits, by_azimuth);
}

pov_status pov_object_model_new(object_model **model, const pov_portraits *portraits)
{
    size_t points = 0, area = 0;
    for (int k = 0; k < portraits->len; k++) {
        area += (size_t)area_of(extent_of(&portraits->portraits[k]));
        for (int i = 0; i < AREA; i++)
            points += portraits->portraits[k].depth[i] > 0;
    }
    object_model *m = *model = calloc(1, sizeof *m);
    if (m) {
        m->points = calloc(points + 1, sizeof *m->points);
        m->numbers = calloc(RASTER_ROWS * area + 1, sizeof *m->numbers);
        m->cells = calloc(area + 1, sizeof *m->cells);
    }
    if (!m || !m->points || !m->numbers || !m->cells) {
        pov_object_model_destroy(model);
        return pov_error("enrolled object: out of memory");
    }
    m->len = portraits->len;
    m->left_out = -1;
    m->radius_m = portraits->radius_m;
    m->height_m = portraits->height_m;
    m->scatter = portraits->scatter;
    m->widening_place = portraits->widening_place;
    m->widening_yaw = portraits->widening_yaw;
    m->symmetry = portraits->symmetry;
    m->has_front = portraits->has_front;
    m->front_rad = portraits->has_front ? -portraits->front_rad : 0;
    prepare_portraits(m, portraits);
    return pov_ok();
}

void pov_object_model_destroy(object_model **model)
{
    if (!*model)
        return;
    free((*model)->points);
    free((*model)->numbers);
    free((*model)->cells);
    free(*model);
    *model = NULL;
}

static int step_from(const object_model *model, int i, int step)
{
    do
        i = (i + step + model->len) % model->len;
    while (i == model->left_out);
    return i;
}

static double turn_between(double from_rad, double to_rad)
{
    const double by = fmod(to_rad - from_rad, 2 * POV_PI);
    return by < 0 ? by + 2 * POV_PI : by;
}

object_pair pov_object_model_between(const object_model *model, double azimuth_rad)
{
    int next = 0;
    while (next < model->len && model->portraits[next].azimuth_rad <= azimuth_rad)
        next++;
    const int before = step_from(model, next, -1), after = step_from(model, next - 1, 1);
    const object_portrait *left = &model->portraits[before], *right = &model->portraits[after];
    const double whole = turn_between(left->azimuth_rad, right->azimuth_rad),
                 part = turn_between(left->azimuth_rad, azimuth_rad);
    const double share = whole > 0 ? fmin(1, part / whole) : 0;
    return (object_pair){{left, right}, {1 - share, share}};
}

const object_portrait *pov_object_model_nearest(const object_model *model, double azimuth_rad)
{
    const object_pair pair = pov_object_model_between(model, azimuth_rad);
    return pair.portrait[pair.share[1] > 0.5];
}
