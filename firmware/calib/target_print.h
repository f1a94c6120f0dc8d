/** Printed targets as PDF or SVG, to scale, by cairo. */
#ifndef POV_FIRMWARE_CALIB_TARGET_PRINT_H
#define POV_FIRMWARE_CALIB_TARGET_PRINT_H

#include "calib/boards/target.h"

/** PDF: one file with all pages, whole or not at all. Errors name the path. */
POV_MUST_USE pov_status pov_target_print_pdf(const pov_target *target, const char *path);
/** SVG: a file a page, path being that of the first: "ring.svg", "ring-2.svg", ... */
POV_MUST_USE pov_status pov_target_print_svg(const pov_target *target, const char *path);

#endif
