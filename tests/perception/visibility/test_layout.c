#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/random.h"
#include "tests/support/visible_scene.h"

#include "perception/visibility/layout.h"

#include <string.h>

static pov_scene scene;
static test_random randoms;
static const double deg = POV_PI / 180;

static int set_up(void **state)
{
    (void)state;
    pov_scene_clear(&scene);
    randoms.state = 7;
    return 0;
}

static pov_id add_person(double x_m, double y_m, double yaw_rad)
{
    pov_entity person =
        test_body("person", POV_SHAPE_BOX, (pov_vec3){x_m, y_m, 0}, (pov_vec3){0.3, 0.5, 1.7});
    person.heading = pov_heading_single(yaw_rad, pov_kappa_from_std(0));
    return test_add(&scene, &person);
}

static pov_id add_thing(const char *name, double x_m, double y_m)
{
    return test_add_box(&scene, name, (pov_vec3){x_m, y_m, 0}, (pov_vec3){0.1, 0.1, 0.1});
}

static void every_whole_degree_has_its_side(void **state)
{
    (void)state;
    static const pov_side by_octant[] = {POV_SIDE_FRONT,     POV_SIDE_FRONT_LEFT, POV_SIDE_LEFT,
                                         POV_SIDE_BACK_LEFT, POV_SIDE_BACK,       POV_SIDE_BACK_RIGHT,
                                         POV_SIDE_RIGHT,     POV_SIDE_FRONT_RIGHT};
    static const pov_side by_quarter[] = {POV_SIDE_FRONT, POV_SIDE_LEFT, POV_SIDE_BACK, POV_SIDE_RIGHT};
    const pov_id person = add_person(1, 2, 0), thing = add_thing("thing", 0, 0);
    for (int heading = 0; heading < 360; heading += 37)
        for (int angle = 0; angle < 360; angle++) {
            scene.entities[person].heading = pov_heading_single(heading * deg, pov_kappa_from_std(0));
            scene.entities[thing].position.mean_m =
                (pov_vec3){1 + 2 * cos((heading + angle) * deg), 2 + 2 * sin((heading + angle) * deg), 0};
            pov_side_judgment judged;
            assert_int_equal(pov_layout_side(&judged, &scene, person, thing, 0.45), POV_OK);
            assert_int_equal(judged.side, by_octant[(2 * angle + 45) / 90 % 8]);
            if (angle % 90 != 45) /* on a diagonal both words are as good */
                assert_int_equal(judged.quarter, by_quarter[(angle + 45) / 90 % 4]);
            assert_int_equal(judged.verdict, POV_TRUE);
            assert_near(pov_angle_wrap(judged.bearing_rad - angle * deg), 0, 1e-9);
        }
}

/* ---- Monte-Carlo ----------------------------------------------------------------------------------------------- */

enum { DRAWS = 40000 };
static const double tolerance = 0.01; /* three of the draws' own standard deviations, and some */

static void spread(pov_id id, double std_m)
{
    for (int k = 0; k < 3; k++)
        scene.entities[id].position.own_cov_m2[k][k] = std_m * std_m;
}

/* The camera sees the thing: it moves and turns with the camera. */
static void tie_to_camera(pov_id id)
{
    pov_position *position = &scene.entities[id].position;
    const pov_vec3 d = pov_vec3_sub(position->mean_m, scene.entities[scene.camera].position.mean_m);
    const double turn[3][3] = {{0, d.z, -d.y}, {-d.z, 0, d.x}, {d.y, -d.x, 0}};
    for (int k = 0; k < 3; k++) {
        memcpy(position->per_camera_pose[k], turn[k], sizeof turn[k]);
        position->per_camera_pose[k][3 + k] = 1;
    }
}

static void add_camera(double turn_std, double move_std)
{
    pov_pose pose = pov_pose_exact(
        pov_transform_look_at((pov_vec3){-2, 0.5, 1.5}, (pov_vec3){0, 0.2, 0}, (pov_vec3){0, 0, 1}));
    for (int k = 0; k < 6; k++)
        pose.cov[k][k] = k < 3 ? turn_std * turn_std : move_std * move_std;
    assert_int_equal(pov_scene_add_camera(&scene, &pose).code, POV_OK);
}

/* Positions and headings of one possible world; headings are normal, narrow enough. */
static void draw(pov_vec2 drawn[], double yaw[])
{
    double camera[6];
    for (int k = 0; k < 6; k++)
        camera[k] = sqrt(scene.camera_pose_cov[k][k]) * test_random_normal(&randoms);
    for (int i = 0; i < scene.len; i++) {
        const pov_entity *e = &scene.entities[i];
        double at[2] = {e->position.mean_m.x, e->position.mean_m.y};
        for (int k = 0; k < 2; k++) {
            at[k] += sqrt(e->position.own_cov_m2[k][k]) * test_random_normal(&randoms);
            for (int l = 0; l < 6; l++)
                at[k] += e->position.per_camera_pose[k][l] * camera[l];
        }
        drawn[i] = (pov_vec2){at[0], at[1]};
        yaw[i] = e->heading.len ? e->heading.mode[0].yaw_rad +
                                      test_random_normal(&randoms) / sqrt(e->heading.mode[0].kappa)
                                : 0;
        if (i == scene.camera) {
            const pov_rot R =
                pov_rot_mul(pov_rot_exp((pov_vec3){camera[0], camera[1], camera[2]}), e->R_table_box);
            yaw[i] = atan2(R.m[1][2], R.m[0][2]);
        }
    }
}

static void compare_sides(pov_id viewer, pov_id target)
{
    pov_side_judgment judged;
    double p[POV_SIDE_COUNT] = {0}, quarter[4] = {0}, sum = 0;
    assert_int_equal(pov_layout_side(&judged, &scene, viewer, target, 0.45), POV_OK);
    for (int i = 0; i < DRAWS; i++) {
        pov_vec2 at[POV_ENTITY_MAX];
        double yaw[POV_ENTITY_MAX];
        draw(at, yaw);
        const double bearing = atan2(at[target].y - at[viewer].y, at[target].x - at[viewer].x) - yaw[viewer];
        p[(int)floor(bearing / (POV_PI / 4) + 0.5 + 16) % 8] += 1.0 / DRAWS;
        quarter[(int)floor(bearing / (POV_PI / 2) + 0.5 + 8) % 4] += 1.0 / DRAWS;
    }
    for (int i = 0; i < POV_SIDE_COUNT; i++) {
        assert_near(judged.p[i], p[i], tolerance);
        assert_near(judged.p_quarter[i / 2], quarter[i / 2], tolerance);
        sum += judged.p[i];
    }
    assert_near(sum, 1, 1e-6);
}

static void sides_agree_with_random_worlds(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        pov_scene_clear(&scene);
        add_camera(0.06, 0.05);
        const pov_id person = add_person(0, 0, 0.3), thing = add_thing("thing", 1 + 0.3 * i, 0.8);
        scene.entities[person].heading = pov_heading_single(0.3, 40);
        spread(person, 0.1);
        spread(thing, 0.05 + 0.1 * i);
        tie_to_camera(person);
        tie_to_camera(thing);
        compare_sides(person, thing);
        compare_sides(scene.camera, thing);
    }
}

static void what_the_camera_sees_has_a_sure_side_however_the_camera_is_turned(void **state)
{
    (void)state;
    add_camera(0.3, 0);
    const pov_id thing = add_thing("thing", 0, 0);
    tie_to_camera(thing);
    pov_side_judgment judged;
    assert_int_equal(pov_layout_side(&judged, &scene, scene.camera, thing, 0.45), POV_OK);
    assert_int_equal(judged.side, POV_SIDE_FRONT);
    assert_near(judged.p[POV_SIDE_FRONT], 1, 1e-3);
}

static void swaps_agree_with_random_worlds(void **state)
{
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        pov_scene_clear(&scene);
        add_camera(0.03, 0.05);
        const pov_id person = add_person(-1, 0.3 * turn, 0.1);
        spread(person, 0.1);
        for (int i = 0; i < 5; i++) {
            const char name[] = {(char)('a' + i), 0};
            const pov_id thing = add_thing(name, 0.3 * i, 0.25 * (i * 7 % 5) - 0.5);
            spread(thing, 0.12);
            if (i % 2)
                tie_to_camera(thing);
        }
        const pov_layout layout = POV_LAYOUT_DEFAULT;
        pov_order order[2];
        assert_int_equal(pov_layout_left_to_right(&order[0], &scene, person, &layout), POV_OK);
        assert_int_equal(pov_layout_near_to_far(&order[1], &scene, person, &layout), POV_OK);
        for (int which = 0; which < 2; which++) {
            assert_int_equal(order[which].len, 5);
            double swapped[5] = {0};
            for (int i = 0; i < DRAWS; i++) {
                pov_vec2 at[POV_ENTITY_MAX];
                double yaw[POV_ENTITY_MAX];
                draw(at, yaw);
                for (int k = 0; k + 1 < 5; k++) {
                    const pov_vec2 v = at[person], a = at[order[which].places[k].id],
                                   b = at[order[which].places[k + 1].id];
                    const bool is_swapped = which == 0
                                                ? (a.x - v.x) * (b.y - v.y) - (a.y - v.y) * (b.x - v.x) > 0
                                                : hypot(b.x - v.x, b.y - v.y) < hypot(a.x - v.x, a.y - v.y);
                    swapped[k] += is_swapped / (double)DRAWS;
                }
            }
            for (int k = 0; k < 5; k++) {
                assert_near(order[which].places[k].p_swapped, swapped[k], tolerance);
                assert_true(order[which].places[k].p_swapped <= 0.6); /* the means say otherwise */
                assert_int_equal(order[which].places[k].is_uncertain,
                                 order[which].places[k].p_swapped >= 0.05);
            }
        }
    }
}

/* ---- orders ---------------------------------------------------------------------------------------------------- */

static void a_person_across_the_table_lists_things_the_other_way_round(void **state)
{
    (void)state;
    const pov_id here = add_person(-2, 0, 0);
    pov_entity other = scene.entities[here];
    strcpy(other.name, "other");
    other.position.mean_m.x = 2;
    other.heading = pov_heading_single(POV_PI, pov_kappa_from_std(0));
    const pov_id there = test_add(&scene, &other);
    const pov_id left = add_thing("cup", -0.1, 0.5), middle = add_thing("ball", 0.1, 0),
                 right = add_thing("car", 0, -0.5);
    bool shown[POV_ENTITY_MAX] = {false};
    shown[left] = shown[middle] = shown[right] = true;
    pov_layout layout = POV_LAYOUT_DEFAULT;
    layout.shown = shown;
    pov_order order;
    assert_int_equal(pov_layout_left_to_right(&order, &scene, here, &layout), POV_OK);
    assert_int_equal(order.len, 3);
    assert_int_equal(order.places[0].id, left);
    assert_int_equal(order.places[2].id, right);
    assert_int_equal(pov_layout_left_to_right(&order, &scene, there, &layout), POV_OK);
    assert_int_equal(order.places[0].id, right);
    assert_int_equal(order.places[2].id, left);
    assert_int_equal(pov_layout_near_to_far(&order, &scene, here, &layout), POV_OK);
    assert_int_equal(order.places[0].id, left); /* 1.965 m, before 2.062 and 2.1 */
    assert_int_equal(order.places[1].id, right);
    assert_int_equal(order.places[2].id, middle);
    assert_false(order.places[0].is_uncertain);
}

static void what_is_behind_is_left_out_unless_asked_for(void **state)
{
    (void)state;
    const pov_id person = add_person(0, 0, 0);
    add_thing("ahead", 1, 0.2);
    add_thing("behind", -1, 0.2);
    pov_layout layout = POV_LAYOUT_DEFAULT;
    pov_order order;
    assert_int_equal(pov_layout_left_to_right(&order, &scene, person, &layout), POV_OK);
    assert_int_equal(order.len, 1);
    layout.half_angle_rad = POV_PI;
    assert_int_equal(pov_layout_left_to_right(&order, &scene, person, &layout), POV_OK);
    assert_int_equal(order.len, 2);
    assert_string_equal(scene.entities[order.places[0].id].name, "behind");
}

/* What is far to the left and what is far to the right cannot change places, however their bearings err. */
static void what_lies_on_opposite_sides_is_not_swapped(void **state)
{
    (void)state;
    for (int apart_deg = 120; apart_deg <= 340; apart_deg += 20) {
        pov_scene_clear(&scene);
        const pov_id person = add_person(0, 0, 0.4);
        const double half_rad = apart_deg * deg / 2;
        const pov_id left = add_thing("left", 2 * cos(0.4 + half_rad), 2 * sin(0.4 + half_rad));
        const pov_id right = add_thing("right", 2 * cos(0.4 - half_rad), 2 * sin(0.4 - half_rad));
        spread(left, 0.1);
        spread(right, 0.1);
        pov_layout layout = POV_LAYOUT_DEFAULT;
        layout.half_angle_rad = POV_PI;
        pov_order order;
        assert_int_equal(pov_layout_left_to_right(&order, &scene, person, &layout), POV_OK);
        assert_int_equal(order.places[0].id, left);
        assert_near(order.places[0].p_swapped, 0, 0.01);
        assert_false(order.places[0].is_uncertain);
    }
}

static void what_has_no_answer_is_undefined(void **state)
{
    (void)state;
    const pov_id person = add_person(0, 0, 0), thing = add_thing("thing", 1, 0),
                 lost = add_thing("lost", 1, 0);
    const pov_id here = add_thing("here", 0.01, 0);
    const pov_layout layout = POV_LAYOUT_DEFAULT;
    scene.entities[lost].placed = false;
    spread(here, 0.05);
    const pov_id pairs[][2] = {{person, person}, {thing, person}, {person, lost}, {person, here}};
    pov_side_judgment judged;
    pov_order order;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pov_layout_side(&judged, &scene, pairs[i][0], pairs[i][1], 0.4), POV_UNDEFINED);
        assert_int_equal(judged.side, POV_SIDE_UNDEFINED);
        assert_true(isnan(judged.p[0]) && isnan(judged.bearing_rad));
    }
    assert_int_equal(pov_layout_left_to_right(&order, &scene, thing, &layout), POV_UNDEFINED);
    assert_int_equal(order.len, 0);
    assert_string_equal(pov_side_name(POV_SIDE_BACK_LEFT), "back-left");
    assert_string_equal(pov_side_name(POV_SIDE_UNDEFINED), "undefined");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_whole_degree_has_its_side, set_up),
        cmocka_unit_test_setup(sides_agree_with_random_worlds, set_up),
        cmocka_unit_test_setup(what_the_camera_sees_has_a_sure_side_however_the_camera_is_turned, set_up),
        cmocka_unit_test_setup(swaps_agree_with_random_worlds, set_up),
        cmocka_unit_test_setup(a_person_across_the_table_lists_things_the_other_way_round, set_up),
        cmocka_unit_test_setup(what_is_behind_is_left_out_unless_asked_for, set_up),
        cmocka_unit_test_setup(what_lies_on_opposite_sides_is_not_swapped, set_up),
        cmocka_unit_test_setup(what_has_no_answer_is_undefined, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
