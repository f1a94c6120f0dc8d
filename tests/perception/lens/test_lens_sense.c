#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/lens/lens_sense.h"

#include <math.h>
#include <string.h>

static const pov_camera usual = {
    .width_px = 1280, .height_px = 720, .fx_px = 900, .fy_px = 900, .cx_px = 640, .cy_px = 360};

static int oddities_of(const pov_camera *camera, bool is_cropped, const char *word)
{
    pov_lens_oddities oddities;
    pov_lens_find_oddities(&oddities, camera, is_cropped);
    if (word)
        assert_non_null(strstr(oddities.text[0], word));
    return oddities.len;
}

/* d(r + k r^3)/dr = 0 at r = 1 / sqrt(-3 k), at 2/3 r focal lengths; the corner is at 734 px. */
static void a_fold_is_refused_just_if_the_image_reaches_it(void **state)
{
    (void)state;
    for (int model = 0; model < 2; model++)
        for (double k = -2; k < -0.02; k *= 0.9) {
            pov_camera camera = usual;
            const double r = 1 / sqrt(-3 * k), fold_px = 2.0 / 3 * r * camera.fx_px;
            camera.lens = model ? POV_LENS_EQUIDISTANT : POV_LENS_BROWN_CONRADY;
            camera.distortion[0] = k;
            if (fabs(fold_px - hypot(640, 360)) < 3 || (model && r > POV_PI / 2))
                continue;
            assert_int_equal(pov_lens_check(&camera).code, fold_px < hypot(640, 360) ? POV_ERROR : POV_OK);
        }
}

static void lenses_of_real_cameras_are_neither_refused_nor_odd(void **state)
{
    (void)state;
    static const pov_camera cameras[] = {
        {POV_LENS_BROWN_CONRADY,
         752,
         480,
         458.654,
         457.296,
         367.215,
         248.375,
         {-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05}}, /* EuRoC */
        {POV_LENS_EQUIDISTANT,
         512,
         512,
         190.97847715,
         190.9733070,
         254.931706,
         256.8974428,
         {0.0034823894, 0.0007150348, -0.0020532361, 0.00020293673}}, /* TUM VI */
        {POV_LENS_BROWN_CONRADY,
         640,
         480,
         517.3,
         516.5,
         318.6,
         255.3,
         {0.2624, -0.9531, -0.0054, 0.0026, 1.1633}}, /* TUM freiburg1 */
    };
    for (size_t i = 0; i < sizeof cameras / sizeof *cameras; i++) {
        assert_string_equal(pov_lens_check(&cameras[i]).message, "");
        assert_int_equal(oddities_of(&cameras[i], false, NULL), 0);
    }
}

static void odd_centres_and_focal_lengths_are_told_not_refused(void **state)
{
    (void)state;
    pov_camera camera = usual;
    assert_int_equal(oddities_of(&camera, false, NULL), 0);
    camera.cx_px = 6400;
    assert_int_equal(pov_lens_check(&camera).code, POV_OK);
    assert_int_equal(oddities_of(&camera, false, "(6400, 360) lies outside the image of 1280 x 720"), 1);
    assert_int_equal(oddities_of(&camera, true, NULL), 0);
    for (int i = 0; i < 4; i++) {
        static const double widths[] = {0.29, 0.31, 4.9, 5.1};
        camera = usual;
        camera.fx_px = camera.fy_px = widths[i] * 1280;
        assert_int_equal(pov_lens_check(&camera).code, POV_OK);
        assert_int_equal(oddities_of(&camera, false, i % 3 == 0 ? "widths" : NULL), i % 3 == 0);
    }
    camera = usual; /* a typing error in f is not blamed on the distortion */
    camera.fx_px = 60000;
    camera.distortion[0] = -2;
    assert_int_equal(pov_lens_check(&camera).code, POV_OK);
    assert_int_equal(oddities_of(&camera, false, "widths"), 2);
}

/* Its corners are black: 104 degrees off the axis and more. */
static void a_fisheye_may_fold_in_its_black_corners(void **state)
{
    (void)state;
    pov_camera camera = {.lens = POV_LENS_EQUIDISTANT,
                         .width_px = 1000,
                         .height_px = 1000,
                         .fx_px = 350,
                         .fy_px = 350,
                         .cx_px = 500,
                         .cy_px = 500,
                         .distortion = {-0.1}};
    assert_int_equal(pov_lens_check(&camera).code, POV_OK);
    assert_int_equal(oddities_of(&camera, false, "105 deg off the axis"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fold_is_refused_just_if_the_image_reaches_it),
        cmocka_unit_test(lenses_of_real_cameras_are_neither_refused_nor_odd),
        cmocka_unit_test(odd_centres_and_focal_lengths_are_told_not_refused),
        cmocka_unit_test(a_fisheye_may_fold_in_its_black_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
