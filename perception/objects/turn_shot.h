/** One image of a turn of the table, cut to where the object can be. Plain data. */
#ifndef POV_PERCEPTION_OBJECTS_TURN_SHOT_H
#define POV_PERCEPTION_OBJECTS_TURN_SHOT_H

#include "perception/geometry/camera.h"
#include "perception/image/image.h"

typedef struct {
    double angle_rad;  /* of the table, counter-clockwise from above */
    pov_camera camera; /* of the piece that was cut out: its middle is elsewhere */
    pov_transform T_table_camera;
    pov_image image;
} pov_turn_shot;

/** A turn, in order of angle, and the whole image of the table with nothing on it; its angle is that of the table then. */
typedef struct {
    int len;
    const pov_turn_shot *shots;
    pov_turn_shot empty;
} pov_turn_shots;

#endif
