#include "config/scene/scene_file.h"

#include "config/scene/scene_entity.h"
#include "config/scene/scene_file_internal.h"
#include "perception/scene/imagined_viewer.h"

#include <math.h>

int pov_scene_count_entities(pov_yaml_node entities)
{
    int length = pov_yaml_length(entities);
    if (length > POV_ENTITY_MAX)
        pov_yaml_complain(entities, "lists %d entities; at most %d are allowed: leave some out", length,
                          POV_ENTITY_MAX);
    return length > POV_ENTITY_MAX ? 0 : length;
}

void pov_scene_append(pov_scene *scene, const pov_entity *entity, pov_yaml_node node)
{
    pov_id id;
    if (pov_yaml_failed(node.file))
        return;
    pov_yaml_complain_of(node, pov_scene_add(scene, &id, entity));
}

/* The direction of the image's top where the camera looks straight up or down: north, else table +y. */
static pov_vec3 up_of_vertical_view(const pov_scene *scene)
{
    if (!scene->has_north)
        return (pov_vec3){0, 1, 0};
    return (pov_vec3){cos(scene->north_yaw_rad), sin(scene->north_yaw_rad), 0};
}

static void look_at(pov_transform *T, const pov_scene *scene, pov_yaml_node target)
{
    pov_vec3 target_m = {NAN, NAN, NAN};
    pov_yaml_vec3(&target_m, target, -POV_SCENE_POSITION_MAX_M, POV_SCENE_POSITION_MAX_M);
    if (!pov_yaml_exists(target) || pov_yaml_failed(target.file))
        return;
    pov_vec3 eye_m = T->t_m, axis_m = pov_vec3_sub(target_m, eye_m);
    if (pov_vec3_norm(axis_m) < 1e-6) {
        pov_yaml_complain(target, "is where the camera is; give a point that it looks at");
        return;
    }
    bool vertical = hypot(axis_m.x, axis_m.y) < 1e-6 * fabs(axis_m.z);
    *T = pov_transform_look_at(eye_m, target_m, vertical ? up_of_vertical_view(scene) : (pov_vec3){0, 0, 1});
}

/* Independent errors, alike in all directions. */
static void read_pose_noise(pov_pose *pose, pov_yaml_node camera)
{
    double position_std_m = 0, rotation_std_deg = 0;
    pov_yaml_number(&position_std_m, pov_yaml_get(camera, "position_std_m"), 0, 100);
    pov_yaml_number(&rotation_std_deg, pov_yaml_get(camera, "rotation_std_deg"), 0, 90);
    for (int i = 0; i < 3; i++) {
        pose->cov[i][i] = pow(pov_scene_rad(rotation_std_deg), 2);
        pose->cov[i + 3][i + 3] = position_std_m * position_std_m;
    }
}

static void read_camera(pov_scene *scene, pov_yaml_node camera)
{
    if (!pov_yaml_exists(camera))
        return;
    pov_pose pose = pov_pose_exact(pov_transform_identity());
    pov_yaml_node rotation = pov_yaml_get(camera, "rotation"), target = pov_yaml_get(camera, "look_at_m");
    pov_yaml_vec3(&pose.T.t_m, pov_yaml_need(camera, "position_m", "where the camera is: [x, y, z]"),
                  -POV_SCENE_POSITION_MAX_M, POV_SCENE_POSITION_MAX_M);
    if (pov_yaml_exists(rotation) == pov_yaml_exists(target))
        pov_yaml_complain(camera,
                          "gives %s of look_at_m (a point) and rotation (the camera's x right, y down, "
                          "z forward as columns); give exactly one",
                          pov_yaml_exists(target) ? "both" : "none");
    pov_yaml_rotation(&pose.T.R, rotation);
    look_at(&pose.T, scene, target);
    read_pose_noise(&pose, camera);
    if (pov_yaml_failed(camera.file))
        return;
    pov_status status = pov_scene_add_camera(scene, &pose);
    if (status.code != POV_OK)
        pov_yaml_complain(camera, "%s", status.message);
    else
        pov_scene_read_sees(&scene->entities[scene->camera], pov_yaml_get(camera, "sees"));
}

static void read_north(pov_scene *scene, pov_yaml_node north)
{
    double north_deg = 0;
    pov_yaml_number(&north_deg, north, -360, 360);
    scene->has_north = pov_yaml_exists(north);
    scene->north_yaw_rad = scene->has_north ? pov_angle_wrap(pov_scene_rad(north_deg)) : NAN;
}

static void read_entities(pov_scene *scene, pov_yaml_node entities)
{
    int lines[POV_ENTITY_MAX] = {0};
    int length = pov_scene_count_entities(entities);
    if (length == 0)
        pov_yaml_complain(entities, "lists no entity; give at least one");
    for (int i = 0; i < length && !pov_yaml_failed(entities.file); i++) {
        pov_yaml_node node = pov_yaml_at(entities, i);
        pov_entity entity;
        pov_scene_read_entity(&entity, node);
        pov_id same = pov_scene_find(scene, entity.name);
        if (same != POV_ID_NONE && same == scene->camera)
            pov_yaml_complain(node, "the id 'camera' is the camera's own; give this entity another");
        else if (same != POV_ID_NONE)
            pov_yaml_complain(node,
                              "the id '%s' is there already on line %d; give each entity one of its own",
                              entity.name, lines[same]);
        if (scene->len < POV_ENTITY_MAX)
            lines[scene->len] = pov_yaml_line(node);
        pov_scene_append(scene, &entity, node);
    }
}

static pov_id read_named(const pov_scene *scene, pov_yaml_node name)
{
    const char *text = NULL;
    pov_yaml_string(&text, name);
    const pov_id id = text ? pov_scene_find(scene, text) : POV_ID_NONE;
    if (text && id == POV_ID_NONE)
        pov_yaml_complain(name, "the scene has no '%s'", text);
    return id;
}

/* Hypothetical viewers stand at what may be listed behind them. */
static void read_imagined(pov_scene *scene, pov_yaml_node entities)
{
    for (int i = 0; i < pov_yaml_length(entities) && !pov_yaml_failed(entities.file); i++) {
        static const char *const own[] = {"position_m", "position_std_m", "position_cov_m2", "size_m",
                                          "front_deg",  "front",          "yaw_deg",         "rotation"};
        pov_yaml_node node = pov_yaml_at(entities, i), at = pov_yaml_get(node, "at"),
                      facing = pov_yaml_get(node, "facing");
        if (!pov_yaml_exists(at) && !pov_yaml_exists(facing))
            continue;
        if (!pov_yaml_exists(at) || !pov_yaml_exists(facing))
            pov_yaml_complain(node, "gives %s alone; a hypothetical viewer needs both: at: stove, facing: tv",
                              pov_yaml_exists(at) ? "at" : "facing");
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            if (pov_yaml_exists(pov_yaml_get(node, own[k])))
                pov_yaml_complain(
                    node,
                    "gives at and %s; a hypothetical viewer has the place of what it stands at, "
                    "and no body; leave %s out",
                    own[k], own[k]);
        const pov_id viewer = read_named(scene, pov_yaml_get(node, "id")), stands_at = read_named(scene, at),
                     faced = read_named(scene, facing);
        if (pov_yaml_failed(entities.file))
            return;
        scene->entities[viewer].addressee = scene->entities[viewer].is_hypothetical = true;
        pov_yaml_complain_of(node, pov_scene_imagine(scene, viewer, stands_at, faced));
    }
}

static pov_status read_scene(pov_scene *scene, pov_yaml_file *file)
{
    pov_yaml_node root = pov_yaml_root(file), cast = pov_yaml_get(root, "cast");
    if (pov_yaml_exists(cast))
        pov_yaml_complain(
            cast, "this is a station, and no scene: did you mean 'pov run'? What it prints with --json is a "
                  "scene; a station that runs is asked at its endpoint, tcp://HOST:PORT");
    if (pov_yaml_exists(pov_yaml_get(root, "scene"))) {
        pov_scene_read_observation(scene, root);
        return pov_yaml_finish(file);
    }
    read_north(scene, pov_yaml_get(root, "north_deg"));
    read_camera(scene, pov_yaml_get(root, "camera"));
    pov_yaml_node entities = pov_yaml_need(root, "entities", "the list of what is in the scene");
    read_entities(scene, entities);
    read_imagined(scene, entities);
    return pov_yaml_finish(file);
}

pov_status pov_scene_file_parse(pov_scene *scene, const char *name, const char *text, size_t length)
{
    pov_yaml_file *file;
    pov_scene_clear(scene);
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    const pov_status status = read_scene(scene, file);
    pov_yaml_close(&file);
    if (status.code != POV_OK)
        pov_scene_clear(scene);
    return status;
}

pov_status pov_scene_file_read(pov_scene *scene, const char *path)
{
    return pov_scene_file_parse(scene, path, NULL, 0);
}
