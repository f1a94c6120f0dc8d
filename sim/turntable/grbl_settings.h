/** A controller's settings, $0 to $133, with GRBL 1.1's checks. */
#ifndef POV_SIM_TURNTABLE_GRBL_SETTINGS_H
#define POV_SIM_TURNTABLE_GRBL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

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
/** "$100=88.889" for the setting of this number. Returns false where there is none. */
bool pov_grbl_settings_print(char *line, size_t capacity, const pov_grbl_settings *settings, int number);

#endif
