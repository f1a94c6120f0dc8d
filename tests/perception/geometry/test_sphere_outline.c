#include "perception/geometry/sphere_outline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pov_camera PINHOLE = {POV_LENS_BROWN_CONRADY, 640, 480, 500, 510, 320.5, 241.25, {0}};
static const pov_camera DISTORTED = {
    POV_LENS_BROWN_CONRADY, 640, 480, 500, 510, 320.5, 241.25, {-0.25, 0.09, 0.001, -0.0015, -0.01}};
static const pov_camera FISHEYE = {POV_LENS_EQUIDISTANT,          800, 800, 280, 281, 399, 402,
                                   {0.02, -0.005, 0.001, -0.0002}};

static const struct {
    const pov_camera *camera;
    pov_vec3 center;
    double radius;
} CASES[] = {
    {&PINHOLE, {0, 0, 3}, 0.5},       {&PINHOLE, {1.2, -0.8, 2.5}, 0.4},   {&PINHOLE, {0.3, 0.2, 0.6}, 0.35},
    {&DISTORTED, {0, 0, 3}, 0.5},     {&DISTORTED, {0.9, -0.6, 2.5}, 0.4}, {&DISTORTED, {-1, 0.7, 3}, 0.12},
    {&FISHEYE, {0.5, 0.3, 2}, 0.4},   {&FISHEYE, {2, -1, 0.4}, 0.3},       {&FISHEYE, {-1.5, 0, -0.2}, 0.3},
    {&FISHEYE, {0.01, -2, 0.3}, 0.4},
};
#define CASES_LEN ((int)(sizeof CASES / sizeof CASES[0]))

/* The farthest that any point of the sphere's visible surface reaches in a direction of the image, by
 * projecting a fine grid of surface points. */
static double brute_reach(int index, pov_vec2 direction)
{
    double best = -HUGE_VAL;
    for (int i = 0; i <= 400; i++)
        for (int j = 0; j < 800; j++) {
            double polar = POV_PI * i / 400, azimuth = 2 * POV_PI * j / 800;
            pov_vec3 normal = {sin(polar) * cos(azimuth), sin(polar) * sin(azimuth), cos(polar)};
            pov_vec3 point = pov_vec3_add(CASES[index].center, pov_vec3_scale(normal, CASES[index].radius));
            pov_vec2 pixel;
            if (pov_vec3_dot(normal, point) <= 0 &&
                pov_camera_project(CASES[index].camera, &pixel, NULL, point) == POV_OK)
                best = fmax(best, pixel.x * direction.x + pixel.y * direction.y);
        }
    return best;
}

static double outline_reach(int index, pov_vec2 direction)
{
    double best = -HUGE_VAL;
    for (int i = 0; i < 3600; i++) {
        pov_vec2 pixel;
        assert_int_equal(pov_sphere_outline_point(CASES[index].camera, &pixel, NULL, CASES[index].center,
                                                  CASES[index].radius, 2 * POV_PI * i / 3600),
                         POV_OK);
        best = fmax(best, pixel.x * direction.x + pixel.y * direction.y);
    }
    return best;
}

static void the_outline_reaches_as_far_as_the_surface_does(void **state)
{
    (void)state;
    for (int c = 0; c < CASES_LEN; c++)
        for (int i = 0; i < 8; i++) {
            pov_vec2 direction = {cos(2 * POV_PI * i / 8), sin(2 * POV_PI * i / 8)};
            /* The grid misses the limb by at most half a cell: R (cell/2)^2 / 2 across, a few thousandths of
             * a pixel. */
            double outline = outline_reach(c, direction), surface = brute_reach(c, direction);
            assert_true(surface <= outline + 1e-3);
            assert_true(surface >= outline - 0.05);
        }
}

static void the_jacobian_is_that_of_finite_differences(void **state)
{
    (void)state;
    for (int c = 0; c < CASES_LEN; c++)
        for (int i = 0; i < 16; i++) {
            double J[2][3], angle = 2 * POV_PI * i / 16 + 0.1, h = 1e-6;
            pov_vec2 pixel;
            assert_int_equal(
                pov_sphere_outline_point(CASES[c].camera, &pixel, J, CASES[c].center, CASES[c].radius, angle),
                POV_OK);
            for (int axis = 0; axis < 3; axis++) {
                pov_vec3 step = {h * (axis == 0), h * (axis == 1), h * (axis == 2)};
                pov_vec2 plus, minus;
                assert_int_equal(pov_sphere_outline_point(CASES[c].camera, &plus, NULL,
                                                          pov_vec3_add(CASES[c].center, step),
                                                          CASES[c].radius, angle),
                                 POV_OK);
                assert_int_equal(pov_sphere_outline_point(CASES[c].camera, &minus, NULL,
                                                          pov_vec3_sub(CASES[c].center, step),
                                                          CASES[c].radius, angle),
                                 POV_OK);
                double tolerance = 1e-5 * (1 + fabs(J[0][axis]) + fabs(J[1][axis]));
                assert_true(fabs((plus.x - minus.x) / (2 * h) - J[0][axis]) < tolerance);
                assert_true(fabs((plus.y - minus.y) / (2 * h) - J[1][axis]) < tolerance);
            }
        }
}

static void angles_run_from_image_right_clockwise_as_seen(void **state)
{
    (void)state;
    pov_vec3 center = {0.1, -0.05, 2};
    pov_vec2 right, down, left, middle;
    assert_int_equal(pov_camera_project(&PINHOLE, &middle, NULL, center), POV_OK);
    assert_int_equal(pov_sphere_outline_point(&PINHOLE, &right, NULL, center, 0.2, 0), POV_OK);
    assert_int_equal(pov_sphere_outline_point(&PINHOLE, &down, NULL, center, 0.2, POV_PI / 2), POV_OK);
    assert_int_equal(pov_sphere_outline_point(&PINHOLE, &left, NULL, center, 0.2, POV_PI), POV_OK);
    assert_true(right.x > middle.x + 45 && fabs(right.y - middle.y) < 2);
    assert_true(down.y > middle.y + 45 && fabs(down.x - middle.x) < 2);
    assert_true(left.x < middle.x - 45 && fabs(left.y - middle.y) < 2);
}

static void points_at_even_angles_are_those_seen_one_by_one(void **state)
{
    enum { LEN = 37 };
    (void)state;
    for (int c = 0; c < CASES_LEN; c++) {
        pov_vec2 pixels[LEN];
        double jacobians[LEN][2][3];
        assert_int_equal(pov_sphere_outline_points(CASES[c].camera, pixels, jacobians, CASES[c].center,
                                                   CASES[c].radius, LEN),
                         POV_OK);
        for (int i = 0; i < LEN; i++) {
            pov_vec2 pixel;
            double J[2][3];
            assert_int_equal(pov_sphere_outline_point(CASES[c].camera, &pixel, J, CASES[c].center,
                                                      CASES[c].radius, 2 * POV_PI * i / LEN),
                             POV_OK);
            assert_true(hypot(pixels[i].x - pixel.x, pixels[i].y - pixel.y) < 1e-9);
            for (int k = 0; k < 6; k++)
                assert_true(fabs(jacobians[i][k / 3][k % 3] - J[k / 3][k % 3]) <
                            1e-9 * (1 + fabs(J[k / 3][k % 3])));
        }
    }
}

static void an_eye_inside_the_sphere_sees_no_outline(void **state)
{
    (void)state;
    double J[2][3];
    pov_vec2 pixel;
    assert_int_equal(pov_sphere_outline_point(&PINHOLE, &pixel, J, (pov_vec3){0, 0.1, 0.2}, 0.5, 1),
                     POV_UNDEFINED);
    assert_true(isnan(pixel.x) && isnan(pixel.y) && isnan(J[0][0]) && isnan(J[1][2]));
}

static void a_pinhole_has_no_outline_of_a_sphere_behind_it(void **state)
{
    (void)state;
    pov_vec2 pixel, pixels[3];
    double jacobians[3][2][3];
    assert_int_equal(pov_sphere_outline_points(&PINHOLE, pixels, jacobians, (pov_vec3){0, 0, -3}, 0.5, 3),
                     POV_UNDEFINED);
    assert_true(isnan(pixels[0].x) && isnan(pixels[2].y) && isnan(jacobians[2][1][2]));
    assert_int_equal(pov_sphere_outline_point(&PINHOLE, &pixel, NULL, (pov_vec3){0, 0, -3}, 0.5, 1),
                     POV_UNDEFINED);
    assert_true(isnan(pixel.x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_outline_reaches_as_far_as_the_surface_does),
        cmocka_unit_test(the_jacobian_is_that_of_finite_differences),
        cmocka_unit_test(angles_run_from_image_right_clockwise_as_seen),
        cmocka_unit_test(points_at_even_angles_are_those_seen_one_by_one),
        cmocka_unit_test(an_eye_inside_the_sphere_sees_no_outline),
        cmocka_unit_test(a_pinhole_has_no_outline_of_a_sphere_behind_it),
    };
    return cmocka_run_group_tests_name("sphere_outline", tests, NULL, NULL);
}
