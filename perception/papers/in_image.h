/** "In the image", where a paper counts: whether annotators would label a thing there. Pure. */
#pragma once

#include "perception/visibility/visibility.h"

/** Share of a thing that must show: annotators of PASCAL VOC left out things that show less than "10-20 %" (VOC2011 annotation
 *  guidelines). It is less than for seeing, as somebody who counts looks for the thing. */
#define POV_IN_IMAGE_MIN_FRACTION 0.1

/** Probability that an entity of the scene given to pov_occlusion_update shows in the camera's image: in its field of view
 *  and not hidden. It is 1 if the camera's field or place is unknown, or the entity has no body. min_fraction replaces
 *  seeing's. */
double pov_in_image(const pov_occlusion *occlusion, pov_id id, const pov_seeing *seeing, double min_fraction);
