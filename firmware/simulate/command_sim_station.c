/* The station that a simulated world is, as `pov run` takes it. */
#include "calib/camera/intrinsics_file.h"
#include "config/files/write_file.h"
#include "firmware/simulate/command_sim.h"
#include "sim/worlds/shipped_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPE_NAME_CAPACITY = 32 };

/* ---- the bodies of its things, as OBJ files ---- */

static void name_shape(char name[SHAPE_NAME_CAPACITY], int thing)
{
    snprintf(name, SHAPE_NAME_CAPACITY, "simulated_%04u", (unsigned)thing % 10000);
}

static pov_status write_body_file(const sim_output *output, const pov_model *body, int thing)
{
    char path[SIM_PATH_CAPACITY], name[SHAPE_NAME_CAPACITY];
    const pov_model_parts parts = pov_model_read(body);
    pov_write_file file;
    name_shape(name, thing);
    pov_sim_path(path, output->folder, "bodies", name, ".obj");
    POV_TRY(pov_write_file_begin(&file, path));
    fputs("# A simulated thing's body: metres, x the front, z up.\n", file.stream);
    for (int i = 0; i < parts.vertex_len; i++) {
        const float *v = parts.positions_m[i];
        fprintf(file.stream, "v %.7g %.7g %.7g\n", (double)v[0], (double)v[1], (double)v[2]);
    }
    for (int i = 0; i < parts.triangle_len; i++) {
        const uint32_t *corner = parts.triangles[i];
        fprintf(file.stream, "f %u %u %u\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
    return pov_write_file_end(&file, pov_ok());
}

/* ---- the files ---- */

/* A rotation between two texts. */
static void write_rotation(FILE *stream, const char *before, pov_rot R, const char *after)
{
    fprintf(stream, "%s[[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]%s", before,
            R.m[0][0], R.m[0][1], R.m[0][2], R.m[1][0], R.m[1][1], R.m[1][2], R.m[2][0], R.m[2][1], R.m[2][2],
            after);
}

/* A vector between two texts. */
static void write_place(FILE *stream, const char *before, pov_vec3 place_m, const char *after)
{
    fprintf(stream, "%s[%.9g, %.9g, %.9g]%s", before, place_m.x, place_m.y, place_m.z, after);
}

/* ---- camera.yaml ---- */

static pov_status write_calibration(const sim_output *output, const pov_camera *camera)
{
    char path[SIM_PATH_CAPACITY];
    pov_sim_path(path, output->folder, "", "camera", ".yaml");
    return pov_intrinsics_write(path, camera, &(pov_intrinsics_origin){.camera_name = "simulated"});
}

/* ---- tags.yaml ---- */

static pov_status write_tag_map(const sim_output *output, const pov_tag_map *map)
{
    char path[SIM_PATH_CAPACITY];
    pov_write_file file;
    if (map->len == 0)
        return pov_ok();
    pov_sim_path(path, output->folder, "", "tags", ".yaml");
    POV_TRY(pov_write_file_begin(&file, path));
    fputs("# Simulated tags that are fixed to the table.\ntags:\n", file.stream);
    for (int i = 0; i < map->len; i++) {
        const pov_tag_map_entry *tag = &map->tags[i];
        fprintf(file.stream, "  - {family: %s, id: %d, edge_m: %.9g, ", pov_tag_family_name(tag->family),
                tag->id, tag->edge_m);
        write_place(file.stream, "position_m: ", tag->T_table_tag.T.t_m, ", ");
        write_rotation(file.stream, "rotation: ", tag->T_table_tag.T.R, "}\n");
    }
    return pov_write_file_end(&file, pov_ok());
}

/* ---- the cast ---- */

/* The `found_by` of each thing. */
typedef enum { BY_SURVEY, BY_BALL, BY_TAG, BY_NOTHING } way;

static bool is_ball(const pov_world_thing *thing)
{
    return thing->entity.shape == POV_SHAPE_SPHERE;
}

static way way_of(const pov_world *world, const pov_world_thing *thing)
{
    const bool moves = thing->turns && world->motion.steps > 0;
    if (thing->path_len > 0)
        return BY_NOTHING;
    if (world->motion.is_orbit && is_ball(thing))
        return BY_BALL;
    if (!moves)
        return BY_SURVEY;
    return !world->motion.is_orbit && world->disc_tags.len > 0 ? BY_TAG : BY_NOTHING;
}

static uint32_t colour_of(const pov_world_thing *thing)
{
    const pov_catalogue_entry *entry = pov_catalogue_find(thing->entity.class_name);
    return thing->look.has_colour ? thing->look.colour : entry->colours[0];
}

static void write_ball(FILE *stream, const pov_world_thing *thing)
{
    const bool is_basketball = strcmp(thing->entity.class_name, "basketball") == 0;
    fprintf(stream,
            "    found_by: ball\n    ball: {radius_m: %.9g, radius_std_m: 0, edge_std_share: 0.02, "
            "center_height_m: "
            "%.9g, color: ",
            thing->entity.size_m.x / 2, thing->entity.position.mean_m.z);
    if (is_basketball && !thing->look.has_colour)
        fputs("basketball}\n", stream);
    else
        fprintf(stream, "\"#%06x\"}\n", (unsigned)colour_of(thing));
}

/* By the nearest tag of the ring, which goes round with it. */
static void write_carried(FILE *stream, const pov_world *world, const pov_world_thing *thing)
{
    const pov_tag_map_entry *nearest = NULL;
    double least_m = INFINITY;
    for (int i = 0; i < world->disc_tags.len; i++) {
        const pov_vec3 d =
            pov_vec3_sub(world->disc_tags.tags[i].T_table_tag.T.t_m, thing->entity.position.mean_m);
        if (pov_vec3_norm(d) < least_m) {
            least_m = pov_vec3_norm(d);
            nearest = &world->disc_tags.tags[i];
        }
    }
    const pov_transform T_table_thing = {thing->entity.R_table_box, thing->entity.position.mean_m};
    const pov_transform T = pov_transform_mul(pov_transform_inverse(nearest->T_table_tag.T), T_table_thing);
    fprintf(stream, "    found_by: tag\n    tag: {family: %s, id: %d, edge_m: %.9g, ",
            pov_tag_family_name(nearest->family), nearest->id, nearest->edge_m);
    write_place(stream, "center_m: ", T.t_m, ", has_front: ");
    fputs(thing->entity.heading.len > 0 ? "true" : "false", stream);
    write_rotation(stream, ",\n          rotation: ", T.R, "}\n");
}

static void write_yaw(FILE *stream, const pov_entity *entity)
{
    fprintf(stream, "    %s: %.9g\n", entity->heading.len > 0 ? "front_deg" : "yaw_deg",
            atan2(entity->R_table_box.m[1][0], entity->R_table_box.m[0][0]) / POV_DEG);
}

static void write_survey(FILE *stream, const pov_entity *entity)
{
    write_place(stream, "    found_by: survey\n    position_m: ", entity->position.mean_m, "\n");
    write_yaw(stream, entity);
    if (entity->pointing.len > 0)
        fprintf(stream, "    pointing_deg: %.9g\n", entity->pointing.mode[0].yaw_rad / POV_DEG);
}

static void write_sees(FILE *stream, const pov_entity *entity, const char *indent)
{
    const pov_field_of_view *field = &entity->field;
    fprintf(stream, "%ssees: {shape: %s, horizontal_deg: %.9g, vertical_deg: %.9g, ", indent,
            pov_field_shape_name(field->shape), 2 * field->half_horizontal_rad / POV_DEG,
            2 * field->half_vertical_rad / POV_DEG);
    write_place(stream, "eye_m: ", field->eye_m, "");
    if (isfinite(field->far_m))
        fprintf(stream, ", range_m: [%.9g, %.9g]", field->near_m, field->far_m);
    fputs("}\n", stream);
}

static void write_shape(FILE *stream, int thing, bool is_sphere, const char *under)
{
    char name[SHAPE_NAME_CAPACITY];
    name_shape(name, thing);
    if (is_sphere)
        fputs("    shape: sphere\n", stream);
    else
        fprintf(stream, "    body: %sbodies/%s.obj\n", under, name);
}

static void write_member(FILE *stream, const pov_world *world, const pov_world_thing *thing,
                         const char *under)
{
    const pov_entity *entity = &thing->entity;
    const way found_by = way_of(world, thing);
    if (found_by == BY_NOTHING) {
        fprintf(stream, "  # %s moves, and nothing in the image tells where it is\n", entity->name);
        return;
    }
    fprintf(stream, "  - id: \"%s\"\n    class: %s\n", entity->name, entity->class_name);
    if (found_by == BY_BALL) {
        write_ball(stream, thing);
    } else {
        write_place(stream, "    size_m: ", entity->size_m, "\n");
        write_shape(stream, (int)(thing - world->things), is_ball(thing), under);
    }
    if (found_by == BY_TAG)
        write_carried(stream, world, thing);
    if (found_by == BY_SURVEY)
        write_survey(stream, entity);
    if (entity->addressee)
        fputs("    addressee: true\n", stream);
    if (entity->can_see)
        write_sees(stream, entity, "    ");
}

/* ---- station.yaml ---- */

/* A world file's path, from wherever the station's file is. */
static void write_world(FILE *stream, const char *world)
{
    char *path = pov_embedded_find(POV_SHIPPED_WORLDS, world) ? NULL : realpath(world, NULL);
    fprintf(stream, "\"%s\"", path ? path : world);
    free(path);
}

/* The keys of a camera; `under`: the folder of its files, with a slash. rate_hz: of its images; 0: as fast as possible. */
static void write_camera(FILE *stream, const sim_output *output, const pov_world *world, const char *indent,
                         const char *under, const sim_camera *camera, double rate_hz)
{
    fprintf(stream,
            "source: folder    # or simulator: the same world, drawn as it is judged\n"
            "%sfolder: {path: %simages",
            indent, under);
    if (rate_hz > 0)
        fprintf(stream, ", rate_hz: %.9g", rate_hz);
    fprintf(stream, "}\n%ssimulator: {world: ", indent);
    write_world(stream, output->world);
    fprintf(stream, ", variant: \"%s\", seed: %llu, sensor: %s, size_px: [%d, %d], bodies: %s",
            world->variant, (unsigned long long)world->seed, world->sensor_preset,
            world->camera.lens.width_px, world->camera.lens.height_px,
            output->package_bodies ? "package" : "own");
    if (camera->around_rad != 0)
        fprintf(stream, ", around_deg: %.9g", camera->around_rad / POV_DEG);
    if (rate_hz > 0)
        fprintf(stream, ", rate_hz: %.9g", rate_hz);
    fprintf(stream, "}\n%scalibration: %scamera.yaml\n", indent, under);
    if (world->tags.len > 0)
        return;
    fprintf(stream, "%spose:\n%s", indent, indent);
    write_place(stream, "  position_m: ", camera->T_table_camera.t_m, "\n");
    fputs(indent, stream);
    write_rotation(stream, "  rotation: ", camera->T_table_camera.R, "\n");
}

static void write_source(FILE *stream, const sim_output *output, const pov_world *world)
{
    const sim_camera own = {.around_rad = output->around_rad,
                            .T_table_camera = pov_world_T_table_camera(world)};
    fputs("camera:\n  ", stream);
    write_camera(stream, output, world, "  ", "", &own, 0);
}

/* Several cameras have one clock: the world's. */
static double find_image_rate_hz(const pov_world *world)
{
    if (world->rate_hz > 0)
        return world->rate_hz;
    return world->motion.steps > 0 ? world->motion.steps / world->motion.period_s : 1;
}

static pov_status write_bodies(const sim_output *output, const pov_simulator *simulator,
                               const pov_world *world)
{
    for (int i = 0; i < world->thing_len; i++)
        if (!is_ball(&world->things[i]) && way_of(world, &world->things[i]) != BY_NOTHING)
            POV_TRY(write_body_file(output, pov_simulator_body(simulator, i), i));
    return pov_ok();
}

static int count_cast(const pov_world *world)
{
    int len = 0;
    for (int i = 0; i < world->thing_len; i++)
        len += way_of(world, &world->things[i]) != BY_NOTHING;
    return len;
}

/* All but the cameras. */
static void write_rest(FILE *stream, const pov_world *world, const char *under)
{
    if (world->tags.len > 0)
        fprintf(stream,
                "tags: {map: %stags.yaml, corner_std_px: 0.03} # prints are flat here, and the lens is known "
                "exactly\n",
                under);
    if (world->has_north)
        fprintf(stream, "north_deg: %.9g\n", world->north_yaw_rad / POV_DEG);
    fputs("cast:\n", stream);
    for (int i = 0; i < world->thing_len; i++)
        write_member(stream, world, &world->things[i], under);
}

static pov_status begin_station(pov_write_file *file, const sim_output *output, const pov_world *world)
{
    char path[SIM_PATH_CAPACITY];
    pov_sim_path(path, output->folder, "", "station", ".yaml");
    POV_TRY(pov_write_file_begin(file, path));
    fprintf(file->stream, "about: written by 'pov sim' - %s%s%s; simulated\n", output->world,
            *world->variant ? " " : "", world->variant);
    return pov_ok();
}

static bool has_station(const pov_world *world)
{
    return world->generator.kind == POV_GENERATOR_NONE && count_cast(world) > 0;
}

pov_status pov_sim_station_write(bool *is_there, const sim_output *output, const pov_simulator *simulator)
{
    const pov_world *world = pov_simulator_truth_of(simulator).world;
    pov_write_file file;
    *is_there = has_station(world);
    POV_TRY(write_calibration(output, &world->camera.lens));
    POV_TRY(write_tag_map(output, &world->tags));
    if (!*is_there)
        return pov_ok();
    POV_TRY(write_bodies(output, simulator, world));
    POV_TRY(begin_station(&file, output, world));
    write_source(file.stream, output, world);
    write_rest(file.stream, world, "");
    return pov_write_file_end(&file, pov_ok());
}

pov_status pov_sim_station_write_cameras(bool *is_there, const sim_output *output,
                                         const pov_simulator *simulator, const sim_camera *cameras, int len)
{
    const pov_world *world = pov_simulator_truth_of(simulator).world;
    char under[8];
    pov_write_file file;
    *is_there = has_station(world);
    if (!*is_there)
        return pov_ok();
    POV_TRY(begin_station(&file, output, world));
    fputs("cameras:\n", file.stream);
    for (int i = 0; i < len; i++) {
        snprintf(under, sizeof under, "%s/", cameras[i].id);
        fprintf(file.stream, "  - id: %s\n    ", cameras[i].id);
        write_camera(file.stream, output, world, "    ", under, &cameras[i], find_image_rate_hz(world));
    }
    snprintf(under, sizeof under, "%s/", cameras[0].id);
    write_rest(file.stream, world, under);
    return pov_write_file_end(&file, pov_ok());
}

/* ---- scenes ---- */

static void write_scene_camera(FILE *stream, const pov_entity *camera)
{
    write_place(stream, "camera:\n  position_m: ", camera->position.mean_m, "\n");
    write_rotation(stream, "  rotation: ", camera->R_table_box, "\n");
    write_sees(stream, camera, "  ");
}

static void write_scene_entity(FILE *stream, const pov_entity *entity)
{
    fprintf(stream, "  - id: \"%s\"\n    class: %s\n", entity->name, entity->class_name);
    write_place(stream, "    position_m: ", entity->position.mean_m, "\n");
    if (entity->shape == POV_SHAPE_SPHERE)
        fprintf(stream, "    size_m: %.9g\n    shape: sphere\n", entity->size_m.x);
    else
        write_place(stream, "    size_m: ", entity->size_m, "\n");
    write_yaw(stream, entity);
    if (entity->addressee)
        fputs("    addressee: true\n", stream);
    if (entity->can_see)
        write_sees(stream, entity, "    ");
}

pov_status pov_sim_scene_write(const sim_output *output, const pov_scene *scene, const char *name)
{
    char path[SIM_PATH_CAPACITY];
    pov_write_file file;
    pov_sim_path(path, output->folder, "scenes", name, ".yaml");
    POV_TRY(pov_write_file_begin(&file, path));
    fprintf(file.stream, "# The true scene of the simulated image %s.\n", name);
    if (scene->has_north)
        fprintf(file.stream, "north_deg: %.9g\n", scene->north_yaw_rad / POV_DEG);
    write_scene_camera(file.stream, &scene->entities[scene->camera]);
    fputs("entities:\n", file.stream);
    for (int i = 0; i < scene->len; i++)
        if (i != scene->camera)
            write_scene_entity(file.stream, &scene->entities[i]);
    return pov_write_file_end(&file, pov_ok());
}
