/** A file read whole, from the disk and nothing else: what a user names may be a folder, a pipe or a device,
 * and must neither hang nor fill the memory. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

/** Bytes that grow when needed and are kept for the next file. Start from {0}. */
typedef struct {
    unsigned char *data; /* data[length] is '\0' */
    size_t length, capacity;
} pov_bytes;

/** Reads a regular file of at most `max` bytes. `kind` names it in messages: "a YAML file".
 *  Errors name the path: missing, unreadable, not a regular file, empty, larger than `max` (found before
 * reading). On error length is 0. */
POV_MUST_USE pov_status pov_read_file(pov_bytes *bytes, const char *path, size_t max, const char *kind);
/** The same checks, and only a file's first bytes. In: *length, how many there is room for. Out: how many there are. */
POV_MUST_USE pov_status pov_read_file_start(unsigned char *start, size_t *length, const char *path,
                                            size_t max, const char *kind);
void pov_bytes_free(pov_bytes *bytes);
