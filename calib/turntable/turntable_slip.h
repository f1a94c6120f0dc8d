/** Compares commanded with measured angles of a turntable: zero, direction, backlash and slips. Pure. */
#pragma once

#include "perception/status.h"

#include <stdbool.h>

enum { POV_SLIP_MAX = 16, POV_SLIP_STOP_MAX = 400 };

/** One stop, in the order they were made. Angles are modulo a turn. */
typedef struct {
    double commanded_rad;      /* commanded, in the numbers of the command */
    double angle_rad, std_rad; /* where it stood: counter-clockwise */
    int way; /* it came there counting up (1) or down (-1); 0: by the shortest way from the stop before */
} pov_turn_stop;

/** Between the stop before and this one the table came to stand ahead of its count (counter-clockwise) by so much. */
typedef struct {
    int stop;
    double jump_rad, std_rad;
} pov_slip;

typedef struct {
    bool clockwise;                /* counting up turns it clockwise, seen from above */
    double zero_rad, zero_std_rad; /* where it stood when told 0, before it slipped */
    bool has_backlash;             /* it was turned both ways */
    double backlash_rad,
        backlash_std_rad; /* counting up it stands behind by half of this, counting down ahead */
    int slip_len;
    pov_slip slips[POV_SLIP_MAX];
    double creep, creep_std; /* share of each turn by which it comes further than told, after all that */
    double scatter_rad;      /* standard deviation of the residual */
} pov_slip_report;

/** Out: report; where[i]: how far stop i was ahead of its count, counter-clockwise, once the zero is taken off: play, slip
 *  and all.
 *  Returns: POV_UNDEFINED for fewer than three stops, or if the stops do not tell the direction (steps of half a turn).
 *  A jump is a slip above both 0.25 degrees and five standard deviations. No allocation. */
pov_code pov_slip_find(pov_slip_report *report, double *where_rad, const pov_turn_stop *stops, int len);
