/** Uncertainty of a body of which only the box is known: it touches its box somewhere, and seldom fills it. A possible body
 *  is a box inside the box, each of its faces deeper by an even share of up to the entity's shape_doubt of a side; three
 *  in ten fill their boxes well: up to POV_SHAPE_WELL_FILLED of that. Pure. */
#pragma once

#include "perception/visibility/ray_body.h"

/** shape_doubt of a body of which only the box is known. The three make what 36 kinds of things show past one another
 *  likeliest (docs/VISIBILITY.md). */
#define POV_SHAPE_DOUBT             0.35
#define POV_SHAPE_WELL_FILLED       0.3
#define POV_SHAPE_WELL_FILLED_SHARE 0.3

/** Depths of a possible body's faces behind those of the box, as shares of the sides along x, y, z. */
typedef struct {
    float low[3], high[3];
} pov_inset;

/** The number of bodies with errors of their own; further bodies follow from these and from their names. */
enum { POV_INSET_SLOTS = 3, POV_INSET_DIMENSIONS = 7 };

/** True if the body may differ from its box. */
bool pov_body_is_doubtful(const pov_entity *entity);

/** One possible body for each entity of a scene; those that are no doubtful boxes are left as they are.
 *  slots: who has the first places of `point`, POV_ID_NONE: nobody; point: POV_INSET_SLOTS * POV_INSET_DIMENSIONS in (0, 1). */
void pov_insets_of(pov_inset insets[POV_ENTITY_MAX], const pov_scene *scene,
                   const pov_id slots[POV_INSET_SLOTS], const double *point);

/** Box and place of an entity's possible body. */
void pov_inset_box(pov_vec3 *size_m, pov_vec3 *centre_m, const pov_entity *entity, const pov_inset *inset);

/** A box drawn in; of any other shape the body itself. */
pov_ray_body pov_ray_body_inset(const pov_ray_body *body, const pov_inset *inset);
