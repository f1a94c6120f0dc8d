/** The curve ready for use. Private to appearance*.c. */
#ifndef POV_PERCEPTION_APPEARANCE_APPEARANCE_INTERNAL_H
#define POV_PERCEPTION_APPEARANCE_APPEARANCE_INTERNAL_H

#include "perception/appearance/appearance.h"

enum {
    COARSE_ANGLES = 72,
    COARSE_SIDE = POV_PATCH_SIDE / 2,
    COARSE_AREA = COARSE_SIDE * COARSE_SIDE,
    START_MAX = 6
};
/* Nobody turns a table or names a photograph more exactly. */
#define POV_APPEARANCE_LEAST_STD (0.3 * POV_PI / 180)
#define PATCH_CENTRE             (0.5 * (POV_PATCH_SIDE - 1))

struct pov_appearance {
    int view_len, symmetry;
    double angle_rad[POV_VIEW_MAX];
    double widening, doubt, residual, unexplained, background;
    double least_worse; /* of a picture that fits better than those of the trial, whose gaps were wider */
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

/* A patch moved and stretched, by cubic convolution (Keys 1981), with its slopes: column i of the result comes from
 * x_px + x_step (i - PATCH_CENTRE). Beyond the patch it is as at its rim. */
typedef struct {
    float light[POV_PATCH_AREA], by_x[POV_PATCH_AREA], by_y[POV_PATCH_AREA];
} pov_patch_resampled;
typedef struct {
    double x_px, x_step, y_px, y_step;
} pov_patch_place;
void pov_patch_resample(pov_patch_resampled *resampled, const float *light, pov_patch_place from);

/* Halves a patch. */
void pov_patch_halve(float half[COARSE_AREA], const float *light);

/* Where to begin: places on the curve, best first, apart from one another. */
typedef struct {
    double angle_rad, x_px, y_px, gain, cost;
} match_start;
int pov_appearance_starts(const pov_appearance *appearance, match_start starts[START_MAX],
                          const pov_patch *patch);

#endif
