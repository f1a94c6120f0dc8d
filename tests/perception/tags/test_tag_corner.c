#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tags/tag_detector.h"
#include "perception/tags/tag_fit.h"
#include "perception/tags/tag_pose.h"
#include "sim/render/sensor.h"
#include "tests/support/random.h"
#include "tests/support/tag_canvas.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <stdio.h>

enum { SIDE = 176, RAYS = 5, TRIALS = 10, SIZES = 3, SENSORS = 3 };

static const pov_camera camera = {POV_LENS_BROWN_CONRADY, SIDE, SIDE, 700, 700, 87.3, 88.1, {0}};
static const char *const sensors[SENSORS] = {"clean", "noisy", "blurred"};
static const double sizes_px[SIZES] = {35, 60, 100};
static const double EDGE_M = 0.08;

/** Sums over tags of what is 2 for each corner and 6 for each pose, where errors are as large as was said. */
typedef struct {
    int found, posed;
    double corner_nees, pose_nees, squared_px2, said_px2;
} account;

static float light[SIDE * SIDE][3];
static uint8_t rgb[SIDE * SIDE * 3];

/** Light: the mean of rays cut with the print's plane. */
static void draw(test_sight *s)
{
    s->T_tag_camera = pov_transform_inverse(s->T_camera_tag);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double sum = 0;
            for (int k = 0; k < RAYS * RAYS; k++) {
                const double grey =
                    test_canvas_look(s, x - 0.5 + (k % RAYS + 0.5) / RAYS, y - 0.5 + (k / RAYS + 0.5) / RAYS);
                sum += grey < 0 ? 0.25 : grey > 128 ? 0.8 : 0.04;
            }
            for (int c = 0; c < 3; c++)
                light[y * SIDE + x][c] = (float)(sum / (RAYS * RAYS));
        }
}

static pov_image expose(const char *preset, uint64_t seed)
{
    pov_sensor_config config = {.seed = seed};
    pov_sensor *sensor;
    assert_int_equal(pov_sensor_preset(&config, preset).code, POV_OK);
    assert_int_equal(pov_sensor_new(&sensor, &config, SIDE, SIDE).code, POV_OK);
    assert_int_equal(pov_sensor_expose(sensor, rgb, (const float(*)[3])light, NULL, 1).code, POV_OK);
    pov_sensor_destroy(&sensor);
    return (pov_image){.pixels = rgb, .width_px = SIDE, .height_px = SIDE, .stride_bytes = 3 * SIDE};
}

static void count_in(account *sum, const pov_tag *tag, pov_transform T_camera_tag)
{
    const pov_pose truth = pov_pose_exact(T_camera_tag);
    const double variance_px2 = tag->corner_std_px * tag->corner_std_px;
    double squared_px2 = 0, nearest2 = INFINITY;
    pov_tag_poses poses;
    for (int i = 0; i < 4; i++) {
        pov_vec2 p;
        (void)pov_camera_project(&camera, &p, NULL,
                                 pov_transform_apply(T_camera_tag, pov_tag_corner(EDGE_M, i)));
        squared_px2 += pow(tag->corner_px[i].x - p.x, 2) + pow(tag->corner_px[i].y - p.y, 2);
    }
    sum->found++;
    sum->squared_px2 += squared_px2 / 8;
    sum->said_px2 += variance_px2;
    sum->corner_nees += squared_px2 / 4 / variance_px2;
    if (pov_tag_pose_estimate(&poses, &camera, tag, EDGE_M) != POV_OK)
        return;
    for (int k = 0; k < poses.len; k++) /* which of the two is not the question here */
        nearest2 = fmin(nearest2, pov_pose_distance2(&poses.T_camera_tag[k], &truth));
    sum->posed++;
    sum->pose_nees += nearest2;
}

static pov_transform somewhere(double size_px, test_random *random)
{
    const pov_vec3 turn = {test_random_between(random, -0.9, 0.9), test_random_between(random, -0.9, 0.9), 0};
    const double far_m = camera.fx_px * EDGE_M / size_px;
    const pov_rot facing = pov_rot_mul(pov_rot_exp(turn), pov_rot_exp((pov_vec3){POV_PI, 0, 0}));
    return (pov_transform){pov_rot_mul(facing, pov_rot_yaw(test_random_between(random, -3, 3))),
                           {test_random_between(random, -0.01, 0.01) * far_m,
                            test_random_between(random, -0.01, 0.01) * far_m, far_m}};
}

static void photograph(account sums[SENSORS], const apriltag_family_t *family, pov_tag_detector *detector,
                       double size_px, test_random *random)
{
    static pov_tags tags;
    const int id = (int)test_random_between(random, 0, family->ncodes);
    image_u8_t *print = apriltag_to_image((apriltag_family_t *)family, id);
    test_sight s = {.print = print,
                    .cells = 8,
                    .edge_m = EDGE_M,
                    .f_px = camera.fx_px,
                    .cx_px = camera.cx_px,
                    .cy_px = camera.cy_px,
                    .T_camera_tag = somewhere(size_px, random)};
    draw(&s);
    for (int k = 0; k < SENSORS; k++) {
        const pov_image image = expose(sensors[k], test_random_u64(random));
        assert_int_equal(pov_tag_detector_run(detector, &tags, &image).code, POV_OK);
        for (int i = 0; i < tags.len; i++)
            if (tags.tags[i].id == id)
                count_in(&sums[k], &tags.tags[i], s.T_camera_tag);
    }
    test_print_destroy(print);
}

/** Rendered by rays, through the simulator's sensors; a print too far away for its bits is left out. */
static void corners_and_poses_err_as_much_as_they_say(void **state)
{
    (void)state;
    pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    config.corner_std_px = 0.02; /* this print is flat, and the lens known */
    apriltag_family_t *family = tag36h11_create();
    pov_tag_detector *detector;
    test_random random = {5};
    assert_int_equal(pov_tag_detector_new(&detector, &config).code, POV_OK);
    for (int z = 0; z < SIZES; z++) {
        account sums[SENSORS] = {{0}};
        for (int trial = 0; trial < TRIALS; trial++)
            photograph(sums, family, detector, sizes_px[z], &random);
        for (int k = 0; k < SENSORS; k++) {
            const account *a = &sums[k];
            print_message(
                "%7s, %3.0f px: %2d tags, corners off %.3f px, said %.3f; NEES %.1f of 2, pose %.1f of 6\n",
                sensors[k], sizes_px[z], a->found, sqrt(a->squared_px2 / a->found),
                sqrt(a->said_px2 / a->found), a->corner_nees / a->found, a->pose_nees / a->posed);
            assert_true(a->found >= TRIALS - 2 && a->posed == a->found);
            assert_in_range((uintmax_t)(100 * a->corner_nees / a->found), k == 0 ? 15 : 50, 300);
            assert_in_range((uintmax_t)(100 * a->pose_nees / a->posed), k == 0 ? 50 : 150, 900);
        }
    }
    pov_tag_detector_destroy(&detector);
    tag36h11_destroy(family);
}

/** Grey values of a camera that does not encode as sRGB says. */
typedef double (*tone)(double l);

static double linear(double l)
{
    return 255 * l;
}

static double contrasty(double l)
{
    const double v = pow(l, 1 / 2.2);
    return 255 * v * v * (3 - 2 * v);
}

static double overexposed(double l)
{
    return test_grey_of_light(255 * fmin(2 * l, 1));
}

static double standard(double l)
{
    return test_grey_of_light(255 * l);
}

/** Light blurred by three pixels' neighbours, through a tone curve, then sharpened by `halo` of what the neighbours differ. */
static pov_image develop(tone curve, double halo)
{
    static double smooth[SIDE][SIDE], grey[SIDE][SIDE];
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++) {
            smooth[y][x] = 0;
            for (int k = 0; k < 9; k++)
                smooth[y][x] += light[(y + k / 3 - 1) * SIDE + x + k % 3 - 1][0] *
                                (k == 4  ? 4
                                 : k % 2 ? 2
                                         : 1) /
                                16;
            grey[y][x] = curve(smooth[y][x]);
        }
    for (int y = 2; y < SIDE - 2; y++)
        for (int x = 2; x < SIDE - 2; x++) {
            const double around = 0.25 * (grey[y - 1][x] + grey[y + 1][x] + grey[y][x - 1] + grey[y][x + 1]);
            const double value = grey[y][x] + halo * (grey[y][x] - around);
            memset(&rgb[3 * (y * SIDE + x)], (int)fmin(fmax(value + 0.5, 0), 255), 3);
        }
    return (pov_image){.pixels = rgb, .width_px = SIDE, .height_px = SIDE, .stride_bytes = 3 * SIDE};
}

static void edges_that_tone_curves_and_sharpening_move_leave_corners_where_they_are(void **state)
{
    (void)state;
    static const tone curves[] = {linear, contrasty, overexposed, standard};
    static pov_tags tags;
    pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    pov_tag_detector *detector;
    test_random random = {8};
    account sums[4] = {{0}};
    apriltag_family_t *family = tag36h11_create();
    config.corner_std_px = 0.02;
    assert_int_equal(pov_tag_detector_new(&detector, &config).code, POV_OK);
    for (int trial = 0; trial < 4 * TRIALS; trial++) {
        image_u8_t *print = apriltag_to_image(family, trial);
        test_sight s = {.print = print,
                        .cells = 8,
                        .edge_m = EDGE_M,
                        .f_px = camera.fx_px,
                        .cx_px = camera.cx_px,
                        .cy_px = camera.cy_px,
                        .T_camera_tag = somewhere(50, &random)};
        draw(&s);
        for (int k = 0; k < 4; k++) {
            const pov_image image = develop(curves[k], k == 3 ? 0.8 : 0);
            assert_int_equal(pov_tag_detector_run(detector, &tags, &image).code, POV_OK);
            for (int i = 0; i < tags.len; i++)
                count_in(&sums[k], &tags.tags[i], s.T_camera_tag);
        }
        test_print_destroy(print);
    }
    for (int k = 0; k < 4; k++) {
        const double rms_px = sqrt(2 * sums[k].squared_px2 / sums[k].found);
        print_message("tone %d: %d tags, corners off %.3f px; NEES %.1f of 2\n", k, sums[k].found, rms_px,
                      sums[k].corner_nees / sums[k].found);
        assert_true(sums[k].found >= 4 * TRIALS - 4);
        assert_true(rms_px < 0.1 && sums[k].corner_nees / sums[k].found < 5);
    }
    pov_tag_detector_destroy(&detector);
    tag36h11_destroy(family);
}

/* Every pixel the mean of three beside each other. */
static void move_while_the_shutter_is_open(void)
{
    static float still[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        still[i] = light[i][0];
    for (int i = 1; i < SIDE * SIDE - 1; i++)
        for (int c = 0; c < 3; c++)
            light[i][c] = (still[i - 1] + still[i] + still[i + 1]) / 3;
}

static void a_camera_that_moves_while_its_shutter_is_open_leaves_corners_where_they_are(void **state)
{
    (void)state;
    static pov_tags tags;
    pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    pov_tag_detector *detector;
    test_random random = {9};
    account sum = {0};
    apriltag_family_t *family = tag36h11_create();
    config.corner_std_px = 0.02;
    assert_int_equal(pov_tag_detector_new(&detector, &config).code, POV_OK);
    for (int trial = 0; trial < 3 * TRIALS; trial++) {
        image_u8_t *print = apriltag_to_image(family, trial);
        test_sight s = {.print = print,
                        .cells = 8,
                        .edge_m = EDGE_M,
                        .f_px = camera.fx_px,
                        .cx_px = camera.cx_px,
                        .cy_px = camera.cy_px,
                        .T_camera_tag = somewhere(60, &random)};
        draw(&s);
        move_while_the_shutter_is_open();
        const pov_image image = expose("noisy", test_random_u64(&random));
        assert_int_equal(pov_tag_detector_run(detector, &tags, &image).code, POV_OK);
        for (int i = 0; i < tags.len; i++)
            count_in(&sum, &tags.tags[i], s.T_camera_tag);
        test_print_destroy(print);
    }
    const double rms_px = sqrt(2 * sum.squared_px2 / sum.found);
    print_message("%d tags, corners off %.3f px; NEES %.1f of 2\n", sum.found, rms_px,
                  sum.corner_nees / sum.found);
    assert_true(sum.found >= 3 * TRIALS - 3 && rms_px < 0.08 && sum.corner_nees / sum.found < 4);
    pov_tag_detector_destroy(&detector);
    tag36h11_destroy(family);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_and_poses_err_as_much_as_they_say),
        cmocka_unit_test(edges_that_tone_curves_and_sharpening_move_leave_corners_where_they_are),
        cmocka_unit_test(a_camera_that_moves_while_its_shutter_is_open_leaves_corners_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
