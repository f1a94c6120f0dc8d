#include "firmware/comparison/curve_places.h"

#include "perception/geometry/geom.h"

#include <math.h>

static const double off_curve_deg =
    10; /* farther from a sample of the curve, an image has none; chosen: the step */

static double wrapped_deg(double angle_deg)
{
    const double turned = fmod(angle_deg, 360);
    return turned < 0 ? turned + 360 : turned;
}

double pov_curve_difference_deg(double a_deg, double b_deg)
{
    return pov_angle_wrap((a_deg - b_deg) * POV_DEG) / POV_DEG;
}

double pov_curve_places_find(pov_curve_places *places, double turn_deg, double phi_deg)
{
    if (!places->has_base && !isnan(turn_deg) && !isnan(phi_deg)) {
        places->has_base = true;
        places->base_deg = wrapped_deg(POV_CURVE_STEP_DEG * round((phi_deg - turn_deg) / POV_CURVE_STEP_DEG));
    }
    const double place = isnan(turn_deg) ? phi_deg : places->has_base ? places->base_deg + turn_deg : NAN;
    if (isnan(place))
        return NAN;
    const int i = (int)lround(wrapped_deg(place) / POV_CURVE_STEP_DEG) % POV_CURVE_SAMPLES;
    const double curve_deg = i * (double)POV_CURVE_STEP_DEG;
    const bool is_off = !isnan(phi_deg) && fabs(pov_curve_difference_deg(phi_deg, curve_deg)) > off_curve_deg;
    const bool is_between = !isnan(turn_deg) && fabs(pov_curve_difference_deg(place, curve_deg)) > 1e-6;
    return is_off || is_between ? NAN : curve_deg;
}

void pov_curve_places_remember(pov_curve_places *places, double turn_deg, double curve_deg)
{
    if (isnan(curve_deg) || places->has_base || isnan(turn_deg))
        return;
    places->has_base = true;
    places->base_deg = wrapped_deg(curve_deg - turn_deg);
}
