/* Distributions of directions, and their moments. */
#include "perception/relations/expectation/expectation_internal.h"

#include <math.h>

/* ---- narrow ---- */

/* (noise / length)^2 up to which the second order suffices. */
static const double NARROW_MAX = 0.03;

static double noise_ratio(pov_vec2 mean, double xx, double yy)
{
    return (xx + yy) / (mean.x * mean.x + mean.y * mean.y); /* NaN or infinite for no length: not narrow */
}

bool pov_angle_is_narrow(const pov_sight *s, bool with_axis)
{
    return noise_ratio(s->v_m, s->cov_m2[2][2], s->cov_m2[3][3]) < NARROW_MAX &&
           (!with_axis || noise_ratio(s->axis_m, s->cov_m2[0][0], s->cov_m2[1][1]) < NARROW_MAX);
}

/* Covariance of each vector's error along and across it, over its length: (axis along, across, v along, across). */
static void polar_cov(double P[4][4], const pov_sight *s, bool with_axis)
{
    const pov_vec2 a = with_axis ? s->axis_m : (pov_vec2){1, 0}, v = s->v_m;
    const double a2 = a.x * a.x + a.y * a.y, v2 = v.x * v.x + v.y * v.y;
    const double G[4][2] = {
        {a.x / a2, a.y / a2}, {-a.y / a2, a.x / a2}, {v.x / v2, v.y / v2}, {-v.y / v2, v.x / v2}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) {
            const double *row = s->cov_m2[i / 2 * 2], *next = s->cov_m2[i / 2 * 2 + 1];
            const int c = j / 2 * 2;
            P[i][j] = P[j][i] = !with_axis && j < 2
                                    ? 0
                                    : G[i][0] * (row[c] * G[j][0] + row[c + 1] * G[j][1]) +
                                          G[i][1] * (next[c] * G[j][0] + next[c + 1] * G[j][1]);
        }
}

/* theta - theta(means) = L + Q + C with y = (x_a, y_a, x_v, y_v) the polar errors: arg(1 + x + i y) =
 * y - x y + (x^2 y - y^3 / 3) + ..., of v less of the axis. Moments of products of Gaussians: Isserlis 1918. */
pov_angle_cumulants pov_angle_cumulants_of(const pov_sight *s, bool with_axis)
{
    double P[4][4], b[4], C = 0;
    polar_cov(P, s, with_axis);
    for (int i = 0; i < 4; i++)
        b[i] = P[i][3] - P[i][1]; /* Cov(y_i, L) */
    for (int k = 0; k < 4; k += 2)
        C += (k ? 1 : -1) * (b[k + 1] * (P[k][k] - P[k + 1][k + 1]) + 2 * b[k] * P[k][k + 1]);
    double Q = P[0][0] * P[1][1] + P[0][1] * P[0][1] + P[2][2] * P[3][3] + P[2][3] * P[2][3] -
               2 * (P[0][2] * P[1][3] + P[0][3] * P[1][2]);
    double length = hypot(s->v_m.x, s->v_m.y);
    double axis_rad = with_axis ? atan2(s->axis_m.y, s->axis_m.x) : 0;
    return (pov_angle_cumulants){
        .mean_rad = atan2(s->v_m.y, s->v_m.x) - axis_rad - P[2][3] + P[0][1],
        .variance = fmax(0, b[3] - b[1] + Q + 2 * C),
        .third = 6 * (b[0] * b[1] - b[2] * b[3]),
        .distance_m = length * (1 + P[3][3] / 2),
        .distance_variance_m2 = length * length * P[2][2],
        .shared_m = length * b[2],
    };
}

double complex pov_angle_moment(const pov_angle_cumulants *angle, int n)
{
    double n2 = (double)n * n;
    return cexp(-n2 * angle->variance / 2 + I * n * (angle->mean_rad - n2 * angle->third / 6));
}

/* Cramer 1946, eq. 17.7.3. */
double pov_edgeworth_positive(const double k[4])
{
    double std = sqrt(k[1]), x = -k[0] / std, x2 = x * x;
    double skewness = k[2] / (k[1] * std), excess = k[3] / (k[1] * k[1]);
    double density = exp(-x2 / 2) / sqrt(2 * POV_PI);
    double correction = skewness / 6 * (x2 - 1) + excess / 24 * x * (x2 - 3) +
                        skewness * skewness / 72 * x * ((x2 - 10) * x2 + 15);
    return fmin(1, fmax(0, 0.5 * erfc(x / sqrt(2)) + density * correction));
}

/* ---- headings ---- */

/* Ratios of Bessel functions I_n / I_(n-1) by downward recurrence (Amos 1974), or, where those would be many, by the
 * asymptotic series of I_1 / I_0 (Abramowitz & Stegun 9.7.1) and upward, which loses little so near to 1. */
void pov_von_mises_moments(double *moments, int len, double kappa)
{
    enum { ASYMPTOTIC = 100 };
    moments[0] = 1;
    if (kappa > ASYMPTOTIC) {
        double r = 1 / kappa;
        moments[1] = 1 - r * (0.5 + r * (0.125 + r * 0.125));
        for (int n = 2; n < len; n++)
            moments[n] = moments[n - 2] - 2 * (n - 1) * r * moments[n - 1];
        return;
    }
    double ratio = 0;
    for (int n = len + 30 + (int)kappa; n >= 1; n--) {
        ratio = kappa / (2 * n + kappa * ratio);
        if (n < len)
            moments[n] = ratio;
    }
    for (int n = 1; n < len; n++)
        moments[n] *= moments[n - 1];
}

double pov_mode_variance(double kappa)
{
    const double cancels = 1e6; /* 1 - A_1 */
    double moments[2] = {1, 0};
    if (kappa > cancels)
        return (1 + 0.5 / kappa) / kappa;
    pov_von_mises_moments(moments, 2, kappa);
    return -2 * log(moments[1]);
}

pov_sight pov_sight_along(const pov_heading_mode *mode, const pov_sight *sight)
{
    const double r = 1 / mode->kappa, variance = r * (1 + 2.5 * r);
    const double c = cos(mode->yaw_rad), s = sin(mode->yaw_rad), across[2] = {-s, c};
    double with_v_m[2];
    pov_sight axis = {.axis_m = {c, s}, .v_m = sight->v_m};
    (void)pov_heading_is_tied(with_v_m, sight);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            axis.cov_m2[i][j] = variance * across[i] * across[j];
            axis.cov_m2[2 + i][2 + j] = sight->cov_m2[2 + i][2 + j];
            axis.cov_m2[i][2 + j] = axis.cov_m2[2 + j][i] = across[i] * with_v_m[j];
        }
    return axis;
}

double pov_heading_variance(const pov_heading *heading)
{
    const double even = POV_EVEN_STD_RAD * POV_EVEN_STD_RAD;
    const pov_heading_mode *heaviest = pov_heading_heaviest(heading);
    double variance = 0;
    for (int i = 0; i < heading->len; i++) {
        const pov_heading_mode *mode = &heading->mode[i];
        const double apart = pov_angle_wrap(mode->yaw_rad - heaviest->yaw_rad);
        variance += mode->weight * (apart * apart + fmin(even, pov_mode_variance(mode->kappa)));
    }
    return fmin(even, variance);
}
