/* The detector on published renders and a photograph, from ../shared; their truth is in truth.json. */
#include "firmware/picture/image_file.h"
#include "perception/balls/ball_detector.h"
#include "perception/geometry/sphere_outline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/comfort_truth.h"

enum { IMAGES = 36 };

/* --- running over a set --- */

typedef struct {
    int found;                /* images with one ball of each kind */
    double error_deg[IMAGES]; /* of phi, sorted by size */
    int within_2_std;
} outcome;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Azimuth of kind 0 about kind 1, or about the origin; and its standard deviation from the positions' covariances. */
static bool azimuth_of(double *phi_rad, double *std_rad, const pov_balls *balls, const pov_pose *T,
                       int kind_len)
{
    pov_vec3 position[2] = {{NAN, NAN, NAN}, {0, 0, 0}};
    double cov[2][3][3] = {{{0}}}, x, y, variance = 0;
    if (balls->len != kind_len)
        return false;
    for (int i = 0; i < balls->len; i++) {
        const pov_ball *ball = &balls->balls[i];
        if (ball->kind != i)
            return false;
        position[i] = pov_pose_apply(T, cov[i], ball->pos_camera_m, (const double(*)[3])ball->cov_camera_m2);
    }
    x = position[0].x - position[1].x;
    y = position[0].y - position[1].y;
    const double by[2] = {-y / (x * x + y * y), x / (x * x + y * y)};
    for (int i = 0; i < 8; i++)
        variance += by[i / 2 % 2] * cov[i / 4][i / 2 % 2][i % 2] * by[i % 2];
    *phi_rad = atan2(y, x);
    *std_rad = sqrt(variance);
    return true;
}

static outcome run_over(const char *set, const pov_ball_detector_config *config)
{
    cJSON *truth = comfort_truth(set);
    pov_camera camera = comfort_camera(truth);
    pov_pose T = comfort_pose(truth);
    pov_ball_detector *detector;
    pov_image_file *file;
    assert_int_equal(pov_ball_detector_new(&detector, config, &camera).code, POV_OK);
    assert_int_equal(pov_image_file_new(&file).code, POV_OK);
    outcome result = {0};
    const cJSON *frame;
    cJSON_ArrayForEach(frame, json_member(truth, "frames"))
    {
        static pov_balls balls;
        pov_image image;
        char path[PATH_CAPACITY];
        double phi_rad, std_rad;
        snprintf(path, sizeof path, "%s/data/comfort/%s/%s", shared, set,
                 json_member(frame, "file")->valuestring);
        assert_int_equal(pov_image_file_read(file, &image, path).code, POV_OK);
        assert_int_equal(pov_ball_detector_run(detector, &balls, &image, &T, NULL).code, POV_OK);
        if (!azimuth_of(&phi_rad, &std_rad, &balls, &T, config->kind_len)) {
            print_message("%s: %d balls\n", path, balls.len);
            continue;
        }
        double error = fabs(pov_angle_wrap(phi_rad - json_number(frame, "phi_deg") * POV_PI / 180));
        result.within_2_std += error <= 2 * std_rad;
        result.error_deg[result.found++] = error * 180 / POV_PI;
    }
    qsort(result.error_deg, (size_t)result.found, sizeof result.error_deg[0], compare);
    print_message("%s: found %d, phi off by %.2f deg median, %.2f at worst, within 2 std %d\n", set,
                  result.found, result.error_deg[result.found / 2], result.error_deg[result.found - 1],
                  result.within_2_std);
    pov_image_file_destroy(&file);
    pov_ball_detector_destroy(&detector);
    cJSON_Delete(truth);
    return result;
}

static pov_ball_kind kind_of(const char *colour, double radius_m, double height_m, double height_std_m)
{
    pov_ball_kind kind = {.radius_m = radius_m,
                          .max_count = 1,
                          .has_height = true,
                          .height_m = height_m,
                          .height_std_m = height_std_m};
    assert_true(pov_colour_from_name(&kind.colour, colour));
    return kind;
}

static const pov_rectangle LABEL = {0, 0, 100, 45};

static void two_balls(const char *set, const char *referent, const char *relatum)
{
    pov_ball_detector_config config = {
        .kind_len = 2,
        .kinds = {kind_of(referent, 0.6, 0.6, 0.005), kind_of(relatum, 0.6, 0.6, 0.005)},
        .mask_len = 1,
        .masks = {LABEL},
    };
    outcome result = run_over(set, &config);
    assert_int_equal(result.found, IMAGES);
    assert_true(result.error_deg[IMAGES / 2] <= 0.7 && result.error_deg[IMAGES - 1] <= 2.0);
    assert_true(result.within_2_std >= 0.9 * IMAGES);
}

static void a_red_ball_is_placed_about_a_blue_one(void **state)
{
    (void)state;
    two_balls("ball_default", "red", "blue");
}

static void a_yellow_ball_is_placed_about_a_green_one(void **state)
{
    (void)state;
    two_balls("ball_color", "yellow", "green");
}

static void basketball(const char *set)
{
    pov_ball_detector_config config = {
        .kind_len = 1, .kinds = {kind_of("basketball", 0.22, 0.3, 0.02)}, .mask_len = 1, .masks = {LABEL}};
    outcome result = run_over(set, &config);
    assert_int_equal(result.found, IMAGES);
    assert_true(result.error_deg[IMAGES / 2] <= 2.5);
    assert_true(result.within_2_std >= 0.9 * IMAGES);
}

static void a_tiny_basketball_is_placed_about_a_car(void **state)
{
    (void)state;
    basketball("car_default");
}

static void a_tiny_basketball_is_placed_about_an_orange_duck(void **state)
{
    (void)state;
    basketball("car_duck");
}

/* The median of all images of a set has no basketball in it: a woman, a car, a duck, brown hair and skin. */
static void nothing_is_found_where_the_basketball_was_taken_out(const char *set)
{
    enum { BYTES = 284 * 284 * 3 };
    static uint8_t stack[IMAGES][BYTES], median[BYTES];
    static pov_balls balls;
    pov_image_file *file;
    assert_int_equal(pov_image_file_new(&file).code, POV_OK);
    for (int i = 0; i < IMAGES; i++) {
        pov_image image;
        char path[PATH_CAPACITY];
        snprintf(path, sizeof path, "%s/data/comfort/%s/%02d.png", shared, set, i);
        assert_int_equal(pov_image_file_read(file, &image, path).code, POV_OK);
        for (int y = 0; y < 284; y++)
            memcpy(stack[i] + y * 284 * 3, image.pixels + (size_t)y * image.stride_bytes, 284 * 3);
    }
    for (int b = 0; b < BYTES; b++) {
        int histogram[256] = {0}, below = 0, value = 0;
        for (int i = 0; i < IMAGES; i++)
            histogram[stack[i][b]]++;
        while ((below += histogram[value]) <= IMAGES / 2)
            value++;
        median[b] = (uint8_t)value;
    }
    pov_image image = {.pixels = median, .width_px = 284, .height_px = 284, .stride_bytes = 284 * 3};
    cJSON *truth = comfort_truth(set);
    pov_camera camera = comfort_camera(truth);
    pov_pose T = comfort_pose(truth);
    pov_ball_detector_config config = {
        .kind_len = 1, .kinds = {kind_of("basketball", 0.22, 0.3, 0.02)}, .mask_len = 1, .masks = {LABEL}};
    pov_ball_detector *detector;
    assert_int_equal(pov_ball_detector_new(&detector, &config, &camera).code, POV_OK);
    assert_int_equal(pov_ball_detector_run(detector, &balls, &image, &T, NULL).code, POV_OK);
    for (int i = 0; i < balls.len; i++)
        print_message("%s: ball with confidence %.2f, arc %.2f\n", set, balls.balls[i].confidence,
                      balls.balls[i].fraction_visible);
    assert_int_equal(balls.len, 0);
    pov_ball_detector_destroy(&detector);
    pov_image_file_destroy(&file);
    cJSON_Delete(truth);
}

static void a_woman_and_a_car_are_no_basketball(void **state)
{
    (void)state;
    nothing_is_found_where_the_basketball_was_taken_out("car_default");
}

static void a_woman_and_a_duck_are_no_basketball(void **state)
{
    (void)state;
    nothing_is_found_where_the_basketball_was_taken_out("car_duck");
}

/* Centres and radii read off the photograph, in pixels. */
static const struct {
    int kind;
    double x_px, y_px, radius_px;
} PHOTOGRAPHED[] = {{0, 480, 295, 31}, {0, 115, 112, 17}, {0, 303, 60, 10},
                    {1, 184, 232, 28}, {1, 229, 86, 14},  {1, 411, 52, 9.5}};

static void six_balls_of_a_photograph_are_outlined_once_and_nothing_else(void **state)
{
    (void)state;
    static pov_balls balls;
    char path[PATH_CAPACITY];
    pov_image_file *file;
    pov_image image;
    snprintf(path, sizeof path, "%s/data/photos/red_and_blue_balls.png", shared);
    assert_int_equal(pov_image_file_new(&file).code, POV_OK);
    assert_int_equal(pov_image_file_read(file, &image, path).code, POV_OK);
    double focal_px = 0.5 * image.width_px / tan(30 * POV_PI / 180);
    pov_camera camera = {.width_px = image.width_px,
                         .height_px = image.height_px,
                         .fx_px = focal_px,
                         .fy_px = focal_px,
                         .cx_px = 0.5 * (image.width_px - 1),
                         .cy_px = 0.5 * (image.height_px - 1)};
    pov_ball_detector_config config = {
        .kind_len = 2, .kinds = {{.radius_m = 0.12, .max_count = 8}, {.radius_m = 0.12, .max_count = 8}}};
    assert_true(pov_colour_from_name(&config.kinds[0].colour, "red"));
    assert_true(pov_colour_from_name(&config.kinds[1].colour, "blue"));
    pov_ball_detector *detector;
    assert_int_equal(pov_ball_detector_new(&detector, &config, &camera).code, POV_OK);
    assert_int_equal(pov_ball_detector_run(detector, &balls, &image, NULL, NULL).code, POV_OK);
    assert_int_equal(balls.len, 6);
    for (int i = 0; i < 6; i++) {
        int matches = 0;
        for (int j = 0; j < balls.len; j++) {
            pov_vec2 right, left;
            pov_vec3 center = balls.balls[j].pos_camera_m;
            assert_int_equal(pov_sphere_outline_point(&camera, &right, NULL, center, 0.12, 0), POV_OK);
            assert_int_equal(pov_sphere_outline_point(&camera, &left, NULL, center, 0.12, POV_PI), POV_OK);
            matches += balls.balls[j].kind == PHOTOGRAPHED[i].kind &&
                       hypot(0.5 * (left.x + right.x) - PHOTOGRAPHED[i].x_px,
                             0.5 * (left.y + right.y) - PHOTOGRAPHED[i].y_px) < 4 &&
                       fabs(0.5 * (right.x - left.x) - PHOTOGRAPHED[i].radius_px) < 2.5;
        }
        assert_int_equal(matches, 1);
    }
    pov_ball_detector_destroy(&detector);
    pov_image_file_destroy(&file);
}

int main(void)
{
    if (!test_find_shared()) {
        printf("skipped: ../shared not found\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_red_ball_is_placed_about_a_blue_one),
        cmocka_unit_test(a_yellow_ball_is_placed_about_a_green_one),
        cmocka_unit_test(a_tiny_basketball_is_placed_about_a_car),
        cmocka_unit_test(a_tiny_basketball_is_placed_about_an_orange_duck),
        cmocka_unit_test(a_woman_and_a_car_are_no_basketball),
        cmocka_unit_test(a_woman_and_a_duck_are_no_basketball),
        cmocka_unit_test(six_balls_of_a_photograph_are_outlined_once_and_nothing_else),
    };
    return cmocka_run_group_tests_name("ball_samples", tests, NULL, NULL);
}
