/* Things that follow a path, and light that changes: where they are told to be is where they are, and are drawn. */
#include "sim/worlds/stage.h"
#include "sim/worlds/world.h"
#include "sim/worlds/world_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { WIDTH_PX = 160, HEIGHT_PX = 120 };
static pov_world world;
static const double deg = POV_PI / 180;

static pov_status parse(const char *text)
{
    return pov_world_file_parse(&world, "w.yaml", text, strlen(text), NULL);
}

static void must_parse(const char *text)
{
    const pov_status status = parse(text);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

static void must_complain(const char *text, const char *where, const char *what)
{
    const pov_status status = parse(text);
    assert_int_equal(status.code, POV_ERROR);
    if (!strstr(status.message, where) || !strstr(status.message, what))
        fail_msg("'%s' should name %s and %s", status.message, where, what);
}

/* From above, 1 px a 10 mm. */
static const char moved[] =
    "camera: {size_px: [160, 120], field_of_view_deg: 90, position_m: [0, 0, 0.8], look_at_m: [0, 0, 0]}\n"
    "rate_hz: 4\n"
    "images: 17\n"
    "lighting: {lamp_strength: 0, ambient: 0.2, shadows: false,\n"
    "           path: [{at_s: 1, ambient: 0.2}, {at_s: 3, ambient: 0.6}]}\n"
    "surface: {size_m: [4, 4], color: \"#808080\"}\n"
    "things:\n"
    "  - {id: car, position_m: [0.1, 0.2], size_m: 0.2, front_deg: 10, path: [\n"
    "      {at_s: 1, position_m: [0.1, 0.2]}, {at_s: 2, position_m: [0.3, -0.2, 0.3], front_deg: 370},\n"
    "      {at_s: 3, position_m: [0.3, -0.4]}]}\n";

static pov_vec3 car_at(double time_s)
{
    static pov_scene scene;
    pov_world_move(&world, time_s);
    pov_world_scene(&scene, &world, 0);
    return scene.entities[1].position.mean_m;
}

static void a_thing_goes_straight_from_one_place_to_the_next_and_stays_at_the_last(void **state)
{
    (void)state;
    must_parse(moved);
    const double rest_m = world.things[0].entity.size_m.z / 2;
    const double expected[][4] = {{0, 0.1, 0.2, rest_m},  {0.9, 0.1, 0.2, rest_m}, {1, 0.1, 0.2, rest_m},
                                  {1.5, 0.2, 0, 0},       {2, 0.3, -0.2, 0.3},     {2.25, 0.3, -0.25, 0},
                                  {3, 0.3, -0.4, rest_m}, {99, 0.3, -0.4, rest_m}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const pov_vec3 at = car_at(expected[i][0]);
        assert_near(at.x, expected[i][1], 1e-12);
        assert_near(at.y, expected[i][2], 1e-12);
        if (expected[i][3] > 0)
            assert_near(at.z, expected[i][3], 1e-12);
    }
    assert_near(car_at(1.5).z, (rest_m + 0.3) / 2, 1e-12);
}

static void it_turns_as_far_as_the_degrees_say(void **state)
{
    (void)state;
    must_parse(moved);
    const double times_s[] = {0, 1.25, 1.5, 2, 3}, yaw_deg[] = {10, 100, 190, 10, 10}; /* once round */
    for (int i = 0; i < 5; i++) {
        pov_world_move(&world, times_s[i]);
        const double off = world.things[0].entity.heading.mode[0].yaw_rad - yaw_deg[i] * deg;
        assert_near(sin(off), 0, 1e-9);
        assert_near(cos(off), 1, 1e-9);
    }
}

static void it_does_not_turn_where_both_ends_say_the_same_degrees(void **state)
{
    (void)state;
    must_parse(
        "things:\n  - {id: car, position_m: [0, 0], front_deg: 277, path: [{at_s: 10, position_m: [1, 0], "
        "front_deg: 277}]}\n");
    pov_world_move(&world, 5);
    assert_near(world.things[0].entity.heading.mode[0].yaw_rad, -83 * deg, 1e-9);
}

static void images_are_taken_at_the_rate(void **state)
{
    (void)state;
    must_parse(moved);
    assert_near(pov_world_time_s(&world, 6), 1.5, 1e-12);
    must_parse("rate_hz: 8\nturntable: {radius_m: 0.5}\nmotion: {period_s: 16}\n"
               "things: [{id: car, position_m: [0, 0], on: turntable}]\n");
    assert_near(pov_world_turn_rad(&world, 32), 90 * deg, 1e-12); /* 4 of 16 seconds */
    must_parse("turntable: {radius_m: 0.5}\nmotion: {period_s: 16, steps: 8}\n"
               "things: [{id: car, position_m: [0, 0], on: turntable}]\n");
    assert_near(pov_world_turn_rad(&world, 2), 90 * deg, 1e-12);
    assert_near(pov_world_time_s(&world, 2), 4, 1e-12);
}

static void what_follows_a_path_on_a_turntable_is_carried_besides(void **state)
{
    (void)state;
    static pov_scene scene;
    must_parse(
        "turntable: {radius_m: 1, height_m: 0.1}\nmotion: {steps: 4, period_s: 4}\nthings:\n"
        "  - {id: car, position_m: [0.2, 0], on: turntable, path: [{at_s: 1, position_m: [0.4, 0]}]}\n");
    pov_world_move(&world, 1);
    pov_world_scene(&scene, &world, pov_world_turn_rad(&world, 1));
    assert_near(scene.entities[1].position.mean_m.x, 0, 1e-12);
    assert_near(scene.entities[1].position.mean_m.y, 0.4, 1e-12);
    assert_near(scene.entities[1].position.mean_m.z, 0.1 + scene.entities[1].size_m.z / 2, 1e-12);
}

static void mistakes_are_named_with_line_and_cure(void **state)
{
    (void)state;
    must_complain("things:\n  - {id: car, position_m: [0, 0], path: [{at_s: 2}, {at_s: 2}]}\n", "w.yaml:2",
                  "not after");
    must_complain("things:\n  - {id: car, position_m: [0, 0], path: [{position_m: [1, 1]}]}\n", "w.yaml:2",
                  "at_s");
    must_complain("things:\n  - {id: car, position_m: [0, 0], path: [{at_s: 1, yaw_deg: 1, front_deg: 1}]}\n",
                  "w.yaml:2", "excludes");
    must_complain("things:\n  - {id: car, position_m: [0, 0], path: [{at_s: 1}]}\n"
                  "  - {id: mug, position_m: [0, 0], on: car}\n",
                  "w.yaml:3", "a path of its own");
    must_complain("lighting: {path: [{at_s: 1}, {at_s: 0.5}]}\nthings: [{id: car, position_m: [0, 0]}]\n",
                  "w.yaml:1", "not after");
}

/* ---- drawn ---- */

static int16_t labels[WIDTH_PX * HEIGHT_PX];
static float light[WIDTH_PX * HEIGHT_PX][3];

/* Middle of the pixels that show the car. */
static pov_vec2 draw_at(pov_stage *stage, double time_s)
{
    pov_rendering rendering = {.label = labels, .light = light};
    pov_vec2 sum = {0, 0};
    int len = 0;
    pov_stage_move(stage, time_s);
    assert_int_equal(pov_stage_turn(stage, 0).code, POV_OK);
    assert_int_equal(pov_stage_look_own(stage).code, POV_OK);
    pov_stage_draw(stage, &rendering, 0, HEIGHT_PX);
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++)
        if (labels[i] == 1) {
            sum.x += i % WIDTH_PX;
            sum.y += i / WIDTH_PX;
            len++;
        }
    assert_true(len > 20);
    return (pov_vec2){sum.x / len, sum.y / len};
}

static void what_moved_is_drawn_where_it_is_in_the_light_of_that_time(void **state)
{
    (void)state;
    pov_stage *stage;
    must_parse(moved);
    assert_int_equal(pov_stage_new(&stage, NULL).code, POV_OK);
    assert_int_equal(pov_stage_set(stage, &world).code, POV_OK);
    const pov_vec2 before = draw_at(stage, 0);
    const float dark = light[0][0];
    const pov_vec2 after = draw_at(stage, 4);
    /* looking straight down, the image's top is +y */
    assert_near(after.x - before.x, 20, 3); /* px of 10 mm on the ground; the car's top is nearer */
    assert_near(after.y - before.y, 60, 8);
    assert_near(light[0][0] / dark, 3, 1e-3);
    (void)draw_at(stage, 2);
    assert_near(light[0][0] / dark, 2, 1e-3); /* half way */
    pov_stage_destroy(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thing_goes_straight_from_one_place_to_the_next_and_stays_at_the_last),
        cmocka_unit_test(it_turns_as_far_as_the_degrees_say),
        cmocka_unit_test(it_does_not_turn_where_both_ends_say_the_same_degrees),
        cmocka_unit_test(images_are_taken_at_the_rate),
        cmocka_unit_test(what_follows_a_path_on_a_turntable_is_carried_besides),
        cmocka_unit_test(mistakes_are_named_with_line_and_cure),
        cmocka_unit_test(what_moved_is_drawn_where_it_is_in_the_light_of_that_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
