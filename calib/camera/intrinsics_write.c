#include "calib/camera/intrinsics_file.h"

#include "calib/camera/camera_solver.h"
#include "config/files/write_file.h"

#include <inttypes.h>
#include <stdio.h>

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
    POV_TRY(pov_write_file_begin(&file, path));
    fputs("%YAML 1.1\n---\ncamera_name: ", file.stream);
    print_text(file.stream, origin->camera_name);
    fputc('\n', file.stream);
    print_camera(file.stream, camera);
    print_origin(file.stream, camera, origin);
    return pov_write_file_end(&file, pov_ok());
}
