#include "calib/turntable/turntable_solver.h"

#include "calib/tags/pose_block.h"
#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Unknowns: of the disc, its lean and place across its axis; of a view, camera and angle. Rows: two for each corner. */
enum { DISC = 4, OWN = 7, ROWS = 8 };

typedef struct {
    double residual[ROWS]; /* seen less predicted, in units of the corners' own deviation */
    double per_own[ROWS][OWN], per_disc[ROWS][DISC], per_tag[ROWS][6];
} turn_equations;

/** Unknowns of all views: the disc's lean and place across its axis, then six for each tag that is not known exactly. */
enum { N_MAX = DISC + 6 * POV_TURN_TAG_MAX };

/** One view's share of the normal equations: its camera and angle. */
typedef struct {
    pov_pose_block equations;
    int unknown[N_MAX]; /* of all views that this one has to do with */
    double pull[N_MAX]; /* its share of their gradient */
} turn_block;

struct pov_turntable_solver {
    int n, own;                  /* unknowns of all views; of a view: seven, or the angle only */
    int first[POV_TURN_TAG_MAX]; /* a tag's first unknown; -1: it is known */
    double *A, *S, *inverse;     /* n x n */
    double gradient[N_MAX], step[N_MAX], gauge[N_MAX];
    double prior[POV_TURN_TAG_MAX][36]; /* information of fixed tags' places */
    turn_block *blocks;
    double *cross; /* of all blocks */
    pov_transform *trial_camera;
    double *trial_angle;
};

/* ---- residuals ---- */

/* `row`: px per metre of the table frame; `from_disc`, `sight`, `on_tag`: from the disc's origin, the camera and the tag's
 * centre to the corner, the latter in the tag's base frame, which is R_table_base. */
typedef struct {
    pov_vec3 row, from_disc, sight, on_tag;
    const pov_rot *R_table_base, *R_table_disc;
    bool on_disc;
} corner;

static void derive(turn_equations *e, int r, const corner *c, int own)
{
    double per_camera[6];
    pov_pose_row(per_camera, pov_vec3_cross(c->row, c->sight), pov_vec3_scale(c->row, -1));
    const pov_vec3 turning = pov_vec3_cross(c->from_disc, c->row);
    const double per_angle = c->on_disc ? pov_vec3_dot(pov_rot_column(c->R_table_disc, 2), turning) : 0;
    memcpy(e->per_own[r], per_camera, sizeof per_camera);
    e->per_own[r][own - 1] = per_angle;
    for (int k = 0; k < 2; k++) {
        const pov_vec3 across = pov_rot_column(c->R_table_disc, k);
        e->per_disc[r][k] = c->on_disc ? pov_vec3_dot(across, turning) : 0;
        e->per_disc[r][2 + k] = c->on_disc ? pov_vec3_dot(across, c->row) : 0;
    }
    const pov_vec3 in_base = pov_rot_apply(pov_rot_transpose(*c->R_table_base), c->row);
    pov_pose_row(e->per_tag[r], pov_vec3_cross(c->on_tag, in_base), in_base);
}

/* The pose of the frame that a tag's pose is given in. */
static pov_transform base_of(const pov_turn_tag *tag, const pov_transform *T_table_disc, double angle_rad)
{
    return tag->on_disc ? pov_disc_at(T_table_disc, angle_rad) : pov_transform_identity();
}

/* A sighting against the problem. `own`: a view's unknowns; 1: its camera is fixed, and the angle comes first.
 * Returns the squared distance; infinite if the tag cannot be seen so. */
static double compare_sighting(turn_equations *e, const pov_turn_problem *p, const pov_turn_view *view,
                               const pov_turn_sighting *s, int own)
{
    const pov_turn_tag *tag = &p->tags[s->tag];
    const pov_transform base = base_of(tag, &p->T_table_disc.T, view->angle_rad);
    const pov_transform T_table_tag = pov_transform_mul(base, tag->T);
    const pov_rot R_camera_table = pov_rot_transpose(view->T_table_camera.R);
    double distance2 = 0;
    if (!(pov_vec3_dot(pov_rot_column(&T_table_tag.R, 2),
                       pov_vec3_sub(view->T_table_camera.t_m, T_table_tag.t_m)) > 0))
        return INFINITY;
    for (int i = 0; i < 4; i++) {
        const pov_vec3 on_tag = pov_rot_apply(tag->T.R, pov_tag_corner(tag->edge_m, i));
        const pov_vec3 at_m = pov_transform_apply(T_table_tag, pov_tag_corner(tag->edge_m, i));
        corner c = {.from_disc = pov_vec3_sub(at_m, p->T_table_disc.T.t_m),
                    .sight = pov_vec3_sub(at_m, view->T_table_camera.t_m),
                    .on_tag = on_tag,
                    .R_table_base = &base.R,
                    .R_table_disc = &p->T_table_disc.T.R,
                    .on_disc = tag->on_disc};
        double J[2][3];
        pov_vec2 pixel;
        if (pov_camera_project(p->camera, &pixel, J, pov_rot_apply(R_camera_table, c.sight)) != POV_OK)
            return INFINITY;
        e->residual[2 * i] = (s->seen.corner_px[i].x - pixel.x) / s->seen.corner_std_px;
        e->residual[2 * i + 1] = (s->seen.corner_px[i].y - pixel.y) / s->seen.corner_std_px;
        for (int k = 0; k < 2; k++) {
            distance2 += e->residual[2 * i + k] * e->residual[2 * i + k];
            c.row =
                pov_vec3_scale(pov_rot_apply(view->T_table_camera.R, (pov_vec3){J[k][0], J[k][1], J[k][2]}),
                               1 / s->seen.corner_std_px);
            derive(e, 2 * i + k, &c, own);
        }
    }
    return distance2;
}

double pov_turn_distance2(const pov_turn_problem *problem, const pov_turn_view *view,
                          const pov_turn_sighting *sighting)
{
    turn_equations e;
    return compare_sighting(&e, problem, view, sighting, OWN);
}

/* ---- normal equations ---- */

/* m^2 and rad^2; chosen. A map may state the error of places but not of turns, or the reverse: the unstated variance is this. */
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

/* Numbers the unknowns, and keeps what the fixed tags' map knows of their places. False if that is not a covariance. */
static bool number_unknowns(pov_turntable_solver *s, pov_turn_problem *p)
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

/* The sum that is made least. */
static double sum_cost(const pov_turntable_solver *s, const pov_turn_problem *p)
{
    turn_equations e;
    double cost = 0, weight, gradient[6];
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            if (p->views[v].sightings[i].used)
                cost += pov_huber(&weight,
                                  compare_sighting(&e, p, &p->views[v], &p->views[v].sightings[i], s->own),
                                  POV_TAG_HUBER_DISTANCE);
    for (int t = 0; t < p->tag_len; t++)
        if (has_prior(s, p, t))
            cost += prior_of(s, p, t, gradient);
    return cost;
}

/* ---- normal equations ---- */

static int activate(turn_block *block, int first, int len)
{
    pov_pose_block *e = &block->equations;
    for (int i = 0; i < e->len; i++)
        if (block->unknown[i] == first)
            return i;
    const int at = e->len;
    for (int k = 0; k < len; k++)
        block->unknown[at + k] = first + k;
    memset(&e->cross[at * e->size], 0, (size_t)(len * e->size) * sizeof *e->cross);
    e->len += len;
    return at;
}

/* The disc's and a tag's columns of a row, with where they go. */
typedef struct {
    int len;
    int unknown[DISC + 6], active[DISC + 6];
    double value[DISC + 6];
} shared_row;

static void gather(shared_row *row, const turn_equations *e, int r, const int at[2], const int first[2])
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

static void add_row(pov_turntable_solver *s, pov_pose_block *block, const turn_equations *e, int r,
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
            block->cross[row->active[i] * s->own + k] += value * own[k];
        for (int k = 0; k < row->len; k++)
            s->A[row->unknown[i] * s->n + row->unknown[k]] += value * row->value[k];
    }
}

static void add_sighting(pov_turntable_solver *s, turn_block *block, const pov_turn_problem *p,
                         const pov_turn_view *view, const pov_turn_sighting *sighting)
{
    turn_equations e;
    const double distance2 = compare_sighting(&e, p, view, sighting, s->own);
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
        add_row(s, &block->equations, &e, r, weight, &row);
    }
}

/* The normal equations about where the problem is. */
static void build_equations(pov_turntable_solver *s, const pov_turn_problem *p)
{
    memset(s->A, 0, (size_t)s->n * (size_t)s->n * sizeof *s->A);
    memset(s->gradient, 0, sizeof s->gradient);
    for (int v = 0; v < p->view_len; v++) {
        turn_block *block = &s->blocks[v];
        double before[N_MAX];
        memcpy(before, s->gradient, sizeof before);
        block->equations = (pov_pose_block){.size = s->own,
                                            .unknown = block->unknown,
                                            .cross = &s->cross[(size_t)(2 * v) * N_MAX * OWN],
                                            .cross_solved = &s->cross[(size_t)(2 * v + 1) * N_MAX * OWN]};
        for (int i = 0; i < p->views[v].len; i++)
            if (p->views[v].sightings[i].used)
                add_sighting(s, block, p, &p->views[v], &p->views[v].sightings[i]);
        for (int i = 0; i < block->equations.len; i++)
            block->pull[i] = s->gradient[block->unknown[i]] - before[block->unknown[i]];
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

/* S: the Schur complement, damped, the free turn held, as its Cholesky factor. `right`: in, the gradient; out, less what the
 * views' own unknowns take of it. False if the equations are singular. */
static bool reduce_equations(pov_turntable_solver *s, const pov_turn_problem *p, double *right,
                             double damping)
{
    const int n = s->n;
    double trace = 0;
    memcpy(s->S, s->A, (size_t)n * (size_t)n * sizeof *s->S);
    for (int i = 0; i < n; i++)
        s->S[i * n + i] *= 1 + damping;
    for (int v = 0; v < p->view_len; v++)
        if (!pov_pose_block_eliminate(&s->blocks[v].equations, s->S, right, n, damping))
            return false;
    find_gauge(s, p);
    for (int i = 0; i < n; i++)
        trace += s->A[i * n + i] / n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            s->S[i * n + k] += trace * s->gauge[i] * s->gauge[k];
    return pov_cholesky(s->S, s->S, n);
}

/* ---- covariances ---- */

static void invert(pov_turntable_solver *s)
{
    const int n = s->n;
    memset(s->inverse, 0, (size_t)n * (size_t)n * sizeof *s->inverse);
    for (int row = 0; row < n; row++) {
        s->inverse[row * n + row] = 1;
        pov_cholesky_solve(&s->inverse[row * n], s->S, &s->inverse[row * n], n);
    }
}

/* The surplus of measured numbers over unknowns. */
static int freedom_of(const pov_turntable_solver *s, const pov_turn_problem *p, double *squares)
{
    turn_equations e;
    double weight;
    int seen = 0;
    *squares = 0;
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++) {
            pov_turn_sighting *sighting = &p->views[v].sightings[i];
            sighting->distance2 = compare_sighting(&e, p, &p->views[v], sighting, s->own);
            seen += sighting->used ? ROWS : 0;
            if (sighting->used)
                *squares += pov_huber(&weight, sighting->distance2, POV_TAG_HUBER_DISTANCE);
        }
    int unknown = DISC + s->own * p->view_len - 1;
    for (int t = 0; t < p->tag_len; t++)
        unknown += p->tags[t].on_disc ? 6 : 0;
    return seen - unknown;
}

/* By how much the variances are larger than independent corners would make them, as far as images scatter: those of one image err
 * together. The gauge is not an unknown. */
static double find_widening(pov_turntable_solver *s, const pov_turn_problem *p)
{
    double scratch[N_MAX], sum = 0, expected = (DISC - 1) * (1 - 1.0 / p->view_len);
    int seen[POV_TURN_TAG_MAX] = {0};
    for (int v = 0; v < p->view_len; v++) {
        sum += pov_pose_block_pull(&s->blocks[v].equations, scratch, s->blocks[v].pull, s->S, s->n);
        for (int i = 0; i < p->views[v].len; i++)
            seen[p->views[v].sightings[i].tag] += p->views[v].sightings[i].used;
    }
    for (int t = 0; t < p->tag_len; t++)
        expected += s->first[t] >= 0 && seen[t] > 1 ? 6 * (1 - 1.0 / seen[t]) : 0;
    return fmax(1, sum / (expected * p->noise * p->noise));
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
static double angle_variance(const pov_turntable_solver *s, const pov_pose_block *block)
{
    const int angle = s->own - 1;
    double unit[OWN] = {0}, variance;
    unit[angle] = 1;
    pov_cholesky_solve(unit, block->factor, unit, s->own);
    variance = unit[angle];
    for (int a = 0; a < block->len; a++)
        for (int b = 0; b < block->len; b++)
            variance += block->cross_solved[a * s->own + angle] * block->cross_solved[b * s->own + angle] *
                        s->inverse[block->unknown[a] * s->n + block->unknown[b]];
    return variance;
}

/* The covariances, at the end, of all that the problem has. False if the views do not determine it. */
static bool spread_covariances(pov_turntable_solver *s, pov_turn_problem *p)
{
    double squares, unused[N_MAX] = {0};
    const int freedom = freedom_of(s, p, &squares);
    if (freedom <= 0 || !reduce_equations(s, p, unused, 0))
        return false;
    invert(s);
    p->noise = sqrt(squares / freedom);
    const double noise = p->noise; /* of corners; in the covariances it stands for what images scatter by */
    p->noise *= sqrt(find_widening(s, p));
    spread_tags(s, p);
    spread_disc(s, p);
    for (int v = 0; v < p->view_len; v++)
        p->views[v].angle_std_rad = p->noise * sqrt(angle_variance(s, &s->blocks[v].equations));
    p->noise = noise;
    return true;
}

/* ---- steps ---- */

enum { TRIAL_MAX = 120 };

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

pov_turntable_solver *pov_turntable_solver_new(void)
{
    const size_t square = (size_t)N_MAX * N_MAX, views = POV_TURN_VIEW_MAX;
    pov_turntable_solver *s = pov_allocate(1, sizeof *s);
    s->A = pov_allocate(square, sizeof *s->A);
    s->S = pov_allocate(square, sizeof *s->S);
    s->inverse = pov_allocate(square, sizeof *s->inverse);
    s->blocks = pov_allocate(views, sizeof *s->blocks);
    s->cross = pov_allocate(2 * views * N_MAX * OWN, sizeof *s->cross);
    s->trial_camera = pov_allocate(views, sizeof *s->trial_camera);
    s->trial_angle = pov_allocate(views, sizeof *s->trial_angle);
    return s;
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

static void move_view(pov_turn_view *view, const pov_turntable_solver *s, const pov_pose_block *block)
{
    double step[OWN];
    pov_pose_block_step(step, block, s->step);
    view->angle_rad += step[s->own - 1];
    if (s->own == OWN)
        view->T_table_camera = pov_transform_plus(view->T_table_camera, step);
}

/* The state before a step that may have to be taken back. */
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
        move_view(&p->views[v], s, &s->blocks[v].equations);
    for (int t = 0; t < p->tag_len; t++)
        if (s->first[t] >= 0)
            p->tags[t].T = pov_transform_plus(p->tags[t].T, &s->step[s->first[t]]);
    move_disc(&p->T_table_disc.T, s->step);
}

static bool find_step(pov_turntable_solver *s, const pov_turn_problem *p, double damping)
{
    memcpy(s->step, s->gradient, sizeof s->step);
    if (!reduce_equations(s, p, s->step, damping))
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
    if (!number_unknowns(s, p))
        return cannot_tell();
    const double cost = sum_cost(s, p);
    if (!isfinite(cost))
        return cannot_tell();
    build_equations(s, p);
    pov_descent d = pov_descent_from(cost, DAMPING_START, TRIAL_MAX);
    for (d.gain_min = GAIN_MIN; pov_descent_continues(&d);) {
        place was;
        remember(&was, s, p);
        const bool has_step = find_step(s, p, d.damping);
        if (has_step)
            move(s, p);
        if (pov_descent_accepts(&d, has_step ? sum_cost(s, p) : INFINITY))
            build_equations(s, p);
        else
            restore(&was, s, p);
    }
    return spread_covariances(s, p) ? pov_ok() : cannot_tell();
}
