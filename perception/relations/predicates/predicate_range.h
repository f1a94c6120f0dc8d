/** Bounds of a number, and graded logic on them. Pure; inline, as they are called a million times a
 *  second. */
#pragma once

#include <math.h>

/** A measure or a truth value between two bounds: equal where it is known exactly, both NaN where it is undefined. */
typedef struct {
    double low, high;
} pov_range;

static inline pov_range pov_range_exactly(double value)
{
    return (pov_range){value, value};
}

/** value +- margin, for a margin >= 0. */
static inline pov_range pov_range_about(double value, double margin)
{
    return (pov_range){value - margin, value + margin};
}

/** Each bound moved into what it can be, e.g. 0 to 1 of a share. NaN stays. */
static inline pov_range pov_range_clamped(pov_range range, double low, double high)
{
    return (pov_range){range.low < low    ? low
                       : range.low > high ? high
                                          : range.low,
                       range.high < low    ? low
                       : range.high > high ? high
                                           : range.high};
}

/** By a positive number. */
static inline pov_range pov_range_divided(pov_range range, double by)
{
    return (pov_range){range.low / by, range.high / by};
}

static inline pov_range pov_range_larger(pov_range a, pov_range b)
{
    return (pov_range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static inline pov_range pov_range_difference(pov_range a, pov_range b)
{
    return (pov_range){a.low - b.high, a.high - b.low};
}

/** 0 below threshold - softness, 1 above threshold + softness, 3 u^2 - 2 u^3 between; 0.5 at the threshold. */
pov_range pov_grade_above(pov_range value, double threshold, double softness);
pov_range pov_grade_below(pov_range value, double threshold, double softness);

static inline pov_range pov_grade_not(pov_range a)
{
    return (pov_range){1 - a.high, 1 - a.low};
}

/** min and max; undefined with undefined, unless the other decides alone. */
pov_range pov_grade_and(pov_range a, pov_range b);
pov_range pov_grade_or(pov_range a, pov_range b);
