/** Bodies of a stage that are no thing of the catalogue. */
#pragma once

#include "perception/geometry/tag.h"
#include "sim/bodies/model.h"
#include "sim/worlds/world.h"

/** Printed tags and what lies flat are at their exact heights; what they lie on is this much lower. */
#define POV_STAGE_PAPER_M 0.0005

POV_MUST_USE pov_status pov_stage_ground_new(pov_model **model, const pov_world_surface *surface);
/** About the disc's axis, z from the ground up. */
POV_MUST_USE pov_status pov_stage_disc_new(pov_model **model, const pov_world_turntable *turntable);

/** A flat square with libapriltag's drawing of a tag, one texel a cell, in a white margin; nothing behind it. Its frame
 *  is the tag's: x right and y up as one reads it, z toward the reader. A sheet is several, by pov_model_append.
 *  In: edge_m: of the square whose corners are detected; margin_cells: white around libapriltag's drawing, which for most
 *  families has one cell of white of its own.
 *  Returns: POV_ERROR if the family has no such id. */
POV_MUST_USE pov_status pov_tag_model_new(pov_model **model, pov_tag_family family, int id, double edge_m,
                                          int margin_cells);
