#include "sim/render/sensor_noise.h"

#include "perception/geometry/random.h"

#include <math.h>

static const double POISSON_BELOW_E = 30;

uint64_t pov_noise_bits(uint64_t stream, uint64_t index)
{
    return pov_random_mix(pov_random_mix(stream + POV_RANDOM_STEP) ^ (index * POV_RANDOM_STEP));
}

/** In (0, 1). */
static double uniform(uint32_t bits)
{
    return ((double)bits + 0.5) * 0x1p-32;
}

/** Quantile of the standard normal: Wichura 1988, AS 241, PPND7 (seven digits). */
static double normal_quantile(double p)
{
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * (((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
               (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
    }
    double r = sqrt(-log(q < 0 ? p : 1 - p)), z;
    if (r <= 5) {
        r -= 1.6;
        z = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) /
            ((0.12021132975 * r + 0.73700164250) * r + 1);
    } else {
        r -= 5;
        z = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150) /
            ((0.012258202635 * r + 0.24197894225) * r + 1);
    }
    return q < 0 ? -z : z;
}

static double poisson_quantile(double p, double mean)
{
    enum { COUNT_MAX = 200 };
    double term = exp(-mean), sum = term;
    int count = 0;
    while (p > sum && count < COUNT_MAX) {
        term *= mean / ++count;
        sum += term;
    }
    return count;
}

double pov_noise_electrons(uint64_t bits, double mean_e, double read_std_e)
{
    const double first = uniform((uint32_t)bits);
    if (mean_e >= POISSON_BELOW_E)
        return mean_e + sqrt(mean_e + read_std_e * read_std_e) * normal_quantile(first);
    const double read_e = read_std_e > 0 ? read_std_e * normal_quantile(uniform((uint32_t)(bits >> 32))) : 0;
    return poisson_quantile(first, mean_e) + read_e;
}
