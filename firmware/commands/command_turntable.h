/** Shared by `pov turntable` and its simulation. */
#ifndef POV_FIRMWARE_COMMANDS_COMMAND_TURNTABLE_H
#define POV_FIRMWARE_COMMANDS_COMMAND_TURNTABLE_H

#include "firmware/options.h"

/** Takes a char: a letter of XYZABC. */
pov_option_take pov_turntable_take_axis;

#endif
