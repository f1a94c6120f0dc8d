#include "perception/balls/ball_detector.h"
#include "tests/support/random.h"
#include "tests/support/sphere_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { WIDTH = 320, HEIGHT = 240 };

static const pov_camera CAMERA = {POV_LENS_BROWN_CONRADY, WIDTH, HEIGHT, 330, 330, 159.5, 119.5, {0}};
static const pov_camera BENT = {POV_LENS_BROWN_CONRADY,      WIDTH, HEIGHT, 300, 302, 161, 117,
                                {-0.28, 0.09, 0.001, -0.001}};
static const pov_vec3 EYE = {3.2, 0, 1.7};

static const pov_colour RED = {200, 35, 30}, BLUE = {45, 90, 180}, GREEN = {30, 150, 50};

static uint8_t pixels[WIDTH * HEIGHT * 3];
static pov_balls balls;

static pov_transform looking(void)
{
    return pov_transform_look_at(EYE, (pov_vec3){0, 0, 0.2}, (pov_vec3){0, 0, 1});
}

static pov_sphere sphere_of(double x, double y, double radius_m, pov_colour colour)
{
    return (pov_sphere){{x, y, radius_m}, radius_m, colour.red, colour.green, colour.blue};
}

static pov_ball_kind resting(pov_colour colour, double radius_m, int max_count)
{
    return (pov_ball_kind){.colour = colour,
                           .radius_m = radius_m,
                           .max_count = max_count,
                           .has_height = true,
                           .height_m = radius_m,
                           .height_std_m = 0.002};
}

static void add_sphere(pov_sphere_world *world, pov_sphere sphere)
{
    world->spheres[world->sphere_len++] = sphere;
}

static pov_image draw(const pov_sphere_world *world, const pov_camera *camera)
{
    pov_sphere_world_draw(pixels, world, camera, looking());
    return (pov_image){.pixels = pixels, .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH};
}

/* Draws and detects. */
static void detect(const pov_sphere_world *world, const pov_ball_detector_config *config,
                   const pov_camera *camera, bool posed)
{
    pov_ball_detector *detector;
    pov_image image = draw(world, camera);
    pov_pose T = pov_pose_exact(looking());
    assert_int_equal(pov_ball_detector_new(&detector, config, camera).code, POV_OK);
    assert_int_equal(pov_ball_detector_run(detector, &balls, &image, posed ? &T : NULL, NULL).code, POV_OK);
    pov_ball_detector_destroy(&detector);
    assert_null(detector);
}

static pov_vec3 in_table(const pov_ball *ball)
{
    return pov_transform_apply(looking(), ball->pos_camera_m);
}

static double apart(pov_vec3 a, pov_vec3 b)
{
    return pov_vec3_norm(pov_vec3_sub(a, b));
}

/* How many pixels two places are apart in the image. */
static double apart_px(const pov_camera *camera, const pov_ball *ball, pov_vec3 truth_m)
{
    pov_vec2 a, b;
    pov_transform T_camera_table = pov_transform_inverse(looking());
    assert_int_equal(pov_camera_project(camera, &a, NULL, ball->pos_camera_m), POV_OK);
    assert_int_equal(pov_camera_project(camera, &b, NULL, pov_transform_apply(T_camera_table, truth_m)),
                     POV_OK);
    return hypot(a.x - b.x, a.y - b.y);
}

/* --- where a ball is --- */

static void a_lone_ball_is_found_to_a_fraction_of_a_pixel(void **state)
{
    (void)state;
    const pov_camera *cameras[] = {&CAMERA, &BENT};
    for (int i = 0; i < 2; i++) {
        pov_sphere_world world = pov_sphere_world_default();
        add_sphere(&world, sphere_of(0.3, -0.4, 0.2, RED));
        pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.2, 3)}};
        detect(&world, &config, cameras[i], true);
        assert_int_equal(balls.len, 1);
        assert_true(apart_px(cameras[i], &balls.balls[0], world.spheres[0].center_m) < 0.35);
        assert_true(apart(in_table(&balls.balls[0]), world.spheres[0].center_m) < 0.015);
        assert_true(balls.balls[0].confidence > 0.7 && balls.balls[0].fraction_visible > 0.6);
    }
}

static void without_the_pose_its_size_tells_how_far_it_is(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    add_sphere(&world, sphere_of(0.3, -0.4, 0.2, RED));
    pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.2, 3)}};
    detect(&world, &config, &CAMERA, false);
    assert_int_equal(balls.len, 1);
    double away = apart(EYE, world.spheres[0].center_m);
    assert_true(apart_px(&CAMERA, &balls.balls[0], world.spheres[0].center_m) < 0.6);
    assert_true(fabs(pov_vec3_norm(balls.balls[0].pos_camera_m) - away) < 0.03 * away);
    for (int i = 0; i < 18; i++)
        assert_true(balls.balls[0].per_camera_pose[i / 6][i % 6] == 0);
}

static double std_along(const pov_ball *ball)
{
    const pov_vec3 ray = pov_vec3_unit(ball->pos_camera_m);
    const double d[3] = {ray.x, ray.y, ray.z};
    double variance = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            variance += d[i] * ball->cov_camera_m2[i][j] * d[j];
    return sqrt(variance);
}

/* Its distance is in proportion to its radius. A larger one than told is thought nearer, within what is said. */
static void as_well_as_its_size_is_known_is_its_distance(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const double share = wide ? 0.05 : 0.02;
        pov_sphere_world world = pov_sphere_world_default();
        add_sphere(&world, sphere_of(0.3, -0.4, 0.2 * (1 + share), RED));
        pov_ball_kind kind = resting(RED, 0.2, 1);
        kind.radius_std_m = 0.2 * share;
        kind.edge_std_share = 1e-6;
        pov_ball_detector_config config = {.kind_len = 1, .kinds = {kind}};
        detect(&world, &config, &CAMERA, false);
        assert_int_equal(balls.len, 1);
        const double away = apart(EYE, world.spheres[0].center_m),
                     told = pov_vec3_norm(balls.balls[0].pos_camera_m);
        assert_near(std_along(&balls.balls[0]) / told, share, 0.2 * share);
        assert_near((away - told) / std_along(&balls.balls[0]), 1, 0.5);
    }
}

/* Nothing but noise is left where balls and edges are known to be true. */
static void edges_that_are_true_place_it_better(void **state)
{
    (void)state;
    double std_m[2];
    for (int true_ones = 0; true_ones < 2; true_ones++) {
        pov_sphere_world world = pov_sphere_world_default();
        add_sphere(&world, sphere_of(0.3, -0.4, 0.2, RED));
        pov_ball_kind kind = resting(RED, 0.2, 1);
        if (true_ones) {
            kind.radius_std_m = 1e-6;
            kind.edge_std_share = 0.02;
        }
        pov_ball_detector_config config = {.kind_len = 1, .kinds = {kind}};
        detect(&world, &config, &CAMERA, false);
        std_m[true_ones] = std_along(&balls.balls[0]);
        assert_near(pov_vec3_norm(balls.balls[0].pos_camera_m), apart(EYE, world.spheres[0].center_m),
                    3 * std_m[true_ones]);
    }
    assert_true(std_m[1] < 0.5 * std_m[0]);
}

static void a_ball_half_hidden_by_another_is_placed(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    add_sphere(&world, sphere_of(-1.0, 0.1, 0.2, RED));
    add_sphere(&world, sphere_of(0, 0, 0.2, BLUE));
    pov_ball_detector_config config = {.kind_len = 2, .kinds = {resting(RED, 0.2, 1), resting(BLUE, 0.2, 1)}};
    detect(&world, &config, &CAMERA, true);
    assert_int_equal(balls.len, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(balls.balls[i].kind, i);
        assert_true(apart_px(&CAMERA, &balls.balls[i], world.spheres[i].center_m) < 0.6);
    }
    assert_true(balls.balls[0].fraction_visible < balls.balls[1].fraction_visible);
}

static void a_ball_half_hidden_by_something_unknown_is_placed(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    add_sphere(&world, sphere_of(0, 0, 0.2, RED));
    pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.2, 1)}};
    pov_image image = draw(&world, &CAMERA);
    pov_vec2 center;
    pov_vec3 center_camera_m =
        pov_transform_apply(pov_transform_inverse(looking()), world.spheres[0].center_m);
    assert_int_equal(pov_camera_project(&CAMERA, &center, NULL, center_camera_m), POV_OK);
    for (int y = (int)center.y; y < HEIGHT; y++)
        memset(pixels + (size_t)y * 3 * WIDTH, 30, 3 * WIDTH); /* a dark wall before its lower half */
    pov_ball_detector *detector;
    pov_pose T = pov_pose_exact(looking());
    assert_int_equal(pov_ball_detector_new(&detector, &config, &CAMERA).code, POV_OK);
    assert_int_equal(pov_ball_detector_run(detector, &balls, &image, &T, NULL).code, POV_OK);
    pov_ball_detector_destroy(&detector);
    assert_int_equal(balls.len, 1);
    assert_true(apart_px(&CAMERA, &balls.balls[0], world.spheres[0].center_m) < 0.6);
    assert_true(balls.balls[0].fraction_visible < 0.6);
}

static void paint(int left, int top, int width, int height, pov_colour colour)
{
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++)
            memcpy(pixels + 3 * ((size_t)y * WIDTH + x), &colour, 3);
}

static const pov_ball_detector_config TINY = {.kind_len = 1,
                                              .kinds = {{.colour = {200, 35, 30},
                                                         .radius_m = 0.05,
                                                         .max_count = 1,
                                                         .has_height = true,
                                                         .height_m = 0.05,
                                                         .height_std_m = 0.005}}};

/* Of a ball of 4 or 5 pixels radius a wall leaves the upper third, or the left. */
static void a_tiny_ball_of_which_a_third_shows_is_placed(void **state)
{
    (void)state;
    static const pov_colour walls[] = {{30, 30, 34}, {40, 70, 130}, {30, 110, 60}};
    pov_pose T = pov_pose_exact(looking());
    pov_ball_detector *detector;
    assert_int_equal(pov_ball_detector_new(&detector, &TINY, &CAMERA).code, POV_OK);
    int seen = 0, near = 0;
    for (int i = 0; i < 24; i++) {
        pov_sphere_world world = pov_sphere_world_default();
        world.noise_std = 1;
        world.seed = (uint64_t)i;
        add_sphere(&world, sphere_of(0.1 * (i % 7) - 0.3, 0.13 * (i % 5) - 0.26, 0.05, RED));
        pov_image image = draw(&world, &CAMERA);
        pov_vec2 center;
        assert_int_equal(pov_camera_project(&CAMERA, &center, NULL,
                                            pov_transform_apply(pov_transform_inverse(looking()),
                                                                world.spheres[0].center_m)),
                         POV_OK);
        int x = (int)lrint(center.x), y = (int)lrint(center.y);
        if (i % 2)
            paint(x - 12, y - 1, 24, 12, walls[i % 3]);
        else
            paint(x - 1, y - 12, 16, 24, walls[i % 3]);
        assert_int_equal(pov_ball_detector_run(detector, &balls, &image, &T, NULL).code, POV_OK);
        seen += balls.len;
        near += balls.len == 1 && apart_px(&CAMERA, &balls.balls[0], world.spheres[0].center_m) < 1.5;
    }
    pov_ball_detector_destroy(&detector);
    print_message("seen %d of 24, within 1.5 px %d\n", seen, near);
    assert_int_equal(seen, near);
    assert_true(seen >= 18);
}

static void a_ball_cut_by_the_border_is_placed(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    add_sphere(&world, sphere_of(0.6, 1.4, 0.2, RED)); /* its centre is almost on the right border */
    pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.2, 1)}};
    detect(&world, &config, &CAMERA, true);
    assert_int_equal(balls.len, 1);
    pov_vec2 center;
    assert_int_equal(pov_camera_project(&CAMERA, &center, NULL, balls.balls[0].pos_camera_m), POV_OK);
    assert_true(center.x > WIDTH - 15);
    assert_true(apart(in_table(&balls.balls[0]), world.spheres[0].center_m) < 0.04);
}

static void what_is_under_a_mask_is_unknown(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    add_sphere(&world, sphere_of(0, 0, 0.2, RED));
    pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.2, 1)}};
    pov_vec2 center;
    pov_vec3 center_camera_m =
        pov_transform_apply(pov_transform_inverse(looking()), world.spheres[0].center_m);
    assert_int_equal(pov_camera_project(&CAMERA, &center, NULL, center_camera_m), POV_OK);
    config.mask_len = 1; /* over the ball's left third */
    config.masks[0] = (pov_rectangle){(int)center.x - 60, (int)center.y - 60, 54, 120};
    detect(&world, &config, &CAMERA, true);
    assert_int_equal(balls.len, 1);
    assert_true(apart_px(&CAMERA, &balls.balls[0], world.spheres[0].center_m) < 0.5);
    config.masks[0] = (pov_rectangle){(int)center.x - 60, (int)center.y - 60, 120, 120}; /* over all of it */
    detect(&world, &config, &CAMERA, true);
    assert_int_equal(balls.len, 0);
}

/* --- what is not a ball --- */

static void nothing_is_found_in_an_empty_scene(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    pov_ball_detector_config config = {.kind_len = 2, .kinds = {resting(RED, 0.2, 8), resting(BLUE, 0.2, 8)}};
    detect(&world, &config, &CAMERA, true);
    assert_int_equal(balls.len, 0);
    detect(&world, &config, &CAMERA, false);
    assert_int_equal(balls.len, 0);
}

static void balls_of_other_colours_are_left_alone(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    add_sphere(&world, sphere_of(0, 0.5, 0.2, GREEN));
    add_sphere(&world, sphere_of(0, -0.5, 0.2, (pov_colour){225, 195, 20}));
    add_sphere(&world, sphere_of(-0.6, 0, 0.2, (pov_colour){120, 50, 160}));
    pov_ball_detector_config config = {.kind_len = 2, .kinds = {resting(RED, 0.2, 8), resting(BLUE, 0.2, 8)}};
    detect(&world, &config, &CAMERA, true);
    assert_int_equal(balls.len, 0);
}

/* Its corners, its edges, and what a wall leaves of it. */
static void a_box_of_the_same_colour_is_no_tiny_ball(void **state)
{
    (void)state;
    pov_pose T = pov_pose_exact(looking());
    pov_ball_detector *detector;
    assert_int_equal(pov_ball_detector_new(&detector, &TINY, &CAMERA).code, POV_OK);
    int claims = 0;
    for (int i = 0; i < 48; i++) {
        pov_sphere_world world = pov_sphere_world_default();
        world.seed = (uint64_t)i;
        world.noise_std = 1;
        pov_image image = draw(&world, &CAMERA);
        paint(100 + i, 100 + i % 5, 14 + 2 * (i % 9), 12 + i % 13, (pov_colour){150, 30, 26});
        if (i % 3 == 0)
            paint(90 + i, 104 + i % 7, 60, 30, (pov_colour){30, 30, 34});
        assert_int_equal(pov_ball_detector_run(detector, &balls, &image, &T, NULL).code, POV_OK);
        claims += balls.len;
    }
    pov_ball_detector_destroy(&detector);
    print_message("claims %d of 48\n", claims);
    assert_int_equal(claims, 0);
}

static void a_ball_of_twice_the_size_is_refused_where_the_pose_is_known(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    add_sphere(&world, sphere_of(0, 0, 0.4, RED));
    pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.2, 8)}};
    detect(&world, &config, &CAMERA, true);
    assert_int_equal(balls.len, 0);
}

static void each_of_several_is_found_once_and_no_more_than_asked_for(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    static const double places[4][2] = {{0, 0}, {0.1, 0.9}, {-0.9, -0.7}, {-0.8, 0.6}};
    for (int i = 0; i < 4; i++)
        add_sphere(&world, sphere_of(places[i][0], places[i][1], 0.15, RED));
    pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.15, 8)}};
    for (int posed = 0; posed < 2; posed++) {
        detect(&world, &config, &CAMERA, posed);
        assert_int_equal(balls.len, 4);
        for (int i = 0; i < 4; i++) {
            int matches = 0;
            for (int j = 0; j < 4; j++)
                matches += apart_px(&CAMERA, &balls.balls[j], world.spheres[i].center_m) < 1;
            assert_int_equal(matches, 1);
        }
    }
    config.kinds[0].max_count = 2;
    detect(&world, &config, &CAMERA, true);
    assert_int_equal(balls.len, 2);
}

/* --- the covariance --- */

/* Squared distance from the truth in units of the covariance, over the table plane: chi-squared with 2 degrees of
 * freedom, mean 2, if the covariance tells the truth. */
static double squared_error(const pov_ball *ball, pov_vec3 truth_m)
{
    double cov[3][3];
    pov_pose T = pov_pose_exact(looking());
    pov_vec3 error = pov_vec3_sub(
        pov_pose_apply(&T, cov, ball->pos_camera_m, (const double(*)[3])ball->cov_camera_m2), truth_m);
    double determinant = cov[0][0] * cov[1][1] - cov[0][1] * cov[1][0];
    return (cov[1][1] * error.x * error.x - 2 * cov[0][1] * error.x * error.y +
            cov[0][0] * error.y * error.y) /
           determinant;
}

static void the_covariance_covers_the_error_in_random_scenes(void **state)
{
    (void)state;
    enum { SCENES = 30 };
    test_random random = {7};
    int seen = 0, within = 0;
    double sum = 0;
    for (int i = 0; i < SCENES; i++) {
        pov_sphere_world world = pov_sphere_world_default();
        world.seed = (uint64_t)i;
        world.samples_per_side = 3;
        world.noise_std = 2;
        world.light_m =
            (pov_vec3){test_random_between(&random, -3, 3), test_random_between(&random, -3, 3), 5};
        add_sphere(&world, sphere_of(test_random_between(&random, -1.2, 0.8),
                                     test_random_between(&random, -0.9, -0.25), 0.18, RED));
        add_sphere(&world, sphere_of(test_random_between(&random, -1.2, 0.8),
                                     test_random_between(&random, 0.25, 0.9), 0.18, BLUE));
        pov_ball_detector_config config = {.kind_len = 2,
                                           .kinds = {resting(RED, 0.18, 1), resting(BLUE, 0.18, 1)}};
        detect(&world, &config, &CAMERA, true);
        for (int j = 0; j < balls.len; j++) {
            double squared = squared_error(&balls.balls[j], world.spheres[balls.balls[j].kind].center_m);
            seen++;
            within += squared < 5.99; /* 95 % of chi-squared with 2 degrees of freedom */
            sum += squared;
        }
    }
    double ratio = sqrt(sum / (2 * seen)); /* error by standard deviation */
    print_message("balls %d of %d, inside the 95 %% ellipse %d, error by std %.2f\n", seen, 2 * SCENES,
                  within, ratio);
    assert_int_equal(seen, 2 * SCENES);
    assert_true(within >= 0.9 * seen);
    /* The renderer's lens and balls are perfect; the allowance for those that are not must not drown everything. */
    assert_true(ratio > 0.08 && ratio < 1.1);
}

/* The camera's pose is moved, the image is not: where does the ball go? */
static void the_derivative_by_the_camera_pose_is_that_of_finite_differences(void **state)
{
    (void)state;
    pov_sphere_world world = pov_sphere_world_default();
    add_sphere(&world, sphere_of(-0.2, 0.3, 0.2, RED));
    pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.2, 1)}};
    pov_image image = draw(&world, &CAMERA);
    pov_ball_detector *detector;
    assert_int_equal(pov_ball_detector_new(&detector, &config, &CAMERA).code, POV_OK);
    pov_pose T = pov_pose_exact(looking());
    assert_int_equal(pov_ball_detector_run(detector, &balls, &image, &T, NULL).code, POV_OK);
    assert_int_equal(balls.len, 1);
    pov_ball ball = balls.balls[0];
    for (int j = 0; j < 6; j++) {
        pov_vec3 moved[2];
        double step = 2e-3;
        for (int side = 0; side < 2; side++) {
            double difference[6] = {0};
            difference[j] = side ? -step : step;
            pov_pose pose = pov_pose_exact(pov_transform_plus(looking(), difference));
            assert_int_equal(pov_ball_detector_run(detector, &balls, &image, &pose, NULL).code, POV_OK);
            assert_int_equal(balls.len, 1);
            moved[side] = pov_transform_apply(pose.T, balls.balls[0].pos_camera_m);
        }
        pov_vec3 slope = pov_vec3_scale(pov_vec3_sub(moved[0], moved[1]), 0.5 / step);
        /* The edges taken in change a little with the start: some percent of the largest entry, 3 m/rad. */
        assert_near(ball.per_camera_pose[0][j], slope.x, 0.3);
        assert_near(ball.per_camera_pose[1][j], slope.y, 0.3);
        assert_near(ball.per_camera_pose[2][j], slope.z, 0.3);
    }
    pov_ball_detector_destroy(&detector);
}

/* --- what can go wrong --- */

static void an_image_of_another_size_is_skipped(void **state)
{
    (void)state;
    pov_ball_detector_config config = {.kind_len = 1, .kinds = {resting(RED, 0.2, 1)}};
    pov_ball_detector *detector;
    pov_image image = {
        .pixels = pixels, .width_px = 100, .height_px = 100, .stride_bytes = 300, .name = "small.png"};
    assert_int_equal(pov_ball_detector_new(&detector, &config, &CAMERA).code, POV_OK);
    balls.len = 5;
    pov_status status = pov_ball_detector_run(detector, &balls, &image, NULL, NULL);
    assert_int_equal(status.code, POV_SKIPPED);
    assert_non_null(strstr(status.message, "small.png"));
    assert_int_equal(balls.len, 0);
    pov_ball_detector_destroy(&detector);
}

/* --- video: images at 30 a second --- */

static const int64_t PERIOD_NS = 33333333;

/* A detector of videos, its images drawn from a world that the caller moves. */
typedef struct {
    pov_ball_detector *detector;
    pov_memory *memory;
    pov_sphere_world world;
    int64_t now_ns;
} video;

static video video_of(const pov_ball_detector_config *config)
{
    video v = {.world = pov_sphere_world_default()};
    assert_int_equal(pov_ball_detector_new(&v.detector, config, &CAMERA).code, POV_OK);
    assert_int_equal(pov_memory_new(&v.memory, &pov_ball_memory).code, POV_OK);
    return v;
}

/* Out: balls of the next image. */
static void show_next(video *v)
{
    pov_image image = draw(&v->world, &CAMERA);
    pov_pose T = pov_pose_exact(looking());
    image.mid_exposure_ns = v->now_ns += PERIOD_NS;
    assert_int_equal(pov_ball_detector_run(v->detector, &balls, &image, &T, v->memory).code, POV_OK);
    pov_ball_detector_remember(v->detector, &image, &T, v->memory);
}

static void end_video(video *v)
{
    pov_ball_detector_destroy(&v->detector);
    pov_memory_destroy(&v->memory);
}

static void a_ball_that_moves_is_placed_in_a_video_as_in_a_still(void **state)
{
    (void)state;
    pov_ball_detector_config config = {.kind_len = 2, .kinds = {resting(RED, 0.2, 1), resting(BLUE, 0.2, 1)}};
    video v = video_of(&config);
    add_sphere(&v.world, sphere_of(-0.6, -0.8, 0.2, RED));
    add_sphere(&v.world, sphere_of(0.3, 0.4, 0.2, BLUE));
    for (int i = 0; i < 20; i++) {
        v.world.seed++;
        v.world.spheres[0].center_m.y += 0.06; /* 1.8 m/s: 5 px an image */
        v.world.spheres[0].center_m.x += 0.02 * sin(0.7 * i);
        show_next(&v);
        const pov_balls in_video = balls;
        detect(&v.world, &config, &CAMERA, true);
        assert_int_equal(in_video.len, balls.len);
        for (int k = 0; k < balls.len; k++)
            assert_true(apart_px(&CAMERA, &in_video.balls[k], in_table(&balls.balls[k])) < 0.05);
    }
    end_video(&v);
}

static void balls_that_meet_and_part_are_followed_apart(void **state)
{
    (void)state;
    video v = video_of(&(pov_ball_detector_config){.kind_len = 1, .kinds = {resting(RED, 0.2, 2)}});
    add_sphere(&v.world, sphere_of(0.5, -1, 0.2, RED));
    add_sphere(&v.world, sphere_of(-0.6, 1, 0.2, RED));
    for (int i = 0; i < 40; i++) {
        v.world.spheres[0].center_m.y += 0.05;
        v.world.spheres[1].center_m.y -= 0.05;
        show_next(&v);
        for (int k = 0; k < balls.len; k++) {
            const pov_vec3 at = in_table(&balls.balls[k]);
            assert_true(fmin(apart(at, v.world.spheres[0].center_m), apart(at, v.world.spheres[1].center_m)) <
                        0.05);
        }
        if (i < 10 || i > 30)
            assert_int_equal(balls.len, 2);
    }
    end_video(&v);
}

static void a_ball_that_comes_back_elsewhere_is_found_in_half_a_second(void **state)
{
    (void)state;
    video v = video_of(
        &(pov_ball_detector_config){.kind_len = 2, .kinds = {resting(RED, 0.2, 1), resting(BLUE, 0.2, 1)}});
    add_sphere(&v.world, sphere_of(0.3, 0.4, 0.2, BLUE));
    show_next(&v);
    for (int leap = 0; leap < 6; leap++) {
        int wait = 0;
        v.world.sphere_len = 1;
        for (int i = 0; i < 3; i++) {
            show_next(&v);
            assert_int_equal(balls.len, 1);
        }
        add_sphere(&v.world, sphere_of(-0.8 + 0.3 * leap, leap % 2 ? -0.9 : 0.95, 0.2, RED));
        for (balls.len = 0; balls.len < 2; wait++) {
            assert_true(wait < 17);
            show_next(&v);
        }
        assert_int_equal(balls.balls[0].kind, 0);
        assert_true(apart_px(&CAMERA, &balls.balls[0], v.world.spheres[1].center_m) < 0.5);
    }
    end_video(&v);
}

static void the_ball_leaves_what_only_looks_like_it_when_it_comes(void **state)
{
    (void)state;
    video v = video_of(&(pov_ball_detector_config){.kind_len = 1, .kinds = {resting(RED, 0.2, 1)}});
    add_sphere(&v.world, sphere_of(-0.5, -0.6, 0.2, (pov_colour){150, 60, 40}));
    for (int i = 0; i < 3; i++)
        show_next(&v);
    add_sphere(&v.world, sphere_of(0.3, 0.6, 0.2, RED));
    for (int i = 0; i < 65; i++)
        show_next(&v);
    assert_int_equal(balls.len, 1);
    assert_true(apart(in_table(&balls.balls[0]), v.world.spheres[1].center_m) < 0.05);
    end_video(&v);
}

static void a_configuration_that_cannot_work_is_refused(void **state)
{
    (void)state;
    pov_ball_kind bad[] = {resting((pov_colour){235, 235, 235}, 0.2, 1), resting(RED, 0, 1),
                           resting(RED, NAN, 1), resting(RED, 0.2, 0), resting(RED, 0.2, 1)};
    bad[4].height_m = INFINITY;
    static const char *const named[] = {"hue", "radius_m", "radius_m", "max_count", "height_m"};
    for (int i = 0; i < 5; i++) {
        pov_ball_detector_config config = {.kind_len = 1, .kinds = {bad[i]}};
        pov_ball_detector *detector;
        pov_status status = pov_ball_detector_new(&detector, &config, &CAMERA);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, named[i]));
        assert_null(detector);
    }
}

static void colours_go_by_name_or_by_hex_digits(void **state)
{
    (void)state;
    pov_colour colour;
    assert_true(pov_colour_from_name(&colour, "#0a80FF"));
    assert_true(colour.red == 10 && colour.green == 128 && colour.blue == 255);
    assert_true(pov_colour_from_name(&colour, "basketball"));
    assert_true(colour.red > colour.green && colour.green > colour.blue);
    static const char *const unknown[] = {"", "#", "#12345", "#1234567", "#12345g", "# 12345", "reddish"};
    for (int i = 0; i < 7; i++)
        assert_false(pov_colour_from_name(&colour, unknown[i]));
    char names[256];
    snprintf(names, sizeof names, "%s", pov_colour_names());
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", "))
        assert_true(pov_colour_from_name(&colour, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_ball_is_found_to_a_fraction_of_a_pixel),
        cmocka_unit_test(without_the_pose_its_size_tells_how_far_it_is),
        cmocka_unit_test(as_well_as_its_size_is_known_is_its_distance),
        cmocka_unit_test(edges_that_are_true_place_it_better),
        cmocka_unit_test(a_ball_half_hidden_by_another_is_placed),
        cmocka_unit_test(a_ball_half_hidden_by_something_unknown_is_placed),
        cmocka_unit_test(a_tiny_ball_of_which_a_third_shows_is_placed),
        cmocka_unit_test(a_ball_cut_by_the_border_is_placed),
        cmocka_unit_test(what_is_under_a_mask_is_unknown),
        cmocka_unit_test(nothing_is_found_in_an_empty_scene),
        cmocka_unit_test(balls_of_other_colours_are_left_alone),
        cmocka_unit_test(a_box_of_the_same_colour_is_no_tiny_ball),
        cmocka_unit_test(a_ball_of_twice_the_size_is_refused_where_the_pose_is_known),
        cmocka_unit_test(each_of_several_is_found_once_and_no_more_than_asked_for),
        cmocka_unit_test(the_covariance_covers_the_error_in_random_scenes),
        cmocka_unit_test(the_derivative_by_the_camera_pose_is_that_of_finite_differences),
        cmocka_unit_test(an_image_of_another_size_is_skipped),
        cmocka_unit_test(a_ball_that_moves_is_placed_in_a_video_as_in_a_still),
        cmocka_unit_test(balls_that_meet_and_part_are_followed_apart),
        cmocka_unit_test(a_ball_that_comes_back_elsewhere_is_found_in_half_a_second),
        cmocka_unit_test(the_ball_leaves_what_only_looks_like_it_when_it_comes),
        cmocka_unit_test(a_configuration_that_cannot_work_is_refused),
        cmocka_unit_test(colours_go_by_name_or_by_hex_digits),
    };
    return cmocka_run_group_tests_name("ball_detector", tests, NULL, NULL);
}
