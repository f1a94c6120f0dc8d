/** Whether probabilities mean what they say: of the cases called p, a share p should be true. Pure. */
#ifndef POV_COMPARE_STATISTICS_CALIBRATION_H
#define POV_COMPARE_STATISTICS_CALIBRATION_H

#include <stdbool.h>

enum { POV_CALIBRATION_BINS = 10 };

/** Start from {0}. */
typedef struct {
    int n, unscored;
    double square_sum; /* of p - truth */
    struct {
        int n, yes;
        double p_sum;
    } bin[POV_CALIBRATION_BINS]; /* of equal width; a p on an edge belongs to the upper one, 1 to the last */
} pov_calibration;

/** Counts one case. A NaN is counted as unscored. */
void pov_calibration_add(pov_calibration *calibration, double p, bool truth);

/** Mean of (p - truth)^2 (Brier 1950); NaN without cases. */
double pov_calibration_brier(const pov_calibration *calibration);
/** Expected calibration error (Naeini et al. 2015): the mean over cases of |share true - mean p| of their bin. */
double pov_calibration_error(const pov_calibration *calibration);

#endif
