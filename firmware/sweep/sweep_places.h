/** Where on COMFORT's curves a sweep's images belong. */
#ifndef POV_FIRMWARE_SWEEP_SWEEP_PLACES_H
#define POV_FIRMWARE_SWEEP_SWEEP_PLACES_H

#include "compare/statistics/curve.h"

/** Starts as zeros. */
typedef struct {
    bool taken[POV_CURVE_SAMPLES];
    bool has_base;
    double base_deg; /* the referent's azimuth when the table is at 0, a multiple of 10 */
} pov_sweep_places;

/** The place that the turn gives an image, or else the nearest to the referent's azimuth phi, if it is free; NaN: none.
 *  turn_deg, phi_deg: NaN if not known. */
double pov_sweep_places_take(pov_sweep_places *places, double turn_deg, double phi_deg);

/** An image that was taken before, at curve_deg; NaN: at no place. */
void pov_sweep_places_remember(pov_sweep_places *places, double turn_deg, double curve_deg);

/** a - b, in (-180, 180]. */
double pov_sweep_difference_deg(double a_deg, double b_deg);

#endif
