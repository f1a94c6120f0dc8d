#include "perception/objects/object_fit.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = OBJECT_FIT_UNKNOWNS,
    X = 0,
    Y = 1,
    YAW = 2,
    GAIN = 3,
    OFFSET = 6,
    SAMPLES = 2 * OBJECT_POINT_MAX,
    STEPS = 6,
    ROUGH_STEPS = 4
};

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

/* One point, seen. */
typedef struct {
    float light[3], slope[3][3], colour[3]; /* slope[channel][X, Y, YAW] */
    float share;                            /* of its portrait */
    int cell;                               /* in both portraits' cells; -1: beyond the image */
} sample;

typedef struct {
    double squares, n, missing, say;
    double both, expected, seen_sum,
        expected_sum; /* of products: seen by expected, expected by itself; and of each */
    double shade,
        gloss; /* how much brighter than the rest, and how much white is on it: light from another side */
} cell_sum;

struct object_fitter {
    int len;
    sample samples[SAMPLES];
    cell_sum cells[2 * OBJECT_CELLS];
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

pov_status object_fitter_new(object_fitter **fitter)
{
    *fitter = calloc(1, sizeof **fitter);
    return *fitter ? pov_ok() : pov_error("enrolled objects: out of memory");
}

void object_fitter_destroy(object_fitter **fitter)
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

static bool project_point(const placing *p, pov_vec2 *pixel, const float place_m[3])
{
    const pov_vec3 point = {(double)place_m[0], (double)place_m[1], (double)place_m[2]};
    return pov_camera_project(p->view->camera, pixel, NULL, pov_transform_apply(p->T_camera_object, point)) ==
           POV_OK;
}

static void see_point(const placing *p, sample *to, const object_point *point, int level)
{
    pov_vec2 pixel;
    float rgb[3], by_x[3], by_y[3];
    if (!project_point(p, &pixel, point->place_m) ||
        !pov_image_pyramid_slope_at(p->view->pyramid, rgb, by_x, by_y, level, pixel.x, pixel.y)) {
        to->cell = -1 - to->cell;
        return;
    }
    const double x = (double)point->place_m[0], y = (double)point->place_m[1];
    const double turned[2] = {-(p->s * x + p->c * y),
                              p->c * x - p->s * y}; /* d(place on the table) / d(yaw) */
    const float px[3] = {(float)p->by_table[0][0], (float)p->by_table[0][1],
                         (float)(p->by_table[0][0] * turned[0] + p->by_table[0][1] * turned[1])};
    const float py[3] = {(float)p->by_table[1][0], (float)p->by_table[1][1],
                         (float)(p->by_table[1][0] * turned[0] + p->by_table[1][1] * turned[1])};
    for (int c = 0; c < 3; c++) {
        to->light[c] = rgb[c];
        for (int k = 0; k < 3; k++)
            to->slope[c][k] = by_x[c] * px[k] + by_y[c] * py[k];
    }
}

/* All points of the two portraits nearest to the eye; 0 if the object cannot be in view. */
static int see_points(object_fitter *f, const object_view *view, const object_model *model,
                      const object_fit *fit, const stage *st)
{
    placing p = {.view = view, .model = model};
    f->len = 0;
    if (!place_object(&p, &fit->place))
        return 0;
    const object_pair pair = object_model_between(model, object_view_azimuth(view, &fit->place));
    for (int k = 0; k < 2; k++) {
        const double share = st->is_rough ? round(pair.share[k]) : pair.share[k];
        for (int i = 0; i < pair.portrait[k]->point_len && share > 0.02; i += st->stride) {
            const object_point *point = &pair.portrait[k]->points[i];
            sample *to = &f->samples[f->len++];
            to->cell = point->cell + k * OBJECT_CELLS;
            to->share = (float)share;
            for (int c = 0; c < 3; c++)
                to->colour[c] = point->colour[c];
            see_point(&p, to, point, st->level);
        }
    }
    return f->len;
}

/* ---- equations ---- */

static double expected_light(const sample *s, const double light[6], int channel)
{
    return light[channel] * (double)s->colour[channel] + light[3 + channel];
}

/* seen = shade * expected + gloss, by least squares with both held near 1 and 0. */
static void shade_cell(cell_sum *cell, double held_at)
{
    const double n = 3 * cell->n, held = held_at * shade_usual * cell->expected;
    const double aa = cell->expected + held, ab = cell->expected_sum, bb = n * (1 + held_at * gloss_usual);
    const double det = aa * bb - ab * ab, by = cell->both + held;
    cell->shade = 1;
    cell->gloss = 0;
    if (!(det > 1e-6 * aa * bb))
        return;
    cell->shade = fmin(fmax((by * bb - ab * cell->seen_sum) / det, shade_least), shade_most);
    cell->gloss = fmin(fmax((cell->seen_sum - cell->shade * ab) / bb, -gloss_most), gloss_most);
}

/* A cell's own brightness is free within bounds: where light comes from is not known. */
static void find_shades(object_fitter *f, const double light[6], const stage *st)
{
    memset(f->cells, 0, sizeof f->cells);
    for (int i = 0; i < f->len; i++) {
        const sample *s = &f->samples[i];
        const double share = (double)s->share;
        cell_sum *cell = &f->cells[s->cell < 0 ? -1 - s->cell : s->cell];
        if (s->cell < 0) {
            cell->missing += share;
            continue;
        }
        cell->n += share;
        for (int c = 0; c < 3; c++) {
            const double there = expected_light(s, light, c);
            cell->both += share * there * (double)s->light[c];
            cell->expected += share * there * there;
            cell->seen_sum += share * (double)s->light[c];
            cell->expected_sum += share * there;
        }
    }
    for (int i = 0; i < 2 * OBJECT_CELLS; i++)
        shade_cell(&f->cells[i], st->held);
}

static void weigh_cells(object_fitter *f, const object_fit *fit, const stage *st)
{
    const double *light = fit->light;
    find_shades(f, light, st);
    for (int i = 0; i < f->len; i++) {
        const sample *s = &f->samples[i];
        for (int c = 0; c < 3 && s->cell >= 0; c++) {
            cell_sum *cell = &f->cells[s->cell];
            const double off = (double)s->light[c] - cell->shade * expected_light(s, light, c) - cell->gloss;
            cell->squares += (double)s->share * off * off / 3;
        }
    }
    for (int i = 0; i < 2 * OBJECT_CELLS; i++) {
        cell_sum *cell = &f->cells[i];
        cell->squares += shade_worth * ((cell->shade - 1) * (cell->shade - 1) * cell->expected / 3 +
                                        cell->gloss * cell->gloss * cell->n);
        if (fit->cover.hides[i % OBJECT_CELLS])
            cell->n = cell->missing = cell->squares = 0;
        cell->say = cell->n > 0 ? 1 / (1 + cell->squares / cell->n / st->tolerance2) : 0;
    }
}

static void add_sample(equations *e, const sample *s, const cell_sum *cell, const double light[6])
{
    const double w = cell->say * (double)s->share / 3;
    for (int c = 0; c < 3; c++) {
        const double m = cell->shade * (double)s->colour[c], o = cell->shade;
        const double r = (double)s->light[c] - cell->shade * expected_light(s, light, c) - cell->gloss;
        const double sx[3] = {(double)s->slope[c][0], (double)s->slope[c][1], (double)s->slope[c][2]};
        double *H = e->H;
        const int G = GAIN + c, O = OFFSET + c;
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k <= i; k++)
                H[i * N + k] += w * sx[i] * sx[k];
            H[G * N + i] -= w * m * sx[i];
            H[O * N + i] -= w * o * sx[i];
            e->g[i] += w * sx[i] * r;
        }
        H[G * N + G] += w * m * m;
        H[O * N + G] += w * m * o;
        H[O * N + O] += w * o * o;
        e->g[G] -= w * m * r;
        e->g[O] -= w * o * r;
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
    if (see_points(f, view, model, fit, st) == 0) {
        e->cost = INFINITY;
        return;
    }
    weigh_cells(f, fit, st);
    double n = 0;
    for (int i = 0; i < 2 * OBJECT_CELLS; i++) {
        const cell_sum *cell = &f->cells[i];
        n += cell->n + cell->missing;
        e->cost += st->tolerance2 * cell->missing * log1p(outside);
        if (cell->n > 0)
            e->cost += cell->n * st->tolerance2 * log1p(cell->squares / cell->n / st->tolerance2);
    }
    for (int i = 0; i < f->len; i++)
        if (f->samples[i].cell >= 0)
            add_sample(e, &f->samples[i], &f->cells[f->samples[i].cell], fit->light);
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
    const int level = object_view_level(view, model, place) + coarseness;
    return (stage){level < POV_PYRAMID_LEVELS - 1 ? level : POV_PYRAMID_LEVELS - 1,
                   stride[coarseness],
                   steps[coarseness],
                   wider[coarseness] * usual * usual,
                   held[coarseness],
                   false};
}

void object_fit_roughly(object_fitter *f, object_fit *fit, const object_view *view, const object_model *model)
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

void object_fit_run(object_fitter *f, object_fit *fit, const object_view *view, const object_model *model,
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
