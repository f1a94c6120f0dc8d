/** Cubic splines round the circle: smooth curves through values at angles, and their slopes. */
#pragma once

enum { POV_SPLINE_KNOT_MAX = 360, POV_SPLINE_KNOT_MIN = 4 };

/** The position of an angle on a circle of knots. The spline's value and slope there are sums over knots `left` and `right`: their
 *  values and bends (second derivatives). */
typedef struct {
    int left, right;
    double value[2], bend[2];             /* factors for the value */
    double slope_value[2], slope_bend[2]; /* factors for the slope, per rad */
} pov_spline_place;

/** Bends of `columns` curves at once: value[knot][column], bend likewise.
 *  In: angle_rad, increasing, within one turn; len within the limits above. Burden & Faires 2011, section 3.5, the cyclic
 *  system by Sherman and Morrison (Press et al. 2007, section 2.7.2). */
void pov_spline_bend(float *bend, const float *value, const double *angle_rad, int len, int columns);

pov_spline_place pov_spline_find(const double *angle_rad, int len, double at_rad);
