#include "perception/scene/support.h"

#include "perception/geometry/box.h"

#include <math.h>
#include <stddef.h>

static bool has_box(const pov_entity *entity)
{
    return entity->placed && entity->size_m.x > 0 && entity->size_m.y > 0 && entity->size_m.z > 0;
}

static double half_height_m(const pov_entity *entity)
{
    pov_box box = pov_entity_box(entity);
    return pov_box_half_extent_m(&box, (pov_vec3){0, 0, 1});
}

static double bottom_m(const pov_entity *entity)
{
    return entity->position.mean_m.z - half_height_m(entity);
}

static double ground_m(const pov_scene *scene)
{
    double lowest_m = INFINITY;
    for (int i = 0; i < scene->len; i++)
        if (has_box(&scene->entities[i]))
            lowest_m = fmin(lowest_m, bottom_m(&scene->entities[i]));
    return lowest_m;
}

static double vertical_variance_m2(const pov_scene *scene, const pov_entity *a, const pov_entity *b)
{
    double variance = a->position.own_cov_m2[2][2] + (b ? b->position.own_cov_m2[2][2] : 0);
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < 6; l++) {
            double left = a->position.per_camera_pose[2][k] - (b ? b->position.per_camera_pose[2][k] : 0);
            double right = a->position.per_camera_pose[2][l] - (b ? b->position.per_camera_pose[2][l] : 0);
            variance += left * scene->camera_pose_cov[k][l] * right;
        }
    return variance;
}

/* Up to what all have in common; the logarithm, for gaps of many deviations. */
static double log_density(double gap_m, double variance_m2)
{
    double whole = variance_m2 + POV_SUPPORT_SLACK_M * POV_SUPPORT_SLACK_M;
    return -0.5 * (gap_m * gap_m / whole + log(whole));
}

static bool is_over(const pov_entity *thing, const pov_entity *surface)
{
    pov_box below = pov_entity_box(surface);
    pov_vec3 point = {thing->position.mean_m.x, thing->position.mean_m.y, surface->position.mean_m.z};
    return pov_box_point_signed_distance_m(&below, point) <= 0 &&
           surface->position.mean_m.z < thing->position.mean_m.z;
}

pov_code pov_support_of(double p[POV_ENTITY_MAX + 1], const pov_scene *scene, pov_id id)
{
    const pov_entity *thing = &scene->entities[id];
    bool has_answer = has_box(thing);
    double sum = 0, best = -INFINITY;
    for (int i = 0; i <= scene->len; i++)
        p[i] = has_answer ? -INFINITY : NAN;
    if (!has_answer)
        return POV_UNDEFINED;
    for (int i = 0; i < scene->len; i++) {
        const pov_entity *surface = &scene->entities[i];
        if (i == id || !has_box(surface) || !is_over(thing, surface))
            continue;
        double top_m = surface->position.mean_m.z + half_height_m(surface);
        p[i] = log_density(bottom_m(thing) - top_m, vertical_variance_m2(scene, thing, surface));
    }
    p[scene->len] = log_density(bottom_m(thing) - ground_m(scene), vertical_variance_m2(scene, thing, NULL));
    for (int i = 0; i <= scene->len; i++)
        best = fmax(best, p[i]);
    for (int i = 0; i <= scene->len; i++)
        sum += p[i] = exp(p[i] - best);
    for (int i = 0; i <= scene->len; i++)
        p[i] /= sum;
    return POV_OK;
}

pov_id pov_support_likeliest(const pov_scene *scene, pov_id id)
{
    double p[POV_ENTITY_MAX + 1];
    if (pov_support_of(p, scene, id) != POV_OK)
        return POV_ID_NONE;
    int best = scene->len;
    for (int i = 0; i < scene->len; i++)
        if (p[i] > p[best])
            best = i;
    return best == scene->len ? POV_ID_NONE : best;
}

double pov_support_shared(const pov_scene *scene, pov_id a, pov_id b)
{
    double p_a[POV_ENTITY_MAX + 1], p_b[POV_ENTITY_MAX + 1], sum = 0;
    if (pov_support_of(p_a, scene, a) != POV_OK || pov_support_of(p_b, scene, b) != POV_OK)
        return NAN;
    for (int i = 0; i <= scene->len; i++)
        sum += p_a[i] * p_b[i];
    return sum;
}
