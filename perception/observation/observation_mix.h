/** One observation of two that an image may be, when two camera poses fit it. Pure. */
#ifndef POV_PERCEPTION_OBSERVATION_OBSERVATION_MIX_H
#define POV_PERCEPTION_OBSERVATION_OBSERVATION_MIX_H

#include "perception/observation/observation.h"

/** Mixes what follows from the other camera pose into what follows from the likelier one.
 *  In/out:  likelier: its judgments, sights and directions keep their verdict where the other pose gives the same,
 *           else abstain; probabilities are the mixture's. Orders (views), which hold for one pose only, are taken out.
 *  In:      other: of the same image, cast and questions. Where the two are not about the same things (a ball found in one
 *           only), everything abstains. p_likelier in [0, 1]. */
void pov_observation_mix(pov_observation *likelier, const pov_observation *other, double p_likelier);

/** A pose whose covariance reaches from the likelier of two candidates to the other: second moment about the likelier. */
pov_pose pov_pose_reaching(const pov_pose_candidate candidates[2]);

#endif
