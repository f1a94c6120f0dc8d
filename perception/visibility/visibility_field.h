/** Fields of view: the directions that a viewer can see. Pure. */
#pragma once

#include "perception/scene/scene.h"

/** The eye and the gaze of a viewer. */
typedef struct {
    pov_vec3 eye_m;       /* in the table frame */
    pov_rot R_table_gaze; /* gaze axes: x forward, y left, z up */
} pov_gaze;

/** The gaze of a viewer turned to `yaw_rad`: forward is horizontal there. The scene's camera gazes along its
 * optical axis, whatever the yaw. The eye does not move with the yaw. */
pov_gaze pov_gaze_of(const pov_scene *scene, pov_id viewer, double yaw_rad);

/** True if a direction (unit, in gaze axes) is in the field; the border counts.
 *  Frustum: a picture's: |y|/x <= tan(half_horizontal), |z|/x <= tan(half_vertical).
 *  Cone: elliptical in the polar plot of perimetry (meridian, eccentricity), so that half-angles beyond 90
 * degrees make sense: (e cos m / half_horizontal)^2 + (e sin m / half_vertical)^2 <= 1 for eccentricity e,
 * meridian m. */
bool pov_field_contains(const pov_field_of_view *field, pov_vec3 direction_gaze);

/** Tests whether all, or none, of the directions within `radius_rad` of a centre are in the field; both false: ask
 * ray by ray. Errs on the side of asking. */
typedef struct {
    bool all, none;
} pov_field_overlap;
pov_field_overlap pov_field_overlap_of(const pov_field_of_view *field, pov_vec3 centre_gaze,
                                       double radius_rad);

/** The field is every direction there is. */
bool pov_field_is_everything(const pov_field_of_view *field);
