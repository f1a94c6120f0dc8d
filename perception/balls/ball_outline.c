#include "perception/balls/ball_outline.h"

#include "perception/geometry/linalg.h"
#include "perception/geometry/sphere_outline.h"

#include <math.h>
#include <stddef.h>

/* --- edges --- */

static pov_vec2 along(pov_vec2 at, pov_vec2 outward, double offset_px)
{
    return (pov_vec2){at.x + offset_px * outward.x, at.y + offset_px * outward.y};
}

pov_edge pov_edge_from_labels(const pov_ball_view *view, int kind, pov_vec2 at, pov_vec2 outward,
                              double reach_px)
{
    pov_edge edge = {.state = POV_EDGE_NO_BALL};
    int steps = (int)ceil(reach_px / 0.5);
    bool inner = pov_ball_view_is_kind(view, kind, along(at, outward, -0.5 * steps)), any = inner;
    double nearest = HUGE_VAL;
    for (int i = -steps + 1; i <= steps; i++) {
        pov_vec2 here = along(at, outward, 0.5 * i);
        bool member = pov_ball_view_is_kind(view, kind, here);
        double step = 0.5 * i - 0.25;
        if (inner && !member && fabs(step) < fabs(nearest) && !pov_ball_view_is_hidden(view, here))
            nearest = step;
        inner = member;
        any |= member;
    }
    if (isfinite(nearest))
        return (pov_edge){.state = POV_EDGE_FOUND, .offset_px = nearest};
    edge.state = any ? POV_EDGE_INSIDE : POV_EDGE_NO_BALL;
    return edge;
}

/* --- the fine edge ---
 * The colour itself, projected on the line from the inside's to the outside's: insensitive to which channel
 * carries the step. In linear light, so that optics and pixels blur the step symmetrically and its half is
 * its place. */

/* Indices along a profile, in half units of its scale: the references lie 1.5 to 3 units off the step. */
enum { HALF = POV_EDGE_WINDOW * 2, SAMPLES = 2 * HALF + 1, MIDDLE = HALF, REACH = POV_EDGE_REACH * 2 };
enum { NEAR = 3, FAR = 6 };

typedef struct {
    pov_ball_line line;
    int first, end; /* of the samples taken */
    pov_light light[SAMPLES];
} profile;

/* The samples that references about `center` need. */
static void take_samples(profile *p, const pov_ball_view *view, int center)
{
    if (center - FAR < p->first)
        pov_ball_view_sample_line(view, p->light, &p->line, center - FAR, p->first);
    if (center + FAR >= p->end)
        pov_ball_view_sample_line(view, p->light, &p->line, p->end, center + FAR + 1);
    p->first = center - FAR < p->first ? center - FAR : p->first;
    p->end = center + FAR >= p->end ? center + FAR + 1 : p->end;
}

/* The colours on either side of a step, and a light's share of them. */
typedef struct {
    pov_light inside, outside;
    pov_light by_light; /* share = 1/2 + by_light . (light - half) */
    pov_light half;
} references;

static references references_about(const profile *p, int center)
{
    references r = {{0}, {0}, {0}, {0}};
    for (int i = NEAR; i <= FAR; i++) {
        r.inside += p->light[center - i];
        r.outside += p->light[center + i];
    }
    r.inside /= (float)(FAR - NEAR + 1);
    r.outside /= (float)(FAR - NEAR + 1);
    const pov_light step = r.inside - r.outside, square = step * step;
    r.by_light = step / (square[0] + square[1] + square[2]);
    r.half = 0.5F * (r.inside + r.outside);
    return r;
}

static double brightness(pov_light a)
{
    return pov_light_distance(a, (pov_light){0});
}

/* 1 at the inside colour, 0 at the outside colour. */
static double share_of_inside(const references *r, pov_light light)
{
    const pov_light share = r->by_light * (light - r->half);
    return 0.5 + (double)(share[0] + share[1] + share[2]);
}

/* The place nearest to `center` where the share falls through a half; NaN if there is none within the near references. */
static double half_way(const profile *p, const references *r, int center)
{
    double best = NAN, share = share_of_inside(r, p->light[center - NEAR]);
    for (int i = center - NEAR + 1; i <= center + NEAR; i++) {
        double next = share_of_inside(r, p->light[i]);
        double place = i - 1 + (share - 0.5) / (share - next);
        if (share >= 0.5 && next < 0.5 && !(fabs(place - center) >= fabs(best - center)))
            best = place;
        share = next;
    }
    return best;
}

/* Ball-coloured, though it may be paler and darker than the middle: the limb mirrors what is behind it. */
static bool is_ball_light(pov_light light, const pov_tint *ball)
{
    return pov_light_is_like(light, ball, 0.4 * ball->purity, 1.5 * ball->lightness);
}

/* A step that is not much more than the change on either side of it is a slope, or two steps. */
static bool is_clean(const profile *p, const references *r, int center)
{
    double step = pov_light_distance(r->inside, r->outside);
    double outer = pov_light_distance(p->light[center + NEAR], p->light[center + FAR]);
    double inner = pov_light_distance(p->light[center - NEAR], p->light[center - FAR]);
    return step > 0.004 && step > 0.25 * fmax(brightness(r->inside), brightness(r->outside)) &&
           outer < 0.4 * step && inner < 0.5 * step;
}

/* The step's height by its slope, over two samples about its middle. */
static double width_of(const profile *p, const references *r, int center)
{
    double fall = share_of_inside(r, p->light[center - 1]) - share_of_inside(r, p->light[center + 1]);
    return 2 / fmax(fall, 0.1);
}

static pov_edge edge_at(const profile *p, const pov_tint *ball, int center, double place, double scale_px)
{
    const references r = references_about(p, center);
    pov_edge edge = {POV_EDGE_UNCLEAR, 0.5 * scale_px * (place - MIDDLE),
                     0.5 * scale_px * width_of(p, &r, center), r.outside};
    if (is_ball_light(r.inside, ball) && is_clean(p, &r, center) && fabs(place - MIDDLE) <= REACH)
        edge.state = POV_EDGE_FOUND;
    return edge;
}

/* Why there is no edge: by what lies inside and outside. */
static pov_edge no_edge(const references *r, const pov_tint *ball)
{
    bool in = is_ball_light(r->inside, ball), out = is_ball_light(r->outside, ball);
    return (pov_edge){.state = !in ? POV_EDGE_NO_BALL : out ? POV_EDGE_INSIDE : POV_EDGE_UNCLEAR};
}

/* The references must be taken about the step, so they follow it. */
pov_edge pov_edge_from_light(const pov_ball_view *view, const pov_tint *ball, pov_vec2 at, pov_vec2 outward,
                             double scale_px)
{
    const pov_vec2 step = {0.5 * scale_px * outward.x, 0.5 * scale_px * outward.y};
    profile p = {.line = {along(at, step, -MIDDLE), step}, .first = MIDDLE, .end = MIDDLE};
    if (!pov_ball_view_is_open(view, &p.line, SAMPLES))
        return (pov_edge){.state = POV_EDGE_HIDDEN};
    double place = MIDDLE;
    int center = MIDDLE;
    for (int round = 0; round < 4; round++) {
        take_samples(&p, view, center);
        const references r = references_about(&p, center);
        place = half_way(&p, &r, center);
        if (!(fabs(place - MIDDLE) <= REACH + 0.5))
            return no_edge(&r, ball);
        if ((int)lrint(place) == center)
            break;
        int next = (int)lrint(place);
        center = next < MIDDLE - REACH ? MIDDLE - REACH : next > MIDDLE + REACH ? MIDDLE + REACH : next;
    }
    return edge_at(&p, ball, center, place, scale_px);
}

/* --- the fit --- */

/* Least squares on the distances, across the outline, between where it is supposed and where the image's edge is.
 *
 * Unknowns: the centre, and a slowly varying displacement of the edge, by the outward normal's angle a:
 * b0 + b1 cos a + b2 sin a + b3 cos 2a + b4 sin 2a. Edges are systematically off by some share of their width, all
 * alike (sharpening, haze, shading toward the limb) or on one side more than on the other (light from above), and real
 * balls are not quite round: averaging many points does not make that smaller. The displacement has a prior of that
 * size and is marginalised, which keeps the covariance honest, of depth above all. Neighbouring profiles see the same
 * pixels; per CORRELATION_PX of outline there is one independent one. */

enum { BIASES = POV_BALL_BIASES, UNKNOWNS = 3 + BIASES };
#define BELOW_TRUST    0.2
#define CORRELATION_PX 1.5
#define FITTED         3.0 /* parameters that the outline surely takes up */

/* --- the outline supposed --- */

bool pov_ball_outline_is_hidden(const pov_ball_outline *w, pov_vec2 pixel)
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

static bool outline_points(pov_ball_outline *w)
{
    double x = 0, y = 0;
    if (pov_sphere_outline_points(w->view->camera, w->at, w->jacobian, w->center, w->prior->kind->radius_m,
                                  w->len) != POV_OK)
        return false;
    for (int i = 0; i < w->len; i++) {
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

/* Direction of down in the image, at the ball. */
static pov_vec2 down_of(const pov_ball_outline *w)
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
bool pov_ball_outline_place(pov_ball_outline *w)
{
    if (!outline_points(w))
        return false;
    w->down = down_of(w);
    for (int i = 0; i < w->len; i++) {
        pov_vec2 next = w->at[(i + 1) % w->len], last = w->at[(i + w->len - 1) % w->len];
        double dx = next.x - last.x, dy = next.y - last.y, length = hypot(dx, dy);
        w->outward[i] = (pov_vec2){dy / length, -dx / length};
        w->open[i] = !pov_ball_outline_is_hidden(w, w->at[i]);
    }
    return true;
}

/* --- least squares --- */

static void fill_harmonics(double h[BIASES], pov_vec2 n)
{
    h[0] = 1;
    h[1] = n.x;
    h[2] = n.y;
    h[3] = n.x * n.x - n.y * n.y;
    h[4] = 2 * n.x * n.y;
}

double pov_ball_outline_residual(const pov_ball_outline *w, int i)
{
    double h[BIASES], residual = w->edge[i].offset_px;
    fill_harmonics(h, w->outward[i]);
    for (int j = 0; j < BIASES; j++)
        residual -= w->bias[j] * h[j];
    return residual;
}

/* Tukey's biweight. */
double pov_ball_outline_weight(const pov_ball_outline *w, int i)
{
    if (w->edge[i].state != POV_EDGE_FOUND)
        return 0;
    double u = pov_ball_outline_residual(w, i) / w->cutoff_px;
    return fabs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0;
}

static void row_of(double row[UNKNOWNS], const pov_ball_outline *w, int i)
{
    pov_vec2 n = w->outward[i];
    for (int j = 0; j < 3; j++)
        row[j] = n.x * w->jacobian[i][0][j] + n.y * w->jacobian[i][1][j];
    fill_harmonics(row + 3, n);
}

/* To the lower triangle. */
static void add_row(double *A, double *b, const double row[UNKNOWNS], double residual, double information)
{
    for (int i = 0; i < UNKNOWNS; i++) {
        const double weighted = information * row[i];
        b[i] += weighted * residual;
        for (int j = 0; j <= i; j++)
            A[i * UNKNOWNS + j] += weighted * row[j];
    }
}

bool pov_ball_outline_has_height(const pov_ball_outline *w)
{
    return w->prior->kind->has_height && w->prior->T_table_camera;
}

static void bias_std_px(double std[BIASES], const pov_ball_outline *w)
{
    const pov_ball_kind *kind = w->prior->kind;
    const double share = kind->radius_std_m > 0 ? kind->radius_std_m / kind->radius_m : POV_BALL_RADIUS_STD;
    const double edge = (kind->edge_std_share > 0 ? kind->edge_std_share : POV_BALL_EDGE_STD) * w->width_px;
    std[0] = hypot(edge, share * w->radius_px);
    std[1] = std[2] = edge;
    std[3] = std[4] = pov_ball_outline_has_height(w) ? 0.3 * edge : hypot(0.3 * edge, share * w->radius_px);
}

/* Below a ball are its contact shadow and its mirror image in the floor, full of the ball's own colour: their
 * edges are easily taken for the ball's. Without the camera's pose, below is taken to be below in the image.
 */
static double trust_of(const pov_ball_outline *w, int i)
{
    double down = w->outward[i].x * w->down.x + w->outward[i].y * w->down.y;
    return down < 0.4 ? 1 : BELOW_TRUST + (1 - BELOW_TRUST) * (1 - down) / 0.6;
}

static void add_outline(double *A, double *b, const pov_ball_outline *w)
{
    double share = fmin(1, w->spacing_px / CORRELATION_PX) / (w->std_px * w->std_px), row[UNKNOWNS];
    double std[BIASES];
    bias_std_px(std, w);
    for (int i = 0; i < w->len; i++) {
        double weight = pov_ball_outline_weight(w, i) * trust_of(w, i);
        if (weight > 0) {
            row_of(row, w, i);
            add_row(A, b, row, pov_ball_outline_residual(w, i), weight * share);
        }
    }
    for (int i = 0; i < BIASES; i++) {
        A[(3 + i) * UNKNOWNS + 3 + i] += 1 / (std[i] * std[i]);
        b[3 + i] -= w->bias[i] / (std[i] * std[i]);
    }
}

static double height_information(const pov_ball_outline *w)
{
    double std = fmax(w->prior->kind->height_std_m, 1e-3 * w->prior->kind->radius_m);
    return 1 / (std * std);
}

static void add_height(double *A, double *b, const pov_ball_outline *w)
{
    const pov_transform *T = w->prior->T_table_camera;
    const double row[UNKNOWNS] = {T->R.m[2][0], T->R.m[2][1], T->R.m[2][2]};
    double residual = w->prior->kind->height_m - pov_transform_apply(*T, w->center).z;
    add_row(A, b, row, residual, height_information(w));
}

/* One Gauss-Newton step, damped by a prior as wide as the distance; returns its size in pixels, NaN if
 * impossible. */
double pov_ball_outline_step(pov_ball_outline *w)
{
    double A[UNKNOWNS * UNKNOWNS] = {0}, b[UNKNOWNS] = {0}, x[UNKNOWNS];
    double distance = pov_vec3_norm(w->center);
    add_outline(A, b, w);
    if (pov_ball_outline_has_height(w))
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

/* --- the covariance --- */

/* Share of the information that edges seem to hold. Their spread is measured after so many parameters were fitted to
 * them; and of few edges most lie next to what stands before the ball. */
static double worth_of_edges(const pov_ball_outline *w)
{
    double independent = 0;
    for (int i = 0; i < w->len; i++)
        independent += pov_ball_outline_weight(w, i) * fmin(1, w->spacing_px / CORRELATION_PX);
    return fmax(0.2, 1 - FITTED / fmax(independent, 1));
}

/* Information about the centre with the displacement marginalised: the Schur complement of its block. */
static bool outline_information(double information[3][3], const pov_ball_outline *w)
{
    double A[UNKNOWNS * UNKNOWNS] = {0}, b[UNKNOWNS] = {0}, D[BIASES * BIASES], cross[3 * BIASES], removed[9];
    double worth = worth_of_edges(w);
    add_outline(A, b, w);
    for (int i = 0; i < UNKNOWNS; i++)
        for (int j = 0; j < i; j++)
            A[j * UNKNOWNS + i] = A[i * UNKNOWNS + j];
    for (int i = 0; i < BIASES * BIASES; i++)
        D[i] = A[(3 + i / BIASES) * UNKNOWNS + 3 + i % BIASES];
    for (int i = 0; i < 3 * BIASES; i++)
        cross[i] = A[i / BIASES * UNKNOWNS + 3 + i % BIASES];
    if (!pov_symmetric_inverse(D, D, BIASES))
        return false;
    pov_sandwich(removed, cross, D, 3, BIASES);
    for (int i = 0; i < 9; i++)
        information[i / 3][i % 3] = worth * (A[i / 3 * UNKNOWNS + i % 3] - removed[i]);
    return true;
}

bool pov_ball_outline_covariance(const pov_ball_outline *w, double information[3][3], double cov_m2[3][3])
{
    double total[9], distance = pov_vec3_norm(w->center);
    if (!outline_information(information, w))
        return false;
    for (int i = 0; i < 9; i++) {
        total[i] = information[i / 3][i % 3] + (i % 4 ? 0 : 1 / (distance * distance));
        if (pov_ball_outline_has_height(w)) {
            const double *up = w->prior->T_table_camera->R.m[2];
            total[i] += height_information(w) * up[i / 3] * up[i % 3];
        }
    }
    return pov_symmetric_inverse(&cov_m2[0][0], total, 3);
}
