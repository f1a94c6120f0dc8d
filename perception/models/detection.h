/** A network's detections in an image: boxes with a class, a score and perhaps a heading. Plain data. */
#pragma once

#include "perception/scene/scene.h"

#include <math.h>

enum { POV_DETECTION_MAX = 128, POV_KEYPOINT_MAX = 26 /* of a body with its feet; others have 17 */ };

typedef enum {
    POV_HEADING_UNSEEN,
    POV_HEADING_OF_RAY, /* by its appearance, relative to the ray from the camera to the thing */
    POV_HEADING_OF_AXIS /* against the camera's optical axis */
} pov_heading_against;

/** A heading as the camera sees it: yaw 0 points away from the camera, counter-clockwise from above, for a camera that
 *  does not tilt. A direction, when there is one, holds for tilted cameras too. */
typedef struct {
    pov_heading_against against;
    pov_heading heading; /* len 0: the network says that it has no front */
    bool has_direction;
    pov_vec3 direction; /* of the first mode's front, in the camera frame turned to look along ray or axis */
} pov_seen_heading;

/** A point of a thing, in pixels as the boxes: an elbow, the tip of a nose. */
typedef struct {
    float x_px, y_px, score; /* score: of a point that the network does not grade, 1 */
} pov_keypoint;

typedef struct {
    int class_index; /* among the model's classes */
    double score;    /* in [0, 1] */
    pov_pixel_box box;
    pov_seen_heading seen;
    int keypoint_len; /* in the network's order */
    pov_keypoint keypoints[POV_KEYPOINT_MAX];
} pov_detection;

/** Intersection over union. */
static inline double pov_box_overlap(pov_pixel_box a, pov_pixel_box b)
{
    const double width = fmin(a.right_px, b.right_px) - fmax(a.left_px, b.left_px);
    const double height = fmin(a.bottom_px, b.bottom_px) - fmax(a.top_px, b.top_px);
    if (width <= 0 || height <= 0)
        return 0;
    const double area_a = (a.right_px - a.left_px) * (a.bottom_px - a.top_px);
    const double area_b = (b.right_px - b.left_px) * (b.bottom_px - b.top_px);
    return width * height / (area_a + area_b - width * height);
}

/** Best first. */
typedef struct {
    int len;
    bool truncated;
    int empty_len; /* dropped: boxes without area, or beside the image, in the letterbox's filling */
    pov_detection detections[POV_DETECTION_MAX];
} pov_detections;
