/** The curve ready for use. Private to appearance*.c. */
#pragma once

#include "perception/appearance/appearance.h"

enum {
    COARSE_ANGLES = 72,
    COARSE_SIDE = POV_PATCH_HALF_SIDE,
    COARSE_AREA = POV_PATCH_HALF_AREA,
    MODE_MAX = 16,
    AROUND_MAX = 72
};
/* Nobody turns a table or names a photograph more exactly. */
#define POV_APPEARANCE_LEAST_STD (0.3 * POV_PI / 180)
#define PATCH_CENTRE             POV_PATCH_CENTRE

/* Turns a fit into a posterior; fields as in pov_appearance_data. */
typedef struct {
    int symmetry;
    double widening, doubt, residual;
    int view_len;
    const double *angle_rad, *local_doubt; /* of the data's or the curve's views */
} match_scale;

struct pov_appearance {
    int view_len;
    match_scale scale;
    double angle_rad[POV_VIEW_MAX], local_doubt[POV_VIEW_MAX];
    double unexplained, background;
    float box[POV_VIEW_MAX][POV_APPEARANCE_BOX], box_bend[POV_VIEW_MAX][POV_APPEARANCE_BOX];
    float weight[POV_PATCH_AREA];
    float (*light)[POV_PATCH_AREA], (*bend)[POV_PATCH_AREA]; /* of each view, box made alike */
    float coarse[COARSE_ANGLES][COARSE_AREA];                /* as seen, at half size */
};

/* The curve at one angle, its slopes by the angle. */
typedef struct {
    float light[POV_PATCH_AREA], light_slope[POV_PATCH_AREA];
    double box[POV_APPEARANCE_BOX], box_slope[POV_APPEARANCE_BOX];
} curve_point;

void pov_appearance_at(const pov_appearance *appearance, curve_point *point, double angle_rad);

/* A local minimum of the cost over the angle; pixel errors taken as independent. */
typedef struct {
    double angle_rad, variance_rad2, cost;
} match_mode;
typedef struct {
    int len; /* best first */
    match_mode mode[MODE_MAX];
    int around_len;            /* two a gap between views */
    double around[AROUND_MAX]; /* costs at even angles from 0 on, at the best mode's shift, size and light */
    double x_px, y_px, scale, residual, unexplained, seen; /* of the best */
} match_fit;
void pov_appearance_fit(const pov_appearance *appearance, match_fit *fit, const pov_patch *patch);
match_scale pov_appearance_scale(const pov_appearance_data *data);
pov_heading pov_appearance_weigh(const match_scale *scale, const match_fit *fit);
