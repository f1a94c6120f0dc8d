#include "config/files/nearest_name.h"
#include "config/yaml/yaml_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/yaml.h"

static void absent_keys_leave_the_default(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("a: 1");
    pov_yaml_node root = pov_yaml_root(file), none = pov_yaml_get(root, "b");
    double number = 5;
    const char *text = "same";
    pov_yaml_number(&number, none, 0, 1);
    pov_yaml_string(&text, none);
    assert_false(pov_yaml_exists(none));
    assert_int_equal(pov_yaml_length(none), 0);
    assert_int_equal(pov_yaml_line(none), 0);
    assert_false(pov_yaml_exists(pov_yaml_get(pov_yaml_at(none, 0), "deeper")));
    assert_true(number == 5);
    assert_string_equal(text, "same");
    assert_true(pov_yaml_exists(pov_yaml_get(root, "a")));
    assert_finishes(file, "");
}

static void lists_keep_their_order_and_lines(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("tags:\n  - id: 3\n  - id: 1\n\n  - id: 2\nempty: []\n");
    pov_yaml_node tags = pov_yaml_get(pov_yaml_root(file), "tags");
    static const int ids[] = {3, 1, 2}, lines[] = {2, 3, 5};
    assert_int_equal(pov_yaml_line(tags), 1);
    assert_int_equal(pov_yaml_length(tags), 3);
    for (int i = 0; i < 3; i++) {
        int id = 0;
        pov_yaml_node at = pov_yaml_get(pov_yaml_at(tags, i), "id");
        pov_yaml_integer(&id, at, 0, 9);
        assert_int_equal(id, ids[i]);
        assert_int_equal(pov_yaml_line(at), lines[i]);
    }
    assert_false(pov_yaml_exists(pov_yaml_at(tags, 3)));
    assert_false(pov_yaml_exists(pov_yaml_at(tags, -1)));
    pov_yaml_node empty = pov_yaml_get(pov_yaml_root(file), "empty");
    assert_true(pov_yaml_exists(empty));
    assert_int_equal(pov_yaml_length(empty), 0);
    assert_finishes(file, "");
}

static void the_first_complaint_sticks(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("a: x\nb: y\nc: 3\n");
    pov_yaml_node root = pov_yaml_root(file);
    double a = 1, b = 2, c = 4;
    pov_yaml_node node_b = pov_yaml_get(root, "b");
    pov_yaml_number(&a, pov_yaml_get(root, "a"), 0, 9);
    pov_yaml_number(&b, node_b, 0, 9);
    pov_yaml_number(&c, pov_yaml_get(root, "c"), 0, 9);
    pov_yaml_complain(root, "another");
    assert_true(a == 1 && b == 2 && c == 4);
    assert_finishes(file, "s.yaml:1: a: expected a number between 0 and 9, got \"x\"; write e.g. a: 0.6");
}

static void an_unknown_key_is_named_with_the_nearest_known_one(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("north_deg: 0\n\ncalibraton: cam.yaml\n");
    (void)pov_yaml_get(pov_yaml_root(file), "north_deg");
    (void)pov_yaml_get(pov_yaml_root(file), "calibration");
    assert_finishes(file, "s.yaml:3: unknown key \"calibraton\"; did you mean \"calibration\"?");
}

static void an_unknown_key_unlike_any_gets_the_list(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("cast:\n  - id: ball\n    colour: red\n");
    pov_yaml_node entity = pov_yaml_at(pov_yaml_get(pov_yaml_root(file), "cast"), 0);
    (void)pov_yaml_get(entity, "id");
    (void)pov_yaml_get(entity, "radius_m");
    assert_finishes(file, "s.yaml:3: unknown key \"cast[0].colour\"; known there: radius_m, id");
}

static void the_first_unknown_key_in_the_file_is_named(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("zebra: 1\na: {unknown: 1}\nb: 2\n");
    (void)pov_yaml_get(pov_yaml_get(pov_yaml_root(file), "a"), "x");
    assert_finishes(file, "s.yaml:1: unknown key \"zebra\"; known there: a");
}

static void a_key_that_two_readers_know_is_named_once(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("zebra: 1\n");
    (void)pov_yaml_get(pov_yaml_root(file), "shape");
    (void)pov_yaml_get(pov_yaml_root(file), "body");
    (void)pov_yaml_get(pov_yaml_root(file), "shape");
    assert_finishes(file, "s.yaml:1: unknown key \"zebra\"; known there: shape, body");
}

static void a_mapping_nobody_looks_into_is_not_checked(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("rectification_matrix: {rows: 3, cols: 3}\n");
    (void)pov_yaml_get(pov_yaml_root(file), "rectification_matrix");
    assert_finishes(file, "");
}

static void a_missing_key_says_what_it_is_for(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("\ncamera:\n  rate_hz: 3\n");
    pov_yaml_node camera = pov_yaml_need(pov_yaml_root(file), "camera", "the camera");
    (void)pov_yaml_need(camera, "calibration", "the camera's calibration file");
    (void)pov_yaml_get(camera, "rate_hz");
    assert_finishes(file,
                    "s.yaml:2: camera: the key \"calibration\" is missing; it gives the camera's calibration "
                    "file");
}

static void a_missing_key_that_is_only_misspelt_is_named_as_such(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("camera:\n  rate_hz: 3\n  calibraton: x\n");
    pov_yaml_node camera = pov_yaml_need(pov_yaml_root(file), "camera", "the camera");
    (void)pov_yaml_need(camera, "calibration", "the camera's calibration file");
    (void)pov_yaml_get(camera, "rate_hz");
    assert_finishes(file, "s.yaml:3: unknown key \"camera.calibraton\"; did you mean \"calibration\"?");
}

static void a_callers_own_complaint_names_file_line_and_full_key(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("camera:\n  pose:\n    position_m: [0, 0, 0]\n");
    pov_yaml_node pose = pov_yaml_get(pov_yaml_get(pov_yaml_root(file), "camera"), "pose");
    pov_yaml_complain(pov_yaml_get(pose, "position_m"), "is under the table by %d m", 3);
    assert_finishes(file, "s.yaml:3: camera.pose.position_m: is under the table by 3 m");
}

static void a_value_where_keys_are_expected_is_named(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("camera: front\n");
    (void)pov_yaml_get(pov_yaml_get(pov_yaml_root(file), "camera"), "device");
    assert_finishes(file, "s.yaml:1: camera: expected keys, as in \"device: ...\"");
}

static void the_nearest_name_is_found_by_edit_distance(void **state)
{
    (void)state;
    static const char *const names[] = {"calibration", "cast", "north_deg", "id", "tag36h11"};
    assert_string_equal(pov_nearest_name("calibraton", names, 5), "calibration");
    assert_string_equal(pov_nearest_name("clibrtion", names, 5), "calibration");
    assert_string_equal(pov_nearest_name("Cast", names, 5), "cast");
    assert_string_equal(pov_nearest_name("csat", names, 5), "cast");
    assert_string_equal(pov_nearest_name("nroth_deg", names, 5), "north_deg");
    assert_string_equal(pov_nearest_name("di", names, 5), "id");
    assert_null(pov_nearest_name("xy", names, 5));
    assert_null(pov_nearest_name("", names, 5));
    assert_null(pov_nearest_name("viewers", names, 5));
    assert_null(pov_nearest_name("cast", names, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_keys_leave_the_default),
        cmocka_unit_test(lists_keep_their_order_and_lines),
        cmocka_unit_test(the_first_complaint_sticks),
        cmocka_unit_test(an_unknown_key_is_named_with_the_nearest_known_one),
        cmocka_unit_test(an_unknown_key_unlike_any_gets_the_list),
        cmocka_unit_test(the_first_unknown_key_in_the_file_is_named),
        cmocka_unit_test(a_key_that_two_readers_know_is_named_once),
        cmocka_unit_test(a_mapping_nobody_looks_into_is_not_checked),
        cmocka_unit_test(a_missing_key_says_what_it_is_for),
        cmocka_unit_test(a_missing_key_that_is_only_misspelt_is_named_as_such),
        cmocka_unit_test(a_callers_own_complaint_names_file_line_and_full_key),
        cmocka_unit_test(a_value_where_keys_are_expected_is_named),
        cmocka_unit_test(the_nearest_name_is_found_by_edit_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
