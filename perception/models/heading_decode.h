/** From a network's numbers to a heading as the camera sees it: a mixture with as many modes as the thing has sides that
 *  look alike. Pure. */
#pragma once

#include "perception/models/model_contract.h"

/** In: numbers as in pov_heading_contract, those of the symmetries last.
 *  Out: modes, the heaviest first.
 *  Bins: each peak becomes a mode, with the bins that lead up to it. A symmetry of order n repeats a mode n times, each
 *  order in proportion to its probability; any turn the likeliest: no front (len 0). Modes beyond the scene's
 *  POV_HEADING_MODES_MAX, the least likely, are left out. Numbers that are not finite: one mode of kappa 0. */
pov_seen_heading pov_heading_decode(const pov_heading_contract *contract, const float *numbers);
