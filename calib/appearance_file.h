/** Enrolled objects as files, NAME.pov: binary, little-endian, with a checksum. */
#ifndef POV_CALIB_APPEARANCE_FILE_H
#define POV_CALIB_APPEARANCE_FILE_H

#include "perception/appearance.h"

#include <stddef.h>

enum { POV_APPEARANCE_FILE_MAX = 1 << 20 };

/** Reads a file. Errors name it and what is wrong: missing, no enrolled object, of another version, cut off, damaged, or
 *  a field out of its range. On error the data is cleared. */
POV_MUST_USE pov_status pov_appearance_read(pov_appearance_data *data, const char *path);
/** The same from memory; `name` stands for the path. */
POV_MUST_USE pov_status pov_appearance_parse(pov_appearance_data *data, const char *name, const void *bytes,
                                             size_t length);
/** Writes a file whole or not at all. Out: *length, its bytes; may be NULL. */
POV_MUST_USE pov_status pov_appearance_write(const char *path, const pov_appearance_data *data,
                                             size_t *length);

#endif
