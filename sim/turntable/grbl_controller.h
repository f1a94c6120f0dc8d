/** A stepper controller that turns a table, as GRBL 1.1 speaks and moves: bytes in, bytes out, and the angle at which the
 *  table truly stands. A simulated thing; its banner says so. It can be told to fail.
 *
 *  Pure: time is what the caller says, never earlier than before. Each turn goes from rest to rest under the settings'
 *  speed and acceleration. The home switch is where the true angle is 0. */
#pragma once

#include "perception/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- A controller's settings, $0 to $133, with GRBL 1.1's checks. ---- */

enum {
    POV_GRBL_SETTING_SOFT_LIMITS = 20,
    POV_GRBL_SETTING_HOMING = 22,
    POV_GRBL_SETTING_HOMING_MASK = 23,
    POV_GRBL_SETTING_HOMING_FEED = 24,
    POV_GRBL_SETTING_HOMING_SEEK = 25,
    POV_GRBL_SETTING_PULL_OFF = 27,
    POV_GRBL_SETTING_REPORT = 10,
    POV_GRBL_SETTING_STEPS = 100, /* and these for the first axis; the next axes' follow */
    POV_GRBL_SETTING_RATE = 110,
    POV_GRBL_SETTING_ACCELERATION = 120,
    POV_GRBL_SETTING_TRAVEL = 130,
    POV_GRBL_SETTING_COUNT = 140
};

/** By number; those that do not exist are NaN. */
typedef struct {
    double value[POV_GRBL_SETTING_COUNT];
} pov_grbl_settings;

/** A turntable with a 1.8 deg motor at 16 microsteps and a 1:10 gear (88.889 steps/deg), 45 deg/s, 90 deg/s^2, and a home
 *  switch; for `axes` axes. */
pov_grbl_settings pov_grbl_settings_default(int axes);

/** Returns GRBL's error number; the settings are then unchanged. */
int pov_grbl_settings_set(pov_grbl_settings *settings, double number, double value);

/* ---- What hangs on the motor: a disc that slips, has play, and follows late. Pure: angles and times in, an angle out. ---- */

typedef struct {
    double slip;         /* share of each turn that does not reach the disc, 0 to 1 */
    double backlash_deg; /* a reversed turn moves the disc only after this angle */
    double lag_s;        /* the disc comes after with this time constant */
} pov_grbl_play;

/** Start with all angles at the disc's. */
typedef struct {
    double motor_deg; /* as last seen; its zero means nothing */
    double drive_deg; /* what of it reaches the disc */
    double free_deg;  /* where the disc would stand without lag */
    double disc_deg;  /* where it stands: the truth */
    int64_t now_ns;
} pov_grbl_table;

/* ---- */

/** All zero: none. */
typedef struct {
    pov_grbl_play play; /* slip, backlash, lag of the disc */
    int lost_steps;     /* microsteps that the motor loses at the start of each turn */
    double garbage;     /* share of its lines that leave as noise, 0 to 1 */
    double drop;        /* share of bytes that are lost on the line, both ways, 0 to 1 */
    int hang_in_turn;   /* half way through the n-th turn from now on it stops for good; 0: never */
    int reset_in_turn; /* half way through the n-th turn from now on its power fails for a moment; 0: never */
} pov_grbl_faults;

typedef struct {
    char axis; /* one of XYZABC */
    pov_grbl_settings settings;
    double start_rad; /* where the table truly stands when power comes */
    pov_grbl_faults faults;
    uint64_t seed; /* of garbage and drop */
} pov_grbl_controller_config;

/** Axis X with GRBL's settings for a table, at angle 0, without faults. */
pov_grbl_controller_config pov_grbl_controller_config_default(void);

typedef struct pov_grbl_controller pov_grbl_controller;

/** Power comes at now_ns. */
POV_MUST_USE pov_status pov_grbl_controller_new(pov_grbl_controller **controller,
                                                const pov_grbl_controller_config *config, int64_t now_ns);
void pov_grbl_controller_destroy(pov_grbl_controller **controller);

/** Bytes from the host. */
void pov_grbl_controller_receive(pov_grbl_controller *controller, const char *bytes, size_t length,
                                 int64_t now_ns);
/** Takes the bytes that have left the controller by now_ns; returns their number. Beyond 8 KiB the newest are lost. */
size_t pov_grbl_controller_send(pov_grbl_controller *controller, char *bytes, size_t capacity,
                                int64_t now_ns);

/** The table's true angle, positive as a positive turn; not wrapped. */
double pov_grbl_controller_true_rad(pov_grbl_controller *controller, int64_t now_ns);
/** The angle that the controller believes (its machine position). */
double pov_grbl_controller_commanded_rad(pov_grbl_controller *controller, int64_t now_ns);
/** When it wants to be asked again at the latest; INT64_MAX: only when something is received. */
int64_t pov_grbl_controller_due_ns(const pov_grbl_controller *controller);

/** Replaces all faults; for tests that inject them. */
void pov_grbl_controller_fail(pov_grbl_controller *controller, const pov_grbl_faults *faults, int64_t now_ns);
