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

enum { VIEWS = 12 };

static test_views scene;
static pov_transform found[TEST_VIEW_MAX];
static pov_camera_solver *solver;

static pov_camera_fit fit_of(const pov_camera *truth, int coefficients)
{
    return (pov_camera_fit){
        .camera = {.lens = truth->lens, .width_px = truth->width_px, .height_px = truth->height_px},
        .coefficient_len = coefficients};
}

/* ---- stated deviations against true errors, over many simulated sets ---- */

/* How boards differ from the plane that a calibration is told of. */
typedef struct {
    double sag_m, print_m; /* deviations of the three sags, and of each corner's place on the board */
    bool held_again;       /* it bends otherwise in each image: paper held by hand */
} flaws;

static pov_vec3 flawed_point(pov_vec3 point, const double sag_m[3], const pov_vec2 *misprint_m)
{
    const double half_m = 0.12, u = point.x / half_m - 1, v = point.y / half_m - 1;
    const long at = lround(point.x / 0.03) + TEST_BOARD_SIDE * lround(point.y / 0.03);
    return (pov_vec3){point.x + misprint_m[at].x, point.y + misprint_m[at].y,
                      sag_m[0] * (1 - u * u) + sag_m[1] * (1 - v * v) + sag_m[2] * u * v};
}

/* The scene's truth becomes that of a flawed board. */
static void spoil_board(const pov_camera *camera, const flaws *f, test_random *random)
{
    pov_vec2 misprint_m[TEST_POINT_MAX];
    double sag_m[3];
    for (int i = 0; i < TEST_POINT_MAX; i++)
        misprint_m[i] =
            (pov_vec2){f->print_m * test_random_normal(random), f->print_m * test_random_normal(random)};
    for (int v = 0; v < scene.len; v++) {
        for (int k = 0; k < 3 && (v == 0 || f->held_again); k++)
            sag_m[k] = f->sag_m * test_random_normal(random);
        for (int i = 0; i < scene.views[v].len; i++)
            assert_int_equal(
                pov_camera_project(camera, &scene.truth[v][i], NULL,
                                   pov_transform_apply(scene.T_camera_board[v],
                                                       flawed_point(scene.board_m[v][i], sag_m, misprint_m))),
                POV_OK);
    }
}

/* The share of the parameters' true values that are within two stated deviations; of focal lengths alone too. */
static void assert_covered(pov_lens lens, int coefficients, const flaws *f)
{
    enum { SETS = 10 };
    test_random random = {.state = 7};
    int within = 0, focal_within = 0;
    const int n = 4 + coefficients;
    for (int set = 0; set < SETS; set++) {
        const pov_camera truth = test_random_camera(&random, lens, coefficients);
        pov_camera_fit fit = fit_of(&truth, coefficients);
        test_views_make(&scene, &random, &truth, VIEWS);
        spoil_board(&truth, f, &random);
        test_views_add_noise(&scene, &random, test_random_between(&random, 0.1, 0.5));
        assert_int_equal(pov_camera_solver_run(solver, &fit, found, scene.views, scene.len).code, POV_OK);
        for (int i = 0; i < n; i++) {
            const double error = pov_camera_parameter(&fit.camera, i) - pov_camera_parameter(&truth, i);
            const bool in = fabs(error) < 2 * sqrt(fit.covariance[i][i]);
            within += in;
            focal_within += i < 2 && in;
        }
    }
    const double share = (double)within / (SETS * n), focal = (double)focal_within / (SETS * 2);
    print_message("within two deviations: %.1f %% of all parameters, %.1f %% of focal lengths\n", 100 * share,
                  100 * focal);
    assert_true(share > 0.91); /* 95.4 % of normal errors */
    assert_true(focal > 0.90);
}

static void deviations_hold_for_a_flat_board(void **state)
{
    (void)state;
    assert_covered(POV_LENS_BROWN_CONRADY, 5, &(flaws){0});
    assert_covered(POV_LENS_BROWN_CONRADY, 8, &(flaws){0});
    assert_covered(POV_LENS_EQUIDISTANT, 4, &(flaws){0});
}

static void deviations_hold_for_a_bent_board(void **state)
{
    (void)state;
    const flaws bent = {.sag_m = 0.5e-3, .print_m = 0.05e-3};
    assert_covered(POV_LENS_BROWN_CONRADY, 5, &bent);
    assert_covered(POV_LENS_EQUIDISTANT, 4, &bent);
}

static void deviations_hold_for_a_board_that_bends_again_in_each_image(void **state)
{
    (void)state;
    const flaws paper = {.sag_m = 0.5e-3, .print_m = 0.05e-3, .held_again = true};
    assert_covered(POV_LENS_BROWN_CONRADY, 5, &paper);
    assert_covered(POV_LENS_EQUIDISTANT, 4, &paper);
}

/* Not wider than they need be: the deviation of a focal length by flat boards is as large as its error, RMS. */
static void deviations_are_as_large_as_the_errors_of_a_flat_board(void **state)
{
    (void)state;
    enum { SETS = 25 };
    test_random random = {.state = 21};
    double squares = 0;
    for (int set = 0; set < SETS; set++) {
        const pov_camera truth = test_random_camera(&random, POV_LENS_BROWN_CONRADY, 5);
        pov_camera_fit fit = fit_of(&truth, 5);
        test_views_make(&scene, &random, &truth, VIEWS);
        test_views_add_noise(&scene, &random, 0.2);
        assert_int_equal(pov_camera_solver_run(solver, &fit, found, scene.views, scene.len).code, POV_OK);
        assert_near(fit.noise_px, 0.2, 0.02);
        squares += pow(fit.camera.fx_px - truth.fx_px, 2) / fit.covariance[0][0] / SETS;
    }
    print_message("errors are %.2f stated deviations, RMS\n", sqrt(squares));
    assert_near(sqrt(squares), 0.95, 0.2);
}

/* Half a millimetre of sag on 24 cm: taken for flat it costs a third of a pixel. */
static void a_bend_is_found(void **state)
{
    (void)state;
    test_random random = {.state = 5};
    const pov_camera truth = test_random_camera(&random, POV_LENS_BROWN_CONRADY, 5);
    pov_camera_fit fit = fit_of(&truth, 5);
    test_views_make(&scene, &random, &truth, VIEWS);
    spoil_board(&truth, &(flaws){.sag_m = 0.5e-3}, &random);
    test_views_add_noise(&scene, &random, 0.1);
    assert_int_equal(pov_camera_solver_run(solver, &fit, found, scene.views, scene.len).code, POV_OK);
    assert_near(fit.noise_px, 0.1, 0.01);
}

/* ---- the map of uncertainty against Monte-Carlo ---------------------------------------------------------------------- */

enum { PIXELS = 12, SAMPLES = 80 };

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
    double xx[PIXELS] = {0}, xy[PIXELS] = {0}, yy[PIXELS] = {0}, stated[PIXELS][3] = {{0}};
    const double distance_m = 1.5;
    pov_vec3 point[PIXELS];
    test_views_make(&scene, &random, &truth, VIEWS);
    for (int i = 0; i < PIXELS; i++) {
        assert_int_equal(pov_camera_unproject(&truth, &point[i], NULL, pixel_of(i)), POV_OK);
        point[i] = pov_vec3_scale(point[i], distance_m);
    }
    for (int s = 0; s < SAMPLES; s++) {
        test_views_add_noise(&scene, &random, 0.3);
        fit.camera = truth;
        fit.bend = (pov_board_bend){0};
        memcpy(found, scene.T_camera_board, sizeof found);
        assert_int_equal(pov_camera_solver_refine(solver, &fit, found, scene.views, scene.len).code, POV_OK);
        for (int i = 0; i < PIXELS; i++) {
            double C[2][2];
            pov_vec2 pixel = reprojected(&fit, point[i]);
            double dx = pixel.x - pixel_of(i).x, dy = pixel.y - pixel_of(i).y;
            xx[i] += dx * dx / SAMPLES;
            xy[i] += dx * dy / SAMPLES;
            yy[i] += dy * dy / SAMPLES;
            assert_int_equal(pov_camera_solver_spread(solver, C, &fit, found, pixel_of(i), distance_m),
                             POV_OK);
            for (int k = 0; k < 3; k++)
                stated[i][k] += C[k / 2][k > 0] / SAMPLES;
        }
    }
    for (int i = 0; i < PIXELS; i++) /* from twelve images: a little wide */
        assert_near(worst_std(stated[i][0], stated[i][1], stated[i][2]) / worst_std(xx[i], xy[i], yy[i]),
                    1.15, 0.3);
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
        cmocka_unit_test(deviations_hold_for_a_flat_board),
        cmocka_unit_test(deviations_hold_for_a_bent_board),
        cmocka_unit_test(deviations_hold_for_a_board_that_bends_again_in_each_image),
        cmocka_unit_test(deviations_are_as_large_as_the_errors_of_a_flat_board),
        cmocka_unit_test(a_bend_is_found),
        cmocka_unit_test(the_map_of_5_coefficients_matches_monte_carlo),
        cmocka_unit_test(the_map_of_8_coefficients_matches_monte_carlo),
        cmocka_unit_test(the_map_of_a_fisheye_matches_monte_carlo),
        cmocka_unit_test(boards_parallel_to_the_image_leave_the_focal_length_open),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
