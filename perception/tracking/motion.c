#include "perception/tracking/motion.h"

#include "perception/linalg.h"
#include "perception/status.h"
#include "perception/tracking/motion_internal.h"

#include <math.h>
#include <string.h>

enum { N = POV_MOTION_N, NN = POV_MOTION_NN, STATE = POV_MOTION_STATE, MODELS = POV_MOTION_COUNT };

/* What lies on a table that turns seldom stands still beside it. */
static const double onto_carrier_s = 1, off_carrier_s = 60;
static const double own_share_min = 0.01;
/* So sure must it be that something rests before its scatter is learnt from. */
static const double learning_p = 0.9;
/* What is on a disc that turns shows other errors as it turns: nothing to learn what fluctuates from. */
static const double learning_turn_rad = 1e-4;

void pov_motion_start(pov_motion *motion, const pov_motion_params *params, int n, const double *found,
                      const double *claimed)
{
    POV_REQUIRE(n >= 1 && n <= N);
    *motion = (pov_motion){.n = n, .params = *params, .gain = 1};
    double moving = params->free_s / (params->rest_s + params->free_s);
    motion->p[POV_AT_REST] = 1 - moving;
    motion->p[POV_MOVING_FREELY] = moving;
    pov_error_split_start(&motion->split, n);
    memcpy(motion->claimed, claimed, (size_t)(n * n) * sizeof *claimed);
    for (int model = POV_AT_REST; model <= POV_CARRIED; model++) {
        pov_still_state *still = &motion->still[model];
        memcpy(still->at, found, (size_t)n * sizeof *found);
        memcpy(still->recent, found, (size_t)n * sizeof *found);
        still->scatter = still->recent_scatter = 1;
    }
    memcpy(motion->free_mean, found, (size_t)n * sizeof *found);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            motion->free_cov[i * 2 * n + j] = claimed[i * n + j];
        motion->free_cov[(n + i) * 2 * n + n + i] = pow(params->speed_std, 2);
    }
}

/* -------- time -------- */

static double changes(double elapsed_s, double mean_s)
{
    return -expm1(-elapsed_s / mean_s);
}

static void transitions(double to[MODELS][MODELS], const pov_motion *motion)
{
    double t = motion->elapsed_s, rest = changes(t, motion->params.rest_s),
           ends = changes(t, motion->params.free_s);
    double onto = motion->has_carrier ? (1 - rest) * changes(t, onto_carrier_s) : 0;
    double off = motion->has_carrier ? (1 - rest) * changes(t, off_carrier_s) : 1 - rest;
    double lands_on = motion->has_carrier ? 0.9 : 0;
    const double table[MODELS][MODELS] = {{1 - rest - onto, onto, rest},
                                          {off, 1 - rest - off, rest},
                                          {ends * (1 - lands_on), ends * lands_on, 1 - ends}};
    memcpy(to, table, sizeof table);
}

/* The state of every way before time passes, as the others take it over. */
typedef struct {
    double place[MODELS][N], place_cov[MODELS][NN];
    double velocity[MODELS][N], velocity_cov[MODELS][NN];
    pov_still_state still[2];
    double free_cov[STATE * STATE];
} snapshot;

static void take_snapshot(snapshot *before, const pov_motion *motion)
{
    for (int model = 0; model < MODELS; model++) {
        memcpy(before->place[model], motion_place(motion, model), sizeof(double) * (size_t)motion->n);
        motion_place_cov(motion, model, before->place_cov[model]);
        motion_velocity(motion, model, before->velocity[model], before->velocity_cov[model]);
    }
    memcpy(before->still, motion->still, sizeof before->still);
    memcpy(before->free_cov, motion->free_cov, sizeof before->free_cov);
}

static void add_outer(double *cov, const double *a, const double *b, double factor, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            cov[i * n + j] += factor * (a[i] - b[i]) * (a[j] - b[j]);
}

/* A still way goes on with its own mean, so that it can prove itself, unless it is next to impossible that this was
 * its way before: then with the likeliest one's. That it may have come from elsewhere widens it. */
static void mix_still(pov_motion *motion, pov_motion_model model, const snapshot *before,
                      const double share[MODELS])
{
    int n = motion->n, from = model;
    for (int i = 0; i < MODELS; i++)
        if (share[i] > share[from] && share[model] < own_share_min)
            from = i;
    pov_still_state *still = &motion->still[model];
    if (from == POV_MOVING_FREELY) {
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
    for (int i = 0; i < MODELS; i++) {
        if (i == from)
            continue;
        const double *spread = i == POV_MOVING_FREELY ? before->place_cov[i] : before->still[i].moved;
        for (int k = 0; k < n * n; k++)
            still->moved[k] += share[i] * spread[k];
        add_outer(still->moved, before->place[i], still->at, share[i], n);
    }
}

static void mix_free(pov_motion *motion, const snapshot *before, const double share[MODELS])
{
    int n = motion->n, size = 2 * n;
    double mean[STATE] = {0}, cov[STATE * STATE] = {0};
    for (int m = 0; m < MODELS; m++)
        for (int i = 0; i < n; i++) {
            mean[i] += share[m] * before->place[m][i];
            mean[n + i] += share[m] * before->velocity[m][i];
        }
    for (int m = 0; m < MODELS; m++) {
        double state[STATE];
        memcpy(state, before->place[m], sizeof(double) * (size_t)n);
        memcpy(state + n, before->velocity[m], sizeof(double) * (size_t)n);
        add_outer(cov, state, mean, share[m], size);
        for (int i = 0; i < size * size && m == POV_MOVING_FREELY; i++)
            cov[i] += share[m] * before->free_cov[i];
        for (int i = 0; i < n && m != POV_MOVING_FREELY; i++) {
            for (int j = 0; j < n; j++)
                cov[i * size + j] += share[m] * before->place_cov[m][i * n + j];
            cov[(n + i) * size + n + i] += share[m] * pow(motion->params.speed_std, 2);
        }
    }
    memcpy(motion->free_mean, mean, sizeof(double) * (size_t)size);
    memcpy(motion->free_cov, cov, sizeof(double) * (size_t)(size * size));
}

void pov_motion_predict(pov_motion *motion, double elapsed_s, const pov_carrier *carrier)
{
    POV_REQUIRE(elapsed_s > 0 && (!carrier || motion->n <= POV_CARRIED_DIMENSIONS_MAX));
    snapshot before;
    double to[MODELS][MODELS], p[MODELS];
    take_snapshot(&before, motion);
    motion->elapsed_s = elapsed_s;
    motion->has_carrier = carrier != NULL;
    motion->carrier = carrier ? *carrier : (pov_carrier){.drift_var = 0};
    transitions(to, motion);
    for (int model = 0; model < MODELS; model++) {
        double share[MODELS];
        p[model] = 0;
        for (int i = 0; i < MODELS; i++)
            p[model] += motion->p[i] * to[i][model];
        for (int i = 0; i < MODELS; i++)
            share[i] = p[model] > 0 ? motion->p[i] * to[i][model] / p[model] : i == model;
        if (model == POV_MOVING_FREELY)
            mix_free(motion, &before, share);
        else
            mix_still(motion, model, &before, share);
    }
    memcpy(motion->p, p, sizeof p);
    for (int model = 0; model < MODELS; model++)
        motion_advance(motion, model);
}

/* -------- findings -------- */

double pov_motion_log_likelihood(const pov_motion *motion, const double *found, const double *claimed,
                                 int dimensions)
{
    double logs[MODELS], largest = -INFINITY, sum = 0;
    for (int model = 0; model < MODELS; model++) {
        logs[model] = -INFINITY;
        if (motion->p[model] > 0)
            logs[model] =
                log(motion->p[model]) + motion_log_density(motion, model, NULL, found, claimed, dimensions);
        largest = fmax(largest, logs[model]);
    }
    if (isinf(largest))
        return largest;
    for (int model = 0; model < MODELS; model++)
        sum += exp(logs[model] - largest);
    return largest + log(sum);
}

/* What each way made of the finding. */
static void weigh(pov_motion *motion, bool elsewhere[MODELS], const double *found, const double *claimed)
{
    double logs[MODELS], largest = -INFINITY, sum = 0;
    for (int model = 0; model < MODELS; model++) {
        logs[model] = log(motion->p[model]) +
                      motion_log_density(motion, model, &elsewhere[model], found, claimed, motion->n);
        largest = fmax(largest, logs[model]);
    }
    for (int model = 0; model < MODELS && !isinf(largest); model++)
        sum += exp(logs[model] - largest);
    for (int model = 0; model < MODELS && sum > 0; model++)
        motion->p[model] = exp(logs[model] - largest) / sum;
}

static void learn(pov_motion *motion, pov_motion_model model, const double *found, const double *claimed)
{
    const pov_still_state *still = &motion->still[model];
    double innovation[N], moved = 0, fluctuates = 0;
    for (int i = 0; i < motion->n; i++) {
        innovation[i] = found[i] - still->recent[i];
        moved += still->moved[i * (motion->n + 1)] + still->crept[i] * still->crept[i];
        fluctuates += claimed[i * (motion->n + 1)];
    }
    bool turns = model == POV_CARRIED && fabs(motion->carrier.turn_rad) > learning_turn_rad;
    if (moved < 0.01 * fluctuates && !turns)
        pov_error_split_learn(&motion->split, innovation, claimed, 1 + still->recent_scatter);
}

void pov_motion_update(pov_motion *motion, const double *found, const double *claimed)
{
    bool elsewhere[MODELS];
    weigh(motion, elsewhere, found, claimed);
    pov_motion_model likeliest = pov_motion_likeliest(motion);
    bool rests = likeliest != POV_MOVING_FREELY && motion->p[POV_MOVING_FREELY] < 1 - learning_p;
    if (rests && !elsewhere[likeliest])
        learn(motion, likeliest, found, claimed);
    motion->gain = 1;
    for (int model = 0; model < MODELS; model++)
        if ((int)likeliest != model)
            motion_take_in(motion, model, elsewhere[model], found, claimed);
    motion->gain = 1;
    motion_take_in(motion, likeliest, elsewhere[likeliest], found, claimed);
    for (int i = 0; i < motion->n * motion->n; i++)
        motion->claimed[i] += motion->gain * (claimed[i] - motion->claimed[i]);
}

/* -------- answers -------- */

pov_motion_model pov_motion_likeliest(const pov_motion *motion)
{
    pov_motion_model likeliest = POV_AT_REST;
    for (pov_motion_model model = POV_CARRIED; model < POV_MOTION_COUNT; model++)
        if (motion->p[model] > motion->p[likeliest])
            likeliest = model;
    return likeliest;
}

void pov_motion_estimate_of(pov_motion_estimate *estimate, const pov_motion *motion)
{
    int n = motion->n, nn = n * n;
    double velocity[MODELS][N], cov[NN];
    *estimate = (pov_motion_estimate){.mean = {0}};
    for (int model = 0; model < MODELS; model++) {
        motion_velocity(motion, model, velocity[model], cov);
        for (int i = 0; i < nn; i++)
            estimate->velocity_cov[i] += motion->p[model] * cov[i];
        motion_place_cov(motion, model, cov);
        for (int i = 0; i < nn; i++)
            estimate->cov[i] += motion->p[model] * cov[i];
        for (int i = 0; i < n; i++) {
            estimate->mean[i] += motion->p[model] * motion_place(motion, model)[i];
            estimate->velocity[i] += motion->p[model] * velocity[model][i];
        }
    }
    for (int model = 0; model < MODELS; model++) {
        add_outer(estimate->cov, motion_place(motion, model), estimate->mean, motion->p[model], n);
        add_outer(estimate->velocity_cov, velocity[model], estimate->velocity, motion->p[model], n);
    }
}
