/** A disc that turns about an axis fixed to the table, and its angle from the tags on it. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"

/** Disc frame: z along the axis, so that positive angles turn counter-clockwise about it; at angle a,
 *  T_table_disc(a) = T_table_disc Rz(a). */
typedef struct {
    pov_pose T_table_disc; /* at angle 0; the error about the axis is the zero's own */
    pov_tag_map tags;      /* where they are in the disc's frame */
} pov_disc;

/** The disc's frame at an angle. */
pov_transform pov_disc_at(const pov_transform *T_table_disc, double angle_rad);

typedef struct {
    double angle_rad, std_rad; /* [0, 2 pi); NaN: not known */
    int used_len;              /* tags that the angle rests on */
    double rms_px;             /* reprojection error over their corners */
    bool used[POV_TAG_MAX];    /* of pov_tags.tags[i] */
} pov_disc_reading;

/** The disc's angle in one image.
 *  Returns: POV_OK; POV_UNDEFINED, numbers NaN, if none of its tags is seen, or they fit no angle.
 *  In:      T_table_camera with its covariance, which the angle's takes in.
 *  Method:  least squares of the corners by the angle, with the errors of camera and axis as unknowns of known covariance,
 *           those of the tags' places as noise. Started from both poses of each of the eight largest tags; a tag beyond
 *           chi-square 8's 1 - 1e-4 point is left out. No allocation. */
pov_code pov_disc_read(pov_disc_reading *reading, const pov_disc *disc, const pov_camera *camera,
                       const pov_tags *tags, const pov_pose *T_table_camera);
