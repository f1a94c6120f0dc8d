/** What `pov vlm-sim` takes. Only in a build with POV_WITH_SIM. */
#pragma once

#include "firmware/options.h"

/** The biases of --bias. */
pov_names pov_vlm_sim_bias_names;
