/** Caps on the unit sphere, exactly. */
#pragma once

#include "perception/geometry/geom.h"

#include <math.h>

static inline double clamped_acos(double x)
{
    return acos(fmin(1, fmax(-1, x)));
}

/** Area shared by two caps of radii a and b whose centres are c apart, on the unit sphere: Tovchigrechko &
 * Vakser 2001, eq. 3. */
static inline double cap_overlap(double a, double b, double c)
{
    if (c >= a + b)
        return 0;
    if (c <= fabs(a - b))
        return 2 * POV_PI * (1 - cos(fmin(a, b)));
    return 2 * (POV_PI - clamped_acos((cos(c) - cos(a) * cos(b)) / (sin(a) * sin(b))) -
                cos(a) * clamped_acos((cos(b) - cos(c) * cos(a)) / (sin(c) * sin(a))) -
                cos(b) * clamped_acos((cos(a) - cos(c) * cos(b)) / (sin(c) * sin(b))));
}
