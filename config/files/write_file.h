/** A file written whole or not at all: beside its place under another name, to the disk, then renamed over it, and the
 *  folder to the disk. The old file stays until then, and so do its mode and the links to it. A path that is no
 *  regular file, as /dev/stdout, is written straight. */
#pragma once

#include "perception/status.h"

#include <stdio.h>

enum { POV_PATH_CAPACITY = 4096 };

/** Writes "folder/name". Error: it is longer than a path may be. */
POV_MUST_USE pov_status pov_path_join(char path[POV_PATH_CAPACITY], const char *folder, const char *name);

typedef struct {
    FILE *stream; /* write here; errors are noticed when it is finished */
    char path[POV_PATH_CAPACITY], temporary[POV_PATH_CAPACITY + 8];
} pov_write_file;

/** Errors name the path and why it cannot be written. On error there is nothing to finish. */
POV_MUST_USE pov_status pov_write_file_begin(pov_write_file *file, const char *path);
/** Closes the file: in its place if `written` is POV_OK and all of it reached the disk, else removed.
 *  Returns: `written`, or what went wrong, with the path. */
POV_MUST_USE pov_status pov_write_file_end(pov_write_file *file, pov_status written);

/** Puts the name of a new file or folder on the disk: until then a power cut takes it away. A parent that cannot be opened, or whose
 *  file system syncs no folders, is left to the system.
 *  Returns: false if the disk failed. */
bool pov_write_name(const char *path);

/** That a path cannot be written, of errno: why, and the folder to make if it is missing. */
pov_status pov_write_refused(const char *path);

/** Writes all the bytes to a pov_write_file that was begun. */
POV_MUST_USE pov_status pov_write_file_bytes(void *file, const void *bytes, size_t len);

/** Makes a folder, unless it is there; its name is on the disk then. */
POV_MUST_USE pov_status pov_write_folder(const char *path);
/** Removes a folder with all that is in it, as far as that is allowed; follows no links. */
void pov_remove_folder(const char *path);
