/** Whether a camera stands still, told from its pose in image after image, and its pose if so. Pure.
 *
 *  Poses from tags jitter with the corners, and all that is placed through them with it. While the camera stands still its
 *  poses are averaged; their covariance keeps what they have in common (perception/tracking/error_split.h), and is then the same
 *  error in all images. Once it moves, each image's own pose counts. */
#ifndef POV_PERCEPTION_TRACKING_POSE_HOLD_H
#define POV_PERCEPTION_TRACKING_POSE_HOLD_H

#include "perception/geometry/geom.h"
#include "perception/tracking/motion.h"

#include <stdint.h>

/** All zero: nothing is known. */
typedef struct {
    int images; /* in a row, in which it stood still */
    int64_t now_ns;
    pov_transform reference; /* errors of the motion's state are against this one */
    pov_motion motion;
} pov_pose_hold;

/** Takes in the pose of an image; where the camera stands still, puts the better one in its place.
 *  Returns: whether it stands still, as far as five images tell. */
bool pov_pose_hold_update(pov_pose_hold *hold, pov_pose *T_table_camera, int64_t now_ns);

#endif
