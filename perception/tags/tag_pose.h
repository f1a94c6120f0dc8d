/** Poses from tags: one tag's two candidate poses, and the camera's pose from all tags of a map. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"

/** The poses that fit one flat square, best first (Collins & Bartoli 2014; Schweighofer & Pinz 2006).
 *  len is 1 where the second does not exist. probability sums to 1: the likelihood of the corners'
 *  reprojection errors. */
typedef struct {
    int len;
    pov_pose T_camera_tag[2];
    double probability[2];
    double rms_px[2];
} pov_tag_poses;

/** Out: poses with 6x6 covariance from corner_std_px, widened where no square fits the corners that well. Returns POV_UNDEFINED (len 0) if no pose fits. */
pov_code pov_tag_pose_estimate(pov_tag_poses *poses, const pov_camera *camera, const pov_tag *tag,
                               double edge_m);

typedef struct {
    pov_pose T_table_camera;
    int used_len;                         /* tags that the pose rests on */
    pov_tag_outcome outcome[POV_TAG_MAX]; /* of pov_tags.tags[i]; holds also where there is no pose */
    double rms_px;                        /* reprojection error over the used tags' corners */
    double probability;                   /* that this, not the alternative, is the pose */
    bool has_alternative; /* another pose, mostly the mirrored one of a nearly flat set, fits too */
    pov_pose alternative_T_table_camera;
    int alternative_used_len;
    pov_tag_outcome alternative_outcome[POV_TAG_MAX];
    double alternative_rms_px;
} pov_camera_pose;

/** Camera pose by least squares on all corners of all mapped tags that agree.
 *  Returns: POV_OK; POV_UNDEFINED, numbers NaN, if no mapped tag is seen or none fits.
 *  Out:     pose: its covariance is the inverse of the information of corner noise and the map's covariance; the errors of tags
 *           on one panel are the same.
 *  Method:  Levenberg-Marquardt, Huber, started from both poses of each of the 16 largest tags so that the
 *           map resolves the ambiguity. A tag whose corners are beyond chi-square 8's 1 - 1e-4 point is
 *           rejected. If tags contradict one another evenly (two tags, one moved), the alternative is
 *           the pose by the other. No allocation. */
pov_code pov_camera_pose_estimate(pov_camera_pose *pose, const pov_camera *camera, const pov_tags *tags,
                                  const pov_tag_map *map);
