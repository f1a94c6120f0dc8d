#include "perception/relations/expectation/template.h"

#include "perception/geometry/geom.h"

static const double FALL_MIN_RAD = 1e-3; /* a softer edge than a step; chosen */

static bool is_within(double value, double low, double high)
{
    return value >= low && value <= high; /* false for NaN */
}

pov_status pov_template_check(const pov_template *t)
{
    if (!is_within(t->acceptable_edge_rad, 0, POV_PI))
        return pov_error("template: acceptable_edge is %g rad; expected 0 to pi", t->acceptable_edge_rad);
    if (!is_within(t->good_edge_rad, 0, t->acceptable_edge_rad))
        return pov_error("template: good_edge is %g rad; expected 0 to acceptable_edge (%g)",
                         t->good_edge_rad, t->acceptable_edge_rad);
    if (!is_within(t->good_fall_rad, FALL_MIN_RAD, POV_PI))
        return pov_error("template: good_fall is %g rad; expected 0.001 to pi", t->good_fall_rad);
    if (!is_within(t->acceptable_fall_rad, FALL_MIN_RAD, POV_PI))
        return pov_error("template: acceptable_fall is %g rad; expected 0.001 to pi", t->acceptable_fall_rad);
    if (!is_within(t->acceptable_level, 0, 1))
        return pov_error("template: acceptable_level is %g; expected 0 to 1", t->acceptable_level);
    if (!(t->reach_m > 0))
        return pov_error("template: reach is %g m; expected more than 0, or none", t->reach_m);
    return pov_ok();
}

/* 1 well inside an edge, 0 well outside. */
static double within_edge(double theta_rad, double edge_rad, double fall_rad)
{
    return 1 / (1 + exp((theta_rad - edge_rad) / fall_rad));
}

double pov_template_evaluate(const pov_template *regions, double theta_rad, double distance_m)
{
    double theta = fabs(pov_angle_wrap(theta_rad));
    double acceptable = within_edge(theta, regions->acceptable_edge_rad, regions->acceptable_fall_rad),
           good = within_edge(theta, regions->good_edge_rad, regions->good_fall_rad);
    return (acceptable + (good - acceptable) * (1 - regions->acceptable_level)) *
           exp(-distance_m / regions->reach_m);
}
