#include "calib/camera/camera_calibration.h"
#include "tests/support/simulated_camera.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { VIEWS = 15 };

static const double NOISE_PX = 0.2;

static test_views scene;
static pov_board_view seen;

static pov_image image_of(const pov_camera *camera, int i)
{
    pov_image image = {.width_px = camera->width_px, .height_px = camera->height_px};
    snprintf(image.name, sizeof image.name, "view_%02d.png", i);
    return image;
}

/* A corner of a board of 24 cm that sags: paper held by hand. */
static pov_vec2 pixel_of_bent(const pov_camera *camera, int v, int i, double sag_m)
{
    const double half_m = 0.12;
    pov_vec3 point = scene.board_m[v][i];
    pov_vec2 pixel;
    point.z = sag_m * (1 - pow(point.x / half_m - 1, 2));
    assert_int_equal(
        pov_camera_project(camera, &pixel, NULL, pov_transform_apply(scene.T_camera_board[v], point)),
        POV_OK);
    return pixel;
}

/* Boards that bend by a millimetre, otherwise in each view, and by half a centimetre in views 3 and 9. */
static pov_camera_calibration *calibration_of_uneven_views(uint64_t seed, int count)
{
    test_random random = {.state = seed};
    pov_camera camera = {.width_px = 1280,
                         .height_px = 720,
                         .fx_px = 900,
                         .fy_px = 902,
                         .cx_px = 645,
                         .cy_px = 352,
                         .distortion = {-0.25, 0.08, 0.001, -0.001, 0.01}};
    pov_camera_calibration *calibration = pov_camera_calibration_new();
    test_views_make(&scene, &random, &camera, count);
    for (int v = 0; v < count; v++) {
        const double sag_m = v == 3 || v == 9 ? 5e-3 : 1e-3 * test_random_normal(&random);
        pov_image image = image_of(&camera, v);
        seen.len = scene.views[v].len;
        seen.edge_px = 2.5;
        memcpy(seen.board_m, scene.board_m[v], sizeof scene.board_m[v]);
        for (int i = 0; i < seen.len; i++) {
            const pov_vec2 pixel = pixel_of_bent(&camera, v, i, sag_m);
            seen.pixel[i].x = pixel.x + 0.15 * test_random_normal(&random);
            seen.pixel[i].y = pixel.y + 0.15 * test_random_normal(&random);
        }
        assert_int_equal(pov_camera_calibration_add(calibration, &image, &seen, "").code, POV_OK);
    }
    return calibration;
}

/* Adds what a camera sees in `count` views; every coordinate of view `bad` is off by more. */
static void add_views(pov_camera_calibration *calibration, const pov_camera *camera, test_random *random,
                      int count, int bad)
{
    test_views_make(&scene, random, camera, count);
    test_views_add_noise(&scene, random, NOISE_PX);
    for (int v = 0; v < count; v++) {
        pov_image image = image_of(camera, v);
        seen.len = scene.views[v].len;
        seen.edge_px = 2.5;
        memcpy(seen.board_m, scene.board_m[v], sizeof scene.board_m[v]);
        for (int i = 0; i < seen.len; i++) {
            seen.pixel[i] = scene.pixel[v][i];
            if (v == bad)
                seen.pixel[i].x += 2 * test_random_normal(random);
        }
        assert_int_equal(pov_camera_calibration_add(calibration, &image, &seen, "").code, POV_OK);
    }
}

static pov_camera strong(pov_camera_model model)
{
    pov_camera camera = {.width_px = 1280,
                         .height_px = 720,
                         .fx_px = 900,
                         .fy_px = 902,
                         .cx_px = 645,
                         .cy_px = 352,
                         .distortion = {-0.25, 0.08, 0.001, -0.001, 0.01}};
    if (model == POV_CAMERA_MODEL_8) { /* wide: a polynomial alone does not suit it */
        const double distortion[] = {0.3, -0.05, 0.001, -0.001, 0.002, 0.65, 0.05, 0.001};
        camera.fx_px = camera.fy_px = 420;
        memcpy(camera.distortion, distortion, sizeof distortion);
    } else if (model == POV_CAMERA_MODEL_FISHEYE) {
        const double distortion[POV_DISTORTION_MAX] = {0.03, -0.01, 0.002, -0.001};
        camera.lens = POV_LENS_EQUIDISTANT;
        camera.fx_px = camera.fy_px = 380;
        memcpy(camera.distortion, distortion, sizeof distortion);
    }
    return camera;
}

static pov_camera_calibration *calibration_of(pov_camera_model model, uint64_t seed, int count, int bad)
{
    test_random random = {.state = seed};
    pov_camera camera = strong(model);
    pov_camera_calibration *calibration;
    calibration = pov_camera_calibration_new();
    add_views(calibration, &camera, &random, count, bad);
    return calibration;
}

static void each_lens_gets_its_model(void **state)
{
    (void)state;
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++) {
        pov_camera truth = strong((pov_camera_model)m);
        pov_camera_calibration *calibration = calibration_of((pov_camera_model)m, 5, VIEWS, -1);
        pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
        pov_status status = pov_camera_calibration_run(calibration, &config);
        const pov_calibration_report *report = pov_camera_calibration_report(calibration);
        assert_string_equal(status.message, "");
        assert_string_equal(pov_camera_model_name(report->model), pov_camera_model_name((pov_camera_model)m));
        assert_near(report->fit.camera.fx_px, truth.fx_px, 4 * sqrt(report->fit.covariance[0][0]));
        assert_near(report->fit.noise_px, NOISE_PX, 0.05 * NOISE_PX);
        assert_int_equal(report->used_len, VIEWS);
        pov_camera_calibration_destroy(&calibration);
    }
}

/* Held-out views err by a little more than sqrt(2) sigma, and by no less than fitted ones. */
static void held_out_images_are_off_by_the_noise_and_a_little(void **state)
{
    (void)state;
    pov_camera_calibration *calibration = calibration_of(POV_CAMERA_MODEL_5, 9, VIEWS, -1);
    pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
    assert_int_equal(pov_camera_calibration_run(calibration, &config).code, POV_OK);
    const pov_calibration_model *model =
        &pov_camera_calibration_report(calibration)->models[POV_CAMERA_MODEL_5];
    assert_true(model->holdout_px > model->rms_px);
    assert_near(model->holdout_px, sqrt(2) * NOISE_PX, 0.04);
    pov_camera_calibration_destroy(&calibration);
}

static void a_view_that_does_not_fit_is_dropped_and_says_why(void **state)
{
    (void)state;
    pov_camera_calibration *calibration = calibration_of(POV_CAMERA_MODEL_5, 6, VIEWS, 7);
    pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
    assert_int_equal(pov_camera_calibration_run(calibration, &config).code, POV_OK);
    const pov_calibration_report *report = pov_camera_calibration_report(calibration);
    assert_int_equal(report->used_len, VIEWS - 1);
    assert_int_equal(report->views[7].outcome, POV_VIEW_STRAY);
    assert_non_null(strstr(report->views[7].why, "moved during exposure"));
    assert_near(report->fit.noise_px, NOISE_PX, 0.05 * NOISE_PX);
    pov_camera_calibration_destroy(&calibration);
}

/* A third of the views do not fit a camera by five of them; most of these fit that of all others. */
static void only_stray_views_are_left_out_of_uneven_ones(void **state)
{
    (void)state;
    for (uint64_t seed = 3; seed <= 8; seed++) {
        pov_camera_calibration *calibration = calibration_of_uneven_views(seed, 14);
        pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
        const pov_status status = pov_camera_calibration_run(calibration, &config);
        assert_string_equal(status.message, "");
        const pov_calibration_report *report = pov_camera_calibration_report(calibration);
        assert_int_equal(report->views[3].outcome, POV_VIEW_STRAY);
        assert_true(report->used_len >= 9);
        assert_near(report->fit.camera.fx_px, 900, 3 * sqrt(report->fit.covariance[0][0]));
        pov_camera_calibration_destroy(&calibration);
    }
}

/* Fewer than six make no calibration of their own: they are left out, and told. */
static void a_few_views_of_another_camera_are_left_out_and_told(void **state)
{
    (void)state;
    test_random random = {.state = 8};
    pov_camera one = strong(POV_CAMERA_MODEL_5), other = one;
    other.fx_px = other.fy_px = 1150;
    pov_camera_calibration *calibration = pov_camera_calibration_new();
    add_views(calibration, &one, &random, 10, -1);
    add_views(calibration, &other, &random, 4, -1);
    pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
    assert_int_equal(pov_camera_calibration_run(calibration, &config).code, POV_OK);
    const pov_calibration_report *report = pov_camera_calibration_report(calibration);
    assert_int_equal(report->used_len, 10);
    bool is_told = false;
    for (int i = 0; i < report->advice_len; i++)
        is_told |=
            strstr(report->advice[i], "4 images do not fit the camera that 10 others agree on") != NULL;
    assert_true(is_told);
    pov_camera_calibration_destroy(&calibration);
}

static void an_image_that_the_user_leaves_out_is_not_used(void **state)
{
    (void)state;
    pov_camera_calibration *calibration = calibration_of(POV_CAMERA_MODEL_5, 6, VIEWS, -1);
    const pov_camera camera = strong(POV_CAMERA_MODEL_5);
    const pov_image image = image_of(&camera, VIEWS);
    assert_int_equal(pov_camera_calibration_leave_out(calibration, &image).code, POV_OK);
    pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
    assert_int_equal(pov_camera_calibration_run(calibration, &config).code, POV_OK);
    const pov_calibration_report *report = pov_camera_calibration_report(calibration);
    assert_int_equal(report->used_len, VIEWS);
    assert_int_equal(report->views[VIEWS].outcome, POV_VIEW_LEFT_OUT);
    pov_camera_calibration_destroy(&calibration);
}

static void views_of_two_cameras_are_told_apart(void **state)
{
    (void)state;
    test_random random = {.state = 8};
    pov_camera one = strong(POV_CAMERA_MODEL_5), other = one;
    other.fx_px = other.fy_px = 1150;
    pov_camera_calibration *calibration;
    calibration = pov_camera_calibration_new();
    add_views(calibration, &one, &random, 12, -1);
    add_views(calibration, &other, &random, 8, -1);
    pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
    pov_status status = pov_camera_calibration_run(calibration, &config);
    assert_int_equal(status.code, POV_UNDEFINED);
    assert_non_null(strstr(status.message, "8 of 20 images"));
    assert_non_null(strstr(status.message, "two cameras"));
    const pov_calibration_report *report = pov_camera_calibration_report(calibration);
    for (int i = 0; i < 20; i++)
        assert_int_equal(report->views[i].outcome, i < 12 ? POV_VIEW_USED : POV_VIEW_STRAY);
    pov_camera_calibration_destroy(&calibration);
}

static void few_and_blurred_views_are_refused(void **state)
{
    (void)state;
    pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
    pov_camera_calibration *calibration = calibration_of(POV_CAMERA_MODEL_5, 6, 3, -1);
    pov_status status = pov_camera_calibration_run(calibration, &config);
    assert_int_equal(status.code, POV_UNDEFINED);
    assert_non_null(strstr(status.message, "3 usable images"));
    pov_camera camera = strong(POV_CAMERA_MODEL_5);
    seen.edge_px = 12;
    for (int i = 0; i < 9; i++) {
        pov_image image = image_of(&camera, 3 + i);
        assert_int_equal(pov_camera_calibration_add(calibration, &image, &seen, "").code, POV_OK);
    }
    status = pov_camera_calibration_run(calibration, &config);
    assert_non_null(strstr(status.message, "9 of 12 images are blurred"));
    camera.width_px = 640;
    pov_image small = image_of(&camera, 20);
    assert_non_null(strstr(pov_camera_calibration_add(calibration, &small, &seen, "").message, "640x720"));
    pov_camera_calibration_destroy(&calibration);
}

/* Points only in the left half of the image: what is missing is the right. */
static void advice_names_the_parts_of_the_image_that_were_not_seen(void **state)
{
    (void)state;
    test_random random = {.state = 4};
    pov_camera camera = strong(POV_CAMERA_MODEL_5);
    pov_camera_calibration *calibration;
    calibration = pov_camera_calibration_new();
    test_views_make(&scene, &random, &camera, 24);
    test_views_add_noise(&scene, &random, NOISE_PX);
    for (int v = 0; v < scene.len; v++) {
        pov_image image = image_of(&camera, v);
        seen.len = 0;
        seen.edge_px = 2.5;
        for (int i = 0; i < scene.views[v].len; i++)
            if (scene.pixel[v][i].x < 800) {
                seen.board_m[seen.len] = scene.board_m[v][i];
                seen.pixel[seen.len++] = scene.pixel[v][i];
            }
        if (seen.len > 30)
            assert_int_equal(pov_camera_calibration_add(calibration, &image, &seen, "").code, POV_OK);
    }
    pov_calibration_config config = POV_CALIBRATION_CONFIG_DEFAULT;
    assert_int_equal(pov_camera_calibration_run(calibration, &config).code, POV_OK);
    const pov_calibration_report *report = pov_camera_calibration_report(calibration);
    assert_true(report->advice_len > 0);
    assert_non_null(strstr(report->advice[0], "upper right corner, right side, lower right corner"));
    double left_px = report->map_px[9][8], right_px = report->map_px[9][31];
    assert_true(right_px > 3 * left_px);
    pov_camera_calibration_destroy(&calibration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lens_gets_its_model),
        cmocka_unit_test(held_out_images_are_off_by_the_noise_and_a_little),
        cmocka_unit_test(a_view_that_does_not_fit_is_dropped_and_says_why),
        cmocka_unit_test(only_stray_views_are_left_out_of_uneven_ones),
        cmocka_unit_test(a_few_views_of_another_camera_are_left_out_and_told),
        cmocka_unit_test(an_image_that_the_user_leaves_out_is_not_used),
        cmocka_unit_test(views_of_two_cameras_are_told_apart),
        cmocka_unit_test(few_and_blurred_views_are_refused),
        cmocka_unit_test(advice_names_the_parts_of_the_image_that_were_not_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
