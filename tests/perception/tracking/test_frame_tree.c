/* A robot's frames: interpolation against closed forms, and every way in which a place is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tracking/frame_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t ms = 1000000, gap_ns = 100 * INT64_C(1000000);

static void tell(pov_frame_tree *tree, const char *parent, const char *child, double x_m, double yaw_rad,
                 int64_t at_ns, bool is_static)
{
    assert_true(pov_frame_tree_add(
        tree, &(pov_frame_told){parent, child, {pov_rot_yaw(yaw_rad), {x_m, 0, 0}}, at_ns, is_static}));
}

static pov_status find(pov_frame_place *place, const pov_frame_tree *tree, const char *to, const char *from,
                       int64_t at_ns)
{
    return pov_frame_tree_find(tree, place, to, from, at_ns);
}

/* base > arm turns at 1 rad/s about z, arm > hand is fixed 2 m along x. */
static pov_frame_tree *make_arm(void)
{
    pov_frame_tree *tree = pov_frame_tree_new(gap_ns);
    for (int i = 0; i <= 100; i++)
        tell(tree, "base", "arm", 0, 0.02 * i, 20 * i * ms, false);
    tell(tree, "arm", "hand", 2, 0, 0, true);
    return tree;
}

static void a_place_between_two_times_is_interpolated_with_its_rate(void **state)
{
    (void)state;
    pov_frame_tree *tree = make_arm();
    pov_frame_place place;
    for (int64_t at_ns = 0; at_ns <= 2000 * ms; at_ns += 7 * ms) {
        const double angle = 1e-9 * (double)at_ns;
        assert_int_equal(find(&place, tree, "base", "hand", at_ns).code, POV_OK);
        assert_true(fabs(place.T_to_from.t_m.x - 2 * cos(angle)) < 1e-9);
        assert_true(fabs(place.T_to_from.t_m.y - 2 * sin(angle)) < 1e-9);
        assert_true(fabs(place.T_to_from.R.m[1][0] - sin(angle)) < 1e-9);
        const double rate[6] = {0, 0, 1, -2 * sin(angle), 2 * cos(angle), 0}; /* the derivative */
        for (int i = 0; i < 6; i++)
            assert_true(fabs(place.rate[i] - rate[i]) < 2e-3);
        assert_int_equal(find(&place, tree, "hand", "base", at_ns).code, POV_OK); /* the inverse */
        assert_true(fabs(place.T_to_from.t_m.x + 2) < 1e-9 && fabs(place.T_to_from.t_m.y) < 1e-9);
    }
    pov_frame_tree_destroy(&tree);
}

static void branches_meet_where_they_part(void **state)
{
    (void)state;
    pov_frame_tree *tree = make_arm();
    pov_frame_place place;
    tell(tree, "base", "camera", -1, 0, 0, true);
    tell(tree, "map", "base", 100, 1, 0, true);
    assert_int_equal(find(&place, tree, "camera", "hand", 0).code, POV_OK);
    assert_true(fabs(place.T_to_from.t_m.x - 3) < 1e-9);
    pov_frame_tree_destroy(&tree);
}

static void assert_told(const pov_status *status, pov_code code, const char *words)
{
    assert_int_equal(status->code, code);
    if (!strstr(status->message, words))
        fail_msg("'%s' does not say '%s'", status->message, words);
}

static void nothing_is_extrapolated_and_what_is_missing_is_named(void **state)
{
    (void)state;
    pov_frame_tree *tree = make_arm();
    pov_frame_place place;
    pov_status status = find(&place, tree, "base", "hand", 2034 * ms);
    assert_told(&status, POV_TIMEOUT,
                "the newest transform from 'base' to 'arm' is 0.034 s older than the image");
    status = find(&place, tree, "base", "hand", -5 * ms);
    assert_told(&status, POV_ERROR,
                "the oldest transform from 'base' to 'arm' is 0.005 s younger than the image");
    tell(tree, "base", "arm", 0, 0, 2200 * ms, false);
    status = find(&place, tree, "base", "hand", 2100 * ms);
    assert_told(&status, POV_ERROR, "have a gap of 0.200 s");
    assert_int_equal(find(&place, tree, "base", "hand", 2200 * ms).code, POV_OK); /* told of that very time */
    status = find(&place, tree, "base", "foot", 0);
    assert_told(&status, POV_ERROR, "no transform names the frame 'foot'");
    tell(tree, "world", "foot", 0, 0, 0, true);
    status = find(&place, tree, "base", "foot", 0);
    assert_told(&status, POV_ERROR, "no transforms lead from 'base' to 'foot'");
    assert_true(pov_frame_tree_newest(tree, "base", "hand") == 2200 * ms);
    assert_true(pov_frame_tree_newest(tree, "base", "foot") == INT64_MIN);
    pov_frame_tree_destroy(&tree);
}

static void the_order_of_arrival_does_not_matter(void **state)
{
    (void)state;
    static const int order[] = {3, 0, 2, 4, 1, 3};
    pov_frame_tree *tree = pov_frame_tree_new(gap_ns);
    pov_frame_place place;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        tell(tree, "base", "arm", order[i], 0, 20 * order[i] * ms, false);
    for (int k = 0; k <= 80; k++) {
        assert_int_equal(find(&place, tree, "base", "arm", k * ms).code, POV_OK);
        assert_true(fabs(place.T_to_from.t_m.x - k / 20.0) < 1e-9);
    }
    pov_frame_tree_destroy(&tree);
}

static void a_recording_that_is_played_again_begins_again(void **state)
{
    (void)state;
    pov_frame_tree *tree = pov_frame_tree_new(gap_ns);
    pov_frame_place place;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++)
            tell(tree, "base", "arm", round, 0, 20 * i * ms, false);
    assert_int_equal(find(&place, tree, "base", "arm", 19970 * ms).code, POV_OK);
    assert_true(place.T_to_from.t_m.x == 1);
    assert_int_equal(find(&place, tree, "base", "arm", 5000 * ms).code, POV_ERROR); /* forgotten */
    pov_frame_tree_destroy(&tree);
}

static void loops_and_too_many_frames_are_refused(void **state)
{
    (void)state;
    pov_frame_tree *tree = pov_frame_tree_new(gap_ns);
    pov_frame_place place;
    const pov_transform here = pov_transform_identity();
    assert_false(pov_frame_tree_add(tree, &(pov_frame_told){"a", "a", here, 0, true}));
    assert_false(pov_frame_tree_add(tree, &(pov_frame_told){"", "a", here, 0, true}));
    tell(tree, "a", "b", 0, 0, 0, true);
    tell(tree, "b", "a", 0, 0, 0, true);
    assert_int_equal(find(&place, tree, "elsewhere", "a", 0).code, POV_ERROR);
    tell(tree, "c", "d", 0, 0, 0, true);
    assert_int_equal(find(&place, tree, "d", "a", 0).code, POV_ERROR);
    for (int i = pov_frame_tree_len(tree); i < POV_FRAME_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        tell(tree, "c", name, 0, 0, 0, true);
    }
    assert_false(pov_frame_tree_add(tree, &(pov_frame_told){"c", "one more", here, 0, true}));
    pov_frame_tree_destroy(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_between_two_times_is_interpolated_with_its_rate),
        cmocka_unit_test(branches_meet_where_they_part),
        cmocka_unit_test(nothing_is_extrapolated_and_what_is_missing_is_named),
        cmocka_unit_test(the_order_of_arrival_does_not_matter),
        cmocka_unit_test(a_recording_that_is_played_again_begins_again),
        cmocka_unit_test(loops_and_too_many_frames_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
