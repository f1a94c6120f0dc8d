#include "calib/camera/foreign_camera.h"

#include "calib/camera/distortion_model.h"
#include "perception/image/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double number_max = 1e9;

/* ---- parts that several have ---- */

/* Returns how many there are; 0 after a complaint, or if there is no such list. */
static int read_numbers(double *numbers, pov_yaml_node list, int capacity)
{
    const int length = pov_yaml_length(list);
    if (length > capacity)
        pov_yaml_complain(list, "has %d numbers; at most %d are known", length, capacity);
    if (!pov_yaml_exists(list) || pov_yaml_failed(list.file))
        return 0;
    pov_yaml_numbers(numbers, list, length, -number_max, number_max);
    return length;
}

/* JSON may write 1280 as 1280.0. */
static void read_side(int *side_px, pov_yaml_node node)
{
    double side = *side_px;
    pov_yaml_number(&side, node, 1, POV_IMAGE_SIDE_MAX_PX);
    if (side != floor(side))
        pov_yaml_complain(node, "expected a whole number of pixels, got %g", side);
    *side_px = (int)side;
}

static void read_size(pov_camera *camera, pov_yaml_node size)
{
    if (pov_yaml_exists(size) && pov_yaml_length(size) != 2)
        pov_yaml_complain(size, "expected the images' [width, height] in pixels");
    if (!pov_yaml_exists(size) || pov_yaml_failed(size.file))
        return;
    read_side(&camera->width_px, pov_yaml_at(size, 0));
    read_side(&camera->height_px, pov_yaml_at(size, 1));
}

/* fx, fy, cx, cy */
static void take_focal(pov_camera *camera, pov_yaml_node node, const double focal[4])
{
    if (!(focal[0] > 0 && focal[1] > 0))
        pov_yaml_complain(node, "focal lengths fx %g and fy %g; both must be positive", focal[0], focal[1]);
    camera->fx_px = focal[0];
    camera->fy_px = focal[1];
    camera->cx_px = focal[2];
    camera->cy_px = focal[3];
}

/* Three rows of three. */
static void take_matrix(pov_camera *camera, pov_yaml_node node, int length, const double K[9])
{
    if (pov_yaml_failed(node.file))
        return;
    if (length != 9)
        pov_yaml_complain(node, "has %d numbers; expected 3 rows of 3", length);
    else if (K[1] != 0 || K[3] != 0 || K[6] != 0 || K[7] != 0 || (K[8] != 1 && K[0] != 0))
        pov_yaml_complain(node, "expected [fx, 0, cx, 0, fy, cy, 0, 0, 1], without skew");
    else if (K[0] == 0 && K[4] == 0)
        pov_yaml_complain(node, "is all zeros: this camera's driver has no calibration of it");
    else
        take_focal(camera, node, (const double[]){K[0], K[4], K[2], K[5]});
}

/* A model by its program's own name. */
typedef struct {
    const char *name;
    bool has_distortion;
    pov_distortion_model model;
} named_model;

static const named_model *find_model(const named_model *models, int len, const char *name)
{
    for (int i = 0; i < len; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

/* A model of ROS's, or the one that alone has so many coefficients; none, if there are none. */
static void take_ros_distortion(pov_camera *camera, pov_yaml_node name, pov_yaml_node node,
                                const double *coefficients, int length)
{
    pov_distortion_model model = POV_PLUMB_BOB;
    int named = POV_PLUMB_BOB;
    const char *text = "";
    pov_yaml_string(&text, name);
    const bool is_named = *text && (length > 0 || strcmp(text, "none") != 0);
    if (is_named)
        pov_yaml_choice(&named, name, pov_distortion_model_names, POV_DISTORTION_MODEL_COUNT);
    if (pov_yaml_failed(name.file ? name.file : node.file) || length == 0)
        return;
    if (is_named)
        model = (pov_distortion_model)named;
    else if (!pov_distortion_infer(&model, length) && length != 4)
        pov_yaml_complain(node, "has %d coefficients, and the file names no distortion_model", length);
    pov_distortion_take(camera, node, model, coefficients, length);
}

/* ---- Kalibr ---- */

static void read_kalibr_camera(pov_camera *camera, pov_yaml_node cam)
{
    static const named_model models[] = {{"radtan", true, POV_PLUMB_BOB},
                                         {"equidistant", true, POV_EQUIDISTANT},
                                         {"none", false, POV_PLUMB_BOB}};
    double focal[4] = {0}, coefficients[POV_COEFFICIENTS_MAX] = {0};
    const char *lens = "pinhole", *name = "none";
    pov_yaml_node lens_node = pov_yaml_need(cam, "camera_model", "Kalibr's model of the camera");
    pov_yaml_node model_node = pov_yaml_get(cam, "distortion_model");
    pov_yaml_node focal_node = pov_yaml_need(cam, "intrinsics", "Kalibr's [fu, fv, pu, pv]");
    pov_yaml_node coefficient_node = pov_yaml_get(cam, "distortion_coeffs");
    pov_yaml_string(&lens, lens_node);
    pov_yaml_string(&name, model_node);
    if (!pov_yaml_failed(cam.file) && strcmp(lens, "pinhole") != 0)
        pov_yaml_complain(
            lens_node,
            "Kalibr's model %.40s, which pov has no model for; calibrate with pinhole-radtan or "
            "pinhole-equi",
            lens);
    const named_model *model = find_model(models, sizeof models / sizeof *models, name);
    if (!model)
        pov_yaml_complain(
            model_node,
            "Kalibr's distortion %.40s, which pov has no model for; calibrate with pinhole-radtan "
            "or pinhole-equi",
            name);
    if (!pov_yaml_failed(cam.file))
        pov_yaml_numbers(focal, focal_node, 4, -number_max, number_max);
    const int length = read_numbers(coefficients, coefficient_node, POV_COEFFICIENTS_MAX);
    read_size(camera, pov_yaml_need(cam, "resolution", "the images' [width, height] in pixels"));
    if (pov_yaml_failed(cam.file))
        return;
    take_focal(camera, focal_node, focal);
    if (model->has_distortion)
        pov_distortion_take(camera, pov_yaml_exists(coefficient_node) ? coefficient_node : cam, model->model,
                            coefficients, length);
    pov_yaml_allow_others(cam);
}

static bool read_kalibr(pov_camera *camera, pov_yaml_node root)
{
    enum { CAMERAS_MAX = 16 };
    int len = 0;
    pov_yaml_node cam = {0};
    for (int i = 0; i < CAMERAS_MAX; i++) {
        char key[16];
        snprintf(key, sizeof key, "cam%d", i);
        pov_yaml_node each = pov_yaml_get(root, key);
        if (pov_yaml_exists(each) && len++ == 0)
            cam = each;
    }
    if (len == 0)
        return false;
    if (len > 1)
        pov_yaml_complain(
            root, "a camchain of Kalibr with %d cameras; leave the one in it that this station has", len);
    else
        read_kalibr_camera(camera, cam);
    return true;
}

/* ---- mrcal ---- */

static bool read_mrcal(pov_camera *camera, pov_yaml_node root)
{
    enum { FOCAL = 4 };
    static const named_model models[] = {{"LENSMODEL_PINHOLE", false, POV_PLUMB_BOB},
                                         {"LENSMODEL_OPENCV4", true, POV_PLUMB_BOB},
                                         {"LENSMODEL_OPENCV5", true, POV_PLUMB_BOB},
                                         {"LENSMODEL_OPENCV8", true, POV_RATIONAL_POLYNOMIAL},
                                         {"LENSMODEL_OPENCV12", true, POV_RATIONAL_POLYNOMIAL}};
    double numbers[FOCAL + POV_COEFFICIENTS_MAX] = {0};
    const char *name = "";
    pov_yaml_node lens = pov_yaml_get(root, "lensmodel"), list = pov_yaml_get(root, "intrinsics");
    if (!pov_yaml_exists(lens) || !pov_yaml_exists(list))
        return false;
    pov_yaml_string(&name, lens);
    const named_model *model = find_model(models, sizeof models / sizeof *models, name);
    if (!model)
        pov_yaml_complain(lens,
                          "mrcal's model %.60s, which pov has no model for; 'mrcal-convert-lensmodel "
                          "LENSMODEL_OPENCV8' makes one that it has",
                          name);
    read_size(camera, pov_yaml_need(root, "imagersize", "the images' [width, height] in pixels"));
    const int length = read_numbers(numbers, list, FOCAL + POV_COEFFICIENTS_MAX);
    if (!pov_yaml_failed(root.file) && length < FOCAL)
        pov_yaml_complain(list, "has %d numbers; expected fx, fy, cx, cy and the distortion", length);
    if (pov_yaml_failed(root.file))
        return true;
    take_focal(camera, list, numbers);
    if (model->has_distortion)
        pov_distortion_take(camera, list, model->model, numbers + FOCAL, length - FOCAL);
    return true;
}

/* ---- PhotonVision ---- */

/* A matrix {rows, cols, type, data}. */
static int read_photonvision_matrix(double *data, pov_yaml_node matrix, int capacity)
{
    pov_yaml_allow_others(matrix);
    return read_numbers(data, pov_yaml_need(matrix, "data", "the matrix's numbers, row by row"), capacity);
}

static bool read_photonvision(pov_camera *camera, pov_yaml_node root)
{
    double K[9] = {0}, coefficients[POV_COEFFICIENTS_MAX] = {0};
    pov_yaml_node matrix = pov_yaml_get(root, "cameraIntrinsics");
    if (!pov_yaml_exists(matrix))
        return false;
    pov_yaml_node distortion = pov_yaml_get(root, "distCoeffs");
    if (!pov_yaml_exists(distortion))
        distortion = pov_yaml_need(root, "cameraExtrinsics", "PhotonVision's distortion (or distCoeffs)");
    pov_yaml_node size = pov_yaml_need(root, "resolution", "the images' {width, height} in pixels");
    read_side(&camera->width_px, pov_yaml_need(size, "width", "the images' width in pixels"));
    read_side(&camera->height_px, pov_yaml_need(size, "height", "the images' height in pixels"));
    take_matrix(camera, matrix, read_photonvision_matrix(K, matrix, 9), K);
    const int length = read_photonvision_matrix(coefficients, distortion, POV_COEFFICIENTS_MAX);
    if (!pov_yaml_failed(root.file))
        take_ros_distortion(camera, (pov_yaml_node){0}, distortion, coefficients, length);
    return true;
}

/* ---- ROS's CameraInfo ---- */

static pov_yaml_node get_either(pov_yaml_node root, const char *key, const char *other)
{
    pov_yaml_node node = pov_yaml_get(root, key);
    return pov_yaml_exists(node) ? node : pov_yaml_get(root, other);
}

static bool read_camera_info(pov_camera *camera, pov_yaml_node root)
{
    double K[9] = {0}, coefficients[POV_COEFFICIENTS_MAX] = {0};
    pov_yaml_node matrix = get_either(root, "k", "K"), distortion = get_either(root, "d", "D");
    if (!pov_yaml_is_list(matrix))
        return false;
    read_side(&camera->width_px, pov_yaml_need(root, "width", "the images' width in pixels"));
    read_side(&camera->height_px, pov_yaml_need(root, "height", "the images' height in pixels"));
    take_matrix(camera, matrix, read_numbers(K, matrix, 9), K);
    if (!pov_yaml_exists(distortion))
        pov_yaml_complain(root, "has no d, the lens's distortion; [] for none");
    const int length = read_numbers(coefficients, distortion, POV_COEFFICIENTS_MAX);
    if (!pov_yaml_failed(root.file))
        take_ros_distortion(camera, pov_yaml_get(root, "distortion_model"), distortion, coefficients, length);
    return true;
}

bool pov_foreign_camera_read(pov_camera *camera, pov_yaml_node root)
{
    const bool is_known = read_kalibr(camera, root) || read_photonvision(camera, root) ||
                          read_mrcal(camera, root) || read_camera_info(camera, root);
    if (is_known)
        pov_yaml_allow_others(root);
    return is_known;
}
