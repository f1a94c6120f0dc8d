/** Where an image belongs on COMFORT's curves. */
#pragma once

#include "compare/statistics/curve.h"

#include <stdbool.h>

/** Start from {0}. */
typedef struct {
    bool has_base;
    double base_deg; /* the referent's azimuth when the table is at 0, a multiple of 10 */
} pov_curve_places;

/** The place that the turn gives an image, or else the nearest to the referent's azimuth phi; NaN: none. Several images may have the same:
 *  where a log is read, the nearest one counts (compare/log/answer_export.h). turn_deg, phi_deg: NaN if not known. */
double pov_curve_places_find(pov_curve_places *places, double turn_deg, double phi_deg);

/** An image that was taken before, at curve_deg; NaN: at no place. */
void pov_curve_places_remember(pov_curve_places *places, double turn_deg, double curve_deg);

/** a - b, in (-180, 180]. */
double pov_curve_difference_deg(double a_deg, double b_deg);
