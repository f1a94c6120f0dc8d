#include "sim/worlds/world_file.h"

#include "calib/camera/intrinsics_file.h"
#include "calib/tags/tag_map_file.h"
#include "config/files/nearest_name.h"
#include "config/scene/scene_entity.h"
#include "config/yaml/yaml_file.h"
#include "perception/image/colour.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond these a unit was mistaken. */
#define LENGTH_MAX_M 1e4
#define DEG          POV_DEG

/* A world while parts of its file are laid over it. */
typedef struct {
    pov_world *world;
    pov_yaml_node thing_nodes[POV_WORLD_THING_MAX]; /* that spoke last of each thing */
    pov_yaml_node motion_node;
} world_reader;

static const char *const surface_names[] = {"plain", "wood", "tiles"};
static_assert(sizeof surface_names / sizeof *surface_names == POV_SURFACE_COUNT, "one name a surface");
static const char *const preset_names[] = {"clean", "noisy", "blurred"};
enum { PRESETS = sizeof preset_names / sizeof *preset_names };

/* "#rrggbb" or a name that balls know. */
static void read_colour(uint32_t *colour, pov_yaml_node node)
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

/* [x, y] or [x, y, z]; returns whether there was a z. */
static bool read_place(pov_vec3 *place_m, pov_yaml_node node)
{
    double numbers[3] = {0};
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return false;
    const bool has_z = pov_yaml_is_list(node) && pov_yaml_length(node) == 3;
    pov_yaml_numbers(numbers, node, has_z ? 3 : 2, -LENGTH_MAX_M, LENGTH_MAX_M);
    *place_m = (pov_vec3){numbers[0], numbers[1], has_z ? numbers[2] : place_m->z};
    return has_z;
}

/* ---- what is around the things ---- */

static void read_light_colour(float linear[3], pov_yaml_node node)
{
    uint32_t colour = 0;
    read_colour(&colour, node);
    if (pov_yaml_exists(node))
        pov_albedo_from_srgb(linear, colour);
}

/* A light's given keys; the others stay. */
static void read_light(pov_lighting *lighting, pov_yaml_node node)
{
    pov_yaml_node lamp = pov_yaml_get(node, "lamp_m");
    pov_yaml_vec3(&lighting->lamp_m, lamp, -LENGTH_MAX_M, LENGTH_MAX_M);
    if (pov_yaml_exists(lamp) && !(lighting->lamp_m.z > 0))
        pov_yaml_complain(lamp, "is at or under the ground; give a height above 0");
    pov_yaml_number(&lighting->lamp_radius_m, pov_yaml_get(node, "lamp_radius_m"), 0, 1e3);
    pov_yaml_number(&lighting->lamp_strength, pov_yaml_get(node, "lamp_strength"), 0, 10);
    read_light_colour(lighting->lamp_colour, pov_yaml_get(node, "lamp_color"));
    pov_yaml_number(&lighting->ambient, pov_yaml_get(node, "ambient"), 0, 10);
    read_light_colour(lighting->sky, pov_yaml_get(node, "sky"));
    pov_yaml_bool(&lighting->shadows, pov_yaml_get(node, "shadows"));
}

/* ---- paths and lights over time ---- */

static const double time_max_s = 1e6, turn_max_deg = 3.6e5; /* bounds of a path; chosen */

/* Later than the one before it. */
static void read_time(double *at_s, double before_s, pov_yaml_node node)
{
    pov_yaml_node time = pov_yaml_need(node, "at_s", "seconds after the start");
    pov_yaml_number(at_s, time, 0, time_max_s);
    if (!pov_yaml_failed(node.file) && !(*at_s > before_s))
        pov_yaml_complain(time, "is not after the one before it, at %g s", before_s);
}

static void read_turn(double *yaw_rad, pov_yaml_node node)
{
    double yaw_deg = *yaw_rad / DEG;
    pov_yaml_node front = pov_yaml_get(node, "front_deg"), yaw = pov_yaml_get(node, "yaw_deg");
    if (pov_yaml_exists(front) && pov_yaml_exists(yaw))
        pov_yaml_complain(yaw, "excludes front_deg, with which the body turns; give one");
    pov_yaml_number(&yaw_deg, front, -turn_max_deg, turn_max_deg);
    pov_yaml_number(&yaw_deg, yaw, -turn_max_deg, turn_max_deg);
    *yaw_rad = yaw_deg * DEG;
}

/* A key that a waypoint omits keeps the value of the waypoint before. */
static void read_waypoint(pov_world_waypoint *point, pov_yaml_node node)
{
    read_time(&point->at_s, point->at_s, node);
    pov_yaml_node position = pov_yaml_get(node, "position_m");
    if (pov_yaml_exists(position) && !read_place(&point->pos_m, position))
        point->pos_m.z = NAN;
    read_turn(&point->yaw_rad, node);
}

static void read_path(pov_world *world, pov_world_thing *thing, pov_yaml_node thing_node)
{
    pov_yaml_node node = pov_yaml_get(thing_node, "path");
    const pov_rot *R = &thing->entity.R_table_box;
    const pov_vec3 rest_m = thing->entity.position.mean_m;
    pov_world_waypoint point = {.pos_m = {rest_m.x, rest_m.y, thing->has_height ? rest_m.z : NAN},
                                .yaw_rad = atan2(R->m[1][0], R->m[0][0])};
    const int len = pov_yaml_length(node);
    if (len == 0)
        return;
    if (world->waypoint_len + len + 1 > POV_WORLD_WAYPOINT_MAX) {
        pov_yaml_complain(node, "a world has at most %d waypoints, each path's start counted",
                          POV_WORLD_WAYPOINT_MAX);
        return;
    }
    read_turn(&point.yaw_rad, thing_node); /* by its degrees, not wrapped */
    thing->path_first = world->waypoint_len;
    thing->path_len = len + 1;
    world->waypoints[world->waypoint_len++] = point;
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
        read_waypoint(&point, pov_yaml_at(node, i));
        world->waypoints[world->waypoint_len++] = point;
    }
}

static void read_lights(pov_world *world, pov_yaml_node node)
{
    pov_world_light light = {0, world->lighting};
    const int len = pov_yaml_length(node);
    if (len == 0)
        return;
    if (len + 1 > POV_WORLD_LIGHT_MAX) {
        pov_yaml_complain(node, "at most %d lights", POV_WORLD_LIGHT_MAX - 1);
        return;
    }
    world->lights[0] = light;
    world->light_len = 1;
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
        pov_yaml_node next = pov_yaml_at(node, i);
        read_time(&light.at_s, light.at_s, next);
        read_light(&light.lighting, next);
        world->lights[world->light_len++] = light;
    }
}

/* ---- things and cameras ---- */

static const char *const lens_names[] = {"brown_conrady", "fisheye"};
static_assert(sizeof lens_names / sizeof *lens_names == POV_LENS_COUNT, "one name a lens");

/* ---- things ---- */

static pov_vec3 as_long_as(pov_vec3 size_m, double longest_m)
{
    return pov_vec3_scale(size_m, longest_m / fmax(size_m.x, fmax(size_m.y, size_m.z)));
}

/* Three sides, or the longest of a body in its class's own proportions. */
static void read_size(pov_entity *entity, pov_yaml_node node)
{
    double longest_m = NAN;
    if (pov_yaml_is_list(node)) {
        pov_yaml_vec3(&entity->size_m, node, 1e-4, 1e3);
        return;
    }
    pov_yaml_number(&longest_m, node, 1e-4, 1e3);
    if (!isnan(longest_m))
        entity->size_m = as_long_as(pov_catalogue_find(entity->class_name)->size_m, longest_m);
}

/* Takes the class's defaults; the file's keys override them. False after a complaint. */
static bool take_class(pov_world_thing *thing, bool is_new, pov_yaml_node node)
{
    pov_yaml_node class_node = pov_yaml_get(node, "class");
    const char *class_name = thing->entity.name;
    pov_yaml_string(&class_name, class_node);
    if (pov_yaml_failed(node.file) || (!is_new && !pov_yaml_exists(class_node)))
        return !pov_yaml_failed(node.file);
    const pov_status status = pov_world_thing_become(thing, class_name);
    if (status.code != POV_OK)
        pov_yaml_complain(pov_yaml_exists(class_node) ? class_node : node, "%s%s", status.message,
                          pov_yaml_exists(class_node) ? "" : "; give class: one of those");
    return status.code == POV_OK;
}

static void read_front(pov_world_thing *thing, pov_yaml_node node)
{
    pov_yaml_node front = pov_yaml_get(node, "front_deg"), yaw = pov_yaml_get(node, "yaw_deg");
    double yaw_deg = NAN;
    if (pov_yaml_exists(front) && thing->entity.heading.len == 0)
        pov_yaml_complain(front, "a %s has no front; write yaw_deg for how it lies",
                          thing->entity.class_name);
    if (pov_yaml_exists(front) && pov_yaml_exists(yaw))
        pov_yaml_complain(yaw, "excludes front_deg, with which the body turns; give one");
    pov_yaml_number(&yaw_deg, front, -360, 360);
    pov_yaml_number(&yaw_deg, yaw, -360, 360);
    if (!isnan(yaw_deg))
        pov_world_thing_face(thing, yaw_deg * DEG);
}

/* An addressee sees, from the class's own eye unless the file says otherwise. */
static void read_sees(pov_world_thing *thing, pov_yaml_node node)
{
    pov_entity *entity = &thing->entity;
    pov_yaml_node sees = pov_yaml_get(node, "sees");
    pov_yaml_bool(&entity->addressee, pov_yaml_get(node, "addressee"));
    if (pov_yaml_exists(sees))
        pov_scene_read_sees(entity, sees);
    else if (entity->addressee && !entity->can_see)
        pov_world_thing_open_eyes(thing);
    if (entity->can_see && !pov_yaml_exists(pov_yaml_get(sees, "eye_m")))
        entity->field.eye_m = pov_world_thing_eye_m(thing);
}

static void read_look(pov_look *look, pov_yaml_node node)
{
    pov_yaml_node colour = pov_yaml_get(node, "color");
    int variant = (int)look->variant;
    read_colour(&look->colour, colour);
    look->has_colour = look->has_colour || pov_yaml_exists(colour);
    pov_yaml_integer(&variant, pov_yaml_get(node, "look"), 0, 1 << 30);
    look->variant = (uint64_t)variant;
}

static void read_pointing(pov_world_thing *thing, pov_yaml_node node)
{
    if (!pov_yaml_exists(node))
        return;
    thing->points = true;
    *thing->points_at = '\0';
    if (pov_yaml_is_list(node))
        pov_yaml_vec3(&thing->points_at_m, node, -LENGTH_MAX_M, LENGTH_MAX_M);
    else
        pov_yaml_copy_name(thing->points_at, sizeof thing->points_at, node);
}

static void read_thing(pov_world_thing *thing, bool is_new, pov_yaml_node node)
{
    pov_yaml_node position = pov_yaml_get(node, "position_m");
    if (!take_class(thing, is_new, node))
        return;
    if (is_new && !pov_yaml_exists(position))
        pov_yaml_complain(node, "has no position_m; give [x, y], or [x, y, z] of its centre");
    const bool has_z = read_place(&thing->entity.position.mean_m, position);
    if (pov_yaml_exists(position))
        thing->has_height = has_z;
    pov_yaml_copy_name(thing->on, sizeof thing->on, pov_yaml_get(node, "on"));
    read_size(&thing->entity, pov_yaml_get(node, "size_m"));
    read_front(thing, node);
    read_sees(thing, node);
    read_look(&thing->look, node);
    read_pointing(thing, pov_yaml_get(node, "points_at"));
}

static void check_id(const char *id, pov_yaml_node node)
{
    if (pov_yaml_failed(node.file))
        return;
    bool good = *id != '\0' && *id != ' ';
    for (const char *c = id; *c; c++)
        good = good && (unsigned char)*c >= ' ' && *c != 0x7f && *c != '"' && *c != '\\';
    if (!good)
        pov_yaml_complain(node, "must be printable text without quotes; write e.g. ball_1");
    if (strcmp(id, "camera") == 0 || strcmp(id, "turntable") == 0)
        pov_yaml_complain(node, "'%s' is taken; choose another id", id);
}

static void read_things(world_reader *reader, pov_yaml_node things)
{
    pov_world *world = reader->world;
    for (int i = 0; i < pov_yaml_length(things) && !pov_yaml_failed(things.file); i++) {
        pov_yaml_node node = pov_yaml_at(things, i);
        char id[POV_NAME_CAPACITY] = "";
        pov_yaml_node id_node = pov_yaml_need(node, "id", "a name of its own");
        pov_yaml_copy_name(id, sizeof id, id_node);
        check_id(id, id_node);
        int index = pov_world_find(world, id);
        const bool is_new = index < 0;
        if (is_new && world->thing_len == POV_WORLD_THING_MAX) {
            pov_yaml_complain(node, "at most %d things", POV_WORLD_THING_MAX);
            return;
        }
        for (int j = 0; j < i; j++) /* twice in one list is a slip; in a variant's it lays over */
            if (!is_new && reader->thing_nodes[index].index == pov_yaml_at(things, j).index)
                pov_yaml_complain(node, "'%s' is there already on line %d; give each thing an id of its own",
                                  id, pov_yaml_line(pov_yaml_at(things, j)));
        if (is_new) {
            index = world->thing_len++;
            world->things[index] = (pov_world_thing){.entity = pov_entity_named(id, id)};
        }
        reader->thing_nodes[index] = node;
        read_thing(&world->things[index], is_new, node);
        read_path(world, &world->things[index], node);
    }
}

static void read_removed(world_reader *reader, pov_yaml_node ids)
{
    pov_world *world = reader->world;
    for (int i = 0; i < pov_yaml_length(ids) && !pov_yaml_failed(ids.file); i++) {
        const char *id = "";
        pov_yaml_string(&id, pov_yaml_at(ids, i));
        const int index = pov_world_find(world, id);
        if (index < 0) {
            pov_yaml_complain(pov_yaml_at(ids, i), "no thing '%s' to remove", id);
            return;
        }
        world->thing_len--;
        for (int k = index; k < world->thing_len; k++) {
            world->things[k] = world->things[k + 1];
            reader->thing_nodes[k] = reader->thing_nodes[k + 1];
        }
    }
}

/* ---- the camera ---- */

static void read_lens(pov_world_camera *camera, pov_yaml_node node)
{
    pov_yaml_node view = pov_yaml_get(node, "field_of_view_deg"),
                  distortion = pov_yaml_get(node, "distortion");
    double angle_deg = camera->field_of_view_rad / DEG,
           size[2] = {camera->lens.width_px, camera->lens.height_px};
    int lens = (int)camera->lens.lens;
    pov_yaml_choice(&lens, pov_yaml_get(node, "lens"), lens_names, POV_LENS_COUNT);
    camera->lens.lens = (pov_lens)lens;
    pov_yaml_number(&angle_deg, view, 1, lens == POV_LENS_EQUIDISTANT ? 220 : 170);
    pov_yaml_numbers(size, pov_yaml_get(node, "size_px"), 2, 16, 4096);
    camera->lens.width_px = (int)size[0];
    camera->lens.height_px = (int)size[1];
    camera->field_of_view_rad = angle_deg * DEG;
    const int len = pov_yaml_length(distortion), most = lens == POV_LENS_EQUIDISTANT ? 4 : POV_DISTORTION_MAX;
    if (len > most)
        pov_yaml_complain(distortion, "has %d coefficients; this lens has at most %d", len, most);
    else if (pov_yaml_exists(distortion) && !pov_yaml_failed(node.file)) {
        memset(camera->lens.distortion, 0, sizeof camera->lens.distortion);
        pov_yaml_numbers(camera->lens.distortion, distortion, len, -100, 100);
    }
}

static void read_calibration(pov_world_camera *camera, pov_yaml_node node)
{
    char path[1024] = "";
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_relative_path(path, sizeof path, node);
    if (pov_yaml_failed(node.file))
        return;
    const pov_status status = pov_intrinsics_read(&camera->lens, path);
    if (status.code != POV_OK)
        pov_yaml_complain(node, "%s", status.message);
    else if (camera->lens.width_px > 4096 || camera->lens.height_px > 4096)
        pov_yaml_complain(node, "is of a camera of %d x %d pixels; at most 4096 x 4096 are drawn",
                          camera->lens.width_px, camera->lens.height_px);
    camera->field_of_view_rad = 0;
}

static void read_intrinsics(pov_world_camera *camera, pov_yaml_node node)
{
    pov_yaml_node calibration = pov_yaml_get(node, "calibration"),
                  view = pov_yaml_get(node, "field_of_view_deg");
    if (pov_yaml_exists(calibration) && pov_yaml_exists(view))
        pov_yaml_complain(view, "excludes calibration; give one");
    if (pov_yaml_exists(calibration) || (camera->field_of_view_rad <= 0 && !pov_yaml_exists(view)))
        read_calibration(camera, calibration);
    else
        read_lens(camera, node);
}

static void read_camera(pov_world_camera *camera, pov_yaml_node node)
{
    pov_yaml_node rotation = pov_yaml_get(node, "rotation"), target = pov_yaml_get(node, "look_at_m");
    if (!pov_yaml_exists(node))
        return;
    read_intrinsics(camera, node);
    pov_yaml_vec3(&camera->position_m, pov_yaml_get(node, "position_m"), -LENGTH_MAX_M, LENGTH_MAX_M);
    pov_yaml_vec3(&camera->look_at_m, target, -LENGTH_MAX_M, LENGTH_MAX_M);
    pov_yaml_rotation(&camera->R_table_camera, rotation);
    if (pov_yaml_exists(rotation) && pov_yaml_exists(target))
        pov_yaml_complain(rotation, "excludes look_at_m; give one");
    if (pov_yaml_exists(rotation) || pov_yaml_exists(target))
        camera->has_rotation = pov_yaml_exists(rotation);
    if (!camera->has_rotation && pov_vec3_norm(pov_vec3_sub(camera->look_at_m, camera->position_m)) < 1e-6)
        pov_yaml_complain(node, "looks at the very place where it is; give another look_at_m");
}

/* ---- tags ---- */

static void add_tag(pov_tag_map *map, const pov_tag_map_entry *tag, const pov_world *world,
                    pov_yaml_node node)
{
    if (pov_yaml_failed(node.file))
        return;
    if (pov_tag_map_find(&world->tags, tag->family, tag->id) ||
        pov_tag_map_find(&world->disc_tags, tag->family, tag->id))
        pov_yaml_complain(node, "%s %d is there already; each printed tag has a number of its own",
                          pov_tag_family_name(tag->family), tag->id);
    else if (map->len == POV_TAG_MAP_MAX)
        pov_yaml_complain(node, "at most %d tags", POV_TAG_MAP_MAX);
    else
        map->tags[map->len++] = *tag;
}

/* Lies face up; read with its top away from -y at yaw 0. */
static pov_tag_map_entry lying_tag(int family, int id, double edge_m, pov_vec3 place_m, double yaw_rad)
{
    return (pov_tag_map_entry){.family = (pov_tag_family)family,
                               .id = id,
                               .edge_m = edge_m,
                               .T_table_tag = pov_pose_exact((pov_transform){pov_rot_yaw(yaw_rad), place_m})};
}

static void read_lying(pov_world *world, pov_yaml_node list, int family, double edge_m)
{
    for (int i = 0; i < pov_yaml_length(list) && !pov_yaml_failed(list.file); i++) {
        pov_yaml_node node = pov_yaml_at(list, i);
        int id = 0;
        double own_edge_m = edge_m, yaw_deg = 0;
        pov_vec3 place_m = {0};
        pov_yaml_integer(&id, pov_yaml_need(node, "id", "the tag's number in its family"), 0, 1 << 16);
        (void)read_place(&place_m, pov_yaml_need(node, "position_m", "the tag's centre: [x, y]"));
        pov_yaml_number(&yaw_deg, pov_yaml_get(node, "yaw_deg"), -360, 360);
        pov_yaml_number(&own_edge_m, pov_yaml_get(node, "edge_m"), 1e-3, 100);
        const pov_tag_map_entry tag = lying_tag(family, id, own_edge_m, place_m, yaw_deg * DEG);
        add_tag(&world->tags, &tag, world, node);
    }
}

/* A ring on the turntable's disc, each read from outside. */
static void read_ring(pov_world *world, pov_yaml_node node, int family, double edge_m)
{
    const pov_world_turntable *disc = &world->turntable;
    int first = 0, count = 8;
    if (!pov_yaml_exists(node))
        return;
    if (!disc->present) {
        pov_yaml_complain(node, "lies on the turntable, but the world has none; add turntable: {...}");
        return;
    }
    pov_yaml_integer(&first, pov_yaml_get(node, "first_id"), 0, 1 << 16);
    pov_yaml_integer(&count, pov_yaml_get(node, "count"), 1, POV_TAG_MAP_MAX);
    pov_yaml_number(&edge_m, pov_yaml_get(node, "edge_m"), 1e-3, 100);
    double radius_m = disc->radius_m - edge_m;
    pov_yaml_number(&radius_m, pov_yaml_get(node, "radius_m"), 0, disc->radius_m);
    for (int i = 0; i < count; i++) {
        const double angle_rad = 2 * POV_PI * i / count;
        const pov_vec3 place_m = {disc->centre_m.x + radius_m * cos(angle_rad),
                                  disc->centre_m.y + radius_m * sin(angle_rad), disc->height_m};
        const pov_tag_map_entry tag = lying_tag(family, first + i, edge_m, place_m, angle_rad + POV_PI / 2);
        add_tag(&world->disc_tags, &tag, world, node);
    }
}

static void read_tags(pov_world *world, pov_yaml_node node)
{
    int family = POV_TAG36H11;
    double edge_m = 0.06;
    char path[1024] = "";
    if (!pov_yaml_exists(node))
        return;
    pov_tag_family_read(&family, pov_yaml_get(node, "family"));
    pov_yaml_number(&edge_m, pov_yaml_get(node, "edge_m"), 1e-3, 100);
    pov_yaml_node map = pov_yaml_get(node, "map"), lying = pov_yaml_get(node, "lying");
    pov_yaml_relative_path(path, sizeof path, map);
    if (pov_yaml_exists(map) && !pov_yaml_failed(node.file)) {
        pov_yaml_complain_of(map, pov_tag_map_read(&world->tags, path));
    } else if (pov_yaml_exists(lying)) {
        world->tags.len = 0;
    }
    read_lying(world, lying, family, edge_m);
    if (pov_yaml_exists(pov_yaml_get(node, "ring")))
        world->disc_tags.len = 0;
    read_ring(world, pov_yaml_get(node, "ring"), family, edge_m);
}

/* ---- the whole file ---- */

static void read_surface(pov_world_surface *surface, pov_yaml_node node)
{
    double size_m[2] = {surface->size_m.x, surface->size_m.y};
    int look = surface->look;
    pov_yaml_numbers(size_m, pov_yaml_get(node, "size_m"), 2, 1e-3, LENGTH_MAX_M);
    read_colour(&surface->colour, pov_yaml_get(node, "color"));
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
    pov_yaml_numbers(centre_m, pov_yaml_get(node, "position_m"), 2, -LENGTH_MAX_M, LENGTH_MAX_M);
    turntable->centre_m = (pov_vec2){centre_m[0], centre_m[1]};
    pov_yaml_node radius = pov_yaml_get(node, "radius_m");
    if (turntable->radius_m <= 0 && !pov_yaml_exists(radius))
        pov_yaml_complain(node, "has no radius_m; give the disc's");
    pov_yaml_number(&turntable->radius_m, radius, 1e-3, 1e3);
    pov_yaml_number(&turntable->height_m, pov_yaml_get(node, "height_m"), 1e-3, 10);
    read_colour(&turntable->colour, pov_yaml_get(node, "color"));
}

static void read_motion(world_reader *reader, pov_yaml_node node)
{
    pov_world_motion *motion = &reader->world->motion;
    if (!pov_yaml_exists(node))
        return;
    reader->motion_node = node;
    double start_deg = motion->start_rad / DEG;
    if (motion->steps == 0)
        motion->steps = 36;
    pov_yaml_integer(&motion->steps, pov_yaml_get(node, "steps"), 1, POV_WORLD_IMAGE_MAX);
    pov_yaml_number(&start_deg, pov_yaml_get(node, "start_deg"), -360, 360);
    pov_yaml_number(&motion->period_s, pov_yaml_get(node, "period_s"), 0.01, 1e6);
    motion->start_rad = start_deg * DEG;
    pov_yaml_node orbit = pov_yaml_get(node, "orbit");
    if (!pov_yaml_exists(orbit))
        return;
    motion->is_orbit = true;
    pov_yaml_copy_name(motion->orbiting, sizeof motion->orbiting,
                       pov_yaml_need(orbit, "thing", "the id of what goes round"));
    pov_yaml_copy_name(motion->about, sizeof motion->about,
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

/* Isle-Brick, appendix B: things in the middle are shown larger by a factor. */
static void narrow_view(pov_world_camera *camera, double factor)
{
    const double half_rad = camera->field_of_view_rad / 2;
    if (half_rad > 0)
        camera->field_of_view_rad =
            2 *
            (camera->lens.lens == POV_LENS_EQUIDISTANT ? half_rad / factor : atan(tan(half_rad) / factor));
    camera->lens.fx_px *= factor;
    camera->lens.fy_px *= factor;
}

static void read_generators(pov_world_generator *generator, pov_world_camera *camera, pov_yaml_node root)
{
    double zoom_percent = 0;
    pov_yaml_node vpt = pov_yaml_get(root, "vpt"), tabletop = pov_yaml_get(root, "tabletop");
    if (pov_yaml_exists(vpt) && pov_yaml_exists(tabletop))
        pov_yaml_complain(tabletop, "excludes vpt; a world has one generator");
    if (pov_yaml_exists(vpt)) {
        if (generator->kind != POV_GENERATOR_VPT)
            *generator = (pov_world_generator){.kind = POV_GENERATOR_VPT, .distance_m = 0.1};
        pov_yaml_number(&generator->distance_m, pov_yaml_get(vpt, "distance_m"), 0.05, 10);
        pov_yaml_bool(&generator->is_absent, pov_yaml_get(vpt, "absent"));
        pov_yaml_number(&zoom_percent, pov_yaml_get(vpt, "zoom_percent"), 0, 400);
        generator->is_zoomed |= zoom_percent > 0;
        narrow_view(camera, 1 + zoom_percent / 100);
        pov_yaml_bool(&generator->has_compass, pov_yaml_get(vpt, "compass"));
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
    world->north_yaw_rad = pov_angle_wrap(north_deg * DEG);
}

/* The keys of the whole file and of each variant. */
static void read_part(world_reader *reader, pov_yaml_node part)
{
    pov_world *world = reader->world;
    double seed = (double)world->seed;
    pov_yaml_copy_string(world->about, sizeof world->about, pov_yaml_get(part, "about"));
    read_north(world, pov_yaml_get(part, "north_deg"));
    read_camera(&world->camera, pov_yaml_get(part, "camera"));
    read_light(&world->lighting, pov_yaml_get(part, "lighting"));
    read_lights(world, pov_yaml_get(pov_yaml_get(part, "lighting"), "path"));
    read_surface(&world->surface, pov_yaml_get(part, "surface"));
    read_turntable(&world->turntable, pov_yaml_get(part, "turntable"));
    read_removed(reader, pov_yaml_get(part, "remove"));
    read_things(reader, pov_yaml_get(part, "things"));
    read_tags(world, pov_yaml_get(part, "tags"));
    read_motion(reader, pov_yaml_get(part, "motion"));
    read_sensor(world, pov_yaml_get(part, "sensor"));
    read_generators(&world->generator, &world->camera, part);
    pov_yaml_integer(&world->image_len, pov_yaml_get(part, "images"), 1, POV_WORLD_IMAGE_MAX);
    pov_yaml_number(&world->rate_hz, pov_yaml_get(part, "rate_hz"), 0, 1e4);
    pov_yaml_number(&seed, pov_yaml_get(part, "seed"), 0, 9e15);
    world->seed = (uint64_t)seed;
}

static void settle_world(world_reader *reader, pov_yaml_node part)
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
        pov_yaml_copy_name(name, POV_NAME_CAPACITY,
                           pov_yaml_need(variant, "name", "what to call this variant"));
        if (!pov_yaml_failed(variants.file) && (!*name || strpbrk(name, "+/ ")))
            pov_yaml_complain(variant, "'%s' must be a word without blanks, + and /", name);
    }
}

/* Each variant once on a world of its own, so that mistakes in any come to light. */
static void check_variants(const world_reader *plain, pov_yaml_node variants)
{
    pov_world *scratch = malloc(sizeof *scratch);
    POV_REQUIRE_MEMORY(scratch);
    for (int i = 0; i < plain->world->variant_len && !pov_yaml_failed(variants.file); i++) {
        world_reader reader = *plain;
        *scratch = *plain->world;
        reader.world = scratch;
        read_part(&reader, pov_yaml_at(variants, i));
        settle_world(&reader, pov_yaml_at(variants, i));
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
    return pov_error("%s: has no variant '%s'; %s '%s'%s", path, name,
                     nearest ? "did you mean" : "the first is", nearest ? nearest : names[0],
                     nearest ? "?" : "; 'pov sim --list' lists all");
}

static pov_status apply_chosen(world_reader *reader, pov_yaml_node variants, const char *path,
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
    world_reader reader = {.world = world};
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
    settle_world(&reader, root);
    return pov_yaml_finish(file);
}

pov_status pov_world_file_read(pov_world *world, const char *path, const char *variant)
{
    return pov_world_file_parse(world, path, NULL, 0, variant);
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
