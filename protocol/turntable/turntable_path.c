#include "protocol/turntable/turntable_path.h"

#include <math.h>

/* The smallest angle that equals angle_deg up to whole turns and is at least low_deg, or less by under a step. */
static double first_at(double angle_deg, double low_deg, double step_deg)
{
    return angle_deg + 360 * ceil((low_deg - step_deg - angle_deg) / 360);
}

static bool is_within(double deg, const pov_turntable_bounds *bounds)
{
    return deg >= bounds->low_deg - bounds->step_deg && deg <= bounds->high_deg + bounds->step_deg;
}

/* With a take-up, a target is only reached from below it. */
static bool set_path(pov_turntable_path *path, double from_deg, double target_deg,
                     const pov_turntable_bounds *bounds)
{
    double start_deg = target_deg - bounds->take_up_deg;
    *path = (pov_turntable_path){.len = 1, .targets_deg = {target_deg}};
    if (fabs(target_deg - from_deg) < bounds->step_deg)
        path->len = 0;
    else if (bounds->take_up_deg > 0 && from_deg > start_deg + bounds->step_deg)
        *path = (pov_turntable_path){.len = 2, .targets_deg = {start_deg, target_deg}};
    return is_within(target_deg, bounds) && (path->len < 2 || is_within(start_deg, bounds));
}

static bool nearest_turn(pov_turntable_path *path, double from_deg, double up_deg,
                         const pov_turntable_bounds *bounds)
{
    double down_deg = up_deg - 360;
    bool up_first = up_deg - from_deg <= from_deg - down_deg + bounds->step_deg;
    double first_deg = up_first ? up_deg : down_deg, second_deg = up_first ? down_deg : up_deg;
    return set_path(path, from_deg, first_deg, bounds) || set_path(path, from_deg, second_deg, bounds);
}

bool pov_turntable_path_find(pov_turntable_path *path, double from_deg, double angle_deg, pov_turn_way way,
                             const pov_turntable_bounds *bounds)
{
    double up_deg = first_at(angle_deg, from_deg, bounds->step_deg);
    bool here = fabs(up_deg - from_deg) < bounds->step_deg;
    if (way == POV_TURN_POSITIVE)
        return set_path(path, from_deg, up_deg, bounds);
    if (way == POV_TURN_NEGATIVE)
        return set_path(path, from_deg, here ? up_deg : up_deg - 360, bounds);
    if (nearest_turn(path, from_deg, up_deg, bounds))
        return true;
    if (!isfinite(bounds->high_deg))
        return false;
    double target_deg = first_at(angle_deg, bounds->high_deg, bounds->step_deg);
    while (target_deg >= bounds->low_deg - bounds->step_deg) {
        if (set_path(path, from_deg, target_deg, bounds))
            return true;
        target_deg -= 360;
    }
    return false;
}
