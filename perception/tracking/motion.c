#include "perception/tracking/motion.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/status.h"

#include <math.h>
#include <string.h>

enum { N = POV_MOTION_N, NN = POV_MOTION_NN, STATE = POV_MOTION_STATE, WAYS = POV_WAYS };

/* Lasting errors are redrawn in this share of images: an occluder comes, a light changes. Chosen. */
static const double redrawn_share = 0.005;
/* A mean of findings forgets after this time, for things creep; on a disc after this turn, for lasting errors last in the
 * table frame. Chosen. */
static const double memory_s = 10, memory_rad = 0.07;
static const double recent_gain =
    0.125; /* of the mean of the last few findings: about eight images; chosen */
/* Standard deviation of each coordinate's velocity at rest and when carried, per second; chosen. */
static const double standing_speed_std = 5e-4;
static const double creep_chi2 = 20; /* recent mean against the whole mean: it creeps; chosen */
static const double jump_chi2 = 36;  /* a mean that moved farther was moved, it does not creep; chosen */
/* Mean times until a thing beside a turning table comes to turn with it, and the reverse. Chosen. */
static const double onto_carrier_s = 1, off_carrier_s = 60;
static const double lands_on_carrier = 0.9; /* probability, where a turning table is under a thing; chosen */
static const double pace_s = 0.3;           /* mean time between slow and fast in free motion; chosen */
static const double own_share_min =
    0.01;                             /* probability below which a way restarts from the likeliest; chosen */
static const double learning_p = 0.9; /* probability of rest from which scatter is learnt; chosen */
static const double learning_turn_rad = 1e-4; /* an image's turn above which lasting errors change; chosen */
static const double ridge = 1e-18;            /* added to variances: they may be 0 */

static bool is_free(pov_motion_way way)
{
    return way >= POV_WAY_SLOW;
}

static double trace_of(const double *A, int n)
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
static void take_leading_block(double *block, const double *A, int dimensions, int n)
{
    for (int i = 0; i < dimensions; i++)
        memmove(&block[i * dimensions], &A[i * n], (size_t)dimensions * sizeof *block);
}

static const double *place_of(const pov_motion *motion, pov_motion_way way)
{
    return is_free(way) ? motion->free[way - POV_WAYS_STILL].mean : motion->still[way].at;
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
    if (moves && way == POV_WAY_CARRIED) { /* over a part of a turn no lasting error averages out */
        double unused[NN];
        pov_error_split_apply(&motion->split, unused, lasting, claimed);
    }
    if (way == POV_WAY_CARRIED && motion->has_carrier)
        add_scaled(fluctuating, motion->carrier.cov, 1, motion->n * motion->n);
}

/* A creeping thing is ahead of its mean of findings by about the mean's own recent drift. */
static void add_crept(double *cov, const pov_motion *motion, pov_motion_way way, double factor)
{
    const double *crept = motion->still[way].crept;
    for (int i = 0; i < motion->n; i++)
        for (int j = 0; j < motion->n; j++)
            cov[i * motion->n + j] += factor * crept[i] * crept[j];
}

/* Error of an unseen thing on a turning table: the error of its place about the axis, times the chord of the turn. */
static double carried_error_var(const pov_motion *motion, pov_motion_way way)
{
    return way == POV_WAY_CARRIED ? motion->carrier.off_var * pow(2 * sin(motion->turned_rad / 2), 2) : 0;
}

static void add_to_diagonal(double *cov, double variance, int n)
{
    for (int i = 0; i < n; i++)
        cov[i * n + i] += variance;
}

static void find_place_cov(const pov_motion *motion, pov_motion_way way, double *cov)
{
    int nn = motion->n * motion->n;
    double fluctuating[NN], lasting[NN];
    split_of(motion, way, fluctuating, lasting, motion->claimed);
    memcpy(cov, lasting, (size_t)nn * sizeof *cov);
    if (is_free(way)) {
        double own[NN];
        free_block(motion, way, own, 0);
        add_scaled(cov, own, 1, nn);
        return;
    }
    add_scaled(cov, fluctuating, motion->still[way].scatter, nn);
    add_scaled(cov, motion->still[way].moved, 1, nn);
    add_to_diagonal(cov, carried_error_var(motion, way), motion->n);
    add_crept(cov, motion, way, 1);
}

/* Velocity of the table where the thing stands. */
static void carried_velocity(const pov_motion *motion, double *velocity, double *cov)
{
    int n = motion->n;
    double place_cov[NN];
    find_place_cov(motion, POV_WAY_CARRIED, place_cov);
    pov_sandwich(cov, motion->carrier.rate, place_cov, n, n);
    add_scaled(cov, motion->carrier.velocity_cov, 1, n * n);
    for (int i = 0; i < n; i++) {
        velocity[i] = motion->carrier.rate_shift[i];
        for (int j = 0; j < n; j++)
            velocity[i] += motion->carrier.rate[i * n + j] * motion->still[POV_WAY_CARRIED].at[j];
    }
}

static void find_velocity(const pov_motion *motion, pov_motion_way way, double *velocity, double *cov)
{
    int n = motion->n;
    memset(velocity, 0, (size_t)n * sizeof *velocity);
    memset(cov, 0, (size_t)(n * n) * sizeof *cov);
    if (is_free(way)) {
        memcpy(velocity, place_of(motion, way) + n, (size_t)n * sizeof *velocity);
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

/* Logarithm of Student's density with so many degrees of freedom; of a normal density for 0. */
static double log_density(const double *difference, const double *cov, int n, double freedom)
{
    double L[STATE * STATE], white[STATE], log_root_det = 0;
    memcpy(L, cov, (size_t)(n * n) * sizeof *L);
    for (int i = 0; i < n; i++)
        L[i * n + i] += ridge + 1e-12 * cov[i * n + i];
    if (!pov_cholesky(L, L, n))
        return -INFINITY;
    memcpy(white, difference, (size_t)n * sizeof *white);
    pov_whiten(white, L, n, 1);
    const double distance2 = pov_squares(white, n);
    for (int i = 0; i < n; i++)
        log_root_det += log(L[i * n + i]);
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

/* Covariances of the next finding: with the lasting error as before; redrawn; and after a move. */
typedef struct {
    double as_before[NN], again[NN], moved[NN];
} still_covs;

static still_covs covs_of(const pov_motion *motion, pov_motion_way way, const double *claimed, int dimensions)
{
    int n = motion->n, nn = n * n;
    const pov_still_state *still = &motion->still[way];
    double fluctuating[NN], lasting[NN];
    still_covs covs = {.as_before = {0}};
    split_of(motion, way, fluctuating, lasting, claimed);
    add_scaled(covs.as_before, fluctuating, 1 + still->scatter, nn);
    add_to_diagonal(covs.as_before, carried_error_var(motion, way), n);
    memcpy(covs.again, covs.as_before, sizeof covs.again);
    add_scaled(covs.again, lasting, 2, nn);
    memcpy(covs.moved, covs.again, sizeof covs.moved);
    if (still->moved_p > 0)
        add_scaled(covs.moved, still->moved, 1 / still->moved_p, nn);
    take_leading_block(covs.as_before, covs.as_before, dimensions, n);
    take_leading_block(covs.again, covs.again, dimensions, n);
    take_leading_block(covs.moved, covs.moved, dimensions, n);
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
    double other = in_place + log(redrawn_share) + log_density(difference, covs.again, dimensions, 0);
    if (moved_p > 0)
        other = log_sum(other, log(moved_p) + log_density(difference, covs.moved, dimensions, 0));
    if (elsewhere)
        *elsewhere = other > as_before || n * carried_error_var(motion, way) > trace_of(motion->claimed, n);
    return log_sum(as_before, other);
}

static double way_log_density(const pov_motion *motion, pov_motion_way way, bool *elsewhere,
                              const double *found, const double *claimed, int dimensions)
{
    int n = motion->n;
    double cov[NN], fluctuating[NN], lasting[NN], difference[N];
    for (int i = 0; i < dimensions; i++)
        difference[i] = found[i] - place_of(motion, way)[i];
    if (!is_free(way))
        return still_log_density(motion, way, elsewhere, difference, claimed, dimensions);
    if (elsewhere)
        *elsewhere = false;
    split_of(motion, way, fluctuating, lasting, claimed);
    free_block(motion, way, cov, 0);
    add_scaled(cov, fluctuating, 1, n * n);
    take_leading_block(cov, cov, dimensions, n);
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

static void carry_state(pov_motion *motion)
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

/* x' = x + (1 - e) s v, v' = e v with e = exp(-t/s), and the exact covariance of the velocity's wandering: Uhlenbeck &
 * Ornstein 1930. */
static void wander_state(pov_motion *motion, pov_motion_way way)
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

static void advance_way(pov_motion *motion, pov_motion_way way)
{
    if (way == POV_WAY_CARRIED && motion->has_carrier)
        carry_state(motion);
    if (is_free(way))
        wander_state(motion, way);
}

/* -------- findings -------- */

/* Counts a move of the mean to `place` as drift, unless it is far. */
static void note_drift(pov_still_state *still, const pov_motion *motion, const double *place)
{
    int n = motion->n;
    double cov[NN], crept[N] = {0};
    memcpy(cov, motion->claimed, (size_t)(n * n) * sizeof *cov);
    add_to_diagonal(cov, ridge, n);
    for (int i = 0; i < n; i++)
        crept[i] = still->crept[i] + place[i] - still->at[i];
    const bool jumped = !(pov_distance2(crept, cov, n) < jump_chi2);
    for (int i = 0; i < n; i++)
        still->crept[i] = jumped ? 0 : crept[i];
}

static void restart_mean(pov_still_state *still, const pov_motion *motion, const double *found, double noise)
{
    int n = motion->n;
    note_drift(still, motion, found);
    memcpy(still->at, found, (size_t)n * sizeof *found);
    memcpy(still->recent, found, (size_t)n * sizeof *found);
    memset(still->moved, 0, sizeof still->moved);
    still->moved_p = 0;
    still->scatter = still->recent_scatter = noise;
}

/* A running mean with its variance. */
static double step_mean(double *mean, double *scatter, const double *found, double noise, double least, int n)
{
    double gain = fmax(least, *scatter / (*scatter + noise));
    for (int i = 0; i < n; i++)
        mean[i] += gain * (found[i] - mean[i]);
    *scatter = pow(1 - gain, 2) * *scatter + gain * gain * noise;
    return gain;
}

/* The last few findings agree on another place than all of them. */
static bool has_crept(const pov_motion *motion, pov_motion_way way)
{
    const pov_still_state *still = &motion->still[way];
    int n = motion->n;
    double fluctuating[NN], lasting[NN], difference[N] = {0};
    split_of(motion, way, fluctuating, lasting, motion->claimed);
    add_to_diagonal(fluctuating, ridge, n);
    for (int i = 0; i < n; i++)
        difference[i] = still->recent[i] - still->at[i];
    const double distance2 = pov_distance2(difference, fluctuating, n);
    return isfinite(distance2) && distance2 > creep_chi2 * (still->scatter + still->recent_scatter);
}

static void average_finding(pov_motion *motion, pov_motion_way way, const double *found, double noise)
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
    note_drift(still, motion, still->recent);
    memcpy(still->at, still->recent, sizeof still->at);
    still->scatter = still->recent_scatter;
    motion->gain = recent_gain;
}

static void filter_finding(pov_motion *motion, pov_motion_way way, const double *found, const double *claimed)
{
    int n = motion->n, size = 2 * n;
    pov_free_state *state = &motion->free[way - POV_WAYS_STILL];
    double S[NN], lasting[NN], cov[STATE * STATE], gain[STATE * N], innovation[N], solved[N];
    split_of(motion, way, S, lasting, claimed);
    for (int i = 0; i < n; i++) {
        innovation[i] = found[i] - state->mean[i];
        for (int j = 0; j < n; j++)
            S[i * n + j] += state->cov[i * size + j];
        S[i * n + i] += ridge;
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

static void update_way(pov_motion *motion, pov_motion_way way, bool elsewhere, const double *found,
                       const double *claimed)
{
    int n = motion->n;
    if (is_free(way)) {
        filter_finding(motion, way, found, claimed);
        return;
    }
    pov_still_state *still = &motion->still[way];
    double noise = fmax(1e-3, trace_of(claimed, n) / fmax(1e-300, trace_of(motion->claimed, n)));
    for (int i = 0; i < n; i++)
        still->crept[i] *= 1 - recent_gain;
    if (elsewhere)
        restart_mean(still, motion, found, noise);
    else
        average_finding(motion, way, found, noise);
}

/* -------- all ways together -------- */

bool pov_motion_is_late(int64_t now_ns, int64_t last_ns)
{
    return now_ns <= last_ns && last_ns - now_ns < 1000000000;
}

void pov_motion_start(pov_motion *motion, const pov_motion_params *params, int n, const double *found,
                      const double *claimed)
{
    POV_REQUIRE(n >= 1 && n <= N);
    *motion = (pov_motion){.n = n, .params = *params, .gain = 1};
    double moving = params->free_s / (params->rest_s + params->free_s);
    motion->p[POV_WAY_AT_REST] = 1 - moving;
    motion->p[POV_WAY_SLOW] = moving * params->slow_share;
    motion->p[POV_WAY_FAST] = moving * (1 - params->slow_share);
    pov_error_split_start(&motion->split, n);
    memcpy(motion->claimed, claimed, (size_t)(n * n) * sizeof *claimed);
    for (int way = POV_WAY_AT_REST; way <= POV_WAY_CARRIED; way++) {
        pov_still_state *still = &motion->still[way];
        memcpy(still->at, found, (size_t)n * sizeof *found);
        memcpy(still->recent, found, (size_t)n * sizeof *found);
        still->scatter = still->recent_scatter = 1;
    }
    for (int k = 0; k < POV_WAYS_FREE; k++) {
        pov_free_state *state = &motion->free[k];
        memcpy(state->mean, found, (size_t)n * sizeof *found);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                state->cov[i * 2 * n + j] = claimed[i * n + j];
            state->cov[(n + i) * 2 * n + n + i] = pow(params->speed_std[k], 2);
        }
    }
}

/* -------- which way -------- */

double pov_motion_probability(const pov_motion *motion, pov_motion_model model)
{
    return model == POV_MOVING_FREELY ? motion->p[POV_WAY_SLOW] + motion->p[POV_WAY_FAST] : motion->p[model];
}

pov_motion_model pov_motion_likeliest(const pov_motion *motion)
{
    pov_motion_model likeliest = POV_AT_REST;
    for (pov_motion_model model = POV_CARRIED; model < POV_MOTION_COUNT; model++)
        if (pov_motion_probability(motion, model) > pov_motion_probability(motion, likeliest))
            likeliest = model;
    return likeliest;
}

/* The likeliest way of the likeliest model. */
static pov_motion_way likeliest_way(const pov_motion *motion)
{
    pov_motion_model model = pov_motion_likeliest(motion);
    if (model != POV_MOVING_FREELY)
        return (pov_motion_way)model;
    return motion->p[POV_WAY_SLOW] > motion->p[POV_WAY_FAST] ? POV_WAY_SLOW : POV_WAY_FAST;
}

/* -------- time -------- */

static double change_p(double elapsed_s, double mean_s)
{
    return -expm1(-elapsed_s / mean_s);
}

static void find_transitions(double to[WAYS][WAYS], const pov_motion *motion)
{
    const pov_motion_params *params = &motion->params;
    double t = motion->elapsed_s, rest = change_p(t, params->rest_s), ends = change_p(t, params->free_s);
    double slow = params->slow_share, pace = slow > 0 ? (1 - ends) * change_p(t, pace_s) : 0;
    double onto = motion->has_carrier ? (1 - rest) * change_p(t, onto_carrier_s) : 0;
    double off = motion->has_carrier ? (1 - rest) * change_p(t, off_carrier_s) : 1 - rest;
    double lands_on = motion->has_carrier ? lands_on_carrier : 0;
    const double table[WAYS][WAYS] = {
        {1 - rest - onto, onto, rest * slow, rest * (1 - slow)},
        {off, 1 - rest - off, rest * slow, rest * (1 - slow)},
        {ends * (1 - lands_on), ends * lands_on, 1 - ends - pace, pace},
        {ends * (1 - lands_on), ends * lands_on, pace, 1 - ends - pace},
    };
    memcpy(to, table, sizeof table);
}

/* Every way's state before time passes: the others mix it in. */
typedef struct {
    double place[WAYS][N], place_cov[WAYS][NN];
    double velocity[WAYS][N], velocity_cov[WAYS][NN];
    pov_still_state still[POV_WAYS_STILL];
    pov_free_state free[POV_WAYS_FREE];
} snapshot;

static void take_snapshot(snapshot *before, const pov_motion *motion)
{
    for (int way = 0; way < WAYS; way++) {
        memcpy(before->place[way], place_of(motion, way), sizeof(double) * (size_t)motion->n);
        find_place_cov(motion, way, before->place_cov[way]);
        find_velocity(motion, way, before->velocity[way], before->velocity_cov[way]);
    }
    memcpy(before->still, motion->still, sizeof before->still);
    memcpy(before->free, motion->free, sizeof before->free);
}

static void add_outer(double *cov, const double *a, const double *b, double factor, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            cov[i * n + j] += factor * (a[i] - b[i]) * (a[j] - b[j]);
}

/* A still way keeps its own mean, so that it can gather evidence, unless its probability was next to zero: then it takes the
 * likeliest way's. The other ways' states widen its covariance. */
static void mix_still(pov_motion *motion, pov_motion_way way, const snapshot *before,
                      const double share[WAYS])
{
    int n = motion->n, from = way;
    for (int i = 0; i < WAYS; i++)
        if (share[i] > share[from] && share[way] < own_share_min)
            from = i;
    pov_still_state *still = &motion->still[way];
    if (is_free(from)) {
        memcpy(still->at, before->place[from], sizeof still->at);
        memcpy(still->recent, before->place[from], sizeof still->recent);
        memset(still->crept, 0, sizeof still->crept);
        memset(still->moved, 0, sizeof still->moved);
        still->moved_p = 0;
        still->scatter = still->recent_scatter = 1;
    } else {
        *still = before->still[from];
    }
    still->moved_p = 1 - share[from] * (1 - still->moved_p);
    for (int k = 0; k < n * n; k++)
        still->moved[k] *= share[from];
    for (int i = 0; i < WAYS; i++) {
        if (i == from)
            continue;
        const double *spread = is_free(i) ? before->place_cov[i] : before->still[i].moved;
        for (int k = 0; k < n * n; k++)
            still->moved[k] += share[i] * spread[k];
        add_outer(still->moved, before->place[i], still->at, share[i], n);
    }
}

/* A thing that rested begins with the speed distribution of this way. */
static void mix_free(pov_motion *motion, pov_motion_way way, const snapshot *before, const double share[WAYS])
{
    int n = motion->n, size = 2 * n;
    double speed_var = pow(motion->params.speed_std[way - POV_WAYS_STILL], 2);
    pov_free_state mixed = {.mean = {0}};
    for (int m = 0; m < WAYS; m++)
        for (int i = 0; i < n; i++) {
            mixed.mean[i] += share[m] * before->place[m][i];
            mixed.mean[n + i] += share[m] * before->velocity[m][i];
        }
    for (int m = 0; m < WAYS; m++) {
        double state[STATE];
        memcpy(state, before->place[m], sizeof(double) * (size_t)n);
        memcpy(state + n, before->velocity[m], sizeof(double) * (size_t)n);
        add_outer(mixed.cov, state, mixed.mean, share[m], size);
        for (int i = 0; i < size * size && is_free(m); i++)
            mixed.cov[i] += share[m] * before->free[m - POV_WAYS_STILL].cov[i];
        for (int i = 0; i < n && !is_free(m); i++) {
            for (int j = 0; j < n; j++)
                mixed.cov[i * size + j] += share[m] * before->place_cov[m][i * n + j];
            mixed.cov[(n + i) * size + n + i] += share[m] * speed_var;
        }
    }
    motion->free[way - POV_WAYS_STILL] = mixed;
}

void pov_motion_predict(pov_motion *motion, double elapsed_s, const pov_carrier *carrier)
{
    POV_REQUIRE(elapsed_s > 0 && (!carrier || motion->n <= POV_CARRIED_DIMENSIONS_MAX));
    snapshot before;
    double to[WAYS][WAYS], p[WAYS];
    take_snapshot(&before, motion);
    motion->elapsed_s = elapsed_s;
    motion->has_carrier = carrier != NULL;
    motion->carrier = carrier ? *carrier : (pov_carrier){.turn_rad = 0};
    motion->turned_rad += motion->carrier.turn_rad;
    find_transitions(to, motion);
    for (int way = 0; way < WAYS; way++) {
        double share[WAYS];
        p[way] = 0;
        for (int i = 0; i < WAYS; i++)
            p[way] += motion->p[i] * to[i][way];
        for (int i = 0; i < WAYS; i++)
            share[i] = p[way] > 0 ? motion->p[i] * to[i][way] / p[way] : i == way;
        if (is_free(way))
            mix_free(motion, way, &before, share);
        else
            mix_still(motion, way, &before, share);
    }
    memcpy(motion->p, p, sizeof p);
    for (int way = 0; way < WAYS; way++)
        advance_way(motion, way);
}

/* -------- findings -------- */

double pov_motion_log_likelihood(const pov_motion *motion, const double *found, const double *claimed,
                                 int dimensions)
{
    double logs[WAYS], largest = -INFINITY, sum = 0;
    for (int way = 0; way < WAYS; way++) {
        logs[way] = -INFINITY;
        if (motion->p[way] > 0)
            logs[way] = log(motion->p[way]) + way_log_density(motion, way, NULL, found, claimed, dimensions);
        largest = fmax(largest, logs[way]);
    }
    if (isinf(largest))
        return largest;
    for (int way = 0; way < WAYS; way++)
        sum += exp(logs[way] - largest);
    return largest + log(sum);
}

/* Updates the ways' probabilities by their likelihoods. */
static void weigh_ways(pov_motion *motion, bool elsewhere[WAYS], const double *found, const double *claimed)
{
    double logs[WAYS], largest = -INFINITY, sum = 0;
    for (int way = 0; way < WAYS; way++) {
        logs[way] =
            log(motion->p[way]) + way_log_density(motion, way, &elsewhere[way], found, claimed, motion->n);
        largest = fmax(largest, logs[way]);
    }
    for (int way = 0; way < WAYS && !isinf(largest); way++)
        sum += exp(logs[way] - largest);
    for (int way = 0; way < WAYS && sum > 0; way++)
        motion->p[way] = exp(logs[way] - largest) / sum;
}

static void learn_scatter(pov_motion *motion, pov_motion_way way, const double *found, const double *claimed)
{
    const pov_still_state *still = &motion->still[way];
    double innovation[N], moved = 0, fluctuates = 0;
    for (int i = 0; i < motion->n; i++) {
        innovation[i] = found[i] - still->recent[i];
        moved += still->moved[i * (motion->n + 1)] + still->crept[i] * still->crept[i];
        fluctuates += claimed[i * (motion->n + 1)];
    }
    bool turns = way == POV_WAY_CARRIED && fabs(motion->carrier.turn_rad) > learning_turn_rad;
    if (moved < 0.01 * fluctuates && !turns)
        pov_error_split_learn(&motion->split, innovation, claimed, 1 + still->recent_scatter);
}

void pov_motion_update(pov_motion *motion, const double *found, const double *claimed)
{
    bool elsewhere[WAYS];
    weigh_ways(motion, elsewhere, found, claimed);
    pov_motion_way likeliest = likeliest_way(motion);
    bool rests = !is_free(likeliest) && pov_motion_probability(motion, POV_MOVING_FREELY) < 1 - learning_p;
    if (rests && !elsewhere[likeliest])
        learn_scatter(motion, likeliest, found, claimed);
    for (int way = 0; way < WAYS; way++)
        if ((int)likeliest != way)
            update_way(motion, way, elsewhere[way], found, claimed);
    motion->turned_rad = 0;
    motion->gain = 1;
    update_way(motion, likeliest, elsewhere[likeliest], found, claimed);
    for (int i = 0; i < motion->n * motion->n; i++)
        motion->claimed[i] += motion->gain * (claimed[i] - motion->claimed[i]);
}

/* -------- answers -------- */

const double *pov_motion_place(const pov_motion *motion)
{
    return place_of(motion, likeliest_way(motion));
}

void pov_motion_estimate_of(pov_motion_estimate *estimate, const pov_motion *motion)
{
    int n = motion->n, nn = n * n;
    double velocity[WAYS][N], cov[NN];
    *estimate = (pov_motion_estimate){.mean = {0}};
    for (int way = 0; way < WAYS; way++) {
        find_velocity(motion, way, velocity[way], cov);
        for (int i = 0; i < nn; i++)
            estimate->velocity_cov[i] += motion->p[way] * cov[i];
        find_place_cov(motion, way, cov);
        for (int i = 0; i < nn; i++)
            estimate->cov[i] += motion->p[way] * cov[i];
        for (int i = 0; i < n; i++) {
            estimate->mean[i] += motion->p[way] * place_of(motion, way)[i];
            estimate->velocity[i] += motion->p[way] * velocity[way][i];
        }
    }
    for (int way = 0; way < WAYS; way++) {
        add_outer(estimate->cov, place_of(motion, way), estimate->mean, motion->p[way], n);
        add_outer(estimate->velocity_cov, velocity[way], estimate->velocity, motion->p[way], n);
    }
}
