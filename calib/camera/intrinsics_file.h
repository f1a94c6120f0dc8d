/** Camera intrinsics as a file: ROS camera_info keys, which OpenCV's FileStorage reads too. Files of other programs are read as
 *  well: OpenCV's FileStorage in YAML, XML and JSON, ROS's .ini, a CameraInfo message as `ros2 topic echo` prints it, Kalibr's camchain,
 *  mrcal's .cameramodel and PhotonVision's JSON.
 *
 *  image_width, image_height, camera_name, camera_matrix {rows, cols, data}, distortion_model (plumb_bob |
 *  rational_polynomial | equidistant), distortion_coefficients {rows, cols, data}; rectification_matrix and
 *  projection_matrix are accepted and not used; so is `calibration`, which tells where the numbers come from. */
#pragma once

#include "perception/lens/lens_spread.h"

#include <stddef.h>

/** Errors name file, line, key. On error *camera is cleared to NaN. */
POV_MUST_USE pov_status pov_intrinsics_read(pov_camera *camera, const char *path);

enum { POV_CAMERA_NAME_CAPACITY = 128 };

/** The contents of `calibration` in the file, as pov_intrinsics_write writes it. */
typedef struct {
    pov_lens_covariance covariance;        /* len 0: it says nothing */
    char device[POV_CAMERA_NAME_CAPACITY]; /* the camera's own id, where it was live; "": not known */
    double rms_px;                         /* of its corners; 0: not known */
    bool is_cropped;                       /* its images are a part of the sensor's (`roi`) */
} pov_intrinsics_trust;

/** The camera's id in an image's name, "ID SEQUENCE", as live cameras name them. */
void pov_calib_device_of(char device[POV_CAMERA_NAME_CAPACITY], const char *image_name);

/** Reads both. `trust` may be NULL. */
POV_MUST_USE pov_status pov_intrinsics_read_trust(pov_camera *camera, pov_intrinsics_trust *trust,
                                                  const char *path);
/** From memory; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_intrinsics_parse_trust(pov_camera *camera, pov_intrinsics_trust *trust,
                                                   const char *name, const char *text, size_t length);
POV_MUST_USE pov_status pov_intrinsics_parse(pov_camera *camera, const char *name, const char *text,
                                             size_t length);

/** The origin of a camera's parameters. */
typedef struct {
    const char *camera_name;
    const char *device; /* the camera's own id; NULL or "": from files */
    const char *date;   /* ISO 8601; NULL: the file says nothing more than the camera's name */
    const char *board;
    int image_len, point_len;
    double rms_px, noise_px, holdout_px;
    int parameter_len;        /* fx, fy, cx, cy, distortion */
    const double *covariance; /* of these: row by row, parameter_len to a row */
    int covariance_stride;
} pov_intrinsics_origin;

/** A YAML file that pov_intrinsics_read, OpenCV's FileStorage and ROS's readers of camera_info load; written whole or not at
 *  all. Numbers have 17 digits: what is read back has the same pov_camera_hash. */
POV_MUST_USE pov_status pov_intrinsics_write(const char *path, const pov_camera *camera,
                                             const pov_intrinsics_origin *origin);
