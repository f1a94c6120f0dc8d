/** An object's body from its silhouettes while it turns alone on a table: all space that no image shows to be empty
 *  (Laurentini 1994). A silhouette may contain the shadow; the shadow moves over the turning table, so other images show its
 *  place to be empty. */
#pragma once

#include "perception/objects/object_trial.h"

/** The turntable on which an object is enrolled. */
typedef struct {
    pov_vec3 axis_m; /* where the turning table's axis meets its top, in the table frame */
    double
        disc_m; /* radius of the turning disc; the background beyond it stays; 0: the disc is not visible */
    double room_m; /* width and height of the cylinder about the axis in which the object stands */
} pov_turn_stage;

/** The rectangle of an image in which an object on the stage can be, with a border: x, y, width, height. All zero: it is not
 *  in view. */
void pov_turn_room(int rectangle_px[4], const pov_camera *camera, const pov_transform *T_table_camera,
                   const pov_turn_stage *stage);

/** Makes portraits from every second shot, the first included.
 *  Out:     portraits; the trial sets their scatter, errors, symmetry, front; stand: the object's place.
 *  Returns: POV_ERROR if nothing stands there, it reaches beyond the room, or it looks like the table. */
POV_MUST_USE pov_status pov_object_carve(pov_portraits *portraits, pov_object_stand *stand,
                                         const pov_turn_shots *turn, const pov_turn_stage *stage);
