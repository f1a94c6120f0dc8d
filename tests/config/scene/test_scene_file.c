#include "config/scene/scene_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define DEG(angle) ((angle)*POV_PI / 180)

static pov_status parse(pov_scene *scene, const char *text)
{
    return pov_scene_file_parse(scene, "s.yaml", text, strlen(text));
}

static void parse_well(pov_scene *scene, const char *text)
{
    pov_status status = parse(scene, text);
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
}

/* The complaint holds all of it; the scene is left empty. */
static void assert_refused(const char *text, const char *message)
{
    static pov_scene scene;
    pov_status status = parse(&scene, text);
    assert_int_equal(status.code, POV_ERROR);
    assert_int_equal(scene.len, 0);
    if (!strstr(status.message, message))
        fail_msg("\"%s\" lacks \"%s\"", status.message, message);
}

static void assert_entity_refused(const char *keys, const char *message)
{
    char text[600];
    snprintf(text, sizeof text, "entities:\n  - {id: it, %s}\n", keys);
    assert_refused(text, message);
}

static const pov_entity *named(const pov_scene *scene, const char *name)
{
    pov_id id = pov_scene_find(scene, name);
    assert_int_not_equal(id, POV_ID_NONE);
    return &scene->entities[id];
}

static void what_a_thing_is_called_tells_its_shape_unless_the_file_does(void **state)
{
    (void)state;
    static pov_scene scene;
    parse_well(&scene, "entities:\n"
                       "  - {id: a, class: wall, size_m: [1, 2, 3]}\n"
                       "  - {id: carton_2, size_m: [1, 2, 3]}\n"
                       "  - {id: red ball, size_m: 0.2}\n"
                       "  - {id: b, class: ball, size_m: [1, 2, 3]}\n"
                       "  - {id: drywall, size_m: 1}\n"
                       "  - {id: cardboard cat, size_m: 1}\n"
                       "  - {id: c, class: wall, shape: unknown, size_m: 1}\n"
                       "  - {id: d, class: ball, shape: box, size_m: 1}\n");
    const struct {
        const char *name;
        pov_shape shape;
        bool doubtful;
    } wanted[] = {{"a", POV_SHAPE_BOX, false},
                  {"carton_2", POV_SHAPE_BOX, false},
                  {"red ball", POV_SHAPE_SPHERE, false},
                  {"b", POV_SHAPE_BOX, true},
                  {"drywall", POV_SHAPE_BOX, true},
                  {"cardboard cat", POV_SHAPE_BOX, true},
                  {"c", POV_SHAPE_BOX, true},
                  {"d", POV_SHAPE_BOX, false}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const pov_entity *entity = named(&scene, wanted[i].name);
        assert_int_equal(entity->shape, wanted[i].shape);
        assert_int_equal(entity->shape_doubt > 0, wanted[i].doubtful);
    }
}

static void every_key_reaches_the_scene(void **state)
{
    (void)state;
    static pov_scene scene;
    parse_well(
        &scene,
        "north_deg: 90\n"
        "camera: {position_m: [0, -2, 1], look_at_m: [0, 0, 1], position_std_m: 0.01, "
        "rotation_std_deg: 1, sees: {shape: frustum, horizontal_deg: 60, vertical_deg: 40}}\n"
        "entities:\n"
        "  - {id: ball, position_m: [1, 2, 3], position_std_m: [0.1, 0.2, 0.3], size_m: 0.2, "
        "shape: sphere, velocity_m_s: [1, 0, 0]}\n"
        "  - {id: woman, class: person, position_m: [0, 0, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: "
        "90, front_std_deg: 5, addressee: true, sees: {horizontal_deg: 180, vertical_deg: 120, "
        "range_m: [0.1, 30], eye_m: [0.1, 0, 0.7]}}\n"
        "  - {id: box, position_m: [0, 1, 0], yaw_deg: 45, position_cov_m2: [[4, 1, 0], [1, 4, 0], [0, "
        "0, 0]]}\n"
        "  - {id: lost}\n");
    assert_int_equal(scene.len, 5);
    assert_true(scene.has_north);
    assert_near(scene.north_yaw_rad, DEG(90), 1e-12);
    const pov_entity *camera = named(&scene, "camera"), *ball = named(&scene, "ball");
    assert_ptr_equal(camera, &scene.entities[scene.camera]);
    assert_near(camera->heading.mode[0].yaw_rad, DEG(90), 1e-12);
    assert_true(camera->can_see && camera->field.shape == POV_FIELD_FRUSTUM);
    assert_near(camera->field.half_horizontal_rad, DEG(30), 1e-12);
    assert_near(scene.camera_pose_cov[0][0], DEG(1) * DEG(1), 1e-12);
    assert_near(scene.camera_pose_cov[5][5], 1e-4, 1e-12);
    assert_near(ball->position.own_cov_m2[1][1], 0.04, 1e-12);
    assert_near(ball->size_m.z, 0.2, 0);
    assert_int_equal(ball->shape, POV_SHAPE_SPHERE);
    assert_int_equal(ball->heading.len, 0);
    assert_true(ball->has_velocity && ball->velocity_m_s.x == 1);
    assert_string_equal(ball->class_name, "ball");
    const pov_entity *woman = named(&scene, "woman"), *box = named(&scene, "box");
    assert_string_equal(woman->class_name, "person");
    assert_true(woman->addressee && woman->can_see && !ball->can_see);
    assert_near(woman->heading.mode[0].yaw_rad, DEG(90), 1e-12);
    assert_near(woman->heading.mode[0].kappa, 1 / (DEG(5) * DEG(5)), 1);
    assert_near(woman->R_table_box.m[1][0], 1, 1e-12); /* its x axis points to +y */
    assert_near(woman->field.near_m, 0.1, 0);
    assert_near(woman->field.far_m, 30, 0);
    assert_near(woman->field.eye_m.z, 0.7, 0);
    assert_near(box->R_table_box.m[0][0], sqrt(0.5), 1e-12);
    assert_near(box->position.own_cov_m2[0][1], 1, 0);
    assert_int_equal(box->heading.len, 0);
    assert_false(named(&scene, "lost")->placed);
}

static void a_front_may_have_several_modes_or_be_a_vector(void **state)
{
    (void)state;
    static pov_scene scene;
    parse_well(&scene,
               "entities:\n"
               "  - {id: bicycle, front_deg: [{deg: 0, weight: 3, std_deg: 10}, {deg: 180, weight: 1}], "
               "front_std_deg: 20}\n"
               "  - {id: dog, front: [0, -2, 2]}\n");
    const pov_heading *heading = &named(&scene, "bicycle")->heading;
    assert_int_equal(heading->len, 2);
    assert_near(heading->mode[0].weight, 0.75, 1e-12);
    assert_near(heading->mode[1].weight, 0.25, 1e-12);
    assert_near(heading->mode[0].kappa, 33.3, 1); /* about 1/std^2 + 1/2 */
    assert_near(heading->mode[1].kappa, 8.7, 0.5);
    const pov_entity *dog = named(&scene, "dog");
    assert_near(dog->heading.mode[0].yaw_rad, DEG(-90), 1e-12);
    assert_near(dog->R_table_box.m[2][0], sqrt(0.5), 1e-12); /* tilted up by 45 degrees */
    assert_true(pov_rot_is_valid(dog->R_table_box, 1e-12));
}

static void a_camera_that_looks_down_has_north_at_the_top_of_its_image(void **state)
{
    (void)state;
    static pov_scene scene;
    parse_well(&scene,
               "north_deg: 30\ncamera: {position_m: [1, 2, 3], look_at_m: [1, 2, 0]}\nentities: [{id: a}]\n");
    assert_near(scene.entities[scene.camera].heading.mode[0].yaw_rad, DEG(30), 1e-9);
    parse_well(&scene, "camera: {position_m: [1, 2, 3], look_at_m: [1, 2, 0]}\nentities: [{id: a}]\n");
    assert_near(scene.entities[scene.camera].heading.mode[0].yaw_rad, DEG(90), 1e-9);
    assert_false(scene.has_north);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    assert_entity_refused("size_m: [1, 0, 1]", "s.yaml:2: entities[0].size_m: has a side of 0 m");
    assert_entity_refused("size_m: [1, 1e-9, 1]", "has a side of 1e-09 m");
    assert_entity_refused("size_m: [1, -1, 1]", "expected a number between 0 and 10000");
    assert_entity_refused("position_m: [1, .nan, 1]", "expected a finite number");
    assert_entity_refused("position_m: [1, 2]", "expected a list of 3 numbers, got 2");
    assert_entity_refused("front: [0, 0, 1]", "entities[0].front: points straight up");
    assert_entity_refused("front: [0.001, 0, -1]", "points straight down");
    assert_entity_refused("front: [0, 0, 0]", "has no length");
    assert_entity_refused("front: [1, 0, 0], front_deg: 3", "gives both front_deg and front");
    assert_entity_refused("front_std_deg: 3", "there is no front_deg");
    assert_entity_refused("front_deg: []", "give 1 to 4");
    assert_entity_refused("front_deg: 3, yaw_deg: 4", "gives more than one of front");
    assert_entity_refused("position_std_m: -1", "between 0 and 100, got -1");
    assert_entity_refused("position_cov_m2: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]", "negative variance");
    assert_entity_refused("position_cov_m2: [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]", "is not symmetric");
    assert_entity_refused("shape: ball", "expected one of box, sphere, capsule");
    assert_entity_refused("shape: sphere, size_m: [1, 1, 2]", "a sphere has one size");
    assert_entity_refused("sees: {horizontal_deg: 200, shape: frustum}", "between 0.1 and 179");
    assert_entity_refused("sees: {vertical_deg: 20}", "\"horizontal_deg\" is missing");
    assert_entity_refused("sees: {horizontal_deg: 20, range_m: [3, 2]}", "[nearest, farthest]");
    assert_entity_refused("colour: red", "colour");
    assert_entity_refused("sise_m: 1", "size_m");
    assert_refused("entities: []\n", "lists no entity");
    assert_refused("north_deg: 3\n", "\"entities\" is missing");
    assert_refused("entities:\n  - {id: a}\n  - {id: b}\n  - {id: a}\n",
                   "s.yaml:4: entities[2]: the id 'a' is there already on line 2");
    assert_refused("camera: {position_m: [0, 0, 1], look_at_m: [1, 0, 1]}\nentities: [{id: camera}]\n",
                   "the id 'camera' is the camera's own");
    assert_refused("camera: {position_m: [0, 0, 1]}\nentities: [{id: a}]\n",
                   "camera: gives none of look_at_m");
    assert_refused("camera: {position_m: [0, 0, 1], look_at_m: [0, 0, 1]}\nentities: [{id: a}]\n",
                   "is where the camera is");
    assert_refused("entities: [{id: this_name_is_longer_than_any_name_may_be}]\n", "at most 31 fit");
    assert_refused("entities: [{id: \"\"}]\n", "printable text");
    assert_refused("entities: [{id: \"a\\tb\"}]\n", "control characters");
}

/* Allocates what a list of entities needs. */
static char *many_entities(int count)
{
    const size_t each = 16;
    char *text = malloc(16 + each * (size_t)count), *end = text + sprintf(text, "entities:\n");
    for (int i = 0; i < count; i++)
        end += sprintf(end, "- {id: e%d}\n", i);
    return text;
}

static void too_many_entities_are_refused_however_many(void **state)
{
    (void)state;
    char expected[60];
    char *text = many_entities(POV_ENTITY_MAX + 1);
    snprintf(expected, sizeof expected, "lists %d entities; at most %d", POV_ENTITY_MAX + 1, POV_ENTITY_MAX);
    assert_refused(text, expected);
    free(text);
    text = many_entities(1000000);
    assert_refused(text, "s.yaml");
    free(text);
}

static void a_full_scene_is_taken(void **state)
{
    (void)state;
    static pov_scene scene;
    char *text = many_entities(POV_ENTITY_MAX);
    parse_well(&scene, text);
    assert_int_equal(scene.len, POV_ENTITY_MAX);
    free(text);
}

static void a_line_of_pov_run_is_a_scene(void **state)
{
    (void)state;
    static pov_scene scene;
    parse_well(
        &scene,
        "{\"image\":{\"name\":\"a.png\",\"pose\":{\"pos_m\":null}},\"scene\":{\"entities\":[{\"id\":"
        "\"camera\","
        "\"class\":\"camera\",\"pos_m\":[0,-3,1],\"pos_cov_m2\":[1e-06,0,0,0,1e-06,0,0,0,1e-06],"
        "\"heading_rad\":1.5707963267948966,\"heading_kappa\":1000000000000,\"headings\":[{\"weight\":1,"
        "\"yaw_rad\":1.5707963267948966,\"kappa\":1000000000000}],\"seen\":false,\"addressee\":false,"
        "\"size_m\":[0,0,0],\"R_table_box\":[1,0,0,0,0,1,0,-1,0]},{\"id\":\"ball\",\"class\":\"ball\","
        "\"pos_m\":null,\"pos_cov_m2\":null,\"heading_rad\":null,\"heading_kappa\":null,\"headings\":[],"
        "\"seen\":false,\"addressee\":false,\"size_m\":[0.2,0.2,0.2],\"R_table_box\":[1,0,0,0,1,0,0,0,1]}],"
        "\"camera\":\"camera\",\"north_yaw_rad\":null},\"judgments\":[],\"judgments_truncated\":false}");
    assert_int_equal(scene.len, 2);
    assert_int_equal(scene.camera, 0);
    assert_near(scene.entities[0].position.mean_m.y, -3, 0);
    assert_near(scene.entities[0].heading.mode[0].yaw_rad, POV_PI / 2, 1e-12);
    assert_false(scene.entities[1].placed);
    assert_near(scene.entities[1].size_m.x, 0.2, 0);
    assert_false(scene.has_north);
    assert_refused("{\"scene\":{\"entities\":[{\"id\":\"ball\"}],\"camera\":\"cam\"}}", "names no entity");
}

#define ONE_HEADING(weights)                                                                                 \
    "{\"scene\":{\"entities\":[{\"id\":\"cup\",\"headings\":[" weights "]}],\"camera\":null}}"

static void headings_of_a_line_weigh_one_in_sum(void **state)
{
    (void)state;
    static pov_scene scene;
    parse_well(&scene, ONE_HEADING("{\"weight\":0.3,\"yaw_rad\":0,\"kappa\":9},"
                                   "{\"weight\":0.1,\"yaw_rad\":2,\"kappa\":9}"));
    assert_near(scene.entities[0].heading.mode[0].weight, 0.75, 1e-12);
    assert_near(scene.entities[0].heading.mode[1].weight, 0.25, 1e-12);
    assert_refused(ONE_HEADING("{\"weight\":0,\"yaw_rad\":0,\"kappa\":9}"), "headings: weigh nothing");
}

static void a_hypothetical_viewer_stands_at_what_may_be_listed_later(void **state)
{
    (void)state;
    static pov_scene scene;
    parse_well(&scene, "entities:\n"
                       "  - {id: me, class: person, at: stove, facing: tv, sees: {horizontal_deg: 120}}\n"
                       "  - {id: stove, position_m: [1, 2, 0.4]}\n"
                       "  - {id: tv, position_m: [1, -3, 1]}\n");
    const pov_entity *me = &scene.entities[0];
    assert_true(me->placed && me->addressee && me->can_see && me->is_imagined);
    assert_near(me->position.mean_m.x, 1, 1e-12);
    assert_near(me->position.mean_m.y, 2, 1e-12);
    assert_near(me->heading.mode[0].yaw_rad, -POV_PI / 2, 1e-12);
    assert_entity_refused("at: cup", "gives at alone");
    assert_entity_refused("facing: cup", "gives facing alone");
    assert_entity_refused("at: moon, facing: sun", "the scene has no 'moon'");
    assert_entity_refused("at: cup, facing: cup, size_m: 1", "gives at and size_m");
    assert_refused("entities: [{id: a, at: b, facing: b}, {id: b, position_m: [0, 0, 0]}]",
                   "name another thing to face");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_reaches_the_scene),
        cmocka_unit_test(a_hypothetical_viewer_stands_at_what_may_be_listed_later),
        cmocka_unit_test(what_a_thing_is_called_tells_its_shape_unless_the_file_does),
        cmocka_unit_test(a_front_may_have_several_modes_or_be_a_vector),
        cmocka_unit_test(a_camera_that_looks_down_has_north_at_the_top_of_its_image),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(too_many_entities_are_refused_however_many),
        cmocka_unit_test(a_full_scene_is_taken),
        cmocka_unit_test(a_line_of_pov_run_is_a_scene),
        cmocka_unit_test(headings_of_a_line_weigh_one_in_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
