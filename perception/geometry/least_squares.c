#include "perception/geometry/least_squares.h"

#include "perception/geometry/linalg.h"
#include "perception/status.h"

#include <math.h>
#include <string.h>

/* Marquardt's factor of 10; the limits are where double precision no longer tells a damped step from none. */
static const double DAMPING_FACTOR = 10, DAMPING_MIN = 1e-12, DAMPING_MAX = 1e12;

double pov_huber(double *weight, double distance2, double bound)
{
    const double distance = sqrt(distance2);
    *weight = distance > bound ? bound / distance : 1;
    return distance > bound ? bound * (2 * distance - bound) : distance2;
}

void pov_whiten(double *rows, const double *L, int n, int columns)
{
    for (int i = 0; i < n; i++) {
        double *row = &rows[i * columns];
        for (int j = 0; j < i; j++)
            for (int k = 0; k < columns; k++)
                row[k] -= L[i * n + j] * rows[j * columns + k];
        for (int k = 0; k < columns; k++)
            row[k] /= L[i * n + i];
    }
}

double pov_squares(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

double pov_distance2(const double *x, const double *A, int n)
{
    double L[POV_NORMAL_MAX * POV_NORMAL_MAX], white[POV_NORMAL_MAX];
    POV_REQUIRE(n <= POV_NORMAL_MAX);
    if (!pov_cholesky(L, A, n))
        return INFINITY;
    memcpy(white, x, sizeof *white * (size_t)n);
    pov_whiten(white, L, n, 1);
    return pov_squares(white, n);
}

void pov_normal_add(const pov_normal *sum, const double *J, const double *residual, int rows, double weight)
{
    const int n = sum->n;
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < n; i++) {
            sum->gradient[i] += weight * J[row * n + i] * residual[row];
            for (int k = 0; k < n; k++)
                sum->information[i * n + k] += weight * J[row * n + i] * J[row * n + k];
        }
}

bool pov_normal_step(double *step, const double *information, const double *gradient, int n, double damping)
{
    double L[POV_NORMAL_MAX * POV_NORMAL_MAX];
    POV_REQUIRE(n <= POV_NORMAL_MAX);
    memcpy(L, information, sizeof *L * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        L[i * (n + 1)] *= 1 + damping;
    if (!pov_cholesky(L, L, n))
        return false;
    pov_cholesky_solve(step, L, gradient, n);
    return true;
}

pov_descent pov_descent_from(double cost, double damping, int trial_max)
{
    return (pov_descent){.cost = cost, .damping = damping, .trials_left = trial_max};
}

bool pov_descent_continues(const pov_descent *descent)
{
    return descent->trials_left > 0 && descent->damping < DAMPING_MAX && descent->cost > 0 &&
           isfinite(descent->cost);
}

bool pov_descent_accepts(pov_descent *descent, double cost)
{
    const double gain = descent->cost - cost;
    descent->trials_left--;
    if (!(gain >= 0)) {
        descent->damping *= DAMPING_FACTOR;
        return false;
    }
    descent->cost = cost;
    descent->damping = fmax(descent->damping / DAMPING_FACTOR, DAMPING_MIN);
    if (gain < descent->gain_min * cost)
        pov_descent_end(descent);
    return true;
}

void pov_descent_end(pov_descent *descent)
{
    descent->trials_left = 0;
}
