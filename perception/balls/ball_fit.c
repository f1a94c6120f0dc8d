#include "perception/balls/ball_fit.h"

#include "perception/balls/ball_size_map.h"
#include "perception/geometry/ranked.h"

#include <math.h>
#include <string.h>

enum {
    POINTS_MIN = 32,
    TRIAL_POINTS_MAX = 56,
    COARSE_ROUNDS = 6,
    FINE_ROUNDS = 9,
    WIDE_ROUNDS = 3,
    SETTLED_ROUND = 5
};
#define EDGE_STD_MIN_PX 0.1
#define SETTLED_PX      0.01 /* the last step; chosen */
#define EDGE_WIDTH_PX   1.3  /* of sharp images: the pixel's own */

/* Median absolute residual of the found edges, as a standard deviation; and how many there are. */
static double spread_of(const pov_ball_outline *w, int *count)
{
    double size[POV_BALL_OUTLINE_MAX];
    *count = 0;
    for (int i = 0; i < w->len; i++)
        if (w->edge[i].state == POV_EDGE_FOUND)
            size[(*count)++] = fabs(pov_ball_outline_residual(w, i));
    return 1.4826 * pov_ranked(size, *count, *count / 2);
}

static double width_of_edges(const pov_ball_outline *w)
{
    double width[POV_BALL_OUTLINE_MAX];
    int count = 0;
    for (int i = 0; i < w->len; i++)
        if (w->edge[i].state == POV_EDGE_FOUND)
            width[count++] = w->edge[i].width_px;
    return fmax(EDGE_WIDTH_PX, pov_ranked(width, count, count / 2));
}

/* --- rounds --- */

static bool coarse_round(pov_ball_outline *w, int round)
{
    double reach = fmax(3, 0.2 * w->radius_px) * (1 - 0.1 * round);
    int count;
    if (!pov_ball_outline_place(w))
        return false;
    for (int i = 0; i < w->len; i++) {
        w->edge[i].state = POV_EDGE_HIDDEN;
        if (w->open[i])
            w->edge[i] = pov_edge_from_labels(w->view, w->prior->kind_index, w->at[i], w->outward[i], reach);
    }
    w->std_px = fmax(0.5, spread_of(w, &count));
    w->cutoff_px = fmax(1.5, 2.5 * w->std_px);
    return count >= 3 && !isnan(pov_ball_outline_step(w));
}

/* Half a pixel is much for a large sharp outline and for a tiny one; but real balls are not quite round. */
static double edge_std_max_px(const pov_ball_outline *w)
{
    return fmax(fmin(0.4 * w->width_px, 0.07 * w->radius_px), POV_BALL_ROUNDNESS * w->radius_px);
}

/* Profiles start as wide as the ball's size allows, to be drawn to the outline from afar, then fit the edges'
 * width. The cutoff closes in likewise (graduated non-convexity): in the end too narrow for the edges of
 * shadows and reflections near the outline. */
static void fine_scale(pov_ball_outline *w, int round)
{
    double least = fmin(1, fmax(0.7, w->radius_px / 7)), widest = fmin(fmax(least, w->radius_px / 10), 6);
    w->scale_px = round < WIDE_ROUNDS ? widest : fmin(fmax(least, w->width_px / 1.8), widest);
}

static bool fine_edges(pov_ball_outline *w, const pov_tint *ball, int round)
{
    if (!pov_ball_outline_place(w))
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

static pov_vec2 disc_point(const pov_ball_outline *w, int ring, int spoke)
{
    static const double share[RINGS] = {0.2, 0.4, 0.58, 0.72, 0.86};
    pov_vec2 rim = w->at[spoke * w->len / SPOKES];
    return (pov_vec2){w->middle.x + share[ring] * (rim.x - w->middle.x),
                      w->middle.y + share[ring] * (rim.y - w->middle.y)};
}

/* Weight of a disc's pixel as the ball's. A ball of known size may show little of itself, before things of a similar colour;
 * otherwise it must show most of itself. */
static double likeness(const pov_ball_outline *w, pov_light light, const pov_tint *named)
{
    if (!pov_ball_outline_has_height(w))
        return 1;
    pov_tint tint = pov_tint_of_light(light);
    double distance = pov_tint_distance(&tint, named) / 0.25;
    return exp(-0.5 * distance * distance) + 1e-6;
}

/* Mean light of the ball-coloured part of the disc; false if there is none. */
static bool ball_light(const pov_ball_outline *w, pov_light *mean)
{
    pov_tint named = pov_tint_of(w->prior->kind->colour);
    double sum = 0;
    *mean = (pov_light){0};
    for (int i = 0; i < RINGS * SPOKES; i++) {
        pov_light light;
        pov_vec2 pixel = disc_point(w, i / SPOKES, i % SPOKES);
        if (!pov_ball_view_is_kind(w->view, w->prior->kind_index, pixel) ||
            !pov_ball_view_sample(w->view, &light, pixel))
            continue;
        double weight = likeness(w, light, &named);
        sum += weight;
        *mean += (float)weight * light;
    }
    if (sum > 0)
        *mean /= (float)sum;
    return sum > 0;
}

/* Whether light in the disc is what is seen around it: then it is seen past the ball, and there is none. A quarter of
 * the edges must say so: what hides part of the ball touches its outline in some places too. */
static bool looks_like_outside(const pov_ball_outline *w, pov_light light, pov_light ball)
{
    int edges = 0, alike = 0;
    for (int i = 0; i < w->len; i += 1 + w->len / 48)
        if (pov_ball_outline_weight(w, i) > 0) {
            const pov_light outside = w->edge[i].outside;
            edges++;
            alike += pov_light_distance(light, outside) < 0.3 * pov_light_distance(ball, outside);
        }
    return alike > 0.25 * edges;
}

static void judge_disc(pov_ball_fit *fit, const pov_ball_outline *w, pov_light ball)
{
    double open = 0, filled = 0, seen_past = 0;
    for (int i = 0; i < RINGS * SPOKES; i++) {
        static const double area[RINGS] = {0.1, 0.16, 0.2, 0.25, 0.29};
        pov_vec2 pixel = disc_point(w, i / SPOKES, i % SPOKES);
        pov_light light;
        if (!pov_ball_view_sample(w->view, &light, pixel) || pov_ball_outline_is_hidden(w, pixel))
            continue;
        bool member = pov_ball_view_is_kind(w->view, w->prior->kind_index, pixel);
        open += area[i / SPOKES];
        filled += member ? area[i / SPOKES] : 0;
        seen_past += !member && looks_like_outside(w, light, ball) ? area[i / SPOKES] : 0;
    }
    fit->fill = open > 0 ? filled / open : 0;
    fit->contradiction = open > 0 ? seen_past / open : 0;
}

static double rim_of(const pov_ball_outline *w)
{
    int edges = 0, shows = 0;
    for (int i = 0; i < w->len; i++) {
        const pov_edge_state state = w->edge[i].state;
        if (w->outward[i].x * w->down.x + w->outward[i].y * w->down.y > 0.4 || state == POV_EDGE_HIDDEN ||
            state == POV_EDGE_NO_BALL)
            continue;
        shows++;
        edges += pov_ball_outline_weight(w, i) > 0;
    }
    return shows ? (double)edges / shows : 0;
}

static void judge_outline(pov_ball_fit *fit, const pov_ball_outline *w)
{
    double squares = 0, weights = 0, near_px = fmax(0.75, 1.5 * POV_BALL_ROUNDNESS * w->radius_px);
    for (int i = 0; i < w->len; i++) {
        double weight = pov_ball_outline_weight(w, i);
        fit->arc += weight > 0;
        if (weight > 0)
            fit->agreement += fmax(0, 1 - pow(w->edge[i].offset_px / near_px, 2)) / w->len;
        fit->arc_open += w->edge[i].state != POV_EDGE_HIDDEN;
        fit->leak += w->edge[i].state == POV_EDGE_INSIDE;
        squares += weight * pov_ball_outline_residual(w, i) * pov_ball_outline_residual(w, i);
        weights += weight;
    }
    fit->rim = rim_of(w);
    fit->arc /= w->len;
    fit->arc_open /= w->len;
    fit->leak /= w->len;
    fit->rms_px = weights > 0 ? sqrt(squares / weights) : 0;
}

/* --- all of it --- */

static bool fit_fine(pov_ball_fit *fit, pov_ball_outline *w, int first_round)
{
    pov_light ball;
    if (!pov_ball_outline_place(w) || !ball_light(w, &ball))
        return false;
    pov_tint tint = pov_tint_of_light(ball), named = pov_tint_of(w->prior->kind->colour);
    for (int round = first_round; round < FINE_ROUNDS; round++) {
        if (!fine_edges(w, &tint, round))
            return false;
        double moved_px = pov_ball_outline_step(w);
        if (isnan(moved_px))
            return false;
        if (moved_px < SETTLED_PX && round >= SETTLED_ROUND)
            break;
    }
    if (!fine_edges(w, &tint, FINE_ROUNDS) || !ball_light(w, &ball))
        return false;
    *fit = (pov_ball_fit){.center_camera_m = w->center, .middle_px = w->middle, .radius_px = w->radius_px};
    fit->tint_distance = pov_tint_distance(&tint, &named);
    judge_outline(fit, w);
    judge_disc(fit, w, ball);
    fit->patch = pov_ball_patch_judge(w, ball);
    return pov_ball_outline_covariance(w, fit->information, fit->cov_m2);
}

/* Most of what can show of the outline has edges. */
static bool is_whole(const pov_ball_fit *fit)
{
    return fit->arc > 0.8 * fit->arc_open;
}

static void work_start(pov_ball_outline *w, const pov_ball_view *view, const pov_ball_prior *prior,
                       double radius_px, double spacing_px, int len_max)
{
    memset(w, 0, sizeof *w);
    w->view = view;
    w->prior = prior;
    w->len = (int)fmin(len_max, fmax(POINTS_MIN, ceil(2 * POV_PI * radius_px / spacing_px)));
    w->radius_px = radius_px;
    w->width_px = EDGE_WIDTH_PX;
}

/* Centre of the sphere that looks like the circle: its direction, and its height or else its size. */
static bool center_from_circle(pov_vec3 *center, const pov_ball_outline *w, const pov_ball_guess *circle)
{
    pov_vec3 direction, rim;
    pov_vec2 middle = {circle->x_px, circle->y_px}, side = {circle->x_px + circle->radius_px, circle->y_px};
    if (pov_camera_unproject(w->view->camera, &direction, NULL, middle) != POV_OK)
        return false;
    if (pov_ball_outline_has_height(w))
        return pov_ball_center_at_height(center, w->prior->T_table_camera, direction,
                                         w->prior->kind->height_m);
    if (pov_camera_unproject(w->view->camera, &rim, NULL, side) != POV_OK)
        return false;
    double sine = pov_vec3_norm(pov_vec3_cross(direction, rim));
    *center = pov_vec3_scale(direction, w->prior->kind->radius_m / sine);
    return sine > 1e-6;
}

/* Fits one guess: first to the end of the labels, which the ball may share with its reflection in the floor; if that does
 * not lead to a good outline, directly from the circle. */
bool pov_ball_fit_circle(pov_ball_fit *fit, const pov_ball_view *view, const pov_ball_prior *prior,
                         const pov_ball_guess *circle)
{
    pov_ball_outline w;
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
    if (good && is_whole(fit))
        return true;
    w.center = start;
    memset(w.bias, 0, sizeof w.bias);
    if (!fit_fine(&direct, &w, 0))
        return good;
    if (!good || 0.5 * direct.arc + direct.agreement > 0.5 * fit->arc + fit->agreement)
        *fit = direct;
    return true;
}

/* It seldom is far from where it is expected: one wide round will do, unless that leads to no whole outline. */
bool pov_ball_fit_near(pov_ball_fit *fit, const pov_ball_view *view, const pov_ball_prior *prior)
{
    pov_ball_outline w;
    pov_ball_fit near;
    work_start(&w, view, prior, fit->radius_px, 2.5, TRIAL_POINTS_MAX);
    w.center = fit->center_camera_m;
    if (fit_fine(&near, &w, WIDE_ROUNDS - 1) && is_whole(&near)) {
        *fit = near;
        return true;
    }
    work_start(&w, view, prior, fit->radius_px, 2.5, TRIAL_POINTS_MAX);
    w.center = fit->center_camera_m;
    return fit_fine(fit, &w, 0);
}

bool pov_ball_fit_again(pov_ball_fit *fit, const pov_ball_view *view, const pov_ball_prior *prior,
                        bool is_close)
{
    pov_ball_outline w;
    work_start(&w, view, prior, fit->radius_px, 1, POV_BALL_OUTLINE_MAX);
    w.center = fit->center_camera_m;
    if (!fit_fine(fit, &w, is_close ? SETTLED_ROUND : WIDE_ROUNDS))
        return false;
    fit->surface = pov_ball_surface_judge(&w);
    return true;
}
