/** Weighted, robust and nonlinear least squares of few unknowns. libc and libm only. */
#pragma once

#include <stdbool.h>

enum { POV_NORMAL_MAX = 24 };

/** Huber 1964. Returns the cost of a squared distance: quadratic up to `bound`, linear beyond. Out: weight: the cost's
 *  derivative by the squared distance. */
double pov_huber(double *weight, double distance2, double bound);

/** rows := L^-1 rows, for n x columns rows and the Cholesky factor L of their covariance. */
void pov_whiten(double *rows, const double *L, int n, int columns);

/** Sum of the squares of n numbers. */
double pov_squares(const double *x, int n);

/** Squared Mahalanobis distance: x^T A^-1 x for n <= POV_NORMAL_MAX; infinite if A is not positive definite. */
double pov_distance2(const double *x, const double *A, int n);

/** Normal equations of n <= POV_NORMAL_MAX unknowns; the caller owns the numbers. */
typedef struct {
    double *information, *gradient; /* n x n: J^T W J; n: J^T W r, downhill */
    int n;
} pov_normal;

/** Adds rows x n derivatives J of the prediction, and residuals (measured minus predicted). */
void pov_normal_add(const pov_normal *sum, const double *J, const double *residual, int rows, double weight);

/** The step that solves the equations with their diagonal times 1 + damping. Returns false if they are singular. `step`
 *  may alias `gradient`. */
bool pov_normal_step(double *step, const double *information, const double *gradient, int n, double damping);

/** A descent by Levenberg 1944 and Marquardt 1963. It decides on damping, acceptance and end; the caller steps:
 *      for (pov_descent d = pov_descent_from(cost, 1e-3, 50); pov_descent_continues(&d);) {
 *          trial = state + step(d.damping)
 *          if (pov_descent_accepts(&d, cost of trial; INFINITY: there is no step))
 *              state = trial
 *      } */
typedef struct {
    double cost, damping; /* of the accepted state; of the next trial */
    double gain_min; /* an accepted step that lowers the cost by a smaller share is the last; 0 by default */
    int trials_left;
} pov_descent;

pov_descent pov_descent_from(double cost, double damping, int trial_max);
/** Returns false when the cost is 0 or infinite, the trials are used up, or no step lowers the cost. */
bool pov_descent_continues(const pov_descent *descent);
/** Returns whether the trial becomes the state: its cost is not higher. */
bool pov_descent_accepts(pov_descent *descent, double cost);
/** Ends the loop after the current trial. */
void pov_descent_end(pov_descent *descent);
