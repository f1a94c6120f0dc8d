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
    pov_near_bodies near;     /* those that could hide the target */
    bool is_ahead, is_behind; /* all of it */
    bool all_count;           /* every ray meets the target in view and range */
} outlines;

/* Sums by lane: they do not wait for one another. */
typedef struct {
    float visible[POV_RAY_LANES], hidden[POV_RAY_LANES];
} lane_sums;

static pov_vec3 in_gaze(const pov_gaze *gaze, double x, double y, double z)
{
    return pov_rot_apply(pov_rot_transpose(gaze->R_table_gaze), (pov_vec3){x, y, z});
}

/* Of the rays that meet the target, those outside the field or out of range are not wanted, but tallied. */
static void sort_rays(pov_ray_bundle *bundle, pov_tally *sum, const pov_patch_rays *rays,
                      const pov_looker *who, const pov_look *how, pov_field_overlap overlap)
{
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float distance = rays->distance_m[i];
        const pov_vec3 d =
            in_gaze(&how->gaze, rays->direction[0][i], rays->direction[1][i], rays->direction[2][i]);
        pov_fate fate = POV_FATE_VISIBLE;
        if (overlap.none || !(overlap.all || pov_field_contains(&who->field, d)))
            fate = d.x < 0 ? POV_FATE_BEHIND : POV_FATE_OUT_AHEAD;
        else if (distance < who->field.near_m)
            fate = POV_FATE_TOO_NEAR;
        else if (distance > who->field.far_m)
            fate = POV_FATE_TOO_FAR;
        bundle->wanted[i] = distance < INFINITY && fate == POV_FATE_VISIBLE;
        if (distance < INFINITY && fate != POV_FATE_VISIBLE)
            sum->by_fate[fate] += rays->weight_sr[i];
    }
}

static bool any_wanted(const pov_ray_bundle *bundle)
{
    bool any = false;
    for (int i = 0; i < POV_RAY_LANES; i++)
        any |= bundle->wanted[i];
    return any;
}

static void find_first(bool hidden[POV_RAY_LANES], pov_tally *sum, const pov_looker *who,
                       const pov_ray_bundle *bundle, const float weight_sr[POV_RAY_LANES])
{
    pov_id first[POV_RAY_LANES];
    pov_occlusion_first(who->occlusion, first, bundle);
    for (int i = 0; i < POV_RAY_LANES; i++) {
        hidden[i] = bundle->wanted[i] && first[i] != POV_ID_NONE;
        if (hidden[i])
            sum->hidden_by[first[i]] += weight_sr[i];
    }
}

static void add_lanes(lane_sums *sums, const bool wanted[POV_RAY_LANES], const bool hidden[POV_RAY_LANES],
                      const float weight_sr[POV_RAY_LANES])
{
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float weight = wanted[i] ? weight_sr[i] : 0, weight_hidden = hidden[i] ? weight : 0;
        sums->hidden[i] += weight_hidden;
        sums->visible[i] += weight - weight_hidden;
    }
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

static void look_along(pov_tally *sum, lane_sums *sums, pov_patch_rays *rays, const pov_looker *who,
                       const pov_look *how, const outlines *of)
{
    pov_ray_bundle bundle;
    bool hidden[POV_RAY_LANES] = {false};
    bundle.near = &of->near;
    bundle.ignored[0] = who->viewer;
    bundle.ignored[1] = who->target;
    memcpy(bundle.direction, rays->direction, sizeof bundle.direction);
    if (who->scene->entities[who->target].shape == POV_SHAPE_MESH)
        meet_mesh(rays, &bundle, who, how);
    bundle.eye_m = how->gaze.eye_m;
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float reach = rays->distance_m[i] * (1 - reach_margin) - reach_margin;
        bundle.reach_m[i] = reach > 0 ? reach : 0;
        bundle.wanted[i] = true;
    }
    if (!of->all_count)
        sort_rays(&bundle, sum, rays, who, how, of->field);
    if (of->near.len > 0 && any_wanted(&bundle)) {
        if (how->asks_who)
            find_first(hidden, sum, who, &bundle, rays->weight_sr);
        else
            pov_occlusion_any(who->occlusion, hidden, &bundle);
    }
    add_lanes(sums, bundle.wanted, hidden, rays->weight_sr);
}

/* Whether a body's surrounding sphere comes between the eye and the target's. */
static bool could_hide(const pov_entity *body, const pov_silhouette *target, pov_vec3 eye_m)
{
    const double target_m = pov_vec3_norm(target->centre_m);
    const pov_vec3 d = pov_vec3_sub(body->position.mean_m, eye_m);
    const double distance = pov_vec3_norm(d), radius = pov_vec3_norm(body->size_m) / 2 + surround_margin_m;
    if (body->shape == POV_SHAPE_MESH || distance <= radius)
        return true;
    if (distance - radius >= target_m + target->bound_m)
        return false;
    const double reach_rad = target->bound_rad + asin(radius / distance);
    return reach_rad >= POV_PI || pov_vec3_dot(d, target->centre_m) >= cos(reach_rad) * distance * target_m;
}

static pov_near_bodies near_bodies(const pov_looker *who, const pov_silhouette *target, pov_vec3 eye_m)
{
    pov_near_bodies near = {0};
    for (pov_id id = 0; id < who->scene->len && near.len <= POV_NEAR_MAX; id++) {
        const pov_entity *e = &who->scene->entities[id];
        if (id == who->viewer || id == who->target || !pov_entity_has_body(e) ||
            !could_hide(e, target, eye_m))
            continue;
        if (e->shape == POV_SHAPE_MESH)
            near.len = POV_NEAR_MAX;
        if (near.len < POV_NEAR_MAX)
            near.ids[near.len] = id;
        near.len++;
    }
    return near;
}

static outlines outlines_of(const pov_looker *who, const pov_look *how, const pov_silhouette *target)
{
    const pov_vec3 centre = in_gaze(&how->gaze, target->centre_m.x, target->centre_m.y, target->centre_m.z);
    const double distance = pov_vec3_norm(centre),
                 sine = target->bound_rad < POV_PI / 2 ? sin(target->bound_rad) : 2;
    outlines of = {.field = pov_field_overlap_of(&who->field, centre, target->bound_rad),
                   .near = near_bodies(who, target, how->gaze.eye_m),
                   .is_ahead = centre.x > sine * distance,
                   .is_behind = centre.x < -sine * distance};
    of.all_count = target->is_tight && of.field.all && distance - target->bound_m > who->field.near_m &&
                   distance + target->bound_m < who->field.far_m;
    return of;
}

/* The fate of all directions, where bounding cones tell it; else POV_FATE_COUNT. */
static int common_fate(const outlines *of)
{
    if (of->field.none)
        return of->is_ahead ? POV_FATE_OUT_AHEAD : of->is_behind ? POV_FATE_BEHIND : POV_FATE_COUNT;
    return of->all_count && of->near.len == 0 ? POV_FATE_VISIBLE : POV_FATE_COUNT;
}

static void follow_all(pov_tally *sum, const pov_looker *who, const pov_look *how, const outlines *of,
                       const pov_silhouette *silhouette)
{
    lane_sums sums = {{0}, {0}};
    for (int patch = 0; patch < silhouette->len; patch++) {
        const int bits = pov_silhouette_bits(silhouette, patch, how->rays);
        for (int tile = 0; tile < 1 << (bits - POV_NET_BITS_MIN); tile++) {
            pov_patch_rays rays;
            pov_silhouette_rays(&rays, silhouette, patch, bits, tile, how->net_shift);
            look_along(sum, &sums, &rays, who, how, of);
        }
    }
    for (int i = 0; i < POV_RAY_LANES; i++) {
        sum->by_fate[POV_FATE_VISIBLE] += sums.visible[i];
        sum->by_fate[POV_FATE_HIDDEN] += how->asks_who ? 0 : sums.hidden[i];
    }
    for (pov_id id = 0; id < who->scene->len; id++)
        sum->by_fate[POV_FATE_HIDDEN] += sum->hidden_by[id];
    for (int fate = 0; fate < POV_FATE_COUNT; fate++)
        sum->whole += sum->by_fate[fate];
}

pov_tally pov_look_at(const pov_looker *who, const pov_look *how)
{
    const pov_silhouette silhouette =
        pov_silhouette_of(&who->scene->entities[who->target], how->target_shift_m, how->gaze.eye_m);
    const outlines of = outlines_of(who, how, &silhouette);
    const int fate = common_fate(&of);
    pov_tally sum = {0};
    if (silhouette.is_tight && fate < POV_FATE_COUNT)
        sum.whole = sum.by_fate[fate] = silhouette.solid_angle_sr;
    else
        follow_all(&sum, who, how, &of, &silhouette);
    return sum;
}
