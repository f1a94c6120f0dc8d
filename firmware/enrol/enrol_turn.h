/** A turn of an object at a station: images, where the table stood in each, and what can be cut from them. */
#ifndef POV_FIRMWARE_ENROL_ENROL_TURN_H
#define POV_FIRMWARE_ENROL_ENROL_TURN_H

#include "firmware/enrol/hand_turn.h"
#include "firmware/station/station.h"
#include "perception/carving/object_carve.h"

typedef struct {
    const char *empty; /* an image of the table with nothing on it; NULL: asks for it and takes it */
    int stops;         /* of the turn */
    bool by_hand;
    bool has_axis;
    pov_vec3 axis_m; /* where the turntable's axis meets its top */
    bool has_top;
    double top_m; /* height of the turntable's top above the table frame's plane */
    double
        ring_edge_m; /* edge of the tags on the turntable; 0: the station's cast gives it, or it is unknown */
    double room_m;
} pov_enrol_turn_options;

typedef struct {
    int len;
    pov_turn_shot *shots; /* in order of angle, cut to the room */
    pov_turn_shot empty;  /* whole */
    pov_turn_stage stage;
    uint8_t *pixels; /* of all shots and the empty table */
} pov_enrol_turn;

/** Turns the table, or waits for it to be turned, and shoots. Free in any case.
 *  Returns: POV_ERROR naming what is missing: the camera's pose, tags on the turntable or --axis, an image of the empty table;
 *           POV_END: asked to stop. */
POV_MUST_USE pov_status pov_enrol_turn_take(pov_enrol_turn *turn, const pov_station *station,
                                            const pov_enrol_turn_options *options);
void pov_enrol_turn_free(pov_enrol_turn *turn);

#endif
