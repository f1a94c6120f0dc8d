/** Shared by `pov turntable` and its simulation. */
#pragma once

#include "firmware/options.h"

/** Takes a char: a letter of XYZABC. */
pov_option_take pov_turntable_take_axis;
