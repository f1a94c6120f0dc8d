#include "firmware/sweep/sweep_slip.h"

#include "firmware/cli.h"

#include <math.h>

static const double SLIP_MIN_RAD = 0.5 * POV_PI / 180;
static const double DEVIATIONS_MIN = 4;

double pov_sweep_slip_of(pov_sweep_slip *slip, double told_rad, const pov_observed_turntable *measured)
{
    if (!measured->known || isnan(measured->angle_rad) || isnan(told_rad))
        return 0;
    const double zero_rad = measured->angle_rad - told_rad, variance = measured->std_rad * measured->std_rad;
    const double change_rad = remainder(zero_rad - slip->zero_rad, 2 * POV_PI);
    const bool same =
        slip->begun && (fabs(change_rad) < SLIP_MIN_RAD ||
                        fabs(change_rad) < DEVIATIONS_MIN * sqrt(variance + slip->zero_variance));
    const double slipped_rad = slip->begun && !same ? change_rad : 0;
    if (!same)
        *slip = (pov_sweep_slip){.begun = true, .zero_rad = zero_rad, .zero_variance = variance};
    return slipped_rad;
}

void pov_sweep_slip_warn(pov_sweep_slip *slip, double told_rad, const pov_observed_turntable *measured)
{
    const double slipped_rad = pov_sweep_slip_of(slip, told_rad, measured);
    if (slipped_rad != 0)
        pov_cli_warn(
            "the turntable slipped by %.1f +- %.1f deg on its way to %.1f deg, by the tags on it; what is "
            "judged "
            "rests on the images and holds, the angles told to the table do not: turn more gently ($120)",
            slipped_rad / POV_DEG, measured->std_rad / POV_DEG, told_rad / POV_DEG);
}
