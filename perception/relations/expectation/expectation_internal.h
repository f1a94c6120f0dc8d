/** Shared by expectation*.c and relation*.c. Numbers as in docs/UNCERTAINTY.md. */
#pragma once

#include "perception/relations/expectation/expectation.h"

#include <complex.h>
#include <math.h>

/* A plane Gaussian: mean and covariance [[xx, xy], [xy, yy]]. */
typedef struct {
    pov_vec2 mean;
    double xx, xy, yy;
} pov_gaussian2;

static inline pov_gaussian2 pov_gaussian_of_v(const pov_sight *sight)
{
    return (pov_gaussian2){sight->v_m, sight->cov_m2[2][2], sight->cov_m2[2][3], sight->cov_m2[3][3]};
}

typedef struct {
    double m[4][4];
} pov_matrix4;

/* ---- narrow: vectors long against their noise ---- */

/* Cumulants of theta, of the distance |v|, and what they share, to second order in noise / length. */
typedef struct {
    double mean_rad, variance, third;
    double distance_m, distance_variance_m2, shared_m; /* Cov(distance, theta) */
} pov_angle_cumulants;

/* False if a vector is shorter than about 8 standard deviations. Without an axis, theta is arg(v). */
bool pov_angle_is_narrow(const pov_sight *sight, bool with_axis);
pov_angle_cumulants pov_angle_cumulants_of(const pov_sight *sight, bool with_axis);
/* E[e^(i n theta)]. */
double complex pov_angle_moment(const pov_angle_cumulants *angle, int n);

/* P(X > 0) from the first four cumulants of X: Edgeworth's series. */
double pov_edgeworth_positive(const double k[4]);

/* ---- headings ---- */

enum { POV_VON_MISES_MOMENTS = 32 };
/* E[cos n delta] of a von Mises about 0, n = 0 .. len - 1. */
void pov_von_mises_moments(double *moments, int len, double kappa);
/* Mean square of the angle to the heaviest mode, over all modes, at most that of an angle that may be any. A mode's own is
 * that of the wrapped normal distribution as wide as it (Mardia & Jupp 2000, section 3.4.2). */
double pov_heading_variance(const pov_heading *heading);
static inline bool pov_mode_is_exact(const pov_heading_mode *mode)
{
    return mode->kappa >= 1e10; /* a direction known to 10 microradians */
}
double pov_mode_variance(double kappa);

/* Cov(heading, v), read off a heading's sight. False: they are independent. */
static inline bool pov_heading_is_tied(double with_v_m[2], const pov_sight *sight)
{
    const pov_vec2 a = sight->axis_m;
    for (int j = 0; j < 2; j++)
        with_v_m[j] = a.x * sight->cov_m2[1][2 + j] - a.y * sight->cov_m2[0][2 + j];
    return with_v_m[0] != 0 || with_v_m[1] != 0;
}

/* A mode of POV_HEADING_TIED_KAPPA or more as the direction of a Gaussian axis: one of length 1 with an error across it, of
 * the variance that gives the direction the von Mises' own to second order, 1 / kappa + 1 / (2 kappa^2). */
pov_sight pov_sight_along(const pov_heading_mode *mode, const pov_sight *sight);

/* ---- without noise ---- */

/* Nothing is uncertain. */
static inline bool pov_is_exact(const pov_sight *sight, const pov_heading *heading)
{
    double variance = sight->cov_m2[2][2] + sight->cov_m2[3][3];
    if (!heading)
        variance += sight->cov_m2[0][0] + sight->cov_m2[1][1];
    return variance == 0 && (!heading || (heading->len == 1 && pov_mode_is_exact(&heading->mode[0])));
}

/* cos theta and sin theta times |axis| |v|, and the rounding of both. */
typedef struct {
    double cosine, sine, rounding;
} pov_exact_angle;

static inline pov_exact_angle pov_exact_angle_of(const pov_sight *sight)
{
    pov_vec2 a = sight->axis_m, v = sight->v_m;
    return (pov_exact_angle){a.x * v.x + a.y * v.y, a.x * v.y - a.y * v.x,
                             1e-12 * (fabs(a.x) + fabs(a.y)) * (fabs(v.x) + fabs(v.y))};
}

/* ---- anything: a quasi-random point set ---- */

/* The acceptance about each quarter, at v and the angle's cosine and sine. */
typedef struct {
    void (*accept)(double value[POV_QUARTER_COUNT], pov_vec2 v_m, double cosine, double sine,
                   const void *with);
    const void *with;
} pov_acceptor;

/* Sums of mean and mean square over points; `mode` NULL: the sight line. */
typedef struct {
    double first[POV_QUARTER_COUNT], second[POV_QUARTER_COUNT];
} pov_moment_sums;
void pov_add_by_points(pov_moment_sums *sums, double weight, const pov_sight *sight,
                       const pov_heading_mode *mode, const pov_acceptor *acceptor);
pov_expected pov_expected_from(const pov_moment_sums *sums);
