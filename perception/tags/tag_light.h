/** Grey values as light, and edges in it as optics blur them. */
#ifndef POV_PERCEPTION_TAGS_TAG_LIGHT_H
#define POV_PERCEPTION_TAGS_TAG_LIGHT_H

#include <math.h>
#include <stdint.h>

/** Light, 0 .. 255, of a grey value encoded as in sRGB (IEC 61966-2-1): a cubic, within 0.3 % of the standard. Optics and
 *  photosites blur an edge in light; in grey values the same edge is brighter than half way where light is half, so that
 *  dark squares would shrink with blur. */
static inline double pov_light_of_grey(uint8_t grey)
{
    const double v = grey / 255.0;
    return 255 * ((0.305306011 * v + 0.682171111) * v + 0.012522878) * v;
}

static inline double pov_grey_of_light(double light)
{
    const double l = fmax(light, 0) / 255;
    return 255 * (l <= 0.0031308 ? 12.92 * l : 1.055 * pow(l, 1 / 2.4) - 0.055);
}

/** The standard normal distribution's density; 0 where it is less than 1e-5. */
static inline double pov_normal_density(double z)
{
    return fabs(z) < 4.6 ? 0.3989422804014327 * exp(-0.5 * z * z) : 0;
}

/** The standard normal distribution function, given its density there: within 1e-7 (Abramowitz & Stegun 1964, 26.2.17). */
static inline double pov_normal_share(double z, double density)
{
    if (density == 0)
        return z > 0;
    const double t = 1 / (1 + 0.2316419 * fabs(z));
    const double tail =
        density * t *
        (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));

    return z > 0 ? 1 - tail : tail;
}

#endif
