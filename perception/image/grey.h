/** Grey values of images. */
#ifndef POV_PERCEPTION_IMAGE_GREY_H
#define POV_PERCEPTION_IMAGE_GREY_H

#include "perception/image/image.h"

/** Grey image; pixels borrowed. */
typedef struct {
    const uint8_t *pixels;
    int width_px, height_px, stride_bytes;
} pov_grey;

/** Luma of ITU-R BT.601, as in JPEG, of a part of an image that lies within it, into rows of width_px bytes. */
void pov_grey_from_rgb(uint8_t *grey, const pov_image *image, pov_rectangle part);
/** The same of one pixel. */
static inline uint8_t pov_grey_of(const uint8_t rgb[3])
{
    return (uint8_t)((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
}

#endif
