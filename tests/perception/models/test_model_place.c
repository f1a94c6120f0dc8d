#include "perception/models/model_place.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/random.h"

static const pov_camera camera = {.width_px = 1280,
                                  .height_px = 720,
                                  .fx_px = 900,
                                  .fy_px = 905,
                                  .cx_px = 640,
                                  .cy_px = 350,
                                  .distortion = {0.05, -0.1, 0.001, 0.002}};
static const pov_vec3 usual_size_m = {0.2, 0.1, 0.08};
static pov_vec3 size_m = {0.2, 0.1, 0.08};

static pov_pose looking_at(pov_vec3 eye_m)
{
    return pov_pose_exact(pov_transform_look_at(eye_m, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
}

/* The box around a box's eight corners in the image, worked out from its pose in the table frame. */
static pov_pixel_box seen_box(pov_transform T_table_camera, pov_vec3 centre_m, double yaw_rad)
{
    pov_pixel_box box = {1e9, 1e9, -1e9, -1e9};
    for (int i = 0; i < 8; i++) {
        const pov_vec3 half = {(i & 1 ? 0.5 : -0.5) * size_m.x, (i & 2 ? 0.5 : -0.5) * size_m.y,
                               (i & 4 ? 0.5 : -0.5) * size_m.z};
        const pov_vec3 corner = pov_vec3_add(centre_m, pov_rot_apply(pov_rot_yaw(yaw_rad), half));
        pov_vec2 pixel;
        assert_int_equal(
            pov_camera_project(&camera, &pixel, NULL,
                               pov_transform_apply(pov_transform_inverse(T_table_camera), corner)),
            POV_OK);
        box.left_px = fmin(box.left_px, pixel.x);
        box.right_px = fmax(box.right_px, pixel.x);
        box.top_px = fmin(box.top_px, pixel.y);
        box.bottom_px = fmax(box.bottom_px, pixel.y);
    }
    return box;
}

/* The output of a network without error: the front's angle from the vertical plane through eye and thing. */
static pov_detection seen_at(pov_transform T_table_camera, pov_vec3 centre_m, double yaw_rad, double kappa)
{
    const pov_vec3 ray = pov_vec3_sub(centre_m, T_table_camera.t_m);
    pov_detection detection = {.score = 0.9, .box = seen_box(T_table_camera, centre_m, yaw_rad)};
    detection.seen.against = POV_HEADING_OF_RAY;
    detection.seen.heading = pov_heading_single(pov_angle_wrap(yaw_rad - atan2(ray.y, ray.x)), kappa);
    return detection;
}

static pov_entity thing(void)
{
    pov_entity entity = pov_entity_named("car", "car");
    entity.size_m = size_m;
    return entity;
}

static void an_exact_box_gives_the_exact_place(void **state)
{
    (void)state;
    const pov_model_build build = POV_MODEL_BUILD_DEFAULT;
    test_random random = {4};
    for (int i = 0; i < 200; i++) {
        const pov_pose T = looking_at(
            (pov_vec3){test_random_between(&random, -1, 1), -1.2, test_random_between(&random, 0.4, 1.5)});
        const pov_vec3 centre_m = {test_random_between(&random, -0.3, 0.3),
                                   test_random_between(&random, -0.3, 0.3), 0.04};
        const double yaw = test_random_between(&random, -3, 3);
        const pov_detection detection = seen_at(T.T, centre_m, yaw, 400);
        pov_entity entity = thing();
        assert_int_equal(pov_model_place(&entity, &detection, &build, &camera, &T), POV_OK);
        assert_near(entity.position.mean_m.x, centre_m.x, 1e-6);
        assert_near(entity.position.mean_m.y, centre_m.y, 1e-6);
        assert_near(entity.position.mean_m.z, 0.04, 0);
        assert_near(pov_angle_wrap(entity.heading.mode[0].yaw_rad - yaw), 0, 1e-6);
        assert_near(entity.R_table_box.m[0][0], cos(yaw), 1e-6);
    }
}

static double mahalanobis2(const pov_position *position, pov_vec3 truth_m)
{
    const double dx = position->mean_m.x - truth_m.x, dy = position->mean_m.y - truth_m.y;
    const double a = position->own_cov_m2[0][0], b = position->own_cov_m2[0][1],
                 c = position->own_cov_m2[1][1];
    return (c * dx * dx - 2 * b * dx * dy + a * dy * dy) / (a * c - b * b);
}

static void noise_of_the_edges_is_what_the_covariance_says(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    const pov_model_build build = {.box_std_share = 0.05};
    const pov_pose T = looking_at((pov_vec3){0.3, -1.2, 0.9});
    const pov_vec3 centre_m = {0.1, -0.05, 0.04};
    test_random random = {5};
    double sum = 0;
    for (int i = 0; i < TRIALS; i++) {
        pov_detection detection = seen_at(T.T, centre_m, 0.7, 400);
        const double across = 0.05 * (detection.box.right_px - detection.box.left_px);
        const double down = 0.05 * (detection.box.bottom_px - detection.box.top_px);
        pov_entity entity = thing();
        detection.box.left_px += across * test_random_normal(&random);
        detection.box.right_px += across * test_random_normal(&random);
        detection.box.top_px += down * test_random_normal(&random);
        detection.box.bottom_px += down * test_random_normal(&random);
        assert_int_equal(pov_model_place(&entity, &detection, &build, &camera, &T), POV_OK);
        sum += mahalanobis2(&entity.position, centre_m);
    }
    /* two unknowns; a little less, as a bad fit widens the covariance */
    assert_in_range(1000 * sum / TRIALS, 1300, 2200);
}

/* By a detector that tells no heading. */
static pov_detection boxed(pov_transform T_table_camera, pov_vec3 centre_m, double yaw_rad)
{
    return (pov_detection){.score = 0.9, .box = seen_box(T_table_camera, centre_m, yaw_rad)};
}

static void a_long_thing_without_a_heading_is_placed_however_it_is_turned(void **state)
{
    (void)state;
    enum { TURNS = 36 };
    const pov_model_build build = POV_MODEL_BUILD_DEFAULT;
    const pov_pose T = looking_at((pov_vec3){0.3, -1.2, 0.9});
    const pov_vec3 centre_m = {0.1, -0.05, 0.04};
    size_m = (pov_vec3){0.36, 0.09, 0.08}; /* a horse's proportions */
    for (int i = 0; i < TURNS; i++) {
        const pov_detection detection = boxed(T.T, centre_m, 2 * POV_PI * i / TURNS + 0.04);
        pov_entity entity = thing();
        assert_int_equal(pov_model_place(&entity, &detection, &build, &camera, &T), POV_OK);
        assert_true(mahalanobis2(&entity.position, centre_m) < 9.2); /* 99 % of two unknowns */
        assert_true(hypot(entity.position.mean_m.x - centre_m.x, entity.position.mean_m.y - centre_m.y) <
                    size_m.x / 4);
        assert_int_equal(entity.heading.len, 0);
    }
    size_m = usual_size_m;
}

static void its_covariance_counts_the_turn(void **state)
{
    (void)state;
    enum { TRIALS = 600 };
    const pov_model_build build = {.box_std_share = 0.05};
    const pov_pose T = looking_at((pov_vec3){0.3, -1.2, 0.9});
    const pov_vec3 centre_m = {0.1, -0.05, 0.04};
    test_random random = {7};
    double sum = 0;
    int within = 0;
    size_m = (pov_vec3){0.36, 0.09, 0.08};
    for (int i = 0; i < TRIALS; i++) {
        pov_detection detection = boxed(T.T, centre_m, 2 * POV_PI * test_random_between(&random, 0, 1));
        const double across = 0.05 * (detection.box.right_px - detection.box.left_px);
        const double down = 0.05 * (detection.box.bottom_px - detection.box.top_px);
        pov_entity entity = thing();
        detection.box.left_px += across * test_random_normal(&random);
        detection.box.right_px += across * test_random_normal(&random);
        detection.box.top_px += down * test_random_normal(&random);
        detection.box.bottom_px += down * test_random_normal(&random);
        assert_int_equal(pov_model_place(&entity, &detection, &build, &camera, &T), POV_OK);
        sum += mahalanobis2(&entity.position, centre_m);
        within += mahalanobis2(&entity.position, centre_m) < 5.99;
    }
    size_m = usual_size_m;
    assert_in_range(1000 * sum / TRIALS, 1300, 2300);
    assert_in_range(1000 * within / TRIALS, 920, 990);
}

static void an_error_of_the_camera_pose_moves_it_as_said(void **state)
{
    (void)state;
    static const double step = 1e-4;
    const pov_model_build build = POV_MODEL_BUILD_DEFAULT;
    const pov_pose T = looking_at((pov_vec3){0.3, -1.2, 0.9});
    const pov_detection detection = seen_at(T.T, (pov_vec3){0.1, -0.05, 0.04}, 0.7, 400);
    pov_entity entity = thing();
    assert_int_equal(pov_model_place(&entity, &detection, &build, &camera, &T), POV_OK);
    for (int j = 0; j < 6; j++) {
        double error[6] = {0};
        pov_entity moved = thing();
        error[j] = step;
        const pov_pose wrong = pov_pose_exact(pov_transform_plus(T.T, error));
        assert_int_equal(pov_model_place(&moved, &detection, &build, &camera, &wrong), POV_OK);
        assert_near((moved.position.mean_m.x - entity.position.mean_m.x) / step,
                    entity.position.per_camera_pose[0][j], 0.02);
        assert_near((moved.position.mean_m.y - entity.position.mean_m.y) / step,
                    entity.position.per_camera_pose[1][j], 0.02);
    }
}

static void a_box_cut_by_the_rim_is_placed_by_its_other_edges(void **state)
{
    (void)state;
    const pov_model_build build = POV_MODEL_BUILD_DEFAULT;
    const pov_pose T = looking_at((pov_vec3){0, -1.2, 0.9});
    const pov_vec3 centre_m = {-1.05, 0, 0.04};
    pov_detection detection = seen_at(T.T, centre_m, 0.7, 400);
    pov_entity entity = thing(), whole = thing();
    assert_true(detection.box.left_px < -0.5 && detection.box.right_px > 40);
    assert_int_equal(pov_model_place(&whole, &detection, &build, &camera, &T), POV_OK);
    detection.box.left_px = -0.5;
    assert_int_equal(pov_model_place(&entity, &detection, &build, &camera, &T), POV_OK);
    assert_near(entity.position.mean_m.x, centre_m.x, 1e-5);
    assert_true(entity.position.own_cov_m2[0][0] > whole.position.own_cov_m2[0][0]);
}

static void what_fits_nowhere_is_not_placed(void **state)
{
    (void)state;
    const pov_model_build build = POV_MODEL_BUILD_DEFAULT;
    const pov_pose T = looking_at((pov_vec3){0, -1.2, 0.9});
    pov_detection above = {.box = {600, 20, 640, 40}}, whole = {.box = {-0.5, -0.5, 1279.5, 719.5}};
    pov_detection huge = seen_at(T.T, (pov_vec3){0, 0, 0.04}, 0.7, 0);
    const pov_pose level = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -1, 0.9}, (pov_vec3){0, 0, 0.9}, (pov_vec3){0, 0, 1}));
    huge.box.left_px -= 200, huge.box.right_px += 200, huge.box.top_px -= 100, huge.box.bottom_px += 100;
    pov_entity entity = thing();
    assert_int_equal(pov_model_place(&entity, &above, &build, &camera, &level), POV_UNDEFINED);
    assert_int_equal(pov_model_place(&entity, &whole, &build, &camera, &T), POV_UNDEFINED);
    assert_int_equal(pov_model_place(&entity, &huge, &build, &camera, &T), POV_UNDEFINED);
    assert_false(entity.placed);
}

static void directions_hold_for_a_camera_that_tilts(void **state)
{
    (void)state;
    const pov_pose T = looking_at((pov_vec3){0.4, -0.8, 1.4});
    const pov_vec3 centre_m = {0.2, 0.1, 0.04};
    for (double yaw = -3; yaw < 3.1; yaw += 0.5) {
        const pov_vec3 front_table = {cos(yaw), sin(yaw), 0};
        const pov_seen_heading seen = {.against = POV_HEADING_OF_AXIS,
                                       .heading = pov_heading_single(9, 100),
                                       .has_direction = true,
                                       .direction = pov_rot_apply(pov_rot_transpose(T.T.R), front_table)};
        const pov_vec3 ray = pov_transform_apply(pov_transform_inverse(T.T), centre_m);
        const pov_heading heading = pov_model_heading(&seen, pov_vec3_unit(ray), T.T.R);
        assert_near(pov_angle_wrap(heading.mode[0].yaw_rad - yaw), 0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_box_gives_the_exact_place),
        cmocka_unit_test(noise_of_the_edges_is_what_the_covariance_says),
        cmocka_unit_test(a_long_thing_without_a_heading_is_placed_however_it_is_turned),
        cmocka_unit_test(its_covariance_counts_the_turn),
        cmocka_unit_test(an_error_of_the_camera_pose_moves_it_as_said),
        cmocka_unit_test(a_box_cut_by_the_rim_is_placed_by_its_other_edges),
        cmocka_unit_test(what_fits_nowhere_is_not_placed),
        cmocka_unit_test(directions_hold_for_a_camera_that_tilts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
