/** Is one entity inside another? Pure. */
#ifndef POV_PERCEPTION_RELATIONS_CONTAINMENT_H
#define POV_PERCEPTION_RELATIONS_CONTAINMENT_H

#include "perception/scene/scene.h"

/** Probability in [0, 1] that the referent's centre is inside the relatum's box; 0 if a side of the box is 0.
 *  In:     both placed and different.
 *  Method: a normal distribution along each of the box's axes, taken as independent; the box's own turn and size as
 *          known. Exact for errors that are independent along those axes. */
double pov_containment_probability(const pov_scene *scene, pov_id referent, pov_id relatum);

#endif
