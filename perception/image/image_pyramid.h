/** An image at full size, half, quarter, ...: colours between its pixels at any of these sizes. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"
#include "perception/tasks.h"

enum { POV_PYRAMID_LEVELS = 6 };

typedef struct {
    const uint8_t *pixels; /* RGB */
    int width_px, height_px, stride_bytes;
} pov_pyramid_level;

/** Level 0 is the image itself, borrowed. */
typedef struct {
    pov_pyramid_level levels[POV_PYRAMID_LEVELS];
    uint8_t *own;
    int width_px, height_px;
} pov_image_pyramid;

/** Makes room for images of this size. */
POV_MUST_USE pov_status pov_image_pyramid_new(pov_image_pyramid *pyramid, int width_px, int height_px);
void pov_image_pyramid_free(pov_image_pyramid *pyramid);
/** Takes over an image of that size; each level's pixel is the mean of four of the one before. workers: NULL, or who share the
 *  work. */
void pov_image_pyramid_set(pov_image_pyramid *pyramid, const pov_image *image, const pov_workers *workers);

/** The level whose pixels are nearest to `size_px` of the image's. */
int pov_image_pyramid_level(double size_px);

/** Colour at a place of the image (its own pixels), bilinear at a level. False, and no colour: beyond the image. */
bool pov_image_pyramid_at(const pov_image_pyramid *pyramid, float rgb[3], int level, double x_px,
                          double y_px);
