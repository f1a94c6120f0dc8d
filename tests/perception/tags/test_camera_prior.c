#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tags/camera_prior.h"
#include "tests/support/near.h"
#include "tests/support/tag_rig.h"

static const double deg = POV_PI / 180;
static const pov_camera_prior tripod = {.has_height = true,
                                        .has_pitch = true,
                                        .height_m = 0.756,
                                        .height_std_m = 0.05,
                                        .pitch_rad = 18 * POV_PI / 180,
                                        .pitch_std_rad = 2 * POV_PI / 180};

/** An upright tag that looks along +x; the camera in front of it as the prior has it, its x axis level. */
static const pov_tag_map wall = {
    .len = 1,
    .tags = {{.family = POV_TAG36H11,
              .id = 4,
              .edge_m = 0.165,
              .T_table_tag = {.T = {{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}, {0, 0, 1.45}}}}}};

static pov_transform stand(double distance_m, test_random *random)
{
    const double height_m = tripod.height_m + tripod.height_std_m * test_random_normal(random);
    const double pitch_rad = tripod.pitch_rad + tripod.pitch_std_rad * test_random_normal(random);
    const pov_vec3 eye = {distance_m, test_random_between(random, -1.5, 1.5), height_m};
    const double yaw_rad = atan2(-eye.y, -eye.x) + test_random_between(random, -0.2, 0.2);
    const pov_vec3 ahead = {cos(pitch_rad) * cos(yaw_rad), cos(pitch_rad) * sin(yaw_rad), sin(pitch_rad)};
    return pov_transform_look_at(eye, pov_vec3_add(eye, ahead), (pov_vec3){0, 0, 1});
}

static bool estimate(pov_camera_pose *pose, pov_transform T_table_camera, test_random *random)
{
    static pov_tags tags;
    rig_photograph(&tags, &rig_camera, T_table_camera, &wall, 0.3, random);
    return tags.len == 1 && pov_camera_pose_estimate(pose, &rig_camera, &tags, &wall) == POV_OK;
}

static double rotation_between(pov_transform a, pov_transform b)
{
    double d[6];
    pov_transform_minus(d, a, b);
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/** Each number of the pose by itself: how they err together is curved where a tag is far, and no Gaussian. */
static int count_within_two_deviations(const pov_pose *estimated, pov_transform truth)
{
    double d[6];
    int within = 0;
    pov_transform_minus(d, truth, estimated->T);
    for (int i = 0; i < 6; i++)
        within += fabs(d[i]) < 2 * sqrt(estimated->cov[i][i]);
    return within;
}

typedef struct {
    int cases, right, right_without;
    int within; /* two deviations, of six numbers a case */
    double expected, variance;
} tally;

static void count(tally *t, const pov_camera_pose *pose, bool right_without, pov_transform truth)
{
    const double off = rotation_between(pose->T_table_camera.T, truth);
    const bool right =
        !pose->has_alternative || off < rotation_between(pose->alternative_T_table_camera.T, truth);
    t->cases++;
    t->right += right;
    t->right_without += right_without;
    t->expected += pose->probability;
    t->variance += pose->probability * (1 - pose->probability);
    t->within += count_within_two_deviations(&pose->T_table_camera, truth);
}

/** Cameras drawn as the prior says, far from one tag, whose mirrored pose fits as well: whoever bets by the probabilities
 *  neither gains nor loses, and nearly all errors are within the covariance. */
static void a_prior_picks_the_right_pose_as_often_as_it_says(void **state)
{
    (void)state;
    test_random random = {1};
    tally t = {0};
    while (t.cases < 800) {
        pov_camera_pose pose;
        pov_transform truth = stand(test_random_between(&random, 3.5, 5.5), &random);
        if (!estimate(&pose, truth, &random) || !pose.has_alternative)
            continue;
        const bool right_without = rotation_between(pose.T_table_camera.T, truth) <
                                   rotation_between(pose.alternative_T_table_camera.T, truth);
        assert_true(pov_camera_prior_apply(&pose, &tripod));
        count(&t, &pose, right_without, truth);
    }
    print_message("right in %d of %d (%d without the prior), %.1f +- %.1f expected; %d of %d numbers within "
                  "two deviations\n",
                  t.right, t.cases, t.right_without, t.expected, sqrt(t.variance), t.within, 6 * t.cases);
    assert_true(t.right_without < 0.8 * t.cases);
    assert_true(t.right > 0.98 * t.cases);
    assert_near(t.right, t.expected, 3.5 * sqrt(t.variance) + 0.005 * t.cases);
    assert_true(t.within > 0.9 * 6 * t.cases);
    assert_true(t.within < 0.985 * 6 * t.cases);
}

static void height_or_pitch_alone_draws_the_pose_to_itself(void **state)
{
    (void)state;
    test_random random = {2};
    pov_camera_prior parts[] = {tripod, tripod};
    parts[0].has_pitch = parts[1].has_height = false;
    parts[0].height_std_m = 1e-4;
    parts[1].pitch_std_rad = 1e-5;
    for (int trial = 0; trial < 40; trial++) {
        pov_camera_pose pose;
        const pov_transform truth = stand(4, &random);
        if (!estimate(&pose, truth, &random))
            continue;
        pov_camera_prior *prior = &parts[trial % 2];
        prior->height_m = truth.t_m.z;
        prior->pitch_rad = pov_camera_pitch_rad(&truth);
        assert_true(pov_camera_prior_apply(&pose, prior));
        if (prior->has_height)
            assert_near(pose.T_table_camera.T.t_m.z, truth.t_m.z, 5e-4);
        else
            assert_near(pov_camera_pitch_rad(&pose.T_table_camera.T), prior->pitch_rad, 1e-4);
        assert_true(rotation_between(pose.T_table_camera.T, truth) < 25 * deg);
    }
}

/** Both poses of a tag on the table look down on it from one height: only a camera that is known to be level tells. */
static void a_level_camera_tells_the_poses_of_a_tag_that_lies_flat(void **state)
{
    (void)state;
    static const pov_tag_map table = {
        .len = 1,
        .tags = {{.family = POV_TAG36H11,
                  .id = 4,
                  .edge_m = 0.04,
                  .T_table_tag = {.T = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}}}}}};
    const pov_camera_prior level = {.has_roll = true, .roll_std_rad = 2 * deg};
    static pov_tags tags;
    test_random random = {6};
    int cases = 0, right = 0, right_without = 0;
    for (int trial = 0; trial < 200; trial++) {
        pov_camera_pose pose;
        const pov_transform truth =
            pov_transform_look_at((pov_vec3){test_random_between(&random, -1, 1), -1.2, 1},
                                  (pov_vec3){0.1, 0.1, 0}, (pov_vec3){0, 0, 1});
        rig_photograph(&tags, &rig_camera, truth, &table, 0.3, &random);
        if (pov_camera_pose_estimate(&pose, &rig_camera, &tags, &table) != POV_OK || !pose.has_alternative)
            continue;
        cases++;
        right_without += rotation_between(pose.T_table_camera.T, truth) < 15 * deg;
        assert_true(pov_camera_prior_apply(&pose, &level));
        right += rotation_between(pose.T_table_camera.T, truth) < 15 * deg;
    }
    print_message("right in %d of %d, %d without the prior\n", right, cases, right_without);
    assert_true(cases > 100 && right_without < 0.8 * cases && right > 0.97 * cases);
}

/** The likelier pose by the tag has the higher RMS in the alternative's place afterwards, and so on. */
static void what_is_told_of_the_poses_changes_places_with_them(void **state)
{
    (void)state;
    test_random random = {3};
    int swapped = 0;
    for (int trial = 0; trial < 60; trial++) {
        pov_camera_pose pose;
        if (!estimate(&pose, stand(4.5, &random), &random) || !pose.has_alternative)
            continue;
        const pov_camera_pose before = pose;
        assert_true(pov_camera_prior_apply(&pose, &tripod));
        const bool was_swapped = pose.rms_px == before.alternative_rms_px;
        assert_true(was_swapped || pose.rms_px == before.rms_px);
        assert_int_equal(pose.used_len, 1);
        assert_int_equal(pose.outcome[0], POV_TAG_USED);
        assert_true(pose.probability >= 0.5);
        swapped += was_swapped;
    }
    assert_true(swapped > 5);
}

/** By finite differences, through the public interface: a sharp prior of a little more is met by a pose that turns so. */
static void roll_is_met_where_it_is_given(void **state)
{
    (void)state;
    test_random random = {7};
    for (int trial = 0; trial < 30; trial++) {
        pov_camera_pose pose;
        const pov_transform truth = stand(2.5, &random);
        if (!estimate(&pose, truth, &random))
            continue;
        const double aim_rad = pov_camera_roll_rad(&pose.T_table_camera.T) + 1e-3;
        const pov_camera_prior sharp = {.has_roll = true, .roll_rad = aim_rad, .roll_std_rad = 1e-6};
        assert_true(pov_camera_prior_apply(&pose, &sharp));
        assert_near(pov_camera_roll_rad(&pose.T_table_camera.T), aim_rad, 1e-5);
    }
}

static void a_prior_out_of_reach_changes_nothing_and_is_told(void **state)
{
    (void)state;
    test_random random = {4};
    pov_camera_pose pose;
    pov_camera_prior wrong = tripod;
    wrong.height_m = 6;
    assert_true(estimate(&pose, stand(4, &random), &random));
    const pov_camera_pose before = pose;
    assert_false(pov_camera_prior_apply(&pose, &wrong));
    assert_memory_equal(&before.T_table_camera, &pose.T_table_camera, sizeof pose.T_table_camera);
    assert_true(before.probability == pose.probability);
}

static void no_prior_changes_nothing(void **state)
{
    (void)state;
    test_random random = {5};
    const pov_camera_prior none = {0};
    pov_camera_pose pose;
    assert_true(estimate(&pose, stand(4, &random), &random));
    const pov_camera_pose before = pose;
    assert_true(pov_camera_prior_apply(&pose, &none));
    assert_memory_equal(&before.T_table_camera, &pose.T_table_camera, sizeof pose.T_table_camera);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prior_picks_the_right_pose_as_often_as_it_says),
        cmocka_unit_test(height_or_pitch_alone_draws_the_pose_to_itself),
        cmocka_unit_test(a_level_camera_tells_the_poses_of_a_tag_that_lies_flat),
        cmocka_unit_test(what_is_told_of_the_poses_changes_places_with_them),
        cmocka_unit_test(roll_is_met_where_it_is_given),
        cmocka_unit_test(a_prior_out_of_reach_changes_nothing_and_is_told),
        cmocka_unit_test(no_prior_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
