/** Prior of the camera's pose, as a lab knows its tripod: height, pitch, roll; or as a robot knows it: all of it. Pure. */
#pragma once

#include "perception/tags/tag_pose.h"

typedef struct {
    bool has_height, has_pitch, has_roll;
    double height_m, height_std_m;   /* of the lens, z in the table frame */
    double pitch_rad, pitch_std_rad; /* of the optical axis above the table's plane; up is positive */
    double roll_rad, roll_std_rad;   /* about the optical axis; 0: level, positive: the image's right is up */
    bool has_pose;
    pov_pose T_table_camera;
} pov_camera_prior;

/** Weighs a camera's two poses by the prior, and draws both towards it.
 *  Returns: true; false, the pose unchanged, if neither is within seven standard deviations of the prior: map, prior or tags
 *           are wrong.
 *  Method:  Gauss-Newton on the pose's and the prior's Gaussians; probability by Laplace's approximation. No allocation. */
bool pov_camera_prior_apply(pov_camera_pose *pose, const pov_camera_prior *prior);

double pov_camera_pitch_rad(const pov_transform *T_table_camera);
double pov_camera_roll_rad(const pov_transform *T_table_camera);
