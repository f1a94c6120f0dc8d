#include "firmware/sources/simulator_source.h"

#include "firmware/clock.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pov_simulator *simulator;
    int image_len;
    double rate_hz;
    bool loop, started;
    int next;
    pov_shared_start *start; /* of several cameras; NULL: its own */
    int64_t start_ns, start_monotonic_ns;
    pov_image_source_statistics statistics;
} simulated_camera;

static const char *const body_names[] = {
    [POV_SIMULATOR_OWN_BODIES] = "own", [POV_SIMULATOR_PACKAGE_BODIES] = "package"};

void pov_simulator_source_read(pov_simulator_source_config *config, pov_yaml_node node)
{
    double size[2] = {0, 0}, seed = 0, around_deg = 0;
    const char *world = NULL;
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_node world_node =
        pov_yaml_need(node, "world", "a name that 'pov sim --list' lists, or a world file");
    pov_yaml_node seed_node = pov_yaml_get(node, "seed");
    pov_yaml_string(&world, world_node);
    const size_t length = world ? strlen(world) : 0;
    if (length > 5 && strcmp(world + length - 5, ".yaml") == 0)
        pov_yaml_relative_path(config->world, sizeof config->world, world_node);
    else
        pov_yaml_copy_string(config->world, sizeof config->world, world_node);
    pov_yaml_copy_string(config->variant, sizeof config->variant, pov_yaml_get(node, "variant"));
    pov_yaml_copy_string(config->sensor, sizeof config->sensor, pov_yaml_get(node, "sensor"));
    pov_yaml_number(&seed, seed_node, 0, 9e15);
    pov_yaml_numbers(size, pov_yaml_get(node, "size_px"), 2, 16, 4096);
    pov_yaml_number(&config->rate_hz, pov_yaml_get(node, "rate_hz"), 0, 1000);
    pov_yaml_number(&around_deg, pov_yaml_get(node, "around_deg"), -360, 360);
    int bodies = (int)config->bodies;
    pov_yaml_choice(&bodies, pov_yaml_get(node, "bodies"), body_names,
                    sizeof body_names / sizeof *body_names);
    config->bodies = (pov_simulator_bodies)bodies;
    pov_yaml_bool(&config->loop, pov_yaml_get(node, "loop"));
    config->has_seed = pov_yaml_exists(seed_node);
    config->seed = (uint64_t)seed;
    config->around_rad = around_deg * POV_DEG;
    config->width_px = (int)size[0];
    config->height_px = (int)size[1];
}

static int64_t offset_ns(const simulated_camera *camera, int index)
{
    return llround(index * 1e9 / camera->rate_hz);
}

static void start_clock(simulated_camera *camera)
{
    if (camera->started)
        return;
    camera->started = true;
    pov_shared_start_take(camera->start, &camera->start_monotonic_ns, &camera->start_ns);
}

static pov_status next_of_list(simulated_camera *camera, pov_image *image)
{
    if (camera->next == camera->image_len && !camera->loop)
        return pov_status_of(POV_END);
    POV_TRY(pov_simulator_take(camera->simulator, image, camera->next));
    image->mid_exposure_ns = pov_clock_unix_ns();
    camera->next = camera->next < POV_WORLD_IMAGE_MAX ? camera->next + 1 : 0;
    return pov_ok();
}

/* A camera does not wait: images that were not taken in time are lost. */
static void skip_missed(simulated_camera *camera)
{
    const int64_t elapsed_ns = pov_clock_monotonic_ns() - camera->start_monotonic_ns;
    const int due = (int)((double)elapsed_ns * 1e-9 * camera->rate_hz);
    if (due > camera->next) {
        camera->statistics.lost += (uint64_t)(due - camera->next);
        camera->next = due;
    }
}

static pov_status next_in_time(simulated_camera *camera, pov_image *image, int timeout_ms)
{
    skip_missed(camera);
    const int64_t due_ns = camera->start_monotonic_ns + offset_ns(camera, camera->next);
    const int64_t limit_ns = pov_clock_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    const int64_t until_ns = due_ns < limit_ns ? due_ns : limit_ns;
    const struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    if (pov_clock_monotonic_ns() < due_ns)
        return pov_status_of(POV_TIMEOUT);
    const int64_t time_ns = offset_ns(camera, camera->next);
    POV_TRY(pov_simulator_take_at(camera->simulator, image, time_ns, camera->next++));
    image->mid_exposure_ns = camera->start_ns + time_ns;
    return pov_ok();
}

static pov_status simulated_next(void *impl, pov_image *image, int timeout_ms)
{
    simulated_camera *camera = impl;
    start_clock(camera);
    const pov_status status =
        camera->rate_hz > 0 ? next_in_time(camera, image, timeout_ms) : next_of_list(camera, image);
    camera->statistics.delivered += status.code == POV_OK;
    return status;
}

static pov_image_source_statistics simulated_statistics(const void *impl)
{
    const simulated_camera *camera = impl;
    return camera->statistics;
}

static void simulated_destroy(void *impl)
{
    simulated_camera *camera = impl;
    pov_simulator_destroy(&camera->simulator);
    free(camera);
}

static const pov_image_source_backend simulated_backend = {.name = "simulator",
                                                           .next = simulated_next,
                                                           .statistics = simulated_statistics,
                                                           .destroy = simulated_destroy};

pov_status pov_simulator_source_new(pov_image_source **source, const pov_simulator_source_config *config)
{
    const pov_simulator_config simulator = {.world = config->world,
                                            .variant = config->variant,
                                            .sensor = *config->sensor ? config->sensor : NULL,
                                            .has_seed = config->has_seed,
                                            .seed = config->seed,
                                            .width_px = config->width_px,
                                            .height_px = config->height_px,
                                            .around_rad = config->around_rad,
                                            .bodies = config->bodies};
    *source = NULL;
    if (!*config->world)
        return pov_error("the station names no world: add camera.simulator.world to it, e.g. station");
    simulated_camera *camera = calloc(1, sizeof *camera);
    if (!camera)
        return pov_error("simulator: out of memory");
    const pov_status status = pov_simulator_new(&camera->simulator, &simulator);
    if (status.code != POV_OK) {
        free(camera);
        return status;
    }
    camera->image_len = pov_simulator_truth_of(camera->simulator).world->image_len;
    camera->rate_hz = config->rate_hz;
    camera->loop = config->loop;
    camera->start = config->start;
    camera->statistics.expected = config->loop || config->rate_hz > 0 ? -1 : camera->image_len;
    return pov_image_source_new(source, &simulated_backend, camera);
}
