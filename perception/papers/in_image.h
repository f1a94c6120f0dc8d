/** What "in the image" means where a paper counts: what annotators would label there. Pure. */
#ifndef POV_PERCEPTION_PAPERS_IN_IMAGE_H
#define POV_PERCEPTION_PAPERS_IN_IMAGE_H

#include "perception/visibility/visibility.h"

/** Of a thing, so much must show: those who labelled PASCAL VOC left out what shows less than "10-20 %" (VOC2011 annotation
 *  guidelines). Less than counts as seen: who counts looks for it. */
#define POV_IN_IMAGE_MIN_FRACTION 0.1

/** Probability that an entity of the scene given to pov_occlusion_update shows in the camera's image: in its field of view
 *  and not hidden. Of a camera whose field nobody told, of what has no body, or without a camera's place, nothing is known
 *  to the contrary: 1. min_fraction: in place of seeing's. */
double pov_in_image(const pov_occlusion *occlusion, pov_id id, const pov_seeing *seeing, double min_fraction);

#endif
