/** Checks whether a camera's calibration still holds: by the focal length that mapped tags ask for, and by their residuals. */
#pragma once

#include "perception/observation/observation.h"
#include "perception/tags/tag_pose.h"

/** Images from one place of the camera share their errors: they count as one. Start from {0}. */
typedef struct {
    int image_len; /* from the present place */
    pov_transform T_table_camera;
    double zoom, information; /* of the present place: sums over its images */
    double misfit;            /* chi-square a degree of freedom: mean over the last images, from all places */
    int misfit_len;
    double old_information, old_weighted; /* of places before, fading */
} pov_lens_watch;

/** Takes in an image whose camera pose came from its tags.
 *  Method: the pose's least squares with the focal length as one more unknown: one Gauss-Newton step, by the corners' noise and the
 *          map's covariance. Stale beyond 0.3 % and four standard deviations of one image from each place, or at over twice
 *          the expected residuals; judged from ten images on. */
void pov_lens_watch_update(pov_lens_watch *watch, pov_lens_health *health, const pov_camera *camera,
                           const pov_tags *tags, const pov_tag_map *map, const pov_camera_pose *pose);

/** Allows for the calibration's own uncertainty of its focal length, as a share of it: only a larger change is stale. */
void pov_lens_health_allow(pov_lens_health *health, double focal_std_share);
