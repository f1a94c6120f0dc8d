#include "perception/objects/object_fit.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/image/clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = OBJECT_FIT_UNKNOWNS, X = 0, Y = 1, YAW = 2, GAIN = 3, OFFSET = 6, STEPS = 6, ROUGH_STEPS = 4 };

/* Standard deviations of light against that at enrolment: strength, its colours' shares, levels added. Chosen. */
static const double gain_std = 0.35, tint_std = 0.12, offset_std = 15;
static const double hidden_at = 3; /* times the usual residual: a cell's weight is a half. Chosen. */
static const double outside = 16;  /* squared usual residuals that a point beyond the image costs. Chosen. */
/* A cell's brightness against the rest: standard deviation and bounds of the factor. Chosen. */
static const double shade_usual = 0.15, shade_least = 0.6, shade_most = 1.6;
static const double gloss_usual = 0.3,
                    gloss_most = 110;   /* weight against a pixel's; bound in levels. Chosen. */
static const double shade_worth = 0.15; /* weight of shade's and gloss's squares against a pixel's. Chosen. */
static const double settled_m = 5e-5, settled_rad = 2e-4; /* the last step; below any camera's resolution */
static const double ridge = 1e-6; /* levels^2, added to the diagonal; a millionth of one pixel's share */

/* Red, green, blue, and nothing. */
typedef float channels __attribute__((vector_size(16)));
typedef float two
    __attribute__((vector_size(32), aligned(16), may_alias)); /* of channels that lie side by side */

/* Sums over the points of a cell that are in the image, which all equations are made of. The slopes are those of the light seen by
 * x, y and yaw. In the order in which add_point adds pairs. */
typedef struct {
    channels slope[3], light;
    channels slope_colour[3], colour_light; /* by the colour expected, */
    channels slope_light[3], light_light;   /* by the light seen */
    channels slope_slope[6];                /* as slope_pairs has them */
    channels colour, colour_colour;
    int len, missing; /* points in the image, of which the sums are, if there are any; and beyond it */
} cell_points;
static const int slope_pairs[6][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {2, 2}};

typedef struct {
    double squares, n, missing, say;
    double share; /* of its portrait */
    double shade,
        gloss; /* how much brighter than the rest, and how much white is on it: light from another side */
} cell_sum;

struct object_fitter {
    cell_points points[2 * OBJECT_CELLS]; /* of both portraits */
    cell_sum cells[2 * OBJECT_CELLS];
    double in_camera[3][OBJECT_POINT_MAX], at[2][OBJECT_POINT_MAX]; /* of one portrait's points; pixels */
};

/* The state of one evaluation. */
typedef struct {
    double H[N * N], g[N], cost;
} equations;

typedef struct {
    int level, stride, steps;
    double tolerance2; /* levels^2 */
    double held;       /* how firmly a cell is as bright as the rest; 1: as it is in the end */
    bool is_rough;     /* only the nearer portrait is looked at */
} stage;

pov_status pov_object_fitter_new(object_fitter **fitter)
{
    *fitter = calloc(1, sizeof **fitter);
    return *fitter ? pov_ok() : pov_error("enrolled objects: out of memory");
}

void pov_object_fitter_destroy(object_fitter **fitter)
{
    free(*fitter);
    *fitter = NULL;
}

/* ---- seeing the points ---- */

typedef struct {
    const object_view *view;
    const object_model *model;
    pov_transform T_camera_object;
    double by_table[2][3]; /* pixels by metres of the table, at the middle */
    double c, s;           /* of the yaw */
} placing;

static bool place_object(placing *p, const object_place *at)
{
    double J[2][3];
    pov_vec2 pixel;
    const pov_transform T_table_object = {pov_rot_yaw(at->yaw_rad), {at->x_m, at->y_m, at->z_m}};
    p->T_camera_object = pov_transform_mul(p->view->T_camera_table, T_table_object);
    p->c = cos(at->yaw_rad);
    p->s = sin(at->yaw_rad);
    if (pov_camera_project(
            p->view->camera, &pixel, J,
            pov_transform_apply(p->T_camera_object, (pov_vec3){0, 0, 0.5 * p->model->height_m})) != POV_OK)
        return false;
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 3; k++) {
            p->by_table[r][k] = 0;
            for (int j = 0; j < 3; j++)
                p->by_table[r][k] += J[r][j] * p->view->T_camera_table.R.m[j][k];
        }
    return true;
}

static void project_points(object_fitter *f, const placing *p, const object_point *points, int len,
                           int stride)
{
    const pov_rot R = p->T_camera_object.R;
    const pov_vec3 t = p->T_camera_object.t_m;
    for (int i = 0; i < len; i++) {
        const float *place_m = points[i * stride].place_m;
        const double x = (double)place_m[0], y = (double)place_m[1], z = (double)place_m[2];
        f->in_camera[0][i] = R.m[0][0] * x + R.m[0][1] * y + R.m[0][2] * z + t.x;
        f->in_camera[1][i] = R.m[1][0] * x + R.m[1][1] * y + R.m[1][2] * z + t.y;
        f->in_camera[2][i] = R.m[2][0] * x + R.m[2][1] * y + R.m[2][2] * z + t.z;
    }
    pov_camera_project_points(p->view->camera, f->at[0], f->at[1],
                              (double *const[3]){f->in_camera[0], f->in_camera[1], f->in_camera[2]}, len);
}

/* Bytes 0 to 2 of a word, exactly: each is masked where it stands, and scaled. */
static inline channels channels_of(int32_t word)
{
    typedef int32_t words __attribute__((vector_size(16)));
    const words mask = {0xFF, 0xFF00, 0xFF0000, 0};
    return __builtin_convertvector((words){word, word, word, word} & mask, channels) *
           (channels){1, 0x1p-8F, 0x1p-16F, 0};
}

static inline int32_t word_at(const uint8_t *bytes)
{
    int32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Two pixels beside one another; no byte beyond them is read. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the bytes of a word are expected from the lowest up"
#endif
static inline channels first_of(const uint8_t *rgb)
{
    return channels_of(word_at(rgb));
}

static inline channels second_of(const uint8_t *rgb)
{
    return channels_of(word_at(rgb + 2) >> 8);
}

/* Not __builtin_shufflevector, which GCC has since version 12; the code is the same. */
#define PAIR(a, b)                                                                                           \
    (two)                                                                                                    \
    {                                                                                                        \
        (a)[0], (a)[1], (a)[2], (a)[3], (b)[0], (b)[1], (b)[2], (b)[3]                                       \
    }

/* Adds one point at a pixel of the level. */
static inline __attribute__((always_inline)) void add_point(cell_points *to, const pov_pyramid_level *level,
                                                            const object_point *point, double x, double y,
                                                            const float by_pixel[2][3])
{
    const int left = (int)x, top = (int)y;
    const uint8_t *above = level->pixels + (ptrdiff_t)top * level->stride_bytes + 3 * (ptrdiff_t)left,
                  *below = above + level->stride_bytes;
    const float u = (float)(x - left), v = (float)(y - top);
    const channels a = first_of(above), b = second_of(above) - a, d = first_of(below),
                   e = second_of(below) - d;
    const channels upper = a + u * b, lower = d + u * e, colour = first_of(point->colour);
    const channels by_y = lower - upper, by_x = b + v * (e - b), light = upper + v * by_y;
    channels slope[3];
    if (to->len == 0) {
        const int missing = to->missing;
        memset(to, 0, sizeof *to);
        to->missing = missing;
    }
    for (int k = 0; k < 3; k++)
        slope[k] = by_x * by_pixel[0][k] + by_y * by_pixel[1][k];
    const two xy = PAIR(slope[0], slope[1]), wl = PAIR(slope[2], light), yw = PAIR(slope[1], slope[2]);
    const two colours = PAIR(colour, colour), lights = PAIR(light, light);
    two *sums = (two *)to;
    sums[0] += xy;
    sums[1] += wl;
    sums[2] += xy * colours;
    sums[3] += wl * colours;
    sums[4] += xy * lights;
    sums[5] += wl * lights;
    sums[6] += xy * PAIR(slope[0], slope[0]);
    sums[7] += xy * PAIR(slope[2], slope[2]);
    sums[8] += yw * yw;
    sums[9] += PAIR(colour, colour * colour);
    to->len++;
}

POV_CLONES static void see_portrait(object_fitter *f, const placing *p, const object_portrait *portrait,
                                    cell_points *cells, const stage *st)
{
    const pov_pyramid_level *level = &p->view->pyramid->levels[st->level];
    const int len = (portrait->point_len + st->stride - 1) / st->stride;
    const double scale = 1.0 / (1 << st->level);
    float by_table[2][3];
    project_points(f, p, portrait->points, len, st->stride);
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 2; k++)
            by_table[r][k] = (float)(scale * p->by_table[r][k]);
    for (int i = 0; i < len; i++) {
        const object_point *point = &portrait->points[i * st->stride];
        const double x = (f->at[0][i] + 0.5) * scale - 0.5, y = (f->at[1][i] + 0.5) * scale - 0.5;
        if (!(x >= 0 && y >= 0 && x < level->width_px - 1 && y < level->height_px - 1)) {
            cells[point->cell].missing++;
            continue;
        }
        /* d(place on the table) / d(yaw) */
        const float turned[2] = {
            (float)-(p->s * (double)point->place_m[0] + p->c * (double)point->place_m[1]),
            (float)(p->c * (double)point->place_m[0] - p->s * (double)point->place_m[1])};
        for (int r = 0; r < 2; r++)
            by_table[r][2] = by_table[r][0] * turned[0] + by_table[r][1] * turned[1];
        add_point(&cells[point->cell], level, point, x, y, (const float(*)[3])by_table);
    }
}

/* All points of the two portraits nearest to the eye; false if the object cannot be in view. */
static bool see_points(object_fitter *f, const object_view *view, const object_model *model,
                       const object_fit *fit, const stage *st)
{
    placing p = {.view = view, .model = model};
    if (!place_object(&p, &fit->place))
        return false;
    const object_pair pair = pov_object_model_between(model, pov_object_view_azimuth(view, &fit->place));
    for (int i = 0; i < 2 * OBJECT_CELLS; i++)
        f->points[i].len = f->points[i].missing = 0;
    for (int k = 0; k < 2; k++) {
        const double share = st->is_rough ? round(pair.share[k]) : pair.share[k];
        for (int i = 0; i < OBJECT_CELLS; i++)
            f->cells[k * OBJECT_CELLS + i].share = share;
        if (share > 0.02)
            see_portrait(f, &p, pair.portrait[k], &f->points[k * OBJECT_CELLS], st);
    }
    return true;
}

/* ---- equations ---- */

/* Sums over a cell of the light seen, the light expected, and their products. */
typedef struct {
    double seen, expected, seen_seen, seen_expected, expected_expected;
} cell_light;

static cell_light light_of(const cell_points *p, const double light[6])
{
    cell_light sum = {0};
    for (int c = 0; c < 3; c++) {
        const double gain = light[c], offset = light[3 + c], n = p->len;
        const double colour = (double)p->colour[c], seen = (double)p->light[c];
        sum.seen += seen;
        sum.expected += gain * colour + offset * n;
        sum.seen_seen += (double)p->light_light[c];
        sum.seen_expected += gain * (double)p->colour_light[c] + offset * seen;
        sum.expected_expected +=
            gain * gain * (double)p->colour_colour[c] + 2 * gain * offset * colour + offset * offset * n;
    }
    return sum;
}

/* seen = shade * expected + gloss, by least squares with both held near 1 and 0: a cell's own brightness is free within bounds, as
 * where light comes from is not known. */
static void shade_cell(cell_sum *cell, const cell_light *sum, double held_at)
{
    const double n = 3 * cell->n, expected = cell->share * sum->expected_expected,
                 held = held_at * shade_usual * expected;
    const double aa = expected + held, ab = cell->share * sum->expected, bb = n * (1 + held_at * gloss_usual);
    const double det = aa * bb - ab * ab, by = cell->share * sum->seen_expected + held;
    cell->shade = 1;
    cell->gloss = 0;
    if (!(det > 1e-6 * aa * bb))
        return;
    cell->shade = fmin(fmax((by * bb - ab * cell->share * sum->seen) / det, shade_least), shade_most);
    cell->gloss = fmin(fmax((cell->share * sum->seen - cell->shade * ab) / bb, -gloss_most), gloss_most);
}

static void weigh_cell(cell_sum *cell, const cell_points *points, const double light[6], bool is_hidden,
                       const stage *st)
{
    cell->n = is_hidden ? 0 : cell->share * points->len;
    cell->missing = is_hidden ? 0 : cell->share * points->missing;
    cell->squares = cell->say = 0;
    if (!(cell->n > 0))
        return;
    const cell_light sum = light_of(points, light);
    shade_cell(cell, &sum, st->held);
    const double shade = cell->shade, gloss = cell->gloss, n = cell->n;
    const double off = sum.seen_seen + shade * shade * sum.expected_expected +
                       3 * points->len * gloss * gloss - 2 * shade * sum.seen_expected -
                       2 * gloss * sum.seen + 2 * shade * gloss * sum.expected;
    cell->squares = cell->share / 3 * fmax(0, off) +
                    shade_worth * ((shade - 1) * (shade - 1) * cell->share * sum.expected_expected / 3 +
                                   gloss * gloss * n);
    cell->say = 1 / (1 + cell->squares / n / st->tolerance2);
}

static double sum_channels(channels c)
{
    return (double)(c[0] + c[1] + c[2]);
}

static void add_cell(equations *e, const cell_points *p, const cell_sum *cell, const double light[6])
{
    const double w = cell->say * cell->share / 3, shade = cell->shade, gloss = cell->gloss, n = p->len;
    double *H = e->H;
    for (int i = 0; i < 6; i++)
        H[slope_pairs[i][0] * N + slope_pairs[i][1]] += w * sum_channels(p->slope_slope[i]);
    for (int c = 0; c < 3; c++) {
        const int G = GAIN + c, O = OFFSET + c;
        const double gain = light[c], offset = light[3 + c], colour = (double)p->colour[c],
                     colour_colour = (double)p->colour_colour[c];
        for (int i = 0; i < 3; i++) {
            const double by_colour = (double)p->slope_colour[i][c], by_one = (double)p->slope[i][c];
            H[G * N + i] -= w * shade * by_colour;
            H[O * N + i] -= w * shade * by_one;
            e->g[i] += w * ((double)p->slope_light[i][c] - shade * (gain * by_colour + offset * by_one) -
                            gloss * by_one);
        }
        H[G * N + G] += w * shade * shade * colour_colour;
        H[O * N + G] += w * shade * shade * colour;
        H[O * N + O] += w * shade * shade * n;
        e->g[G] -=
            w * shade *
            ((double)p->colour_light[c] - shade * (gain * colour_colour + offset * colour) - gloss * colour);
        e->g[O] -= w * shade * ((double)p->light[c] - shade * (gain * colour + offset * n) - gloss * n);
    }
}

static void add_square(equations *e, const double slope[N], double off, double std)
{
    const double w = 1 / (std * std);
    e->cost += w * off * off;
    for (int i = 0; i < N; i++) {
        e->g[i] += w * slope[i] * off;
        for (int k = 0; k <= i; k++)
            e->H[i * N + k] += w * slope[i] * slope[k];
    }
}

/* Light is about as it was; its colours change less than its strength. In levels^2 of `pixels` pixels. */
static void add_usual_light(equations *e, const double light[6], double scale)
{
    const double mean = (light[0] + light[1] + light[2]) / 3;
    double slope[N] = {0};
    for (int c = 0; c < 3; c++)
        slope[GAIN + c] = 1.0 / 3;
    add_square(e, slope, mean - 1, gain_std / scale);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++)
            slope[GAIN + k] = (k == c) - 1.0 / 3;
        add_square(e, slope, light[c] - mean, tint_std / scale);
    }
    for (int c = 0; c < 3; c++) {
        double own[N] = {0};
        own[OFFSET + c] = 1;
        add_square(e, own, light[3 + c], offset_std / scale);
    }
}

/* Fills the upper triangle. The ridge keeps a turn that changes nothing, a ball's, from making H singular. */
static void complete_information(double *H)
{
    for (int i = 0; i < N; i++) {
        H[i * N + i] += ridge;
        for (int k = 0; k < i; k++)
            H[k * N + i] = H[i * N + k];
    }
}

static void build_equations(object_fitter *f, equations *e, const object_view *view,
                            const object_model *model, const object_fit *fit, const stage *st)
{
    memset(e, 0, sizeof *e);
    if (!see_points(f, view, model, fit, st)) {
        e->cost = INFINITY;
        return;
    }
    double n = 0;
    for (int i = 0; i < 2 * OBJECT_CELLS; i++) {
        cell_sum *cell = &f->cells[i];
        weigh_cell(cell, &f->points[i], fit->light, fit->cover.hides[i % OBJECT_CELLS], st);
        n += cell->n + cell->missing;
        e->cost += st->tolerance2 * cell->missing * log1p(outside);
        if (!(cell->n > 0))
            continue;
        e->cost += cell->n * st->tolerance2 * log1p(cell->squares / cell->n / st->tolerance2);
        add_cell(e, &f->points[i], cell, fit->light);
    }
    add_usual_light(e, fit->light, sqrt(0.1 * n * st->tolerance2));
    complete_information(e->H);
}

static void take_step(object_fit *fit, const double step[N], double radius_m)
{
    const double most[3] = {0.3 * radius_m, 0.3 * radius_m, 0.15};
    double by[N];
    memcpy(by, step, sizeof by);
    for (int i = X; i <= YAW; i++)
        by[i] = fmin(fmax(by[i], -most[i]), most[i]);
    fit->place.x_m -= by[X];
    fit->place.y_m -= by[Y];
    fit->place.yaw_rad -= by[YAW];
    for (int i = 0; i < 6; i++)
        fit->light[i] -= by[GAIN + i];
}

static void descend_cost(object_fitter *f, equations *e, object_fit *fit, const object_view *view,
                         const object_model *model, const stage *st)
{
    double step[N];
    build_equations(f, e, view, model, fit, st);
    pov_descent d = pov_descent_from(e->cost, 1e-3, st->steps);
    while (pov_descent_continues(&d) && pov_normal_step(step, e->H, e->g, N, d.damping)) {
        object_fit next = *fit;
        equations there;
        take_step(&next, step, model->radius_m);
        build_equations(f, &there, view, model, &next, st);
        if (pov_descent_accepts(&d, there.cost)) {
            *fit = next;
            *e = there;
        }
        if (hypot(step[X], step[Y]) < settled_m && fabs(step[YAW]) < settled_rad)
            pov_descent_end(&d);
    }
    fit->cost = e->cost;
}

/* ---- what comes of it ---- */

/* Pixels beside one another do not err independently: widened. */
static void find_covariance(object_fit *fit, const equations *e, const object_model *model)
{
    double H[N * N];
    const bool known = pov_symmetric_inverse(H, e->H, N);
    const double variance = fmax(fit->residual * fit->residual, model->scatter * model->scatter);
    const double wide[3] = {model->widening_place, model->widening_place, model->widening_yaw};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            fit->cov[i][k] = known ? H[i * N + k] * variance * wide[i] * wide[k] : (i == k ? 1 : 0);
}

static void find_residual(const object_fitter *f, object_fit *fit)
{
    double squares = 0, n = 0;
    for (int i = 0; i < 2 * OBJECT_CELLS; i++) {
        squares += f->cells[i].say * f->cells[i].squares;
        n += f->cells[i].say * f->cells[i].n;
    }
    fit->residual = sqrt(squares / fmax(n, 1e-9));
}

static stage stage_at(const object_view *view, const object_model *model, const object_place *place,
                      int coarseness)
{
    static const int stride[3] = {1, 3, 5}, steps[3] = {STEPS, STEPS, 2 * STEPS};
    static const double wider[3] = {1, 2, 4}, held[3] = {1, 10, 100}; /* from far, brightness leads the way */
    const double usual = hidden_at * fmax(6, model->scatter);
    const int level = pov_object_view_level(view, model, place) + coarseness;
    return (stage){level < POV_PYRAMID_LEVELS - 1 ? level : POV_PYRAMID_LEVELS - 1,
                   stride[coarseness],
                   steps[coarseness],
                   wider[coarseness] * usual * usual,
                   held[coarseness],
                   false};
}

void pov_object_fit_roughly(object_fitter *f, object_fit *fit, const object_view *view,
                            const object_model *model)
{
    equations e;
    for (int i = 2; i >= 1; i--) {
        stage st = stage_at(view, model, &fit->place, i);
        st.steps = ROUGH_STEPS;
        st.stride = 5;
        st.is_rough = true;
        descend_cost(f, &e, fit, view, model, &st);
    }
}

void pov_object_fit_run(object_fitter *f, object_fit *fit, const object_view *view, const object_model *model,
                        bool finely)
{
    equations e;
    stage st = {0};
    for (int i = finely ? 1 : 2; i >= 0; i--) {
        st = stage_at(view, model, &fit->place, i);
        descend_cost(f, &e, fit, view, model, &st);
    }
    if (!isfinite(e.cost))
        return;
    build_equations(f, &e, view, model, fit, &st);
    find_residual(f, fit);
    find_covariance(fit, &e, model);
}
