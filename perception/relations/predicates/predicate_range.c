#include "perception/relations/predicates/predicate_range.h"

static double rise(double value, double threshold, double softness)
{
    if (isnan(value))
        return NAN;
    if (!(softness > 0))
        return value > threshold ? 1 : value < threshold ? 0 : 0.5;
    double u = (value - threshold) / (2 * softness) + 0.5;
    return u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u);
}

pov_range pov_grade_above(pov_range value, double threshold, double softness)
{
    double low = rise(value.low, threshold, softness);
    return (pov_range){low, value.high == value.low ? low : rise(value.high, threshold, softness)};
}

pov_range pov_grade_below(pov_range value, double threshold, double softness)
{
    return pov_grade_above((pov_range){-value.high, -value.low}, -threshold, softness);
}

/* False with undefined is false; a range that is false only in part may be either. */
static pov_range with_undefined(pov_range known)
{
    if (known.high == 0)
        return known;
    return known.low == 0 ? (pov_range){0, 1} : pov_range_exactly(NAN);
}

pov_range pov_grade_and(pov_range a, pov_range b)
{
    if (isnan(a.low))
        return with_undefined(b);
    if (isnan(b.low))
        return with_undefined(a);
    return (pov_range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

pov_range pov_grade_or(pov_range a, pov_range b)
{
    return pov_grade_not(pov_grade_and(pov_grade_not(a), pov_grade_not(b)));
}
