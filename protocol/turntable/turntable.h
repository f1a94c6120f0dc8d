/** A turntable on a stepper controller that speaks GRBL 1.1: home, turn to an angle, report the angle. No call
 *  waits without an end. docs/TURNTABLE.md: wiring, settings, what can go wrong.
 *
 *  Angles are the table's, counter-clockwise seen from above, and count whole turns away: 0 is home. A controller counts
 *  steps; whether the table follows them only a camera sees. */
#pragma once

#include "protocol/turntable/grbl_line.h"
#include "protocol/turntable/serial_line.h"
#include "protocol/turntable/turntable_path.h"

typedef struct {
    char axis;                    /* one of XYZABC; GRBL on an Uno knows XYZ */
    bool clockwise;               /* a positive turn of the axis is clockwise */
    double speed_rad_s;           /* 0: the controller's highest */
    double take_up_rad;           /* arrive turning counter-clockwise, over at least so much; 0: either way */
    double steps_per_deg;         /* what the controller must say ($100); 0: whatever it says */
    double settle_s;              /* the table comes to rest after the motor */
    double connect_s;             /* to answer after opening; an Arduino takes 2 */
    double silence_s;             /* without any answer, in motion too */
    double home_s;                /* for homing */
    double reconnect_s;           /* for the line to come back once it is gone */
    bool (*stop_requested)(void); /* asked while waiting; NULL: never */
} pov_turntable_config;
#define POV_TURNTABLE_DEFAULT                                                                                \
    {                                                                                                        \
        .axis = 'X', .settle_s = 0.3, .connect_s = 5, .silence_s = 2, .home_s = 120, .reconnect_s = 10       \
    }

typedef struct {
    pov_grbl_state state;
    bool ready;       /* would take a turn */
    double angle_rad; /* [0, 2 pi) */
    double axis_deg;  /* the axis' own, not wrapped */
    bool restarted;   /* since it was last homed or zeroed by this driver: its zero may be anywhere */
    bool home_switch; /* is closed */
    bool simulated;
    bool can_home, soft_limits;
    double low_deg, high_deg; /* soft limits, of the axis; infinite without */
    double steps_per_deg, top_speed_rad_s, acceleration_rad_s2;
    int noise;        /* lines that were not understood so far */
    char version[32]; /* "1.1h" */
    char advice[320]; /* why it is not ready and what to do, or "" */
} pov_turntable_status;

typedef struct pov_turntable pov_turntable;

/** Opens the line and talks to the controller; the line stays the caller's. The table does not move. */
POV_MUST_USE pov_status pov_turntable_new(pov_turntable **table, pov_serial_line *line,
                                          const pov_turntable_config *config);
/** Leaves the controller as it is. */
void pov_turntable_destroy(pov_turntable **table);

/** Asks where it is. POV_OK also in an alarm: see `ready` and `advice`. */
POV_MUST_USE pov_status pov_turntable_ask(pov_turntable *table, pov_turntable_status *status);

/** To the home switch, which then is 0 (less the pull-off). POV_END if asked to stop. */
POV_MUST_USE pov_status pov_turntable_home(pov_turntable *table);
/** Without a switch: where it stands is 0 from now on. */
POV_MUST_USE pov_status pov_turntable_zero_here(pov_turntable *table);
/** Ends an alarm. */
POV_MUST_USE pov_status pov_turntable_unlock(pov_turntable *table);

/** The drift of the table's angle against its count since homing, counter-clockwise, accurate to 0.1 deg: turns
 *  slowly past the home switch. POV_ERROR also where that is more than 6 deg. */
POV_MUST_USE pov_status pov_turntable_check(pov_turntable *table, double *slip_rad);

/** Starts a turn and returns at once. The way is the table's: POSITIVE is counter-clockwise. */
POV_MUST_USE pov_status pov_turntable_start(pov_turntable *table, double angle_rad, pov_turn_way way);
/** Starts a counter-clockwise turn by any angle, whole turns included, at a speed, and returns at once.
 *  Returns: POV_ERROR also if soft limits bar it, or it is faster than the controller goes. */
POV_MUST_USE pov_status pov_turntable_start_by(pov_turntable *table, double by_rad, double speed_rad_s);
/** Looks after the turn, for some tens of milliseconds. Lost commands are sent again; a line that went comes back.
 *  Returns: POV_OK it has arrived and settled; POV_TIMEOUT under way, ask again; POV_END stopped as asked (it stands);
 *           POV_ERROR it will not arrive. */
POV_MUST_USE pov_status pov_turntable_poll(pov_turntable *table, pov_turntable_status *status);
/** Both, to the end. */
POV_MUST_USE pov_status pov_turntable_move(pov_turntable *table, double angle_rad, pov_turn_way way);

/** Comes to rest as fast as it may, without losing steps, also from a jog, and forgets where it was going. */
POV_MUST_USE pov_status pov_turntable_stop(pov_turntable *table);
