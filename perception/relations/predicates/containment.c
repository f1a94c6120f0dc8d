#include "perception/relations/predicates/containment.h"

#include "perception/relations/predicates/affordance.h"

#include <math.h>

static bool is_exact(const pov_scene *scene, const pov_position *a, const pov_position *b)
{
    double variance = 0;
    for (int i = 0; i < 3; i++)
        variance += a->own_cov_m2[i][i] + b->own_cov_m2[i][i];
    for (int k = 0; k < 6; k++)
        variance += scene->camera_pose_cov[k][k];
    return variance == 0;
}

/* Variance along `dir` of the difference of two positions. */
static double variance_along(const pov_scene *scene, const pov_position *a, const pov_position *b,
                             pov_vec3 dir)
{
    const double d[3] = {dir.x, dir.y, dir.z};
    double J[6] = {0}, variance = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            variance += d[i] * (a->own_cov_m2[i][j] + b->own_cov_m2[i][j]) * d[j];
        for (int k = 0; k < 6; k++)
            J[k] += d[i] * (a->per_camera_pose[i][k] - b->per_camera_pose[i][k]);
    }
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < 6; l++)
            variance += J[k] * scene->camera_pose_cov[k][l] * J[l];
    return variance;
}

static double within(double mean, double half, double variance)
{
    if (variance <= 0)
        return fabs(mean) < half;
    double scale = 1 / sqrt(2 * variance);
    return 0.5 * (erf((half - mean) * scale) + erf((half + mean) * scale));
}

double pov_containment_probability(const pov_scene *scene, pov_id referent, pov_id relatum)
{
    const pov_entity *box = &scene->entities[relatum];
    const pov_position *a = &scene->entities[referent].position, *b = &box->position;
    const double size_m[3] = {box->size_m.x, box->size_m.y, box->size_m.z};
    const pov_vec3 d = pov_vec3_sub(a->mean_m, b->mean_m);
    const bool exact = is_exact(scene, a, b);
    double p = 1;
    if (!(size_m[0] > 0 && size_m[1] > 0 && size_m[2] > 0))
        return 0;
    for (int axis = 0; axis < 3 && p > 0; axis++) {
        const double(*m)[3] = box->R_table_box.m;
        const pov_vec3 dir = {m[0][axis], m[1][axis], m[2][axis]};
        p *= within(pov_vec3_dot(d, dir), size_m[axis] / 2, exact ? 0 : variance_along(scene, a, b, dir));
    }
    return fmin(1, fmax(0, p));
}

/* The axis of a box that is upright, give or take 2.5 degrees; -1: none is. */
static int upright_axis(const pov_entity *entity)
{
    for (int axis = 2; axis >= 0; axis--)
        if (fabs(entity->R_table_box.m[2][axis]) > 0.999)
            return axis;
    return -1;
}

static double half_height_m(const pov_entity *entity)
{
    const double *up = entity->R_table_box.m[2];
    const pov_vec3 size = entity->size_m;
    return (fabs(up[0]) * size.x + fabs(up[1]) * size.y + fabs(up[2]) * size.z) / 2;
}

static bool has_size(const pov_entity *entity)
{
    return entity->size_m.x > 0 && entity->size_m.y > 0 && entity->size_m.z > 0;
}

/* At the means, of a bottom at the other's top or below it: whether it stands there, and is not beside it or inside. */
static bool stands_on(const pov_entity *upper, const pov_entity *lower)
{
    const double rise_m = upper->position.mean_m.z - lower->position.mean_m.z, top_m = half_height_m(lower);
    if (rise_m > top_m && rise_m - half_height_m(upper) >= top_m - POV_CARRIED_SLACK_M)
        return true;
    const unsigned affords = pov_affordances_of(lower->class_name);
    return rise_m > 0 &&
           ((affords & POV_AFFORDS_BEARING) != 0 || (rise_m > top_m && (affords & POV_AFFORDS_HOLDING) != 0));
}

double pov_carried_probability(const pov_scene *scene, pov_id a, pov_id b)
{
    const bool a_is_upper = scene->entities[a].position.mean_m.z > scene->entities[b].position.mean_m.z;
    const pov_entity *upper = &scene->entities[a_is_upper ? a : b],
                     *lower = &scene->entities[a_is_upper ? b : a];
    const pov_position *at = &upper->position, *on = &lower->position;
    const double half_m[3] = {lower->size_m.x / 2, lower->size_m.y / 2, lower->size_m.z / 2};
    const pov_vec3 d = pov_vec3_sub(at->mean_m, on->mean_m);
    if (d.x * d.x + d.y * d.y > pov_vec3_dot(lower->size_m, lower->size_m) || /* far from its outline */
        d.z - half_height_m(lower) - half_height_m(upper) > POV_CARRIED_SLACK_M)
        return 0;
    const int up = upright_axis(lower);
    if (up < 0 || !has_size(upper) || !has_size(lower))
        return 0;
    const bool exact = is_exact(scene, at, on);
    double p = 1;
    for (int axis = 0; axis < 3 && p > 0; axis++) {
        const double(*m)[3] = lower->R_table_box.m;
        const pov_vec3 dir = {m[0][axis], m[1][axis], m[2][axis]};
        if (axis != up)
            p *= within(pov_vec3_dot(d, dir), half_m[axis], exact ? 0 : variance_along(scene, at, on, dir));
    }
    return p > 0 && stands_on(upper, lower) ? fmin(1, p) : 0;
}
