/** A world set up for the renderer: bodies, ground, turntable and tags at their places. */
#pragma once

#include "sim/bodies/furniture_package.h"
#include "sim/render/shutter.h"
#include "sim/worlds/world.h"

/** Labels of a rendering: a thing's is its entity's id in pov_world_scene; these are what is not an entity. */
enum { POV_LABEL_GROUND = 1000, POV_LABEL_TURNTABLE, POV_LABEL_TAG };

typedef struct pov_stage pov_stage;

/** package: where things that are said to have its bodies get them (sim/worlds/world_bodies.h); NULL: all have our own. */
POV_MUST_USE pov_status pov_stage_new(pov_stage **stage, const pov_furniture_options *package);
void pov_stage_destroy(pov_stage **stage);

/** Takes over a world at turn 0, through its camera. Bodies that the world before had too are not built again.
 *  Returns: POV_ERROR naming a tag that its family does not have, what is damaged in the package, or what Embree
 *  lacks. */
POV_MUST_USE pov_status pov_stage_set(pov_stage *stage, const pov_world *world);
/** Moves what follows a path, and the light, to that time; the next turn shows it. */
void pov_stage_move(pov_stage *stage, double time_s);
/** Turns the world; some microseconds. */
POV_MUST_USE pov_status pov_stage_turn(pov_stage *stage, double turn_rad);
/** Looks through the world's own camera, as pov_stage_set does. */
POV_MUST_USE pov_status pov_stage_look_own(pov_stage *stage);
/** Looks from a viewer's eye, as wide as its field of view, up to 120 degrees; its own body is hidden.
 *  Lasts until the next look. Out: the camera that does so, width_px wide. */
POV_MUST_USE pov_status pov_stage_look_as(pov_stage *stage, pov_camera *camera, pov_id viewer, int width_px);

/** As pov_renderer_draw: threads may draw disjoint rows. */
void pov_stage_draw(const pov_stage *stage, pov_rendering *rendering, int first_row, int end_row);

/** Draws through the world's camera while the world turns: rows as the shutter exposes them. The truth is then that of the
 *  middle of the exposure. */
POV_MUST_USE pov_status pov_stage_expose(pov_stage *stage, pov_rendering *rendering, pov_shutter *shutter,
                                         int64_t mid_exposure_ns);

/** The truth at this turn. */
const pov_scene *pov_stage_scene(const pov_stage *stage);

/** The body of the world's thing of that index, until the next world is set. */
const pov_model *pov_stage_body(const pov_stage *stage, int thing);

/** Share of a target that a viewer has in its field of view and unhidden, of its whole silhouette's solid angle, counted
 *  in pixels of a picture taken from the viewer's eye, about 64 across the target. NaN if it cannot see or is the target.
 *  A look as a viewer ends with it. */
POV_MUST_USE pov_status pov_stage_fraction_visible(pov_stage *stage, double *fraction, pov_id viewer,
                                                   pov_id target);
