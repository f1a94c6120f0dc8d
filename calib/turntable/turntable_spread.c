#include "calib/turntable/turntable_normal.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>
#include <string.h>

enum { DISC = POV_TURN_DISC, OWN = POV_TURN_OWN, ROWS = POV_TURN_ROWS, N_MAX = POV_TURN_N_MAX };

static void invert(pov_turntable_solver *s)
{
    const int n = s->n;
    memset(s->inverse, 0, (size_t)n * (size_t)n * sizeof *s->inverse);
    for (int row = 0; row < n; row++) {
        s->inverse[row * n + row] = 1;
        pov_cholesky_solve(&s->inverse[row * n], s->S, &s->inverse[row * n], n);
    }
}

/* How many numbers were seen more than there are unknowns. */
static int freedom_of(const pov_turntable_solver *s, const pov_turn_problem *p, double *squares)
{
    pov_turn_equations e;
    double weight;
    int seen = 0;
    *squares = 0;
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++) {
            pov_turn_sighting *sighting = &p->views[v].sightings[i];
            sighting->distance2 = pov_turn_compare(&e, p, &p->views[v], sighting, s->own);
            seen += sighting->used ? ROWS : 0;
            if (sighting->used)
                *squares += pov_huber(&weight, sighting->distance2, POV_TAG_HUBER_DISTANCE);
        }
    int unknown = DISC + s->own * p->view_len - 1;
    for (int t = 0; t < p->tag_len; t++)
        unknown += p->tags[t].on_disc ? 6 : 0;
    return seen - unknown;
}

static void spread_tags(const pov_turntable_solver *s, pov_turn_problem *p)
{
    for (int t = 0; t < p->tag_len; t++)
        for (int i = 0; i < 36 && s->first[t] >= 0; i++)
            p->tags[t].cov[i / 6][i % 6] =
                p->noise * p->noise * s->inverse[(s->first[t] + i / 6) * s->n + s->first[t] + i % 6];
}

static void spread_disc(const pov_turntable_solver *s, pov_turn_problem *p)
{
    double per_unknown[6][DISC], cov[DISC * DISC];
    for (int k = 0; k < 2; k++) {
        const pov_vec3 across = pov_rot_column(&p->T_table_disc.T.R, k);
        const double axis[3] = {across.x, across.y, across.z};
        for (int i = 0; i < 3; i++) {
            per_unknown[i][k] = per_unknown[3 + i][2 + k] = axis[i];
            per_unknown[3 + i][k] = per_unknown[i][2 + k] = 0;
        }
    }
    for (int i = 0; i < DISC * DISC; i++)
        cov[i] = p->noise * p->noise * s->inverse[i / DISC * s->n + i % DISC];
    pov_sandwich(&p->T_table_disc.cov[0][0], &per_unknown[0][0], cov, 6, DISC);
}

/* The angle by itself, and by way of all that it rests on. */
static double angle_variance(const pov_turntable_solver *s, const pov_turn_block *block)
{
    const int angle = s->own - 1;
    double unit[OWN] = {0}, variance;
    unit[angle] = 1;
    pov_cholesky_solve(unit, block->factor, unit, s->own);
    variance = unit[angle];
    for (int a = 0; a < block->active_len; a++)
        for (int b = 0; b < block->active_len; b++)
            variance += block->cross_solved[a][angle] * block->cross_solved[b][angle] *
                        s->inverse[block->active[a] * s->n + block->active[b]];
    return variance;
}

bool pov_turn_spread(pov_turntable_solver *s, pov_turn_problem *p)
{
    double squares, unused[N_MAX] = {0};
    const int freedom = freedom_of(s, p, &squares);
    if (freedom <= 0 || !pov_turn_reduce(s, p, unused, 0))
        return false;
    invert(s);
    p->noise = sqrt(squares / freedom);
    spread_tags(s, p);
    spread_disc(s, p);
    for (int v = 0; v < p->view_len; v++)
        p->views[v].angle_std_rad = p->noise * sqrt(angle_variance(s, &s->blocks[v]));
    return true;
}
