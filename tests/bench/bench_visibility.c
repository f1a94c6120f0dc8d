#include "tests/bench/bench.h"

#include "perception/occlusion.h"
#include "perception/status.h"
#include "perception/visibility.h"
#include "perception/visibility_patch.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Twenty bodies between an eye and a box, of which they hide about half. Own: fraction and causes, ray making included.
 * Peers: Embree on the same rays, ready made, with nothing else to do. */
enum { BODIES = 20, RAYS_MAX = 8192 };

typedef struct {
    pov_scene scene;
    pov_occlusion *occlusion;
    RTCDevice device;
    RTCScene embree;
    int ray_len;
    struct RTCRay *rays, *scratch;
    pov_visibility seen;
} visibility_work;

static const pov_vec3 eye_m = {2.5, 0.3, 0.6};
static visibility_work the_work;
static const pov_seeing seeing = POV_SEEING_DEFAULT;

static double spread(int i, double step)
{
    return 2 * fmod(0.5 + i * step, 1) - 1;
}

static void add(pov_scene *scene, const pov_entity *entity)
{
    pov_id id;
    pov_status status = pov_scene_add(scene, &id, entity);
    POV_REQUIRE(status.code == POV_OK);
}

static void fill_scene(pov_scene *scene)
{
    pov_scene_clear(scene);
    pov_entity eye = pov_entity_named("eye", "camera"), target = pov_entity_named("target", "box");
    eye.placed = target.placed = eye.can_see = true;
    eye.position.mean_m = eye_m;
    eye.heading = pov_heading_single(POV_PI, 1e12);
    eye.field = (pov_field_of_view){
        .shape = POV_FIELD_CONE, .half_horizontal_rad = 1, .half_vertical_rad = 1, .far_m = INFINITY};
    target.position.mean_m = (pov_vec3){-1.5, 0, 0.2};
    target.size_m = (pov_vec3){0.3, 1, 0.5};
    add(scene, &eye);
    add(scene, &target);
    for (int i = 0; i < BODIES; i++) {
        char name[POV_NAME_CAPACITY];
        snprintf(name, sizeof name, "body %d", i);
        pov_entity body = pov_entity_named(name, "box");
        body.placed = true;
        body.position.mean_m = (pov_vec3){spread(i, 0.754877666), spread(i, 0.569840291), 0.1};
        body.R_table_box = pov_rot_yaw(i);
        body.size_m = (pov_vec3){0.15, 0.15, 0.3};
        add(scene, &body);
    }
}

static void box_to_embree(RTCDevice device, RTCScene scene, const pov_entity *entity)
{
    static const uint32_t triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                              {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                              {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float(*corners)[3] =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof *corners, 8);
    void *indices =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof *triangles, 12);
    memcpy(indices, triangles, sizeof triangles);
    for (int i = 0; i < 8; i++) {
        const pov_vec3 s = entity->size_m, half = {(i & 1 ? 0.5 : -0.5) * s.x, (i & 2 ? 0.5 : -0.5) * s.y,
                                                   (i & 4 ? 0.5 : -0.5) * s.z};
        const pov_vec3 p = pov_vec3_add(entity->position.mean_m, pov_rot_apply(entity->R_table_box, half));
        corners[i][0] = (float)p.x;
        corners[i][1] = (float)p.y;
        corners[i][2] = (float)p.z;
    }
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
}

static void make_rays(visibility_work *work)
{
    const pov_silhouette silhouette = pov_silhouette_of(&work->scene.entities[1], (pov_vec3){0, 0, 0}, eye_m);
    for (int patch = 0; patch < silhouette.len; patch++) {
        const int bits = pov_silhouette_bits(&silhouette, patch, seeing.rays);
        for (int tile = 0; tile < 1 << (bits - POV_NET_BITS_MIN); tile++) {
            pov_patch_rays rays;
            pov_silhouette_rays(&rays, &silhouette, patch, bits, tile, (pov_vec2){0, 0});
            for (int i = 0; i < POV_RAY_LANES; i++) {
                POV_REQUIRE(work->ray_len < RAYS_MAX);
                work->rays[work->ray_len++] = (struct RTCRay){.org_x = (float)eye_m.x,
                                                              .org_y = (float)eye_m.y,
                                                              .org_z = (float)eye_m.z,
                                                              .tnear = 1e-5F,
                                                              .dir_x = rays.direction[0][i],
                                                              .dir_y = rays.direction[1][i],
                                                              .dir_z = rays.direction[2][i],
                                                              .tfar = rays.distance_m[i] * 0.9999F,
                                                              .mask = UINT32_MAX};
            }
        }
    }
}

static void *prepare(void)
{
    visibility_work *work = &the_work;
    memset(work, 0, sizeof *work);
    fill_scene(&work->scene);
    pov_status status = pov_occlusion_new(&work->occlusion);
    POV_REQUIRE(status.code == POV_OK);
    status = pov_occlusion_update(work->occlusion, &work->scene);
    POV_REQUIRE(status.code == POV_OK);
    work->device = rtcNewDevice("threads=1,set_affinity=0");
    work->embree = rtcNewScene(work->device);
    rtcSetSceneFlags(work->embree, RTC_SCENE_FLAG_ROBUST);
    for (int i = 1; i < work->scene.len; i++)
        box_to_embree(work->device, work->embree, &work->scene.entities[i]);
    rtcCommitScene(work->embree);
    work->rays = aligned_alloc(64, RAYS_MAX * sizeof *work->rays);
    work->scratch = aligned_alloc(64, RAYS_MAX * sizeof *work->rays);
    POV_REQUIRE(work->rays && work->scratch);
    make_rays(work);
    return work;
}

static void run(void *data)
{
    visibility_work *work = data;
    (void)pov_visibility_evaluate(work->occlusion, &work->seen, 0, 1, &seeing);
}

static struct RTCIntersectContext coherent(void)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    return context;
}

/* Copying the rays, which Embree writes to, is part of each peer: 48 bytes a ray. */
static void run_occluded1(void *data)
{
    visibility_work *work = data;
    struct RTCIntersectContext context = coherent();
    memcpy(work->scratch, work->rays, (size_t)work->ray_len * sizeof *work->rays);
    for (int i = 0; i < work->ray_len; i++)
        rtcOccluded1(work->embree, &context, &work->scratch[i]);
}

static void run_occluded1M(void *data)
{
    visibility_work *work = data;
    struct RTCIntersectContext context = coherent();
    memcpy(work->scratch, work->rays, (size_t)work->ray_len * sizeof *work->rays);
    rtcOccluded1M(work->embree, &context, work->scratch, (unsigned)work->ray_len, sizeof *work->scratch);
}

static void finish(void *data)
{
    visibility_work *work = data;
    int hidden = 0;
    run_occluded1(work);
    for (int i = 0; i < work->ray_len; i++)
        hidden += work->scratch[i].tfar < 0;
    printf("             %d rays; hidden: %.4f, by raw rays %.4f\n", work->ray_len,
           work->seen.fraction_hidden, (double)hidden / work->ray_len);
    rtcReleaseScene(work->embree);
    rtcReleaseDevice(work->device);
    free(work->rays);
    free(work->scratch);
    pov_occlusion_destroy(&work->occlusion);
}

const pov_bench BENCH_VISIBILITY = {
    .name = "visibility",
    .what = "fraction and occluders of a box among 20, all rays included",
    .unit = "look",
    .units_per_run = 1,
    .prepare = prepare,
    .run = run,
    .peer_name = "rtcOccluded1 on the same rays",
    .run_peer = run_occluded1,
    .finish = finish,
};

const pov_bench BENCH_VISIBILITY_STREAM = {
    .name = "visibility_stream",
    .what = "the same, against Embree's stream of coherent rays",
    .unit = "look",
    .units_per_run = 1,
    .prepare = prepare,
    .run = run,
    .peer_name = "rtcOccluded1M on the same rays",
    .run_peer = run_occluded1M,
    .finish = finish,
};
