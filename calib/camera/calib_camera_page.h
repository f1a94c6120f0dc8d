/** The page of a camera's calibration: residuals, coverage, and how far off projections may be. */
#pragma once

#include "calib/camera/camera_calibration.h"
#include "calib/camera/intrinsics_file.h"

#include <stdio.h>

/** Writes a page that stands alone; its head has the origin's names and date. */
void pov_calib_camera_page(FILE *stream, const pov_calibration_report *r,
                           const pov_intrinsics_origin *origin);
