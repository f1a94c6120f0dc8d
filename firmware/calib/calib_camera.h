/** `pov calib camera`: what its parts share. */
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
    int view_max; /* live: stop after so many at the latest */
} pov_calib_options;

typedef struct {
    const pov_calib_options *options;
    pov_board_finder *finder;
    pov_camera_calibration *calibration;
    pov_board_view seen;
    char device[POV_CAMERA_NAME_CAPACITY]; /* live: the camera's own id */
} pov_calib_session;

/** Adds every image of a source. */
POV_MUST_USE pov_status pov_calib_gather(pov_calib_session *session, pov_image_source *source);
/** Adds images of a source where the board is still and shown in a new way, until the calibration is good, the source ends
 *  or Ctrl-C; tells on stderr what is missing. */
POV_MUST_USE pov_status pov_calib_gather_live(pov_calib_session *session, pov_image_source *source);

/** A table for a person. */
void pov_calib_print_text(FILE *stream, const pov_calibration_report *report);
void pov_calib_print_json(FILE *stream, const pov_calibration_report *report,
                          const pov_calib_options *options);
/** A page that stands alone. `date`: ISO 8601. */
void pov_calib_print_html(FILE *stream, const pov_calibration_report *report,
                          const pov_calib_options *options, const char *date);

#endif
