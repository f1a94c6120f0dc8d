#include "perception/relations/expectation/template_fit.h"

#include "perception/geometry/geom.h"
#include "perception/geometry/linalg.h"

#include <float.h>
#include <string.h>

enum { N = POV_TEMPLATE_PARAMETERS, STEPS_MAX = 200 };

typedef struct {
    const pov_rating *ratings;
    int len, parameters;
} problem;

/* The parameters, free of bounds' units: edges and falls in radians, the level, and 1 / reach. */
static pov_template template_of(const double x[N])
{
    return (pov_template){x[0], x[1], x[2], x[3], x[4], x[5] > 0 ? 1 / x[5] : (double)INFINITY};
}

static double clamped(double value, double low, double high)
{
    return fmin(high, fmax(low, value));
}

/* Back to where a template is one: the good region within the acceptable one. */
static void clamp(double x[N])
{
    x[2] = clamped(x[2], 0.05, POV_PI);
    x[0] = clamped(x[0], 0, x[2]);
    x[1] = clamped(x[1], 0.01, 1.5);
    x[3] = clamped(x[3], 0.01, 1.5);
    x[4] = clamped(x[4], 0, 1);
    x[5] = clamped(x[5], 0, 1e3);
}

static double residual(const pov_rating *rating, const double x[N])
{
    const pov_template regions = template_of(x);
    return rating->rating -
           pov_template_evaluate(&regions, rating->theta_rad, x[5] > 0 ? rating->distance_m : 0);
}

/* Huber's loss, and the weight by which a residual counts as if squared. */
static double huber(double *weight, double r, double scale)
{
    const double bound = 1.345 * scale;
    *weight = fabs(r) <= bound ? 1 : bound / fabs(r);
    return fabs(r) <= bound ? r * r / 2 : bound * (fabs(r) - bound / 2);
}

static double loss_at(const problem *p, const double x[N], double scale)
{
    double loss = 0, weight;
    for (int i = 0; i < p->len; i++)
        loss += huber(&weight, residual(&p->ratings[i], x), scale);
    return loss;
}

/* J^T W J and J^T W r of the prediction, by central differences. */
static void normal_equations(double *H, double g[N], const problem *p, const double x[N], double scale)
{
    const int n = p->parameters;
    memset(H, 0, sizeof(double) * (size_t)(n * n));
    memset(g, 0, sizeof(double) * N);
    for (int i = 0; i < p->len; i++) {
        double J[N], weight, r = residual(&p->ratings[i], x);
        (void)huber(&weight, r, scale);
        for (int k = 0; k < n; k++) {
            double up[N], down[N], step = 1e-5;
            memcpy(up, x, sizeof up);
            memcpy(down, x, sizeof down);
            up[k] += step;
            down[k] -= step;
            J[k] = (residual(&p->ratings[i], down) - residual(&p->ratings[i], up)) / (2 * step);
        }
        for (int k = 0; k < n; k++) {
            g[k] += weight * J[k] * r;
            for (int l = 0; l < n; l++)
                H[k * n + l] += weight * J[k] * J[l];
        }
    }
}

/* One damped step; false if it does not lower the loss. */
static bool try_step(double x[N], double *loss, const problem *p, const double *H, const double g[N],
                     double damping, double scale)
{
    const int n = p->parameters;
    double A[N * N], step[N] = {0}, next[N];
    memcpy(A, H, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < n; k++)
        A[k * n + k] += damping * H[k * n + k] + 1e-12 * p->len;
    if (!pov_cholesky(A, A, n))
        return false;
    pov_cholesky_solve(step, A, g, n);
    for (int k = 0; k < N; k++)
        next[k] = x[k] + step[k];
    clamp(next);
    double next_loss = loss_at(p, next, scale);
    if (!(next_loss < *loss))
        return false;
    *loss = next_loss;
    memcpy(x, next, sizeof next);
    return true;
}

static int descend(double x[N], double *loss, const problem *p, double scale)
{
    double H[N * N], g[N], damping = 1e-3;
    int steps = 0;
    *loss = loss_at(p, x, scale);
    while (steps < STEPS_MAX && damping < 1e12) {
        double before = *loss;
        normal_equations(H, g, p, x, scale);
        while (damping < 1e12 && !try_step(x, loss, p, H, g, damping, scale))
            damping *= 10;
        damping = fmax(1e-9, damping / 10);
        steps++;
        if (before - *loss <= 1e-12 * before)
            break;
    }
    return steps;
}

static double rms_at(const problem *p, const double x[N])
{
    double sum = 0;
    for (int i = 0; i < p->len; i++)
        sum += pow(residual(&p->ratings[i], x), 2);
    return sqrt(sum / p->len);
}

/* A robust standard deviation: of residuals' sizes the 68th percentile, by bisection. */
static double robust_std(const problem *p, const double x[N])
{
    double low = 0, high = 1;
    for (int k = 0; k < 40; k++) {
        double middle = (low + high) / 2;
        int inside = 0;
        for (int i = 0; i < p->len; i++)
            inside += fabs(residual(&p->ratings[i], x)) <= middle;
        *(inside >= 0.6827 * p->len ? &high : &low) = middle;
    }
    return fmax(1e-4, high);
}

/* The best of several starts under plain least squares, then refined under Huber's loss at its own scale. */
static int solve(double x[N], double *scale, const problem *p)
{
    double best = DBL_MAX;
    int steps = 0;
    for (int start = 0; start < 8; start++) {
        double loss,
            trial[N] = {start & 1 ? 0.9 : 0.4,       0.15, start & 2 ? 1.9 : 1.3, 0.15, start & 4 ? 0.8 : 0.4,
                        p->parameters == N ? 0.2 : 0};
        steps += descend(trial, &loss, p, 10);
        if (loss < best) {
            best = loss;
            memcpy(x, trial, sizeof trial);
        }
    }
    for (int round = 0; round < 5; round++) {
        *scale = robust_std(p, x);
        steps += descend(x, &best, p, *scale);
    }
    return steps;
}

/* Huber 1981, section 7.6: the covariance of the estimate is its scale's square over the weighted information. */
static bool standard_errors(double std[N], const problem *p, const double x[N], double scale)
{
    double H[N * N], g[N];
    const int n = p->parameters;
    normal_equations(H, g, p, x, scale);
    if (!pov_symmetric_inverse(H, H, n))
        return false;
    for (int k = 0; k < n; k++)
        std[k] = scale * sqrt(H[k * n + k]);
    if (n == N)
        std[5] /= x[5] > 0 ? x[5] * x[5] : NAN; /* of the reach, not of its inverse */
    return true;
}

static double variance_of_ratings(const problem *p)
{
    double sum = 0, sum2 = 0;
    for (int i = 0; i < p->len; i++) {
        sum += p->ratings[i].rating;
        sum2 += p->ratings[i].rating * p->ratings[i].rating;
    }
    return sum2 / p->len - sum * sum / p->len / p->len;
}

pov_status pov_template_fit_ratings(pov_template_fit *fit, const pov_rating *ratings, int len,
                                    bool with_distance)
{
    const problem p = {ratings, len, with_distance ? N : N - 1};
    double x[N], scale = 0, variance;
    memset(fit, 0, sizeof *fit);
    for (int k = 0; k < N; k++)
        fit->std[k] = NAN;
    if (len < POV_TEMPLATE_RATINGS_MIN)
        return pov_error("%d ratings; a template needs at least %d", len, POV_TEMPLATE_RATINGS_MIN);
    variance = variance_of_ratings(&p);
    if (!(variance > 1e-9))
        return pov_error("all ratings are alike; a template needs good, acceptable and bad places");
    fit->step_len = solve(x, &scale, &p);
    if (!standard_errors(fit->std, &p, x, scale))
        return pov_error("the ratings do not determine a template; rate more angles from 0 to 180 degrees");
    fit->regions = template_of(x);
    fit->residual_rms = rms_at(&p, x);
    fit->r_squared = 1 - fit->residual_rms * fit->residual_rms / variance;
    for (int i = 0; i < len; i++)
        fit->outlier_len += fabs(residual(&ratings[i], x)) > 3 * scale;
    return pov_ok();
}
