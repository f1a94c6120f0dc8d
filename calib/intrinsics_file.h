/** Camera intrinsics as a file: ROS camera_info keys, which OpenCV's FileStorage reads too.
 *
 *  image_width, image_height, camera_name, camera_matrix {rows, cols, data}, distortion_model (plumb_bob |
 *  rational_polynomial | equidistant), distortion_coefficients {rows, cols, data}; rectification_matrix and
 *  projection_matrix are accepted and not used. */
#ifndef POV_CALIB_INTRINSICS_FILE_H
#define POV_CALIB_INTRINSICS_FILE_H

#include "perception/camera.h"

#include <stddef.h>

/** Errors name file, line, key. On error *camera is cleared to NaN. */
POV_MUST_USE pov_status pov_intrinsics_read(pov_camera *camera, const char *path);
/** The same from memory; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_intrinsics_parse(pov_camera *camera, const char *name, const char *text,
                                             size_t length);

#endif
