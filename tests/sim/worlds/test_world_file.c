/* World files: what they say, what variants change, and what is said of mistakes. */
#include "perception/geometry/box.h"
#include "sim/worlds/shipped_worlds.h"
#include "sim/worlds/stage.h"
#include "sim/worlds/world_file.h"
#include "sim/worlds/world_generate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_world world;
static const double deg = POV_PI / 180;

static pov_status parse(const char *text, const char *variant)
{
    return pov_world_file_parse(&world, "w.yaml", text, strlen(text), variant);
}

static void must_parse(const char *text, const char *variant)
{
    const pov_status status = parse(text, variant);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

static void must_complain(const char *text, const char *where, const char *what)
{
    const pov_status status = parse(text, NULL);
    assert_int_equal(status.code, POV_ERROR);
    if (!strstr(status.message, where) || !strstr(status.message, what))
        fail_msg("'%s' should name %s and %s", status.message, where, what);
}

static const char table[] =
    "north_deg: 90\n"
    "camera: {size_px: [320, 240], field_of_view_deg: 90, position_m: [3, 0, 2]}\n"
    "turntable: {radius_m: 0.5, height_m: 0.1, position_m: [1, 0]}\n"
    "things:\n"
    "  - {id: car, position_m: [1, 0.25], on: turntable, size_m: 0.45, front_deg: 90}\n"
    "  - {id: top, class: mug, position_m: [1, 0.25], on: car}\n"
    "  - {id: lamp, position_m: [-1, 0, 0.5]}\n"
    "  - {id: anna, class: woman, position_m: [0, -2], front_deg: 90, addressee: true}\n"
    "motion: {steps: 4}\n"
    "variants:\n"
    "  - {name: parked, things: [{id: car, on: \"\"}]}\n"
    "  - {name: truck, things: [{id: car, class: truck}]}\n"
    "  - {name: bare, remove: [top, lamp], camera: {field_of_view_deg: 60}}\n";

static void things_take_size_front_and_eye_from_their_class(void **state)
{
    (void)state;
    must_parse(table, NULL);
    const pov_entity *car = &world.things[0].entity, *anna = &world.things[3].entity;
    assert_near(car->size_m.x, 0.45, 1e-12);
    assert_near(car->size_m.y, 0.45 * 1.95 / 4.5, 1e-12);
    assert_near(car->heading.mode[0].yaw_rad, 90 * deg, 1e-12);
    assert_int_equal(world.things[2].entity.heading.len, 0);
    assert_true(anna->can_see && anna->addressee && anna->field.eye_m.z > 0.4 * anna->size_m.z);
}

static void things_rest_on_what_they_are_on(void **state)
{
    (void)state;
    must_parse(table, NULL);
    const pov_entity *car = &world.things[0].entity, *mug = &world.things[1].entity;
    assert_near(car->position.mean_m.z, 0.1 + car->size_m.z / 2, 1e-12);
    assert_near(mug->position.mean_m.z, 0.1 + car->size_m.z + mug->size_m.z / 2, 1e-12);
    assert_near(world.things[2].entity.position.mean_m.z, 0.5, 0);
}

static void the_turntable_carries_what_stands_on_it(void **state)
{
    (void)state;
    static pov_scene scene;
    must_parse(table, NULL);
    assert_int_equal(world.image_len, 4);
    pov_world_scene(&scene, &world, pov_world_turn_rad(&world, 1));
    const pov_vec3 car = scene.entities[1].position.mean_m, mug = scene.entities[2].position.mean_m;
    assert_near(car.x, 0.75, 1e-12); /* a quarter counter-clockwise about (1, 0) */
    assert_near(car.y, 0, 1e-12);
    assert_near(mug.x, 0.75, 1e-12);
    assert_near(fabs(scene.entities[1].heading.mode[0].yaw_rad), POV_PI, 1e-12);
    assert_near(scene.entities[3].position.mean_m.x, -1, 0);
    assert_near(pov_world_turn_at_rad(&world, 3000000000), POV_PI / 2, 1e-12); /* of 12 s */
}

static void an_orbit_keeps_fronts(void **state)
{
    (void)state;
    static pov_scene scene;
    must_parse(
        "things:\n  - {id: cat, position_m: [2, 1], front_deg: 20}\n  - {id: dog, position_m: [1, 1]}\n"
        "motion: {orbit: {thing: cat, about: dog}, steps: 8, start_deg: 45}\n",
        NULL);
    pov_world_scene(&scene, &world, pov_world_turn_rad(&world, 1));
    assert_near(scene.entities[1].position.mean_m.x, 1, 1e-12);
    assert_near(scene.entities[1].position.mean_m.y, 2, 1e-12);
    assert_near(scene.entities[1].heading.mode[0].yaw_rad, 20 * deg, 1e-12);
}

static void variants_lay_over_the_world_one_after_another(void **state)
{
    (void)state;
    must_parse(table, "parked+truck");
    assert_near(world.things[0].entity.position.mean_m.z, world.things[0].entity.size_m.z / 2, 1e-12);
    assert_near(world.things[0].entity.size_m.x, 7, 1e-12);
    assert_near(world.things[0].entity.heading.mode[0].yaw_rad, 90 * deg, 1e-12);
    assert_false(world.things[1].turns && strcmp(world.things[0].on, "turntable") != 0);
    must_parse(table, "bare");
    assert_int_equal(world.thing_len, 2);
    assert_near(world.camera.lens.fx_px, 160 / tan(30 * deg), 1e-9);
    must_parse("{things: [{id: car, position_m: [0, 0]}], variants: [{name: far, things: [{id: car, "
               "position_m: [7, 0]}]}]}\n",
               "far"); /* on one line, too */
    assert_near(world.things[0].entity.position.mean_m.x, 7, 1e-12);
    const pov_status status = parse(table, "trunk");
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "'truck'"));
}

static void mistakes_are_named_with_line_and_cure(void **state)
{
    (void)state;
    must_complain("things:\n  - {id: a, class: huorse, position_m: [0, 0]}\n", "w.yaml:2", "'horse'");
    must_complain("things:\n  - {id: car, position_m: [0, 0], on: tabel}\n", "w.yaml:2", "'tabel'");
    must_complain(
        "things:\n  - {id: car, position_m: [0, 0], on: dog}\n  - {id: dog, position_m: [0, 0], on: car}\n",
        "w.yaml:", "rests on itself");
    must_complain("things:\n  - {id: car, position_m: [0, 0]}\n  - {id: car, position_m: [1, 0]}\n",
                  "w.yaml:3", "line 2");
    must_complain("things:\n  - {id: car, position_m: [0, 0]}\nmotion: {steps: 4}\n", "w.yaml:3",
                  "turntable");
    must_complain("things:\n  - {id: car, position_m: [0, 0]}\nligthing: {}\n", "w.yaml:3", "lighting");
    must_complain("things:\n  - {id: mug, position_m: [0, 0], front_deg: 3}\n", "w.yaml:2", "yaw_deg");
    must_complain("things:\n  - {id: car, position_m: [0, 0]}\ntags: {ring: {count: 3}}\n", "w.yaml:3",
                  "turntable");
    must_complain("things:\n  - {id: car, position_m: [0, 0]}\nvariants:\n  - {name: v, remove: [cat]}\n",
                  "w.yaml:4", "'cat'");
    must_complain("camera: {position_m: [0, 0, 1]}\n", "w.yaml", "things");
    must_complain("things:\n  - {id: \"a\\\"b\", class: car, position_m: [0, 0]}\n", "w.yaml:2", "quotes");
}

static void an_arm_points_where_the_thing_is_and_turns_with_the_body(void **state)
{
    (void)state;
    static pov_scene scene;
    must_parse("turntable: {radius_m: 0.5, position_m: [1, 0]}\nmotion: {steps: 4}\nthings:\n"
               "  - {id: anna, class: woman, position_m: [1, 0.25], on: turntable, points_at: car}\n"
               "  - {id: bob, class: man, position_m: [0, -2], points_at: [0, 3, 1]}\n"
               "  - {id: car, position_m: [4, 4], size_m: 0.4}\n",
               NULL);
    for (int image = 0; image < 4; image++) {
        const double turn_rad = image * POV_PI / 2;
        pov_world_scene(&scene, &world, turn_rad);
        const pov_entity *anna = &scene.entities[1], *bob = &scene.entities[2];
        const pov_vec3 eye_m = pov_world_thing_eye_m(&world.things[0]);
        assert_true(anna->arms_seen && anna->pointing.len == 1 && bob->pointing.len == 1);
        assert_near(pov_angle_wrap(anna->pointing.mode[0].yaw_rad - turn_rad -
                                   atan2(4 - 0.25 - eye_m.y, 4 - 1 - eye_m.x)),
                    0, 1e-9);
        assert_near(bob->pointing.mode[0].yaw_rad, POV_PI / 2, 0.01);
        assert_true(!scene.entities[3].arms_seen);
    }
    must_complain("things:\n  - {id: bob, class: man, position_m: [0, 0], points_at: cra}\n", "w.yaml:2",
                  "points at 'cra', which is not there");
    must_complain("things:\n  - {id: bob, class: man, position_m: [0, 0], points_at: bob}\n", "w.yaml:2",
                  "itself");
    must_complain("things:\n  - {id: car, position_m: [0, 0], points_at: [1, 1, 1]}\n", "w.yaml:2",
                  "no arm to point with");
    must_complain("things:\n  - {id: bob, class: man, position_m: [0, 0], points_at: [0.2, 0, 1.6]}\n",
                  "w.yaml:2", "within an arm's reach");
}

static pov_box box_of(const pov_entity *entity)
{
    return (pov_box){entity->position.mean_m, pov_vec3_scale(entity->size_m, 0.5), entity->R_table_box};
}

static void nothing_may_meet(int image)
{
    static pov_scene scene;
    pov_world_scene(&scene, &world, pov_world_turn_rad(&world, image));
    for (pov_id i = 1; i < scene.len; i++)
        for (pov_id k = 1; k < i; k++) {
            const pov_box a = box_of(&scene.entities[i]), b = box_of(&scene.entities[k]);
            if (pov_box_gap_m(&a, &b) < -1e-6)
                fail_msg("%s %s, image %d: %s and %s meet", world.name, world.variant, image,
                         scene.entities[i].name, scene.entities[k].name);
        }
}

static void every_shipped_world_builds_in_every_variant(void **state)
{
    (void)state;
    pov_stage *stage;
    assert_non_null(pov_embedded_find(POV_SHIPPED_WORLDS, "station"));
    assert_int_equal(pov_stage_new(&stage, NULL).code, POV_OK);
    for (const pov_embedded_file *shipped = POV_SHIPPED_WORLDS; shipped->name; shipped++)
        for (int variant = -1; variant < 0 || variant < world.variant_len; variant++) {
            char name[POV_NAME_CAPACITY] = "";
            if (variant >= 0)
                memcpy(name, world.variants[variant], sizeof name);
            const pov_status status =
                pov_world_file_parse(&world, shipped->name, (const char *)shipped->bytes, shipped->len, name);
            if (status.code != POV_OK)
                fail_msg("%s", status.message);
            if (world.generator.kind != POV_GENERATOR_NONE)
                assert_int_equal(pov_world_generate(&world, 0).code, POV_OK);
            else
                for (int image = 0; image < world.image_len; image++)
                    nothing_may_meet(image);
            assert_int_equal(pov_stage_set(stage, &world).code, POV_OK);
        }
    pov_stage_destroy(&stage);
}

static void comfort_car_has_ten_relata_that_face_both_ways(void **state)
{
    (void)state;
    const pov_embedded_file *car = pov_embedded_find(POV_SHIPPED_WORLDS, "comfort-car");
    const char *yaml = (const char *)car->bytes;
    int left = 0, right = 0, style = 0;
    assert_int_equal(pov_world_file_parse(&world, car->name, yaml, car->len, NULL).code, POV_OK);
    const int len = world.variant_len;
    for (int i = 0; i < len; i++) {
        char name[POV_NAME_CAPACITY];
        memcpy(name, world.variants[i], sizeof name);
        assert_int_equal(pov_world_file_parse(&world, car->name, yaml, car->len, name).code, POV_OK);
        const bool is_left = strstr(name, "-left") != NULL, is_right = strstr(name, "-right") != NULL;
        left += is_left;
        right += is_right;
        style += !is_left && !is_right;
        const pov_world_thing *relatum = NULL;
        for (int k = 0; k < world.thing_len; k++)
            if (strcmp(world.things[k].entity.name, world.motion.about) == 0)
                relatum = &world.things[k];
        assert_non_null(relatum);
        assert_int_equal(relatum->entity.heading.len, 1);
        assert_near(sin(relatum->entity.heading.mode[0].yaw_rad), is_right ? 1 : -1,
                    1e-12); /* +y is camera-right */
    }
    assert_int_equal(left, 10);
    assert_int_equal(right, 10);
    assert_int_equal(style, 5); /* one is the brown background */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_take_size_front_and_eye_from_their_class),
        cmocka_unit_test(things_rest_on_what_they_are_on),
        cmocka_unit_test(the_turntable_carries_what_stands_on_it),
        cmocka_unit_test(an_orbit_keeps_fronts),
        cmocka_unit_test(variants_lay_over_the_world_one_after_another),
        cmocka_unit_test(mistakes_are_named_with_line_and_cure),
        cmocka_unit_test(an_arm_points_where_the_thing_is_and_turns_with_the_body),
        cmocka_unit_test(every_shipped_world_builds_in_every_variant),
        cmocka_unit_test(comfort_car_has_ten_relata_that_face_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
