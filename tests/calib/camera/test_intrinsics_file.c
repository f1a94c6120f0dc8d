#include "calib/camera/intrinsics_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/folder.h"

#define SIZE                                                                                                 \
    "image_width: 1280\n"                                                                                    \
    "image_height: 720\n"
#define MATRIX                                                                                               \
    "camera_matrix:\n  rows: 3\n  cols: 3\n  data: [1100.5, 0, 640.25, 0, 1101.5, 359.75, 0, 0, 1]\n"
#define PLUMB_BOB                                                                                            \
    "distortion_model: plumb_bob\n"                                                                          \
    "distortion_coefficients:\n  rows: 1\n  cols: 5\n  data: [0.1, -0.2, 0.001, -0.002, 0.05]\n"

static pov_status parse(pov_camera *camera, const char *text)
{
    return pov_intrinsics_parse(camera, "cam.yaml", text, strlen(text));
}

static pov_camera parse_well(const char *text)
{
    pov_camera camera;
    pov_status status = parse(&camera, text);
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
    return camera;
}

static void assert_refused(const char *text, const char *message)
{
    pov_camera camera = {.width_px = 5, .fx_px = 5};
    pov_status status = parse(&camera, text);
    assert_string_equal(status.message, message);
    assert_int_equal(status.code, POV_ERROR);
    assert_int_equal(camera.width_px, 0);
    assert_true(isnan(camera.fx_px) && isnan(camera.fy_px) && isnan(camera.cx_px) && isnan(camera.cy_px));
    assert_true(isnan(camera.distortion[0]) && isnan(camera.distortion[POV_DISTORTION_MAX - 1]));
}

static void assert_distortion(const pov_camera *camera, const double expected[POV_DISTORTION_MAX])
{
    for (int i = 0; i < POV_DISTORTION_MAX; i++)
        assert_true(camera->distortion[i] == expected[i]);
}

static void assert_size_and_matrix(const pov_camera *camera)
{
    assert_int_equal(camera->width_px, 1280);
    assert_int_equal(camera->height_px, 720);
    assert_true(camera->fx_px == 1100.5 && camera->fy_px == 1101.5);
    assert_true(camera->cx_px == 640.25 && camera->cy_px == 359.75);
}

static void a_ros_calibration_is_read(void **state)
{
    (void)state;
    pov_camera camera = parse_well(
        SIZE "camera_name: narrow_stereo\n" MATRIX PLUMB_BOB
             "rectification_matrix:\n  rows: 3\n  cols: 3\n  data: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
             "projection_matrix:\n  rows: 3\n  cols: 4\n  data: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]\n");
    assert_size_and_matrix(&camera);
    assert_int_equal(camera.lens, POV_LENS_BROWN_CONRADY);
    assert_distortion(&camera, (double[POV_DISTORTION_MAX]){0.1, -0.2, 0.001, -0.002, 0.05});
}

/* As cv::FileStorage of OpenCV 4.6 writes it, and as its calibration sample names the keys. */
static void an_opencv_calibration_is_read(void **state)
{
    (void)state;
    pov_camera camera =
        parse_well("%YAML:1.0\n---\n"
                   "calibration_time: \"Mon 01 Jan 2024\"\n"
                   "nframes: 16\n" SIZE "flags: 0\n"
                   "camera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
                   "   data: [ 1.1005000000000000e+03, 0., 640.25, 0., 1101.5,\n"
                   "       359.75, 0., 0., 1. ]\n"
                   "distortion_coefficients: !!opencv-matrix\n   rows: 5\n   cols: 1\n   dt: d\n"
                   "   data: [ 0.1, -2.0000000000000001e-01, .001, -0.002, 0.05 ]\n"
                   "avg_reprojection_error: 0.25\n");
    assert_size_and_matrix(&camera);
    assert_int_equal(camera.lens, POV_LENS_BROWN_CONRADY);
    assert_distortion(&camera, (double[POV_DISTORTION_MAX]){0.1, -0.2, 0.001, -0.002, 0.05});
}

static void each_model_has_its_lens_and_coefficients(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        pov_lens lens;
        double distortion[POV_DISTORTION_MAX];
    } cases[] = {
        {"distortion_model: rational_polynomial\n"
         "distortion_coefficients: {rows: 1, cols: 8, data: [1, 2, 3, 4, 5, 6, 7, 8]}\n",
         POV_LENS_BROWN_CONRADY,
         {1, 2, 3, 4, 5, 6, 7, 8}},
        {"distortion_coefficients: {rows: 1, cols: 8, data: [1, 2, 3, 4, 5, 6, 7, 8]}\n",
         POV_LENS_BROWN_CONRADY,
         {1, 2, 3, 4, 5, 6, 7, 8}},
        {"distortion_model: rational_polynomial\n"
         "distortion_coefficients: {rows: 14, cols: 1, data: [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0]}\n",
         POV_LENS_BROWN_CONRADY,
         {1, 2, 3, 4, 5, 6, 7, 8}},
        {"distortion_model: plumb_bob\n"
         "distortion_coefficients: {rows: 1, cols: 4, data: [1, 2, 3, 4]}\n",
         POV_LENS_BROWN_CONRADY,
         {1, 2, 3, 4}},
        {"distortion_model: equidistant\n"
         "distortion_coefficients: {rows: 4, cols: 1, data: [1, 2, 3, 4]}\n",
         POV_LENS_EQUIDISTANT,
         {1, 2, 3, 4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[800];
        snprintf(text, sizeof text, SIZE MATRIX "%s", cases[i].text);
        pov_camera camera = parse_well(text);
        assert_size_and_matrix(&camera);
        assert_int_equal(camera.lens, cases[i].lens);
        assert_distortion(&camera, cases[i].distortion);
    }
}

static void missing_and_unknown_keys_are_named(void **state)
{
    (void)state;
    assert_refused("image_height: 720\n" MATRIX PLUMB_BOB,
                   "cam.yaml:1: the key \"image_width\" is missing; it gives the images' width in pixels");
    assert_refused(SIZE PLUMB_BOB,
                   "cam.yaml:1: the key \"camera_matrix\" is missing; it gives the focal lengths and "
                   "principal point");
    assert_refused(SIZE MATRIX,
                   "cam.yaml:1: the key \"distortion_coefficients\" is missing; it gives the lens's "
                   "distortion; zeros for none");
    assert_refused(SIZE MATRIX PLUMB_BOB "camera_nam: x\n",
                   "cam.yaml:12: unknown key \"camera_nam\"; did you mean \"camera_name\"?");
    assert_refused(SIZE "camera_matrx: {rows: 3}\n" PLUMB_BOB,
                   "cam.yaml:3: unknown key \"camera_matrx\"; did you mean \"camera_matrix\"?");
    assert_refused(
        SIZE MATRIX "distortion_coefficients: {rows: 1, cols: 4, data: [1, 2, 3, 4]}\n",
        "cam.yaml:1: the key \"distortion_model\" is missing; it gives plumb_bob, rational_polynomial or "
        "equidistant");
}

static void impossible_sizes_and_matrices_are_named(void **state)
{
    (void)state;
    assert_refused("image_width: 0\n",
                   "cam.yaml:1: image_width: expected a whole number between 1 and 16384, got 0");
    assert_refused(SIZE "camera_matrix: {rows: 3, cols: 3, data: [1, 0, 3, 0, 5, 6, 0, 0]}\n" PLUMB_BOB,
                   "cam.yaml:3: camera_matrix.data: has 8 numbers; 3 rows of 3 are 9");
    assert_refused(SIZE "camera_matrix: {rows: 2, cols: 2, data: [1, 0, 0, 1]}\n" PLUMB_BOB,
                   "cam.yaml:3: camera_matrix: has 4 numbers; expected 3 rows of 3");
    assert_refused(SIZE "camera_matrix: {rows: 3, cols: 3, data: [-1, 0, 3, 0, 5, 6, 0, 0, 1]}\n" PLUMB_BOB,
                   "cam.yaml:3: camera_matrix: focal lengths fx -1 and fy 5; both must be positive");
    assert_refused(SIZE "camera_matrix: {rows: 3, cols: 3, data: [4, .5, 3, 0, 5, 6, 0, 0, 1]}\n" PLUMB_BOB,
                   "cam.yaml:3: camera_matrix: expected [fx, 0, cx, 0, fy, cy, 0, 0, 1], without skew");
    assert_refused(
        SIZE "camera_matrix: {rows: 3, cols: 3, data: [4, 0, .nan, 0, 5, 6, 0, 0, 1]}\n" PLUMB_BOB,
        "cam.yaml:3: camera_matrix.data[2]: expected a finite number between -1000000000 and 1000000000, "
        "got .nan; write e.g. 0.6");
    assert_refused(SIZE "camera_matrix: [1, 2]\n" PLUMB_BOB,
                   "cam.yaml:3: camera_matrix: expected keys, as in \"rows: ...\"");
}

static void distortions_that_do_not_fit_their_model_are_named(void **state)
{
    (void)state;
    assert_refused(
        SIZE MATRIX "distortion_model: plumb_bop\n"
                    "distortion_coefficients: {rows: 1, cols: 4, data: [1, 2, 3, 4]}\n",
        "cam.yaml:7: distortion_model: expected one of plumb_bob, rational_polynomial, equidistant; got "
        "\"plumb_bop\", did you mean \"plumb_bob\"?");
    assert_refused(SIZE MATRIX "distortion_model: rational_polynomial\n"
                               "distortion_coefficients: {rows: 1, cols: 5, data: [1, 2, 3, 4, 5]}\n",
                   "cam.yaml:8: distortion_coefficients: has 5 coefficients; rational_polynomial needs 8");
    assert_refused(
        SIZE MATRIX "distortion_model: equidistant\n"
                    "distortion_coefficients: {rows: 1, cols: 5, data: [1, 2, 3, 4, 5]}\n",
        "cam.yaml:8: distortion_coefficients: coefficient 5 is 5; equidistant has only 4, the others must "
        "be 0");
    assert_refused(SIZE MATRIX "distortion_model: plumb_bob\n"
                               "distortion_coefficients: {rows: 2, cols: 14, data: [1]}\n",
                   "cam.yaml:8: distortion_coefficients.data: has 1 numbers; 2 rows of 14 are 28");
}

static void files_are_read_from_disk(void **state)
{
    (void)state;
    static const char text[] = SIZE MATRIX PLUMB_BOB;
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "cam.yaml", text, sizeof text - 1);
    const test_path none = test_path_in(&folder, "none.yaml");
    pov_camera camera;
    assert_int_equal(pov_intrinsics_read(&camera, path.path).code, POV_OK);
    assert_size_and_matrix(&camera);
    pov_status status = pov_intrinsics_read(&camera, none.path);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "/none.yaml: no such file; expected a YAML file"));
    assert_true(isnan(camera.fx_px));
    test_folder_remove(&folder);
}

/* Names from outside must not end the quotes; every bit of the numbers comes back, and so does the hash. */
static void what_is_written_is_read_back(void **state)
{
    (void)state;
    static const int lens_of[] = {5, 8, 4};
    const test_path folder = test_folder_new();
    const test_path path = test_path_in(&folder, "camera.yaml");
    const double covariance[12 * 12] = {0.1};
    for (int i = 0; i < 3; i++) {
        pov_camera camera = {.lens = lens_of[i] == 4 ? POV_LENS_EQUIDISTANT : POV_LENS_BROWN_CONRADY,
                             .width_px = 640,
                             .height_px = 480,
                             .fx_px = 1.0 / 3 + 500,
                             .fy_px = 500.1,
                             .cx_px = 320.7,
                             .cy_px = 239.9},
                   back;
        for (int k = 0; k < lens_of[i]; k++)
            camera.distortion[k] = 0.01 / (k + 3);
        pov_intrinsics_origin origin = {.camera_name = "a \"b\"\n: \\{c",
                                        .date = "2024-05-07T08:05:00Z",
                                        .board = "chessboard:9x6:25mm",
                                        .parameter_len = 4 + lens_of[i],
                                        .covariance = covariance,
                                        .covariance_stride = 12};
        assert_int_equal(pov_intrinsics_write(path.path, &camera, &origin).code, POV_OK);
        pov_status status = pov_intrinsics_read(&back, path.path);
        assert_string_equal(status.message, "");
        assert_true(pov_camera_hash(&back) == pov_camera_hash(&camera));
        assert_int_equal(back.lens, camera.lens);
    }
    const test_path nowhere = test_path_in(&folder, "none/camera.yaml");
    pov_camera camera = {.width_px = 1};
    pov_intrinsics_origin origin = {.camera_name = "", .date = "", .board = "", .covariance = covariance};
    assert_non_null(strstr(pov_intrinsics_write(nowhere.path, &camera, &origin).message, "none/camera.yaml"));
    test_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ros_calibration_is_read),
        cmocka_unit_test(an_opencv_calibration_is_read),
        cmocka_unit_test(each_model_has_its_lens_and_coefficients),
        cmocka_unit_test(missing_and_unknown_keys_are_named),
        cmocka_unit_test(impossible_sizes_and_matrices_are_named),
        cmocka_unit_test(distortions_that_do_not_fit_their_model_are_named),
        cmocka_unit_test(files_are_read_from_disk),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
