/** Finds balls of known colour and radius: the exact outline of a sphere, fitted to the part of the edge that is
 *  surely the ball's. */
#pragma once

#include "perception/balls/ball_kind.h"
#include "perception/geometry/camera.h"
#include "perception/status.h"
#include "perception/tracking/memory.h"

/** One ball. Position and outline are those of the sphere's exact projection. */
typedef struct {
    int kind;                   /* index into the configuration's kinds */
    pov_vec3 pos_camera_m;      /* centre in the camera frame */
    double cov_camera_m2[3][3]; /* given the camera pose exactly; fused with the height where that is known */
    double
        per_camera_pose[3]
                       [6];  /* d(position in the table frame) / d(camera pose error); zero if pose unknown */
    double fraction_visible; /* of its outline's arc that was found */
    double confidence;       /* in [0, 1] */
} pov_ball;

typedef struct {
    int len;
    bool truncated;
    pov_ball balls[POV_BALL_MAX];
} pov_balls;

typedef struct pov_ball_detector pov_ball_detector;

/** Allocates all work space for images of the camera's size. */
POV_MUST_USE pov_status pov_ball_detector_new(pov_ball_detector **detector,
                                              const pov_ball_detector_config *config,
                                              const pov_camera *camera);
void pov_ball_detector_destroy(pov_ball_detector **detector);

/** Finds balls, best first within each kind, at most max_count of each.
 *
 *  With a memory, each ball is looked for where it is expected; pov_ball_detector_remember searches for missing ones. Without one, or if the memory is of another moment, the image is searched whole.
 *  In: image of the camera's size (else POV_SKIPPED); T_table_camera, or NULL when unknown: then heights are not used;
 *  memory of pov_ball_memory's shape, or NULL. */
POV_MUST_USE pov_status pov_ball_detector_run(pov_ball_detector *detector, pov_balls *balls,
                                              const pov_image *image, const pov_pose *T_table_camera,
                                              pov_memory *memory);
/** Then, when nobody waits for the image any more: searches a part of it for missing balls, so that the whole is searched in half a
 *  second, and notes all for the next image. Same image and pose. Without this call nothing of the image is remembered. */
void pov_ball_detector_remember(pov_ball_detector *detector, const pov_image *image,
                                const pov_pose *T_table_camera, pov_memory *memory);
extern const pov_memory_shape pov_ball_memory;
