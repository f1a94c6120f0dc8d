#include "perception/cast/disc.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"
#include "perception/tags/tag_pose.h"

#include <math.h>
#include <string.h>

enum { ROWS = 8, STATES = 7, START_TAG_MAX = 8, STEP_MAX = 20 };

static const double STEP_MIN_RAD = 1e-10; /* a smaller step ends the iteration; chosen */

typedef struct {
    const pov_tag *tag;
    const pov_tag_map_entry *entry;
    int index; /* among the image's tags */
    bool used;
} sighting;

/* The state is the angle and the error of the disc's place before the camera: `spread` times a vector of unit variance. */
typedef struct {
    const pov_camera *camera;
    pov_transform T_camera_disc; /* at angle 0 */
    double spread[6][6];
    int len;
    sighting sightings[POV_TAG_MAX];
} problem;

typedef struct {
    double angle_rad, off[6];
} state;

typedef struct {
    double residual[ROWS], per_state[ROWS][STATES]; /* in units of their standard deviation */
    double squared_px2;
} equations;

pov_transform pov_disc_at(const pov_transform *T_table_disc, double angle_rad)
{
    return (pov_transform){pov_rot_mul(T_table_disc->R, pov_rot_yaw(angle_rad)), T_table_disc->t_m};
}

/* ---- what is seen against what is predicted ---- */

static pov_transform at_state(const problem *p, const state *s)
{
    double error[6] = {0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            error[i] += p->spread[i][k] * s->off[k];
    const pov_transform T = pov_transform_plus(p->T_camera_disc, error);
    return pov_disc_at(&T, s->angle_rad);
}

/* One coordinate of a corner, whose pixel moves by `row` px per metre of the camera frame. `arm` goes from the disc's
 * origin to the corner. */
static void derive_row(double per_state[STATES], const problem *p, pov_vec3 axis, pov_vec3 arm, pov_vec3 row)
{
    double per_pose[6];
    const pov_vec3 turning = pov_vec3_cross(arm, row);
    pov_pose_row(per_pose, turning, row);
    per_state[0] = pov_vec3_dot(axis, turning);
    for (int k = 0; k < 6; k++) {
        per_state[1 + k] = 0;
        for (int i = 0; i < 6; i++)
            per_state[1 + k] += per_pose[i] * p->spread[i][k];
    }
}

static bool predict_corners(equations *e, double per_tag[ROWS][6], const problem *p, const sighting *s,
                            const pov_transform *T_camera_disc)
{
    const pov_rot *R = &T_camera_disc->R;
    const pov_vec3 axis = pov_rot_column(R, 2);
    const pov_transform T_camera_tag = pov_transform_mul(*T_camera_disc, s->entry->T_table_tag.T);
    const pov_vec3 face = pov_rot_column(&T_camera_tag.R, 2);
    if (!(pov_vec3_dot(face, T_camera_tag.t_m) < 0))
        return false;
    e->squared_px2 = 0;
    for (int i = 0; i < 4; i++) {
        const pov_vec3 on_tag = pov_rot_apply(s->entry->T_table_tag.T.R, pov_tag_corner(s->entry->edge_m, i));
        const pov_vec3 seen_m = pov_transform_apply(T_camera_tag, pov_tag_corner(s->entry->edge_m, i));
        const pov_vec3 arm = pov_vec3_sub(seen_m, T_camera_disc->t_m);
        double J[2][3];
        pov_vec2 pixel;
        if (pov_camera_project(p->camera, &pixel, J, seen_m) != POV_OK)
            return false;
        e->residual[2 * i] = s->tag->corner_px[i].x - pixel.x;
        e->residual[2 * i + 1] = s->tag->corner_px[i].y - pixel.y;
        e->squared_px2 += pow(e->residual[2 * i], 2) + pow(e->residual[2 * i + 1], 2);
        for (int k = 0; k < 2; k++) {
            const pov_vec3 row = {J[k][0], J[k][1], J[k][2]};
            const pov_vec3 in_disc = pov_rot_apply(pov_rot_transpose(*R), row);
            derive_row(e->per_state[2 * i + k], p, axis, arm, row);
            pov_pose_row(per_tag[2 * i + k], pov_vec3_cross(on_tag, in_disc), in_disc);
        }
    }
    return true;
}

/* A tag's corners against a state, in units of their own noise and their tag's place's. Returns the squared distance;
 * infinite if it cannot be seen so. */
static double compare_corners(equations *e, const problem *p, const sighting *s,
                              const pov_transform *T_camera_disc)
{
    double per_tag[ROWS][6], L[ROWS * ROWS];
    if (!predict_corners(e, per_tag, p, s, T_camera_disc))
        return INFINITY;
    pov_sandwich(L, &per_tag[0][0], &s->entry->T_table_tag.cov[0][0], ROWS, 6);
    for (int i = 0; i < ROWS; i++)
        L[i * ROWS + i] += s->tag->corner_std_px * s->tag->corner_std_px;
    if (!pov_cholesky(L, L, ROWS))
        return INFINITY;
    pov_whiten(e->residual, L, ROWS, 1);
    pov_whiten(&e->per_state[0][0], L, ROWS, STATES);
    return pov_squares(e->residual, ROWS);
}

static double distance2_of(const problem *p, const sighting *s, const state *at)
{
    equations e;
    const pov_transform T_camera_disc = at_state(p, at);
    return compare_corners(&e, p, s, &T_camera_disc);
}

/* ---- fitting ---- */

/* One Gauss-Newton step; the normal matrix is left behind. */
static bool step_state(state *s, double information[STATES * STATES], const problem *p)
{
    double gradient[STATES] = {0};
    const pov_normal normal = {information, gradient, STATES};
    const pov_transform T_camera_disc = at_state(p, s);
    memset(information, 0, STATES * STATES * sizeof *information);
    for (int k = 1; k < STATES; k++) { /* known to be 0 +- 1 */
        information[k * STATES + k] = 1;
        gradient[k] = -s->off[k - 1];
    }
    for (int t = 0; t < p->len; t++) {
        equations e;
        if (p->sightings[t].used && isfinite(compare_corners(&e, p, &p->sightings[t], &T_camera_disc)))
            pov_normal_add(&normal, &e.per_state[0][0], e.residual, ROWS, 1);
    }
    if (!pov_normal_step(gradient, information, gradient, STATES, 0))
        return false;
    s->angle_rad += gradient[0];
    for (int k = 1; k < STATES; k++)
        s->off[k - 1] += gradient[k];
    return true;
}

static bool fit_state(state *s, double *variance, const problem *p)
{
    double information[STATES * STATES], before;
    bool found = true;
    for (int i = 0; i < STEP_MAX && found; i++) {
        before = s->angle_rad;
        found = step_state(s, information, p);
        if (fabs(s->angle_rad - before) < STEP_MIN_RAD)
            break;
    }
    if (!found || !pov_symmetric_inverse(information, information, STATES))
        return false;
    *variance = information[0];
    return isfinite(s->angle_rad);
}

/* ---- which tags ---- */

static void set_up(problem *p, const pov_disc *disc, const pov_tags *tags, const pov_pose *T_table_camera)
{
    const pov_pose T_camera_table = pov_pose_inverse(T_table_camera);
    const pov_pose T_camera_disc = pov_pose_mul(&T_camera_table, &disc->T_table_disc);
    double values[6], vectors[36];
    p->T_camera_disc = T_camera_disc.T;
    pov_symmetric_eigen(values, vectors, &T_camera_disc.cov[0][0], 6);
    for (int i = 0; i < 36; i++)
        p->spread[i / 6][i % 6] = vectors[i] * sqrt(fmax(values[i % 6], 0));
    p->len = 0;
    for (int i = 0; i < tags->len; i++) {
        const pov_tag *tag = &tags->tags[i];
        const pov_tag_map_entry *entry = pov_tag_map_find(&disc->tags, tag->family, tag->id);
        if (entry)
            p->sightings[p->len++] = (sighting){.tag = tag, .entry = entry, .index = i};
    }
}

static double side2_px2(const pov_tag *tag)
{
    return pow(tag->corner_px[2].x - tag->corner_px[0].x, 2) +
           pow(tag->corner_px[2].y - tag->corner_px[0].y, 2);
}

static bool is_large(const problem *p, int t)
{
    int larger = 0;
    for (int i = 0; i < p->len; i++)
        larger += side2_px2(p->sightings[i].tag) > side2_px2(p->sightings[t].tag);
    return larger < START_TAG_MAX;
}

/* Exact up to `most`; beyond, a lower bound. */
static double cost_of(const problem *p, const state *s, double most)
{
    double cost = 0;
    for (int t = 0; t < p->len && cost <= most; t++)
        cost += fmin(distance2_of(p, &p->sightings[t], s), 100 * POV_TAG_DISTANCE2_MAX);
    return cost;
}

/* The likeliest angle by one tag alone, as all see it; or the first by which all are where they should be. */
static bool start_state(state *s, const problem *p)
{
    const double enough = p->len * POV_TAG_DISTANCE2_MAX;
    double best = INFINITY;
    for (int t = 0; t < p->len && best > enough; t++) {
        const sighting *from = &p->sightings[t];
        pov_tag_poses poses;
        if (!is_large(p, t) ||
            pov_tag_pose_estimate(&poses, p->camera, from->tag, from->entry->edge_m) != POV_OK)
            continue;
        for (int i = 0; i < poses.len; i++) {
            const pov_transform T_disc_now =
                pov_transform_mul(pov_transform_inverse(p->T_camera_disc),
                                  pov_transform_mul(poses.T_camera_tag[i].T,
                                                    pov_transform_inverse(from->entry->T_table_tag.T)));
            const state candidate = {.angle_rad = atan2(T_disc_now.R.m[1][0] - T_disc_now.R.m[0][1],
                                                        T_disc_now.R.m[0][0] + T_disc_now.R.m[1][1])};
            const double cost = cost_of(p, &candidate, best);
            if (cost < best)
                *s = candidate;
            best = fmin(best, cost);
        }
    }
    return isfinite(best);
}

/* Leaves out the tag that fits worst, if that is too bad. */
static bool throw_out(problem *p, const state *s)
{
    double worst = POV_TAG_DISTANCE2_MAX;
    int at = -1;
    for (int t = 0; t < p->len; t++) {
        const double distance2 = p->sightings[t].used ? distance2_of(p, &p->sightings[t], s) : 0;
        if (distance2 > worst) {
            worst = distance2;
            at = t;
        }
    }
    if (at >= 0)
        p->sightings[at].used = false;
    return at >= 0;
}

static void report_reading(pov_disc_reading *reading, const problem *p, const state *s, double variance)
{
    const pov_transform T_camera_disc = at_state(p, s);
    double squared_px2 = 0;
    for (int t = 0; t < p->len; t++) {
        equations e;
        if (!p->sightings[t].used || isinf(compare_corners(&e, p, &p->sightings[t], &T_camera_disc)))
            continue;
        reading->used[p->sightings[t].index] = true;
        reading->used_len++;
        squared_px2 += e.squared_px2;
    }
    if (reading->used_len == 0)
        return;
    const double angle_rad = pov_angle_wrap(s->angle_rad);
    reading->angle_rad = angle_rad < 0 ? angle_rad + 2 * POV_PI : angle_rad;
    reading->std_rad = sqrt(variance);
    reading->rms_px = sqrt(squared_px2 / (4 * reading->used_len));
}

pov_code pov_disc_read(pov_disc_reading *reading, const pov_disc *disc, const pov_camera *camera,
                       const pov_tags *tags, const pov_pose *T_table_camera)
{
    problem p = {.camera = camera};
    state s;
    double variance = NAN;
    *reading = (pov_disc_reading){.angle_rad = NAN, .std_rad = NAN, .rms_px = NAN};
    set_up(&p, disc, tags, T_table_camera);
    if (!start_state(&s, &p))
        return POV_UNDEFINED;
    for (int t = 0; t < p.len; t++)
        p.sightings[t].used = distance2_of(&p, &p.sightings[t], &s) < 100 * POV_TAG_DISTANCE2_MAX;
    for (int round = 0; round < p.len + 1; round++)
        if (!fit_state(&s, &variance, &p))
            return POV_UNDEFINED;
        else if (!throw_out(&p, &s))
            break;
    report_reading(reading, &p, &s, variance);
    return reading->used_len > 0 ? POV_OK : POV_UNDEFINED;
}
