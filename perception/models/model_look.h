/** The detections of one image, and those that an entity of the cast may be. Pure. */
#ifndef POV_PERCEPTION_MODELS_MODEL_LOOK_H
#define POV_PERCEPTION_MODELS_MODEL_LOOK_H

#include "perception/models/model_contract.h"
#include "perception/models/model_place.h"

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
 *  entity it makes of `like`: seen, and placed. What an older look found may have moved since: its covariance grows.
 *  Out: entities; returns how many. Needs: max up to POV_MODEL_COUNT_MAX. */
int pov_model_look_entities(pov_entity *entities, const pov_model_looks *looks, const pov_entity *like,
                            const pov_model_build *build, const pov_camera *camera, int max);

#endif
