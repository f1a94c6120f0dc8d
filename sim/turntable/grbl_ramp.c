#include "sim/turntable/grbl_ramp.h"

#include <math.h>

pov_grbl_ramp pov_grbl_ramp_turn(double from_deg, double to_deg, double speed_deg_s,
                                 double acceleration_deg_s2)
{
    double length_deg = fabs(to_deg - from_deg);
    double peak_deg_s = fmin(speed_deg_s, sqrt(length_deg * acceleration_deg_s2));
    double up_s = peak_deg_s / acceleration_deg_s2;
    return (pov_grbl_ramp){.from_deg = from_deg,
                           .sign = to_deg < from_deg ? -1 : 1,
                           .peak_deg_s = peak_deg_s,
                           .acceleration_deg_s2 = acceleration_deg_s2,
                           .up_s = up_s,
                           .along_s = peak_deg_s > 0 ? fmax(length_deg / peak_deg_s - up_s, 0) : 0,
                           .down_s = up_s};
}

pov_grbl_ramp pov_grbl_ramp_stop(double from_deg, double speed_deg_s, double acceleration_deg_s2)
{
    return (pov_grbl_ramp){.from_deg = from_deg,
                           .sign = speed_deg_s < 0 ? -1 : 1,
                           .peak_deg_s = fabs(speed_deg_s),
                           .acceleration_deg_s2 = acceleration_deg_s2,
                           .down_s = fabs(speed_deg_s) / acceleration_deg_s2};
}

double pov_grbl_ramp_duration_s(const pov_grbl_ramp *ramp)
{
    return ramp->up_s + ramp->along_s + ramp->down_s;
}

static double bounded(double t_s, double duration_s)
{
    return fmin(fmax(t_s, 0), duration_s);
}

double pov_grbl_ramp_angle_deg(const pov_grbl_ramp *ramp, double t_s)
{
    double up_s = bounded(t_s, ramp->up_s);
    double along_s = bounded(t_s - ramp->up_s, ramp->along_s);
    double down_s = bounded(t_s - ramp->up_s - ramp->along_s, ramp->down_s);
    double half = 0.5 * ramp->acceleration_deg_s2;
    return ramp->from_deg +
           ramp->sign * (half * up_s * up_s + ramp->peak_deg_s * (along_s + down_s) - half * down_s * down_s);
}

double pov_grbl_ramp_speed_deg_s(const pov_grbl_ramp *ramp, double t_s)
{
    double after_s = t_s - ramp->up_s - ramp->along_s;
    if (t_s <= 0 && ramp->up_s > 0)
        return 0;
    if (t_s < ramp->up_s)
        return ramp->sign * ramp->acceleration_deg_s2 * t_s;
    return ramp->sign * fmax(ramp->peak_deg_s - ramp->acceleration_deg_s2 * fmax(after_s, 0), 0);
}
