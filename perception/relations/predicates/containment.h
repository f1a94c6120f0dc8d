/** Is one entity inside another, or on it? Pure. */
#pragma once

#include "perception/scene/scene.h"

/** Probability in [0, 1] that the referent's centre is inside the relatum's box; 0 if a side of the box is 0.
 *  In:     both placed and different.
 *  Method: a normal distribution along each of the box's axes, taken as independent; the box's own turn and size as
 *          known. Exact for errors that are independent along those axes. */
double pov_containment_probability(const pov_scene *scene, pov_id referent, pov_id relatum);

/** m; slack between a thing's bottom and the top under it, as boxes are larger than their things; chosen. */
#define POV_CARRIED_SLACK_M 0.01

/** Probability in [0, 1] that one of the two stands on the other: that its centre is over the other's outline, where at the
 *  means it is above its top and its bottom at that, or, where the other is a container or a seat (affordance.h), below it; of
 *  a seat, above its middle. Else 0: a thing that near rests, by gravity, whatever the error of its height. 0 if a side is 0 or
 *  the lower one is tilted.
 *  In, Method: as above. */
double pov_carried_probability(const pov_scene *scene, pov_id a, pov_id b);
