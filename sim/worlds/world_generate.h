/** Worlds whose things are made again for each image. Deterministic by the world's seed. */
#pragma once

#include "sim/worlds/world.h"

/** Replaces the world's things, and where its generator says so its camera, by those of image `index`. The world's
 *  generator must be one. */
POV_MUST_USE pov_status pov_world_generate(pov_world *world, int index);

/** The cast of a task of the "vpt" world: 9 pairs x 4 positions x 2 orientations x 2 views, views fastest. */
enum {
    POV_VPT_PAIRS = 9,
    POV_VPT_POSITIONS = 4,
    POV_VPT_ORIENTATIONS = 2,
    POV_VPT_VIEWS = 2,
    POV_VPT_TASKS = 144
};
typedef struct {
    int pair, position, orientation, view;
} pov_vpt_task;
pov_vpt_task pov_vpt_task_of(int index);
