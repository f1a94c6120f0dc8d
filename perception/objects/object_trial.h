/** Errors of an enrolled object's place and turn, measured on images of its turn that no portrait was made from. */
#pragma once

#include "perception/appearance/portrait.h"
#include "perception/geometry/camera.h"
#include "perception/image/image.h"
#include "perception/status.h"

/** One image of a turn of the table, cut to where the object can be. */
typedef struct {
    double angle_rad;  /* of the table, counter-clockwise from above */
    pov_camera camera; /* of the piece that was cut out: its middle is elsewhere */
    pov_transform T_table_camera;
    pov_image image;
} pov_turn_shot;

/** A turn, in order of angle; and the whole image of the empty table, with the table's angle then. */
typedef struct {
    int len;
    const pov_turn_shot *shots;
    pov_turn_shot empty;
} pov_turn_shots;

/** The object's place: T_table_object(angle) is that at angle 0 turned about the axis. */
typedef struct {
    pov_vec3 axis_m;
    pov_transform T_table_object;
} pov_object_stand;

/** Tries every second shot, from the second on. Sets the portraits' scatter, errors, and the factors by which the fit's
 *  standard deviations are widened. An error of the stand, the same in all shots, is not seen. */
POV_MUST_USE pov_status pov_portraits_try(pov_portraits *portraits, const pov_turn_shots *turn,
                                          const pov_object_stand *stand);
