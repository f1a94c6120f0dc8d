/** Shared by the simulated controller's parts: state, motion (grbl_motion.c), speech (grbl_controller.c). */
#pragma once

#include "sim/turntable/grbl_controller.h"

#include <stdbool.h>

/* ---- A turn under bounded speed and acceleration: up, along, down; a triangle of speed where it is short. Angles are in
 * degrees, which are a controller's millimetres when its axis turns. ---- */

typedef struct {
    double from_deg, sign; /* sign: 1 or -1 */
    double peak_deg_s, acceleration_deg_s2;
    double up_s, along_s, down_s;
} grbl_ramp;

/* ---- A line of G-code, as a controller with one axis takes it. ---- */

/** GRBL's own numbers, as in "error:20". */
enum {
    POV_GRBL_OK = 0,
    POV_GRBL_NO_LETTER = 1,
    POV_GRBL_BAD_NUMBER = 2,
    POV_GRBL_NO_STATEMENT = 3,
    POV_GRBL_BELOW_ZERO = 4,
    POV_GRBL_NO_HOMING = 5,
    POV_GRBL_SHORT_PULSE = 6,
    POV_GRBL_NOT_IDLE = 8,
    POV_GRBL_LOCKED = 9,
    POV_GRBL_LIMITS_NEED_HOMING = 10,
    POV_GRBL_LONG_LINE = 11,
    POV_GRBL_TOO_FAST = 12,
    POV_GRBL_JOG_TOO_FAR = 15,
    POV_GRBL_BAD_JOG = 16,
    POV_GRBL_UNSUPPORTED = 20,
    POV_GRBL_TWO_OF_A_GROUP = 21,
    POV_GRBL_NO_FEED = 22,
    POV_GRBL_NOT_INTEGER = 23,
    POV_GRBL_TWO_USES_OF_AXIS = 24,
    POV_GRBL_REPEATED = 25,
    POV_GRBL_NO_AXIS = 26,
    POV_GRBL_MISSING_VALUE = 28,
    POV_GRBL_NO_SUCH_SYSTEM = 29,
    POV_GRBL_TOO_FAR = 33,
    POV_GRBL_UNUSED = 36
};

typedef enum { POV_GRBL_KEEP, POV_GRBL_SEEK, POV_GRBL_FEED } pov_grbl_motion;

/* ---- */

enum { GRBL_QUEUE_MAX = 15, GRBL_LINE_MAX = 80, GRBL_RX_MAX = 128, GRBL_TX_MAX = 8192 };

typedef enum { GRBL_IDLE, GRBL_RUN, GRBL_HOLD, GRBL_JOG, GRBL_HOME, GRBL_ALARM, GRBL_STATE_COUNT } grbl_state;

typedef struct {
    double target_deg, speed_deg_s; /* machine coordinates */
    bool jog;
} grbl_turn;

struct pov_grbl_controller {
    pov_grbl_controller_config config;
    int axis_index;
    int64_t now_ns;
    grbl_state state;
    bool hung, critical; /* critical: deaf to all but a reset */
    bool cancelling;     /* a jog comes to rest, and the rest of it is forgotten */

    /* motion */
    bool moving;
    grbl_ramp ramp;
    int64_t ramp_start_ns, ramp_end_ns;
    int64_t strike_ns; /* when a fault stops the turn under way */
    double rest_deg;   /* machine position while nothing moves */
    double shift_deg;  /* what the motor has turned in all, less the machine position */
    grbl_turn current; /* under way, or held */
    bool held;
    grbl_turn queue[GRBL_QUEUE_MAX];
    int queue_len;
    int turns; /* since the faults were set */
    int home_phase;
    pov_grbl_table table;

    /* G-code's memory */
    pov_grbl_motion motion;
    bool relative, inches;
    double feed_deg_min;
    double g54_deg, g92_deg;

    /* lines */
    char line[GRBL_LINE_MAX + 1]; /* received so far */
    int line_len;                 /* over GRBL_LINE_MAX: too long */
    int comment;                  /* 0, or the byte that ends it */
    char rx[GRBL_RX_MAX];         /* waits while the queue is full */
    int rx_len;
    char tx[GRBL_TX_MAX];
    size_t tx_len;
    bool report_wanted;
    int reports;
    uint64_t random;
};

/* grbl_motion.c */
double grbl_position_deg(const pov_grbl_controller *self);
double grbl_speed_deg_s(const pov_grbl_controller *self);
/* The end of the last turn in the queue. */
double grbl_planned_deg(const pov_grbl_controller *self);
double grbl_setting(const pov_grbl_controller *self, int number); /* of the axis, where it has its own */
bool grbl_switch_closed(const pov_grbl_controller *self);
void grbl_advance(pov_grbl_controller *self, int64_t now_ns);
void grbl_push(pov_grbl_controller *self, const grbl_turn *turn);
void grbl_hold(pov_grbl_controller *self);
void grbl_resume(pov_grbl_controller *self);
void grbl_cancel_jog(pov_grbl_controller *self);
/* Stops dead and forgets all turns. */
void grbl_halt(pov_grbl_controller *self);
void grbl_home(pov_grbl_controller *self);

/* grbl_controller.c */
void grbl_say(pov_grbl_controller *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
void grbl_power_on(pov_grbl_controller *self);
void grbl_alarm(pov_grbl_controller *self, int code);

/* grbl_command.c */
/* Answers a line without blanks and comments. */
void grbl_execute(pov_grbl_controller *self, const char *line);
