#include "perception/geometry/lattice.h"

#include "perception/geometry/geom.h"
#include "perception/status.h"

#include <math.h>
#include <stdint.h>

static const uint32_t generator[POV_LATTICE_DIMENSIONS_MAX] = {
    1,      182667, 469891, 498753, 110745, 446247, 250185, 118627, 245333, 283199, 408519, 391023, 246327,
    126539, 399185, 461527, 300343, 69681,  516695, 436179, 106383, 238523, 413283, 70841,  47719,  300129,
    113029, 123925, 410745, 211325, 17489,  511893, 40767,  186077, 519471, 255369, 101819, 243573, 66189,
    152143, 503455, 113217, 132603, 463967, 297717, 157383, 224015, 502917, 36237,  94049,  170665, 79397,
    123963, 223451, 323871, 303633, 98567,  318855, 494245, 477137, 177975, 64483,  26695,  88779,  94497,
    239429, 381007, 110205, 339157, 73397,  407559, 181791, 442675, 301397, 32569,  147737, 189949, 138655,
    350241, 63371,  511925, 515861, 434045, 383435, 249187, 492723, 479195, 84589,  99703,  239831};

/* The index with its bits mirrored about the point, in 2^-32: van der Corput's sequence. */
static uint32_t mirrored(uint32_t index)
{
    uint32_t result = 0;
    for (int bit = 0; bit < 32; bit++)
        result |= (index >> bit & 1u) << (31 - bit);
    return result;
}

void pov_lattice_point(double *point, int dimensions, int index)
{
    POV_REQUIRE(dimensions <= POV_LATTICE_DIMENSIONS_MAX && index >= 0 && index < POV_LATTICE_POINTS_MAX);
    const uint32_t base = mirrored((uint32_t)index);
    for (int k = 0; k < dimensions; k++) {
        /* A fixed shift, other than any multiple of the spacing, keeps the corner 0 out. */
        uint32_t shift = 0x9e3779b9u * (uint32_t)(k + 1);
        double u = (base * generator[k] + shift + 0.5) * 0x1p-32;
        u -= floor(u);
        point[k] = fmin(1 - 1e-12, fmax(1e-12, 1 - fabs(2 * u - 1)));
    }
}

/* Acklam's rational approximation (2003), then one step of Halley's method on erfc. */
static double rational_quantile(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                               1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                               6.680131188771972e+01, -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                               -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    if (p < 0.02425) {
        double q = sqrt(-2 * log(p));
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    }
    double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

double pov_normal_quantile(double p)
{
    if (p > 0.5)
        return -pov_normal_quantile(1 - p);
    double x = rational_quantile(p);
    double error = 0.5 * erfc(-x / sqrt(2)) - p;
    double step = error * sqrt(2 * POV_PI) * exp(x * x / 2);
    return x - step / (1 + x * step / 2);
}
