#include "perception/geometry/linalg.h"
#include "perception/lens/lens_doubt.h"
#include "tests/support/turning_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { TRIALS = 150, THING_TAG = 3 };

static const double NOISE_PX = 0.1;
static test_turning_table table;
static pov_findings findings;
static pov_cast cast;
static pov_ball_detector_config balls;
static pov_scene scene, narrow;

/* fx and fy are off together, the centre by itself, k1 a little. */
static pov_lens_covariance some_covariance(double focal_share)
{
    pov_lens_covariance covariance = {.len = 9};
    const double f = focal_share * table.camera.fx_px, std[5] = {f, f, 4, 4, 0.01};
    for (int i = 0; i < 5; i++)
        covariance.cov[i][i] = std[i] * std[i];
    covariance.cov[0][1] = covariance.cov[1][0] = 0.95 * f * f;
    return covariance;
}

static pov_camera random_camera(test_random *random, const pov_lens_covariance *covariance)
{
    pov_camera camera = table.camera;
    const double a = test_random_normal(random), b = test_random_normal(random);
    camera.fx_px += sqrt(covariance->cov[0][0]) * a;
    camera.fy_px += sqrt(covariance->cov[1][1]) * (0.95 * a + sqrt(1 - 0.95 * 0.95) * b);
    camera.cx_px += sqrt(covariance->cov[2][2]) * test_random_normal(random);
    camera.cy_px += sqrt(covariance->cov[3][3]) * test_random_normal(random);
    camera.distortion[0] += sqrt(covariance->cov[4][4]) * test_random_normal(random);
    return camera;
}

/* A thing that carries a tag, and a ball that is told by its size. */
static void set_up(test_random *random)
{
    test_turning_table_make(&table, random);
    cast.len = 2;
    memset(cast.members, 0, sizeof cast.members);
    cast.members[0].entity = pov_entity_named("thing", "thing");
    cast.members[0].found_by = &pov_found_by_tag;
    cast.members[0].tag_id = TEST_RING_FIRST + THING_TAG;
    cast.members[0].tag_edge_m = 0.06;
    cast.members[0].T_tag_entity = pov_pose_exact(pov_transform_identity());
    cast.members[1].entity = pov_entity_named("ball", "ball");
    cast.members[1].found_by = &pov_found_by_ball;
    cast.members[1].count = 1;
    balls.kind_len = 1;
    balls.kinds[0] = (pov_ball_kind){.radius_m = 0.05, .max_count = 1};
}

static const pov_vec3 ball_m = {-0.1, 0.3, 0.05};

/* Where a camera with this outline in its image puts the ball: by its rim, point for point. */
static pov_vec3 seen_ball(const pov_camera *camera)
{
    pov_ball ball = {.pos_camera_m =
                         pov_transform_apply(pov_transform_inverse(table.T_table_camera), ball_m)};
    pov_lens_reseat_ball(&ball, camera, &table.camera, 0.05, NULL, 0);
    return ball.pos_camera_m;
}

static void look(test_random *random, const pov_camera *truth, double noise_px)
{
    const pov_camera nominal = table.camera;
    findings.balls.len = 1;
    findings.balls.balls[0] = (pov_ball){.pos_camera_m = seen_ball(truth)};
    for (int i = 0; i < 3; i++)
        findings.balls.balls[0].cov_camera_m2[i][i] = 1e-10;
    for (int i = 0; i < 3; i++)
        findings.balls.balls[0].per_camera_pose[i][3 + i] = 1;
    table.camera = *truth;
    test_turning_table_see(&findings.tags, &table, 0, random, noise_px);
    table.camera = nominal;
}

static double position_nees(const pov_scene *in, const char *name, pov_vec3 truth_m)
{
    const pov_entity *entity = &in->entities[pov_scene_find(in, name)];
    double cov[3][3], L[9], solved[3], sum = 0;
    const pov_vec3 off = pov_vec3_sub(entity->position.mean_m, truth_m);
    const double error[3] = {off.x, off.y, off.z};
    pov_scene_position_cov(in, cov, &entity->position);
    assert_true(pov_cholesky(L, &cov[0][0], 3));
    pov_cholesky_solve(solved, L, error, 3);
    for (int i = 0; i < 3; i++)
        sum += error[i] * solved[i];
    return sum;
}

static double pose_nees(const pov_pose *pose)
{
    double error[6], L[36], solved[6], sum = 0;
    pov_transform_minus(error, pose->T, table.T_table_camera);
    assert_true(pov_cholesky(L, &pose->cov[0][0], 6));
    pov_cholesky_solve(solved, L, error, 6);
    for (int i = 0; i < 6; i++)
        sum += error[i] * solved[i];
    return sum;
}

static pov_pose judge_scene(pov_lens_doubt *doubt, const pov_pose *given)
{
    pov_pose pose;
    if (given)
        pose = *given;
    else {
        assert_int_equal(
            pov_camera_pose_estimate(&findings.camera_pose, &table.camera, &findings.tags, &table.map),
            POV_OK);
        pose = findings.camera_pose.T_table_camera;
    }
    assert_int_equal(pov_cast_build_scene(&cast, &scene, &findings, &table.camera, &pose).code, POV_OK);
    const pov_lens_view view = {&cast, &balls, given ? NULL : &table.map, &findings, &pose};
    narrow = scene;
    pov_lens_doubt_look(doubt, &scene, &view);
    pov_lens_doubt_widen(doubt, &scene, &pose);
    return pose;
}

static void errors_by_the_calibration_are_as_large_as_they_say(void **state)
{
    test_random random = {.state = 31};
    double thing = 0, unaware = 0, pose = 0;
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        set_up(&random);
        const pov_lens_covariance covariance = some_covariance(0.004);
        const pov_camera truth = random_camera(&random, &covariance);
        pov_lens_doubt *doubt;
        doubt = pov_lens_doubt_new(&table.camera, &covariance);
        look(&random, &truth, NOISE_PX);
        for (int t = 0; t < findings.tags.len; t++) /* so that none is rejected for what the lens does */
            findings.tags.tags[t].corner_std_px = 3 * NOISE_PX;
        const pov_vec3 thing_m =
            pov_transform_apply(table.T_table_disc, table.ring.tags[THING_TAG].T_table_tag.T.t_m);
        const pov_pose T_table_camera = judge_scene(doubt, NULL);
        thing += position_nees(&scene, "thing", thing_m) / 3;
        unaware += position_nees(&narrow, "thing", thing_m) / 3;
        pose += pose_nees(&T_table_camera) / 6;
        pov_lens_doubt_destroy(&doubt);
    }
    /* corners say three times their noise: errors by noise count little, those by the calibration in full */
    assert_true(thing / TRIALS < 1.2 && pose / TRIALS < 1.2);
    assert_true(pose / TRIALS > 0.4);
    assert_true(unaware > 1.5 * thing);
}

/* With a given pose all of a place's error is the lens': 1 % of focal length moves a ball by its size 1 % farther. */
static void a_ball_by_its_size_is_as_uncertain_as_the_focal_length(void **state)
{
    test_random random = {.state = 32};
    (void)state;
    set_up(&random);
    const pov_lens_covariance covariance = some_covariance(0.01);
    pov_pose given = pov_pose_exact(table.T_table_camera);
    pov_lens_doubt *doubt;
    double sum = 0;
    doubt = pov_lens_doubt_new(&table.camera, &covariance);
    for (int i = 0; i < TRIALS; i++) {
        const pov_camera truth = random_camera(&random, &covariance);
        look(&random, &truth, 0);
        (void)judge_scene(doubt, &given);
        sum += position_nees(&scene, "ball", ball_m) / 3;
    }
    assert_near(sum / TRIALS, 1, 0.2);
    const pov_entity *ball = &scene.entities[pov_scene_find(&scene, "ball")];
    const pov_vec3 ray = pov_vec3_sub(ball_m, table.T_table_camera.t_m);
    const double distance_m = pov_vec3_norm(ray),
                 axis[3] = {ray.x / distance_m, ray.y / distance_m, ray.z / distance_m};
    double cov[3][3], along = 0;
    pov_scene_position_cov(&scene, cov, &ball->position);
    for (int i = 0; i < 9; i++)
        along += axis[i / 3] * cov[i / 3][i % 3] * axis[i % 3];
    assert_near(sqrt(along) / distance_m, 0.01, 0.002);
    pov_lens_doubt_destroy(&doubt);
}

/* The thing stands nearly beside the ball, as seen by the camera; poses are exact to a tenth of a millimetre. */
static void a_judgment_abstains_for_the_calibration_alone(void **state)
{
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    test_random random = {.state = 33};
    static pov_judgment judgments[512];
    (void)state;
    for (int good = 0; good < 2; good++) {
        set_up(&random);
        pov_lens_covariance covariance = some_covariance(0.02);
        for (int i = 0; i < 81 && good; i++)
            covariance.cov[i / 9][i % 9] *= 1e-6;
        pov_pose given = pov_pose_exact(table.T_table_camera);
        pov_lens_doubt *doubt;
        doubt = pov_lens_doubt_new(&table.camera, &covariance);
        look(&random, &table.camera, 0);
        /* beside the camera's ray to the ball, 1 cm farther away than it */
        const pov_vec3 ray = pov_vec3_unit(
            pov_vec3_sub((pov_vec3){ball_m.x, ball_m.y, 0},
                         (pov_vec3){table.T_table_camera.t_m.x, table.T_table_camera.t_m.y, 0}));
        cast.members[0].found_by = NULL;
        cast.members[0].entity.placed = true;
        cast.members[0].entity.position.mean_m =
            (pov_vec3){ball_m.x - 0.3 * ray.y + 0.01 * ray.x, ball_m.y + 0.3 * ray.x + 0.01 * ray.y, 0.05};
        (void)judge_scene(doubt, &given);
        const int len = pov_relation_evaluate_pair(judgments, 512, &scene, pov_scene_find(&scene, "thing"),
                                                   pov_scene_find(&scene, "ball"), &judging);
        pov_lens_doubt_explain(doubt, judgments, len, &judging);
        int abstaining = 0, by_calibration = 0;
        for (int i = 0; i < len; i++) {
            abstaining += judgments[i].belief.verdict == POV_ABSTAIN;
            by_calibration += judgments[i].doubt == POV_DOUBT_CALIBRATION;
            assert_int_equal(judgments[i].doubt != POV_DOUBT_NONE,
                             judgments[i].belief.verdict == POV_ABSTAIN);
        }
        assert_int_equal(abstaining > 0, !good);
        assert_int_equal(by_calibration, abstaining);
        pov_lens_doubt_destroy(&doubt);
    }
}

static void a_noisy_pose_is_told_from_an_uncertain_lens(void **state)
{
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    static pov_judgment judgments[512];
    test_random random = {.state = 34};
    (void)state;
    set_up(&random);
    const pov_lens_covariance covariance = some_covariance(1e-4);
    pov_pose given = pov_pose_exact(table.T_table_camera);
    pov_lens_doubt *doubt;
    doubt = pov_lens_doubt_new(&table.camera, &covariance);
    look(&random, &table.camera, 0);
    cast.members[0].found_by = NULL;
    cast.members[0].entity.placed = true;
    cast.members[0].entity.position.mean_m = (pov_vec3){ball_m.x + 0.3, ball_m.y + 0.01, 0.05};
    for (int i = 0; i < 3; i++)
        cast.members[0].entity.position.own_cov_m2[i][i] = 0.04;
    (void)judge_scene(doubt, &given);
    const int len = pov_relation_evaluate_pair(judgments, 512, &scene, pov_scene_find(&scene, "thing"),
                                               pov_scene_find(&scene, "ball"), &judging);
    pov_lens_doubt_explain(doubt, judgments, len, &judging);
    int by_poses = 0;
    for (int i = 0; i < len; i++) {
        by_poses += judgments[i].doubt == POV_DOUBT_POSES;
        assert_int_not_equal(judgments[i].doubt, POV_DOUBT_CALIBRATION);
    }
    assert_true(by_poses > 0);
    pov_lens_doubt_destroy(&doubt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_by_the_calibration_are_as_large_as_they_say),
        cmocka_unit_test(a_ball_by_its_size_is_as_uncertain_as_the_focal_length),
        cmocka_unit_test(a_judgment_abstains_for_the_calibration_alone),
        cmocka_unit_test(a_noisy_pose_is_told_from_an_uncertain_lens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
