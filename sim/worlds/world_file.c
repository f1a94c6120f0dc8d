#include "sim/worlds/world_file.h"
#include "config/files/nearest_name.h"

#include "perception/balls/ball_colour.h"
#include "sim/worlds/world_reader.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const surface_names[] = {"plain", "wood", "tiles"};
static_assert(sizeof surface_names / sizeof *surface_names == POV_SURFACE_COUNT, "one name a surface");
static const char *const preset_names[] = {"clean", "noisy", "blurred"};
enum { PRESETS = sizeof preset_names / sizeof *preset_names };

void pov_world_read_colour(uint32_t *colour, pov_yaml_node node)
{
    const char *name = NULL;
    pov_colour rgb;
    pov_yaml_string(&name, node);
    if (!name)
        return;
    if (pov_colour_from_name(&rgb, name))
        *colour = (uint32_t)rgb.red << 16 | (uint32_t)rgb.green << 8 | rgb.blue;
    else
        pov_yaml_complain(node, "unknown colour '%s'; use \"#rrggbb\" or one of %s", name,
                          pov_colour_names());
}

bool pov_world_read_place(pov_vec3 *place_m, pov_yaml_node node)
{
    double numbers[3] = {0};
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return false;
    const bool has_z = pov_yaml_is_list(node) && pov_yaml_length(node) == 3;
    pov_yaml_numbers(numbers, node, has_z ? 3 : 2, -POV_WORLD_LENGTH_MAX_M, POV_WORLD_LENGTH_MAX_M);
    *place_m = (pov_vec3){numbers[0], numbers[1], has_z ? numbers[2] : place_m->z};
    return has_z;
}

/* ---- what is around the things ---- */

static void read_light_colour(float linear[3], pov_yaml_node node)
{
    uint32_t colour = 0;
    pov_world_read_colour(&colour, node);
    if (pov_yaml_exists(node))
        pov_albedo_from_srgb(linear, colour);
}

void pov_world_read_light(pov_lighting *lighting, pov_yaml_node node)
{
    pov_yaml_node lamp = pov_yaml_get(node, "lamp_m");
    pov_yaml_vec3(&lighting->lamp_m, lamp, -POV_WORLD_LENGTH_MAX_M, POV_WORLD_LENGTH_MAX_M);
    if (pov_yaml_exists(lamp) && !(lighting->lamp_m.z > 0))
        pov_yaml_complain(lamp, "is at or under the ground; give a height above 0");
    pov_yaml_number(&lighting->lamp_radius_m, pov_yaml_get(node, "lamp_radius_m"), 0, 1e3);
    pov_yaml_number(&lighting->lamp_strength, pov_yaml_get(node, "lamp_strength"), 0, 10);
    read_light_colour(lighting->lamp_colour, pov_yaml_get(node, "lamp_color"));
    pov_yaml_number(&lighting->ambient, pov_yaml_get(node, "ambient"), 0, 10);
    read_light_colour(lighting->sky, pov_yaml_get(node, "sky"));
    pov_yaml_bool(&lighting->shadows, pov_yaml_get(node, "shadows"));
}

static void read_surface(pov_world_surface *surface, pov_yaml_node node)
{
    double size_m[2] = {surface->size_m.x, surface->size_m.y};
    int look = surface->look;
    pov_yaml_numbers(size_m, pov_yaml_get(node, "size_m"), 2, 1e-3, POV_WORLD_LENGTH_MAX_M);
    pov_world_read_colour(&surface->colour, pov_yaml_get(node, "color"));
    pov_yaml_choice(&look, pov_yaml_get(node, "look"), surface_names, POV_SURFACE_COUNT);
    surface->size_m = (pov_vec2){size_m[0], size_m[1]};
    surface->look = (pov_surface_look)look;
}

static void read_turntable(pov_world_turntable *turntable, pov_yaml_node node)
{
    if (!pov_yaml_exists(node))
        return;
    double centre_m[2] = {turntable->centre_m.x, turntable->centre_m.y};
    if (!turntable->present)
        *turntable = (pov_world_turntable){.present = true, .height_m = 0.02, .colour = 0x8E9296};
    pov_yaml_numbers(centre_m, pov_yaml_get(node, "position_m"), 2, -POV_WORLD_LENGTH_MAX_M,
                     POV_WORLD_LENGTH_MAX_M);
    turntable->centre_m = (pov_vec2){centre_m[0], centre_m[1]};
    pov_yaml_node radius = pov_yaml_get(node, "radius_m");
    if (turntable->radius_m <= 0 && !pov_yaml_exists(radius))
        pov_yaml_complain(node, "has no radius_m; give the disc's");
    pov_yaml_number(&turntable->radius_m, radius, 1e-3, 1e3);
    pov_yaml_number(&turntable->height_m, pov_yaml_get(node, "height_m"), 1e-3, 10);
    pov_world_read_colour(&turntable->colour, pov_yaml_get(node, "color"));
}

static void read_motion(pov_world_reader *reader, pov_yaml_node node)
{
    pov_world_motion *motion = &reader->world->motion;
    if (!pov_yaml_exists(node))
        return;
    reader->motion_node = node;
    double start_deg = motion->start_rad / POV_WORLD_DEG;
    if (motion->steps == 0)
        motion->steps = 36;
    pov_yaml_integer(&motion->steps, pov_yaml_get(node, "steps"), 1, POV_WORLD_IMAGE_MAX);
    pov_yaml_number(&start_deg, pov_yaml_get(node, "start_deg"), -360, 360);
    pov_yaml_number(&motion->period_s, pov_yaml_get(node, "period_s"), 0.01, 1e6);
    motion->start_rad = start_deg * POV_WORLD_DEG;
    pov_yaml_node orbit = pov_yaml_get(node, "orbit");
    if (!pov_yaml_exists(orbit))
        return;
    motion->is_orbit = true;
    pov_yaml_copy_string(motion->orbiting, sizeof motion->orbiting,
                         pov_yaml_need(orbit, "thing", "the id of what goes round"));
    pov_yaml_copy_string(motion->about, sizeof motion->about,
                         pov_yaml_need(orbit, "about", "the id of what it goes round"));
}

static void read_sensor(pov_world *world, pov_yaml_node node)
{
    pov_sensor_config *sensor = &world->sensor;
    pov_yaml_node preset = pov_yaml_get(node, "preset");
    int index = 0;
    pov_yaml_choice(&index, preset, preset_names, PRESETS);
    if (pov_yaml_exists(preset) && !pov_yaml_failed(node.file)) {
        POV_REQUIRE(pov_sensor_preset(sensor, preset_names[index]).code == POV_OK);
        snprintf(world->sensor_preset, sizeof world->sensor_preset, "%s", preset_names[index]);
    }
    pov_yaml_number(&world->exposure_s, pov_yaml_get(node, "exposure_s"), 0, 10);
    pov_yaml_number(&world->readout_s, pov_yaml_get(node, "readout_s"), 0, 10);
    pov_yaml_number(&sensor->defocus_px, pov_yaml_get(node, "defocus_px"), 0, POV_SENSOR_BLUR_MAX_PX);
    pov_yaml_number(&sensor->vignetting, pov_yaml_get(node, "vignetting"), 0, 1);
    pov_yaml_number(&sensor->exposure, pov_yaml_get(node, "exposure"), 0, 1e3);
    pov_yaml_number(&sensor->gain, pov_yaml_get(node, "gain"), 0, 1e3);
    pov_yaml_number(&sensor->full_well_e, pov_yaml_get(node, "full_well_e"), 1, 1e9);
    pov_yaml_bool(&sensor->shot_noise, pov_yaml_get(node, "shot_noise"));
    pov_yaml_number(&sensor->read_noise_e, pov_yaml_get(node, "read_noise_e"), 0, 1e6);
    pov_yaml_integer(&sensor->jpeg_quality, pov_yaml_get(node, "jpeg_quality"), 0, 100);
}

/* ---- generators ---- */

static void read_generators(pov_world_generator *generator, pov_yaml_node root)
{
    pov_yaml_node vpt = pov_yaml_get(root, "vpt"), tabletop = pov_yaml_get(root, "tabletop");
    if (pov_yaml_exists(vpt) && pov_yaml_exists(tabletop))
        pov_yaml_complain(tabletop, "excludes vpt; a world has one generator");
    if (pov_yaml_exists(vpt)) {
        *generator = (pov_world_generator){.kind = POV_GENERATOR_VPT, .distance_m = 0.1};
        pov_yaml_number(&generator->distance_m, pov_yaml_get(vpt, "distance_m"), 0.05, 10);
    }
    if (pov_yaml_exists(tabletop)) {
        *generator = (pov_world_generator){
            .kind = POV_GENERATOR_TABLETOP, .least_things = 4, .most_things = 9, .people = 2};
        double range[2] = {generator->least_things, generator->most_things};
        pov_yaml_numbers(range, pov_yaml_get(tabletop, "things"), 2, 1, 16);
        generator->least_things = (int)fmin(range[0], range[1]);
        generator->most_things = (int)fmax(range[0], range[1]);
        pov_yaml_integer(&generator->people, pov_yaml_get(tabletop, "people"), 0, 3);
    }
}

/* ---- the file ---- */

static void read_north(pov_world *world, pov_yaml_node node)
{
    double north_deg = 0;
    pov_yaml_number(&north_deg, node, -360, 360);
    if (!pov_yaml_exists(node))
        return;
    world->has_north = true;
    world->north_yaw_rad = pov_angle_wrap(north_deg * POV_WORLD_DEG);
}

/* What the whole file and each of its variants may say. */
static void read_part(pov_world_reader *reader, pov_yaml_node part)
{
    pov_world *world = reader->world;
    double seed = (double)world->seed;
    pov_yaml_copy_string(world->about, sizeof world->about, pov_yaml_get(part, "about"));
    read_north(world, pov_yaml_get(part, "north_deg"));
    pov_world_read_camera(&world->camera, pov_yaml_get(part, "camera"));
    pov_world_read_light(&world->lighting, pov_yaml_get(part, "lighting"));
    pov_world_read_lights(world, pov_yaml_get(pov_yaml_get(part, "lighting"), "path"));
    read_surface(&world->surface, pov_yaml_get(part, "surface"));
    read_turntable(&world->turntable, pov_yaml_get(part, "turntable"));
    pov_world_read_removed(reader, pov_yaml_get(part, "remove"));
    pov_world_read_things(reader, pov_yaml_get(part, "things"));
    pov_world_read_tags(world, pov_yaml_get(part, "tags"));
    read_motion(reader, pov_yaml_get(part, "motion"));
    read_sensor(world, pov_yaml_get(part, "sensor"));
    read_generators(&world->generator, part);
    pov_yaml_integer(&world->image_len, pov_yaml_get(part, "images"), 1, POV_WORLD_IMAGE_MAX);
    pov_yaml_number(&world->rate_hz, pov_yaml_get(part, "rate_hz"), 0, 1e4);
    pov_yaml_number(&seed, pov_yaml_get(part, "seed"), 0, 9e15);
    world->seed = (uint64_t)seed;
}

static void settle(pov_world_reader *reader, pov_yaml_node part)
{
    int culprit;
    if (pov_yaml_failed(part.file))
        return;
    const pov_status status = pov_world_settle(reader->world, &culprit);
    if (status.code != POV_OK)
        pov_yaml_complain(culprit >= 0                           ? reader->thing_nodes[culprit]
                          : pov_yaml_exists(reader->motion_node) ? reader->motion_node
                                                                 : part,
                          "%s", status.message);
    if (reader->world->image_len == 0) {
        const int of_generator[] = {1, 144, 24};
        static_assert(sizeof of_generator / sizeof *of_generator == POV_GENERATOR_COUNT, "a number for each");
        reader->world->image_len = reader->world->motion.steps > 0
                                       ? reader->world->motion.steps
                                       : of_generator[reader->world->generator.kind];
    }
}

static void read_variant_names(pov_world *world, pov_yaml_node variants)
{
    world->variant_len = pov_yaml_length(variants);
    if (world->variant_len > POV_WORLD_VARIANT_MAX) {
        pov_yaml_complain(variants, "at most %d variants", POV_WORLD_VARIANT_MAX);
        world->variant_len = 0;
    }
    for (int i = 0; i < world->variant_len; i++) {
        pov_yaml_node variant = pov_yaml_at(variants, i);
        char *name = world->variants[i];
        pov_yaml_copy_string(name, POV_NAME_CAPACITY,
                             pov_yaml_need(variant, "name", "what to call this variant"));
        if (!pov_yaml_failed(variants.file) && (!*name || strpbrk(name, "+/ ")))
            pov_yaml_complain(variant, "'%s' must be a word without blanks, + and /", name);
    }
}

/* Each variant once on a world of its own, so that mistakes in any come to light. */
static void check_variants(const pov_world_reader *plain, pov_yaml_node variants)
{
    pov_world *scratch = malloc(sizeof *scratch);
    POV_REQUIRE(scratch);
    for (int i = 0; i < plain->world->variant_len && !pov_yaml_failed(variants.file); i++) {
        pov_world_reader reader = *plain;
        *scratch = *plain->world;
        reader.world = scratch;
        read_part(&reader, pov_yaml_at(variants, i));
        settle(&reader, pov_yaml_at(variants, i));
    }
    free(scratch);
}

static pov_status unknown_variant(const pov_world *world, const char *path, const char *name)
{
    const char *names[POV_WORLD_VARIANT_MAX];
    for (int i = 0; i < world->variant_len; i++)
        names[i] = world->variants[i];
    if (world->variant_len == 0)
        return pov_error("%s: has no variants, so no '%s' either", path, name);
    const char *nearest = pov_nearest_name(name, names, world->variant_len);
    return pov_error("%s: has no variant '%s'; %s '%s'", path, name,
                     nearest ? "did you mean" : "the first is", nearest ? nearest : names[0]);
}

static pov_status apply_chosen(pov_world_reader *reader, pov_yaml_node variants, const char *path,
                               const char *chosen)
{
    pov_world *world = reader->world;
    for (const char *next = chosen; *next;) {
        char name[POV_NAME_CAPACITY];
        const size_t length = strcspn(next, "+");
        snprintf(name, sizeof name, "%.*s", (int)length, next);
        next += length + (next[length] == '+');
        int index = 0;
        while (index < world->variant_len && strcmp(world->variants[index], name) != 0)
            index++;
        if (index == world->variant_len)
            return unknown_variant(world, path, name);
        read_part(reader, pov_yaml_at(variants, index));
    }
    snprintf(world->variant, sizeof world->variant, "%s", chosen);
    return pov_ok();
}

/* "share/worlds/station.yaml" is named station. */
static void name_after_path(pov_world *world, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(world->name, sizeof world->name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(world->name, '.');
    if (dot && dot != world->name)
        *dot = '\0';
}

static pov_status read_world(pov_world *world, pov_yaml_file *file, const char *chosen)
{
    pov_world_reader reader = {.world = world};
    pov_yaml_node root = pov_yaml_root(file), variants = pov_yaml_get(root, "variants");
    pov_world_clear(world);
    world->image_len = 0;
    name_after_path(world, pov_yaml_path(file));
    read_part(&reader, root);
    read_variant_names(world, variants);
    if (world->thing_len == 0 && world->generator.kind == POV_GENERATOR_NONE)
        pov_yaml_complain(root,
                          "has neither things nor a generator; list things: [{id, class, position_m}, ...]");
    check_variants(&reader, variants);
    if (chosen && *chosen && !pov_yaml_failed(file))
        POV_TRY(apply_chosen(&reader, variants, pov_yaml_path(file), chosen));
    settle(&reader, root);
    return pov_yaml_finish(file);
}

pov_status pov_world_file_read(pov_world *world, const char *path, const char *variant)
{
    pov_yaml_file *file;
    POV_TRY(pov_yaml_open(&file, path));
    const pov_status status = read_world(world, file, variant);
    pov_yaml_close(&file);
    return status;
}

pov_status pov_world_file_parse(pov_world *world, const char *name, const char *text, size_t length,
                                const char *variant)
{
    pov_yaml_file *file;
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    const pov_status status = read_world(world, file, variant);
    pov_yaml_close(&file);
    return status;
}
