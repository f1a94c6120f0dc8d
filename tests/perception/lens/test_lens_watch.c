#include "perception/lens/lens_watch.h"
#include "tests/support/turning_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { IMAGES = 14 };

static test_turning_table table;
static pov_tags tags;

/* The watch's result after images of a camera whose focal length is `zoom` times the calibration's. */
static pov_lens_health watch(test_random *random, double zoom, double noise_px, bool moves)
{
    pov_lens_watch watch = {0};
    pov_lens_health health = {0};
    test_turning_table_make(&table, random);
    const pov_camera calibration = table.camera;
    table.camera.fx_px *= zoom;
    table.camera.fy_px *= zoom;
    for (int i = 0; i < IMAGES; i++) {
        pov_camera_pose pose;
        if (moves)
            table.T_table_camera = pov_transform_look_at((pov_vec3){1.0 - 0.01 * i, -0.6 + 0.03 * i, 1.2},
                                                         (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1});
        test_turning_table_see(&tags, &table, 0, random, noise_px);
        tags.len = TEST_FIXED_TAGS < tags.len ? TEST_FIXED_TAGS : tags.len;
        assert_int_equal(pov_camera_pose_estimate(&pose, &calibration, &tags, &table.map), POV_OK);
        pov_lens_watch_update(&watch, &health, &calibration, &tags, &table.map, &pose);
    }
    return health;
}

static void a_lens_that_zoomed_by_one_percent_is_noticed(void **state)
{
    test_random random = {.state = 21};
    (void)state;
    for (int i = 0; i < 8; i++) {
        const double zoom = i % 2 ? 1.01 : 0.99;
        const pov_lens_health health = watch(&random, zoom, 0.1, i % 4 >= 2);
        assert_true(health.known && health.stale);
        assert_near(health.zoom, zoom, 4 * health.zoom_std);
    }
}

static void a_lens_that_did_not_is_left_alone(void **state)
{
    test_random random = {.state = 22};
    double squares = 0;
    (void)state;
    for (int i = 0; i < 24; i++) {
        const pov_lens_health health = watch(&random, 1, 0.05 + 0.02 * i, i % 2);
        assert_true(health.known);
        assert_false(health.stale);
        assert_near(health.misfit, 1, 0.4);
        squares += pow((health.zoom - 1) / health.zoom_std, 2);
    }
    assert_true(squares <
                24); /* of images from one place, each with its own noise, it knows more than it says */
}

static void residuals_far_above_their_noise_are_noticed(void **state)
{
    test_random random = {.state = 23};
    pov_lens_watch watch = {0};
    pov_lens_health health = {0};
    (void)state;
    test_turning_table_make(&table, &random);
    for (int i = 0; i < IMAGES; i++) {
        pov_camera_pose pose;
        test_turning_table_see(&tags, &table, 0, &random, 0.5);
        for (int t = 0; t < tags.len; t++)
            tags.tags[t].corner_std_px = 0.2;
        assert_int_equal(pov_camera_pose_estimate(&pose, &table.camera, &tags, &table.map), POV_OK);
        for (int t = 0; t < TEST_FIXED_TAGS; t++)
            pose.outcome[t] = POV_TAG_USED;
        pov_lens_watch_update(&watch, &health, &table.camera, &tags, &table.map, &pose);
    }
    assert_true(health.stale && health.misfit > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lens_that_zoomed_by_one_percent_is_noticed),
        cmocka_unit_test(a_lens_that_did_not_is_left_alone),
        cmocka_unit_test(residuals_far_above_their_noise_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
