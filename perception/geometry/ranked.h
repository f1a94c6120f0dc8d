/** Ranks of numbers, without sorting them all and without allocation. */
#pragma once

/** The value that would be at `rank` of `len` if they were sorted; NaN if len is 0. Reorders the values: those before that
 *  rank are not larger, those after it are not smaller. */
double pov_ranked(double *values, int len, int rank);

/** The median: the mean of the two in the middle of an even number; NaN if len is 0. Reorders the values. */
double pov_median(double *values, int len);

/** The value below which a share of them lies. Reorders the values. */
double pov_quantile(double *values, int len, double share);
