#include "calib/camera/intrinsics_file.h"

#include "calib/camera/camera_solver.h"
#include "calib/camera/distortion_model.h"
#include "calib/camera/foreign_camera.h"
#include "calib/camera/foreign_text.h"
#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "config/yaml/yaml_file.h"
#include "perception/geometry/linalg.h"
#include "perception/image/image.h"
#include "perception/lens/lens_sense.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Written by ROS's and OpenCV's calibration programs; nothing here depends on them. */
static const char *const unused_keys[] = {"camera_name",
                                          "rectification_matrix",
                                          "projection_matrix",
                                          "binning_x",
                                          "binning_y",
                                          "calibration_time",
                                          "nframes",
                                          "nr_of_frames",
                                          "board_width",
                                          "board_height",
                                          "square_size",
                                          "marker_size",
                                          "aspectRatio",
                                          "fix_aspect_ratio",
                                          "flags",
                                          "avg_reprojection_error",
                                          "per_view_reprojection_errors",
                                          "extrinsic_parameters",
                                          "image_points",
                                          "grid_points"};

/* A key, or the name that OpenCV's calibration sample had for it before. */
static pov_yaml_node need_either(pov_yaml_node root, const char *key, const char *other, const char *hint)
{
    pov_yaml_node node = pov_yaml_get(root, key);
    if (!pov_yaml_exists(node))
        node = pov_yaml_get(root, other);
    return pov_yaml_exists(node) ? node : pov_yaml_need(root, key, hint);
}

/* Numbers that stand alone, without rows and cols. */
static int read_list(double *data, pov_yaml_node list, int capacity)
{
    const int length = pov_yaml_length(list);
    if (length > capacity)
        pov_yaml_complain(list, "has %d numbers; at most %d are known", length, capacity);
    if (pov_yaml_failed(list.file))
        return 0;
    pov_yaml_numbers(data, list, length, -1e9, 1e9);
    return length;
}

/* The data of a matrix {rows, cols, data}; returns how many there are, 0 after a complaint. */
static int read_matrix(double *data, pov_yaml_node matrix, int capacity)
{
    int rows = 0, cols = 0;
    if (pov_yaml_is_list(matrix))
        return read_list(data, matrix, capacity);
    pov_yaml_integer(&rows, pov_yaml_need(matrix, "rows", "the matrix's number of rows"), 1, capacity);
    pov_yaml_integer(&cols, pov_yaml_need(matrix, "cols", "the matrix's number of columns"), 1, capacity);
    pov_yaml_node numbers = pov_yaml_need(matrix, "data", "the matrix's numbers, row by row");
    (void)pov_yaml_get(matrix, "dt"); /* OpenCV's type of element; type_id: in JSON */
    (void)pov_yaml_get(matrix, "type_id");
    int length = pov_yaml_length(numbers);
    if (length != rows * cols)
        pov_yaml_complain(numbers, "has %d numbers; %d rows of %d are %d", length, rows, cols, rows * cols);
    else if (length > capacity)
        pov_yaml_complain(numbers, "has %d numbers; at most %d are known", length, capacity);
    if (!pov_yaml_exists(numbers) || pov_yaml_failed(numbers.file))
        return 0;
    pov_yaml_numbers(data, numbers, length, -1e9, 1e9);
    return length;
}

static void read_camera_matrix(pov_camera *camera, pov_yaml_node node)
{
    double K[9] = {0};
    int length = read_matrix(K, node, 9);
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    if (length != 9)
        pov_yaml_complain(node, "has %d numbers; expected 3 rows of 3", length);
    else if (!(K[0] > 0 && K[4] > 0))
        pov_yaml_complain(node, "focal lengths fx %g and fy %g; both must be positive", K[0], K[4]);
    else if (K[1] != 0 || K[3] != 0 || K[6] != 0 || K[7] != 0 || K[8] != 1)
        pov_yaml_complain(node, "expected [fx, 0, cx, 0, fy, cy, 0, 0, 1], without skew");
    camera->fx_px = K[0];
    camera->cx_px = K[2];
    camera->fy_px = K[4];
    camera->cy_px = K[5];
}

/* What OpenCV's calibration sample writes of a fisheye lens. */
static bool is_fisheye(pov_yaml_node root)
{
    int fisheye = 0;
    pov_yaml_integer(&fisheye, pov_yaml_get(root, "fisheye_model"), 0, 1);
    return fisheye != 0;
}

static void read_distortion(pov_camera *camera, pov_yaml_node root)
{
    double coefficients[POV_COEFFICIENTS_MAX] = {0};
    int named = POV_PLUMB_BOB;
    pov_yaml_node name = pov_yaml_get(root, "distortion_model");
    pov_yaml_choice(&named, name, pov_distortion_model_names, POV_DISTORTION_MODEL_COUNT);
    pov_yaml_node node = need_either(root, "distortion_coefficients", "Distortion_Coefficients",
                                     "the lens's distortion; zeros for none");
    int length = read_matrix(coefficients, node, POV_COEFFICIENTS_MAX);
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    pov_distortion_model model = (pov_distortion_model)named;
    if (is_fisheye(root))
        model = POV_EQUIDISTANT;
    else if (!pov_yaml_exists(name) && !pov_distortion_infer(&model, length)) /* four could be either lens */
        (void)pov_yaml_need(root, "distortion_model", "plumb_bob, rational_polynomial or equidistant");
    pov_distortion_take(camera, node, model, coefficients, length);
}

static void read_covariance(pov_lens_covariance *covariance, pov_yaml_node node)
{
    enum { P = POV_LENS_PARAMETER_MAX };
    double data[P * P], values[P], vectors[P * P];
    if (!pov_yaml_exists(node))
        return;
    const int length = read_matrix(data, node, P * P), n = (int)lround(sqrt(length));
    if (pov_yaml_failed(node.file))
        return;
    if (n * n != length || n < 4) {
        pov_yaml_complain(node, "has %d numbers; expected as many rows as columns, 4 at least", length);
        return;
    }
    for (int i = 0; i < length; i++) {
        const double mirrored = data[i % n * n + i / n];
        if (fabs(data[i] - mirrored) > 1e-6 * sqrt(fabs(data[i / n * (n + 1)] * data[i % n * (n + 1)])))
            pov_yaml_complain(node, "is not symmetric at row %d, column %d", i / n + 1, i % n + 1);
        covariance->cov[i / n][i % n] = (data[i] + mirrored) / 2;
    }
    for (int i = 0; i < length; i++) { /* as correlations: focal lengths and coefficients differ by orders */
        const double scale = sqrt(data[i / n * (n + 1)] * data[i % n * (n + 1)]);
        vectors[i] = scale > 0 ? covariance->cov[i / n][i % n] / scale : i / n == i % n;
        if (!(data[i / n * (n + 1)] >= 0))
            pov_yaml_complain(node, "has a variance of %g", data[i / n * (n + 1)]);
    }
    double correlation[P * P];
    for (int i = 0; i < length; i++)
        correlation[i] = vectors[i];
    if (!pov_yaml_failed(node.file))
        pov_symmetric_eigen(values, vectors, correlation, n);
    for (int i = 0; i < n && !pov_yaml_failed(node.file); i++)
        if (!(values[i] > -1e-6))
            pov_yaml_complain(node, "is not a covariance: it has a negative variance along some direction");
    covariance->len = n;
}

/* The calibration's origin, by `pov calib camera`. Other programs' files may hold anything under `calibration`. */
static void read_trust(pov_intrinsics_trust *trust, pov_yaml_node node)
{
    *trust = (pov_intrinsics_trust){0};
    if (!pov_yaml_exists(node) || pov_yaml_is_list(node))
        return;
    read_covariance(&trust->covariance, pov_yaml_get(node, "covariance"));
    pov_yaml_copy_filled(trust->device, sizeof trust->device, pov_yaml_get(node, "device"));
    pov_yaml_number(&trust->rms_px, pov_yaml_get(node, "rms_px"), 0, POV_IMAGE_SIDE_MAX_PX);
    pov_yaml_allow_others(node);
}

/* ROS: all zeros mean the whole image. */
static bool is_region(pov_yaml_node roi)
{
    static const char *const keys[] = {"x_offset", "y_offset", "width", "height"};
    double value[4] = {0};
    for (int i = 0; i < 4 && pov_yaml_exists(roi) && !pov_yaml_is_list(roi); i++)
        pov_yaml_number(&value[i], pov_yaml_get(roi, keys[i]), 0, POV_IMAGE_SIDE_MAX_PX);
    pov_yaml_allow_others(roi);
    return value[0] > 0 || value[1] > 0 || value[2] > 0 || value[3] > 0;
}

/* As ROS's calibrators write them, OpenCV's and pov's. */
static void read_ros_keys(pov_camera *camera, pov_yaml_node root)
{
    for (size_t i = 0; i < sizeof unused_keys / sizeof *unused_keys; i++)
        (void)pov_yaml_get(root, unused_keys[i]);
    pov_yaml_integer(&camera->width_px,
                     need_either(root, "image_width", "image_Width", "the images' width in pixels"), 1,
                     POV_IMAGE_SIDE_MAX_PX);
    pov_yaml_integer(&camera->height_px,
                     need_either(root, "image_height", "image_Height", "the images' height in pixels"), 1,
                     POV_IMAGE_SIDE_MAX_PX);
    read_camera_matrix(
        camera, need_either(root, "camera_matrix", "Camera_Matrix", "the focal lengths and principal point"));
    read_distortion(camera, root);
}

static pov_status read_camera(pov_camera *camera, pov_intrinsics_trust *trust, pov_yaml_file *file)
{
    pov_yaml_node root = pov_yaml_root(file), calibration = pov_yaml_get(root, "calibration");
    pov_yaml_node roi = pov_yaml_get(root, "roi");
    if (trust) {
        read_trust(trust, calibration);
        trust->is_cropped = is_region(roi);
    }
    *camera = (pov_camera){0};
    if (!pov_foreign_camera_read(camera, root))
        read_ros_keys(camera, root);
    POV_TRY(pov_yaml_finish(file));
    POV_TRY(pov_camera_check(camera));
    const pov_status folds = pov_lens_check(camera);
    return folds.code == POV_OK ? folds : pov_error("%s: %s", pov_yaml_path(file), folds.message);
}

void pov_calib_device_of(char device[POV_CAMERA_NAME_CAPACITY], const char *image_name)
{
    const char *space = strrchr(image_name, ' ');
    snprintf(device, POV_CAMERA_NAME_CAPACITY, "%.*s", space ? (int)(space - image_name) : 0, image_name);
}

static void clear_camera(pov_camera *camera)
{
    *camera = (pov_camera){.fx_px = NAN, .fy_px = NAN, .cx_px = NAN, .cy_px = NAN};
    for (int i = 0; i < POV_DISTORTION_MAX; i++)
        camera->distortion[i] = NAN;
}

pov_status pov_intrinsics_parse_trust(pov_camera *camera, pov_intrinsics_trust *trust, const char *name,
                                      const char *text, size_t length)
{
    pov_yaml_file *file;
    pov_foreign_text converted;
    clear_camera(camera);
    POV_TRY(pov_foreign_text_convert(&converted, name, text, length));
    pov_status status = pov_yaml_parse(&file, name, converted.text, converted.length);
    free(converted.text);
    POV_TRY(status);
    status = read_camera(camera, trust, file);
    pov_yaml_close(&file);
    if (status.code != POV_OK)
        clear_camera(camera);
    return status;
}

pov_status pov_intrinsics_read_trust(pov_camera *camera, pov_intrinsics_trust *trust, const char *path)
{
    pov_bytes bytes = {0};
    clear_camera(camera);
    POV_TRY(
        pov_read_file(&bytes, path, POV_YAML_BYTES_MAX, "a camera's calibration (YAML, JSON, XML or .ini)"));
    const pov_status status =
        pov_intrinsics_parse_trust(camera, trust, path, (const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    return status;
}

pov_status pov_intrinsics_read(pov_camera *camera, const char *path)
{
    return pov_intrinsics_read_trust(camera, NULL, path);
}

pov_status pov_intrinsics_parse(pov_camera *camera, const char *name, const char *text, size_t length)
{
    return pov_intrinsics_parse_trust(camera, NULL, name, text, length);
}

/* ---- writing ---- */

/* A text in quotes, without what would need escapes. */
static void print_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || *text == '"' || *text == '\\' ? '_' : *text, stream);
    fputc('"', stream);
}

/* `dt` makes it a matrix to OpenCV; others pass over it. A tag would do so, too, but stops safe YAML readers. */
static void print_matrix(FILE *stream, const char *indent, const char *key, const double *data,
                         const int size[3])
{
    int rows = size[0], columns = size[1], stride = size[2];
    fprintf(stream, "%s%s:\n%s  rows: %d\n%s  cols: %d\n%s  dt: d\n%s  data: [", indent, key, indent, rows,
            indent, columns, indent, indent);
    for (int i = 0; i < rows * columns; i++) {
        if (i > 0 && i % columns == 0)
            fprintf(stream, ",\n%s    ", indent);
        else if (i > 0)
            fputs(", ", stream);
        fprintf(stream, "%.17g", data[i / columns * stride + i % columns]);
    }
    fputs("]\n", stream);
}

static void print_camera(FILE *stream, const pov_camera *camera)
{
    const double K[] = {camera->fx_px, 0, camera->cx_px, 0, camera->fy_px, camera->cy_px, 0, 0, 1};
    const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double projection[] = {K[0], 0, K[2], 0, 0, K[4], K[5], 0, 0, 0, 1, 0};
    const double *k = camera->distortion;
    bool fisheye = camera->lens == POV_LENS_EQUIDISTANT,
         rational = !fisheye && (k[5] != 0 || k[6] != 0 || k[7] != 0);
    int coefficients = fisheye ? 4 : rational ? 8 : 5;
    fprintf(stream, "image_width: %d\nimage_height: %d\n", camera->width_px, camera->height_px);
    print_matrix(stream, "", "camera_matrix", K, (const int[]){3, 3, 3});
    fprintf(stream, "distortion_model: %s\n",
            fisheye    ? "equidistant"
            : rational ? "rational_polynomial"
                       : "plumb_bob");
    print_matrix(stream, "", "distortion_coefficients", k, (const int[]){1, coefficients, coefficients});
    print_matrix(stream, "", "rectification_matrix", identity, (const int[]){3, 3, 3});
    print_matrix(stream, "", "projection_matrix", projection, (const int[]){3, 4, 4});
}

static void print_origin(FILE *stream, const pov_camera *camera, const pov_intrinsics_origin *origin)
{
    fprintf(stream, "calibration:\n  hash: \"%016" PRIx64 "\"\n  date: ", pov_camera_hash(camera));
    print_text(stream, origin->date);
    fputs("\n  camera: ", stream);
    print_text(stream, origin->camera_name);
    if (origin->device && *origin->device) {
        fputs("\n  device: ", stream);
        print_text(stream, origin->device);
    }
    fputs("\n  board: ", stream);
    print_text(stream, origin->board);
    fprintf(
        stream,
        "\n  images: %d\n  points: %d\n  rms_px: %.6g\n  noise_px: %.6g\n  holdout_px: %.6g\n  parameters: [",
        origin->image_len, origin->point_len, origin->rms_px, origin->noise_px, origin->holdout_px);
    for (int i = 0; i < origin->parameter_len; i++)
        fprintf(stream, "%s%s", i ? ", " : "", pov_camera_parameter_name(camera->lens, i));
    fputs("]\n", stream);
    print_matrix(stream, "  ", "covariance", origin->covariance,
                 (const int[]){origin->parameter_len, origin->parameter_len, origin->covariance_stride});
}

pov_status pov_intrinsics_write(const char *path, const pov_camera *camera,
                                const pov_intrinsics_origin *origin)
{
    pov_write_file file;
    const pov_status folds = pov_lens_check(camera); /* what is written is read back */
    if (folds.code != POV_OK)
        return pov_error("%s: not written: %s", path, folds.message);
    POV_TRY(pov_write_file_begin(&file, path));
    fputs("%YAML 1.1\n---\ncamera_name: ", file.stream);
    print_text(file.stream, origin->camera_name);
    fputc('\n', file.stream);
    print_camera(file.stream, camera);
    if (origin->date)
        print_origin(file.stream, camera, origin);
    return pov_write_file_end(&file, pov_ok());
}
