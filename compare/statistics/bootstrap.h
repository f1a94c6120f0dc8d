/** Means with their bootstrap intervals (percentile method: Efron & Tibshirani 1993, ch. 13), the same for a seed on
 *  every machine. Pure. */
#pragma once

#include "perception/status.h"

#include <stdint.h>

typedef struct {
    double mean, low, high; /* NaN: nothing was scored; the bounds also where a single unit tells no spread */
    int n;                  /* units that were scored */
} pov_estimate;

typedef struct {
    int resamples;
    double level; /* of the interval, in (0, 1) */
    uint64_t seed;
} pov_bootstrap_options;
#define POV_BOOTSTRAP_DEFAULT                                                                                \
    {                                                                                                        \
        .resamples = 10000, .level = 0.95, .seed = 1                                                         \
    }

enum { POV_STRATA_MAX = 4, POV_COLUMNS_MAX = 10 };

/** Units (whole scenes, questions, ...) with several numbers each. A unit is drawn with all its numbers: differences between columns
 *  are paired, and strata share their draws (the four relations of a rotation are the same images). A NaN is left out of its
 *  column. The overall mean is that of the strata's means. */
typedef struct {
    const double *values; /* [column][stratum][unit], columns `stride` apart */
    int columns, stride;
    int units, strata;
} pov_sample;

/** Mean and number of a column's values in one stratum, without bounds. */
pov_estimate pov_sample_mean(const pov_sample *sample, int stratum, int column);

typedef struct pov_bootstrap pov_bootstrap;

/** `values_max`: of a column, over all strata. */
pov_bootstrap *pov_bootstrap_new(int values_max, const pov_bootstrap_options *options);
void pov_bootstrap_destroy(pov_bootstrap **bootstrap);

/** Out:  overall[column], n: units with a value in any stratum; by_stratum[stratum][column] as one array, or NULL. No
 *        allocation; starts from the seed. */
void pov_bootstrap_means(pov_bootstrap *bootstrap, pov_estimate *overall, pov_estimate *by_stratum,
                         const pov_sample *sample);

/** After pov_bootstrap_means: one column's overall mean less another's, paired by unit. For columns without NaN, or with
 *  NaN in the same units. */
pov_estimate pov_bootstrap_difference(const pov_bootstrap *bootstrap, const pov_estimate *overall, int column,
                                      int other);

/** After pov_bootstrap_means of one stratum: the sum of a column over that of another, both without NaN; n: units whose other
 *  is above 0. */
pov_estimate pov_bootstrap_ratio(const pov_bootstrap *bootstrap, const pov_sample *sample, int column,
                                 int other);

/** A share's 95 % interval from its count.
 *  Method: Wilson, J. Am. Stat. Assoc. 22, 1927. */
void pov_wilson_interval(double *low, double *high, int yes, int n);
