/** Whether tags that contradict one another are noisier than their edges say, or one of them is elsewhere. Pure. */
#ifndef POV_PERCEPTION_TAGS_TAG_RECONCILE_H
#define POV_PERCEPTION_TAGS_TAG_RECONCILE_H

#include "perception/tags/tag_pose.h"

/** Where mapped tags were rejected, or those used are farther off than chance has them: tries corners that err by 0.15 to 2.4 px
 *  besides (another lens than the calibrated one, a map known less well than said), and takes the likeliest.
 *  One far-off tag of many stays a stray; three tags that each miss by a pixel are noisy.
 *  Returns: whether it did. In/out: pose, which pov_camera_pose_estimate gave or failed to; tags: corner_std_px of the mapped ones.
 *  Method:  likelihoods over all poses (Laplace): Gaussian corners, strays anywhere within 200 px.
 *           No allocation; 36 KiB of stack. */
bool pov_camera_pose_reconcile(pov_camera_pose *pose, pov_tags *tags, const pov_camera *camera,
                               const pov_tag_map *map);

#endif
