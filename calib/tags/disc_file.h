/** A measured turntable as a file: where its axis is, and which tags are where on its disc.
 *
 *  position_m: [x, y, z]   # of the disc's frame in the table's, on the axis
 *  rotation: [...]         # R_table_disc at angle 0, three rows; its z is the axis
 *  covariance: [...]       # of both, as a tag's in a tag map; its turn about the axis is the zero's
 *  tags: [...]             # as in a tag map, in the disc's frame
 *  measured: {...}         # optional: date, camera's calibration, images, backlash, ...: for people */
#pragma once

#include "perception/cast/disc.h"
#include "perception/status.h"

#include <stddef.h>
#include <stdio.h>

/** Errors name file, line, key. On error the disc has no tags. */
POV_MUST_USE pov_status pov_disc_file_read(pov_disc *disc, const char *path);
POV_MUST_USE pov_status pov_disc_file_parse(pov_disc *disc, const char *name, const char *text,
                                            size_t length);

/** Writes all but `measured`. */
void pov_disc_file_write(FILE *stream, const pov_disc *disc);
