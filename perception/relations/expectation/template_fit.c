#include "perception/relations/expectation/template_fit.h"

#include "perception/geometry/geom.h"
#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <float.h>
#include <string.h>

enum { N = POV_TEMPLATE_PARAMETERS, TRIAL_MAX = 400 };

static const double huber_bound =
    1.345; /* standard deviations: 95 % efficient for normal residuals, Huber 1981 */
static const double ridge =
    1e-12; /* per rating, added to the information: an edge may have no ratings near it */

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

static double loss_at(const problem *p, const double x[N], double scale)
{
    double loss = 0, weight;
    for (int i = 0; i < p->len; i++)
        loss += pov_huber(&weight, pow(residual(&p->ratings[i], x), 2), huber_bound * scale);
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
        (void)pov_huber(&weight, r * r, huber_bound * scale);
        for (int k = 0; k < n; k++) {
            double up[N], down[N], step = 1e-5;
            memcpy(up, x, sizeof up);
            memcpy(down, x, sizeof down);
            up[k] += step;
            down[k] -= step;
            J[k] = (residual(&p->ratings[i], down) - residual(&p->ratings[i], up)) / (2 * step);
        }
        pov_normal_add(&(pov_normal){H, g, n}, J, &r, 1, weight);
    }
    for (int k = 0; k < n; k++)
        H[k * n + k] += ridge * p->len;
}

static int descend_loss(double x[N], double *loss, const problem *p, double scale)
{
    double H[N * N], g[N], step[N] = {0};
    int steps = 0;
    normal_equations(H, g, p, x, scale);
    pov_descent d = pov_descent_from(loss_at(p, x, scale), 1e-3, TRIAL_MAX);
    for (d.gain_min = 1e-12; pov_descent_continues(&d);) {
        double next[N];
        const bool has_step = pov_normal_step(step, H, g, p->parameters, d.damping);
        for (int k = 0; k < N; k++)
            next[k] = x[k] + step[k];
        clamp(next);
        if (!pov_descent_accepts(&d, has_step ? loss_at(p, next, scale) : (double)INFINITY))
            continue;
        memcpy(x, next, sizeof next);
        normal_equations(H, g, p, x, scale);
        steps++;
    }
    *loss = d.cost;
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
        steps += descend_loss(trial, &loss, p, 10);
        if (loss < best) {
            best = loss;
            memcpy(x, trial, sizeof trial);
        }
    }
    for (int round = 0; round < 5; round++) {
        *scale = robust_std(p, x);
        steps += descend_loss(x, &best, p, *scale);
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
