/** A turn of an object at a station: images, where the table stood in each, and what can be cut from them. */
#pragma once

#include "calib/turntable/ring_view.h"
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

/** A turntable that a person turns: which of the images that go by are worth keeping, and what is still missing. */

enum { POV_ENROL_SHOT_MAX = 144 };

typedef struct {
    double apart_rad;    /* images nearer than this to a kept one are not needed */
    double gap_most_rad; /* round is round when no gap between kept ones is wider */
    int len;
    double angle_rad[POV_ENROL_SHOT_MAX]; /* since the first, counter-clockwise, in order of taking */
} pov_hand_turn;

/** For about `stops` images of a round. */
pov_hand_turn pov_hand_turn_for(int stops);

/** The angle of a view since the first, told from the kept view that shares most tags with it; NAN if none does. 0 for the
 *  first.   kept: as many as `turn` has. */
double pov_hand_turn_angle(const pov_hand_turn *turn, const pov_camera *camera, const pov_ring_view *kept,
                           const pov_ring_view *view);

bool pov_hand_turn_wants(const pov_hand_turn *turn, double angle_rad);

void pov_hand_turn_keep(pov_hand_turn *turn, double angle_rad);

typedef struct {
    double from_rad, wide_rad;
} pov_hand_gap;

/** The widest; all of the circle while fewer than two are kept. */
pov_hand_gap pov_hand_turn_gap(const pov_hand_turn *turn);

bool pov_hand_turn_is_round(const pov_hand_turn *turn);

/** The part of the circle that is covered closely enough, of 2 pi. */
double pov_hand_turn_seen(const pov_hand_turn *turn);
