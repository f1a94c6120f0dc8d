#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/camera.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <string.h>

static const pov_camera PINHOLE = {POV_LENS_BROWN_CONRADY, 640, 480, 500, 510, 320, 240, {0}};
static const pov_camera CAMERAS[] = {
    {POV_LENS_BROWN_CONRADY, 640, 480, 500, 510, 320, 240, {0}},
    {POV_LENS_BROWN_CONRADY, 1280, 720, 700, 690, 610, 380, {-0.41, 0.21, 0.002, -0.003, -0.06}},
    {POV_LENS_BROWN_CONRADY, 1280, 720, 700, 690, 610, 380, {0.3, 0.4, -0.004, 0.002, 0.1}},
    {POV_LENS_BROWN_CONRADY, 1920, 1080, 1000, 1000, 900, 500, {6.1, 3.2, 1e-4, -2e-4, 0.11, 6.5, 5.2, 0.9}},
    {POV_LENS_EQUIDISTANT, 1000, 1000, 300, 300, 499.5, 499.5, {0}},
    {POV_LENS_EQUIDISTANT, 1000, 1000, 280, 285, 510, 490, {0.05, -0.012, 0.003, -0.0006}},
    {POV_LENS_EQUIDISTANT, 1000, 1000, 280, 285, 510, 490, {-0.08, 0.01, -0.002, 0.0001}},
};
enum { CAMERA_LEN = sizeof CAMERAS / sizeof CAMERAS[0] };

/** A direction up to `max_rad` off axis, at a random distance. */
static pov_vec3 random_point(test_random *random, double max_rad)
{
    const double off = test_random_between(random, 0, max_rad);
    const double azimuth = test_random_between(random, -POV_PI, POV_PI);
    const double distance = exp(test_random_between(random, -2, 3));
    return pov_vec3_scale((pov_vec3){sin(off) * cos(azimuth), sin(off) * sin(azimuth), cos(off)}, distance);
}

static double widest_rad(const pov_camera *camera)
{
    return camera->lens == POV_LENS_EQUIDISTANT ? 2.6 : 1.2;
}

static void a_pinhole_projects_as_by_hand(void **state)
{
    (void)state;
    pov_vec2 pixel;
    assert_int_equal(pov_camera_project(&PINHOLE, &pixel, NULL, (pov_vec3){1, -2, 4}), POV_OK);
    assert_near(pixel.x, 320 + 500 * 0.25, 1e-12);
    assert_near(pixel.y, 240 - 510 * 0.5, 1e-12);
}

static void assert_project_undefined(const pov_camera *camera, pov_vec3 point)
{
    pov_vec2 pixel = {1, 2};
    double jacobian[2][3] = {{0}};
    assert_int_equal(pov_camera_project(camera, &pixel, jacobian, point), POV_UNDEFINED);
    assert_true(isnan(pixel.x) && isnan(pixel.y) && isnan(jacobian[0][0]) && isnan(jacobian[1][2]));
}

static void points_the_lens_cannot_see_are_undefined(void **state)
{
    (void)state;
    for (int i = 0; i < CAMERA_LEN; i++) {
        assert_project_undefined(&CAMERAS[i], (pov_vec3){0, 0, 0});
        assert_project_undefined(&CAMERAS[i], (pov_vec3){0, 0, -1});
        assert_project_undefined(&CAMERAS[i], (pov_vec3){NAN, 0, 1});
        assert_project_undefined(&CAMERAS[i], (pov_vec3){0, INFINITY, 1});
        if (CAMERAS[i].lens == POV_LENS_BROWN_CONRADY) {
            assert_project_undefined(&CAMERAS[i], (pov_vec3){1, 0, 0});
            assert_project_undefined(&CAMERAS[i], (pov_vec3){0.1, 0, -1});
        }
    }
}

/** The radius where 1 + 3 k1 r^2 + 5 k2 r^4 first vanishes, by hand from the quadratic. */
static void a_polynomial_lens_ends_where_it_folds_back(void **state)
{
    (void)state;
    const double lens[][2] = {{-0.3, 0}, {-0.5, 0.1}, {-0.2, -0.1}, {0.2, -0.1}};
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        const double a = 5 * lens[i][1], b = 3 * lens[i][0];
        const double s = a == 0 ? -1 / b : 2 / (-b + sqrt(b * b - 4 * a)); /* smaller positive root */
        pov_camera camera = PINHOLE;
        camera.distortion[0] = lens[i][0];
        camera.distortion[1] = lens[i][1];
        pov_vec2 pixel;
        const double r = sqrt(s);
        assert_int_equal(pov_camera_project(&camera, &pixel, NULL, (pov_vec3){0.999 * r, 0, 1}), POV_OK);
        assert_project_undefined(&camera, (pov_vec3){1.001 * r, 0, 1});
        assert_project_undefined(&camera, (pov_vec3){0, -3 * r, 1});
        assert_project_undefined(&camera, (pov_vec3){0, 300 * r, 1});
    }
}

/** Scans the radius finely: the lens sees exactly the points before r_d first falls or jumps. */
static void lenses_end_where_a_fine_scan_of_the_radius_says(void **state)
{
    (void)state;
    test_random random = {5};
    int folded = 0;
    for (int round = 0; round < 200; round++) {
        pov_camera camera = PINHOLE;
        double *k = camera.distortion;
        const int used[] = {0, 1, 4, 5, 6, 7};
        for (int i = 0; i < (round % 2 ? 6 : 3); i++)
            k[used[i]] = test_random_normal(&random) * 0.3;
        bool has_folded = false;
        double last = 0;
        for (double r = 1e-3; r < 3; r += 1e-3) {
            const double s = r * r;
            const double denominator = 1 + s * (k[5] + s * (k[6] + s * k[7]));
            const double distorted = r * (1 + s * (k[0] + s * (k[1] + s * k[4]))) / denominator;
            const bool falls = denominator <= 0 || distorted <= last;
            pov_vec2 pixel;
            const pov_code before = pov_camera_project(&camera, &pixel, NULL, (pov_vec3){r - 2e-3, 0, 1});
            const pov_code after = pov_camera_project(&camera, &pixel, NULL, (pov_vec3){0, r + 2e-3, 1});
            if (!falls && !has_folded && r > 2e-3)
                assert_int_equal(before, POV_OK);
            has_folded |= falls;
            if (has_folded)
                assert_int_equal(after, POV_UNDEFINED);
            last = distorted;
        }
        folded += has_folded;
    }
    assert_in_range(folded, 50, 199);
}

static void a_fisheye_ends_where_its_angle_folds_back(void **state)
{
    (void)state;
    pov_camera camera = {POV_LENS_EQUIDISTANT, 100, 100, 50, 50, 50, 50, {-0.1}};
    const double theta = sqrt(1 / 0.3); /* 1 - 3 * 0.1 theta^2 = 0; 104.6 degrees */
    pov_vec2 pixel;
    assert_int_equal(
        pov_camera_project(&camera, &pixel, NULL, (pov_vec3){sin(theta - 1e-3), 0, cos(theta - 1e-3)}),
        POV_OK);
    assert_project_undefined(&camera, (pov_vec3){sin(theta + 1e-3), 0, cos(theta + 1e-3)});
    pov_vec3 direction;
    const double reach_px = 50 * theta * (1 - 0.1 * theta * theta);
    assert_int_equal(pov_camera_unproject(&camera, &direction, NULL, (pov_vec2){50 + reach_px - 0.01, 50}),
                     POV_OK);
    assert_int_equal(pov_camera_unproject(&camera, &direction, NULL, (pov_vec2){50, 50 - reach_px - 0.01}),
                     POV_UNDEFINED);
}

static void pixels_beyond_the_lens_have_no_direction(void **state)
{
    (void)state;
    pov_camera camera = PINHOLE;
    camera.distortion[0] = -0.3; /* reaches r_d = 2/3 * sqrt(1 / 0.9) = 0.7027 */
    pov_vec3 direction;
    double jacobian[3][2];
    const double reach_px = 500 * 2 / 3.0 * sqrt(1 / 0.9);
    assert_int_equal(pov_camera_unproject(&camera, &direction, NULL, (pov_vec2){320 - reach_px + 0.01, 240}),
                     POV_OK);
    for (double beyond_px = 0.01; beyond_px < 1e9; beyond_px *= 7) {
        const pov_vec2 pixel = {320 + reach_px + beyond_px, 240};
        assert_int_equal(pov_camera_unproject(&camera, &direction, jacobian, pixel), POV_UNDEFINED);
        assert_true(isnan(direction.x) && isnan(jacobian[2][1]));
    }
    assert_int_equal(pov_camera_unproject(&camera, &direction, NULL, (pov_vec2){NAN, 0}), POV_UNDEFINED);
}

static void unprojecting_a_projection_gives_the_direction_back(void **state)
{
    (void)state;
    test_random random = {6};
    for (int i = 0; i < CAMERA_LEN; i++) {
        int seen = 0;
        for (int round = 0; round < 5000; round++) {
            const pov_vec3 point = random_point(&random, widest_rad(&CAMERAS[i]));
            pov_vec2 pixel;
            double J[2][3];
            if (pov_camera_project(&CAMERAS[i], &pixel, J, point) != POV_OK)
                continue;
            pov_vec3 direction;
            assert_int_equal(pov_camera_unproject(&CAMERAS[i], &direction, NULL, pixel), POV_OK);
            assert_near(pov_vec3_norm(direction), 1, 1e-12);
            const double miss_rad = pov_vec3_norm(pov_vec3_cross(direction, pov_vec3_unit(point)));
            /* At the fold-back a pixel no longer tells the direction: allow its rounding times the gain
             * there. */
            const double gain = hypot(J[0][0], J[1][1]) * pov_vec3_norm(point);
            assert_true(miss_rad < 1e-10 || gain < 50);
            assert_true(pov_vec3_dot(direction, point) > 0);
            seen++;
        }
        assert_in_range(seen, 1500, 5000);
    }
}

static void projection_jacobians_agree_with_finite_differences(void **state)
{
    (void)state;
    test_random random = {7};
    const double step = 1e-6;
    for (int i = 0; i < CAMERA_LEN; i++)
        for (int round = 0; round < 1000; round++) {
            const pov_vec3 point = pov_vec3_unit(random_point(&random, widest_rad(&CAMERAS[i])));
            pov_vec2 pixel, low, high;
            double J[2][3];
            if (pov_camera_project(&CAMERAS[i], &pixel, J, point) != POV_OK)
                continue;
            for (int axis = 0; axis < 3; axis++) {
                const pov_vec3 move = {step * (axis == 0), step * (axis == 1), step * (axis == 2)};
                if (pov_camera_project(&CAMERAS[i], &low, NULL, pov_vec3_sub(point, move)) != POV_OK ||
                    pov_camera_project(&CAMERAS[i], &high, NULL, pov_vec3_add(point, move)) != POV_OK)
                    continue;
                const double tolerance = 1e-3 + 1e-5 * (fabs(J[0][axis]) + fabs(J[1][axis]));
                assert_near((high.x - low.x) / (2 * step), J[0][axis], tolerance);
                assert_near((high.y - low.y) / (2 * step), J[1][axis], tolerance);
            }
        }
}

static void unprojection_jacobians_agree_with_finite_differences(void **state)
{
    (void)state;
    test_random random = {8};
    const double step_px = 1e-3;
    for (int i = 0; i < CAMERA_LEN; i++)
        for (int round = 0; round < 1000; round++) {
            const pov_camera *camera = &CAMERAS[i];
            const pov_vec2 pixel = {test_random_between(&random, 0, camera->width_px),
                                    test_random_between(&random, 0, camera->height_px)};
            pov_vec3 direction, low, high;
            double J[3][2];
            if (pov_camera_unproject(camera, &direction, J, pixel) != POV_OK)
                continue;
            for (int axis = 0; axis < 2; axis++) {
                const pov_vec2 move = {step_px * (axis == 0), step_px * (axis == 1)};
                if (pov_camera_unproject(camera, &low, NULL,
                                         (pov_vec2){pixel.x - move.x, pixel.y - move.y}) != POV_OK ||
                    pov_camera_unproject(camera, &high, NULL,
                                         (pov_vec2){pixel.x + move.x, pixel.y + move.y}) != POV_OK)
                    continue;
                const pov_vec3 slope = pov_vec3_scale(pov_vec3_sub(high, low), 1 / (2 * step_px));
                const pov_vec3 column = {J[0][axis], J[1][axis], J[2][axis]};
                const double size = pov_vec3_norm(column);
                assert_true(pov_vec3_norm(pov_vec3_sub(slope, column)) <
                            1e-9 + 1e-4 * size * (1 + 500 * size));
            }
        }
}

static void the_axis_itself_projects_smoothly(void **state)
{
    (void)state;
    for (int i = 0; i < CAMERA_LEN; i++) {
        pov_vec2 pixel;
        pov_vec3 direction;
        double J[2][3], K[3][2];
        assert_int_equal(pov_camera_project(&CAMERAS[i], &pixel, J, (pov_vec3){0, 0, 2}), POV_OK);
        assert_near(pixel.x, CAMERAS[i].cx_px, 0);
        assert_near(pixel.y, CAMERAS[i].cy_px, 0);
        assert_near(J[0][0], CAMERAS[i].fx_px / 2, 1e-9);
        assert_near(J[1][1], CAMERAS[i].fy_px / 2, 1e-9);
        assert_near(J[0][1], 0, 1e-9);
        assert_int_equal(pov_camera_unproject(&CAMERAS[i], &direction, K, pixel), POV_OK);
        assert_near(direction.z, 1, 0);
        assert_near(K[0][0], 1 / CAMERAS[i].fx_px, 1e-12);
        assert_near(K[1][1], 1 / CAMERAS[i].fy_px, 1e-12);
    }
}

static void assert_check_names(pov_camera camera, const char *field)
{
    const pov_status status = pov_camera_check(&camera);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, field));
}

static void a_bad_camera_is_refused_by_the_name_of_its_field(void **state)
{
    (void)state;
    assert_int_equal(pov_camera_check(&PINHOLE).code, POV_OK);
    pov_camera camera = PINHOLE;
    camera.width_px = 0;
    assert_check_names(camera, "width_px");
    camera = PINHOLE;
    camera.height_px = -3;
    assert_check_names(camera, "height_px");
    camera = PINHOLE;
    camera.fx_px = NAN;
    assert_check_names(camera, "fx_px");
    camera = PINHOLE;
    camera.fy_px = -1;
    assert_check_names(camera, "fy_px");
    camera = PINHOLE;
    camera.cy_px = INFINITY;
    assert_check_names(camera, "cy_px");
    camera = PINHOLE;
    camera.distortion[6] = NAN;
    assert_check_names(camera, "distortion[6]");
    camera = PINHOLE;
    camera.lens = POV_LENS_COUNT;
    assert_check_names(camera, "lens");
}

static void every_parameter_changes_the_hash(void **state)
{
    (void)state;
    const uint64_t before = pov_camera_hash(&PINHOLE);
    pov_camera camera = PINHOLE;
    assert_true(pov_camera_hash(&camera) == before);
    camera.distortion[3] = -0.0;
    assert_true(pov_camera_hash(&camera) == before);
    double *numbers[] = {&camera.fx_px,         &camera.fy_px,         &camera.cx_px,        &camera.cy_px,
                         &camera.distortion[0], &camera.distortion[3], &camera.distortion[7]};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] += 1e-9;
        assert_true(pov_camera_hash(&camera) != before);
        camera = PINHOLE;
    }
    camera.width_px++;
    assert_true(pov_camera_hash(&camera) != before);
    camera = PINHOLE;
    camera.lens = POV_LENS_EQUIDISTANT;
    assert_true(pov_camera_hash(&camera) != before);
}

/* Among them points behind the lens and beyond its fold-back. */
static void many_points_are_projected_as_one_at_a_time(void **state)
{
    enum { POINTS = 200 };
    (void)state;
    test_random random = {7};
    for (int i = 0; i < CAMERA_LEN; i++)
        for (int wide = 0; wide < 2; wide++) {
            double columns[3][POINTS], x_px[POINTS], y_px[POINTS];
            for (int k = 0; k < POINTS; k++) {
                const pov_vec3 point = random_point(&random, wide ? POV_PI : 0.4);
                columns[0][k] = point.x;
                columns[1][k] = point.y;
                columns[2][k] = point.z;
            }
            pov_camera_project_points(&CAMERAS[i], x_px, y_px,
                                      (double *const[3]){columns[0], columns[1], columns[2]}, POINTS);
            for (int k = 0; k < POINTS; k++) {
                pov_vec2 pixel;
                const pov_vec3 point = {columns[0][k], columns[1][k], columns[2][k]};
                if (pov_camera_project(&CAMERAS[i], &pixel, NULL, point) != POV_OK) {
                    assert_true(isnan(x_px[k]) && isnan(y_px[k]));
                    continue;
                }
                assert_near(x_px[k], pixel.x, 1e-9);
                assert_near(y_px[k], pixel.y, 1e-9);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pinhole_projects_as_by_hand),
        cmocka_unit_test(points_the_lens_cannot_see_are_undefined),
        cmocka_unit_test(a_polynomial_lens_ends_where_it_folds_back),
        cmocka_unit_test(lenses_end_where_a_fine_scan_of_the_radius_says),
        cmocka_unit_test(a_fisheye_ends_where_its_angle_folds_back),
        cmocka_unit_test(pixels_beyond_the_lens_have_no_direction),
        cmocka_unit_test(unprojecting_a_projection_gives_the_direction_back),
        cmocka_unit_test(projection_jacobians_agree_with_finite_differences),
        cmocka_unit_test(unprojection_jacobians_agree_with_finite_differences),
        cmocka_unit_test(the_axis_itself_projects_smoothly),
        cmocka_unit_test(a_bad_camera_is_refused_by_the_name_of_its_field),
        cmocka_unit_test(every_parameter_changes_the_hash),
        cmocka_unit_test(many_points_are_projected_as_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
