#include "perception/relations/expectation/heading_quantile.h"

#include "perception/geometry/lattice.h"

#include <math.h>

static void tabulate_quantiles(double cumulative[POV_QUANTILE_KNOTS], double kappa)
{
    const double step_rad = 2 * POV_PI / (POV_QUANTILE_KNOTS - 1);
    cumulative[0] = 0;
    for (int i = 1; i < POV_QUANTILE_KNOTS; i++) {
        double at_rad = -POV_PI + (i - 0.5) * step_rad;
        cumulative[i] = cumulative[i - 1] + exp(kappa * (cos(at_rad) - 1));
    }
    for (int i = 0; i < POV_QUANTILE_KNOTS; i++)
        cumulative[i] /= cumulative[POV_QUANTILE_KNOTS - 1];
}

void pov_heading_quantile_of(pov_heading_quantile *quantile, const pov_heading *heading)
{
    double total = 0, sum = 0;
    quantile->len = heading->len;
    for (int i = 0; i < heading->len; i++)
        total += heading->mode[i].weight;
    for (int i = 0; i < heading->len; i++) {
        quantile->mode[i] = heading->mode[i];
        quantile->mode[i].weight /= total;
        quantile->below[i] = sum;
        sum += quantile->mode[i].weight;
        if (heading->mode[i].kappa < POV_QUANTILE_NARROW_KAPPA)
            tabulate_quantiles(quantile->cumulative[i], heading->mode[i].kappa);
    }
}

bool pov_heading_quantile_is_exact(const pov_heading_quantile *quantile)
{
    return quantile->len == 1 && quantile->mode[0].kappa >= 1e12;
}

static double from_table(const double cumulative[POV_QUANTILE_KNOTS], double u)
{
    int low = 0, high = POV_QUANTILE_KNOTS - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (cumulative[middle] <= u)
            low = middle;
        else
            high = middle;
    }
    double share = (u - cumulative[low]) / (cumulative[high] - cumulative[low]);
    return -POV_PI + (low + share) * 2 * POV_PI / (POV_QUANTILE_KNOTS - 1);
}

double pov_heading_quantile_at(const pov_heading_quantile *quantile, double u)
{
    int i = quantile->len - 1;
    while (i > 0 && u < quantile->below[i])
        i--;
    const pov_heading_mode *mode = &quantile->mode[i];
    double within = (u - quantile->below[i]) / mode->weight;
    within = fmax(1e-12, fmin(1 - 1e-12, within));
    if (mode->kappa < POV_QUANTILE_NARROW_KAPPA)
        return mode->yaw_rad + from_table(quantile->cumulative[i], within);
    return mode->yaw_rad + pov_normal_quantile(within) / sqrt(mode->kappa - 0.5);
}
