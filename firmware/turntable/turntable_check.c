#include "firmware/turntable/turntable_internal.h"
#include "perception/geometry/geom.h"

#include <math.h>

static const double reach_deg = 6;  /* to either side of where the switch closed */
static const double slow_deg_s = 3; /* of some twenty reports a second, each is 0.15 deg on */

/* Where GRBL puts the angle at which the switch closes; the sense in which homing comes to it. Both the table's. */
static double edge_deg(const pov_turntable *self, double *sense)
{
    bool negative = (int)turntable_setting(self, 23) >> self->axis & 1;
    double offset_deg = self->link.has_offset ? self->link.offset[self->axis] : 0;
    *sense = turntable_turned(self, negative ? -1 : 1);
    return turntable_turned(self, (negative ? -turntable_setting(self, 130) : 0) - offset_deg);
}

/* Some whole turns from the edge, where the limits have room to both sides, and nearest. NaN: nowhere. */
static double reachable_deg(const pov_turntable *self, double edge)
{
    pov_turntable_bounds bounds = turntable_bounds(self);
    double here_deg = turntable_turned(self, turntable_axis_deg(self)), best_deg = NAN;
    double near_deg = edge + 360 * round((here_deg - edge) / 360);
    for (int k = -2; k <= 2; k++) {
        double at_deg = near_deg + 360 * k;
        bool inside = at_deg - reach_deg >= bounds.low_deg && at_deg + reach_deg <= bounds.high_deg;
        if (inside && !(fabs(at_deg - here_deg) >= fabs(best_deg - here_deg)))
            best_deg = at_deg;
    }
    return best_deg;
}

/* Turns to there; closed_deg is where the switch was first seen closed, half way from the report before. */
static pov_status turn_to(pov_turntable *self, double *closed_deg, double target_deg)
{
    pov_turntable_status status;
    double before_deg = NAN;
    const pov_turntable_path path = {.len = 1, .targets_deg = {target_deg}};
    *closed_deg = NAN;
    POV_TRY(turntable_begin(self, &path));
    for (;;) {
        pov_status polled = pov_turntable_poll(self, &status);
        if (polled.code != POV_TIMEOUT)
            return polled;
        double at_deg = turntable_turned(self, status.axis_deg);
        if (status.home_switch && isnan(*closed_deg))
            *closed_deg = isnan(before_deg) ? at_deg : 0.5 * (before_deg + at_deg);
        before_deg = at_deg;
    }
}

static pov_status pass_switch(pov_turntable *self, double *closed_deg, double from_deg, double to_deg)
{
    double speed_rad_s = self->config.speed_rad_s, ignored_deg;
    POV_TRY(turn_to(self, &ignored_deg, from_deg));
    self->config.speed_rad_s = slow_deg_s * POV_DEG;
    pov_status status = turn_to(self, closed_deg, to_deg);
    self->config.speed_rad_s = speed_rad_s;
    return status;
}

pov_status pov_turntable_check(pov_turntable *self, double *slip_rad)
{
    double sense, closed_deg;
    *slip_rad = NAN;
    POV_TRY(turntable_need_idle(self));
    if (!(turntable_setting(self, 22) > 0))
        return pov_turntable_link_fail(&self->link,
                                       "without a home switch ($22=0) the controller cannot know of a slip");
    double edge = reachable_deg(self, edge_deg(self, &sense));
    if (isnan(edge))
        return pov_turntable_link_fail(
            &self->link,
            "the soft limits leave no room to pass the home switch: travel ($%d) of %g "
            "would do",
            130 + self->axis, 360 + 2 * reach_deg);
    POV_TRY(pass_switch(self, &closed_deg, edge - sense * reach_deg, edge + sense * reach_deg));
    if (isnan(closed_deg))
        return pov_turntable_link_fail(
            &self->link,
            "the home switch did not close within %g deg of where it did when homing: the table has "
            "slipped by more than that. Home it again, with less acceleration ($%d)",
            reach_deg, 120 + self->axis);
    *slip_rad = (edge - closed_deg) * POV_DEG;
    return pov_ok();
}
