/** Bodies of a stage that are no thing of the catalogue. */
#ifndef POV_SIM_WORLDS_STAGE_MODELS_H
#define POV_SIM_WORLDS_STAGE_MODELS_H

#include "sim/worlds/world.h"

/** Printed tags and what lies flat are at their exact heights; what they lie on is this much lower. */
#define POV_STAGE_PAPER_M 0.0005

POV_MUST_USE pov_status pov_stage_ground_new(pov_model **model, const pov_world_surface *surface);
/** About the disc's axis, z from the ground up. */
POV_MUST_USE pov_status pov_stage_disc_new(pov_model **model, const pov_world_turntable *turntable);

#endif
