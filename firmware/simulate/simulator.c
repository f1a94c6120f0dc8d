#include "firmware/simulate/simulator.h"
#include "config/files/nearest_name.h"
#include "draw/canvas.h"

#include "firmware/picture/image_file.h"
#include "sim/worlds/shipped_worlds.h"
#include "sim/worlds/world.h"
#include "sim/worlds/world_file.h"
#include "sim/worlds/world_generate.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXPOSURES = 7, VIEW_WIDTH_PX = 480 };

struct pov_simulator {
    pov_world world;
    pov_stage *stage;
    const char *package_folder; /* NULL: all bodies are our own */
    pov_image_file *pictures;   /* of the package's bodies */
    pov_shutter *shutter;       /* NULL: an instant, all rows at once */
    pov_sensor *sensor, *view_sensor;
    int view_size_px[2];
    int threads;
    int index; /* whose things are on the stage; -1: none */
    double turn_rad, time_s;
    bool is_drawn; /* light, labels and depth are those of the stage at that turn and time */
    double drawn_turn_rad, drawn_time_s;
    size_t pixel_capacity;
    float (*light)[3];
    int16_t *labels;
    float *depth_m;
    uint8_t *rgb;
};

/* ---- worlds by name ---- */

static pov_status unknown_world(const char *name)
{
    char names[300] = "";
    const char *list[64];
    int len = 0;
    for (const pov_embedded_file *world = POV_SHIPPED_WORLDS; world->name && len < 64; world++) {
        strncat(names, len ? ", " : "", sizeof names - strlen(names) - 1);
        strncat(names, world->name, sizeof names - strlen(names) - 1);
        list[len++] = world->name;
    }
    const char *nearest = pov_nearest_name(name, list, len);
    return pov_error("no world '%s'; there are %s, or give the path of a world file%s%s%s", name, names,
                     nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

pov_status pov_simulator_read_world(pov_world *world, const char *name_or_path, const char *variant)
{
    const pov_embedded_file *shipped = pov_embedded_find(POV_SHIPPED_WORLDS, name_or_path);
    if (shipped)
        return pov_world_file_parse(world, shipped->name, (const char *)shipped->bytes, shipped->len,
                                    variant);
    if (!strchr(name_or_path, '/') && access(name_or_path, F_OK) != 0)
        return unknown_world(name_or_path);
    return pov_world_file_read(world, name_or_path, variant);
}

/* ---- setting up ---- */

static pov_status reserve_pixels(pov_simulator *simulator, int width_px, int height_px)
{
    const size_t pixels = (size_t)width_px * (size_t)height_px;
    if (pixels <= simulator->pixel_capacity)
        return pov_ok();
    simulator->pixel_capacity = pixels;
    simulator->is_drawn = false;
    free(simulator->light);
    free(simulator->labels);
    free(simulator->depth_m);
    free(simulator->rgb);
    simulator->light = pov_allocate(pixels, sizeof *simulator->light);
    simulator->labels = pov_allocate(pixels, sizeof *simulator->labels);
    simulator->depth_m = pov_allocate(pixels, sizeof *simulator->depth_m);
    simulator->rgb = pov_allocate(pixels, 3);
    return pov_ok();
}

/* ---- bodies of the package ---- */

static pov_status decode_picture(void *context, pov_image *image, const char *path, const void *bytes,
                                 size_t len)
{
    return pov_image_file_decode(context, image, path, bytes, len);
}

static pov_status find_package(pov_simulator *simulator, pov_simulator_bodies bodies)
{
    const char *named = getenv("POV_FURNITURE"), *folder = named ? named : POV_FURNITURE_FOLDER;
    if (bodies == POV_SIMULATOR_OWN_BODIES)
        return pov_ok();
    if (access(folder, R_OK) == 0)
        simulator->package_folder = folder;
    else if (bodies == POV_SIMULATOR_PACKAGE_BODIES)
        return pov_error("no bodies in %s: sudo apt-get install sweethome3d-furniture", folder);
    return pov_ok();
}

static void dress_things(pov_simulator *simulator)
{
    if (simulator->package_folder)
        pov_world_take_package(&simulator->world, simulator->package_folder);
}

static pov_status set_stage_up(pov_simulator *simulator, pov_simulator_bodies bodies)
{
    POV_TRY(find_package(simulator, bodies));
    dress_things(simulator);
    if (!simulator->package_folder)
        return pov_stage_new(&simulator->stage, NULL);
    POV_TRY(pov_image_file_new(&simulator->pictures));
    const pov_furniture_options package = {
        .folder = simulator->package_folder, .decode = decode_picture, .decode_context = simulator->pictures};
    return pov_stage_new(&simulator->stage, &package);
}

static pov_status set_shutter_up(pov_simulator *simulator)
{
    const pov_world *world = &simulator->world;
    pov_shutter_config config = POV_SHUTTER_DEFAULT;
    if ((world->motion.steps == 0 && !pov_world_has_paths(world)) ||
        (world->exposure_s <= 0 && world->readout_s <= 0))
        return pov_ok();
    config.exposure_ns = llround(world->exposure_s * 1e9);
    config.readout_ns = llround(world->readout_s * 1e9);
    config.exposures = config.exposure_ns > 0 ? EXPOSURES : 1;
    return pov_shutter_new(&simulator->shutter, &config, world->camera.lens.width_px,
                           world->camera.lens.height_px);
}

static pov_status set_up(pov_simulator *simulator, const pov_simulator_config *config)
{
    pov_world *world = &simulator->world;
    POV_TRY(pov_simulator_read_world(world, config->world, config->variant));
    const bool is_own = config->sensor && strcmp(config->sensor, world->sensor_preset) == 0;
    if (config->sensor && !is_own) { /* its own keeps what the world lays over it */
        POV_TRY(pov_sensor_preset(&world->sensor, config->sensor));
        snprintf(world->sensor_preset, sizeof world->sensor_preset, "%s", config->sensor);
    }
    if (config->has_seed)
        world->seed = config->seed;
    world->sensor.seed = world->seed + (uint64_t)llround(fabs(config->around_rad) *
                                                         1e3); /* each camera has noise of its own */
    pov_world_carry_camera(world, config->around_rad);
    if (config->width_px > 0)
        pov_world_resize(world, config->width_px, config->height_px);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    simulator->threads = config->threads > 0 ? config->threads : processors > 0 ? (int)processors : 1;
    if (simulator->threads > POV_SIMULATOR_THREADS_MAX)
        simulator->threads = POV_SIMULATOR_THREADS_MAX;
    const pov_camera *lens = &world->camera.lens;
    POV_TRY(reserve_pixels(simulator, lens->width_px, lens->height_px));
    POV_TRY(set_shutter_up(simulator));
    POV_TRY(pov_sensor_new(&simulator->sensor, &world->sensor, lens->width_px, lens->height_px));
    return set_stage_up(simulator, config->bodies);
}

pov_status pov_simulator_new(pov_simulator **simulator, const pov_simulator_config *config)
{
    *simulator = pov_allocate(1, sizeof **simulator);
    (*simulator)->index = -1;
    const pov_status status = set_up(*simulator, config);
    if (status.code != POV_OK)
        pov_simulator_destroy(simulator);
    return status;
}

void pov_simulator_destroy(pov_simulator **simulator)
{
    pov_simulator *s = *simulator;
    if (!s)
        return;
    pov_stage_destroy(&s->stage);
    pov_image_file_destroy(&s->pictures);
    pov_shutter_destroy(&s->shutter);
    pov_sensor_destroy(&s->sensor);
    pov_sensor_destroy(&s->view_sensor);
    free(s->light);
    free(s->labels);
    free(s->depth_m);
    free(s->rgb);
    free(s);
    *simulator = NULL;
}

/* ---- drawing by threads ---- */

typedef struct {
    const pov_stage *stage;
    pov_rendering *rendering;
    int height_px;
    atomic_int next_row;
} drawing;

static void *draw_rows(void *argument)
{
    drawing *d = argument;
    for (int row; (row = atomic_fetch_add(&d->next_row, POV_RENDERER_BAND_PX)) < d->height_px;)
        pov_stage_draw(d->stage, d->rendering, row,
                       row + POV_RENDERER_BAND_PX < d->height_px ? row + POV_RENDERER_BAND_PX : d->height_px);
    return NULL;
}

/* This thread draws too; helpers that cannot be had are done without. */
static void draw_light(const pov_simulator *simulator, pov_rendering *rendering, int height_px)
{
    drawing d = {.stage = simulator->stage, .rendering = rendering, .height_px = height_px};
    pthread_t helpers[POV_SIMULATOR_THREADS_MAX];
    int len = 0;
    while (len < simulator->threads - 1 && pthread_create(&helpers[len], NULL, draw_rows, &d) == 0)
        len++;
    draw_rows(&d);
    for (int i = 0; i < len; i++)
        pthread_join(helpers[i], NULL);
}

/* ---- taking ---- */

static pov_rendering rendering_of(pov_simulator *simulator)
{
    return (pov_rendering){
        .light = simulator->light, .label = simulator->labels, .depth_m = simulator->depth_m};
}

/* Isle-Brick's Figure 9: north is the top of the image. */
static void draw_compass(const pov_simulator *simulator, const pov_image *image)
{
    static const struct {
        const char *letter;
        double x, y; /* shares of the image */
    } marks[] = {{"N", 0.5, 0}, {"E", 1, 0.5}, {"S", 0.5, 1}, {"W", 0, 0.5}};
    pov_canvas *canvas = pov_allocate(1, sizeof *canvas);
    canvas->pixels = simulator->rgb;
    canvas->width_px = image->width_px;
    canvas->height_px = image->height_px;
    canvas->stride_bytes = image->stride_bytes;
    canvas->unit_px = image->height_px / 200.0; /* chosen: letters of a fourteenth of the height or more */
    const double line_px = pov_canvas_line_height_px(canvas);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const double width_px = pov_canvas_text_width_px(canvas, marks[i].letter),
                     x_px = 0.3 * line_px + marks[i].x * (image->width_px - width_px - 0.6 * line_px),
                     y_px = line_px + marks[i].y * (image->height_px - 1.4 * line_px);
        pov_canvas_text(canvas, marks[i].letter, (pov_vec2){x_px, y_px}, (pov_colour){20, 20, 20});
    }
    free(canvas);
}

/* Applies the sensor model to the rendered light. */
static pov_status expose_image(pov_simulator *simulator, pov_image *image, int sequence)
{
    const pov_camera *lens = &simulator->world.camera.lens;
    POV_TRY(pov_sensor_expose(simulator->sensor, simulator->rgb, (const float(*)[3])simulator->light,
                              simulator->depth_m, (uint32_t)sequence));
    *image = (pov_image){.pixels = simulator->rgb,
                         .width_px = lens->width_px,
                         .height_px = lens->height_px,
                         .stride_bytes = 3 * lens->width_px,
                         .sequence = (uint32_t)sequence};
    snprintf(image->name, sizeof image->name, POV_IMAGE_SIMULATED "_%04d.png", sequence);
    if (simulator->world.generator.has_compass)
        draw_compass(simulator, image);
    return pov_ok();
}

/* Puts the world of this image on the stage: the same for all images unless a generator makes it. */
static pov_status set_stage(pov_simulator *simulator, int index)
{
    const bool is_generated = simulator->world.generator.kind != POV_GENERATOR_NONE;
    if (simulator->index >= 0 && (!is_generated || simulator->index == index))
        return pov_stage_look_own(simulator->stage);
    if (is_generated)
        POV_TRY(pov_world_generate(&simulator->world, index));
    dress_things(simulator);
    simulator->is_drawn = false;
    simulator->index = index;
    return pov_stage_set(simulator->stage, &simulator->world);
}

static bool is_drawn_already(const pov_simulator *simulator)
{
    return simulator->is_drawn && simulator->turn_rad == simulator->drawn_turn_rad &&
           (simulator->time_s == simulator->drawn_time_s || !pov_world_has_paths(&simulator->world));
}

/* The whole image at one instant. Where nothing has moved since the last image, only the sensor's noise is another. */
static pov_status take_still(pov_simulator *simulator, pov_image *image, int sequence)
{
    pov_stage_move(simulator->stage, simulator->time_s);
    POV_TRY(pov_stage_turn(simulator->stage, simulator->turn_rad));
    if (!is_drawn_already(simulator)) {
        pov_rendering rendering = rendering_of(simulator);
        draw_light(simulator, &rendering, simulator->world.camera.lens.height_px);
        simulator->is_drawn = true;
        simulator->drawn_turn_rad = simulator->turn_rad;
        simulator->drawn_time_s = simulator->time_s;
    }
    return expose_image(simulator, image, sequence);
}

void pov_simulator_pace(pov_simulator *simulator, double period_s)
{
    simulator->world.motion.period_s = period_s;
    simulator->index = -1; /* the stage gets the world again */
}

pov_status pov_simulator_take(pov_simulator *simulator, pov_image *image, int index)
{
    const double time_s = pov_world_time_s(&simulator->world, index);
    if (simulator->world.rate_hz > 0)
        return pov_simulator_take_at(simulator, image, llround(1e9 * time_s), index);
    POV_TRY(set_stage(simulator, index));
    simulator->time_s = time_s;
    simulator->turn_rad = pov_world_turn_rad(&simulator->world, index);
    return take_still(simulator, image, index);
}

pov_status pov_simulator_take_at(pov_simulator *simulator, pov_image *image, int64_t time_ns, int sequence)
{
    POV_TRY(set_stage(simulator, sequence));
    simulator->time_s = (double)time_ns * 1e-9;
    simulator->turn_rad = pov_world_turn_at_rad(&simulator->world, time_ns);
    if (!simulator->shutter)
        return take_still(simulator, image, sequence);
    pov_rendering rendering = rendering_of(simulator);
    simulator->is_drawn = false;
    POV_TRY(pov_stage_expose(simulator->stage, &rendering, simulator->shutter, time_ns));
    return expose_image(simulator, image, sequence);
}

const pov_model *pov_simulator_body(const pov_simulator *simulator, int thing)
{
    return pov_stage_body(simulator->stage, thing);
}

pov_simulator_truth pov_simulator_truth_of(const pov_simulator *simulator)
{
    return (pov_simulator_truth){.world = &simulator->world,
                                 .scene = pov_stage_scene(simulator->stage),
                                 .turn_rad = simulator->turn_rad,
                                 .time_s = simulator->time_s,
                                 .from_package = simulator->package_folder,
                                 .labels = simulator->labels,
                                 .depth_m = simulator->depth_m};
}

pov_status pov_simulator_fraction_visible(pov_simulator *simulator, double *fraction, pov_id viewer,
                                          pov_id target)
{
    return pov_stage_fraction_visible(simulator->stage, fraction, viewer, target);
}

/* ---- what a viewer sees ---- */

static pov_status fit_view_sensor(pov_simulator *simulator, const pov_camera *camera)
{
    if (simulator->view_sensor && simulator->view_size_px[0] == camera->width_px &&
        simulator->view_size_px[1] == camera->height_px)
        return pov_ok();
    pov_sensor_destroy(&simulator->view_sensor);
    simulator->view_size_px[0] = camera->width_px;
    simulator->view_size_px[1] = camera->height_px;
    const pov_sensor_config clean = POV_SENSOR_DEFAULT;
    return pov_sensor_new(&simulator->view_sensor, &clean, camera->width_px, camera->height_px);
}

pov_status pov_simulator_view(pov_simulator *simulator, pov_image *image, pov_id viewer)
{
    pov_camera camera;
    POV_TRY(pov_stage_look_as(simulator->stage, &camera, viewer, VIEW_WIDTH_PX));
    POV_TRY(reserve_pixels(simulator, camera.width_px, camera.height_px));
    POV_TRY(fit_view_sensor(simulator, &camera));
    pov_rendering rendering = {.light = simulator->light};
    simulator->is_drawn = false;
    draw_light(simulator, &rendering, camera.height_px);
    POV_TRY(pov_sensor_expose(simulator->view_sensor, simulator->rgb, (const float(*)[3])simulator->light,
                              NULL, 0));
    *image = (pov_image){.pixels = simulator->rgb,
                         .width_px = camera.width_px,
                         .height_px = camera.height_px,
                         .stride_bytes = 3 * camera.width_px};
    snprintf(image->name, sizeof image->name, POV_IMAGE_SIMULATED " view of %s",
             pov_stage_scene(simulator->stage)->entities[viewer].name);
    return pov_ok();
}

/* ---- options ---- */

pov_status pov_simulator_take_seed(void *value, const char *text)
{
    static const pov_option bounds = {.kind = POV_OPTION_COUNT, .high = INFINITY};
    pov_simulator_config *config = value;
    config->has_seed = true;
    return pov_option_take_text(&config->seed, &bounds, text);
}

pov_status pov_simulator_take_size(void *value, const char *text)
{
    pov_simulator_config *config = value;
    int length = 0;
    const int got = sscanf(text, "%dx%d%n", &config->width_px, &config->height_px, &length);
    const bool good = got == 2 && !text[length] && config->width_px >= 16 && config->width_px <= 4096 &&
                      config->height_px >= 16 && config->height_px <= 4096;
    return good ? pov_ok() : pov_error("takes a size such as 640x480, of 16 to 4096 pixels, not '%s'", text);
}
