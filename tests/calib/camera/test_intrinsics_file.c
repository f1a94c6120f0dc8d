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
         "distortion_coefficients: {rows: 1, cols: 8, data: [.1, .2, .003, .004, .5, .6, .7, .8]}\n",
         POV_LENS_BROWN_CONRADY,
         {.1, .2, .003, .004, .5, .6, .7, .8}},
        {"distortion_coefficients: {rows: 1, cols: 8, data: [.1, .2, .003, .004, .5, .6, .7, .8]}\n",
         POV_LENS_BROWN_CONRADY,
         {.1, .2, .003, .004, .5, .6, .7, .8}},
        {"distortion_model: rational_polynomial\n"
         "distortion_coefficients: {rows: 14, cols: 1, data: [.1, .2, .003, .004, .5, .6, .7, .8, 0, 0, 0, "
         "0, 0, 0]}\n",
         POV_LENS_BROWN_CONRADY,
         {.1, .2, .003, .004, .5, .6, .7, .8}},
        {"distortion_model: plumb_bob\n"
         "distortion_coefficients: {rows: 1, cols: 4, data: [.1, .2, .003, .004]}\n",
         POV_LENS_BROWN_CONRADY,
         {.1, .2, .003, .004}},
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
                   "cam.yaml:3: camera_matrix: has 2 numbers; expected 3 rows of 3");
    assert_refused(SIZE "camera_matrix: 7\n" PLUMB_BOB,
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
    assert_non_null(strstr(status.message, "/none.yaml: no such file; expected a camera's calibration"));
    assert_true(isnan(camera.fx_px));
    test_folder_remove(&folder);
}

/* ---- files of other programs ---- */

static void assert_camera(const char *text, const pov_camera *expected)
{
    const pov_camera camera = parse_well(text);
    assert_int_equal(camera.lens, expected->lens);
    assert_int_equal(camera.width_px, expected->width_px);
    assert_int_equal(camera.height_px, expected->height_px);
    assert_true(camera.fx_px == expected->fx_px && camera.fy_px == expected->fy_px);
    assert_true(camera.cx_px == expected->cx_px && camera.cy_px == expected->cy_px);
    assert_distortion(&camera, expected->distortion);
}

static const pov_camera usual = {.width_px = 1280,
                                 .height_px = 720,
                                 .fx_px = 1100.5,
                                 .fy_px = 1101.5,
                                 .cx_px = 640.25,
                                 .cy_px = 359.75,
                                 .distortion = {0.1, -0.2, 0.001, -0.002, 0.05}};

static pov_camera usual_with(pov_lens lens, const double distortion[POV_DISTORTION_MAX])
{
    pov_camera camera = usual;
    camera.lens = lens;
    memcpy(camera.distortion, distortion, sizeof camera.distortion);
    return camera;
}

#define KALIBR(MODEL, DISTORTION, COEFFICIENTS)                                                              \
    "cam0:\n  cam_overlaps: []\n  camera_model: " MODEL "\n  distortion_coeffs: " COEFFICIENTS               \
    "\n  distortion_model: " DISTORTION "\n  intrinsics: [1100.5, 1101.5, 640.25, 359.75]\n"                 \
    "  resolution: [1280, 720]\n  rostopic: /cam0/image_raw\n"

static void a_camchain_of_kalibr_is_read(void **state)
{
    (void)state;
    const pov_camera radtan = usual_with(POV_LENS_BROWN_CONRADY, (double[8]){0.1, -0.2, 0.001, -0.002});
    const pov_camera fisheye = usual_with(POV_LENS_EQUIDISTANT, (double[8]){0.1, -0.02, 0.001, -0.002});
    assert_camera(KALIBR("pinhole", "radtan", "[0.1, -0.2, 0.001, -0.002]"), &radtan);
    assert_camera(KALIBR("pinhole", "equidistant", "[0.1, -0.02, 0.001, -0.002]"), &fisheye);
    assert_refused(
        KALIBR("omni", "radtan", "[0.1, -0.2, 0.001, -0.002]"),
        "cam.yaml:3: cam0.camera_model: Kalibr's model omni, which pov has no model for; calibrate with "
        "pinhole-radtan or pinhole-equi");
    assert_refused(KALIBR("pinhole", "fov", "[0.9]"),
                   "cam.yaml:5: cam0.distortion_model: Kalibr's distortion fov, which pov has no model for; "
                   "calibrate with pinhole-radtan or pinhole-equi");
    assert_refused(
        "cam0: {camera_model: pinhole}\ncam1: {camera_model: pinhole}\n",
        "cam.yaml:1: a camchain of Kalibr with 2 cameras; leave the one in it that this station has");
}

#define MRCAL(MODEL, MORE)                                                                                   \
    "# generated on 2024-05-07 with mrcal-calibrate-cameras --focal 1100 it's\n{\n"                          \
    "    'lensmodel':  '" MODEL "',\n\n    # intrinsics are fx,fy,cx,cy,distortion0,....\n"                  \
    "    'intrinsics': [ 1100.5, 1101.5, 640.25, 359.75," MORE "],\n\n    'valid_intrinsics_region': [\n"    \
    "    [ 1, 2 ],\n    [ 3, 4 ],\n],\n    'extrinsics': [ 0, 0, 0, 0, 0, 0,],\n\n"                          \
    "    'imagersize': [ 1280, 720,],\n\n    'icam_intrinsics': 0,\n\n"                                      \
    "    'optimization_inputs': b'P}!{:#,\"[ZX\\'&%@?x',\n}\n"

static void a_cameramodel_of_mrcal_is_read(void **state)
{
    (void)state;
    const pov_camera eight =
        usual_with(POV_LENS_BROWN_CONRADY, (double[8]){0.1, -0.2, 0.001, -0.002, 0.05, 0.03, 0.01, 0.002});
    const pov_camera none = usual_with(POV_LENS_BROWN_CONRADY, (double[8]){0});
    assert_camera(MRCAL("LENSMODEL_OPENCV5", " 0.1, -0.2, 0.001, -0.002, 0.05,"), &usual);
    assert_camera(MRCAL("LENSMODEL_OPENCV8", "0.1, -0.2, 0.001, -0.002, 0.05, 0.03, 0.01, 0.002"), &eight);
    assert_camera(MRCAL("LENSMODEL_PINHOLE", ""), &none);
    assert_refused(MRCAL("LENSMODEL_CAHVOR", "1, 2, 3, 4, 5"),
                   "cam.yaml:3: lensmodel: mrcal's model LENSMODEL_CAHVOR, which pov has no model for; "
                   "'mrcal-convert-lensmodel LENSMODEL_OPENCV8' makes one that it has");
}

static void a_calibration_of_photonvision_is_read(void **state)
{
    (void)state;
    assert_camera(
        "{\"resolution\":{\"width\":1280.0,\"height\":720.0},\"cameraIntrinsics\":{\"rows\":3,\"cols\":3,"
        "\"type\":6,\"data\":[1100.5,0.0,640.25,0.0,1101.5,359.75,0.0,0.0,1.0]},\"distCoeffs\":{\"rows\":1,"
        "\"cols\":5,\"type\":6,\"data\":[0.1,-0.2,0.001,-0.002,0.05]},\"calobjectWarp\":[0.1,0.2],"
        "\"observations\":[{\"locationInObjectSpace\":[{\"x\":0.0,\"y\":0.0}],"
        "\"includeObservationInCalibration\":"
        "true}],\"calobjectSpacing\":0.0254,\"lensmodel\":\"LENSMODEL_OPENCV\"}",
        &usual);
}

#define CAMERA_INFO(MODEL, D)                                                                                \
    "header:\n  stamp:\n    sec: 17\n    nanosec: 5\n  frame_id: cam\nheight: 720\nwidth: 1280\n"            \
    "distortion_model: " MODEL "\nd: " D "\nk:\n- 1100.5\n- 0.0\n- 640.25\n- 0.0\n- 1101.5\n- 359.75\n"      \
    "- 0.0\n- 0.0\n- 1.0\nr: [1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0]\np: [1100.5, 0, 640.25, 0, 0, 1101.5, "       \
    "359.75, 0, 0, 0, 1, 0]\nbinning_x: 0\nbinning_y: 0\nroi: {x_offset: 0, y_offset: 0, height: 0, "        \
    "width: 0, do_rectify: false}\n---\n"

static void an_echoed_camera_info_is_read(void **state)
{
    (void)state;
    const pov_camera fisheye = usual_with(POV_LENS_EQUIDISTANT, (double[8]){0.1, -0.02, 0.001, -0.002});
    assert_camera(CAMERA_INFO("plumb_bob", "\n- 0.1\n- -0.2\n- 0.001\n- -0.002\n- 0.05"), &usual);
    assert_camera(CAMERA_INFO("equidistant", "[0.1, -0.02, 0.001, -0.002]"), &fisheye);
    assert_camera(CAMERA_INFO("plumb_bob", "[0.1, -0.2, 0.001, -0.002, 0.05]")
                      CAMERA_INFO("plumb_bob", "[0.1, -0.2, 0.001, -0.002, 0.05]"), /* two messages */
                  &usual);
    const pov_camera none = usual_with(POV_LENS_BROWN_CONRADY, (double[8]){0});
    assert_camera(CAMERA_INFO("''", "[]"), &none);
    assert_refused("header: {}\nheight: 720\nwidth: 1280\ndistortion_model: ''\nd: []\n"
                   "k: [0, 0, 0, 0, 0, 0, 0, 0, 0]\n---\n",
                   "cam.yaml:6: k: is all zeros: this camera's driver has no calibration of it");
}

static void an_ini_of_ros_is_read(void **state)
{
    (void)state;
    assert_camera(
        "# oST version 5.0 parameters\n\n\n[image]\n\nwidth\n1280\n\nheight\n720\n\n[narrow_stereo]\n\n"
        "camera matrix\n1100.5 0.000000 640.25\n0.000000 1101.5 359.75\n0.000000 0.000000 1.000000\n\n"
        "distortion\n0.1 -0.2 0.001 -0.002 0.05\n\nrectification\n1 0 0\n0 1 0\n0 0 1\n\n"
        "projection\n1100.5 0 640.25 0\n0 1101.5 359.75 0\n0 0 1 0\n",
        &usual);
    assert_refused("[image]\nwidth\n1280\nheight\n720\n[c]\nfocal = 5\n",
                   "cam.yaml:7: unknown key; ROS's .ini has width, height, camera matrix, distortion, "
                   "rectification and projection");
}

/* As cv::FileStorage of OpenCV 4.6 writes it. */
static void opencv_s_xml_is_read(void **state)
{
    (void)state;
    assert_camera(
        "<?xml version=\"1.0\"?>\n<opencv_storage>\n<calibration_time>\"Mon 01 Jan 2024 "
        "&lt;\"</calibration_time>\n"
        "<image_width>1280</image_width>\n<image_height>720</image_height>\n<!-- a < comment -->\n"
        "<camera_matrix type_id=\"opencv-matrix\">\n  <rows>3</rows>\n  <cols>3</cols>\n  <dt>d</dt>\n  "
        "<data>\n"
        "    1.1005000000000000e+03 0. 640.25 0. 1101.5 359.75 0. 0.\n    1.</data></camera_matrix>\n"
        "<distortion_coefficients type_id=\"opencv-matrix\">\n  <rows>5</rows>\n  <cols>1</cols>\n  "
        "<dt>d</dt>\n"
        "  <data>\n    0.1 -2.0000000000000001e-01 .001 -0.002 0.05</data></distortion_coefficients>\n"
        "<grid_points><_>\n 1 2</_><_>3 4</_></grid_points>\n</opencv_storage>\n",
        &usual);
    assert_refused(
        "<?xml version=\"1.0\"?>\n<opencv_storage>\n<image_width>0</image_width>\n</opencv_storage>\n",
        "cam.yaml:3: image_width: expected a whole number between 1 and 16384, got 0");
    assert_refused("<opencv_storage><image_width>5",
                   "cam.yaml: the XML ends within an element; is the file whole?");
}

/* As cv::FileStorage of OpenCV 4.6 writes it as JSON; and a bare list, as some drivers' files have. */
static void opencv_s_json_and_bare_lists_are_read(void **state)
{
    (void)state;
    assert_camera(
        "{\n    \"image_width\": 1280,\n    \"image_height\": 720,\n    \"camera_matrix\": {\n"
        "        \"type_id\": \"opencv-matrix\",\n        \"rows\": 3,\n        \"cols\": 3,\n        "
        "\"dt\": \"d\",\n"
        "        \"data\": [ 1100.5, 0.0, 640.25, 0.0, 1101.5, 359.75, 0.0, 0.0, 1.0 ]\n    },\n"
        "    \"distortion_coefficients\": {\n        \"type_id\": \"opencv-matrix\",\n        \"rows\": 1,\n"
        "        \"cols\": 5,\n        \"dt\": \"d\",\n        \"data\": [ 0.1, -0.2, 0.001, -0.002, 0.05 "
        "]\n    }\n}\n",
        &usual);
    assert_camera(SIZE MATRIX "distortion_coefficients: [0.1, -0.2, 0.001, -0.002, 0.05]\n", &usual);
}

static void twelve_and_fourteen_coefficients_are_told_as_what_they_are(void **state)
{
    (void)state;
    assert_refused(
        SIZE MATRIX
        "distortion_coefficients: {rows: 1, cols: 12, data: [.1, .2, 0, 0, 0, 0, 0, 0, .01, 0, 0, 0]}\n",
        "cam.yaml:7: distortion_coefficients: has 12 coefficients: 8 of a rational model, and 4 of a thin "
        "prism, "
        "which pov has no model for; calibrate with 8 or 5 coefficients (OpenCV: without "
        "CALIB_THIN_PRISM_MODEL), or with 'pov calib camera'");
    assert_refused(CAMERA_INFO("rational_polynomial", "[.1, .2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, .01, 0]"),
                   "cam.yaml:9: d: has 14 coefficients: 8 of a rational model, 4 of a thin prism and 2 of a "
                   "tilted sensor, "
                   "which pov has no model for; calibrate with 8 or 5 coefficients (OpenCV: without "
                   "CALIB_THIN_PRISM_MODEL and "
                   "CALIB_TILTED_MODEL), or with 'pov calib camera'");
    const pov_camera eight = usual_with(POV_LENS_BROWN_CONRADY, (double[8]){.1, .2, 0, 0, 0, .1});
    assert_camera(
        SIZE MATRIX
        "distortion_coefficients: {rows: 1, cols: 12, data: [.1, .2, 0, 0, 0, .1, 0, 0, 0, 0, 0, 0]}\n",
        &eight);
}

/* r (1 - 0.9 r^2) turns back at r = 1 / sqrt(2.7) = 0.609 = tan(31.3 deg), at 0.406 f. */
static void a_distortion_that_folds_inside_the_image_is_refused(void **state)
{
    (void)state;
    pov_camera camera;
    static const char format[] =
        "image_width: 1280\nimage_height: 720\ncamera_matrix: [%g, 0, 640, 0, %g, 360, 0, 0, 1]\n"
        "distortion_coefficients: [-0.9, 0, 0, 0, 0]\n";
    char text[400];
    snprintf(text, sizeof text, format, 600.0, 600.0); /* at 244 px */
    assert_refused(
        text,
        "cam.yaml: the distortion folds back 31 deg off the axis, inside the image: pixels beyond that have "
        "no "
        "direction. Check the coefficients and their order, or calibrate again with views that reach into the "
        "image's corners");
    snprintf(text, sizeof text, format, 1780.0, 1780.0); /* at 723 px; the corners are at 734 px */
    assert_int_equal(parse(&camera, text).code, POV_ERROR);
    snprintf(text, sizeof text, format, 1830.0, 1830.0); /* at 743 px */
    (void)parse_well(text);
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
        cmocka_unit_test(a_camchain_of_kalibr_is_read),
        cmocka_unit_test(a_cameramodel_of_mrcal_is_read),
        cmocka_unit_test(a_calibration_of_photonvision_is_read),
        cmocka_unit_test(an_echoed_camera_info_is_read),
        cmocka_unit_test(an_ini_of_ros_is_read),
        cmocka_unit_test(opencv_s_xml_is_read),
        cmocka_unit_test(opencv_s_json_and_bare_lists_are_read),
        cmocka_unit_test(twelve_and_fourteen_coefficients_are_told_as_what_they_are),
        cmocka_unit_test(a_distortion_that_folds_inside_the_image_is_refused),
        cmocka_unit_test(missing_and_unknown_keys_are_named),
        cmocka_unit_test(impossible_sizes_and_matrices_are_named),
        cmocka_unit_test(distortions_that_do_not_fit_their_model_are_named),
        cmocka_unit_test(files_are_read_from_disk),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
