/** A rendered image of 20,000 triangles with soft shadows, by two threads, against Embree alone on the very same packets of
 *  rays, by two threads: the share is what is left of Embree's throughput. */
#include "perception/visibility/embree_parts.h"
#include "sim/render/renderer.h"
#include "tests/bench/bench.h"
#include "tests/support/shapes.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_PX = 640, HEIGHT_PX = 480, THREADS = 2, BODIES = 10, PACKETS_MAX = 1 << 18, LANES = 16 };

/* The linker hands the renderer's calls to these (see CMakeLists.txt), so that its rays can be kept. */
void __real_pov_embree_intersect16(const int *valid, RTCScene scene, pov_embree_context *context,
                                   struct RTCRayHit16 *rays, bool coherent);
void __real_pov_embree_occluded16(const int *valid, RTCScene scene, pov_embree_context *context,
                                  struct RTCRay16 *rays, bool coherent);
void __wrap_pov_embree_intersect16(const int *valid, RTCScene scene, pov_embree_context *context,
                                   struct RTCRayHit16 *rays, bool coherent);
void __wrap_pov_embree_occluded16(const int *valid, RTCScene scene, pov_embree_context *context,
                                  struct RTCRay16 *rays, bool coherent);

typedef struct {
    int valid[LANES] __attribute__((aligned(64)));
    struct RTCRay16 rays;
    bool is_shadow;
} kept_packet;

typedef struct {
    pov_renderer *renderer;
    pov_rendering rendering;
    pov_model *ball, *ground;
    RTCScene scene;
    bool is_keeping;
    int packet_len;
    kept_packet *packets;
} renderer_work;

static renderer_work the_work;

static void keep(const int *valid, RTCScene scene, const struct RTCRay16 *rays, bool is_shadow)
{
    if (!the_work.is_keeping)
        return;
    POV_REQUIRE(the_work.packet_len < PACKETS_MAX);
    kept_packet *packet = &the_work.packets[the_work.packet_len++];
    memcpy(packet->valid, valid, sizeof packet->valid);
    packet->rays = *rays;
    packet->is_shadow = is_shadow;
    the_work.scene = scene;
}

void __wrap_pov_embree_intersect16(const int *valid, RTCScene scene, pov_embree_context *context,
                                   struct RTCRayHit16 *rays, bool coherent)
{
    keep(valid, scene, &rays->ray, false);
    __real_pov_embree_intersect16(valid, scene, context, rays, coherent);
}

void __wrap_pov_embree_occluded16(const int *valid, RTCScene scene, pov_embree_context *context,
                                  struct RTCRay16 *rays, bool coherent)
{
    keep(valid, scene, rays, true);
    __real_pov_embree_occluded16(valid, scene, context, rays, coherent);
}

static void must(pov_status status)
{
    if (status.code != POV_OK)
        fprintf(stderr, "%s\n", status.message);
    POV_REQUIRE(status.code == POV_OK);
}

static void count_rays(void)
{
    int seen = 0, shadows = 0;
    for (int i = 0; i < the_work.packet_len; i++)
        for (int lane = 0; lane < LANES; lane++)
            *(the_work.packets[i].is_shadow ? &shadows : &seen) += the_work.packets[i].valid[lane] != 0;
    printf("             %d rays from the camera, %d to the lamp\n", seen, shadows);
}

/** Ten balls of 2,000 triangles in a ring on the ground. */
static void *prepare(void)
{
    const pov_camera camera = {
        POV_LENS_BROWN_CONRADY, WIDTH_PX, HEIGHT_PX, 600, 600, 319.5, 239.5, {-0.1, 0.02}};
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    renderer_work *work = &the_work;
    pov_instance instances[BODIES + 1];
    work->ball = test_sphere_new(0.15, 40, 26, 0xd03020);
    work->ground = test_square_new(8, 0xb0a8a0);
    for (int i = 0; i < BODIES; i++)
        instances[i] = (pov_instance){
            work->ball, {pov_rot_identity(), {0.9 * cos(0.63 * i), 0.9 * sin(0.63 * i), 0.15}}, i};
    instances[BODIES] = (pov_instance){work->ground, pov_transform_identity(), BODIES};
    must(pov_renderer_new(&work->renderer));
    must(pov_renderer_set(work->renderer, instances, BODIES + 1, &lighting));
    must(pov_renderer_look(
        work->renderer, &camera,
        pov_transform_look_at((pov_vec3){2, 0.5, 1.2}, (pov_vec3){0, 0, 0.1}, (pov_vec3){0, 0, 1})));
    work->rendering.light = malloc(sizeof *work->rendering.light * WIDTH_PX * HEIGHT_PX);
    work->packets = aligned_alloc(64, sizeof *work->packets * PACKETS_MAX);
    POV_REQUIRE(work->rendering.light && work->packets);
    work->is_keeping = true;
    pov_renderer_draw(work->renderer, &work->rendering, 0, HEIGHT_PX);
    work->is_keeping = false;
    count_rays();
    return work;
}

/** Bands of rows, or runs of packets, are taken by whichever thread is free. */
enum { BANDS = (HEIGHT_PX + POV_RENDERER_BAND_PX - 1) / POV_RENDERER_BAND_PX };
static_assert(HEIGHT_PX % POV_RENDERER_BAND_PX == 0, "the last band is whole");
static atomic_int next_band;

static void share_out(void *(*bands)(void *))
{
    pthread_t threads[THREADS];
    next_band = 0;
    for (int i = 0; i < THREADS; i++)
        POV_REQUIRE(pthread_create(&threads[i], NULL, bands, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        POV_REQUIRE(pthread_join(threads[i], NULL) == 0);
}

static void *draw_bands(void *unused)
{
    for (int i = next_band++; i < BANDS; i = next_band++)
        pov_renderer_draw(the_work.renderer, &the_work.rendering, i * POV_RENDERER_BAND_PX,
                          (i + 1) * POV_RENDERER_BAND_PX);
    return unused;
}

static void run(void *work)
{
    (void)work;
    share_out(draw_bands);
}

static void trace(const kept_packet *packet)
{
    pov_embree_context context = pov_embree_context_new();
    struct RTCRayHit16 rays;
    rays.ray = packet->rays;
    memset(rays.hit.geomID, 0xff, sizeof rays.hit.geomID);
    if (packet->is_shadow)
        __real_pov_embree_occluded16(packet->valid, the_work.scene, &context, &rays.ray, true);
    else
        __real_pov_embree_intersect16(packet->valid, the_work.scene, &context, &rays, true);
}

/** Of 1, 16 and Embree 3's streams of rays, 16 that are said to be coherent are the fastest here. */
static void *trace_bands(void *unused)
{
    for (int band = next_band++; band < BANDS; band = next_band++)
        for (int i = band * the_work.packet_len / BANDS; i < (band + 1) * the_work.packet_len / BANDS; i++)
            trace(&the_work.packets[i]);
    return unused;
}

static void run_peer(void *work)
{
    (void)work;
    share_out(trace_bands);
}

static void finish(void *data)
{
    renderer_work *work = data;
    pov_renderer_destroy(&work->renderer);
    pov_model_destroy(&work->ball);
    pov_model_destroy(&work->ground);
    free(work->rendering.light);
    free(work->packets);
    memset(work, 0, sizeof *work);
}

const pov_bench BENCH_RENDERER = {
    .name = "renderer",
    .what = "640x480, 20,000 triangles, soft shadows, two threads; Embree alone on the same rays",
    .unit = "image",
    .units_per_run = 1,
    .prepare = prepare,
    .run = run,
    .peer_name = "Embree's rays",
    .run_peer = run_peer,
    .finish = finish,
    .as_rate = true,
};
