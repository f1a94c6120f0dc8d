/** Grey values and light, both 0 .. 255: IEC 61966-2-1. Cameras blur light and then encode it. */
#pragma once

#include <math.h>

static inline double test_light_of_grey(double grey)
{
    const double v = grey / 255;
    return 255 * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
}

static inline double test_grey_of_light(double light)
{
    const double v = light / 255;
    return 255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055);
}
