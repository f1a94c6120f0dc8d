#include "perception/visibility/occlusion.h"

#include "perception/visibility/ray_body.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

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
    RTCScene alone;       /* of a mesh only: to ask where a ray meets it */
    pov_shape shape;
    pov_mesh mesh;
    pov_ray_body met; /* of any other shape: relative to the origin */
} body;

struct pov_occlusion {
    RTCDevice device;
    RTCScene all;
    body bodies[POV_ENTITY_MAX];
    pov_vec3 origin_m;
    pov_scene scene;
};

/* What Embree hands on where a ray meets a body: its context first. */
typedef struct {
    struct RTCIntersectContext embree;
    pov_vec3 eye_m; /* relative to the origin */
    pov_id ignored[2];
} ray_context;

/* Embree wants denormals flushed to zero; only while it works. */
static unsigned flush_denormals(void)
{
#if defined(__SSE2__)
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    return before;
#else
    return 0;
#endif
}

static void restore_denormals(unsigned before)
{
#if defined(__SSE2__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

static pov_status embree_status(const pov_occlusion *occlusion, const char *what)
{
    enum RTCError error = rtcGetDeviceError(occlusion->device);
    if (error == RTC_ERROR_NONE)
        return pov_ok();
    return pov_error("occlusion: Embree cannot %s (error %d%s)", what, (int)error,
                     error == RTC_ERROR_OUT_OF_MEMORY ? ": out of memory; use smaller meshes" : "");
}

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

static void corner_to_embree(const pov_occlusion *occlusion, float embree[3], const pov_entity *entity,
                             pov_vec3 point_box_m)
{
    to_embree(occlusion, embree,
              pov_vec3_add(entity->position.mean_m, pov_rot_apply(entity->R_table_box, point_box_m)));
}

static void write_mesh(const pov_occlusion *occlusion, const body *b, const pov_entity *entity)
{
    float(*vertices)[3] = rtcGetGeometryBufferData(b->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    if (!vertices) /* Embree is out of memory; the caller asks it */
        return;
    for (int i = 0; i < entity->mesh->vertex_len; i++) {
        const float *v = entity->mesh->vertices_m[i];
        corner_to_embree(occlusion, vertices[i], entity, (pov_vec3){v[0], v[1], v[2]});
    }
    rtcUpdateGeometryBuffer(b->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
}

static void write_body(const pov_occlusion *occlusion, body *b, const pov_entity *entity)
{
    if (entity->shape == POV_SHAPE_MESH)
        write_mesh(occlusion, b, entity);
    else
        b->met = pov_ray_body_of(entity, pov_vec3_sub(entity->position.mean_m, occlusion->origin_m));
    rtcCommitGeometry(b->geometry);
}

static bool is_ignored(const struct RTCIntersectContext *embree, pov_id id)
{
    const ray_context *context = (const ray_context *)embree;
    return id == context->ignored[0] || id == context->ignored[1];
}

/* Called where a ray meets a primitive: all lanes meet the same one. */
static void pass_ignored(const struct RTCFilterFunctionNArguments *hit)
{
    const body *b = hit->geometryUserPtr;
    if (is_ignored(hit->context, b->id))
        for (unsigned i = 0; i < hit->N; i++)
            hit->valid[i] = 0;
}

static RTCGeometry new_triangles(RTCDevice device, int vertex_len, const uint32_t (*triangles)[3],
                                 int triangle_len)
{
    for (int i = 0; i < triangle_len; i++)
        POV_REQUIRE((int)triangles[i][0] < vertex_len && (int)triangles[i][1] < vertex_len &&
                    (int)triangles[i][2] < vertex_len);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                            (size_t)vertex_len);
    void *indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            sizeof *triangles, (size_t)triangle_len);
    if (indices)
        memcpy(indices, triangles, (size_t)triangle_len * sizeof *triangles);
    return geometry;
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

static void meet_body(float distance_m[POV_RAY_LANES], const body *b,
                      const struct RTCIntersectContext *embree, const float *rays, unsigned len)
{
    const ray_context *context = (const ray_context *)embree;
    pov_ray_body_meet(distance_m, &b->met, context->eye_m, rays + RAY_DIRECTION * len, (int)len,
                      on_surface_m);
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

static RTCGeometry new_geometry(RTCDevice device, const pov_entity *entity)
{
    if (entity->shape == POV_SHAPE_MESH)
        return new_triangles(device, entity->mesh->vertex_len, entity->mesh->triangles,
                             entity->mesh->triangle_len);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, 1);
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
    if (entity->shape == POV_SHAPE_MESH)
        b->mesh = *entity->mesh;
    b->geometry = new_geometry(occlusion->device, entity);
    rtcSetGeometryUserData(b->geometry, b);
    if (entity->shape == POV_SHAPE_MESH) {
        rtcSetGeometryIntersectFilterFunction(b->geometry, pass_ignored);
        rtcSetGeometryOccludedFilterFunction(b->geometry, pass_ignored);
    }
    rtcAttachGeometryByID(occlusion->all, b->geometry, (unsigned)id);
    if (entity->shape == POV_SHAPE_MESH) {
        b->alone = rtcNewScene(occlusion->device);
        rtcSetSceneFlags(b->alone, RTC_SCENE_FLAG_ROBUST);
        rtcAttachGeometryByID(b->alone, b->geometry, (unsigned)id);
    }
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
    if (b->alone)
        rtcCommitScene(b->alone);
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
    const unsigned denormals = flush_denormals();
    occlusion->scene = *scene;
    occlusion->origin_m = coarse_origin(scene);
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        update_body(occlusion, id);
    rtcCommitScene(occlusion->all);
    restore_denormals(denormals);
    return embree_status(occlusion, "build the scene");
}

pov_status pov_occlusion_new(pov_occlusion **occlusion)
{
    *occlusion = calloc(1, sizeof **occlusion);
    if (!*occlusion)
        return pov_error("occlusion: out of memory");
    pov_scene_clear(&(*occlusion)->scene);
    /* builds run in the calling thread */
    (*occlusion)->device = rtcNewDevice("threads=1,user_threads=1,start_threads=0,set_affinity=0");
    pov_status status = embree_status(*occlusion, "start");
    if ((*occlusion)->device && status.code == POV_OK) {
        (*occlusion)->all = rtcNewScene((*occlusion)->device);
        rtcSetSceneFlags((*occlusion)->all, RTC_SCENE_FLAG_ROBUST);
        rtcCommitScene((*occlusion)->all);
        status = embree_status(*occlusion, "make a scene");
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

const pov_scene *pov_occlusion_scene(const pov_occlusion *occlusion)
{
    return &occlusion->scene;
}

/* ---- rays ---- */

static ray_context context_of(const pov_occlusion *occlusion, const pov_ray_bundle *rays,
                              const pov_id ignored[2])
{
    ray_context context = {.eye_m = pov_vec3_sub(rays->eye_m, occlusion->origin_m),
                           .ignored = {ignored[0], ignored[1]}};
    rtcInitIntersectContext(&context.embree);
    context.embree.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    return context;
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

static void intersect(const pov_occlusion *occlusion, RTCScene scene, struct RTCRayHit16 *hits,
                      const pov_ray_bundle *rays, const pov_id ignored[2])
{
    int valid[POV_RAY_LANES] __attribute__((aligned(64)));
    ray_context context = context_of(occlusion, rays, ignored);
    write_rays(occlusion, &hits->ray, valid, rays);
    memset(hits->hit.geomID, 0xff, sizeof hits->hit.geomID);
    memset(hits->hit.instID, 0xff, sizeof hits->hit.instID);
    const unsigned denormals = flush_denormals();
    rtcIntersect16(valid, scene, &context.embree, hits);
    restore_denormals(denormals);
}

/* Meets the near bodies one by one. */
static void first_of_near(const pov_occlusion *occlusion, pov_id first[POV_RAY_LANES],
                          const pov_ray_bundle *rays)
{
    const pov_vec3 eye_m = pov_vec3_sub(rays->eye_m, occlusion->origin_m);
    float nearest_m[POV_RAY_LANES], distance_m[POV_RAY_LANES];
    for (int i = 0; i < POV_RAY_LANES; i++) {
        nearest_m[i] = rays->wanted[i] ? rays->reach_m[i] : 0;
        first[i] = POV_ID_NONE;
    }
    for (int k = 0; k < rays->near->len; k++) {
        const pov_id id = rays->near->ids[k];
        pov_ray_body_meet(distance_m, &occlusion->bodies[id].met, eye_m, rays->direction[0], POV_RAY_LANES,
                          on_surface_m);
        for (int i = 0; i < POV_RAY_LANES; i++) {
            first[i] = distance_m[i] < nearest_m[i] ? id : first[i];
            nearest_m[i] = distance_m[i] < nearest_m[i] ? distance_m[i] : nearest_m[i];
        }
    }
}

void pov_occlusion_first(const pov_occlusion *occlusion, pov_id first[POV_RAY_LANES],
                         const pov_ray_bundle *rays)
{
    struct RTCRayHit16 hits;
    if (rays->near->len <= POV_NEAR_MAX) {
        first_of_near(occlusion, first, rays);
        return;
    }
    intersect(occlusion, occlusion->all, &hits, rays, rays->ignored);
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
    const unsigned denormals = flush_denormals();
    rtcOccluded16(valid, occlusion->all, &context.embree, &embree);
    restore_denormals(denormals);
    for (int i = 0; i < POV_RAY_LANES; i++)
        hidden[i] = rays->wanted[i] && embree.tfar[i] < 0;
}

void pov_occlusion_any(const pov_occlusion *occlusion, bool hidden[POV_RAY_LANES], const pov_ray_bundle *rays)
{
    pov_id first[POV_RAY_LANES];
    if (rays->near->len > POV_NEAR_MAX) {
        any_by_embree(occlusion, hidden, rays);
        return;
    }
    first_of_near(occlusion, first, rays);
    for (int i = 0; i < POV_RAY_LANES; i++)
        hidden[i] = first[i] != POV_ID_NONE;
}

void pov_occlusion_mesh_distance(const pov_occlusion *occlusion, float distance_m[POV_RAY_LANES],
                                 const pov_ray_bundle *rays, pov_id mesh)
{
    static const pov_id nothing[2] = {POV_ID_NONE, POV_ID_NONE};
    struct RTCRayHit16 hits;
    POV_REQUIRE(occlusion->bodies[mesh].alone);
    intersect(occlusion, occlusion->bodies[mesh].alone, &hits, rays, nothing);
    for (int i = 0; i < POV_RAY_LANES; i++)
        distance_m[i] =
            rays->wanted[i] && hits.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID ? hits.ray.tfar[i] : INFINITY;
}
