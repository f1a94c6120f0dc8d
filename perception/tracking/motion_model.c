#include "perception/tracking/motion_internal.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

enum { N = POV_MOTION_N, NN = POV_MOTION_NN, STATE = POV_MOTION_STATE };

/* What lasted is drawn anew now and then: an occluder comes, a light changes. */
static const double redrawn_share = 0.005;
/* A mean of findings forgets: things creep. */
static const double memory_s = 10;
/* What lasts, lasts in the table frame: a mean of findings on a disc holds for so far a turn. */
static const double memory_rad = 0.07;
static const double recent_gain = 0.125;
/* What stands still, or is carried, is not told to move faster than this. */
static const double standing_speed_std = 5e-4;

static double trace(const double *A, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += A[i * n + i];
    return sum;
}

static void add_scaled(double *sum, const double *A, double factor, int len)
{
    for (int i = 0; i < len; i++)
        sum[i] += factor * A[i];
}

/* The leading block of an n x n matrix. */
static void leading(double *block, const double *A, int dimensions, int n)
{
    for (int i = 0; i < dimensions; i++)
        memmove(&block[i * dimensions], &A[i * n], (size_t)dimensions * sizeof *block);
}

const double *motion_place(const pov_motion *motion, pov_motion_way way)
{
    return motion_is_free(way) ? motion->free[way - POV_WAYS_STILL].mean : motion->still[way].at;
}

/* A block of a free way's covariance: rows and columns from `first`. */
static void free_block(const pov_motion *motion, pov_motion_way way, double *cov, int first)
{
    int n = motion->n;
    const double *from = motion->free[way - POV_WAYS_STILL].cov;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            cov[i * n + j] = from[(first + i) * 2 * n + first + j];
}

static void split_of(const pov_motion *motion, pov_motion_way way, double *fluctuating, double *lasting,
                     const double *claimed)
{
    bool moves = way == POV_WAY_FAST || (way == POV_WAY_CARRIED && motion->carrier.turn_rad != 0);
    pov_error_split split = moves ? pov_error_split_in_motion(&motion->split) : motion->split;
    pov_error_split_apply(&split, fluctuating, lasting, claimed);
    if (moves && way == POV_WAY_CARRIED) { /* over a part of a turn, none of what lasts averages out */
        double unused[NN];
        pov_error_split_apply(&motion->split, unused, lasting, claimed);
    }
    if (way == POV_WAY_CARRIED && motion->has_carrier)
        add_scaled(fluctuating, motion->carrier.cov, 1, motion->n * motion->n);
}

/* What creeps is ahead of its mean by about as much as that follows it in the images that it rests on. */
static void add_crept(double *cov, const pov_motion *motion, pov_motion_way way, double factor)
{
    const double *crept = motion->still[way].crept;
    for (int i = 0; i < motion->n; i++)
        for (int j = 0; j < motion->n; j++)
            cov[i * motion->n + j] += factor * crept[i] * crept[j];
}

/* What is off by so much is led astray by as much times the chord of the turn that nobody saw. */
static double astray_var(const pov_motion *motion, pov_motion_way way)
{
    return way == POV_WAY_CARRIED ? motion->carrier.off_var * pow(2 * sin(motion->turned_rad / 2), 2) : 0;
}

static void add_to_diagonal(double *cov, double variance, int n)
{
    for (int i = 0; i < n; i++)
        cov[i * n + i] += variance;
}

void motion_place_cov(const pov_motion *motion, pov_motion_way way, double *cov)
{
    int nn = motion->n * motion->n;
    double fluctuating[NN], lasting[NN];
    split_of(motion, way, fluctuating, lasting, motion->claimed);
    memcpy(cov, lasting, (size_t)nn * sizeof *cov);
    if (motion_is_free(way)) {
        double own[NN];
        free_block(motion, way, own, 0);
        add_scaled(cov, own, 1, nn);
        return;
    }
    add_scaled(cov, fluctuating, motion->still[way].scatter, nn);
    add_scaled(cov, motion->still[way].moved, 1, nn);
    add_to_diagonal(cov, astray_var(motion, way), motion->n);
    add_crept(cov, motion, way, 1);
}

/* What is carried goes as fast as the table turns, where it is. */
static void carried_velocity(const pov_motion *motion, double *velocity, double *cov)
{
    int n = motion->n;
    double place_cov[NN];
    motion_place_cov(motion, POV_WAY_CARRIED, place_cov);
    pov_sandwich(cov, motion->carrier.rate, place_cov, n, n);
    add_scaled(cov, motion->carrier.velocity_cov, 1, n * n);
    for (int i = 0; i < n; i++) {
        velocity[i] = motion->carrier.rate_shift[i];
        for (int j = 0; j < n; j++)
            velocity[i] += motion->carrier.rate[i * n + j] * motion->still[POV_WAY_CARRIED].at[j];
    }
}

void motion_velocity(const pov_motion *motion, pov_motion_way way, double *velocity, double *cov)
{
    int n = motion->n;
    memset(velocity, 0, (size_t)n * sizeof *velocity);
    memset(cov, 0, (size_t)(n * n) * sizeof *cov);
    if (motion_is_free(way)) {
        memcpy(velocity, motion_place(motion, way) + n, (size_t)n * sizeof *velocity);
        free_block(motion, way, cov, n);
        return;
    }
    if (way == POV_WAY_CARRIED && motion->has_carrier)
        carried_velocity(motion, velocity, cov);
    for (int i = 0; i < n; i++)
        cov[i * n + i] += standing_speed_std * standing_speed_std;
    if (motion->elapsed_s > 0)
        add_crept(cov, motion, way, pow(recent_gain / motion->elapsed_s, 2));
}

/* -------- densities -------- */

/* log of a normal density, or of Student's with so many degrees of freedom: 0 means a normal's. */
static double log_density(const double *difference, const double *cov, int n, double freedom)
{
    double L[STATE * STATE], solved[STATE], distance2 = 0, log_root_det = 0;
    memcpy(L, cov, (size_t)(n * n) * sizeof *L);
    for (int i = 0; i < n; i++)
        L[i * n + i] += 1e-18 + 1e-12 * cov[i * n + i];
    if (!pov_cholesky(L, L, n))
        return -INFINITY;
    pov_cholesky_solve(solved, L, difference, n);
    for (int i = 0; i < n; i++) {
        distance2 += difference[i] * solved[i];
        log_root_det += log(L[i * n + i]);
    }
    if (freedom == 0)
        return -0.5 * (distance2 + n * log(8 * atan(1))) - log_root_det;
    return lgamma((freedom + n) / 2) - lgamma(freedom / 2) - 0.5 * n * log(freedom * 4 * atan(1)) -
           log_root_det - 0.5 * (freedom + n) * log1p(distance2 / freedom);
}

static double log_sum(double a, double b)
{
    double larger = fmax(a, b);
    return isinf(larger) ? larger : larger + log(exp(a - larger) + exp(b - larger));
}

/* Covariances of where it is found, of the first dimensions: as before; with what lasts drawn anew; moved elsewhere. */
typedef struct {
    double as_before[NN], anew[NN], moved[NN];
} still_covs;

static still_covs covs_of(const pov_motion *motion, pov_motion_way way, const double *claimed, int dimensions)
{
    int n = motion->n, nn = n * n;
    const pov_still_state *still = &motion->still[way];
    double fluctuating[NN], lasting[NN];
    still_covs covs = {.as_before = {0}};
    split_of(motion, way, fluctuating, lasting, claimed);
    add_scaled(covs.as_before, fluctuating, 1 + still->scatter, nn);
    add_to_diagonal(covs.as_before, astray_var(motion, way), n);
    memcpy(covs.anew, covs.as_before, sizeof covs.anew);
    add_scaled(covs.anew, lasting, 2, nn);
    memcpy(covs.moved, covs.anew, sizeof covs.moved);
    if (still->moved_p > 0)
        add_scaled(covs.moved, still->moved, 1 / still->moved_p, nn);
    leading(covs.as_before, covs.as_before, dimensions, n);
    leading(covs.anew, covs.anew, dimensions, n);
    leading(covs.moved, covs.moved, dimensions, n);
    return covs;
}

static double still_log_density(const pov_motion *motion, pov_motion_way way, bool *elsewhere,
                                const double *difference, const double *claimed, int dimensions)
{
    int n = motion->n;
    double moved_p = motion->still[way].moved_p, in_place = log1p(-moved_p);
    still_covs covs = covs_of(motion, way, claimed, dimensions);
    double as_before = in_place + log1p(-redrawn_share) +
                       log_density(difference, covs.as_before, dimensions, motion->split.weight);
    double other = in_place + log(redrawn_share) + log_density(difference, covs.anew, dimensions, 0);
    if (moved_p > 0)
        other = log_sum(other, log(moved_p) + log_density(difference, covs.moved, dimensions, 0));
    if (elsewhere)
        *elsewhere = other > as_before || n * astray_var(motion, way) > trace(motion->claimed, n);
    return log_sum(as_before, other);
}

double motion_log_density(const pov_motion *motion, pov_motion_way way, bool *elsewhere, const double *found,
                          const double *claimed, int dimensions)
{
    int n = motion->n;
    double cov[NN], fluctuating[NN], lasting[NN], difference[N];
    for (int i = 0; i < dimensions; i++)
        difference[i] = found[i] - motion_place(motion, way)[i];
    if (!motion_is_free(way))
        return still_log_density(motion, way, elsewhere, difference, claimed, dimensions);
    if (elsewhere)
        *elsewhere = false;
    split_of(motion, way, fluctuating, lasting, claimed);
    free_block(motion, way, cov, 0);
    add_scaled(cov, fluctuating, 1, n * n);
    leading(cov, cov, dimensions, n);
    return log_density(difference, cov, dimensions, 0);
}

/* -------- time -------- */

static void carry_point(double *at, const pov_carrier *carrier, int n)
{
    double from[N];
    memcpy(from, at, (size_t)n * sizeof *at);
    for (int i = 0; i < n; i++) {
        at[i] = carrier->shift[i];
        for (int j = 0; j < n; j++)
            at[i] += carrier->map[i * n + j] * from[j];
    }
}

static void carry(pov_motion *motion)
{
    int n = motion->n;
    const pov_carrier *carrier = &motion->carrier;
    pov_still_state *still = &motion->still[POV_WAY_CARRIED];
    double moved[NN];
    carry_point(still->at, carrier, n);
    carry_point(still->recent, carrier, n);
    pov_sandwich(moved, carrier->map, still->moved, n, n);
    memcpy(still->moved, moved, (size_t)(n * n) * sizeof *moved);
}

/* x' = x + (1 - e) s v, v' = e v with e = exp(-t/s), and the exact covariance of what the velocity's wandering adds:
 * Uhlenbeck & Ornstein 1930. */
static void wander(pov_motion *motion, pov_motion_way way)
{
    pov_free_state *state = &motion->free[way - POV_WAYS_STILL];
    int n = motion->n, size = 2 * n;
    double s = motion->params.speed_s, variance = pow(motion->params.speed_std[way - POV_WAYS_STILL], 2),
           t = motion->elapsed_s / s;
    double e = exp(-t), reach = -expm1(-t) * s, J[STATE * STATE] = {0}, cov[STATE * STATE];
    for (int i = 0; i < n; i++) {
        state->mean[i] += reach * state->mean[n + i];
        state->mean[n + i] *= e;
        J[i * size + i] = 1;
        J[i * size + n + i] = reach;
        J[(n + i) * size + n + i] = e;
    }
    pov_sandwich(cov, J, state->cov, size, size);
    for (int i = 0; i < n; i++) {
        cov[i * size + i] += variance * s * s * fmax(0, 2 * t - 3 + 4 * e - e * e);
        cov[i * size + n + i] += variance * s * pow(1 - e, 2);
        cov[(n + i) * size + i] += variance * s * pow(1 - e, 2);
        cov[(n + i) * size + n + i] += variance * (1 - e * e);
    }
    memcpy(state->cov, cov, (size_t)(size * size) * sizeof *cov);
}

void motion_advance(pov_motion *motion, pov_motion_way way)
{
    if (way == POV_WAY_CARRIED && motion->has_carrier)
        carry(motion);
    if (motion_is_free(way))
        wander(motion, way);
}

/* -------- findings -------- */

/* The mean is led to `place`. What has been led far does not creep. */
static void creep(pov_still_state *still, const pov_motion *motion, const double *place)
{
    static const double chi2_max = 36;
    int n = motion->n;
    double L[NN], crept[N], solved[N], distance2 = 0;
    memcpy(L, motion->claimed, (size_t)(n * n) * sizeof *L);
    for (int i = 0; i < n; i++) {
        crept[i] = still->crept[i] + place[i] - still->at[i];
        L[i * (n + 1)] += 1e-18;
    }
    if (!pov_cholesky(L, L, n))
        return;
    pov_cholesky_solve(solved, L, crept, n);
    for (int i = 0; i < n; i++)
        distance2 += crept[i] * solved[i];
    for (int i = 0; i < n; i++)
        still->crept[i] = distance2 < chi2_max ? crept[i] : 0;
}

static void restart(pov_still_state *still, const pov_motion *motion, const double *found, double noise)
{
    int n = motion->n;
    creep(still, motion, found);
    memcpy(still->at, found, (size_t)n * sizeof *found);
    memcpy(still->recent, found, (size_t)n * sizeof *found);
    memset(still->moved, 0, sizeof still->moved);
    still->moved_p = 0;
    still->scatter = still->recent_scatter = noise;
}

/* A running mean; its variance follows from the weights, whatever they are. */
static double step_mean(double *mean, double *scatter, const double *found, double noise, double least, int n)
{
    double gain = fmax(least, *scatter / (*scatter + noise));
    for (int i = 0; i < n; i++)
        mean[i] += gain * (found[i] - mean[i]);
    *scatter = pow(1 - gain, 2) * *scatter + gain * gain * noise;
    return gain;
}

/* The last few findings agree on another place than all of them: it creeps. */
static bool has_crept(const pov_motion *motion, pov_motion_way way)
{
    static const double chi2_max = 20;
    const pov_still_state *still = &motion->still[way];
    int n = motion->n;
    double fluctuating[NN], lasting[NN], difference[N], solved[N], distance2 = 0;
    split_of(motion, way, fluctuating, lasting, motion->claimed);
    for (int i = 0; i < n; i++) {
        difference[i] = still->recent[i] - still->at[i];
        fluctuating[i * (n + 1)] += 1e-18;
    }
    if (!pov_cholesky(fluctuating, fluctuating, n))
        return false;
    pov_cholesky_solve(solved, fluctuating, difference, n);
    for (int i = 0; i < n; i++)
        distance2 += difference[i] * solved[i];
    return distance2 > chi2_max * (still->scatter + still->recent_scatter);
}

static void average(pov_motion *motion, pov_motion_way way, const double *found, double noise)
{
    pov_still_state *still = &motion->still[way];
    double forgotten = motion->elapsed_s / memory_s;
    if (way == POV_WAY_CARRIED)
        forgotten = fmax(forgotten, fabs(motion->carrier.turn_rad) / memory_rad);
    step_mean(still->recent, &still->recent_scatter, found, noise, recent_gain, motion->n);
    motion->gain = step_mean(still->at, &still->scatter, found, noise, fmin(1, forgotten), motion->n);
    memset(still->moved, 0, sizeof still->moved);
    still->moved_p = 0;
    if (!has_crept(motion, way))
        return;
    creep(still, motion, still->recent);
    memcpy(still->at, still->recent, sizeof still->at);
    still->scatter = still->recent_scatter;
    motion->gain = recent_gain;
}

static void filter(pov_motion *motion, pov_motion_way way, const double *found, const double *claimed)
{
    int n = motion->n, size = 2 * n;
    pov_free_state *state = &motion->free[way - POV_WAYS_STILL];
    double S[NN], lasting[NN], cov[STATE * STATE], gain[STATE * N], innovation[N], solved[N];
    split_of(motion, way, S, lasting, claimed);
    for (int i = 0; i < n; i++) {
        innovation[i] = found[i] - state->mean[i];
        for (int j = 0; j < n; j++)
            S[i * n + j] += state->cov[i * size + j];
        S[i * n + i] += 1e-18;
    }
    if (!pov_cholesky(S, S, n))
        return;
    for (int i = 0; i < size; i++)
        pov_cholesky_solve(&gain[i * n], S, &state->cov[i * size], n);
    pov_cholesky_solve(solved, S, innovation, n);
    memcpy(cov, state->cov, (size_t)(size * size) * sizeof *cov);
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < n; k++)
            state->mean[i] += cov[i * size + k] * solved[k];
        for (int j = 0; j < size; j++)
            for (int k = 0; k < n; k++)
                state->cov[i * size + j] -= gain[i * n + k] * cov[k * size + j];
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            state->cov[i * size + j] = state->cov[j * size + i];
}

void motion_take_in(pov_motion *motion, pov_motion_way way, bool elsewhere, const double *found,
                    const double *claimed)
{
    int n = motion->n;
    if (motion_is_free(way)) {
        filter(motion, way, found, claimed);
        return;
    }
    pov_still_state *still = &motion->still[way];
    double noise = fmax(1e-3, trace(claimed, n) / fmax(1e-300, trace(motion->claimed, n)));
    for (int i = 0; i < n; i++)
        still->crept[i] *= 1 - recent_gain;
    if (elsewhere)
        restart(still, motion, found, noise);
    else
        average(motion, way, found, noise);
}
