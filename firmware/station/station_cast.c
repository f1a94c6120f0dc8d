#include "firmware/station/station_cast.h"

#include "config/objects/portrait_file.h"
#include "perception/balls/ball_colour.h"

#include "config/scene/scene_entity.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double far_m = 1e5;

static const char *const ways[] = {"survey", "ball", "tag", "model", "enrolled", "person"};
static_assert(sizeof ways / sizeof *ways == POV_FOUND_BY_COUNT, "one name a way");

static void read_survey(pov_cast_member *member, pov_yaml_node node)
{
    pov_entity *entity = &member->entity;
    pov_yaml_vec3(&entity->position.mean_m,
                  pov_yaml_need(node, "position_m", "where its centre is in the table frame: [x, y, z]"),
                  -far_m, far_m);
    pov_scene_read_position_noise(entity->position.own_cov_m2, node);
    pov_scene_read_attitude(entity, node);
    entity->placed = true;
}

/* A ball rests on the table unless told otherwise. */
static void read_ball_height(pov_ball_kind *kind, pov_yaml_node node)
{
    pov_yaml_node height = pov_yaml_get(node, "center_height_m"), free = pov_yaml_get(node, "in_the_air");
    bool in_the_air = false;
    pov_yaml_bool(&in_the_air, free);
    if (in_the_air && pov_yaml_exists(height))
        pov_yaml_complain(free, "a ball in the air has no center_height_m; leave out one of the two");
    kind->has_height = !in_the_air;
    kind->height_m = kind->radius_m;
    kind->height_std_m = 0.02 * kind->radius_m;
    pov_yaml_number(&kind->height_m, height, -far_m, far_m);
    pov_yaml_number(&kind->height_std_m, pov_yaml_get(node, "center_height_std_m"), 1e-9, far_m);
}

static void read_colour(pov_colour *colour, pov_yaml_node node)
{
    const char *name = NULL;
    pov_yaml_string(&name, node);
    if (name && !pov_colour_from_name(colour, name))
        pov_yaml_complain(node, "unknown colour '%s'; use \"#rrggbb\" as read off a photograph, or one of %s",
                          name, pov_colour_names());
    else if (name && !pov_colour_has_hue(*colour))
        pov_yaml_complain(node,
                          "white, grey and black balls cannot be told from what is around them; use a ball "
                          "with a colour");
}

static void read_ball(pov_cast_member *member, pov_ball_detector_config *balls, pov_yaml_node node)
{
    if (balls->kind_len == POV_BALL_KIND_MAX) {
        pov_yaml_complain(node, "at most %d kinds of balls", POV_BALL_KIND_MAX);
        return;
    }
    pov_ball_kind *kind = &balls->kinds[balls->kind_len];
    *kind = (pov_ball_kind){.max_count = 1};
    read_colour(&kind->colour, pov_yaml_need(node, "color", "a name (red, basketball, ...) or \"#rrggbb\""));
    pov_yaml_number(&kind->radius_m, pov_yaml_need(node, "radius_m", "the ball's radius in metres"), 1e-4,
                    far_m);
    pov_yaml_integer(&kind->max_count, pov_yaml_get(node, "count"), 1, POV_BALL_MAX);
    read_ball_height(kind, node);
    member->entity.shape = POV_SHAPE_SPHERE;
    member->ball_kind = balls->kind_len++;
    member->ball_count = kind->max_count;
    member->entity.size_m = (pov_vec3){2 * kind->radius_m, 2 * kind->radius_m, 2 * kind->radius_m};
}

static void read_tag(pov_cast_member *member, pov_yaml_node node)
{
    const char *family = "tag36h11";
    pov_yaml_string(&family, pov_yaml_get(node, "family"));
    if (!pov_tag_family_from_name(&member->tag_family, family))
        pov_yaml_complain(pov_yaml_get(node, "family"), "unknown tag family '%s'; tag36h11 is the usual one",
                          family);
    pov_yaml_integer(&member->tag_id, pov_yaml_need(node, "id", "the number of the tag it carries"), 0,
                     1 << 20);
    pov_yaml_number(&member->tag_edge_m,
                    pov_yaml_need(node, "edge_m", "the edge of the tag's black square, in metres"), 1e-4,
                    100);
    bool has_front = false;
    pov_yaml_bool(&has_front, pov_yaml_get(node, "has_front"));
    member->T_tag_entity = pov_pose_exact(pov_transform_identity());
    pov_yaml_vec3(&member->T_tag_entity.T.t_m, pov_yaml_get(node, "center_m"), -far_m, far_m);
    pov_yaml_rotation(&member->T_tag_entity.T.R, pov_yaml_get(node, "rotation"));
    if (has_front)
        member->entity.heading = pov_heading_single(0, 0);
}

static void read_model(pov_cast_member *member, pov_yaml_node node)
{
    const pov_vec3 size_m = member->entity.size_m;
    pov_yaml_node model = pov_yaml_get(node, "model");
    member->model = (pov_model_build)POV_MODEL_BUILD_DEFAULT;
    member->model_count = 1;
    snprintf(member->model.class_name, sizeof member->model.class_name, "%s", member->entity.class_name);
    pov_yaml_copy_string(member->model.class_name, sizeof member->model.class_name,
                         pov_yaml_get(model, "class"));
    pov_yaml_number(&member->model.stands_on_m, pov_yaml_get(model, "stands_on_m"), -far_m, far_m);
    pov_yaml_number(&member->model.stands_on_std_m, pov_yaml_get(model, "stands_on_std_m"), 0, far_m);
    pov_yaml_number(&member->model.box_std_share, pov_yaml_get(model, "box_std_share"), 1e-4, 1);
    pov_yaml_integer(&member->model_count, pov_yaml_get(model, "count"), 1, POV_MODEL_COUNT_MAX);
    if (!(size_m.x > 0 && size_m.y > 0 && size_m.z > 0))
        pov_yaml_complain(node, "found_by: model places it by its size: give size_m");
}

/* Read once to complain in time; the pipeline reads it again. */
static pov_status check_model(const char *path)
{
    pov_portraits *portraits = malloc(sizeof *portraits);
    pov_status status = portraits ? pov_portraits_read(portraits, path) : pov_error("out of memory");
    if (status.code == POV_OK && portraits->len == 0)
        status = pov_error(
            "%s: was enrolled from images alone, so its size is not known; enrol it at the station: "
            "'pov enrol NAME --station FILE'",
            path);
    free(portraits);
    return status;
}

/* Of one make only one entry, which numbers them: nobody can tell which of two entries was found. */
static void check_make(const pov_station_objects *objects, int first, pov_yaml_node model)
{
    for (int i = 0; i < first; i++)
        if (strcmp(objects->objects[i].model, objects->objects[first].model) == 0)
            pov_yaml_complain(model, "another entity is enrolled as that, too; give one of them count: 2");
}

static void read_enrolled(pov_cast_member *member, pov_station_objects *objects, pov_yaml_node node)
{
    const int first = objects->len;
    int count = 1;
    pov_yaml_node count_node = pov_yaml_get(node, "count");
    pov_yaml_integer(&count, count_node, 1, POV_OBJECT_MAX);
    if (first + count > POV_OBJECT_MAX) {
        pov_yaml_complain(node, "at most %d enrolled objects", POV_OBJECT_MAX);
        return;
    }
    member->object_kind = first;
    member->object_count = count;
    char *path = objects->objects[first].model;
    double *at_m = &objects->objects[first].stands_on_m, *std_m = &objects->objects[first].stands_on_std_m;
    const pov_yaml_node model = pov_yaml_need(node, "model", "the file that 'pov enrol' wrote");
    *path = '\0';
    *at_m = 0;
    *std_m = 0.001;
    pov_yaml_relative_path(path, POV_OBJECT_PATH_CAPACITY, model);
    pov_yaml_number(at_m, pov_yaml_get(node, "stands_on_m"), -far_m, far_m);
    pov_yaml_number(std_m, pov_yaml_get(node, "stands_on_std_m"), 0, far_m);
    if (pov_yaml_failed(node.file))
        return;
    check_make(objects, first, model);
    for (int i = 1; i < count; i++) {
        objects->objects[first + i] = objects->objects[first];
        objects->objects[first + i].is_another = true;
    }
    objects->len += count;
    const pov_status status = check_model(path);
    if (status.code != POV_OK)
        pov_yaml_complain(model, "%s", status.message);
}

static void read_person(pov_cast_member *member, pov_person_detector_config *people, pov_yaml_node node)
{
    pov_person_build *build = &member->person;
    bool faces = !people->without_faces;
    *build = (pov_person_build){.height_m = 1.7, .height_std_m = NAN};
    pov_yaml_number(&build->height_m, pov_yaml_get(node, "height_m"), 1e-3, far_m);
    pov_yaml_number(&build->height_std_m, pov_yaml_get(node, "height_std_m"), 1e-6, far_m);
    pov_yaml_number(&build->stands_on_m, pov_yaml_get(node, "stands_on_m"), -far_m, far_m);
    pov_yaml_copy_string(people->network_class, sizeof people->network_class, pov_yaml_get(node, "class"));
    member->person_count = 1;
    pov_yaml_integer(&member->person_count, pov_yaml_get(node, "count"), 1, POV_PERSON_MAX);
    pov_yaml_bool(&faces, pov_yaml_get(node, "faces"));
    pov_yaml_relative_path(people->cascade_folder, sizeof people->cascade_folder,
                           pov_yaml_get(node, "cascades"));
    people->without_faces = !faces;
    if (isnan(build->height_std_m)) /* of grown people: 7 cm within a sex, and women and men */
        build->height_std_m = 0.06 * build->height_m;
    pov_vec3 *size_m = &member->entity.size_m;
    if (!(size_m->z > 0))
        *size_m = pov_vec3_scale((pov_vec3){0.18, 0.28, 1}, build->height_m);
}

/* Nobody can tell two people apart by their outlines. */
static void check_alone(const pov_cast *cast, pov_yaml_node node)
{
    for (int i = 0; i < cast->len; i++)
        if (cast->members[i].found_by == POV_FOUND_BY_PERSON)
            pov_yaml_complain(
                node,
                "only one entity can be found_by: person, as '%s' is; give it person: {count: 2}, "
                "or let the others wear tags",
                cast->members[i].entity.name);
}

static void read_name(pov_cast_member *member, const pov_cast *cast, pov_yaml_node node)
{
    pov_yaml_node id = pov_yaml_need(node, "id", "a short name"), class_node = pov_yaml_get(node, "class");
    char name[POV_NAME_CAPACITY] = "", class_name[POV_NAME_CAPACITY] = "";
    pov_yaml_copy_string(name, sizeof name, id);
    pov_yaml_copy_string(class_name, sizeof class_name, class_node);
    member->entity = pov_entity_named(name, *class_name ? class_name : name);
    if (pov_yaml_failed(node.file))
        return;
    if (!*name)
        pov_yaml_complain(id, "an id cannot be empty");
    if (strcmp(name, "camera") == 0)
        pov_yaml_complain(id, "'camera' is the camera itself; choose another id");
    if (pov_station_cast_has(cast, name))
        pov_yaml_complain(id, "'%s' is there twice; give each entity an id of its own", name);
}

/* What those members are found by that need detectors. */
typedef struct {
    pov_ball_detector_config *balls;
    pov_station_objects *objects;
    pov_person_detector_config *people;
    pov_station_body_files *bodies;
} detectors;

static void read_member(pov_cast_member *member, const pov_cast *cast, const detectors *found_by,
                        pov_yaml_node node)
{
    int way = POV_FOUND_BY_SURVEY;
    read_name(member, cast, node);
    pov_yaml_choice(&way, pov_yaml_need(node, "found_by", "survey, ball, tag, model, enrolled or person"),
                    ways, POV_FOUND_BY_COUNT);
    member->found_by = way;
    pov_yaml_vec3(&member->entity.size_m, pov_yaml_get(node, "size_m"), 0, far_m);
    pov_yaml_bool(&member->entity.addressee, pov_yaml_get(node, "addressee"));
    pov_scene_read_sees(&member->entity, pov_yaml_get(node, "sees"));
    if (pov_yaml_failed(node.file))
        return;
    if (way == POV_FOUND_BY_SURVEY)
        read_survey(member, node);
    else if (way == POV_FOUND_BY_BALL)
        read_ball(member, found_by->balls, pov_yaml_need(node, "ball", "color and radius_m of the ball"));
    else if (way == POV_FOUND_BY_MODEL)
        read_model(member, node);
    else if (way == POV_FOUND_ENROLLED)
        read_enrolled(member, found_by->objects,
                      pov_yaml_need(node, "enrolled", "model, the file that 'pov enrol' wrote"));
    else if (way == POV_FOUND_BY_PERSON) {
        check_alone(cast, node);
        read_person(member, found_by->people, pov_yaml_get(node, "person"));
    } else
        read_tag(member, pov_yaml_need(node, "tag", "id and edge_m of the tag it carries"));
    if (way != POV_FOUND_BY_BALL)
        pov_station_read_body(member, found_by->bodies->files[cast->len], node);
    if (pov_cast_member_count(member) > 1 && strlen(member->entity.name) > POV_NAME_CAPACITY - 5)
        pov_yaml_complain(node, "an id that is numbered can have %d letters at most", POV_NAME_CAPACITY - 5);
}

/* The camera takes one place in the scene. */
static bool fits(const pov_cast *cast, const pov_cast_member *member)
{
    int count = 1;
    for (int i = 0; i < cast->len; i++)
        count += pov_cast_member_count(&cast->members[i]);
    return count + pov_cast_member_count(member) <= POV_ENTITY_MAX;
}

void pov_station_cast_read(pov_cast *cast, pov_ball_detector_config *balls, pov_station_objects *objects,
                           pov_person_detector_config *people, pov_station_body_files *bodies,
                           pov_yaml_node node)
{
    const detectors found_by = {balls, objects, people, bodies};
    int len = pov_yaml_length(node);
    if (len > POV_CAST_MAX) {
        pov_yaml_complain(node, "at most %d entries", POV_CAST_MAX);
        return;
    }
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
        pov_cast_member *member = &cast->members[i];
        read_member(member, cast, &found_by, pov_yaml_at(node, i));
        if (!fits(cast, member))
            pov_yaml_complain(pov_yaml_at(node, i), "more than %d entities in all", POV_ENTITY_MAX - 1);
        cast->len = i + 1;
    }
}

bool pov_station_cast_has(const pov_cast *cast, const char *name)
{
    for (int i = 0; i < cast->len; i++) {
        const pov_cast_member *member = &cast->members[i];
        if (pov_cast_member_count(member) == 1 && strcmp(member->entity.name, name) == 0)
            return true;
        for (int k = 1; pov_cast_member_count(member) > 1 && k <= pov_cast_member_count(member); k++) {
            char numbered[POV_NAME_CAPACITY + 16];
            snprintf(numbered, sizeof numbered, "%s_%d", member->entity.name, k);
            if (strcmp(numbered, name) == 0)
                return true;
        }
    }
    return false;
}
