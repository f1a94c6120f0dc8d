/** The exact outline of a sphere in an image: the cone of rays that touch it, through the lens. */
#pragma once

#include "perception/geometry/camera.h"

/** Point of the outline at `angle_rad` about the sphere's centre ray (0 toward image right, increasing clockwise as
 *  seen in the image), and its derivative by the centre (2x3, px per metre) unless NULL.
 *  Returns POV_UNDEFINED if the eye is inside the sphere or the lens cannot see that ray. */
pov_code pov_sphere_outline_point(const pov_camera *camera, pov_vec2 *pixel, double jacobian[2][3],
                                  pov_vec3 center_camera_m, double radius_m, double angle_rad);
/** Likewise `len` points at even angles, the first at 0, with their derivatives: faster than one by one. On POV_UNDEFINED, for
 *  any of them, all are undefined. */
pov_code pov_sphere_outline_points(const pov_camera *camera, pov_vec2 *pixels, double (*jacobians)[2][3],
                                   pov_vec3 center_camera_m, double radius_m, int len);
