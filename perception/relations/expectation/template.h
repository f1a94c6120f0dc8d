/** A spatial template: how good an example of a relation each place about the relatum is. Pure.
 *
 *  Logan & Sadler 1996 ("A computational analysis of the apprehension of spatial relations") found three regions about
 *  a relation's direction: good, acceptable and bad. Here each edge is a logistic fall-off in |theta|, and a distance
 *  may weaken all: with S(x) = 1 / (1 + exp(-x)),
 *    acceptance = (level S((acceptable_edge - |theta|) / acceptable_fall)
 *                  + (1 - level) S((good_edge - |theta|) / good_fall)) exp(-distance / reach). */
#pragma once

#include "perception/status.h"

#include <math.h>

typedef struct {
    double good_edge_rad, good_fall_rad;             /* where "good" ends, and how softly */
    double acceptable_edge_rad, acceptable_fall_rad; /* likewise "acceptable" */
    double acceptable_level;                         /* of an acceptable place: 0 to 1; good is 1, bad is 0 */
    double reach_m;                                  /* INFINITY: distance does not matter */
} pov_template;

/** Good to 30 degrees, acceptable (0.6) to 80: regions as Logan & Sadler 1996 describe them, in numbers of our own to
 *  begin with; fit your own participants' ratings instead. */
#define POV_TEMPLATE_DEFAULT                                                                                 \
    {                                                                                                        \
        .good_edge_rad = 0.5236, .good_fall_rad = 0.12, .acceptable_edge_rad = 1.3963,                       \
        .acceptable_fall_rad = 0.1, .acceptable_level = 0.6, .reach_m = INFINITY                             \
    }

/** POV_ERROR names the parameter out of range: 0 <= good_edge <= acceptable_edge <= pi, falls in [0.001, pi],
 *  level in [0, 1], reach > 0. */
POV_MUST_USE pov_status pov_template_check(const pov_template *regions);

/** Acceptance in [0, 1] at `theta_rad` from the relation's direction (any angle; even about 0) and `distance_m` >= 0
 *  from the relatum's centre. */
double pov_template_evaluate(const pov_template *regions, double theta_rad, double distance_m);
