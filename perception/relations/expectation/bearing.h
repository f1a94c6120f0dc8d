/** The distribution of a bearing: the angle from a heading to a difference of positions, all of them uncertain. Pure. */
#pragma once

#include "perception/scene/scene.h"

/** bearing = arg(v) - heading, counter-clockwise from above; v Gaussian on the ground, the heading a mixture of von
 *  Mises, independent of v. */
typedef struct {
    pov_vec2 v_m;
    double cov_m2[2][2];
    pov_heading heading;
} pov_bearing;

/** v from one entity to another, with what their errors share taken off. The heading is left to the caller.
 *  POV_UNDEFINED if one is not placed, or they coincide on the ground within their noise (one standard deviation). */
pov_code pov_bearing_between(pov_bearing *bearing, const pov_scene *scene, pov_id from, pov_id to);

/** The same about the front of `from`: what the camera pose's error turns alike, front and v, is taken off both.
 *  POV_UNDEFINED also if it has no front. */
pov_code pov_bearing_about_front(pov_bearing *bearing, const pov_scene *scene, pov_id from, pov_id to);

/** The same about the heading of a third: north as the camera's image has it. */
pov_code pov_bearing_about_heading(pov_bearing *bearing, const pov_scene *scene, pov_id from, pov_id to,
                                   pov_id whose);

/** A bearing to a direction known to within std_rad (small), e.g. north. */
pov_bearing pov_bearing_to_direction(double yaw_rad, double std_rad, const pov_heading *heading);

/** p[i] = P(edges_rad[i] <= bearing < edges_rad[i + 1]), the last sector ending where the first begins. The edges rise
 *  through less than a full turn; the p sum to 1.
 *  Method: the density of the projected normal (Mardia & Jupp 2000, eq. 3.5.48) and of the von Mises on grids fitted to
 *  their widths; within 1e-3. No allocation. */
void pov_bearing_sectors(double *p, const pov_bearing *bearing, const double *edges_rad, int count);

/** The bearing at the means: heaviest mode. */
double pov_bearing_mean_rad(const pov_bearing *bearing);
