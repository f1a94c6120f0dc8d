#include "perception/observation/observation.h"

#include <math.h>
#include <string.h>

POV_ENUM_NAMES(pov_pose_source_name, pov_pose_source, POV_POSE_SOURCE_COUNT, "unknown", "given", "tags",
               "ambiguous", "tf")

/* -------- two camera poses -------- */

static double mix_numbers(double a, double b, double p_a)
{
    return p_a * a + (1 - p_a) * b;
}

/* Standard deviation of a mixture. */
static double mix_std(const pov_belief *a, const pov_belief *b, double p_a, double p)
{
    double second = mix_numbers(a->p_std * a->p_std + a->p * a->p, b->p_std * b->p_std + b->p * b->p, p_a);
    return sqrt(fmax(0, second - p * p));
}

static bool is_defined(const pov_belief *belief)
{
    return belief->verdict != POV_VERDICT_UNDEFINED;
}

/* A judgment that only one world has is even; `b` NULL: the other world has no such query. */
static void mix_belief(pov_belief *a, const pov_belief *b, double p_a)
{
    const pov_belief even = {.p = 0.5, .p_std = 0.5, .verdict = POV_ABSTAIN};
    if (!is_defined(a))
        return;
    if (!b || !is_defined(b))
        b = &even;
    const double p = mix_numbers(a->p, b->p, p_a);
    a->p_std = mix_std(a, b, p_a, p);
    a->p = p;
    if (a->verdict != b->verdict)
        a->verdict = POV_ABSTAIN;
}

static void mix_judgment(pov_judgment *a, const pov_judgment *b, double p_a)
{
    mix_belief(&a->belief, b ? &b->belief : NULL, p_a);
    if (a->belief.verdict == POV_ABSTAIN && a->doubt == POV_DOUBT_NONE)
        a->doubt = POV_DOUBT_POSES;
    if (!b || !is_defined(&a->belief) || !is_defined(&b->belief))
        return;
    const double apart = pov_angle_wrap(b->theta_rad - a->theta_rad);
    a->theta_std_rad =
        sqrt(mix_numbers(pow(a->theta_std_rad, 2), pow(b->theta_std_rad, 2) + apart * apart, p_a));
    a->flip_distance_m = fmin(a->flip_distance_m, b->flip_distance_m);
    a->p_internal = mix_numbers(a->p_internal, b->p_internal, p_a);
}

static int largest(const double *p, int len)
{
    int best = 0;
    for (int i = 1; i < len; i++)
        best = p[i] > p[best] ? i : best;
    return best;
}

static void mix_side(pov_side_judgment *a, const pov_side_judgment *b, double p_a)
{
    if (a->verdict == POV_VERDICT_UNDEFINED)
        return;
    if (!b || b->verdict == POV_VERDICT_UNDEFINED || a->side != b->side || a->verdict != b->verdict)
        a->verdict = POV_ABSTAIN;
    if (!b || b->verdict == POV_VERDICT_UNDEFINED)
        return;
    for (int i = 0; i < POV_SIDE_COUNT; i++)
        a->p[i] = mix_numbers(a->p[i], b->p[i], p_a);
    for (int i = 0; i < POV_SIDE_COUNT / 2; i++)
        a->p_quarter[i] = mix_numbers(a->p_quarter[i], b->p_quarter[i], p_a);
    a->side = (pov_side)largest(a->p, POV_SIDE_COUNT);
    a->quarter = (pov_side)(2 * largest(a->p_quarter, POV_SIDE_COUNT / 2));
}

static bool same_cast(const pov_scene *a, const pov_scene *b)
{
    if (a->len != b->len || a->camera != b->camera)
        return false;
    for (int i = 0; i < a->len; i++)
        if (strcmp(a->entities[i].name, b->entities[i].name) != 0 ||
            a->entities[i].placed != b->entities[i].placed)
            return false;
    return true;
}

static void mix_sights(pov_observation *a, const pov_observation *b, bool same, double p_a)
{
    for (int i = 0; i < a->sight_len; i++) {
        const pov_visibility *twin = same && i < b->sight_len ? &b->sights[i] : NULL;
        const bool matches =
            twin && twin->viewer == a->sights[i].viewer && twin->target == a->sights[i].target;
        mix_belief(&a->sights[i].sees, matches ? &twin->sees : NULL, p_a);
        if (a->sights[i].cause == POV_CAUSE_NONE && a->sights[i].sees.verdict != POV_TRUE)
            a->sights[i].cause = matches && is_defined(&twin->sees) ? twin->cause : POV_CAUSE_NOT_PLACED;
        if (matches && is_defined(&a->sights[i].sees) && is_defined(&twin->sees))
            a->sights[i].fraction_expected =
                mix_numbers(a->sights[i].fraction_expected, twin->fraction_expected, p_a);
    }
}

static void mix_directions(pov_observation *a, const pov_observation *b, bool same, double p_a)
{
    for (int i = 0; i < a->direction_len; i++) {
        const pov_observed_direction *twin = same && i < b->direction_len ? &b->directions[i] : NULL;
        const bool matches =
            twin && twin->viewer == a->directions[i].viewer && twin->target == a->directions[i].target;
        mix_side(&a->directions[i].side, matches ? &twin->side : NULL, p_a);
    }
}

void pov_observation_mix(pov_observation *likelier, const pov_observation *other, double p_likelier)
{
    const bool same = same_cast(&likelier->scene, &other->scene);
    const int other_first = other->directed_len - likelier->directed_len;
    for (int i = 0; i < likelier->judgment_len; i++) {
        const int k = i < likelier->directed_len ? i : i + other_first;
        const pov_judgment *twin = same && k >= 0 && k < other->judgment_len ? &other->judgments[k] : NULL;
        const bool matches = twin && pov_query_equal(&likelier->judgments[i].query, &twin->query);
        mix_judgment(&likelier->judgments[i], matches ? twin : NULL, p_likelier);
    }
    mix_sights(likelier, other, same, p_likelier);
    mix_directions(likelier, other, same, p_likelier);
    likelier->view_len = 0;
}

pov_pose pov_pose_reaching(const pov_pose_candidate candidates[2])
{
    pov_pose pose = candidates[0].T_table_camera;
    double apart[6];
    pov_transform_minus(apart, candidates[1].T_table_camera.T, pose.T);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            pose.cov[i][j] =
                mix_numbers(pose.cov[i][j], candidates[1].T_table_camera.cov[i][j] + apart[i] * apart[j],
                            candidates[0].probability);
    return pose;
}

void pov_scene_mark_viewers(pov_scene *scene, const pov_visibility *sights, int len)
{
    for (int i = 0; i < len; i++) {
        pov_entity *viewer = &scene->entities[sights[i].viewer];
        if (sights[i].cause == POV_CAUSE_NOT_A_VIEWER || viewer->can_see)
            continue;
        viewer->can_see = true;
        viewer->field = (pov_field_of_view){.shape = POV_FIELD_CONE,
                                            .half_horizontal_rad = POV_PI,
                                            .half_vertical_rad = POV_PI,
                                            .far_m = INFINITY};
    }
}
