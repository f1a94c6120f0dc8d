#include "calib/turntable/turntable_start.h"

#include "perception/geometry/linalg.h"
#include "perception/tags/tag_pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = POV_TURN_VIEW_MAX * POV_TURN_SIGHTING_MAX, TRIED_MAX = 24, ROUNDS = 4 };

/* Chi-square of 8 when all is well, and what a place by one view alone adds; one that moved is at the cap. */
static const double STILL_MISFIT = 50;
static const double DISTANCE2_CAP = 1000; /* bounds what one outlier adds to a start's cost; chosen */

void pov_turn_start_destroy(pov_turn_start **start)
{
    if (*start)
        free((*start)->poses);
    free(*start);
    *start = NULL;
}

pov_turn_start *pov_turn_start_new(void)
{
    pov_turn_start *start = pov_allocate(1, sizeof *start);
    start->poses = pov_allocate(POSES, sizeof *start->poses);
    return start;
}

/* ---- one view's tags ---- */

static pov_turn_poses *poses_of(const pov_turn_start *start, int view, int sighting)
{
    return &start->poses[view * POV_TURN_SIGHTING_MAX + sighting];
}

static void find_poses(pov_turn_poses *poses, const pov_turn_problem *p, const pov_turn_view *view,
                       const pov_turn_sighting *s)
{
    pov_tag_poses found;
    poses->len = 0;
    if (!p->tags[s->tag].on_disc ||
        pov_tag_pose_estimate(&found, p->camera, &s->seen, p->tags[s->tag].edge_m) != POV_OK)
        return;
    for (int i = 0; i < found.len; i++)
        poses->T[poses->len++] = pov_transform_mul(view->T_table_camera, found.T_camera_tag[i].T);
}

/* Mean misfit of a tag at one place, over the views of a component (-1: over all). */
static double misfit_of(const pov_turn_problem *p, int tag, const pov_turn_start *start, int component)
{
    double sum = 0;
    int len = 0;
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++) {
            if (p->views[v].sightings[i].tag != tag || (component >= 0 && start->component[v] != component))
                continue;
            sum += fmin(pov_turn_distance2(p, &p->views[v], &p->views[v].sightings[i]), DISTANCE2_CAP);
            len++;
        }
    return sum / len;
}

/* Puts a tag where, of its poses in all views of a component, it fits best in all. Returns its misfit there. */
static double place_tag(const pov_turn_start *start, pov_turn_problem *p, int tag, int component)
{
    pov_transform best = pov_transform_identity();
    double least = INFINITY;
    int seen = 0, at = 0;
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            seen += p->views[v].sightings[i].tag == tag;
    const int every = seen / TRIED_MAX + 1;
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++) {
            const pov_turn_poses *poses = poses_of(start, v, i);
            if (p->views[v].sightings[i].tag != tag || (component >= 0 && start->component[v] != component) ||
                at++ % every)
                continue;
            const pov_transform T_base = p->tags[tag].on_disc
                                             ? pov_disc_at(&p->T_table_disc.T, p->views[v].angle_rad)
                                             : pov_transform_identity();
            for (int k = 0; k < poses->len; k++) {
                p->tags[tag].T = pov_transform_mul(pov_transform_inverse(T_base), poses->T[k]);
                const double misfit = misfit_of(p, tag, start, component);
                best = misfit < least ? p->tags[tag].T : best;
                least = fmin(least, misfit);
            }
        }
    p->tags[tag].T = best;
    return least;
}

void pov_turn_start_look(pov_turn_start *start, pov_turn_problem *p)
{
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            find_poses(poses_of(start, v, i), p, &p->views[v], &p->views[v].sightings[i]);
    for (int t = 0; t < p->tag_len; t++) {
        start->turns[t] = p->tags[t].on_disc;
        if (!p->tags[t].on_disc)
            continue;
        p->tags[t].on_disc = false; /* if it fits the table, it lies there */
        start->turns[t] = place_tag(start, p, t, -1) > STILL_MISFIT;
        p->tags[t].on_disc = true;
    }
}

/* ---- the axis ---- */

/* The mean of a tag's centres, about a point near by so that no digits are lost. */
typedef struct {
    int len;
    pov_vec3 mean_m;
} centre;

static void find_means(centre means[POV_TURN_TAG_MAX], const pov_turn_start *start, const pov_turn_problem *p)
{
    memset(means, 0, POV_TURN_TAG_MAX * sizeof *means);
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++) {
            const pov_turn_poses *poses = poses_of(start, v, i);
            centre *mean = &means[p->views[v].sightings[i].tag];
            if (poses->len == 0)
                continue;
            mean->len++;
            mean->mean_m = pov_vec3_add(
                mean->mean_m, pov_vec3_scale(pov_vec3_sub(poses->T[0].t_m, mean->mean_m), 1.0 / mean->len));
        }
}

/* Calls for each sighting of a tag on the disc: where its centre is, and that less its mean. */
typedef struct {
    double scatter[9];           /* of all tags about their means */
    pov_vec3 across[2];          /* the plane's axes */
    double A[3], b[2], height_m; /* |q|^2 = 2 q.c + d for each tag, less its mean */
    int len;
} axis_sums;

static void add_scatter(axis_sums *sums, pov_vec3 off)
{
    const double d[3] = {off.x, off.y, off.z};
    for (int i = 0; i < 9; i++)
        sums->scatter[i] += d[i / 3] * d[i % 3];
    sums->len++;
}

static void add_circle(axis_sums *sums, pov_vec3 off, pov_vec3 at, double mean_squared)
{
    const double u = pov_vec3_dot(off, sums->across[0]), v = pov_vec3_dot(off, sums->across[1]);
    const double x = pov_vec3_dot(at, sums->across[0]), y = pov_vec3_dot(at, sums->across[1]);
    const double right = (x * x + y * y - mean_squared) / 2;
    sums->A[0] += u * u;
    sums->A[1] += u * v;
    sums->A[2] += v * v;
    sums->b[0] += u * right;
    sums->b[1] += v * right;
}

static double in_plane2(const axis_sums *sums, pov_vec3 at)
{
    return pow(pov_vec3_dot(at, sums->across[0]), 2) + pow(pov_vec3_dot(at, sums->across[1]), 2);
}

/* The direction in which tags' centres spread least; up where it can be. */
static bool find_direction(pov_rot *R, const axis_sums *sums)
{
    double values[3], vectors[9];
    pov_symmetric_eigen(values, vectors, sums->scatter, 3);
    const int least =
        values[0] < values[1] ? (values[0] < values[2] ? 0 : 2) : (values[1] < values[2] ? 1 : 2);
    pov_vec3 z = {vectors[least], vectors[3 + least], vectors[6 + least]};
    z = pov_vec3_scale(z, z.z < 0 ? -1 : 1);
    const pov_vec3 aside = fabs(z.x) < 0.9 ? (pov_vec3){1, 0, 0} : (pov_vec3){0, 1, 0};
    const pov_vec3 x = pov_vec3_unit(pov_vec3_sub(aside, pov_vec3_scale(z, pov_vec3_dot(aside, z))));
    const pov_vec3 y = pov_vec3_cross(z, x);
    *R = (pov_rot){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return sums->len > 2 && values[(least + 1) % 3] > 0 && values[(least + 2) % 3] > 0;
}

static bool find_axis(pov_transform *T_table_disc, const pov_turn_start *start, const pov_turn_problem *p)
{
    static const axis_sums none = {0};
    centre means[POV_TURN_TAG_MAX];
    double mean_squared[POV_TURN_TAG_MAX] = {0}, height_m = 0;
    axis_sums sums = none;
    find_means(means, start, p);
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            if (poses_of(start, v, i)->len > 0)
                add_scatter(&sums, pov_vec3_sub(poses_of(start, v, i)->T[0].t_m,
                                                means[p->views[v].sightings[i].tag].mean_m));
    if (!find_direction(&T_table_disc->R, &sums))
        return false;
    for (int k = 0; k < 2; k++)
        sums.across[k] =
            (pov_vec3){T_table_disc->R.m[0][k], T_table_disc->R.m[1][k], T_table_disc->R.m[2][k]};
    const pov_vec3 z = {T_table_disc->R.m[0][2], T_table_disc->R.m[1][2], T_table_disc->R.m[2][2]};
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            if (poses_of(start, v, i)->len > 0) {
                const int tag = p->views[v].sightings[i].tag;
                mean_squared[tag] += in_plane2(&sums, poses_of(start, v, i)->T[0].t_m) / means[tag].len;
                height_m += pov_vec3_dot(z, poses_of(start, v, i)->T[0].t_m) / sums.len;
            }
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            if (poses_of(start, v, i)->len > 0) {
                const int tag = p->views[v].sightings[i].tag;
                const pov_vec3 at = poses_of(start, v, i)->T[0].t_m;
                add_circle(&sums, pov_vec3_sub(at, means[tag].mean_m), at, mean_squared[tag]);
            }
    const double determinant = sums.A[0] * sums.A[2] - sums.A[1] * sums.A[1];
    const double x = (sums.A[2] * sums.b[0] - sums.A[1] * sums.b[1]) / determinant;
    const double y = (sums.A[0] * sums.b[1] - sums.A[1] * sums.b[0]) / determinant;
    T_table_disc->t_m = pov_rot_apply(T_table_disc->R, (pov_vec3){x, y, height_m});
    return isfinite(x) && isfinite(y);
}

/* ---- angles ---- */

/* A tag's direction about the axis: of its centre, or of itself where it is too near. */
static double azimuth_of(const pov_transform *T_table_disc, const pov_transform *T_table_tag, double edge_m)
{
    const pov_transform T = pov_transform_mul(pov_transform_inverse(*T_table_disc), *T_table_tag);
    return hypot(T.t_m.x, T.t_m.y) > edge_m ? atan2(T.t_m.y, T.t_m.x) : atan2(T.R.m[1][0], T.R.m[0][0]);
}

/* Views that share tags get the same number. Returns how many numbers there are. */
static int find_components(pov_turn_start *start, const pov_turn_problem *p)
{
    int count = 0;
    for (int v = 0; v < p->view_len; v++)
        start->component[v] = -1;
    for (int v = 0; v < p->view_len; v++) {
        if (start->component[v] >= 0)
            continue;
        bool reached[POV_TURN_TAG_MAX] = {false}, grew = true;
        start->component[v] = count;
        while (grew) {
            grew = false;
            for (int w = 0; w < p->view_len; w++) {
                bool joined = start->component[w] == count;
                for (int i = 0; i < p->views[w].len && !joined; i++)
                    joined = poses_of(start, w, i)->len > 0 && reached[p->views[w].sightings[i].tag];
                grew |= joined && start->component[w] != count;
                start->component[w] = joined ? count : start->component[w];
                for (int i = 0; i < p->views[w].len && joined; i++) {
                    bool *tag = &reached[p->views[w].sightings[i].tag];
                    grew |= poses_of(start, w, i)->len > 0 && !*tag;
                    *tag |= poses_of(start, w, i)->len > 0;
                }
            }
        }
        count++;
    }
    return count;
}

static int largest_component(const pov_turn_start *start, const pov_turn_problem *p, int count, int *size)
{
    int best = 0;
    *size = 0;
    for (int c = 0; c < count; c++) {
        int len = 0;
        for (int v = 0; v < p->view_len; v++)
            len += start->component[v] == c;
        best = len > *size ? c : best;
        *size = len > *size ? len : *size;
    }
    return best;
}

typedef struct {
    double x, y;
} pointer;

static void point(pointer *sum, double angle_rad)
{
    sum->x += cos(angle_rad);
    sum->y += sin(angle_rad);
}

/* Views' angles and tags' directions, in turns, each the mean by what is known of the others. */
static void find_angles(const pov_turn_start *start, pov_turn_problem *p, int component)
{
    bool tag_known[POV_TURN_TAG_MAX] = {false}, view_known[POV_TURN_VIEW_MAX] = {false};
    double direction[POV_TURN_TAG_MAX] = {0};
    int first = 0;
    while (start->component[first] != component)
        first++;
    view_known[first] = true;
    p->views[first].angle_rad = 0;
    for (int round = 0; round < p->view_len + ROUNDS; round++) {
        pointer sums[POV_TURN_TAG_MAX] = {{0}};
        bool all = true;
        for (int v = 0; v < p->view_len; v++)
            for (int i = 0; i < p->views[v].len; i++)
                if (view_known[v] && poses_of(start, v, i)->len > 0)
                    point(&sums[p->views[v].sightings[i].tag],
                          azimuth_of(&p->T_table_disc.T, &poses_of(start, v, i)->T[0],
                                     p->tags[p->views[v].sightings[i].tag].edge_m) -
                              p->views[v].angle_rad);
        for (int t = 0; t < p->tag_len; t++) {
            tag_known[t] = sums[t].x != 0 || sums[t].y != 0;
            direction[t] = atan2(sums[t].y, sums[t].x);
        }
        for (int v = 0; v < p->view_len; v++) {
            pointer sum = {0, 0};
            for (int i = 0; i < p->views[v].len; i++) {
                const int tag = p->views[v].sightings[i].tag;
                if (tag_known[tag] && poses_of(start, v, i)->len > 0)
                    point(&sum,
                          azimuth_of(&p->T_table_disc.T, &poses_of(start, v, i)->T[0], p->tags[tag].edge_m) -
                              direction[tag]);
            }
            if (start->component[v] != component || (sum.x == 0 && sum.y == 0))
                continue;
            all &= view_known[v];
            view_known[v] = true;
            p->views[v].angle_rad = atan2(sum.y, sum.x);
        }
        if (all && round >= ROUNDS)
            break;
    }
}

int pov_turn_start_find(pov_turn_start *start, pov_turn_problem *p, int *component)
{
    int size;
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            find_poses(poses_of(start, v, i), p, &p->views[v], &p->views[v].sightings[i]);
    const int count = find_components(start, p);
    *component = largest_component(start, p, count, &size);
    p->T_table_disc = pov_pose_exact(pov_transform_identity());
    if (!find_axis(&p->T_table_disc.T, start, p))
        return 0;
    find_angles(start, p, *component);
    for (int t = 0; t < p->tag_len; t++)
        if (p->tags[t].on_disc)
            (void)place_tag(start, p, t, *component);
    return size;
}
