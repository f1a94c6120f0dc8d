#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tags/tag_reconcile.h"
#include <math.h>

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
        len += pose.outcome[i] == POV_TAG_REJECTED;
    return len;
}

/** Corners that err by 1.2 px where 0.3 was said. */
static void three_tags_that_each_miss_by_a_pixel_are_noisy_and_all_used(void **state)
{
    (void)state;
    test_random random = {1};
    int contradictions = 0, reconciled = 0, within = 0;
    for (int trial = 0; trial < 36; trial++) {
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
    assert_true(contradictions > 12);
    assert_true(reconciled > 0.8 * contradictions);
    assert_true(within > 0.9 * reconciled);
}

static void a_tag_that_has_moved_stays_a_stray(void **state)
{
    (void)state;
    test_random random = {2};
    const int numbers[] = {4, 6, 10};
    for (int trial = 0; trial < 15; trial++) {
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
        assert_int_equal(pose.outcome[1], POV_TAG_REJECTED);
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

/* ---- maps that are less exact than they say ---- */

/* Where tags were put up: so far from where the map has them, each coordinate and each angle. */
static void put_up(pov_map_spread off, test_random *random)
{
    world = map;
    for (int i = 0; i < world.len; i++) {
        double error[6];
        for (int k = 0; k < 6; k++)
            error[k] = test_random_normal(random) * (k < 3 ? off.rotation_std_rad : off.position_std_m);
        world.tags[i].T_table_tag.T = pov_transform_plus(map.tags[i].T_table_tag.T, error);
    }
}

static pov_map_doubt look_at(int images, int tag_len, double noise_px, test_random *random)
{
    pov_map_doubt doubt = {0};
    for (int i = 0; i < images; i++) {
        (void)photograph(tag_len, noise_px, random);
        pov_map_doubt_look(&doubt, &rig_camera, &tags, &map, NULL);
    }
    return doubt;
}

static void a_map_that_is_off_is_told_by_its_deviations(void **state)
{
    (void)state;
    test_random random = {4};
    const pov_map_spread offs[] = {
        {0.05, 1 * POV_PI / 180}, {0.01, 1 * POV_PI / 180}, {0.005, 2 * POV_PI / 180}};
    for (int k = 0; k < 3; k++) {
        enum { TRIALS = 6 };
        double log_position = 0, log_rotation = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            pov_map_spread told;
            rig_make_map(&map, 20, 0.04, &random);
            put_up(offs[k], &random);
            const pov_map_doubt doubt = look_at(3, 6, 0.2, &random);
            assert_int_equal(doubt.looks, 3);
            assert_true(pov_map_doubt_verdict(&told, &doubt));
            log_position += log(told.position_std_m / offs[k].position_std_m) / TRIALS;
            log_rotation += log(fmax(told.rotation_std_rad, 1e-4) / offs[k].rotation_std_rad) / TRIALS;
            print_message("%.3f m %.2f deg told as %.4f m %.2f deg\n", offs[k].position_std_m,
                          offs[k].rotation_std_rad * 180 / POV_PI, told.position_std_m,
                          told.rotation_std_rad * 180 / POV_PI);
        }
        assert_near(log_position, 0, log(1.5));
        assert_near(log_rotation, 0, log(2));
    }
}

/* Also where corners are noisier than they say, by a worse lens: as many tags, as many images. */
static void an_exact_map_is_not_doubted(void **state)
{
    (void)state;
    static const double noises_px[] = {0.3, 0.6, 1.2};
    test_random random = {5};
    pov_map_spread told;
    int false_alarms = 0, all = 0;
    for (int trial = 0; trial < 60; trial++) {
        rig_make_map(&map, 20, 0.04, &random);
        world = map;
        const pov_map_doubt doubt =
            look_at(1 + trial / 3 % 5, 2 + trial / 15 % 4, noises_px[trial % 3], &random);
        all += doubt.looks > 0;
        false_alarms += pov_map_doubt_verdict(&told, &doubt);
    }
    print_message("%d false alarms in %d series of misfits\n", false_alarms, all);
    assert_true(all >= 17);
    assert_int_equal(false_alarms, 0);
}

/* The errors of a view that does not change are the same in each of its images; those of an inexact map are told all the same. */
static void a_camera_that_stands_still_looks_once(void **state)
{
    (void)state;
    test_random random = {8};
    const pov_map_spread off = {0.02, 1 * POV_PI / 180};
    pov_map_spread told;
    rig_make_map(&map, 20, 0.04, &random);
    put_up(off, &random);
    (void)photograph(6, 0.2, &random);
    pov_map_doubt once = {0}, often = {0};
    pov_map_doubt_look(&once, &rig_camera, &tags, &map, NULL);
    for (int i = 0; i < 4; i++)
        pov_map_doubt_look(&often, &rig_camera, &tags, &map, NULL);
    assert_int_equal(often.looks, 4);
    assert_true(pov_map_doubt_verdict(&told, &often));
    assert_near(often.gain[3][3], once.gain[3][3], 1e-9);
    (void)photograph(6, 0.2, &random); /* from elsewhere */
    pov_map_doubt_look(&often, &rig_camera, &tags, &map, NULL);
    assert_true(fabs(often.gain[3][3] - once.gain[3][3]) > 1);
}

static void a_tag_that_has_moved_makes_no_map_inexact(void **state)
{
    (void)state;
    test_random random = {6};
    pov_map_spread told;
    for (int trial = 0; trial < 10; trial++) {
        rig_make_map(&map, 20, 0.04, &random);
        world = map;
        (void)photograph(8, 0.2, &random);
        for (int i = 0; i < tags.len; i++)
            if (tags.tags[i].id == map.tags[0].id)
                for (int k = 0; k < 4; k++)
                    tags.tags[i].corner_px[k].x += 25;
        pov_map_doubt doubt = {0};
        pov_map_doubt_look(&doubt, &rig_camera, &tags, &map, NULL);
        assert_false(pov_map_doubt_verdict(&told, &doubt));
    }
}

static void a_map_that_says_how_well_it_was_measured_is_believed(void **state)
{
    (void)state;
    test_random random = {7};
    const pov_map_spread off = {0.02, 1 * POV_PI / 180};
    rig_make_map(&map, 20, 0.04, &random);
    put_up(off, &random);
    for (int i = 0; i < map.len; i++)
        for (int k = 0; k < 6; k++)
            map.tags[i].T_table_tag.cov[k][k] = pow(k < 3 ? off.rotation_std_rad : off.position_std_m, 2);
    assert_int_equal(look_at(3, 6, 0.2, &random).looks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_tags_that_each_miss_by_a_pixel_are_noisy_and_all_used),
        cmocka_unit_test(a_tag_that_has_moved_stays_a_stray),
        cmocka_unit_test(tags_that_agree_are_left_as_they_are),
        cmocka_unit_test(a_map_that_is_off_is_told_by_its_deviations),
        cmocka_unit_test(an_exact_map_is_not_doubted),
        cmocka_unit_test(a_camera_that_stands_still_looks_once),
        cmocka_unit_test(a_tag_that_has_moved_makes_no_map_inexact),
        cmocka_unit_test(a_map_that_says_how_well_it_was_measured_is_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
