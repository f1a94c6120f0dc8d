#include "perception/balls/ball_edge.h"

#include <math.h>

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
    pov_light light[SAMPLES];
} profile;

static bool profile_sample(const pov_ball_view *view, profile *p, pov_vec2 at, pov_vec2 outward,
                           double scale_px)
{
    for (int i = 0; i < SAMPLES; i++)
        if (!pov_ball_view_sample(view, &p->light[i], along(at, outward, 0.5 * scale_px * (i - MIDDLE))))
            return false;
    return true;
}

static pov_light mean_of(const profile *p, int first, int last)
{
    pov_light mean = {{0}};
    for (int i = first; i <= last; i++)
        for (int c = 0; c < 3; c++)
            mean.rgb[c] += p->light[i].rgb[c] / (last - first + 1);
    return mean;
}

static double brightness(const pov_light *a)
{
    return hypot(hypot(a->rgb[0], a->rgb[1]), a->rgb[2]);
}

/* 1 at the inside colour, 0 at the outside colour. */
static double share_of_inside(const pov_light *light, const pov_light *inside, const pov_light *outside)
{
    double above = 0, below = 0;
    for (int c = 0; c < 3; c++) {
        double d = inside->rgb[c] - outside->rgb[c];
        above += (light->rgb[c] - outside->rgb[c]) * d;
        below += d * d;
    }
    return above / below;
}

/* Where the share falls through a half, nearest to `center`; NaN if nowhere within the near references. */
static double half_way(const profile *p, const pov_light *inside, const pov_light *outside, int center)
{
    double best = NAN, share = share_of_inside(&p->light[center - NEAR], inside, outside);
    for (int i = center - NEAR + 1; i <= center + NEAR; i++) {
        double next = share_of_inside(&p->light[i], inside, outside);
        double place = i - 1 + (share - 0.5) / (share - next);
        if (share >= 0.5 && next < 0.5 && !(fabs(place - center) >= fabs(best - center)))
            best = place;
        share = next;
    }
    return best;
}

/* Ball-coloured, though it may be paler and darker than the middle: the limb mirrors what is behind it. */
static bool is_ball_light(const pov_light *light, const pov_tint *ball)
{
    pov_tint tint = pov_tint_of_linear(light->rgb);
    return tint.purity >= 0.4 * ball->purity && tint.lightness < 1.5 * ball->lightness &&
           fabs(pov_angle_wrap(tint.hue_rad - ball->hue_rad)) < 25 * POV_PI / 180;
}

/* A step that is not much more than the change on either side of it is a slope, or two steps. */
static bool is_clean(const profile *p, const pov_light *inside, const pov_light *outside, int center)
{
    double step = pov_light_distance(inside, outside);
    double outer = pov_light_distance(&p->light[center + NEAR], &p->light[center + FAR]);
    double inner = pov_light_distance(&p->light[center - NEAR], &p->light[center - FAR]);
    return step > 0.004 && step > 0.25 * fmax(brightness(inside), brightness(outside)) &&
           outer < 0.4 * step && inner < 0.5 * step;
}

/* The step's height by its slope, over two samples about its middle. */
static double width_of(const profile *p, const pov_light *inside, const pov_light *outside, int center)
{
    double fall = share_of_inside(&p->light[center - 1], inside, outside) -
                  share_of_inside(&p->light[center + 1], inside, outside);
    return 2 / fmax(fall, 0.1);
}

static pov_edge edge_at(const profile *p, const pov_tint *ball, int center, double place, double scale_px)
{
    pov_light inside = mean_of(p, center - FAR, center - NEAR),
              outside = mean_of(p, center + NEAR, center + FAR);
    pov_edge edge = {POV_EDGE_UNCLEAR, 0.5 * scale_px * (place - MIDDLE),
                     0.5 * scale_px * width_of(p, &inside, &outside, center), outside};
    if (is_ball_light(&inside, ball) && is_clean(p, &inside, &outside, center) &&
        fabs(place - MIDDLE) <= REACH)
        edge.state = POV_EDGE_FOUND;
    return edge;
}

/* Why there is no edge: by what lies inside and outside. */
static pov_edge no_edge(const pov_light *inside, const pov_light *outside, const pov_tint *ball)
{
    bool in = is_ball_light(inside, ball), out = is_ball_light(outside, ball);
    return (pov_edge){.state = !in ? POV_EDGE_NO_BALL : out ? POV_EDGE_INSIDE : POV_EDGE_UNCLEAR};
}

/* The references must be taken about the step, so they follow it. */
pov_edge pov_edge_from_light(const pov_ball_view *view, const pov_tint *ball, pov_vec2 at, pov_vec2 outward,
                             double scale_px)
{
    profile p;
    if (!profile_sample(view, &p, at, outward, scale_px))
        return (pov_edge){.state = POV_EDGE_HIDDEN};
    double place = MIDDLE;
    int center = MIDDLE;
    for (int round = 0; round < 4; round++) {
        pov_light inside = mean_of(&p, center - FAR, center - NEAR);
        pov_light outside = mean_of(&p, center + NEAR, center + FAR);
        place = half_way(&p, &inside, &outside, center);
        if (!(fabs(place - MIDDLE) <= REACH + 0.5))
            return no_edge(&inside, &outside, ball);
        if ((int)lrint(place) == center)
            break;
        int next = (int)lrint(place);
        center = next < MIDDLE - REACH ? MIDDLE - REACH : next > MIDDLE + REACH ? MIDDLE + REACH : next;
    }
    return edge_at(&p, ball, center, place, scale_px);
}
