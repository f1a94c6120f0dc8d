#include "perception/ball_fit.h"

#include "perception/ball_size_map.h"
#include "perception/linalg.h"
#include "perception/sphere_outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Least squares on the distances, across the outline, between where it is supposed and where the image's edge
 * is.
 *
 * Unknowns: the centre, and a slowly varying displacement of the edge, by the outward normal's angle a:
 * b0 + b1 cos a + b2 sin a + b3 cos 2a + b4 sin 2a. Edges are systematically off by about a tenth of their
 * width, all alike (sharpening, haze, shading toward the limb) or on one side more than on the other (light
 * from above), and real balls are not quite round: averaging many points does not make that smaller. The
 * displacement has a prior of that size and is marginalised, which keeps the covariance honest, of depth
 * above all. Neighbouring profiles see the same pixels; per CORRELATION_PX of outline there is one
 * independent one. */

enum {
    POINTS_MIN = 32,
    POINTS_MAX = 160,
    TRIAL_POINTS_MAX = 56,
    COARSE_ROUNDS = 6,
    FINE_ROUNDS = 9,
    WIDE_ROUNDS = 3
};
enum { BIASES = 5, UNKNOWNS = 3 + BIASES };
#define EDGE_BIAS       0.1  /* systematic error of an edge, by its width */
#define ROUNDNESS       0.02 /* how far from a sphere a ball may be, by its radius */
#define BELOW_TRUST     0.2
#define CORRELATION_PX  1.5
#define EDGE_STD_MIN_PX 0.1
#define EDGE_WIDTH_PX   1.3 /* of sharp images: the pixel's own */

typedef struct {
    const pov_ball_view *view;
    const pov_ball_prior *prior;
    pov_vec3 center;
    double bias[BIASES];
    int len;
    pov_vec2 middle, down; /* down: unit, toward the table */
    pov_vec2 at[POINTS_MAX], outward[POINTS_MAX];
    double jacobian[POINTS_MAX][2][3];
    bool open[POINTS_MAX]; /* the lens sees it and no known ball is in front */
    pov_edge edge[POINTS_MAX];
    double radius_px, spacing_px;
    double scale_px, width_px; /* of the profiles that look for edges, and of the edges found */
    double std_px, cutoff_px;  /* of the edges' residuals; beyond the cutoff an edge is something else's */
} work;

/* --- the outline supposed --- */

static bool is_behind_a_body(const work *w, pov_vec2 pixel)
{
    double distance = pov_vec3_norm(w->center);
    for (int i = 0; i < w->prior->body_len; i++) {
        const pov_ball_body *body = &w->prior->bodies[i];
        double away = pov_vec3_norm(body->center_camera_m), rad_per_px;
        pov_vec3 direction;
        if (away >= distance || away <= body->radius_m)
            continue;
        if (pov_camera_unproject(w->view->camera, &direction, NULL, pixel) != POV_OK)
            return true;
        rad_per_px = asin(fmin(1, w->prior->kind->radius_m / distance)) / w->radius_px;
        double angle = acos(fmin(1, pov_vec3_dot(direction, body->center_camera_m) / away));
        if (angle < asin(body->radius_m / away) + 2.5 * rad_per_px)
            return true;
    }
    return false;
}

static bool outline_points(work *w)
{
    double x = 0, y = 0;
    for (int i = 0; i < w->len; i++) {
        if (pov_sphere_outline_point(w->view->camera, &w->at[i], w->jacobian[i], w->center,
                                     w->prior->kind->radius_m, 2 * POV_PI * i / w->len) != POV_OK)
            return false;
        x += w->at[i].x / w->len;
        y += w->at[i].y / w->len;
    }
    w->middle = (pov_vec2){x, y};
    w->radius_px = 0;
    for (int i = 0; i < w->len; i++)
        w->radius_px += hypot(w->at[i].x - x, w->at[i].y - y) / w->len;
    w->spacing_px = 2 * POV_PI * w->radius_px / w->len;
    return w->radius_px > 1.5 && w->radius_px < 1e5;
}

/* Where down is in the image, at the ball. */
static pov_vec2 down_of(const work *w)
{
    pov_vec2 middle, lower, down = {0, 1};
    const pov_transform *T = w->prior->T_table_camera;
    if (!T)
        return down;
    pov_vec3 drop = {-T->R.m[2][0], -T->R.m[2][1], -T->R.m[2][2]};
    pov_vec3 below = pov_vec3_add(w->center, pov_vec3_scale(drop, 0.1 * w->prior->kind->radius_m));
    if (pov_camera_project(w->view->camera, &middle, NULL, w->center) != POV_OK ||
        pov_camera_project(w->view->camera, &lower, NULL, below) != POV_OK)
        return down;
    down = (pov_vec2){lower.x - middle.x, lower.y - middle.y};
    double length = fmax(hypot(down.x, down.y), 0.02 * w->radius_px); /* seen from above: nothing is below */
    return (pov_vec2){down.x / length, down.y / length};
}

/* False if the sphere has no whole outline: the eye is inside it, or part of it is beyond the lens. */
static bool outline_place(work *w)
{
    if (!outline_points(w))
        return false;
    w->down = down_of(w);
    for (int i = 0; i < w->len; i++) {
        pov_vec2 next = w->at[(i + 1) % w->len], last = w->at[(i + w->len - 1) % w->len];
        double dx = next.x - last.x, dy = next.y - last.y, length = hypot(dx, dy);
        w->outward[i] = (pov_vec2){dy / length, -dx / length};
        w->open[i] = !is_behind_a_body(w, w->at[i]);
    }
    return true;
}

/* --- least squares --- */

static void harmonics(double h[BIASES], pov_vec2 n)
{
    h[0] = 1;
    h[1] = n.x;
    h[2] = n.y;
    h[3] = n.x * n.x - n.y * n.y;
    h[4] = 2 * n.x * n.y;
}

static double residual_of(const work *w, int i)
{
    double h[BIASES], residual = w->edge[i].offset_px;
    harmonics(h, w->outward[i]);
    for (int j = 0; j < BIASES; j++)
        residual -= w->bias[j] * h[j];
    return residual;
}

/* Tukey's biweight. */
static double weight_of(const work *w, int i)
{
    if (w->edge[i].state != POV_EDGE_FOUND)
        return 0;
    double u = residual_of(w, i) / w->cutoff_px;
    return fabs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0;
}

static void row_of(double row[UNKNOWNS], const work *w, int i)
{
    pov_vec2 n = w->outward[i];
    for (int j = 0; j < 3; j++)
        row[j] = n.x * w->jacobian[i][0][j] + n.y * w->jacobian[i][1][j];
    harmonics(row + 3, n);
}

static void add_row(double *A, double *b, const double row[UNKNOWNS], double residual, double information)
{
    for (int i = 0; i < UNKNOWNS; i++) {
        b[i] += information * row[i] * residual;
        for (int j = 0; j < UNKNOWNS; j++)
            A[i * UNKNOWNS + j] += information * row[i] * row[j];
    }
}

static bool has_height(const work *w)
{
    return w->prior->kind->has_height && w->prior->T_table_camera;
}

static void bias_std_px(double std[BIASES], const work *w)
{
    double edge = EDGE_BIAS * w->width_px;
    std[0] = hypot(edge, 0.5 * ROUNDNESS * w->radius_px);
    std[1] = std[2] = edge;
    std[3] = std[4] = has_height(w) ? 0.3 * edge : hypot(0.3 * edge, 0.5 * ROUNDNESS * w->radius_px);
}

/* Below a ball are its contact shadow and its mirror image in the floor, full of the ball's own colour: their
 * edges are easily taken for the ball's. Without the camera's pose, below is taken to be below in the image.
 */
static double trust(const work *w, int i)
{
    double down = w->outward[i].x * w->down.x + w->outward[i].y * w->down.y;
    return down < 0.4 ? 1 : BELOW_TRUST + (1 - BELOW_TRUST) * (1 - down) / 0.6;
}

static void add_outline(double *A, double *b, const work *w)
{
    double share = fmin(1, w->spacing_px / CORRELATION_PX) / (w->std_px * w->std_px), row[UNKNOWNS];
    double std[BIASES];
    bias_std_px(std, w);
    for (int i = 0; i < w->len; i++) {
        double weight = weight_of(w, i) * trust(w, i);
        if (weight > 0) {
            row_of(row, w, i);
            add_row(A, b, row, residual_of(w, i), weight * share);
        }
    }
    for (int i = 0; i < BIASES; i++) {
        A[(3 + i) * UNKNOWNS + 3 + i] += 1 / (std[i] * std[i]);
        b[3 + i] -= w->bias[i] / (std[i] * std[i]);
    }
}

static double height_information(const work *w)
{
    double std = fmax(w->prior->kind->height_std_m, 1e-3 * w->prior->kind->radius_m);
    return 1 / (std * std);
}

static void add_height(double *A, double *b, const work *w)
{
    const pov_transform *T = w->prior->T_table_camera;
    const double row[UNKNOWNS] = {T->R.m[2][0], T->R.m[2][1], T->R.m[2][2]};
    double residual = w->prior->kind->height_m - pov_transform_apply(*T, w->center).z;
    add_row(A, b, row, residual, height_information(w));
}

/* One Gauss-Newton step, damped by a prior as wide as the distance; returns its size in pixels, NaN if
 * impossible. */
static double step(work *w)
{
    double A[UNKNOWNS * UNKNOWNS] = {0}, b[UNKNOWNS] = {0}, x[UNKNOWNS];
    double distance = pov_vec3_norm(w->center);
    add_outline(A, b, w);
    if (has_height(w))
        add_height(A, b, w);
    for (int i = 0; i < 3; i++)
        A[i * UNKNOWNS + i] += 1 / (distance * distance);
    if (!pov_cholesky(A, A, UNKNOWNS))
        return NAN;
    pov_cholesky_solve(x, A, b, UNKNOWNS);
    pov_vec3 move = {x[0], x[1], x[2]};
    double limit = 0.3 * distance / fmax(0.3 * distance, pov_vec3_norm(move));
    w->center = pov_vec3_add(w->center, pov_vec3_scale(move, limit));
    for (int i = 0; i < BIASES; i++)
        w->bias[i] += x[3 + i];
    return pov_vec3_norm(move) * w->radius_px / w->prior->kind->radius_m;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count ? values[count / 2] : NAN;
}

/* Median absolute residual of the found edges, as a standard deviation; and how many there are. */
static double spread_of(const work *w, int *count)
{
    double size[POINTS_MAX];
    *count = 0;
    for (int i = 0; i < w->len; i++)
        if (w->edge[i].state == POV_EDGE_FOUND)
            size[(*count)++] = fabs(residual_of(w, i));
    return 1.4826 * median(size, *count);
}

static double width_of_edges(const work *w)
{
    double width[POINTS_MAX];
    int count = 0;
    for (int i = 0; i < w->len; i++)
        if (w->edge[i].state == POV_EDGE_FOUND)
            width[count++] = w->edge[i].width_px;
    return fmax(EDGE_WIDTH_PX, median(width, count));
}

/* --- rounds --- */

static bool coarse_round(work *w, int round)
{
    double reach = fmax(3, 0.2 * w->radius_px) * (1 - 0.1 * round);
    int count;
    if (!outline_place(w))
        return false;
    for (int i = 0; i < w->len; i++) {
        w->edge[i].state = POV_EDGE_HIDDEN;
        if (w->open[i])
            w->edge[i] = pov_edge_from_labels(w->view, w->prior->kind_index, w->at[i], w->outward[i], reach);
    }
    w->std_px = fmax(0.5, spread_of(w, &count));
    w->cutoff_px = fmax(1.5, 2.5 * w->std_px);
    return count >= 3 && !isnan(step(w));
}

/* Half a pixel is much for a large sharp outline and for a tiny one; but real balls are not quite round. */
static double edge_std_max_px(const work *w)
{
    return fmax(fmin(0.4 * w->width_px, 0.07 * w->radius_px), ROUNDNESS * w->radius_px);
}

/* Profiles start as wide as the ball's size allows, to be drawn to the outline from afar, then fit the edges'
 * width. The cutoff closes in likewise (graduated non-convexity): in the end too narrow for the edges of
 * shadows and reflections near the outline. */
static void fine_scale(work *w, int round)
{
    double widest = fmin(fmax(1, w->radius_px / 10), 6);
    w->scale_px = round < WIDE_ROUNDS ? widest : fmin(fmax(1, w->width_px / 1.8), widest);
}

static bool fine_edges(work *w, const pov_tint *ball, int round)
{
    if (!outline_place(w))
        return false;
    fine_scale(w, round);
    for (int i = 0; i < w->len; i++) {
        w->edge[i].state = POV_EDGE_HIDDEN;
        if (w->open[i])
            w->edge[i] = pov_edge_from_light(w->view, ball, w->at[i], w->outward[i], w->scale_px);
    }
    int count;
    double spread = spread_of(w, &count);
    w->width_px = width_of_edges(w);
    w->std_px = fmin(fmax(spread, EDGE_STD_MIN_PX), edge_std_max_px(w));
    w->cutoff_px = fmax(3 * fmax(w->std_px, 0.15), POV_EDGE_REACH * w->scale_px * pow(0.7, round));
    return count >= 3;
}

/* --- the disc --- */

enum { RINGS = 5, SPOKES = 24 };

static pov_vec2 disc_point(const work *w, int ring, int spoke)
{
    static const double share[RINGS] = {0.2, 0.4, 0.58, 0.72, 0.86};
    pov_vec2 rim = w->at[spoke * w->len / SPOKES];
    return (pov_vec2){w->middle.x + share[ring] * (rim.x - w->middle.x),
                      w->middle.y + share[ring] * (rim.y - w->middle.y)};
}

/* Mean light of the ball-coloured part of the disc; false if there is none. */
static bool ball_light(const work *w, pov_light *mean)
{
    int count = 0;
    *mean = (pov_light){{0}};
    for (int i = 0; i < RINGS * SPOKES; i++) {
        pov_light light;
        pov_vec2 pixel = disc_point(w, i / SPOKES, i % SPOKES);
        if (!pov_ball_view_is_kind(w->view, w->prior->kind_index, pixel) ||
            !pov_ball_view_sample(w->view, &light, pixel))
            continue;
        count++;
        for (int c = 0; c < 3; c++)
            mean->rgb[c] += light.rgb[c];
    }
    for (int c = 0; c < 3 && count; c++)
        mean->rgb[c] /= count;
    return count > 0;
}

/* Whether light in the disc is what is seen around it: then it is seen past the ball, and there is none. */
static bool looks_like_outside(const work *w, const pov_light *light, const pov_light *ball)
{
    for (int i = 0; i < w->len; i += 1 + w->len / 32)
        if (w->edge[i].state == POV_EDGE_FOUND && weight_of(w, i) > 0 &&
            pov_light_distance(light, &w->edge[i].outside) <
                0.3 * pov_light_distance(ball, &w->edge[i].outside))
            return true;
    return false;
}

static void judge_disc(pov_ball_fit *fit, const work *w, const pov_light *ball)
{
    double open = 0, filled = 0, seen_past = 0;
    for (int i = 0; i < RINGS * SPOKES; i++) {
        static const double area[RINGS] = {0.1, 0.16, 0.2, 0.25, 0.29};
        pov_vec2 pixel = disc_point(w, i / SPOKES, i % SPOKES);
        pov_light light;
        if (!pov_ball_view_sample(w->view, &light, pixel) || is_behind_a_body(w, pixel))
            continue;
        bool member = pov_ball_view_is_kind(w->view, w->prior->kind_index, pixel);
        open += area[i / SPOKES];
        filled += member ? area[i / SPOKES] : 0;
        seen_past += !member && looks_like_outside(w, &light, ball) ? area[i / SPOKES] : 0;
    }
    fit->fill = open > 0 ? filled / open : 0;
    fit->contradiction = open > 0 ? seen_past / open : 0;
}

static void judge_outline(pov_ball_fit *fit, const work *w)
{
    double squares = 0, weights = 0, near_px = fmax(0.75, 1.5 * ROUNDNESS * w->radius_px);
    for (int i = 0; i < w->len; i++) {
        double weight = weight_of(w, i);
        fit->arc += weight > 0;
        if (weight > 0)
            fit->agreement += fmax(0, 1 - pow(w->edge[i].offset_px / near_px, 2)) / w->len;
        fit->arc_open += w->edge[i].state != POV_EDGE_HIDDEN;
        fit->leak += w->edge[i].state == POV_EDGE_INSIDE;
        squares += weight * residual_of(w, i) * residual_of(w, i);
        weights += weight;
    }
    fit->arc /= w->len;
    fit->arc_open /= w->len;
    fit->leak /= w->len;
    fit->rms_px = weights > 0 ? sqrt(squares / weights) : 0;
}

/* --- the covariance --- */

/* Information about the centre with the displacement marginalised: the Schur complement of its block. */
static bool outline_information(double information[3][3], const work *w)
{
    double A[UNKNOWNS * UNKNOWNS] = {0}, b[UNKNOWNS] = {0}, D[BIASES * BIASES], cross[3 * BIASES], removed[9];
    add_outline(A, b, w);
    for (int i = 0; i < BIASES * BIASES; i++)
        D[i] = A[(3 + i / BIASES) * UNKNOWNS + 3 + i % BIASES];
    for (int i = 0; i < 3 * BIASES; i++)
        cross[i] = A[i / BIASES * UNKNOWNS + 3 + i % BIASES];
    if (!pov_symmetric_inverse(D, D, BIASES))
        return false;
    pov_sandwich(removed, cross, D, 3, BIASES);
    for (int i = 0; i < 9; i++)
        information[i / 3][i % 3] = A[i / 3 * UNKNOWNS + i % 3] - removed[i];
    return true;
}

static bool covariance(pov_ball_fit *fit, const work *w)
{
    double total[9], distance = pov_vec3_norm(w->center);
    if (!outline_information(fit->information, w))
        return false;
    for (int i = 0; i < 9; i++) {
        total[i] = fit->information[i / 3][i % 3] + (i % 4 ? 0 : 1 / (distance * distance));
        if (has_height(w)) {
            const double *up = w->prior->T_table_camera->R.m[2];
            total[i] += height_information(w) * up[i / 3] * up[i % 3];
        }
    }
    return pov_symmetric_inverse(&fit->cov_m2[0][0], total, 3);
}

/* --- all of it --- */

static bool fit_fine(pov_ball_fit *fit, work *w, int first_round)
{
    pov_light ball;
    if (!outline_place(w) || !ball_light(w, &ball))
        return false;
    pov_tint tint = pov_tint_of_linear(ball.rgb), named = pov_tint_of(w->prior->kind->colour);
    for (int round = first_round; round < FINE_ROUNDS; round++) {
        if (!fine_edges(w, &tint, round))
            return false;
        double moved_px = step(w);
        if (isnan(moved_px))
            return false;
        if (moved_px < 0.01 && round > WIDE_ROUNDS + 2)
            break;
    }
    if (!fine_edges(w, &tint, FINE_ROUNDS) || !ball_light(w, &ball))
        return false;
    *fit = (pov_ball_fit){.center_camera_m = w->center, .middle_px = w->middle, .radius_px = w->radius_px};
    fit->tint_distance = pov_tint_distance(&tint, &named);
    judge_outline(fit, w);
    judge_disc(fit, w, &ball);
    return covariance(fit, w);
}

static void work_start(work *w, const pov_ball_view *view, const pov_ball_prior *prior, double radius_px,
                       double spacing_px, int len_max)
{
    memset(w, 0, sizeof *w);
    w->view = view;
    w->prior = prior;
    w->len = (int)fmin(len_max, fmax(POINTS_MIN, ceil(2 * POV_PI * radius_px / spacing_px)));
    w->radius_px = radius_px;
    w->width_px = EDGE_WIDTH_PX;
}

/* Where a sphere would have to be to look like the circle: its direction, and its height or else its size. */
static bool center_from_circle(pov_vec3 *center, const work *w, const pov_ball_guess *circle)
{
    pov_vec3 direction, rim;
    pov_vec2 middle = {circle->x_px, circle->y_px}, side = {circle->x_px + circle->radius_px, circle->y_px};
    if (pov_camera_unproject(w->view->camera, &direction, NULL, middle) != POV_OK)
        return false;
    if (has_height(w))
        return pov_ball_center_at_height(center, w->prior->T_table_camera, direction,
                                         w->prior->kind->height_m);
    if (pov_camera_unproject(w->view->camera, &rim, NULL, side) != POV_OK)
        return false;
    double sine = pov_vec3_norm(pov_vec3_cross(direction, rim));
    *center = pov_vec3_scale(direction, w->prior->kind->radius_m / sine);
    return sine > 1e-6;
}

/* Of one guess: first drawn to where the labels end, which a reflection in the floor may share with the ball,
 * and where that does not lead to a good outline, straight from the circle. */
bool pov_ball_fit_circle(pov_ball_fit *fit, const pov_ball_view *view, const pov_ball_prior *prior,
                         const pov_ball_guess *circle)
{
    work w;
    pov_vec3 start;
    pov_ball_fit direct;
    work_start(&w, view, prior, circle->radius_px, 2.5, TRIAL_POINTS_MAX);
    if (!center_from_circle(&start, &w, circle))
        return false;
    w.center = start;
    bool good = true;
    for (int round = 0; round < COARSE_ROUNDS && good; round++)
        good = coarse_round(&w, round);
    memset(w.bias, 0, sizeof w.bias);
    good = good && fit_fine(fit, &w, 0);
    if (good && fit->arc > 0.8 * fit->arc_open)
        return true;
    w.center = start;
    memset(w.bias, 0, sizeof w.bias);
    if (!fit_fine(&direct, &w, 0))
        return good;
    if (!good || 0.5 * direct.arc + direct.agreement > 0.5 * fit->arc + fit->agreement)
        *fit = direct;
    return true;
}

bool pov_ball_fit_again(pov_ball_fit *fit, const pov_ball_view *view, const pov_ball_prior *prior)
{
    work w;
    work_start(&w, view, prior, fit->radius_px, 1, POINTS_MAX);
    w.center = fit->center_camera_m;
    return fit_fine(fit, &w, WIDE_ROUNDS);
}
