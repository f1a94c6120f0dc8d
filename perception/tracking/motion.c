#include "perception/tracking/motion.h"

#include "perception/geometry/linalg.h"
#include "perception/status.h"
#include "perception/tracking/motion_internal.h"

#include <math.h>
#include <string.h>

enum { N = POV_MOTION_N, NN = POV_MOTION_NN, STATE = POV_MOTION_STATE, WAYS = POV_WAYS };

/* What lies on a table that turns seldom stands still beside it. */
static const double onto_carrier_s = 1, off_carrier_s = 60;
/* What moves freely goes slowly or fast for so long. */
static const double pace_s = 0.3;
static const double own_share_min = 0.01;
/* So sure must it be that something rests before its scatter is learnt from. */
static const double learning_p = 0.9;
/* What is on a disc that turns shows other errors as it turns: nothing to learn what fluctuates from. */
static const double learning_turn_rad = 1e-4;

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

/* Of those that the likeliest model stands for. */
static pov_motion_way likeliest_way(const pov_motion *motion)
{
    pov_motion_model model = pov_motion_likeliest(motion);
    if (model != POV_MOVING_FREELY)
        return (pov_motion_way)model;
    return motion->p[POV_WAY_SLOW] > motion->p[POV_WAY_FAST] ? POV_WAY_SLOW : POV_WAY_FAST;
}

/* -------- time -------- */

static double changes(double elapsed_s, double mean_s)
{
    return -expm1(-elapsed_s / mean_s);
}

static void transitions(double to[WAYS][WAYS], const pov_motion *motion)
{
    const pov_motion_params *params = &motion->params;
    double t = motion->elapsed_s, rest = changes(t, params->rest_s), ends = changes(t, params->free_s);
    double slow = params->slow_share, pace = slow > 0 ? (1 - ends) * changes(t, pace_s) : 0;
    double onto = motion->has_carrier ? (1 - rest) * changes(t, onto_carrier_s) : 0;
    double off = motion->has_carrier ? (1 - rest) * changes(t, off_carrier_s) : 1 - rest;
    double lands_on = motion->has_carrier ? 0.9 : 0;
    const double table[WAYS][WAYS] = {
        {1 - rest - onto, onto, rest * slow, rest * (1 - slow)},
        {off, 1 - rest - off, rest * slow, rest * (1 - slow)},
        {ends * (1 - lands_on), ends * lands_on, 1 - ends - pace, pace},
        {ends * (1 - lands_on), ends * lands_on, pace, 1 - ends - pace},
    };
    memcpy(to, table, sizeof table);
}

/* The state of every way before time passes, as the others take it over. */
typedef struct {
    double place[WAYS][N], place_cov[WAYS][NN];
    double velocity[WAYS][N], velocity_cov[WAYS][NN];
    pov_still_state still[POV_WAYS_STILL];
    pov_free_state free[POV_WAYS_FREE];
} snapshot;

static void take_snapshot(snapshot *before, const pov_motion *motion)
{
    for (int way = 0; way < WAYS; way++) {
        memcpy(before->place[way], motion_place(motion, way), sizeof(double) * (size_t)motion->n);
        motion_place_cov(motion, way, before->place_cov[way]);
        motion_velocity(motion, way, before->velocity[way], before->velocity_cov[way]);
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

/* A still way goes on with its own mean, so that it can prove itself, unless it is next to impossible that this was
 * its way before: then with the likeliest one's. That it may have come from elsewhere widens it. */
static void mix_still(pov_motion *motion, pov_motion_way way, const snapshot *before,
                      const double share[WAYS])
{
    int n = motion->n, from = way;
    for (int i = 0; i < WAYS; i++)
        if (share[i] > share[from] && share[way] < own_share_min)
            from = i;
    pov_still_state *still = &motion->still[way];
    if (motion_is_free(from)) {
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
        const double *spread = motion_is_free(i) ? before->place_cov[i] : before->still[i].moved;
        for (int k = 0; k < n * n; k++)
            still->moved[k] += share[i] * spread[k];
        add_outer(still->moved, before->place[i], still->at, share[i], n);
    }
}

/* What rested until now begins as fast as things do that move this way. */
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
        for (int i = 0; i < size * size && motion_is_free(m); i++)
            mixed.cov[i] += share[m] * before->free[m - POV_WAYS_STILL].cov[i];
        for (int i = 0; i < n && !motion_is_free(m); i++) {
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
    transitions(to, motion);
    for (int way = 0; way < WAYS; way++) {
        double share[WAYS];
        p[way] = 0;
        for (int i = 0; i < WAYS; i++)
            p[way] += motion->p[i] * to[i][way];
        for (int i = 0; i < WAYS; i++)
            share[i] = p[way] > 0 ? motion->p[i] * to[i][way] / p[way] : i == way;
        if (motion_is_free(way))
            mix_free(motion, way, &before, share);
        else
            mix_still(motion, way, &before, share);
    }
    memcpy(motion->p, p, sizeof p);
    for (int way = 0; way < WAYS; way++)
        motion_advance(motion, way);
}

/* -------- findings -------- */

double pov_motion_log_likelihood(const pov_motion *motion, const double *found, const double *claimed,
                                 int dimensions)
{
    double logs[WAYS], largest = -INFINITY, sum = 0;
    for (int way = 0; way < WAYS; way++) {
        logs[way] = -INFINITY;
        if (motion->p[way] > 0)
            logs[way] =
                log(motion->p[way]) + motion_log_density(motion, way, NULL, found, claimed, dimensions);
        largest = fmax(largest, logs[way]);
    }
    if (isinf(largest))
        return largest;
    for (int way = 0; way < WAYS; way++)
        sum += exp(logs[way] - largest);
    return largest + log(sum);
}

/* What each way made of the finding. */
static void weigh(pov_motion *motion, bool elsewhere[WAYS], const double *found, const double *claimed)
{
    double logs[WAYS], largest = -INFINITY, sum = 0;
    for (int way = 0; way < WAYS; way++) {
        logs[way] =
            log(motion->p[way]) + motion_log_density(motion, way, &elsewhere[way], found, claimed, motion->n);
        largest = fmax(largest, logs[way]);
    }
    for (int way = 0; way < WAYS && !isinf(largest); way++)
        sum += exp(logs[way] - largest);
    for (int way = 0; way < WAYS && sum > 0; way++)
        motion->p[way] = exp(logs[way] - largest) / sum;
}

static void learn(pov_motion *motion, pov_motion_way way, const double *found, const double *claimed)
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
    weigh(motion, elsewhere, found, claimed);
    pov_motion_way likeliest = likeliest_way(motion);
    bool rests =
        !motion_is_free(likeliest) && pov_motion_probability(motion, POV_MOVING_FREELY) < 1 - learning_p;
    if (rests && !elsewhere[likeliest])
        learn(motion, likeliest, found, claimed);
    for (int way = 0; way < WAYS; way++)
        if ((int)likeliest != way)
            motion_take_in(motion, way, elsewhere[way], found, claimed);
    motion->turned_rad = 0;
    motion->gain = 1;
    motion_take_in(motion, likeliest, elsewhere[likeliest], found, claimed);
    for (int i = 0; i < motion->n * motion->n; i++)
        motion->claimed[i] += motion->gain * (claimed[i] - motion->claimed[i]);
}

/* -------- answers -------- */

const double *pov_motion_place(const pov_motion *motion)
{
    return motion_place(motion, likeliest_way(motion));
}

void pov_motion_estimate_of(pov_motion_estimate *estimate, const pov_motion *motion)
{
    int n = motion->n, nn = n * n;
    double velocity[WAYS][N], cov[NN];
    *estimate = (pov_motion_estimate){.mean = {0}};
    for (int way = 0; way < WAYS; way++) {
        motion_velocity(motion, way, velocity[way], cov);
        for (int i = 0; i < nn; i++)
            estimate->velocity_cov[i] += motion->p[way] * cov[i];
        motion_place_cov(motion, way, cov);
        for (int i = 0; i < nn; i++)
            estimate->cov[i] += motion->p[way] * cov[i];
        for (int i = 0; i < n; i++) {
            estimate->mean[i] += motion->p[way] * motion_place(motion, way)[i];
            estimate->velocity[i] += motion->p[way] * velocity[way][i];
        }
    }
    for (int way = 0; way < WAYS; way++) {
        add_outer(estimate->cov, motion_place(motion, way), estimate->mean, motion->p[way], n);
        add_outer(estimate->velocity_cov, velocity[way], estimate->velocity, motion->p[way], n);
    }
}
