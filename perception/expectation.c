#include "perception/expectation.h"

#include "perception/linalg.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { HERMITE = 7, GRID = 25, CIRCLE = 128 };

/* Gauss-Hermite nodes and weights for a standard normal (Abramowitz & Stegun 1964, table 25.10, rescaled). */
static const double node[HERMITE] = {-3.7504397177257425, -2.3667594107345415, -1.1544053947399682, 0,
                                     1.1544053947399682,  2.3667594107345415,  3.7504397177257425};
static const double weight[HERMITE] = {0.000548268855972218, 0.0307571239675865, 0.240123178605013,
                                       0.457142857142857,    0.240123178605013,  0.0307571239675865,
                                       0.000548268855972218};

/* A plane Gaussian: mean and covariance [[xx, xy], [xy, yy]]. */
typedef struct {
    pov_vec2 mean;
    double xx, xy, yy;
} gaussian2;

static pov_vec2 turned(pov_vec2 v, double angle_rad)
{
    double c = cos(angle_rad), s = sin(angle_rad);
    return (pov_vec2){c * v.x - s * v.y, s * v.x + c * v.y};
}

/* P(direction . g > 0). Zero noise: a step that is 0 at 0, with room for rounding. */
static double half_plane(gaussian2 g, pov_vec2 direction)
{
    double mean = direction.x * g.mean.x + direction.y * g.mean.y;
    double variance = direction.x * direction.x * g.xx + 2 * direction.x * direction.y * g.xy +
                      direction.y * direction.y * g.yy;
    double rounding = 1e-12 * hypot(direction.x, direction.y) * hypot(g.mean.x, g.mean.y);
    if (variance <= rounding * rounding)
        return mean > rounding;
    return 0.5 * erfc(-mean / sqrt(2 * variance));
}

/* Lower Cholesky factor of a 2x2 covariance that may be singular. */
static void factor2(double l[3], double xx, double xy, double yy)
{
    l[0] = sqrt(fmax(0, xx));
    l[1] = l[0] > 0 ? xy / l[0] : 0;
    l[2] = sqrt(fmax(0, yy - l[1] * l[1]));
}

static pov_vec2 hermite_point(gaussian2 g, const double l[3], int i, int j)
{
    return (pov_vec2){g.mean.x + l[0] * node[i], g.mean.y + l[1] * node[i] + l[2] * node[j]};
}

/* The marginal of one vector of a sight, and the other's distribution given its value. `first` is 0 for the
 * axis, 2 for v: its offset in the joint covariance. */
static gaussian2 marginal(const pov_sight *sight, int first)
{
    pov_vec2 mean = first == 0 ? sight->axis_m : sight->v_m;
    return (gaussian2){mean, sight->cov_m2[first][first], sight->cov_m2[first][first + 1],
                       sight->cov_m2[first + 1][first + 1]};
}

/* Regression of the vector at offset `of` on the one at `given`: gain K = C_og C_gg^-1 (zero where C_gg is
 * singular and nothing can be learnt), and the covariance left. */
typedef struct {
    gaussian2 prior;
    pov_vec2 given_mean;
    double gain[2][2];
} conditional2;

static conditional2 condition(const pov_sight *sight, int of)
{
    int given = 2 - of;
    gaussian2 g = marginal(sight, given);
    conditional2 c = {.prior = marginal(sight, of), .given_mean = g.mean};
    double sliver = 1e-9 * (g.xx + g.yy);
    g.xx += sliver;
    g.yy += sliver;
    double determinant = g.xx * g.yy - g.xy * g.xy;
    if (determinant <= 0)
        return c;
    double cross[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            cross[i][j] = sight->cov_m2[of + i][given + j];
    for (int i = 0; i < 2; i++) {
        c.gain[i][0] = (cross[i][0] * g.yy - cross[i][1] * g.xy) / determinant;
        c.gain[i][1] = (cross[i][1] * g.xx - cross[i][0] * g.xy) / determinant;
    }
    c.prior.xx -= c.gain[0][0] * cross[0][0] + c.gain[0][1] * cross[0][1];
    c.prior.xy -= c.gain[0][0] * cross[1][0] + c.gain[0][1] * cross[1][1];
    c.prior.yy -= c.gain[1][0] * cross[1][0] + c.gain[1][1] * cross[1][1];
    return c;
}

static gaussian2 conditioned_on(const conditional2 *c, pov_vec2 value)
{
    double dx = value.x - c->given_mean.x, dy = value.y - c->given_mean.y;
    gaussian2 g = c->prior;
    g.mean.x += c->gain[0][0] * dx + c->gain[0][1] * dy;
    g.mean.y += c->gain[1][0] * dx + c->gain[1][1] * dy;
    return g;
}

/* A quadratic form of a standard normal vector: sum of curvature z^2 + 2 slope z, plus constant. */
typedef struct {
    double curvature[4], slope[4], constant;
    double scale; /* of the constant's terms: what its rounding is relative to */
} quadratic_form;

/* The sign of cos theta is that of (R a) . v, a quadratic form x^T A x of the joint x = (a, v) = mean + L z:
 * in the eigenvectors of L^T A L it is the sum above. L = V sqrt(D) exists for singular covariances too. */
static quadratic_form quadratic_form_of(const pov_sight *sight, double offset_rad)
{
    const double c = cos(offset_rad) / 2, s = sin(offset_rad) / 2;
    const double A[4][4] = {{0, 0, c, s}, {0, 0, -s, c}, {c, -s, 0, 0}, {s, c, 0, 0}};
    const double mean[4] = {sight->axis_m.x, sight->axis_m.y, sight->v_m.x, sight->v_m.y};
    double spread[4], L[4][4], LT[4][4], B[4][4], V[4][4];
    pov_symmetric_eigen(spread, &L[0][0], &sight->cov_m2[0][0], 4);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            LT[j][i] = L[i][j] *= sqrt(fmax(0, spread[j]));
    pov_sandwich(&B[0][0], &LT[0][0], &A[0][0], 4, 4);

    quadratic_form q = {.scale = hypot(mean[0], mean[1]) * hypot(mean[2], mean[3])};
    pov_symmetric_eigen(q.curvature, &V[0][0], &B[0][0], 4);
    double A_mean[4] = {0}, LT_A_mean[4] = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            A_mean[i] += A[i][j] * mean[j];
    for (int i = 0; i < 4; i++) {
        q.constant += mean[i] * A_mean[i];
        for (int j = 0; j < 4; j++)
            LT_A_mean[i] += LT[i][j] * A_mean[j];
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            q.slope[i] += V[j][i] * LT_A_mean[j];
    return q;
}

static double complex characteristic(const quadratic_form *q, double t)
{
    double complex exponent = I * t * q->constant, scale = 1;
    for (int j = 0; j < 4; j++) {
        double complex d = 1 - 2 * I * q->curvature[j] * t;
        exponent -= 2 * t * t * q->slope[j] * q->slope[j] / d;
        scale *= csqrt(d);
    }
    return cexp(exponent) / scale;
}

/* P(form > 0) by inverting its characteristic function: Gil-Pelaez 1951, Imhof 1961, with Davies 1973's
 * trapezoid sum. The step leaves nothing of the distribution beyond the alias; the sum ends when the terms
 * have died out. */
static double positive_probability(const quadratic_form *q)
{
    enum { TERMS_MAX = 2000 };
    double mean = q->constant, variance = 0;
    for (int j = 0; j < 4; j++) {
        mean += q->curvature[j];
        variance += 2 * q->curvature[j] * q->curvature[j] + 4 * q->slope[j] * q->slope[j];
    }
    double std = sqrt(variance), rounding = 1e-12 * q->scale;
    if (fabs(mean) >= 20 * std || std <= rounding)
        return mean > rounding;
    double step = 2 * POV_PI / (fabs(mean) + 20 * std), sum = 0;
    for (int k = 0; k < TERMS_MAX; k++) {
        double complex phi = characteristic(q, (k + 0.5) * step);
        sum += cimag(phi) / (k + 0.5);
        if (cabs(phi) < 1e-7 * (k + 0.5))
            break;
    }
    return fmin(1, fmax(0, 0.5 + sum / POV_PI));
}

double pov_expect_hemisphere_sight(const pov_sight *sight, double offset_rad)
{
    quadratic_form q = quadratic_form_of(sight, offset_rad);
    return positive_probability(&q);
}

/* Expectation over one von Mises mode of the half-plane probability. Concentrated modes are a wrapped normal
 * to well within the quadrature's accuracy; wide ones take the trapezoid rule on the circle, exponentially
 * accurate there. */
static double mode_hemisphere(const pov_heading_mode *mode, gaussian2 v, double offset_rad)
{
    double center = mode->yaw_rad + offset_rad, sum = 0, total = 0;
    double std = 1 / sqrt(mode->kappa);
    bool narrow = std < 0.02;
    for (int i = 0; i < CIRCLE; i++) {
        double delta =
            narrow ? std * (12.0 * (i + 0.5) / CIRCLE - 6) : 2 * POV_PI * (i + 0.5) / CIRCLE - POV_PI;
        double density = exp(mode->kappa * (cos(delta) - 1));
        total += density;
        sum += density * half_plane(v, (pov_vec2){cos(center + delta), sin(center + delta)});
    }
    return sum / total;
}

double pov_expect_hemisphere_heading(const pov_heading *heading, const pov_sight *sight, double offset_rad)
{
    gaussian2 v = marginal(sight, 2);
    double p = 0;
    for (int i = 0; i < heading->len; i++) {
        const pov_heading_mode *mode = &heading->mode[i];
        if (mode->kappa >= 1e10) /* a direction known to 10 microradians */
            p += mode->weight * half_plane(v, turned((pov_vec2){1, 0}, mode->yaw_rad + offset_rad));
        else
            p += mode->weight * mode_hemisphere(mode, v, offset_rad);
    }
    return fmin(1, fmax(0, p));
}

/* First and second trigonometric moments of a vector's direction: E[e^(i phi)], E[e^(2 i phi)]. */
typedef struct {
    double complex first, second;
} direction_moments;

static direction_moments moments_add(direction_moments sum, pov_vec2 v, double w)
{
    double complex unit = (v.x + I * v.y) / hypot(v.x, v.y);
    return (direction_moments){sum.first + w * unit, sum.second + w * unit * unit};
}

static direction_moments moments_far(gaussian2 g)
{
    double l[3];
    factor2(l, g.xx, g.xy, g.yy);
    direction_moments m = {0, 0};
    for (int i = 0; i < HERMITE; i++)
        for (int j = 0; j < HERMITE; j++)
            m = moments_add(m, hermite_point(g, l, i, j), weight[i] * weight[j]);
    return m;
}

/* In whitened coordinates w = L^-1 v the covariance is the unit matrix and the density of w's direction, at
 * angle alpha from its mean of length m, is Mardia & Jupp 2000, eq. 3.5.48 (up to a constant). Each
 * w-direction u is v's direction L u. The grid covers 8 standard deviations, at most the circle. */
static direction_moments moments_near(gaussian2 g)
{
    double sliver = 1e-9 * (g.xx + g.yy), l[3]; /* keeps L invertible */
    factor2(l, g.xx + sliver, g.xy, g.yy + sliver);
    double wx = g.mean.x / l[0], wy = (g.mean.y - l[1] * wx) / l[2], m = hypot(wx, wy);
    double half_range = fmin(POV_PI, 8 / m), center = atan2(wy, wx), total = 0;
    direction_moments sum = {0, 0};
    for (int i = 0; i < CIRCLE; i++) {
        double alpha = half_range * (2 * (i + 0.5) / CIRCLE - 1), t = m * cos(alpha);
        double density =
            exp(-0.5 * m * m) + t * sqrt(POV_PI / 2) * erfc(-t / sqrt(2)) * exp(-0.5 * (m * m - t * t));
        double ux = cos(center + alpha), uy = sin(center + alpha);
        total += density;
        sum = moments_add(sum, (pov_vec2){l[0] * ux, l[1] * ux + l[2] * uy}, density);
    }
    return (direction_moments){sum.first / total, sum.second / total};
}

static bool is_far(gaussian2 g)
{
    double values[2], first[2];
    pov_symmetric2_eigen(values, first, g.xx, g.xy, g.yy);
    return g.mean.x * g.mean.x + g.mean.y * g.mean.y > 100 * values[0];
}

static direction_moments direction_moments_of(gaussian2 g)
{
    return is_far(g) ? moments_far(g) : moments_near(g);
}

static pov_cosine_moments cosine_from(direction_moments m, double offset_rad)
{
    return (pov_cosine_moments){creal(m.first * cexp(-I * offset_rad)),
                                0.5 + 0.5 * creal(m.second * cexp(-2 * I * offset_rad))};
}

/* Points and weights that stand for a plane Gaussian: Gauss-Hermite where its direction hardly varies; else
 * an even grid out to 4.8 standard deviations, which does not mind the kink of the direction at 0. */
typedef struct {
    gaussian2 g;
    double l[3];
    int side;
    bool hermite;
} quadrature2;

static quadrature2 quadrature_of(gaussian2 g)
{
    quadrature2 q = {.g = g, .hermite = is_far(g)};
    q.side = q.hermite ? HERMITE : GRID;
    factor2(q.l, g.xx, g.xy, g.yy);
    return q;
}

static double quadrature_node(double *w, const quadrature2 *q, int i)
{
    const double spacing = 9.6 / (GRID - 1), z = q->hermite ? node[i] : spacing * i - 4.8;
    *w = q->hermite ? weight[i] : spacing * exp(-z * z / 2) / sqrt(2 * POV_PI);
    return z;
}

pov_cosine_moments pov_expect_cosine_sight(const pov_sight *sight, double offset_rad)
{
    quadrature2 axis = quadrature_of(marginal(sight, 0));
    conditional2 v = condition(sight, 2);
    direction_moments sum = {0, 0};
    for (int i = 0; i < axis.side; i++)
        for (int j = 0; j < axis.side; j++) {
            double wi, wj, zi = quadrature_node(&wi, &axis, i), zj = quadrature_node(&wj, &axis, j);
            pov_vec2 point = {axis.g.mean.x + axis.l[0] * zi,
                              axis.g.mean.y + axis.l[1] * zi + axis.l[2] * zj};
            direction_moments m = direction_moments_of(conditioned_on(&v, point));
            double complex back = conj((point.x + I * point.y) / hypot(point.x, point.y));
            sum.first += wi * wj * m.first * back;
            sum.second += wi * wj * m.second * back * back;
        }
    return cosine_from(sum, offset_rad);
}

/* E[e^(i n delta)] of a von Mises about 0, n = 1, 2: ratios of Bessel functions, by the trapezoid rule. */
static void von_mises_moments(double moments[2], double kappa)
{
    double total = 0, sum[2] = {0, 0};
    if (kappa > 1e3) { /* asymptotic, relative error below 1e-6: Abramowitz & Stegun 9.7.1 */
        moments[0] = 1 - 1 / (2 * kappa) - 1 / (8 * kappa * kappa);
        moments[1] = 1 - 2 * moments[0] / kappa;
        return;
    }
    for (int i = 0; i < CIRCLE; i++) {
        double delta = 2 * POV_PI * i / CIRCLE, density = exp(kappa * (cos(delta) - 1));
        total += density;
        sum[0] += density * cos(delta);
        sum[1] += density * cos(2 * delta);
    }
    moments[0] = sum[0] / total;
    moments[1] = sum[1] / total;
}

pov_cosine_moments pov_expect_cosine_heading(const pov_heading *heading, const pov_sight *sight,
                                             double offset_rad)
{
    direction_moments v = direction_moments_of(marginal(sight, 2)), sum = {0, 0};
    for (int i = 0; i < heading->len; i++) {
        const pov_heading_mode *mode = &heading->mode[i];
        double spread[2];
        von_mises_moments(spread, mode->kappa);
        sum.first += mode->weight * spread[0] * v.first * cexp(-I * mode->yaw_rad);
        sum.second += mode->weight * spread[1] * v.second * cexp(-2 * I * mode->yaw_rad);
    }
    return cosine_from(sum, offset_rad);
}
