/** A square piece of an image as appearance is compared in: grey, of fixed size, smoothed. */
#pragma once

#include "perception/image/image.h"

#include <stdbool.h>

enum {
    POV_PATCH_INNER = 32, /* pixels a side that the piece fills */
    POV_PATCH_MARGIN = 4, /* around it: room to move */
    POV_PATCH_SIDE = POV_PATCH_INNER + 2 * POV_PATCH_MARGIN,
    POV_PATCH_AREA = POV_PATCH_SIDE * POV_PATCH_SIDE
};

typedef struct {
    float light[POV_PATCH_AREA]; /* 0..255, rows top to bottom */
} pov_patch;

/** A square in an image; may reach beyond it. */
typedef struct {
    double x_px, y_px, side_px; /* top left corner, (-0.5, -0.5) being the image's */
} pov_patch_square;

/** The square that the whole image fits in, centred. */
pov_patch_square pov_patch_square_whole(const pov_image *image);

/** Fills a patch from a square of an image, averaging where it shrinks. Beyond the image there is what lies along its border:
 *  the border's median. */
void pov_patch_cut(pov_patch *patch, const pov_image *image, pov_patch_square square);

/** Smooths a patch as pov_patch_cut does. */
void pov_patch_smooth(pov_patch *patch);

/** Median light along the patch's rim, and how far half of the rim is from it at most. */
void pov_patch_rim(const pov_patch *patch, double *median, double *spread);

enum {
    POV_PATCH_HALF_SIDE = POV_PATCH_SIDE / 2,
    POV_PATCH_HALF_AREA = POV_PATCH_HALF_SIDE * POV_PATCH_HALF_SIDE
};
#define POV_PATCH_CENTRE (0.5 * (POV_PATCH_SIDE - 1))

/** A patch moved and stretched, by cubic convolution (Keys 1981), with its slopes: column i of the result comes from
 * x_px + x_step (i - POV_PATCH_CENTRE). Beyond the patch it is as at its rim. */
typedef struct {
    float light[POV_PATCH_AREA], by_x[POV_PATCH_AREA], by_y[POV_PATCH_AREA];
} pov_patch_resampled;
typedef struct {
    double x_px, x_step, y_px, y_step;
} pov_patch_place;
void pov_patch_resample(pov_patch_resampled *resampled, const float *light, pov_patch_place from);

/** Halves a patch. */
void pov_patch_halve(float half[POV_PATCH_HALF_AREA], const float *light);
