/** A camera's calibration as text, JSON and a page. */
#pragma once

#include "calib/boards/board.h"
#include "calib/camera/camera_calibration.h"
#include "calib/camera/intrinsics_file.h"

#include <stdio.h>

void pov_calibration_report_text(FILE *stream, const pov_calibration_report *r);
/** One object, one line. In: the camera's name. If refused: `why`, and the images. */
void pov_calibration_report_json(FILE *stream, const pov_calibration_report *r, const char *name,
                                 const pov_board *board);
/** A page that stands alone: residuals, coverage, and how far off projections may be. Its head has the origin's names and date.
 *  If refused: why, and what was seen in the images. */
void pov_calibration_report_page(FILE *stream, const pov_calibration_report *r,
                                 const pov_intrinsics_origin *origin);
