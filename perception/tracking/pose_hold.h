/** A filter for the pose of a camera that may stand still. Pure.
 *
 *  Poses from tags jitter with the corners, and all positions with them. While the camera stands still its poses are averaged;
 *  the covariance keeps their lasting part (perception/tracking/error_split.h), which is then the same error in all images.
 *  While it moves, each image's own pose is used. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/tracking/motion.h"

#include <stdint.h>

/** All zero: nothing is known. */
typedef struct {
    int images; /* in a row in which it stood still */
    int64_t now_ns;
    pov_transform reference; /* errors of the motion's state are against this one */
    pov_motion motion;
} pov_pose_hold;

/** Updates by an image's pose; if the camera stands still, replaces the pose by the filtered one.
 *  Returns: whether it stands still; false in its first four images at rest. */
bool pov_pose_hold_update(pov_pose_hold *hold, pov_pose *T_table_camera, int64_t now_ns);
