/** Mean relative accuracy of numbers (VSI-Bench, Yang et al. 2025; SPAR; EASI), of lengths in any unit. Pure. */
#pragma once

#include "compare/statistics/tally.h"

/** The mean over t in {0.50, 0.55, ..., 0.95} of [ |p - y| / |y| <= 1 - t ]: 1: within 5 %; 0: off by more than half. Of y = 0: 1 if p is 0. */
double pov_mra(double predicted, double gold);

/** An answer's mean relative accuracy; chance NaN. unit: "cm" of a length, in which bare numbers and the gold are; "" of a number of things, or of any
 *  other unit. POV_ERROR if the unit is none of length. */
POV_MUST_USE pov_status pov_number_grade(pov_grade *grade, const char *answer, double gold, const char *unit);
