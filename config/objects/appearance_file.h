/** Enrolled objects as files, NAME.pov: binary, little-endian, with a checksum. */
#pragma once

#include "perception/appearance/appearance.h"
#include "perception/appearance/portrait.h"

#include <stddef.h>

enum { POV_APPEARANCE_FILE_MAX = 2 << 20 };

/** Reads a file: how the object looks over angle, and its portraits, of which there are none (len 0) if it was enrolled from
 *  images alone, or by a pov that knew none. Errors name the file and what is wrong: missing, no enrolled object, of another
 *  version, cut off, damaged, or a field out of its range. On error both are cleared. */
POV_MUST_USE pov_status pov_enrolled_read(pov_appearance_data *data, pov_portraits *portraits,
                                          const char *path);
/** The same from memory; `name` stands for the path. */
POV_MUST_USE pov_status pov_enrolled_parse(pov_appearance_data *data, pov_portraits *portraits,
                                           const char *name, const void *bytes, size_t length);
/** Writes a file whole or not at all; portraits: NULL if there are none. Out: *length, its bytes; may be NULL. */
POV_MUST_USE pov_status pov_enrolled_write(const char *path, const pov_appearance_data *data,
                                           const pov_portraits *portraits, size_t *length);
