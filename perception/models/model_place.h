/** Position and heading of a detected thing, from its box in the image, its size, and its support. Pure. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/models/detection.h"
#include "perception/models/model_contract.h"

/** Prior knowledge. */
typedef struct {
    char class_name[POV_NAME_CAPACITY];  /* as the model calls it */
    double stands_on_m, stands_on_std_m; /* height of what it stands on, in the table frame */
    double box_std_share;                /* of an edge of a detection, as a share of the box's side */
} pov_model_build;

#define POV_MODEL_BUILD_DEFAULT                                                                              \
    {                                                                                                        \
        .stands_on_std_m = 0.003, .box_std_share = 0.05                                                      \
    }

/** Places an entity of known size (size_m, upright) where its outline fits the box's edges best; an edge at the rim of the
 *  image tells nothing. Without a heading that is narrow, a thing that is not round may be turned anyhow: its position is the
 *  mean over all turns, each weighed by how well the box fits it, and its box is turned as is likeliest.
 *  Out: entity: position with covariance, heading and box as turned in the table frame, placed.
 *  Returns: POV_UNDEFINED, the entity untouched, if no place on its support fits: cut off by the rim, above the horizon,
 *  far from the size it should have. */
pov_code pov_model_place(pov_entity *entity, const pov_detection *detection, const pov_model_build *build,
                         const pov_camera *camera, const pov_pose *T_table_camera);

/** A heading seen along a direction (camera frame), in the table frame. */
pov_heading pov_model_heading(const pov_seen_heading *seen, pov_vec3 direction_camera,
                              pov_rot R_table_camera);

enum { POV_MODEL_MAX = 4, POV_MODEL_COUNT_MAX = 32 };

/** One detector's look at one image, which may be older than the one that is judged. */
typedef struct {
    const pov_model_contract *contract; /* borrowed */
    pov_detections found;
    double age_s; /* how much older */
    bool has_pose;
    pov_pose T_table_camera; /* then */
} pov_model_look;

typedef struct {
    int len;
    pov_model_look looks[POV_MODEL_MAX];
} pov_model_looks;

/** The best `max` detections of a class that can be placed (all, while no pose is known), from left to right, each as the
 *  entity it makes of `like`: seen, and placed. A thing of an older look may have moved since: its covariance grows.
 *  Out: entities; returns how many. Needs: max up to POV_MODEL_COUNT_MAX. */
int pov_model_look_entities(pov_entity *entities, const pov_model_looks *looks, const pov_entity *like,
                            const pov_model_build *build, const pov_camera *camera, int max);
