#include "calib/turntable/turntable_normal.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DISC = POV_TURN_DISC, OWN = POV_TURN_OWN, N_MAX = POV_TURN_N_MAX, TRIAL_MAX = 120 };

static const double DAMPING_START = 1e-4,
                    GAIN_MIN = 1e-10; /* shares of the diagonal and of the cost: chosen */

void pov_turntable_solver_destroy(pov_turntable_solver **solver)
{
    pov_turntable_solver *s = *solver;
    if (!s)
        return;
    free(s->A);
    free(s->S);
    free(s->inverse);
    free(s->blocks);
    free(s->cross);
    free(s->trial_camera);
    free(s->trial_angle);
    free(s);
    *solver = NULL;
}

pov_status pov_turntable_solver_new(pov_turntable_solver **solver)
{
    pov_turntable_solver *s = *solver = calloc(1, sizeof *s);
    if (!s)
        return pov_error("out of memory");
    const size_t square = (size_t)N_MAX * N_MAX, views = POV_TURN_VIEW_MAX;
    s->A = calloc(square, sizeof *s->A);
    s->S = calloc(square, sizeof *s->S);
    s->inverse = calloc(square, sizeof *s->inverse);
    s->blocks = calloc(views, sizeof *s->blocks);
    s->cross = calloc(2 * views * N_MAX, sizeof *s->cross);
    s->trial_camera = calloc(views, sizeof *s->trial_camera);
    s->trial_angle = calloc(views, sizeof *s->trial_angle);
    if (s->A && s->S && s->inverse && s->blocks && s->cross && s->trial_camera && s->trial_angle)
        return pov_ok();
    pov_turntable_solver_destroy(solver);
    return pov_error("out of memory");
}

/* ---- a step ---- */

static void move_disc(pov_transform *T, const double step[DISC])
{
    const pov_vec3 lean = pov_vec3_add(pov_vec3_scale(pov_rot_column(&T->R, 0), step[0]),
                                       pov_vec3_scale(pov_rot_column(&T->R, 1), step[1]));
    const pov_vec3 shift = pov_vec3_add(pov_vec3_scale(pov_rot_column(&T->R, 0), step[2]),
                                        pov_vec3_scale(pov_rot_column(&T->R, 1), step[3]));
    const double moved[6] = {lean.x, lean.y, lean.z, shift.x, shift.y, shift.z};
    *T = pov_transform_plus(*T, moved);
}

static void move_view(pov_turn_view *view, const pov_turntable_solver *s, const pov_turn_block *block)
{
    double right[OWN];
    memcpy(right, block->gradient, sizeof right);
    for (int a = 0; a < block->active_len; a++)
        for (int k = 0; k < s->own; k++)
            right[k] -= block->cross[a][k] * s->step[block->active[a]];
    pov_cholesky_solve(right, block->factor, right, s->own);
    view->angle_rad += right[s->own - 1];
    if (s->own == OWN)
        view->T_table_camera = pov_transform_plus(view->T_table_camera, right);
}

/* Where all was before a step that may have to be taken back. */
typedef struct {
    pov_transform disc, tags[POV_TURN_TAG_MAX];
} place;

static void remember(place *was, pov_turntable_solver *s, const pov_turn_problem *p)
{
    was->disc = p->T_table_disc.T;
    for (int t = 0; t < p->tag_len; t++)
        was->tags[t] = p->tags[t].T;
    for (int v = 0; v < p->view_len; v++) {
        s->trial_camera[v] = p->views[v].T_table_camera;
        s->trial_angle[v] = p->views[v].angle_rad;
    }
}

static void restore(const place *was, const pov_turntable_solver *s, pov_turn_problem *p)
{
    p->T_table_disc.T = was->disc;
    for (int t = 0; t < p->tag_len; t++)
        p->tags[t].T = was->tags[t];
    for (int v = 0; v < p->view_len; v++) {
        p->views[v].T_table_camera = s->trial_camera[v];
        p->views[v].angle_rad = s->trial_angle[v];
    }
}

static void move(pov_turntable_solver *s, pov_turn_problem *p)
{
    for (int v = 0; v < p->view_len; v++)
        move_view(&p->views[v], s, &s->blocks[v]);
    for (int t = 0; t < p->tag_len; t++)
        if (s->first[t] >= 0)
            p->tags[t].T = pov_transform_plus(p->tags[t].T, &s->step[s->first[t]]);
    move_disc(&p->T_table_disc.T, s->step);
}

static bool find_step(pov_turntable_solver *s, const pov_turn_problem *p, double damping)
{
    memcpy(s->step, s->gradient, sizeof s->step);
    if (!pov_turn_reduce(s, p, s->step, damping))
        return false;
    pov_cholesky_solve(s->step, s->S, s->step, s->n);
    return true;
}

/* ---- all of it ---- */

static pov_status cannot_tell(void)
{
    return pov_status_with(
        POV_UNDEFINED,
        "the images do not determine the turntable: show more of its tags, larger, and turn it further");
}

pov_status pov_turntable_solver_run(pov_turntable_solver *s, pov_turn_problem *p)
{
    POV_REQUIRE(p->view_len <= POV_TURN_VIEW_MAX && p->tag_len <= POV_TURN_TAG_MAX);
    if (!pov_turn_number(s, p))
        return cannot_tell();
    const double cost = pov_turn_cost(s, p);
    if (!isfinite(cost))
        return cannot_tell();
    pov_turn_build(s, p);
    pov_descent d = pov_descent_from(cost, DAMPING_START, TRIAL_MAX);
    for (d.gain_min = GAIN_MIN; pov_descent_continues(&d);) {
        place was;
        remember(&was, s, p);
        const bool has_step = find_step(s, p, d.damping);
        if (has_step)
            move(s, p);
        if (pov_descent_accepts(&d, has_step ? pov_turn_cost(s, p) : INFINITY))
            pov_turn_build(s, p);
        else
            restore(&was, s, p);
    }
    return pov_turn_spread(s, p) ? pov_ok() : cannot_tell();
}
