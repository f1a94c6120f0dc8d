/** Whether the camera's pose as a robot tells it agrees with the tags: if not, the hand-eye calibration is wrong, or the table is elsewhere. Pure. */
#pragma once

#include "perception/geometry/geom.h"

/** All zero: nothing was seen. */
typedef struct {
    int images; /* with both */
    double mean[6], tags_cov[6][6],
        told_cov[6][6]; /* of the offset (rotation, position) in the camera's axes: over the images */
} pov_pose_doubt;

/** Takes in an image: the pose by its tags alone, and the one that is told. */
void pov_pose_doubt_look(pov_pose_doubt *doubt, const pov_pose *by_tags, const pov_pose *told);

typedef struct {
    bool is_known; /* by enough images */
    bool exceeds_stated; /* what both state of themselves */
    bool disagrees;      /* so far that it is not to be used */
    double position_m, rotation_rad; /* how far the tags put the camera from where it is told to be */
} pov_pose_offset;
/** Method: the mean offset over the images, in the camera's axes, in which a wrong hand-eye calibration is the same whatever the robot does.
 *          It disagrees beyond a chi-square of 6 of 22.46 (0.1 %) in the sum of both stated covariances, neither of which the mean
 *          makes smaller: errors of a calibration and of a tag map are the same in all images. */
pov_pose_offset pov_pose_doubt_verdict(const pov_pose_doubt *doubt);
