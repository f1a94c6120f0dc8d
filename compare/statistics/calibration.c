#include "compare/statistics/calibration.h"

#include <math.h>

void pov_calibration_add(pov_calibration *calibration, double p, bool truth)
{
    if (isnan(p)) {
        calibration->unscored++;
        return;
    }
    int i = (int)(fmin(fmax(p, 0), 1) * POV_CALIBRATION_BINS);
    if (i == POV_CALIBRATION_BINS)
        i--;
    calibration->n++;
    calibration->square_sum += (p - truth) * (p - truth);
    calibration->bin[i].n++;
    calibration->bin[i].yes += truth;
    calibration->bin[i].p_sum += p;
}

double pov_calibration_brier(const pov_calibration *calibration)
{
    return calibration->n ? calibration->square_sum / calibration->n : NAN;
}

double pov_calibration_error(const pov_calibration *calibration)
{
    double sum = 0;
    for (int i = 0; i < POV_CALIBRATION_BINS; i++)
        sum += fabs(calibration->bin[i].yes - calibration->bin[i].p_sum);
    return calibration->n ? sum / calibration->n : NAN;
}
