/** Does the turntable stand where it was told to? By the tags on it, where the station has measured them. */
#ifndef POV_FIRMWARE_SWEEP_SWEEP_SLIP_H
#define POV_FIRMWARE_SWEEP_SWEEP_SLIP_H

#include "perception/observation/observation.h"

/** Starts from {0}. */
typedef struct {
    bool begun;
    double zero_rad, zero_variance; /* measured less told, at the first stop and after each slip */
} pov_sweep_slip;

/** How far the table has slipped since the stop before, in radians; 0 if it has not, or nobody can tell.
 *  In:     told_rad, counter-clockwise; NAN: nothing turned it.
 *  Method: a slip is a change of (measured - told) of half a degree and four deviations; the difference of the two zeros
 *          is taken from the first stop. */
double pov_sweep_slip_of(pov_sweep_slip *slip, double told_rad, const pov_observed_turntable *measured);
/** The same, said to whoever runs the sweep. */
void pov_sweep_slip_warn(pov_sweep_slip *slip, double told_rad, const pov_observed_turntable *measured);

#endif
