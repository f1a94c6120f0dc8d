/** A turntable that a person turns: which of the images that go by are worth keeping, and what is still missing. */
#ifndef POV_FIRMWARE_ENROL_HAND_TURN_H
#define POV_FIRMWARE_ENROL_HAND_TURN_H

#include "calib/turntable/ring_view.h"

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

#endif
