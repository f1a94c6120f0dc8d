/** An object's body from its silhouettes, as it turns alone on a table: all of space that no image shows to be empty. What
 *  looks different from the empty table is the object or its shadow; a shadow lies elsewhere on the turning table in each
 *  image, so that others show its place to be empty (Laurentini 1994). */
#ifndef POV_PERCEPTION_CARVING_OBJECT_CARVE_H
#define POV_PERCEPTION_CARVING_OBJECT_CARVE_H

#include "perception/objects/object_trial.h"

/** Where an object is enrolled. */
typedef struct {
    pov_vec3 axis_m; /* where the turning table's axis meets its top, in the table frame */
    double disc_m;   /* radius of what turns; beyond it the background stays; 0: none of it is seen to turn */
    double room_m;   /* the object stands within a cylinder about the axis, so wide and so high */
} pov_turn_stage;

/** The rectangle of an image in which an object on the stage can be, with a border: x, y, width, height. All zero: it is not
 *  in view. */
void pov_turn_room(int rectangle_px[4], const pov_camera *camera, const pov_transform *T_table_camera,
                   const pov_turn_stage *stage);

/** Portraits from every second shot, the first included.
 *  Out:     portraits, but for what a trial finds: scatter, errors, symmetry, front; where it stood.
 *  Returns: POV_ERROR if nothing stands there, it reaches beyond the room, or is not to be told from the table. */
POV_MUST_USE pov_status pov_object_carve(pov_portraits *portraits, pov_object_stand *stand,
                                         const pov_turn_shots *turn, const pov_turn_stage *stage);

#endif
