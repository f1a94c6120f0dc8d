#include "calib/camera/camera_solver.h"
#include "perception/geometry/linalg.h"
#include "tests/support/simulated_camera.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { CAMERAS_OF_A_MODEL = 18, VIEWS = 12, P = POV_CAMERA_PARAMETER_MAX };

static test_views scene;
static pov_transform found[TEST_VIEW_MAX];
static pov_camera_solver *solver;

static pov_camera_fit fit_of(const pov_camera *truth, int coefficients)
{
    return (pov_camera_fit){
        .camera = {.lens = truth->lens, .width_px = truth->width_px, .height_px = truth->height_px},
        .coefficient_len = coefficients};
}

/* Normalised estimation error squared: e^T C^-1 e, chi-square with as many degrees as there are parameters. */
static double nees(const pov_camera_fit *fit, const pov_camera *truth)
{
    int n = 4 + fit->coefficient_len;
    double error[P], L[P * P] = {0}, solved[P], sum = 0;
    for (int i = 0; i < n; i++) {
        double std = sqrt(fit->covariance[i][i]);
        error[i] = (pov_camera_parameter(&fit->camera, i) - pov_camera_parameter(truth, i)) / std;
        for (int j = 0; j < n; j++)
            L[i * n + j] = fit->covariance[i][j] / std / sqrt(fit->covariance[j][j]);
    }
    assert_true(pov_cholesky(L, L, n));
    pov_cholesky_solve(solved, L, error, n);
    for (int i = 0; i < n; i++)
        sum += error[i] * solved[i];
    return sum;
}

/* The 99 % interval of chi-square with n degrees: Wilson & Hilferty 1931. */
static void assert_within_99_percent(double chi_square, int n)
{
    double low = n * pow(1 - 2.0 / (9 * n) - 2.576 * sqrt(2.0 / (9 * n)), 3);
    double high = n * pow(1 - 2.0 / (9 * n) + 2.576 * sqrt(2.0 / (9 * n)), 3);
    if (!(chi_square > low && chi_square < high))
        fail_msg("NEES %.1f of %d is outside [%.1f, %.1f]", chi_square, n, low, high);
}

static void errors_match_their_covariance(pov_lens lens, int coefficients)
{
    test_random random = {.state = 7};
    double sum = 0;
    for (int i = 0; i < CAMERAS_OF_A_MODEL; i++) {
        pov_camera truth = test_random_camera(&random, lens, coefficients);
        pov_camera_fit fit = fit_of(&truth, coefficients);
        double noise_px = test_random_between(&random, 0.1, 0.5);
        test_views_make(&scene, &random, &truth, VIEWS);
        test_views_add_noise(&scene, &random, noise_px);
        assert_int_equal(pov_camera_solver_run(solver, &fit, found, scene.views, scene.len).code, POV_OK);
        assert_near(fit.noise_px, noise_px, 0.1 * noise_px);
        sum += nees(&fit, &truth);
    }
    assert_within_99_percent(sum, CAMERAS_OF_A_MODEL * (4 + coefficients));
}

static void errors_of_5_coefficients_match_their_covariance(void **state)
{
    (void)state;
    errors_match_their_covariance(POV_LENS_BROWN_CONRADY, 5);
}

static void errors_of_8_coefficients_match_their_covariance(void **state)
{
    (void)state;
    errors_match_their_covariance(POV_LENS_BROWN_CONRADY, 8);
}

static void errors_of_a_fisheye_match_their_covariance(void **state)
{
    (void)state;
    errors_match_their_covariance(POV_LENS_EQUIDISTANT, 4);
}

/* ---- the map of uncertainty against Monte-Carlo ---------------------------------------------------------------------- */

enum { PIXELS = 12, SAMPLES = 200 };

static pov_vec2 pixel_of(int i)
{
    return (pov_vec2){100 + i % 4 * 360, 90 + i / 4 * 270};
}

/* Where a point of the true camera's frame appears in a fitted one: by way of each board, and the mean. */
static pov_vec2 reprojected(const pov_camera_fit *fit, pov_vec3 point)
{
    pov_vec2 mean = {0, 0};
    for (int v = 0; v < scene.len; v++) {
        pov_vec2 pixel;
        pov_vec3 on_board = pov_transform_apply(pov_transform_inverse(scene.T_camera_board[v]), point);
        assert_int_equal(
            pov_camera_project(&fit->camera, &pixel, NULL, pov_transform_apply(found[v], on_board)), POV_OK);
        mean.x += pixel.x / scene.len;
        mean.y += pixel.y / scene.len;
    }
    return mean;
}

static double worst_std(double a, double b, double c)
{
    double values[2], first[2];
    pov_symmetric2_eigen(values, first, a, b, c);
    return sqrt(values[0]);
}

static void map_matches_monte_carlo(pov_lens lens, int coefficients)
{
    test_random random = {.state = 11};
    pov_camera truth = test_random_camera(&random, lens, coefficients);
    pov_camera_fit fit = fit_of(&truth, coefficients);
    double predicted_px[PIXELS], xx[PIXELS] = {0}, xy[PIXELS] = {0}, yy[PIXELS] = {0};
    const double distance_m = 1.5;
    pov_vec3 point[PIXELS];
    test_views_make(&scene, &random, &truth, VIEWS);
    test_views_add_noise(&scene, &random, 0.3);
    assert_int_equal(pov_camera_solver_run(solver, &fit, found, scene.views, scene.len).code, POV_OK);
    for (int i = 0; i < PIXELS; i++) {
        double C[2][2];
        assert_int_equal(pov_camera_solver_spread(solver, C, &fit, found, pixel_of(i), distance_m), POV_OK);
        predicted_px[i] = worst_std(C[0][0], C[0][1], C[1][1]);
        assert_int_equal(pov_camera_unproject(&truth, &point[i], NULL, pixel_of(i)), POV_OK);
        point[i] = pov_vec3_scale(point[i], distance_m);
    }
    for (int s = 0; s < SAMPLES; s++) {
        test_views_add_noise(&scene, &random, 0.3);
        fit.camera = truth;
        memcpy(found, scene.T_camera_board, sizeof found);
        assert_int_equal(pov_camera_solver_refine(solver, &fit, found, scene.views, scene.len).code, POV_OK);
        for (int i = 0; i < PIXELS; i++) {
            pov_vec2 pixel = reprojected(&fit, point[i]);
            double dx = pixel.x - pixel_of(i).x, dy = pixel.y - pixel_of(i).y;
            xx[i] += dx * dx / SAMPLES;
            xy[i] += dx * dy / SAMPLES;
            yy[i] += dy * dy / SAMPLES;
        }
    }
    for (int i = 0; i < PIXELS; i++)
        assert_near(predicted_px[i] / worst_std(xx[i], xy[i], yy[i]), 1, 0.15);
}

static void the_map_of_5_coefficients_matches_monte_carlo(void **state)
{
    (void)state;
    map_matches_monte_carlo(POV_LENS_BROWN_CONRADY, 5);
}

static void the_map_of_8_coefficients_matches_monte_carlo(void **state)
{
    (void)state;
    map_matches_monte_carlo(POV_LENS_BROWN_CONRADY, 8);
}

static void the_map_of_a_fisheye_matches_monte_carlo(void **state)
{
    (void)state;
    map_matches_monte_carlo(POV_LENS_EQUIDISTANT, 4);
}

/* ---- what cannot be solved ------------------------------------------------------------------------------------------ */

static void boards_parallel_to_the_image_leave_the_focal_length_open(void **state)
{
    (void)state;
    test_random random = {.state = 3};
    pov_camera truth = test_random_camera(&random, POV_LENS_BROWN_CONRADY, 0);
    test_views_make(&scene, &random, &truth, VIEWS);
    for (int v = 0; v < scene.len; v++) {
        scene.T_camera_board[v] = (pov_transform){pov_rot_identity(), {-0.1 - 0.01 * v, -0.1, 1}};
        for (int i = 0; i < scene.views[v].len; i++)
            assert_int_equal(
                pov_camera_project(&truth, &scene.truth[v][i], NULL,
                                   pov_transform_apply(scene.T_camera_board[v], scene.board_m[v][i])),
                POV_OK);
    }
    test_views_add_noise(&scene, &random, 0.3);
    pov_camera_fit fit = fit_of(&truth, 5);
    pov_status status = pov_camera_solver_run(solver, &fit, found, scene.views, scene.len);
    assert_true(status.code != POV_OK || sqrt(fit.covariance[0][0]) > 0.02 * fit.camera.fx_px);
}

static int set_up(void **state)
{
    (void)state;
    solver = pov_camera_solver_new(TEST_VIEW_MAX);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pov_camera_solver_destroy(&solver);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_5_coefficients_match_their_covariance),
        cmocka_unit_test(errors_of_8_coefficients_match_their_covariance),
        cmocka_unit_test(errors_of_a_fisheye_match_their_covariance),
        cmocka_unit_test(the_map_of_5_coefficients_matches_monte_carlo),
        cmocka_unit_test(the_map_of_8_coefficients_matches_monte_carlo),
        cmocka_unit_test(the_map_of_a_fisheye_matches_monte_carlo),
        cmocka_unit_test(boards_parallel_to_the_image_leave_the_focal_length_open),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
