#include "tests/bench/bench.h"

#include "perception/status.h"
#include "perception/visibility/embree_parts.h"
#include "perception/visibility/occlusion.h"
#include "perception/visibility/visibility.h"
#include "perception/visibility/visibility_look.h"
#include "perception/visibility/visibility_patch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Twenty bodies between an eye and a box, of which they hide about a third. Own: rays made, met and summed up. Peers: Embree
 * on the same rays, ready made, in whichever of its forms, with nothing else to do; boxes are triangles there. */
enum { BODIES = 20, RAYS_MAX = 8192, PACKET = 16 };

typedef struct {
    pov_scene scene;
    pov_occlusion *occlusion;
    RTCDevice device;
    RTCScene embree;
    int ray_len;
    double weights_sr[RAYS_MAX];
    struct RTCRay *rays, *scratch;
    struct RTCRay16 *packets, *packet_scratch;
    pov_occlusion *noisy; /* the same scene with errors */
    pov_visibility seen;
    pov_tally looked;
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
    const pov_silhouette silhouette =
        pov_silhouette_of(&work->scene.entities[1], NULL, (pov_vec3){0, 0, 0}, eye_m);
    for (int patch = 0; patch < silhouette.len; patch++) {
        const int bits = pov_silhouette_bits(&silhouette, patch, seeing.rays);
        for (int tile = 0; tile < 1 << (bits - POV_NET_BITS_MIN); tile++) {
            pov_patch_rays rays;
            pov_silhouette_rays(&rays, &silhouette, patch, bits, tile, (pov_vec2){0, 0});
            for (int i = 0; i < POV_RAY_LANES; i++) {
                POV_REQUIRE(work->ray_len < RAYS_MAX);
                work->weights_sr[work->ray_len] = rays.weight_sr[i];
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

static void make_packets(visibility_work *work)
{
    POV_REQUIRE(work->ray_len % PACKET == 0);
    for (int i = 0; i < work->ray_len; i++) {
        const struct RTCRay *ray = &work->rays[i];
        struct RTCRay16 *packet = &work->packets[i / PACKET];
        const int lane = i % PACKET;
        packet->org_x[lane] = ray->org_x;
        packet->org_y[lane] = ray->org_y;
        packet->org_z[lane] = ray->org_z;
        packet->dir_x[lane] = ray->dir_x;
        packet->dir_y[lane] = ray->dir_y;
        packet->dir_z[lane] = ray->dir_z;
        packet->tnear[lane] = ray->tnear;
        packet->tfar[lane] = ray->tfar;
        packet->mask[lane] = ray->mask;
    }
}

static pov_occlusion *occlusion_of(const pov_scene *scene)
{
    pov_occlusion *occlusion;
    pov_status status = pov_occlusion_new(&occlusion);
    POV_REQUIRE(status.code == POV_OK);
    status = pov_occlusion_update(occlusion, scene);
    POV_REQUIRE(status.code == POV_OK);
    return occlusion;
}

static void *prepare(void)
{
    visibility_work *work = &the_work;
    memset(work, 0, sizeof *work);
    fill_scene(&work->scene);
    work->occlusion = occlusion_of(&work->scene);
    for (int i = 0; i < work->scene.len; i++)
        for (int k = 0; k < 3; k++)
            work->scene.entities[i].position.own_cov_m2[k][k] = 0.02 * 0.02;
    work->noisy = occlusion_of(&work->scene);
    work->device = rtcNewDevice("threads=1,set_affinity=0");
    work->embree = rtcNewScene(work->device);
    rtcSetSceneFlags(work->embree, RTC_SCENE_FLAG_ROBUST);
    for (int i = 1; i < work->scene.len; i++)
        box_to_embree(work->device, work->embree, &work->scene.entities[i]);
    rtcCommitScene(work->embree);
    work->rays = aligned_alloc(64, RAYS_MAX * sizeof *work->rays);
    work->scratch = aligned_alloc(64, RAYS_MAX * sizeof *work->rays);
    work->packets = aligned_alloc(64, RAYS_MAX / PACKET * sizeof *work->packets);
    work->packet_scratch = aligned_alloc(64, RAYS_MAX / PACKET * sizeof *work->packets);
    POV_REQUIRE(work->rays && work->scratch && work->packets && work->packet_scratch);
    memset(work->packets, 0, RAYS_MAX / PACKET * sizeof *work->packets);
    make_rays(work);
    make_packets(work);
    return work;
}

static void run(void *data)
{
    visibility_work *work = data;
    (void)pov_visibility_evaluate(work->occlusion, &work->seen, 0, 1, &seeing);
}

static void run_look(void *data)
{
    visibility_work *work = data;
    const pov_scene *scene = pov_occlusion_scene(work->occlusion);
    const pov_looker who = {work->occlusion, scene, 0, 1, scene->entities[0].field};
    const pov_look how = {.gaze = pov_gaze_of(scene, 0, POV_PI), .rays = seeing.rays};
    work->looked = pov_look_at(&who, &how);
}

static void judge_all(visibility_work *work, const pov_occlusion *occlusion)
{
    for (pov_id target = 1; target < work->scene.len; target++)
        (void)pov_visibility_evaluate(occlusion, &work->seen, 0, target, &seeing);
}

static void run_noisy(void *data)
{
    visibility_work *work = data;
    judge_all(work, work->noisy);
}

static void run_exact(void *data)
{
    visibility_work *work = data;
    judge_all(work, work->occlusion);
}

#if RTC_VERSION_MAJOR >= 4
static void occluded1(RTCScene scene, pov_embree_context *context, struct RTCRay *ray)
{
    struct RTCOccludedArguments query;
    rtcInitOccludedArguments(&query);
    query.flags = RTC_RAY_QUERY_FLAG_COHERENT;
    query.context = context;
    rtcOccluded1(scene, ray, &query);
}
#else
#define occluded1 rtcOccluded1
#endif

/* Copying the rays, which Embree writes to, is part of each peer: 48 bytes a ray. */
static void run_occluded1(void *data)
{
    visibility_work *work = data;
    pov_embree_context context = pov_embree_context_new();
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    memcpy(work->scratch, work->rays, (size_t)work->ray_len * sizeof *work->rays);
    for (int i = 0; i < work->ray_len; i++)
        occluded1(work->embree, &context, &work->scratch[i]);
}

static void run_occluded16(void *data)
{
    static const int valid[PACKET]
        __attribute__((aligned(64))) = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    visibility_work *work = data;
    pov_embree_context context = pov_embree_context_new();
    const int len = work->ray_len / PACKET;
    memcpy(work->packet_scratch, work->packets, (size_t)len * sizeof *work->packets);
    for (int i = 0; i < len; i++)
        pov_embree_occluded16(valid, work->embree, &context, &work->packet_scratch[i], true);
}

#if RTC_VERSION_MAJOR >= 4 /* has no streams */
#define run_occluded1M NULL
#define run_occludedNM NULL
#else
static void run_occluded1M(void *data)
{
    visibility_work *work = data;
    pov_embree_context context = pov_embree_context_new();
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    memcpy(work->scratch, work->rays, (size_t)work->ray_len * sizeof *work->rays);
    rtcOccluded1M(work->embree, &context, work->scratch, (unsigned)work->ray_len, sizeof *work->scratch);
}

static void run_occludedNM(void *data)
{
    visibility_work *work = data;
    pov_embree_context context = pov_embree_context_new();
    const int len = work->ray_len / PACKET;
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    memcpy(work->packet_scratch, work->packets, (size_t)len * sizeof *work->packets);
    rtcOccludedNM(work->embree, &context, (struct RTCRayN *)work->packet_scratch, PACKET, (unsigned)len,
                  sizeof *work->packets);
}
#endif

static void release(void *data)
{
    visibility_work *work = data;
    rtcReleaseScene(work->embree);
    rtcReleaseDevice(work->device);
    free(work->rays);
    free(work->scratch);
    free(work->packets);
    free(work->packet_scratch);
    pov_occlusion_destroy(&work->occlusion);
    pov_occlusion_destroy(&work->noisy);
}

/* Both must have done the same work. */
static void finish(void *data)
{
    visibility_work *work = data;
    double hidden_sr = 0, whole_sr = 0;
    run_occluded1(work);
    for (int i = 0; i < work->ray_len; i++) {
        whole_sr += work->weights_sr[i];
        hidden_sr += work->scratch[i].tfar < 0 ? work->weights_sr[i] : 0;
    }
    const double own = work->looked.whole > 0
                           ? work->looked.by_outcome[POV_OUTCOME_HIDDEN] / work->looked.whole
                           : work->seen.fraction_hidden;
    printf("             %d rays; hidden: %.4f, by raw rays %.4f\n", work->ray_len, own,
           hidden_sr / whole_sr);
    release(work);
}

enum { RAYS_PER_LOOK = 2080 }; /* as finish prints */

#define LOOK_AGAINST(form, peer)                                                                             \
    {                                                                                                        \
        .name = "visibility_rays", .what = "rays made, met and summed up, of a box behind 20",               \
        .unit = "ray", .units_per_run = RAYS_PER_LOOK, .prepare = prepare, .run = run_look,                  \
        .peer_name = form " on the same rays", .run_peer = peer, .finish = finish                            \
    }

const pov_bench BENCH_VISIBILITY[POV_BENCH_VISIBILITIES] = {
    LOOK_AGAINST("rtcOccluded1", run_occluded1),
    LOOK_AGAINST("rtcOccluded1M", run_occluded1M),
    LOOK_AGAINST("rtcOccluded16", run_occluded16),
    LOOK_AGAINST("rtcOccludedNM", run_occludedNM),
    {
        .name = "visibility_look",
        .what = "fraction and occluders by name of a box behind 20",
        .unit = "look",
        .units_per_run = 1,
        .prepare = prepare,
        .run = run,
        .peer_name = "rtcOccluded16 on the same rays",
        .run_peer = run_occluded16,
        .finish = finish,
    },
    {
        .name = "visibility_noisy",
        .what = "P(sees) of 21 bodies near one another, all with errors of 2 cm",
        .unit = "pair",
        .units_per_run = 1 + BODIES,
        .prepare = prepare,
        .run = run_noisy,
        .peer_name = "the same without errors",
        .run_peer = run_exact,
        .finish = release,
    },
};
