#include "perception/visibility_look.h"

#include "perception/visibility_patch.h"

#include <math.h>
#include <string.h>

/* A ray ends this short of the target: what touches the target from beside does not hide it. */
static const float reach_margin = 1e-5F; /* of the distance, and metres */

static const double surround_margin_m = 1e-4; /* covers rounding */

/* What bounding cones tell beforehand of all rays. */
typedef struct {
    pov_field_overlap field;
    bool is_clear; /* nothing can hide the target */
} outlines;

static pov_vec3 in_gaze(const pov_gaze *gaze, double x, double y, double z)
{
    return pov_rot_apply(pov_rot_transpose(gaze->R_table_gaze), (pov_vec3){x, y, z});
}

/* Which rays end at the target in view and range; the others are tallied. */
static void sort_rays(pov_ray_bundle *bundle, pov_tally *sum, const pov_patch_rays *rays,
                      const pov_looker *who, const pov_look *how, pov_field_overlap overlap)
{
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float distance = rays->distance_m[i];
        const double weight = rays->weight_sr[i];
        bundle->wanted[i] = false;
        if (!(distance < INFINITY))
            continue;
        sum->whole += weight;
        if (!overlap.all) {
            const pov_vec3 d =
                in_gaze(&how->gaze, rays->direction[0][i], rays->direction[1][i], rays->direction[2][i]);
            if (overlap.none || !pov_field_contains(&who->field, d)) {
                *(d.x < 0 ? &sum->behind : &sum->out_ahead) += weight;
                continue;
            }
        }
        if (distance < who->field.near_m)
            sum->too_near += weight;
        else if (distance > who->field.far_m)
            sum->too_far += weight;
        else
            bundle->wanted[i] = true;
    }
}

static void follow_rays(pov_tally *sum, const pov_looker *who, const pov_ray_bundle *bundle,
                        const float *weight_sr, bool asks_who)
{
    pov_id first[POV_RAY_LANES];
    bool hidden[POV_RAY_LANES];
    if (asks_who)
        pov_occlusion_first(who->occlusion, first, bundle);
    else
        pov_occlusion_any(who->occlusion, hidden, bundle);
    for (int i = 0; i < POV_RAY_LANES; i++) {
        if (!bundle->wanted[i])
            continue;
        const bool is_hidden = asks_who ? first[i] != POV_ID_NONE : hidden[i];
        *(is_hidden ? &sum->hidden : &sum->visible) += weight_sr[i];
        if (asks_who && is_hidden)
            sum->hidden_by[first[i]] += weight_sr[i];
    }
}

static void add_unhidden(pov_tally *sum, const pov_ray_bundle *bundle, const float *weight_sr)
{
    for (int i = 0; i < POV_RAY_LANES; i++)
        if (bundle->wanted[i])
            sum->visible += weight_sr[i];
}

static bool any_wanted(const pov_ray_bundle *bundle)
{
    bool any = false;
    for (int i = 0; i < POV_RAY_LANES; i++)
        any |= bundle->wanted[i];
    return any;
}

/* A mesh is where Embree has it: the eye moves instead of it. */
static void meet_mesh(pov_patch_rays *rays, pov_ray_bundle *bundle, const pov_looker *who,
                      const pov_look *how)
{
    for (int i = 0; i < POV_RAY_LANES; i++) {
        bundle->wanted[i] = true;
        bundle->reach_m[i] = INFINITY;
    }
    bundle->eye_m = pov_vec3_sub(how->gaze.eye_m, how->target_shift_m);
    pov_occlusion_mesh_distance(who->occlusion, rays->distance_m, bundle, who->target);
}

static void look_along(pov_tally *sum, pov_patch_rays *rays, const pov_looker *who, const pov_look *how,
                       const outlines *of)
{
    pov_ray_bundle bundle = {.ignored = {who->viewer, who->target}};
    memcpy(bundle.direction, rays->direction, sizeof bundle.direction);
    if (who->scene->entities[who->target].shape == POV_SHAPE_MESH)
        meet_mesh(rays, &bundle, who, how);
    bundle.eye_m = how->gaze.eye_m;
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float reach = rays->distance_m[i] * (1 - reach_margin) - reach_margin;
        bundle.reach_m[i] = reach > 0 ? reach : 0;
    }
    sort_rays(&bundle, sum, rays, who, how, of->field);
    if (of->is_clear)
        add_unhidden(sum, &bundle, rays->weight_sr);
    else if (any_wanted(&bundle))
        follow_rays(sum, who, &bundle, rays->weight_sr, how->asks_who);
}

/* Whether no other body's surrounding sphere comes between the eye and the target's. */
static bool is_clear_of_others(const pov_looker *who, const pov_silhouette *target, pov_vec3 eye_m)
{
    const double beyond_m = pov_vec3_norm(target->centre_m) + target->bound_m;
    for (pov_id id = 0; id < who->scene->len; id++) {
        const pov_entity *e = &who->scene->entities[id];
        if (id == who->viewer || id == who->target || !pov_entity_has_body(e))
            continue;
        const pov_vec3 d = pov_vec3_sub(e->position.mean_m, eye_m);
        const double distance = pov_vec3_norm(d), radius = pov_vec3_norm(e->size_m) / 2 + surround_margin_m;
        if (e->shape == POV_SHAPE_MESH || distance <= radius)
            return false;
        if (distance - radius >= beyond_m)
            continue;
        const double reach_rad = target->bound_rad + asin(radius / distance);
        if (reach_rad >= POV_PI ||
            pov_vec3_dot(d, target->centre_m) >= cos(reach_rad) * distance * pov_vec3_norm(target->centre_m))
            return false;
    }
    return true;
}

static bool is_all_in_range(const pov_looker *who, const pov_silhouette *target)
{
    const double distance = pov_vec3_norm(target->centre_m);
    return distance - target->bound_m > who->field.near_m && distance + target->bound_m < who->field.far_m;
}

static outlines outlines_of(const pov_looker *who, const pov_look *how, const pov_silhouette *target)
{
    const pov_vec3 centre = in_gaze(&how->gaze, target->centre_m.x, target->centre_m.y, target->centre_m.z);
    return (outlines){.field = pov_field_overlap_of(&who->field, centre, target->bound_rad),
                      .is_clear = is_clear_of_others(who, target, how->gaze.eye_m)};
}

pov_tally pov_look_at(const pov_looker *who, const pov_look *how)
{
    const pov_silhouette silhouette =
        pov_silhouette_of(&who->scene->entities[who->target], how->target_shift_m, how->gaze.eye_m);
    const outlines of = outlines_of(who, how, &silhouette);
    pov_tally sum = {0};
    if (silhouette.is_tight && of.is_clear && of.field.all && is_all_in_range(who, &silhouette)) {
        sum.whole = sum.visible = silhouette.solid_angle_sr;
        return sum;
    }
    for (int patch = 0; patch < silhouette.len; patch++) {
        const int bits = pov_silhouette_bits(&silhouette, patch, how->rays);
        for (int tile = 0; tile < 1 << (bits - POV_NET_BITS_MIN); tile++) {
            pov_patch_rays rays;
            pov_silhouette_rays(&rays, &silhouette, patch, bits, tile, how->net_shift);
            look_along(&sum, &rays, who, how, &of);
        }
    }
    return sum;
}
