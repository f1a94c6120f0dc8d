/** A picture that anyone can make again from its seed, to try a network on (docs/MODELS.md has it in Python). */
#ifndef POV_PERCEPTION_MODELS_GOLDEN_IMAGE_H
#define POV_PERCEPTION_MODELS_GOLDEN_IMAGE_H

#include "perception/image/image.h"

/** Squares of 8 x 8 pixels of random colours. Out: pixels, RGB without gaps. */
void pov_golden_image_fill(unsigned char *pixels, int width_px, int height_px, int seed);

#endif
