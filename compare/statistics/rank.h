/** Several contestants measured on the same units: ranks with their intervals, paired tests. Pure; the same for a seed on every
 *  machine. */
#pragma once

#include "compare/statistics/bootstrap.h"

typedef struct {
    double mean;
    int rank, low, high; /* 1 is best; equals share the better rank; bounds: 0 with a single unit */
} pov_rank;

/** Means and ranks, and the ranks' bootstrap intervals: all contestants on the same resample of units.
 *  In:  values[contestant * units + unit], no NaN. */
void pov_rank_contestants(pov_rank *ranks, const double *values, int contestants, int units,
                          bool high_is_best, const pov_bootstrap_options *options);

typedef struct {
    pov_estimate difference; /* mean of a - b */
    double p; /* two-sided: of a mean difference as far from 0; NaN: fewer than POV_PAIRS_TESTED_MIN units */
    bool is_exact; /* else by random flips, as many as the options have resamples */
} pov_paired_test;

enum { POV_PAIRS_TESTED_MIN = 6 }; /* of five, the smallest p is 2 / 2^5 = 0.06 */

/** Paired permutation test: were a and b alike, each difference could as well have the other sign.
 *  All flips of up to 20 differences that are not 0, else random ones, p = (1 + as far) / (1 + flips).
 *  Method: Fisher, Design of Experiments, 1935, section 21; Phipson & Smyth 2010. */
pov_paired_test pov_paired_permutation(const double *a, const double *b, int units,
                                       const pov_bootstrap_options *options);

/** Holm 1979: adjusts p-values for their number, in place; NaN is no test. */
void pov_holm_adjust(double *p, int len);
