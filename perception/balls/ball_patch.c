#include "perception/balls/ball_patch.h"

#include <math.h>

enum { SPOKES = 48 };

/* Mean light on the far side of the edges found; false if there are none. */
static bool light_around(const pov_ball_outline *w, pov_light *mean)
{
    double sum = 0;
    *mean = (pov_light){{0}};
    for (int i = 0; i < w->len; i++) {
        double weight = pov_ball_outline_weight(w, i);
        for (int c = 0; c < 3; c++)
            mean->rgb[c] += weight * w->edge[i].outside.rgb[c];
        sum += weight;
    }
    for (int c = 0; c < 3 && sum > 0; c++)
        mean->rgb[c] /= sum;
    return sum > 0;
}

/* Of the ball's colour, and more like the ball than like what is around it. */
static bool is_patch(const pov_ball_outline *w, pov_vec2 pixel, const pov_light *ball,
                     const pov_light *around)
{
    pov_light light;
    if (!pov_ball_view_is_kind(w->view, w->prior->kind_index, pixel) ||
        !pov_ball_view_sample(w->view, &light, pixel) || pov_ball_outline_is_hidden(w, pixel))
        return false;
    return pov_light_distance(&light, ball) < pov_light_distance(&light, around);
}

static bool is_below(const pov_ball_outline *w, int i)
{
    return w->outward[i].x * w->down.x + w->outward[i].y * w->down.y > 0.4;
}

pov_ball_patch pov_ball_patch_judge(const pov_ball_outline *w, const pov_light *ball)
{
    pov_ball_patch patch = {0};
    pov_light around;
    if (!light_around(w, &around))
        return patch;
    double step_px = fmax(0.75, w->radius_px / 12), end_px = w->radius_px + fmax(3, 0.4 * w->radius_px);
    int rings = (int)ceil(end_px / step_px - 0.5);
    for (int ring = 0; ring < rings; ring++) {
        double away_px = (ring + 0.5) * step_px;
        double beyond_px = away_px - w->radius_px;
        double area = 2 * away_px * step_px / (w->radius_px * w->radius_px * SPOKES);
        for (int spoke = 0; spoke < SPOKES; spoke++) {
            int i = spoke * w->len / SPOKES;
            double share = away_px / w->radius_px;
            pov_vec2 pixel = {w->middle.x + share * (w->at[i].x - w->middle.x),
                              w->middle.y + share * (w->at[i].y - w->middle.y)};
            if (is_below(w, i) || (beyond_px > -0.5 && beyond_px < 1) || !is_patch(w, pixel, ball, &around))
                continue;
            *(beyond_px < 0 ? &patch.inside : &patch.spill) += area;
        }
    }
    return patch;
}
