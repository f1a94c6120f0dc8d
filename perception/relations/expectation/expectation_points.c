/* Any acceptance of any scene: the mean over a fixed quasi-random set of points. */
#include "perception/relations/expectation/expectation_internal.h"

#include "perception/geometry/linalg.h"

#include <math.h>

enum { POINTS = 4096 };

/* Point i of Kronecker's sequence: the fractional parts of i times the powers of 1 / g, with g^5 = g + 1, the golden
 * ratio of four dimensions (Niederreiter 1992, section 3; g after Roberts 2018). */
static void uniform_point(double u[4], int i)
{
    const double g = 1.1673039782614187;
    double step = 1;
    for (int k = 0; k < 4; k++) {
        step /= g;
        double x = 0.5 + (i + 1) * step;
        u[k] = x - floor(x);
    }
}

/* Box & Muller 1958; u in (0, 1). */
static void normal_pair(double z[2], double u, double turn)
{
    double length = sqrt(-2 * log(u));
    z[0] = length * cos(2 * POV_PI * turn);
    z[1] = length * sin(2 * POV_PI * turn);
}

/* A factor of the covariance of (v, axis): v first, so that it needs only the first two normals. */
static pov_matrix4 factor_of(const pov_sight *sight)
{
    pov_matrix4 cov, L;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            cov.m[i][j] = sight->cov_m2[(i + 2) % 4][(j + 2) % 4];
    pov_cholesky_semidefinite(&L.m[0][0], &cov.m[0][0], 4);
    return L;
}

static pov_vec2 drawn(pov_vec2 mean, const double *row, const double *next, const double z[4])
{
    return (pov_vec2){mean.x + row[0] * z[0] + row[1] * z[1] + row[2] * z[2] + row[3] * z[3],
                      mean.y + next[0] * z[0] + next[1] * z[1] + next[2] * z[2] + next[3] * z[3]};
}

/* A direction from a mode and its weight: from the normal distribution a narrow one resembles, else evenly. */
static double draw_heading(pov_vec2 *axis, const pov_heading_mode *mode, double z, double u)
{
    const bool narrow = mode->kappa > 10;
    const double delta = narrow ? z / sqrt(mode->kappa) : POV_PI * (2 * u - 1);
    *axis = (pov_vec2){cos(mode->yaw_rad + delta), sin(mode->yaw_rad + delta)};
    return pov_mode_is_exact(mode) ? 1 : exp(mode->kappa * (cos(delta) - 1) + (narrow ? z * z / 2 : 0));
}

static void add_point(pov_moment_sums *sums, double share, pov_vec2 v, pov_vec2 a,
                      const pov_acceptor *acceptor)
{
    double value[POV_QUARTER_COUNT], scale = 1 / sqrt((a.x * a.x + a.y * a.y) * (v.x * v.x + v.y * v.y));
    acceptor->accept(value, v, (a.x * v.x + a.y * v.y) * scale, (a.x * v.y - a.y * v.x) * scale,
                     acceptor->with);
    for (int q = 0; q < POV_QUARTER_COUNT; q++) {
        sums->first[q] += share * value[q];
        sums->second[q] += share * value[q] * value[q];
    }
}

void pov_add_by_points(pov_moment_sums *sums, double weight, const pov_sight *sight,
                       const pov_heading_mode *mode, const pov_acceptor *acceptor)
{
    const pov_matrix4 L = factor_of(sight);
    pov_moment_sums own = {{0}, {0}};
    double total = 0;
    for (int i = 0; i < POINTS; i++) {
        double u[4], z[4], share = 1;
        uniform_point(u, i);
        normal_pair(&z[0], u[0], u[1]);
        normal_pair(&z[2], u[2], u[3]);
        pov_vec2 v = drawn(sight->v_m, L.m[0], L.m[1], z), axis;
        if (mode)
            share = draw_heading(&axis, mode, z[2], u[2]);
        else
            axis = drawn(sight->axis_m, L.m[2], L.m[3], z);
        total += share;
        add_point(&own, share, v, axis, acceptor);
    }
    for (int q = 0; q < POV_QUARTER_COUNT; q++) {
        sums->first[q] += weight * own.first[q] / total;
        sums->second[q] += weight * own.second[q] / total;
    }
}

pov_expected pov_expected_from(const pov_moment_sums *sums)
{
    pov_expected expected;
    for (int q = 0; q < POV_QUARTER_COUNT; q++) {
        expected.mean[q] = fmin(1, fmax(0, sums->first[q]));
        expected.std[q] = sqrt(fmax(0, sums->second[q] - sums->first[q] * sums->first[q]));
    }
    return expected;
}
