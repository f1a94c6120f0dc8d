/** Chooses the way round to an angle. Pure; degrees of the axis, not wrapped. */
#pragma once

#include <stdbool.h>

typedef enum { POV_TURN_SHORTEST, POV_TURN_POSITIVE, POV_TURN_NEGATIVE } pov_turn_way;

/** The limits of a path. */
typedef struct {
    double low_deg, high_deg; /* soft limits; infinite without */
    double take_up_deg;       /* arrive turning the positive way, over at least so much; 0: either way */
    double step_deg;          /* what is nearer than this is the same */
} pov_turntable_bounds;

/** One or two turns: to targets_deg[0], then, if len is 2, the take-up to targets_deg[1]. */
typedef struct {
    int len; /* 0: it stands there already */
    double targets_deg[2];
} pov_turntable_path;

/** The path from from_deg to an angle that equals angle_deg up to whole turns. SHORTEST goes the positive way if both are
 *  equally long, and the longer way where limits bar the shorter.
 *  Returns false where the limits bar every way. */
bool pov_turntable_path_find(pov_turntable_path *path, double from_deg, double angle_deg, pov_turn_way way,
                             const pov_turntable_bounds *bounds);
