/** Pose of a head from five points of its face. Pure. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/models/detection.h"
#include "perception/status.h"

/** The points, as YuNet and most face detectors order them: the person's own right eye, left eye, tip of the nose, right and left corner of
 *  the mouth. */
enum { POV_FACE_POINTS = 5 };

/** Against the ray from the camera to the head: yaw 0 looks into the camera, positive toward the image's right; pitch positive looks down. */
typedef struct {
    double yaw_rad, pitch_rad, roll_rad;
    double yaw_std_rad;
    double mm_px;   /* millimetres a pixel, at the head */
    pov_vec3 front; /* its direction: x to the image's right, y down, z away from the camera */
} pov_head_pose;

/** Scaled orthography, least squares over a mean face and over how people differ from it. POV_UNDEFINED: no head fits the points.
 *  Method: Horaud 1997 on weak perspective; the pupils' distance from Dodgson 2004, other measures of faces chosen. No allocation. */
pov_code pov_head_pose_estimate(pov_head_pose *pose, const pov_keypoint points[POV_FACE_POINTS]);
