#include "calib/turntable/turntable_normal.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>
#include <string.h>

enum { DISC = POV_TURN_DISC, OWN = POV_TURN_OWN, ROWS = POV_TURN_ROWS, N_MAX = POV_TURN_N_MAX };

/* What a map that gives no error of a place or a turn is trusted to where the other is uncertain: a square each. */
static const double MAP_FLOOR = 1e-12;

/* ---- fixed tags' places, as far as their map knows them ---- */

static double prior_of(const pov_turntable_solver *s, const pov_turn_problem *p, int t, double gradient[6])
{
    double off[6], sum = 0;
    pov_transform_minus(off, p->tags[t].T, p->tags[t].was);
    for (int i = 0; i < 6; i++) {
        gradient[i] = 0;
        for (int k = 0; k < 6; k++)
            gradient[i] -= s->prior[t][i * 6 + k] * off[k];
        sum -= gradient[i] * off[i];
    }
    return sum;
}

static bool has_prior(const pov_turntable_solver *s, const pov_turn_problem *p, int t)
{
    return !p->tags[t].on_disc && s->first[t] >= 0;
}

static bool is_exact(const pov_turn_tag *tag)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += tag->cov[i][i];
    return !tag->on_disc && !(sum > 0);
}

bool pov_turn_number(pov_turntable_solver *s, pov_turn_problem *p)
{
    bool good = true;
    s->n = DISC;
    s->own = p->camera_fixed ? 1 : OWN;
    for (int t = 0; t < p->tag_len; t++) {
        pov_turn_tag *tag = &p->tags[t];
        s->first[t] = is_exact(tag) ? -1 : s->n;
        s->n += is_exact(tag) ? 0 : 6;
        if (!has_prior(s, p, t))
            continue;
        tag->was = tag->T;
        for (int i = 0; i < 36; i++)
            s->prior[t][i] = tag->cov[i / 6][i % 6] + (i % 7 == 0 ? MAP_FLOOR : 0);
        good &= pov_symmetric_inverse(s->prior[t], s->prior[t], 6);
    }
    return good;
}

/* ---- what is made least ---- */

double pov_turn_cost(const pov_turntable_solver *s, const pov_turn_problem *p)
{
    pov_turn_equations e;
    double cost = 0, weight, gradient[6];
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            if (p->views[v].sightings[i].used)
                cost += pov_huber(&weight,
                                  pov_turn_compare(&e, p, &p->views[v], &p->views[v].sightings[i], s->own),
                                  POV_TAG_HUBER_DISTANCE);
    for (int t = 0; t < p->tag_len; t++)
        if (has_prior(s, p, t))
            cost += prior_of(s, p, t, gradient);
    return cost;
}

/* ---- normal equations ---- */

static int activate(pov_turn_block *block, int first, int len)
{
    for (int i = 0; i < block->active_len; i++)
        if (block->active[i] == first)
            return i;
    const int at = block->active_len;
    for (int k = 0; k < len; k++) {
        block->active[at + k] = first + k;
        memset(block->cross[at + k], 0, sizeof block->cross[at + k]);
    }
    block->active_len += len;
    return at;
}

/* The disc's and a tag's columns of a row, with where they go. */
typedef struct {
    int len;
    int unknown[DISC + 6], active[DISC + 6];
    double value[DISC + 6];
} shared_row;

static void gather(shared_row *row, const pov_turn_equations *e, int r, const int at[2], const int first[2])
{
    row->len = 0;
    for (int k = 0; at[0] >= 0 && k < DISC; k++, row->len++) {
        row->unknown[row->len] = first[0] + k;
        row->active[row->len] = at[0] + k;
        row->value[row->len] = e->per_disc[r][k];
    }
    for (int k = 0; at[1] >= 0 && k < 6; k++, row->len++) {
        row->unknown[row->len] = first[1] + k;
        row->active[row->len] = at[1] + k;
        row->value[row->len] = e->per_tag[r][k];
    }
}

static void add_row(pov_turntable_solver *s, pov_turn_block *block, const pov_turn_equations *e, int r,
                    double weight, const shared_row *row)
{
    /* with a fixed camera a view's only unknown is its angle, which derive() put first */
    const double *own = e->per_own[r], residual = e->residual[r];
    for (int i = 0; i < s->own; i++) {
        block->gradient[i] += weight * own[i] * residual;
        for (int k = 0; k < s->own; k++)
            block->own[i * s->own + k] += weight * own[i] * own[k];
    }
    for (int i = 0; i < row->len; i++) {
        const double value = weight * row->value[i];
        s->gradient[row->unknown[i]] += value * residual;
        for (int k = 0; k < s->own; k++)
            block->cross[row->active[i]][k] += value * own[k];
        for (int k = 0; k < row->len; k++)
            s->A[row->unknown[i] * s->n + row->unknown[k]] += value * row->value[k];
    }
}

static void add_sighting(pov_turntable_solver *s, pov_turn_block *block, const pov_turn_problem *p,
                         const pov_turn_view *view, const pov_turn_sighting *sighting)
{
    pov_turn_equations e;
    const double distance2 = pov_turn_compare(&e, p, view, sighting, s->own);
    double weight;
    if (isinf(distance2))
        return;
    (void)pov_huber(&weight, distance2, POV_TAG_HUBER_DISTANCE);
    const int first[2] = {0, s->first[sighting->tag]};
    const int at[2] = {p->tags[sighting->tag].on_disc ? activate(block, 0, DISC) : -1,
                       first[1] >= 0 ? activate(block, first[1], 6) : -1};
    for (int r = 0; r < ROWS; r++) {
        shared_row row;
        gather(&row, &e, r, at, first);
        add_row(s, block, &e, r, weight, &row);
    }
}

void pov_turn_build(pov_turntable_solver *s, const pov_turn_problem *p)
{
    memset(s->A, 0, (size_t)s->n * (size_t)s->n * sizeof *s->A);
    memset(s->gradient, 0, sizeof s->gradient);
    for (int v = 0; v < p->view_len; v++) {
        pov_turn_block *block = &s->blocks[v];
        memset(block, 0, sizeof *block);
        block->cross = s->cross + (size_t)(2 * v) * N_MAX;
        block->cross_solved = s->cross + (size_t)(2 * v + 1) * N_MAX;
        for (int i = 0; i < p->views[v].len; i++)
            if (p->views[v].sightings[i].used)
                add_sighting(s, block, p, &p->views[v], &p->views[v].sightings[i]);
    }
    for (int t = 0; t < p->tag_len; t++) {
        double gradient[6];
        if (!has_prior(s, p, t))
            continue;
        (void)prior_of(s, p, t, gradient);
        for (int i = 0; i < 6; i++) {
            s->gradient[s->first[t] + i] += gradient[i];
            for (int k = 0; k < 6; k++)
                s->A[(s->first[t] + i) * s->n + s->first[t] + k] += s->prior[t][i * 6 + k];
        }
    }
}

/* ---- views eliminated ---- */

static bool eliminate(pov_turntable_solver *s, pov_turn_block *block, double *right, double damping)
{
    memcpy(block->factor, block->own, sizeof block->factor);
    for (int i = 0; i < s->own; i++)
        block->factor[i * (s->own + 1)] *= 1 + damping;
    if (!pov_cholesky(block->factor, block->factor, s->own))
        return false;
    for (int a = 0; a < block->active_len; a++) {
        pov_cholesky_solve(block->cross_solved[a], block->factor, block->cross[a], s->own);
        for (int k = 0; k < s->own; k++)
            right[block->active[a]] -= block->cross_solved[a][k] * block->gradient[k];
    }
    for (int a = 0; a < block->active_len; a++)
        for (int b = 0; b < block->active_len; b++) {
            double sum = 0;
            for (int k = 0; k < s->own; k++)
                sum += block->cross_solved[a][k] * block->cross[b][k];
            s->S[block->active[a] * s->n + block->active[b]] -= sum;
        }
    return true;
}

/* A turn of all tags on the disc about its axis, which changes nothing that is seen, as a unit vector. */
static void find_gauge(pov_turntable_solver *s, const pov_turn_problem *p)
{
    double norm2 = 0;
    memset(s->gauge, 0, sizeof s->gauge);
    for (int t = 0; t < p->tag_len; t++) {
        double *g = &s->gauge[s->first[t] < 0 ? 0 : s->first[t]];
        if (!p->tags[t].on_disc)
            continue;
        g[2] = 1;
        g[3] = -p->tags[t].T.t_m.y;
        g[4] = p->tags[t].T.t_m.x;
        norm2 += 1 + g[3] * g[3] + g[4] * g[4];
    }
    for (int i = 0; i < s->n; i++)
        s->gauge[i] /= sqrt(norm2);
}

bool pov_turn_reduce(pov_turntable_solver *s, const pov_turn_problem *p, double *right, double damping)
{
    const int n = s->n;
    double trace = 0;
    memcpy(s->S, s->A, (size_t)n * (size_t)n * sizeof *s->S);
    for (int i = 0; i < n; i++)
        s->S[i * n + i] *= 1 + damping;
    for (int v = 0; v < p->view_len; v++)
        if (!eliminate(s, &s->blocks[v], right, damping))
            return false;
    find_gauge(s, p);
    for (int i = 0; i < n; i++)
        trace += s->A[i * n + i] / n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            s->S[i * n + k] += trace * s->gauge[i] * s->gauge[k];
    return pov_cholesky(s->S, s->S, n);
}
