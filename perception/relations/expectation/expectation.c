/* Smooth acceptances: cosine and spatial template. */
#include "perception/relations/expectation/expectation_internal.h"

#include <math.h>
#include <stddef.h>

enum { CIRCLE = 256 };

/* ---- cosine: all in the first two moments of the direction ---- */

/* E[e^(i theta)], E[e^(2 i theta)]. */
typedef struct {
    double complex first, second;
} direction_moments;

/* Isotropic Gaussian of signal to noise ratio m: Mardia & Jupp 2000, eq. 3.5.50, with x = m^2 / 4. Even moments are
 * elementary. */
static direction_moments moments_isotropic(pov_vec2 mean, double variance)
{
    double m2 = (mean.x * mean.x + mean.y * mean.y) / variance, x = m2 / 4, ratios[2];
    double complex unit = (mean.x + I * mean.y) / hypot(mean.x, mean.y);
    pov_von_mises_moments(ratios, 2, x);
    /* e^-x I_0(x), j0 of the imaginary argument: Abramowitz & Stegun 9.8.1, 9.8.2 */
    double t = x / 3.75, scaled;
    if (t < 1) {
        double t2 = t * t;
        scaled = exp(-x) *
                 (1 + t2 * (3.5156229 +
                            t2 * (3.0899424 +
                                  t2 * (1.2067492 + t2 * (0.2659732 + t2 * (0.0360768 + t2 * 0.0045813))))));
    } else {
        double u = 1 / t;
        scaled = (0.39894228 +
                  u * (0.01328592 +
                       u * (0.00225319 +
                            u * (-0.00157565 +
                                 u * (0.00916281 +
                                      u * (-0.02057706 +
                                           u * (0.02635537 + u * (-0.01647633 + u * 0.00392377)))))))) /
                 sqrt(x);
    }
    double first = sqrt(POV_PI * x / 2) * scaled * (1 + ratios[1]);
    double second = 1 + expm1(-m2 / 2) * 2 / m2;
    return (direction_moments){first * unit, second * unit * unit};
}

/* Any Gaussian: in whitened coordinates w = L^-1 v the covariance is the unit matrix and the density of w's direction,
 * at angle alpha from its mean of length m, is Mardia & Jupp 2000, eq. 3.5.48 (up to a constant). Each w-direction u is
 * v's direction L u. The grid covers 8 standard deviations, at most the circle. */
static direction_moments moments_whitened(pov_gaussian2 g)
{
    double sliver = 1e-6 * (g.xx + g.yy); /* keeps L invertible */
    double l0 = sqrt(g.xx + sliver), l1 = g.xy / l0, l2 = sqrt(g.yy + sliver - l1 * l1);
    double wx = g.mean.x / l0, wy = (g.mean.y - l1 * wx) / l2, m = hypot(wx, wy);
    double half_range = fmin(POV_PI, 8 / m), center = atan2(wy, wx), total = 0;
    direction_moments sum = {0, 0};
    for (int i = 0; i < CIRCLE; i++) {
        double alpha = half_range * (2 * (i + 0.5) / CIRCLE - 1), t = m * cos(alpha);
        double density =
            exp(-0.5 * m * m) + t * sqrt(POV_PI / 2) * erfc(-t / sqrt(2)) * exp(-0.5 * (m * m - t * t));
        double ux = cos(center + alpha), uy = sin(center + alpha), x = l0 * ux, y = l1 * ux + l2 * uy;
        double complex unit = (x + I * y) / hypot(x, y);
        total += density;
        sum.first += density * unit;
        sum.second += density * unit * unit;
    }
    return (direction_moments){sum.first / total, sum.second / total};
}

static direction_moments moments_of_v(const pov_sight *sight)
{
    if (pov_angle_is_narrow(sight, false)) {
        pov_angle_cumulants angle = pov_angle_cumulants_of(sight, false);
        return (direction_moments){pov_angle_moment(&angle, 1), pov_angle_moment(&angle, 2)};
    }
    pov_gaussian2 v = pov_gaussian_of_v(sight);
    double isotropy = 1e-6 * (v.xx + v.yy);
    if (fabs(v.xx - v.yy) < isotropy && fabs(v.xy) < isotropy)
        return moments_isotropic(v.mean, v.xx);
    return moments_whitened(v);
}

/* The covariance of a mode with v counts if the mode is narrow and not exact. */
static bool goes_with_v(const pov_heading_mode *mode, const pov_sight *sight)
{
    double with_v_m[2];
    return mode->kappa > POV_HEADING_TIED_KAPPA && !pov_mode_is_exact(mode) &&
           pov_heading_is_tied(with_v_m, sight);
}

/* The moments of independent angles multiply. */
static direction_moments moments_against_heading(const pov_sight *sight, const pov_heading *heading)
{
    direction_moments v = moments_of_v(sight), sum = {0, 0};
    for (int i = 0; i < heading->len; i++) {
        const pov_heading_mode *mode = &heading->mode[i];
        const pov_sight axis = pov_sight_along(mode, sight);
        double spread[3];
        if (goes_with_v(mode, sight) && pov_angle_is_narrow(&axis, true)) {
            const pov_angle_cumulants angle = pov_angle_cumulants_of(&axis, true);
            sum.first += mode->weight * pov_angle_moment(&angle, 1);
            sum.second += mode->weight * pov_angle_moment(&angle, 2);
            continue;
        }
        double complex back = cexp(-I * mode->yaw_rad);
        pov_von_mises_moments(spread, 3, mode->kappa);
        sum.first += mode->weight * spread[1] * v.first * back;
        sum.second += mode->weight * spread[2] * v.second * back * back;
    }
    return sum;
}

static pov_expected cosine_from(direction_moments m)
{
    const double c = creal(m.first), s = cimag(m.first), cos_squared = 0.5 + 0.5 * creal(m.second);
    const double c_std = sqrt(fmax(0, cos_squared - c * c)) / 2;
    const double s_std = sqrt(fmax(0, 1 - cos_squared - s * s)) / 2;
    return (pov_expected){{(1 + c) / 2, (1 + s) / 2, (1 - c) / 2, (1 - s) / 2}, {c_std, s_std, c_std, s_std}};
}

static void accept_cosine(double value[POV_QUARTER_COUNT], pov_vec2 v_m, double cosine, double sine,
                          const void *with)
{
    (void)v_m, (void)with;
    value[POV_AHEAD] = (1 + cosine) / 2;
    value[POV_TO_LEFT] = (1 + sine) / 2;
    value[POV_BACK] = (1 - cosine) / 2;
    value[POV_TO_RIGHT] = (1 - sine) / 2;
}

static pov_expected without_noise(const pov_sight *sight, const pov_acceptor *acceptor)
{
    pov_expected expected = {{0}, {0}};
    pov_exact_angle theta = pov_exact_angle_of(sight);
    double length = hypot(theta.cosine, theta.sine);
    acceptor->accept(expected.mean, sight->v_m, theta.cosine / length, theta.sine / length, acceptor->with);
    return expected;
}

void pov_expect_cosine(pov_expected *expected, const pov_sight *sight, const pov_heading *heading)
{
    const pov_acceptor cosine = {accept_cosine, NULL};
    if (pov_is_exact(sight, heading)) {
        *expected = without_noise(sight, &cosine);
    } else if (heading) {
        *expected = cosine_from(moments_against_heading(sight, heading));
    } else if (pov_angle_is_narrow(sight, true)) {
        pov_angle_cumulants angle = pov_angle_cumulants_of(sight, true);
        *expected =
            cosine_from((direction_moments){pov_angle_moment(&angle, 1), pov_angle_moment(&angle, 2)});
    } else {
        pov_moment_sums sums = {{0}, {0}};
        pov_add_by_points(&sums, 1, sight, NULL, &cosine);
        *expected = pov_expected_from(&sums);
    }
}

/* ---- spatial template ---- */

static void accept_template(double value[POV_QUARTER_COUNT], pov_vec2 v_m, double cosine, double sine,
                            const void *with)
{
    double theta = atan2(sine, cosine), distance = hypot(v_m.x, v_m.y);
    for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++)
        value[quarter] = pov_template_evaluate(with, theta - quarter * POV_PI / 2, distance);
}

/* Adds E[(A(theta) e^(-distance / reach))^power] for jointly normal angle and distance: the exponential shifts the
 * angle's mean by its covariance with the distance (Cameron & Martin 1944) and leaves A's expectation over the angle,
 * by the trapezoid rule over Cornish & Fisher's 1938 expansion. */
static void add_template_power(double sums[POV_QUARTER_COUNT], double weight,
                               const pov_angle_cumulants *angle, const pov_template *regions, int power)
{
    enum { NODES = 17, MIDDLE = 8 };
    const double step = 0.55, per_m = power / regions->reach_m, std = sqrt(angle->variance);
    const double skewness = std > 0 ? angle->third / (angle->variance * std) : 0;
    const double mean = angle->mean_rad - per_m * angle->shared_m;
    const double fall = exp(-per_m * (angle->distance_m - per_m * angle->distance_variance_m2 / 2));
    for (int i = 0; i < NODES; i++) {
        double z = step * (i - MIDDLE), share = step * exp(-z * z / 2) / sqrt(2 * POV_PI);
        double theta = mean + std * (z + skewness / 6 * (z * z - 1));
        for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++) {
            double value = pov_template_evaluate(regions, theta - quarter * POV_PI / 2, 0);
            sums[quarter] += weight * share * fall * (power == 2 ? value * value : value);
        }
    }
}

static void add_template_narrow(pov_moment_sums *sums, double weight, const pov_angle_cumulants *angle,
                                const pov_template *regions)
{
    add_template_power(sums->first, weight, angle, regions, 1);
    add_template_power(sums->second, weight, angle, regions, 2);
}

static void add_template_mode(pov_moment_sums *sums, const pov_sight *sight, const pov_heading_mode *mode,
                              const pov_template *regions)
{
    const pov_acceptor acceptor = {accept_template, regions};
    if (!pov_angle_is_narrow(sight, false) || mode->kappa < 30) {
        pov_add_by_points(sums, mode->weight, sight, mode, &acceptor);
        return;
    }
    const pov_sight axis = pov_sight_along(mode, sight);
    if (goes_with_v(mode, sight) && pov_angle_is_narrow(&axis, true)) {
        const pov_angle_cumulants angle = pov_angle_cumulants_of(&axis, true);
        add_template_narrow(sums, mode->weight, &angle, regions);
        return;
    }
    pov_angle_cumulants angle = pov_angle_cumulants_of(sight, false);
    angle.mean_rad -= mode->yaw_rad;
    angle.variance += (1 + 0.5 / mode->kappa) / mode->kappa;
    add_template_narrow(sums, mode->weight, &angle, regions);
}

void pov_expect_template(pov_expected *expected, const pov_sight *sight, const pov_heading *heading,
                         const pov_template *regions)
{
    const pov_acceptor acceptor = {accept_template, regions};
    pov_moment_sums sums = {{0}, {0}};
    if (pov_is_exact(sight, heading)) {
        *expected = without_noise(sight, &acceptor);
        return;
    }
    for (int i = 0; heading && i < heading->len; i++)
        add_template_mode(&sums, sight, &heading->mode[i], regions);
    if (!heading && pov_angle_is_narrow(sight, true)) {
        pov_angle_cumulants angle = pov_angle_cumulants_of(sight, true);
        add_template_narrow(&sums, 1, &angle, regions);
    } else if (!heading) {
        pov_add_by_points(&sums, 1, sight, NULL, &acceptor);
    }
    *expected = pov_expected_from(&sums);
}
