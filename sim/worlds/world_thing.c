/* Things and the camera of a world file. */
#include "sim/worlds/world_reader.h"

#include "calib/camera/intrinsics_file.h"
#include "config/scene/scene_entity.h"
#include "perception/image/image.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const lens_names[] = {"brown_conrady", "fisheye"};
static_assert(sizeof lens_names / sizeof *lens_names == POV_LENS_COUNT, "one name a lens");

/* ---- things ---- */

static int find_thing(const pov_world *world, const char *id)
{
    for (int i = 0; i < world->thing_len; i++)
        if (strcmp(world->things[i].entity.name, id) == 0)
            return i;
    return -1;
}

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

/* What the class says, before the file does. False after a complaint. */
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
        pov_world_thing_face(thing, yaw_deg * POV_WORLD_DEG);
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
    pov_world_read_colour(&look->colour, colour);
    look->has_colour = look->has_colour || pov_yaml_exists(colour);
    pov_yaml_integer(&variant, pov_yaml_get(node, "look"), 0, 1 << 30);
    look->variant = (uint64_t)variant;
}

static void read_thing(pov_world_thing *thing, bool is_new, pov_yaml_node node)
{
    pov_yaml_node position = pov_yaml_get(node, "position_m");
    if (!take_class(thing, is_new, node))
        return;
    if (is_new && !pov_yaml_exists(position))
        pov_yaml_complain(node, "has no position_m; give [x, y], or [x, y, z] of its centre");
    const bool has_z = pov_world_read_place(&thing->entity.position.mean_m, position);
    if (pov_yaml_exists(position))
        thing->has_height = has_z;
    pov_yaml_copy_string(thing->on, sizeof thing->on, pov_yaml_get(node, "on"));
    read_size(&thing->entity, pov_yaml_get(node, "size_m"));
    read_front(thing, node);
    read_sees(thing, node);
    read_look(&thing->look, node);
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

void pov_world_read_things(pov_world_reader *reader, pov_yaml_node things)
{
    pov_world *world = reader->world;
    for (int i = 0; i < pov_yaml_length(things) && !pov_yaml_failed(things.file); i++) {
        pov_yaml_node node = pov_yaml_at(things, i);
        char id[POV_NAME_CAPACITY] = "";
        pov_yaml_node id_node = pov_yaml_need(node, "id", "a name of its own");
        pov_yaml_copy_string(id, sizeof id, id_node);
        check_id(id, id_node);
        int index = find_thing(world, id);
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
        pov_world_read_path(world, &world->things[index], node);
    }
}

void pov_world_read_removed(pov_world_reader *reader, pov_yaml_node ids)
{
    pov_world *world = reader->world;
    for (int i = 0; i < pov_yaml_length(ids) && !pov_yaml_failed(ids.file); i++) {
        const char *id = "";
        pov_yaml_string(&id, pov_yaml_at(ids, i));
        const int index = find_thing(world, id);
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
    double angle_deg = camera->field_of_view_rad / POV_WORLD_DEG,
           size[2] = {camera->lens.width_px, camera->lens.height_px};
    int lens = (int)camera->lens.lens;
    pov_yaml_choice(&lens, pov_yaml_get(node, "lens"), lens_names, POV_LENS_COUNT);
    camera->lens.lens = (pov_lens)lens;
    pov_yaml_number(&angle_deg, view, 1, lens == POV_LENS_EQUIDISTANT ? 220 : 170);
    pov_yaml_numbers(size, pov_yaml_get(node, "size_px"), 2, 16, 4096);
    camera->lens.width_px = (int)size[0];
    camera->lens.height_px = (int)size[1];
    camera->field_of_view_rad = angle_deg * POV_WORLD_DEG;
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

void pov_world_read_camera(pov_world_camera *camera, pov_yaml_node node)
{
    pov_yaml_node rotation = pov_yaml_get(node, "rotation"), target = pov_yaml_get(node, "look_at_m");
    if (!pov_yaml_exists(node))
        return;
    read_intrinsics(camera, node);
    pov_yaml_vec3(&camera->position_m, pov_yaml_get(node, "position_m"), -POV_WORLD_LENGTH_MAX_M,
                  POV_WORLD_LENGTH_MAX_M);
    pov_yaml_vec3(&camera->look_at_m, target, -POV_WORLD_LENGTH_MAX_M, POV_WORLD_LENGTH_MAX_M);
    pov_yaml_rotation(&camera->R_table_camera, rotation);
    if (pov_yaml_exists(rotation) && pov_yaml_exists(target))
        pov_yaml_complain(rotation, "excludes look_at_m; give one");
    if (pov_yaml_exists(rotation) || pov_yaml_exists(target))
        camera->has_rotation = pov_yaml_exists(rotation);
    if (!camera->has_rotation && pov_vec3_norm(pov_vec3_sub(camera->look_at_m, camera->position_m)) < 1e-6)
        pov_yaml_complain(node, "looks at the very place where it is; give another look_at_m");
}
