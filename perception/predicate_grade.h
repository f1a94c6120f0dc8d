/** What the predicates are made of: grades, logic, and measures of a situation. */
#ifndef POV_PERCEPTION_PREDICATE_GRADE_H
#define POV_PERCEPTION_PREDICATE_GRADE_H

#include "perception/predicate.h"

/** 0 below threshold - softness, 1 above threshold + softness, 3 u^2 - 2 u^3 between; 0.5 at the threshold. */
double pov_grade_above(double value, double threshold, double softness);
double pov_grade_below(double value, double threshold, double softness);

/** min and max; undefined with undefined, unless the other decides alone. */
double pov_grade_and(double a, double b);
double pov_grade_or(double a, double b);

/** The diagonal of a box; the mean of two. */
double pov_body_size_m(const pov_body *body);
double pov_pair_size_m(const pov_body *a, const pov_body *b);

/** The grade of: v is within params->cone_rad of a direction. NaN if v is zero. */
double pov_grade_in_cone(pov_vec3 v, pov_vec3 direction, const pov_predicate_params *params);

/** From the relatum's centre to the referent's; and on the ground, as z = 0. */
pov_vec3 pov_situation_offset_m(const pov_situation *situation);
pov_vec3 pov_situation_ground_offset_m(const pov_situation *situation);

/** The pair the other way round. The axes and the viewer stay. Only the first relatum is kept. */
pov_situation pov_situation_swapped(const pov_situation *situation);

/** Unit vector of a front; only of a body that has one. */
pov_vec3 pov_body_front(const pov_body *body);
/** How fast, in own sizes a second, exceeds what counts as standing still; false where not known. */
bool pov_body_moves(const pov_body *body, const pov_predicate_params *params);
/** Direction of its longest edge; false unless that is params->elongation times the second. */
bool pov_body_long_axis(pov_vec3 *axis, const pov_body *body, const pov_predicate_params *params);

/** Predicates used by others of another file. */
double pov_grade_outlines_apart(const pov_body *a, const pov_body *b, const pov_predicate_params *params);
double pov_ground_gap_ratio(const pov_body *a, const pov_body *b);

#endif
