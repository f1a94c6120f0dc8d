#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tags/tag_reconcile.h"
#include "tests/support/near.h"
#include "tests/support/tag_rig.h"

static pov_tag_map map, world;
static pov_tags tags;
static pov_camera_pose pose;

static double off_m(pov_transform truth)
{
    return pov_vec3_norm(pov_vec3_sub(pose.T_table_camera.T.t_m, truth.t_m));
}

static pov_transform photograph(int tag_len, double noise_px, test_random *random)
{
    pov_transform truth;
    do {
        truth = rig_look(0.6, random);
        rig_photograph(&tags, &rig_camera, truth, &world, noise_px, random);
    } while (tags.len < tag_len);
    tags.len = tag_len;
    (void)pov_camera_pose_estimate(&pose, &rig_camera, &tags, &map); /* where none fits there is no pose */
    return truth;
}

static int rejected(void)
{
    int len = 0;
    for (int i = 0; i < tags.len; i++)
        len += pose.fate[i] == POV_TAG_REJECTED;
    return len;
}

/** Corners that err by 1.2 px where 0.3 was said. */
static void three_tags_that_each_miss_by_a_pixel_are_noisy_and_all_used(void **state)
{
    (void)state;
    test_random random = {1};
    int contradictions = 0, reconciled = 0, within = 0;
    for (int trial = 0; trial < 60; trial++) {
        rig_make_map(&map, 20, 0.04, &random);
        world = map;
        const pov_transform truth = photograph(3, 1.2, &random);
        if (rejected() == 0)
            continue;
        contradictions++;
        if (!pov_camera_pose_reconcile(&pose, &tags, &rig_camera, &map))
            continue;
        reconciled++;
        assert_int_equal(rejected(), 0);
        assert_true(tags.tags[0].corner_std_px >= 0.6);
        double variance = 0;
        for (int i = 3; i < 6; i++)
            variance += pose.T_table_camera.cov[i][i];
        within += off_m(truth) < 3 * sqrt(variance);
    }
    print_message("%d of %d contradictions reconciled, %d within 3 deviations of the truth\n", reconciled,
                  contradictions, within);
    assert_true(contradictions > 20);
    assert_true(reconciled > 0.8 * contradictions);
    assert_true(within > 0.9 * reconciled);
}

static void a_tag_that_has_moved_stays_a_stray(void **state)
{
    (void)state;
    test_random random = {2};
    const int numbers[] = {4, 6, 10};
    for (int trial = 0; trial < 30; trial++) {
        rig_make_map(&map, 20, 0.04, &random);
        world = map;
        const int len = numbers[trial % 3];
        const pov_transform truth = photograph(len, 0.2, &random);
        for (int k = 0; k < 4; k++) { /* by some 2 cm */
            tags.tags[1].corner_px[k].x += 25;
            tags.tags[1].corner_px[k].y -= 15;
        }
        assert_int_equal(pov_camera_pose_estimate(&pose, &rig_camera, &tags, &map), POV_OK);
        assert_false(pov_camera_pose_reconcile(&pose, &tags, &rig_camera, &map));
        assert_near(tags.tags[0].corner_std_px, 0.3, 0);
        assert_int_equal(pose.fate[1], POV_TAG_REJECTED);
        assert_true(off_m(truth) < 0.03);
    }
}

static void tags_that_agree_are_left_as_they_are(void **state)
{
    (void)state;
    test_random random = {3};
    rig_make_map(&map, 20, 0.04, &random);
    world = map;
    (void)photograph(6, 0.2, &random);
    assert_int_equal(rejected(), 0);
    assert_false(pov_camera_pose_reconcile(&pose, &tags, &rig_camera, &map));
    assert_near(tags.tags[0].corner_std_px, 0.3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_tags_that_each_miss_by_a_pixel_are_noisy_and_all_used),
        cmocka_unit_test(a_tag_that_has_moved_stays_a_stray),
        cmocka_unit_test(tags_that_agree_are_left_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
