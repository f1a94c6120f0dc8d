#include "perception/tags/tag_fit.h"
#include "perception/tags/tag_pose.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { START_TAG_MAX = 16, START_MAX = 2 * START_TAG_MAX, DESCENT_MAX = 6, ROUND_MAX = 40 };

/* Starts nearer to one another than this, in their own covariance, lead to the same pose. */
static const double SAME_START_DISTANCE2 = 25;
static const double SAME_POSE_DISTANCE2 = 1;
static const double ALTERNATIVE_PROBABILITY_MIN = 1e-3;

typedef struct {
    const pov_camera *camera;
    int len;
    pov_tag_sighting sightings[POV_TAG_MAX];
    int index[POV_TAG_MAX]; /* of the sighting's tag among all seen */
} problem;

typedef struct {
    pov_pose T_table_camera;
    double cost; /* -2 log likelihood, up to a constant of the problem */
} start;

typedef struct {
    pov_pose T_table_camera;
    double cost; /* sum over all mapped tags of squared distance, each at most POV_TAG_DISTANCE2_MAX */
    int used_len;
    bool used[POV_TAG_MAX];
} solution;

typedef struct {
    int len;
    start starts[START_MAX];
} start_list;

static void set_up(problem *p, pov_camera_pose *pose, const pov_tags *tags, const pov_tag_map *map)
{
    p->len = 0;
    for (int i = 0; i < tags->len; i++) {
        const pov_tag *tag = &tags->tags[i];
        const pov_tag_map_entry *entry = pov_tag_map_find(map, tag->family, tag->id);

        pose->outcome[i] = entry ? POV_TAG_REJECTED : POV_TAG_NOT_IN_MAP;
        if (!entry)
            continue;
        p->sightings[p->len] = (pov_tag_sighting){.tag = tag, .entry = entry};
        p->index[p->len++] = i;
    }
}

static double area_px2(const pov_tag *tag)
{
    const pov_vec2 *c = tag->corner_px;

    return 0.5 * fabs((c[2].x - c[0].x) * (c[3].y - c[1].y) - (c[2].y - c[0].y) * (c[3].x - c[1].x));
}

/** Number of tags that appear larger, ties broken by order. */
static int rank_by_area(const problem *p, int k)
{
    double area = area_px2(p->sightings[k].tag);
    int rank = 0;

    for (int i = 0; i < p->len; i++) {
        double other = area_px2(p->sightings[i].tag);
        rank += other > area || (other == area && i < k);
    }
    return rank;
}

/** Each tag is a draw from the pose's prediction or a stray; the likelier counts. */
static double start_cost(const problem *p, const pov_pose *T_table_camera)
{
    const double stray = 16 * log(2 * POV_TAG_STRAY_PX) - 8 * log(2 * POV_PI);
    double sum = 0;

    for (int k = 0; k < p->len; k++) {
        pov_tag_misfit misfit = pov_tag_misfit_of(p->camera, &p->sightings[k], T_table_camera, true);
        sum += fmin(misfit.distance2 + misfit.log_determinant, stray);
    }
    return sum;
}

/** Both camera poses by each of the largest tags alone. */
static void find_starts(start_list *list, const problem *p)
{
    pov_tag_poses poses;

    list->len = 0;
    for (int k = 0; k < p->len; k++) {
        const pov_tag_sighting *s = &p->sightings[k];
        if (rank_by_area(p, k) >= START_TAG_MAX ||
            pov_tag_pose_estimate(&poses, p->camera, s->tag, s->entry->edge_m) != POV_OK)
            continue;
        for (int i = 0; i < poses.len; i++) {
            pov_pose T_tag_camera = pov_pose_inverse(&poses.T_camera_tag[i]);
            start *made = &list->starts[list->len++];
            made->T_table_camera = pov_pose_mul(&s->entry->T_table_tag, &T_tag_camera);
            made->cost = start_cost(p, &made->T_table_camera);
        }
    }
}

/** Takes the best start out of the list, and all that are like it. False when none is left. */
static bool take_start(pov_pose *T_table_camera, start_list *list)
{
    int best = 0, kept = 0;

    if (list->len == 0)
        return false;
    for (int i = 1; i < list->len; i++) {
        if (list->starts[i].cost < list->starts[best].cost)
            best = i;
    }
    *T_table_camera = list->starts[best].T_table_camera;
    for (int i = 0; i < list->len; i++) {
        if (i != best &&
            pov_pose_distance2(&list->starts[i].T_table_camera, T_table_camera) > SAME_START_DISTANCE2)
            list->starts[kept++] = list->starts[i];
    }
    list->len = kept;
    return true;
}

/** Takes in tags that fit the pose. Returns how many were new. */
static int take_in(problem *p, const pov_pose *T_table_camera)
{
    int taken = 0;

    for (int k = 0; k < p->len; k++) {
        pov_tag_sighting *s = &p->sightings[k];
        if (s->used ||
            pov_tag_misfit_of(p->camera, s, T_table_camera, true).distance2 > POV_TAG_DISTANCE2_MAX)
            continue;
        s->used = true;
        taken++;
    }
    return taken;
}

/** Throws out the used tag that fits worst, if that is too bad. */
static bool throw_out(problem *p, const pov_pose *T_table_camera)
{
    double worst_distance2 = POV_TAG_DISTANCE2_MAX;
    int worst = -1;

    for (int k = 0; k < p->len; k++) {
        if (!p->sightings[k].used)
            continue;
        double distance2 = pov_tag_misfit_of(p->camera, &p->sightings[k], T_table_camera, false).distance2;
        if (distance2 > worst_distance2) {
            worst_distance2 = distance2;
            worst = k;
        }
    }
    if (worst >= 0)
        p->sightings[worst].used = false;
    return worst >= 0;
}

static void judge_solution(solution *s, const problem *p)
{
    s->cost = 0;
    s->used_len = 0;
    for (int k = 0; k < p->len; k++) {
        double distance2 =
            pov_tag_misfit_of(p->camera, &p->sightings[k], &s->T_table_camera, false).distance2;
        s->cost += fmin(distance2, POV_TAG_DISTANCE2_MAX);
        s->used[k] = p->sightings[k].used;
        s->used_len += s->used[k];
    }
}

/** Fits the tags that agree with a start, drops outliers, adds the tags that then fit, and repeats until the set stays the same. A
 * dropped tag may return only while rounds remain. */
static bool solve_from(solution *s, problem *p, const pov_pose *T_table_camera)
{
    pov_pose T = *T_table_camera;

    for (int k = 0; k < p->len; k++)
        p->sightings[k].used = false;
    if (take_in(p, &T) == 0)
        return false;
    for (int round = 0; round < ROUND_MAX; round++) {
        if (!pov_tag_fit(&T, p->camera, p->sightings, p->len))
            return false;
        if (!throw_out(p, &T) && (round >= ROUND_MAX / 2 || take_in(p, &T) == 0))
            break;
    }
    s->T_table_camera = T;
    judge_solution(s, p);
    return s->used_len > 0;
}

/** The cheapest solution that is not the pose of `other` (NULL: of all), or NULL. */
static const solution *cheapest(const solution *solutions, int len, const solution *other)
{
    const solution *best = NULL;

    for (int i = 0; i < len; i++) {
        const solution *s = &solutions[i];
        bool differs =
            !other || (s != other &&
                       pov_pose_distance2(&s->T_table_camera, &other->T_table_camera) > SAME_POSE_DISTANCE2);
        if (differs && (!best || s->cost < best->cost))
            best = s;
    }
    return best;
}

static int find_solutions(solution solutions[DESCENT_MAX], problem *p)
{
    start_list list;
    pov_pose T_table_camera;
    int len = 0;

    find_starts(&list, p);
    for (int i = 0; i < DESCENT_MAX && take_start(&T_table_camera, &list); i++)
        len += solve_from(&solutions[len], p, &T_table_camera);
    return len;
}

/** Marks what a solution rests on; returns its corners' RMS. */
static double mark_used(pov_tag_outcome outcome[POV_TAG_MAX], const problem *p, const solution *s)
{
    double squared_px2 = 0;

    for (int k = 0; k < p->len; k++) {
        if (!s->used[k])
            continue;
        outcome[p->index[k]] = POV_TAG_USED;
        squared_px2 += pov_tag_misfit_of(p->camera, &p->sightings[k], &s->T_table_camera, false).squared_px2;
    }
    return sqrt(squared_px2 / (4 * s->used_len));
}

static void report_outcomes(pov_camera_pose *pose, const problem *p, const solution *best,
                            const solution *second)
{
    pose->probability = second ? 1 / (1 + exp(-0.5 * (second->cost - best->cost))) : 1;
    pose->has_alternative = second && 1 - pose->probability >= ALTERNATIVE_PROBABILITY_MIN;
    if (pose->has_alternative) {
        pose->alternative_T_table_camera = second->T_table_camera;
        pose->alternative_used_len = second->used_len;
        memcpy(pose->alternative_outcome, pose->outcome, sizeof pose->outcome);
        pose->alternative_rms_px = mark_used(pose->alternative_outcome, p, second);
    }
    pose->T_table_camera = best->T_table_camera;
    pose->used_len = best->used_len;
    pose->rms_px = mark_used(pose->outcome, p, best);
}

static pov_pose pose_unknown(void)
{
    pov_pose pose;
    double *numbers[] = {&pose.T.R.m[0][0], &pose.T.t_m.x, &pose.cov[0][0]};
    const int counts[] = {9, 3, 36};

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < counts[k]; i++)
            numbers[k][i] = NAN;
    return pose;
}

pov_code pov_camera_pose_estimate(pov_camera_pose *pose, const pov_camera *camera, const pov_tags *tags,
                                  const pov_tag_map *map)
{
    problem p = {.camera = camera};
    solution solutions[DESCENT_MAX];

    *pose = (pov_camera_pose){.T_table_camera = pose_unknown(),
                              .alternative_T_table_camera = pose_unknown(),
                              .rms_px = NAN,
                              .alternative_rms_px = NAN,
                              .probability = NAN};
    set_up(&p, pose, tags, map);
    int len = find_solutions(solutions, &p);
    const solution *best = cheapest(solutions, len, NULL);
    if (!best)
        return POV_UNDEFINED;
    report_outcomes(pose, &p, best, cheapest(solutions, len, best));
    return POV_OK;
}
