/** Grey values of images. */
#pragma once

#include "perception/image/image.h"

/** Grey image; pixels borrowed. */
typedef struct {
    const uint8_t *pixels;
    int width_px, height_px, stride_bytes;
} pov_grey;

/** Luma of ITU-R BT.601, as in JPEG, of a part of an image that lies within it, into rows of the part's width. Copied
 *  from image->grey where that is there. */
void pov_grey_from_rgb(uint8_t *grey, const pov_image *image, pov_rectangle part);
/** The same of one pixel. */
static inline uint8_t pov_grey_of(const uint8_t rgb[3])
{
    return (uint8_t)((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
}

/** Light, 0 .. 255, of a grey value encoded as in sRGB (IEC 61966-2-1): a cubic, within 0.3 % of the standard. Optics and
 *  photosites blur an edge in light; in grey values the same edge is brighter than half way where light is half, so that
 *  dark squares would shrink with blur. */
static inline double pov_light_of_grey(uint8_t grey)
{
    const double v = grey / 255.0;
    return 255 * ((0.305306011 * v + 0.682171111) * v + 0.012522878) * v;
}
