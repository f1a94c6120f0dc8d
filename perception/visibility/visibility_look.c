#include "perception/visibility/visibility_look.h"

#include "perception/visibility/visibility_patch.h"

#include <math.h>
#include <string.h>

/* m; a ray ends this short of the target: a body that touches the target from beside does not hide it; chosen. */
static const float reach_margin = 1e-5F; /* of the distance, and metres */

static const double surround_margin_m = 1e-4; /* covers rounding */
static const float overlap_margin = 1e-5F;    /* so does this, of cosines */
static const float everywhere = -1e6F;        /* cosine of the cone about an eye inside */
static const float wide_cosine = 0.01F;       /* of a cone not worth testing */

/* ---- which bodies could hide the target ---- */

static const pov_mesh_bounds *mesh_bounds(const pov_looker *who, pov_id id)
{
    return who->scene->entities[id].shape == POV_SHAPE_MESH ? pov_occlusion_mesh_bounds(who->occlusion, id)
                                                            : NULL;
}

double pov_body_reach_m(const pov_looker *who, pov_id id)
{
    const pov_mesh_bounds *mesh = mesh_bounds(who, id); /* a mesh's size need not bound it */
    return mesh ? mesh->reach_m : pov_vec3_norm(who->scene->entities[id].size_m) / 2;
}

/* Those whose surrounding spheres come between the eye and the target's, as cones about the eye. */
typedef struct {
    int len;
    pov_id ids[POV_ENTITY_MAX];
    bool is_mesh[POV_ENTITY_MAX];
    float direction[3][POV_ENTITY_MAX]; /* unit vectors */
    float cosine[POV_ENTITY_MAX], sine[POV_ENTITY_MAX];
} candidates;

/* True if a cone about the eye, or one around it, overlaps the target's. */
static bool could_hide(pov_vec3 direction, double sine, const pov_silhouette *target)
{
    if (sine >= 1 || target->bound_rad >= POV_PI / 2)
        return true;
    const double target_sine = sin(target->bound_rad), target_cosine = cos(target->bound_rad);
    const double reach_cosine = target_cosine * sqrt(1 - sine * sine) - target_sine * sine;
    return pov_vec3_dot(direction, target->centre_m) >= reach_cosine * pov_vec3_norm(target->centre_m);
}

static void add_candidate(candidates *all, pov_id id, bool is_mesh, pov_vec3 direction, double sine)
{
    const int at = all->len++;
    all->ids[at] = id;
    all->is_mesh[at] = is_mesh;
    all->direction[0][at] = (float)direction.x;
    all->direction[1][at] = (float)direction.y;
    all->direction[2][at] = (float)direction.z;
    all->sine[at] = sine < 1 ? (float)sine : 0;
    all->cosine[at] = sine < 1 ? (float)sqrt(1 - sine * sine) : everywhere;
}

static void find_candidates(candidates *all, const pov_looker *who, const pov_look *how,
                            const pov_silhouette *target)
{
    const double beyond_m = pov_vec3_norm(target->centre_m) + target->bound_m;
    all->len = 0;
    for (pov_id id = 0; id < who->scene->len; id++) {
        const pov_entity *e = &who->scene->entities[id];
        if (pov_looker_ignores(who, id) || !pov_entity_has_body(e))
            continue;
        pov_vec3 d = pov_vec3_sub(e->position.mean_m, how->gaze.eye_m);
        if (how->shifts_m)
            d = pov_vec3_add(d, how->shifts_m[id]);
        const double distance = pov_vec3_norm(d);
        const double radius = pov_body_reach_m(who, id) + surround_margin_m;
        const bool has_eye = distance <= radius; /* then it may lie in any direction; distance may be 0 */
        const double sine = has_eye ? 1 : radius / distance;
        const pov_vec3 direction = has_eye ? (pov_vec3){1, 0, 0} : pov_vec3_scale(d, 1 / distance);
        if (distance - radius < beyond_m && could_hide(direction, sine, target))
            add_candidate(all, id, e->shape == POV_SHAPE_MESH, direction, sine);
    }
}

static float least(float values[POV_RAY_LANES])
{
    for (int half = POV_RAY_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            values[i] = values[i] < values[i + half] ? values[i] : values[i + half];
    return values[0];
}

/* The cone about a tile's rays. */
typedef struct {
    float x, y, z, cosine, sine;
} tile_cone;

static tile_cone cone_of(const float direction[3][POV_RAY_LANES])
{
    const float *x = direction[0], *y = direction[1], *z = direction[2];
    const float a = x[0] + x[5] + x[10] + x[15], b = y[0] + y[5] + y[10] + y[15];
    const float c = z[0] + z[5] + z[10] + z[15], per_m = 1 / sqrtf(a * a + b * b + c * c + 1e-20F);
    tile_cone cone = {.x = a * per_m, .y = b * per_m, .z = c * per_m};
    float cosines[POV_RAY_LANES];
    for (int i = 0; i < POV_RAY_LANES; i++)
        cosines[i] = cone.x * x[i] + cone.y * y[i] + cone.z * z[i];
    cone.cosine = least(cosines);
    cone.sine = sqrtf(fmaxf(0, 1 - cone.cosine * cone.cosine));
    return cone;
}

/* cos(a + b) of the two half-angles against the angle between. */
static void find_near(pov_near_bodies *near, const candidates *all, const pov_patch_rays *rays,
                      bool is_shifted)
{
    float overlap[POV_ENTITY_MAX];
    bool any_mesh = false;
    const tile_cone cone = cone_of(rays->direction);
    const bool is_wide = !(cone.cosine > wide_cosine);
    const int enough = is_shifted ? POV_ENTITY_MAX : POV_NEAR_MAX;
    for (int i = 0; i < all->len; i++)
        overlap[i] = cone.x * all->direction[0][i] + cone.y * all->direction[1][i] +
                     cone.z * all->direction[2][i] + cone.sine * all->sine[i] - cone.cosine * all->cosine[i];
    near->len = 0;
    for (int i = 0; i < all->len && near->len <= enough; i++)
        if (is_wide || overlap[i] > -overlap_margin) {
            near->ids[near->len++] = all->ids[i];
            any_mesh |= all->is_mesh[i];
        }
    if (!is_shifted && (is_wide || any_mesh))
        near->len = POV_NEAR_MAX + 1;
}

/* ---- rays ---- */

/* Results of bounding cones, for all rays at once. */
typedef struct {
    pov_field_overlap field;
    candidates others;
    bool is_ahead, is_behind; /* all of it */
    bool all_in_view;         /* and in range */
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

/* Rays that meet the target outside the field or out of range are tallied, and not followed further. */
static void sort_rays(pov_ray_bundle *bundle, pov_tally *sum, const pov_patch_rays *rays,
                      const pov_looker *who, const pov_look *how, pov_field_overlap overlap)
{
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float distance = rays->distance_m[i];
        pov_outcome outcome = distance < who->field.near_m  ? POV_OUTCOME_TOO_NEAR
                              : distance > who->field.far_m ? POV_OUTCOME_TOO_FAR
                                                            : POV_OUTCOME_VISIBLE;
        if (!overlap.all) {
            const pov_vec3 d =
                in_gaze(&how->gaze, rays->direction[0][i], rays->direction[1][i], rays->direction[2][i]);
            if (overlap.none || !pov_field_contains(&who->field, d))
                outcome = d.x < 0 ? POV_OUTCOME_BEHIND : POV_OUTCOME_OUT_AHEAD;
        }
        bundle->wanted[i] = distance < INFINITY && outcome == POV_OUTCOME_VISIBLE;
        if (distance < INFINITY && outcome != POV_OUTCOME_VISIBLE)
            sum->by_outcome[outcome] += rays->weight_sr[i];
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
    pov_near_bodies near;
    find_near(&near, &of->others, rays, how->shifts_m != NULL);
    bundle.near = &near;
    bundle.shifts_m = how->shifts_m;
    bundle.insets = how->insets;
    bundle.ignored[0] = who->viewer;
    bundle.ignored[1] = who->target;
    bundle.ignored[2] = pov_looker_stands_at(who);
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
    if (near.len > 0 && any_wanted(&bundle)) {
        if (how->asks_who)
            find_first(hidden, sum, who, &bundle, rays->weight_sr);
        else
            pov_occlusion_any(who->occlusion, hidden, &bundle);
    }
    add_lanes(sums, bundle.wanted, hidden, rays->weight_sr);
}

static outlines outlines_of(const pov_looker *who, const pov_look *how, const pov_silhouette *target)
{
    const pov_vec3 centre = in_gaze(&how->gaze, target->centre_m.x, target->centre_m.y, target->centre_m.z);
    const double distance = pov_vec3_norm(centre),
                 sine = target->bound_rad < POV_PI / 2 ? sin(target->bound_rad) : 2;
    outlines of = {.field = pov_field_overlap_of(&who->field, centre, target->bound_rad),
                   .is_ahead = centre.x > sine * distance,
                   .is_behind = centre.x < -sine * distance};
    find_candidates(&of.others, who, how, target);
    of.all_in_view = of.field.all && distance - target->bound_m > who->field.near_m &&
                     distance + target->bound_m < who->field.far_m;
    of.all_count = target->is_tight && of.all_in_view;
    return of;
}

/* The outcome of all directions, where bounding cones tell it; else POV_OUTCOME_COUNT. */
static int common_outcome(const outlines *of)
{
    if (of->field.none)
        return of->is_ahead ? POV_OUTCOME_OUT_AHEAD : of->is_behind ? POV_OUTCOME_BEHIND : POV_OUTCOME_COUNT;
    return of->all_in_view && of->others.len == 0 ? POV_OUTCOME_VISIBLE : POV_OUTCOME_COUNT;
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
        sum->by_outcome[POV_OUTCOME_VISIBLE] += sums.visible[i];
        sum->by_outcome[POV_OUTCOME_HIDDEN] += how->asks_who ? 0 : sums.hidden[i];
    }
    for (pov_id id = 0; id < who->scene->len; id++)
        sum->by_outcome[POV_OUTCOME_HIDDEN] += sum->hidden_by[id];
    for (int outcome = 0; outcome < POV_OUTCOME_COUNT; outcome++)
        sum->whole += sum->by_outcome[outcome];
}

static pov_silhouette silhouette_of(const pov_looker *who, const pov_look *how)
{
    const pov_entity *target = &who->scene->entities[who->target];
    if (!how->insets || !pov_body_is_doubtful(target))
        return pov_silhouette_of(target, mesh_bounds(who, who->target), how->target_shift_m, how->gaze.eye_m);
    pov_entity body = *target;
    pov_inset_box(&body.size_m, &body.position.mean_m, target, &how->insets[who->target]);
    return pov_silhouette_of(&body, NULL, how->target_shift_m, how->gaze.eye_m);
}

pov_tally pov_look_at(const pov_looker *who, const pov_look *how)
{
    const pov_silhouette silhouette = silhouette_of(who, how);
    const outlines of = outlines_of(who, how, &silhouette);
    const int outcome = common_outcome(&of);
    pov_tally sum = {0};
    const double filled = silhouette.is_tight ? 1 : how->filled;
    if (filled > 0 && outcome < POV_OUTCOME_COUNT)
        sum.whole = sum.by_outcome[outcome] = filled * silhouette.solid_angle_sr;
    else
        follow_all(&sum, who, how, &of, &silhouette);
    sum.filled = sum.whole / silhouette.solid_angle_sr;
    return sum;
}
