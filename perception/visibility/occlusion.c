#include "perception/visibility/occlusion.h"

#include "perception/visibility/embree_parts.h"
#include "perception/visibility/ray_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than what a far box is met larger by. */
static const double bounds_margin_m = 1e-3;
/* An eye this near to a surface is on it and looks past it. */
static const float on_surface_m = 1e-5F;
/* Embree computes in single precision: coordinates are taken relative to a point this coarse near the scene,
 * so that one more entity seldom changes how the others are rounded. */
static const double origin_step_m = 16;

typedef struct {
    pov_id id;
    RTCGeometry geometry; /* NULL: no body here */
    RTCScene alone;       /* of a mesh only: its triangles, in its own axes */
    pov_shape shape;
    pov_mesh mesh;
    pov_mesh_bounds bounds; /* of a mesh only */
    pov_ray_body met;       /* of any other shape: relative to the origin */
} body;

struct pov_occlusion {
    RTCDevice device;
    RTCScene all;
    body bodies[POV_ENTITY_MAX];
    pov_vec3 origin_m;
    pov_scene scene;
    pov_noise_points noise_points;
};

/* The context of a query, which Embree passes to the callbacks; begins with Embree's own. */
typedef struct {
    pov_embree_context embree;
    pov_vec3 eye_m; /* relative to the origin */
    const pov_inset *insets;
    pov_id ignored[POV_IGNORED_BODIES];
} ray_context;

static bool is_finite_position(const pov_entity *entity)
{
    const pov_vec3 p = entity->position.mean_m;
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

bool pov_entity_has_body(const pov_entity *entity)
{
    const pov_vec3 s = entity->size_m;
    if (!entity->placed || !is_finite_position(entity))
        return false;
    switch (entity->shape) {
    case POV_SHAPE_SPHERE:
        return s.x > 0;
    case POV_SHAPE_CAPSULE:
        return s.x > 0 && s.z > 0;
    case POV_SHAPE_MESH:
        return entity->mesh && entity->mesh->triangle_len > 0 && entity->mesh->vertex_len > 0;
    case POV_SHAPE_BOX:
    case POV_SHAPE_COUNT:
        break;
    }
    return s.x > 0 && s.y > 0 && s.z > 0;
}

/* ---- building ---- */

static void to_embree(const pov_occlusion *occlusion, float embree[3], pov_vec3 point_table_m)
{
    pov_vec3 p = pov_vec3_sub(point_table_m, occlusion->origin_m);
    embree[0] = (float)p.x;
    embree[1] = (float)p.y;
    embree[2] = (float)p.z;
}

/* The pose of a mesh: its triangles stay unchanged, in their own scene. */
static void place_mesh(const pov_occlusion *occlusion, const body *b, const pov_entity *entity)
{
    float columns[12];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            columns[3 * k + i] = (float)entity->R_table_box.m[i][k];
    to_embree(occlusion, columns + 9, entity->position.mean_m);
    rtcSetGeometryTransform(b->geometry, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, columns);
}

static void write_body(const pov_occlusion *occlusion, body *b, const pov_entity *entity)
{
    if (entity->shape == POV_SHAPE_MESH)
        place_mesh(occlusion, b, entity);
    else
        b->met = pov_ray_body_of(entity, pov_vec3_sub(entity->position.mean_m, occlusion->origin_m));
    rtcCommitGeometry(b->geometry);
}

static bool is_ignored(const pov_embree_context *embree, pov_id id)
{
    const ray_context *context = (const ray_context *)embree;
    return id == context->ignored[0] || id == context->ignored[1] || id == context->ignored[2];
}

/* Called where a ray meets a primitive: all lanes meet the same one. */
static void pass_ignored(const struct RTCFilterFunctionNArguments *hit)
{
    const body *b = hit->geometryUserPtr;
    if (is_ignored(hit->context, b->id))
        for (unsigned i = 0; i < hit->N; i++)
            hit->valid[i] = 0;
}

/* Other shapes are met by our own code, a primitive each: a box would be twelve triangles. */
static void bound_body(const struct RTCBoundsFunctionArguments *arguments)
{
    const body *b = arguments->geometryUserPtr;
    const pov_vec3 margin = {bounds_margin_m, bounds_margin_m, bounds_margin_m};
    const pov_vec3 reach = pov_vec3_add(pov_ray_body_reach(&b->met), margin);
    const pov_vec3 low = pov_vec3_sub(b->met.centre_m, reach), high = pov_vec3_add(b->met.centre_m, reach);
    struct RTCBounds *bounds = arguments->bounds_o;
    bounds->lower_x = (float)low.x;
    bounds->lower_y = (float)low.y;
    bounds->lower_z = (float)low.z;
    bounds->upper_x = (float)high.x;
    bounds->upper_y = (float)high.y;
    bounds->upper_z = (float)high.z;
}

/* Embree's rays lie as in RTCRay16, whatever their number. */
enum { RAY_DIRECTION = 4, RAY_REACH = 8, HIT_GEOMETRY = 18 };

static void find_hits(float *distance_m, const body *b, const pov_inset *insets, pov_vec3 eye_m,
                      const float *directions, int len)
{
    if (insets) {
        const pov_ray_body drawn = pov_ray_body_inset(&b->met, &insets[b->id]);
        pov_ray_body_meet(distance_m, &drawn, eye_m, directions, len, on_surface_m);
    } else {
        pov_ray_body_meet(distance_m, &b->met, eye_m, directions, len, on_surface_m);
    }
}

static void meet_body(float distance_m[POV_RAY_LANES], const body *b, const pov_embree_context *embree,
                      const float *rays, unsigned len)
{
    const ray_context *context = (const ray_context *)embree;
    find_hits(distance_m, b, context->insets, context->eye_m, rays + RAY_DIRECTION * len, (int)len);
}

static void body_hides(const struct RTCOccludedFunctionNArguments *arguments)
{
    const body *b = arguments->geometryUserPtr;
    float *rays = (float *)arguments->ray, *reach_m = rays + RAY_REACH * arguments->N;
    float distance_m[POV_RAY_LANES];
    if (is_ignored(arguments->context, b->id))
        return;
    meet_body(distance_m, b, arguments->context, rays, arguments->N);
    for (unsigned i = 0; i < arguments->N; i++)
        if (arguments->valid[i] && distance_m[i] < reach_m[i])
            reach_m[i] = -INFINITY;
}

static void body_is_met(const struct RTCIntersectFunctionNArguments *arguments)
{
    const body *b = arguments->geometryUserPtr;
    float *rays = (float *)arguments->rayhit, *reach_m = rays + RAY_REACH * arguments->N;
    unsigned *geometry = (unsigned *)(rays + HIT_GEOMETRY * arguments->N);
    float distance_m[POV_RAY_LANES];
    if (is_ignored(arguments->context, b->id))
        return;
    meet_body(distance_m, b, arguments->context, rays, arguments->N);
    for (unsigned i = 0; i < arguments->N; i++)
        if (arguments->valid[i] && distance_m[i] < reach_m[i]) {
            reach_m[i] = distance_m[i];
            geometry[i] = (unsigned)b->id;
        }
}

/* Both scenes' geometries go by the body's id. */
static RTCGeometry new_mesh(const pov_occlusion *occlusion, body *b)
{
    RTCGeometry triangles = pov_embree_triangles(occlusion->device, &b->mesh);
    rtcSetGeometryUserData(triangles, b);
    rtcSetGeometryIntersectFilterFunction(triangles, pass_ignored);
    rtcSetGeometryOccludedFilterFunction(triangles, pass_ignored);
    rtcCommitGeometry(triangles);
    b->alone = rtcNewScene(occlusion->device);
    rtcSetSceneFlags(b->alone, RTC_SCENE_FLAG_ROBUST);
    rtcAttachGeometryByID(b->alone, triangles, (unsigned)b->id);
    rtcReleaseGeometry(triangles);
    rtcCommitScene(b->alone);
    RTCGeometry instance = rtcNewGeometry(occlusion->device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(instance, b->alone);
    return instance;
}

static RTCGeometry new_geometry(RTCDevice device, body *b)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, 1);
    rtcSetGeometryUserData(geometry, b);
    rtcSetGeometryBoundsFunction(geometry, bound_body, NULL);
    rtcSetGeometryIntersectFunction(geometry, body_is_met);
    rtcSetGeometryOccludedFunction(geometry, body_hides);
    return geometry;
}

static void remove_body(pov_occlusion *occlusion, pov_id id)
{
    body *b = &occlusion->bodies[id];
    if (!b->geometry)
        return;
    rtcDetachGeometry(occlusion->all, (unsigned)id);
    rtcReleaseGeometry(b->geometry);
    if (b->alone)
        rtcReleaseScene(b->alone);
    *b = (body){0};
}

static void add_body(pov_occlusion *occlusion, pov_id id, const pov_entity *entity)
{
    body *b = &occlusion->bodies[id];
    b->id = id;
    b->shape = entity->shape;
    if (entity->shape == POV_SHAPE_MESH) {
        b->mesh = *entity->mesh;
        b->bounds = pov_mesh_bounds_of(entity->mesh);
    }
    b->geometry = b->shape == POV_SHAPE_MESH ? new_mesh(occlusion, b) : new_geometry(occlusion->device, b);
    rtcAttachGeometryByID(occlusion->all, b->geometry, (unsigned)id);
}

static bool is_same_kind(const body *b, const pov_entity *entity)
{
    if (!b->geometry || b->shape != entity->shape)
        return false;
    const pov_mesh *a = &b->mesh, *mesh = entity->mesh;
    return entity->shape != POV_SHAPE_MESH ||
           (a->vertex_len == mesh->vertex_len && a->triangle_len == mesh->triangle_len &&
            a->vertices_m == mesh->vertices_m && a->triangles == mesh->triangles);
}

static void update_body(pov_occlusion *occlusion, pov_id id)
{
    const pov_entity *entity = &occlusion->scene.entities[id];
    const bool wanted = id < occlusion->scene.len && pov_entity_has_body(entity);
    body *b = &occlusion->bodies[id];
    if (!wanted || !is_same_kind(b, entity))
        remove_body(occlusion, id);
    if (!wanted)
        return;
    if (!b->geometry)
        add_body(occlusion, id, entity);
    write_body(occlusion, b, entity);
}

/* The middle of the bodies, rounded. */
static pov_vec3 coarse_origin(const pov_scene *scene)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, origin[3];
    for (int i = 0; i < scene->len; i++) {
        const pov_vec3 p = scene->entities[i].position.mean_m;
        const double at[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3 && pov_entity_has_body(&scene->entities[i]); k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        origin[k] = low[k] <= high[k] ? origin_step_m * round((low[k] + high[k]) / 2 / origin_step_m) : 0;
    return (pov_vec3){origin[0], origin[1], origin[2]};
}

pov_status pov_occlusion_update(pov_occlusion *occlusion, const pov_scene *scene)
{
    const unsigned denormals = pov_embree_flush_denormals();
    occlusion->scene = *scene;
    occlusion->origin_m = coarse_origin(scene);
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        update_body(occlusion, id);
    rtcCommitScene(occlusion->all);
    pov_embree_restore_denormals(denormals);
    return pov_embree_check(occlusion->device, "occlusion", "build the scene");
}

pov_status pov_occlusion_new(pov_occlusion **occlusion)
{
    *occlusion = calloc(1, sizeof **occlusion);
    if (!*occlusion)
        return pov_error("occlusion: out of memory");
    pov_scene_clear(&(*occlusion)->scene);
    pov_noise_points_fill(&(*occlusion)->noise_points);
    /* builds run in the calling thread */
    (*occlusion)->device = rtcNewDevice("threads=1,user_threads=1,start_threads=0,set_affinity=0");
    pov_status status = pov_embree_check((*occlusion)->device, "occlusion", "start");
    if ((*occlusion)->device && status.code == POV_OK) {
        (*occlusion)->all = rtcNewScene((*occlusion)->device);
        rtcSetSceneFlags((*occlusion)->all, RTC_SCENE_FLAG_ROBUST);
        rtcCommitScene((*occlusion)->all);
        status = pov_embree_check((*occlusion)->device, "occlusion", "make a scene");
    }
    if (status.code != POV_OK)
        pov_occlusion_destroy(occlusion);
    return status;
}

void pov_occlusion_destroy(pov_occlusion **occlusion)
{
    if (!*occlusion)
        return;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        remove_body(*occlusion, id);
    if ((*occlusion)->all)
        rtcReleaseScene((*occlusion)->all);
    if ((*occlusion)->device)
        rtcReleaseDevice((*occlusion)->device);
    free(*occlusion);
    *occlusion = NULL;
}

const pov_noise_points *pov_occlusion_noise_points(const pov_occlusion *occlusion)
{
    return &occlusion->noise_points;
}

const pov_scene *pov_occlusion_scene(const pov_occlusion *occlusion)
{
    return &occlusion->scene;
}

/* ---- rays ---- */

static ray_context context_of(const pov_occlusion *occlusion, const pov_ray_bundle *rays,
                              const pov_id ignored[POV_IGNORED_BODIES])
{
    return (ray_context){.embree = pov_embree_context_new(),
                         .eye_m = pov_vec3_sub(rays->eye_m, occlusion->origin_m),
                         .insets = rays->insets,
                         .ignored = {ignored[0], ignored[1], ignored[2]}};
}

static void write_rays(const pov_occlusion *occlusion, struct RTCRay16 *embree, int valid[POV_RAY_LANES],
                       const pov_ray_bundle *rays)
{
    float eye[3];
    to_embree(occlusion, eye, rays->eye_m);
    for (int i = 0; i < POV_RAY_LANES; i++) {
        /* Embree as Debian builds it aborts at NaN */
        const float length =
            fabsf(rays->direction[0][i]) + fabsf(rays->direction[1][i]) + fabsf(rays->direction[2][i]);
        valid[i] = rays->wanted[i] && length < 2 && rays->reach_m[i] >= 0 ? -1 : 0;
        embree->org_x[i] = eye[0];
        embree->org_y[i] = eye[1];
        embree->org_z[i] = eye[2];
        embree->tnear[i] = on_surface_m;
        embree->time[i] = 0;
        embree->mask[i] = UINT32_MAX;
        embree->id[i] = 0;
        embree->flags[i] = 0;
    }
    memcpy(embree->dir_x, rays->direction[0], sizeof embree->dir_x);
    memcpy(embree->dir_y, rays->direction[1], sizeof embree->dir_y);
    memcpy(embree->dir_z, rays->direction[2], sizeof embree->dir_z);
    memcpy(embree->tfar, rays->reach_m, sizeof embree->tfar);
}

static void intersect_rays(const pov_occlusion *occlusion, RTCScene scene, struct RTCRayHit16 *hits,
                           const pov_ray_bundle *rays, const pov_id ignored[POV_IGNORED_BODIES])
{
    int valid[POV_RAY_LANES] __attribute__((aligned(64)));
    ray_context context = context_of(occlusion, rays, ignored);
    write_rays(occlusion, &hits->ray, valid, rays);
    memset(hits->hit.geomID, 0xff, sizeof hits->hit.geomID);
    memset(hits->hit.instID, 0xff, sizeof hits->hit.instID);
    const unsigned denormals = pov_embree_flush_denormals();
    pov_embree_intersect16(valid, scene, &context.embree, hits, false);
    pov_embree_restore_denormals(denormals);
}

/* The distances to a body where this world has it. */
static void find_shifted_hits(const pov_occlusion *occlusion, float distance_m[POV_RAY_LANES],
                              const pov_ray_bundle *rays, pov_id id)
{
    const pov_vec3 eye_m = rays->shifts_m ? pov_vec3_sub(rays->eye_m, rays->shifts_m[id]) : rays->eye_m;
    const body *b = &occlusion->bodies[id];
    if (b->shape != POV_SHAPE_MESH) {
        const pov_vec3 relative_m = pov_vec3_sub(eye_m, occlusion->origin_m);
        find_hits(distance_m, b, rays->insets, relative_m, rays->direction[0], POV_RAY_LANES);
        return;
    }
    pov_ray_bundle moved = *rays;
    moved.eye_m = eye_m;
    pov_occlusion_mesh_distance(occlusion, distance_m, &moved, id);
}

/* Meets the near bodies one by one. */
static void first_of_near(const pov_occlusion *occlusion, pov_id first[POV_RAY_LANES],
                          const pov_ray_bundle *rays)
{
    float nearest_m[POV_RAY_LANES], distance_m[POV_RAY_LANES];
    for (int i = 0; i < POV_RAY_LANES; i++) {
        nearest_m[i] = rays->wanted[i] ? rays->reach_m[i] : 0;
        first[i] = POV_ID_NONE;
    }
    for (int k = 0; k < rays->near->len; k++) {
        const pov_id id = rays->near->ids[k];
        find_shifted_hits(occlusion, distance_m, rays, id);
        for (int i = 0; i < POV_RAY_LANES; i++) {
            first[i] = distance_m[i] < nearest_m[i] ? id : first[i];
            nearest_m[i] = distance_m[i] < nearest_m[i] ? distance_m[i] : nearest_m[i];
        }
    }
}

/* Embree's structure has the bodies where the scene has them. */
static bool is_for_embree(const pov_ray_bundle *rays)
{
    return !rays->shifts_m && rays->near->len > POV_NEAR_MAX;
}

void pov_occlusion_first(const pov_occlusion *occlusion, pov_id first[POV_RAY_LANES],
                         const pov_ray_bundle *rays)
{
    struct RTCRayHit16 hits;
    if (!is_for_embree(rays)) {
        first_of_near(occlusion, first, rays);
        return;
    }
    intersect_rays(occlusion, occlusion->all, &hits, rays, rays->ignored);
    for (int i = 0; i < POV_RAY_LANES; i++)
        first[i] = hits.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID ? POV_ID_NONE : (pov_id)hits.hit.geomID[i];
}

static void any_by_embree(const pov_occlusion *occlusion, bool hidden[POV_RAY_LANES],
                          const pov_ray_bundle *rays)
{
    int valid[POV_RAY_LANES] __attribute__((aligned(64)));
    struct RTCRay16 embree;
    ray_context context = context_of(occlusion, rays, rays->ignored);
    write_rays(occlusion, &embree, valid, rays);
    const unsigned denormals = pov_embree_flush_denormals();
    pov_embree_occluded16(valid, occlusion->all, &context.embree, &embree, false);
    pov_embree_restore_denormals(denormals);
    for (int i = 0; i < POV_RAY_LANES; i++)
        hidden[i] = rays->wanted[i] && embree.tfar[i] < 0;
}

void pov_occlusion_any(const pov_occlusion *occlusion, bool hidden[POV_RAY_LANES], const pov_ray_bundle *rays)
{
    pov_id first[POV_RAY_LANES];
    if (is_for_embree(rays)) {
        any_by_embree(occlusion, hidden, rays);
        return;
    }
    first_of_near(occlusion, first, rays);
    for (int i = 0; i < POV_RAY_LANES; i++)
        hidden[i] = first[i] != POV_ID_NONE;
}

const pov_mesh_bounds *pov_occlusion_mesh_bounds(const pov_occlusion *occlusion, pov_id mesh)
{
    POV_REQUIRE(occlusion->bodies[mesh].alone);
    return &occlusion->bodies[mesh].bounds;
}

/* The same rays in the mesh's own axes, from the origin that Embree's coordinates have. */
static pov_ray_bundle in_own_axes(const pov_occlusion *occlusion, const pov_ray_bundle *rays, pov_id mesh)
{
    const pov_entity *entity = &occlusion->scene.entities[mesh];
    const pov_rot R = pov_rot_transpose(entity->R_table_box);
    pov_ray_bundle own = *rays;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < POV_RAY_LANES; i++)
            own.direction[k][i] = (float)R.m[k][0] * rays->direction[0][i] +
                                  (float)R.m[k][1] * rays->direction[1][i] +
                                  (float)R.m[k][2] * rays->direction[2][i];
    const pov_vec3 eye_m = pov_rot_apply(R, pov_vec3_sub(rays->eye_m, entity->position.mean_m));
    own.eye_m = pov_vec3_add(eye_m, occlusion->origin_m);
    return own;
}

void pov_occlusion_mesh_distance(const pov_occlusion *occlusion, float distance_m[POV_RAY_LANES],
                                 const pov_ray_bundle *rays, pov_id mesh)
{
    static const pov_id nothing[POV_IGNORED_BODIES] = {POV_ID_NONE, POV_ID_NONE, POV_ID_NONE};
    struct RTCRayHit16 hits;
    POV_REQUIRE(occlusion->bodies[mesh].alone);
    const pov_ray_bundle own = in_own_axes(occlusion, rays, mesh);
    intersect_rays(occlusion, occlusion->bodies[mesh].alone, &hits, &own, nothing);
    for (int i = 0; i < POV_RAY_LANES; i++)
        distance_m[i] =
            rays->wanted[i] && hits.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID ? hits.ray.tfar[i] : INFINITY;
}
