/** The page of `pov calib camera`. */
#ifndef POV_FIRMWARE_CALIB_CALIB_CAMERA_H
#define POV_FIRMWARE_CALIB_CALIB_CAMERA_H

#include "calib/boards/board_finder.h"
#include "calib/camera/camera_calibration.h"
#include "calib/camera/intrinsics_file.h"
#include "perception/image/image_source.h"

#include <stdio.h>

typedef struct {
    const char *images; /* a folder, or NULL: */
    const char *camera; /* a camera */
    const char *out, *html;
    char name[128]; /* of the camera, in the file */
    const char *board_text;
    pov_board board;
    pov_calibration_config config;
    bool live, json;
    int view_max; /* live: stop after this many at the latest */
} pov_calib_options;

/** A page that stands alone. `date`: ISO 8601. */
void pov_calib_print_html(FILE *stream, const pov_calibration_report *report,
                          const pov_calib_options *options, const char *date);

#endif
