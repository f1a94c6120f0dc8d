#include "perception/appearance/appearance.h"

#include "perception/appearance/appearance_internal.h"
#include "perception/geometry/periodic_spline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = POV_PATCH_SIDE, AREA = POV_PATCH_AREA, BOX = POV_APPEARANCE_BOX };

void pov_appearance_destroy(pov_appearance **appearance)
{
    if (!appearance || !*appearance)
        return;
    free((*appearance)->light);
    free((*appearance)->bend);
    free(*appearance);
    *appearance = NULL;
}

/* Views from their places along the axes. */
static void unfold_views(pov_appearance *a, const pov_appearance_data *data)
{
    for (int i = 0; i < a->view_len; i++) {
        memcpy(a->light[i], data->mean, sizeof data->mean);
        for (int k = 0; k < data->dimension; k++) {
            const float place = data->place[i][k], *axis = data->axis[k];
            for (int j = 0; j < AREA; j++)
                a->light[i][j] += place * axis[j];
        }
    }
    pov_spline_bend(a->bend[0], a->light[0], a->angle_rad, a->view_len, AREA);
    pov_spline_bend(a->box_bend[0], a->box[0], a->angle_rad, a->view_len, BOX);
}

/* The patch expected from an angle. */
static void draw_patch(pov_appearance *a, pov_patch *patch, double angle_rad)
{
    curve_point point;
    pov_patch_resampled seen;
    pov_appearance_at(a, &point, angle_rad);
    const double wide = exp(-point.box[2]), high = exp(-point.box[3]);
    pov_patch_resample(&seen, point.light,
                       (pov_patch_place){PATCH_CENTRE - wide * point.box[0], wide,
                                         PATCH_CENTRE - high * point.box[1], high});
    memcpy(patch->light, seen.light, sizeof patch->light);
}

pov_appearance *pov_appearance_new(const pov_appearance_data *data)
{
    pov_appearance *a = pov_allocate(1, sizeof *a);
    a->view_len = data->view_len;
    a->scale = pov_appearance_scale(data);
    a->unexplained = data->unexplained;
    a->light = pov_allocate((size_t)a->view_len, sizeof *a->light);
    a->bend = pov_allocate((size_t)a->view_len, sizeof *a->bend);
    memcpy(a->angle_rad, data->angle_rad, sizeof a->angle_rad);
    memcpy(a->local_doubt, data->local_doubt, sizeof a->local_doubt);
    a->scale.angle_rad = a->angle_rad;
    a->scale.local_doubt = a->local_doubt;
    memcpy(a->box, data->box, sizeof a->box);
    memcpy(a->weight, data->weight, sizeof a->weight);
    unfold_views(a, data);
    pov_patch mean;
    double spread;
    memcpy(mean.light, data->mean, sizeof mean.light);
    pov_patch_rim(&mean, &a->background, &spread);
    for (int i = 0; i < COARSE_ANGLES; i++) {
        pov_patch seen;
        draw_patch(a, &seen, i * (2 * POV_PI / COARSE_ANGLES));
        pov_patch_halve(a->coarse[i], seen.light);
    }
    return a;
}

void pov_appearance_at(const pov_appearance *a, curve_point *point, double angle_rad)
{
    const pov_spline_place at = pov_spline_find(a->angle_rad, a->view_len, angle_rad);
    const float *v0 = a->light[at.left], *v1 = a->light[at.right], *m0 = a->bend[at.left],
                *m1 = a->bend[at.right];
    const float a0 = (float)at.value[0], a1 = (float)at.value[1], b0 = (float)at.bend[0],
                b1 = (float)at.bend[1];
    const float s0 = (float)at.slope_value[0], s1 = (float)at.slope_value[1], t0 = (float)at.slope_bend[0],
                t1 = (float)at.slope_bend[1];
    for (int i = 0; i < AREA; i++) {
        point->light[i] = a0 * v0[i] + a1 * v1[i] + b0 * m0[i] + b1 * m1[i];
        point->light_slope[i] = s0 * v0[i] + s1 * v1[i] + t0 * m0[i] + t1 * m1[i];
    }
    for (int k = 0; k < BOX; k++) {
        const double left = (double)a->box[at.left][k], right = (double)a->box[at.right][k];
        const double left_bend = (double)a->box_bend[at.left][k],
                     right_bend = (double)a->box_bend[at.right][k];
        point->box[k] =
            at.value[0] * left + at.value[1] * right + at.bend[0] * left_bend + at.bend[1] * right_bend;
        point->box_slope[k] = at.slope_value[0] * left + at.slope_value[1] * right +
                              at.slope_bend[0] * left_bend + at.slope_bend[1] * right_bend;
    }
}
