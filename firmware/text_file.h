/** Text files that are written whole or not at all: beside their path under another name, to the disk, then renamed. */
#ifndef POV_FIRMWARE_TEXT_FILE_H
#define POV_FIRMWARE_TEXT_FILE_H

#include "perception/status.h"

#include <stdio.h>

typedef struct {
    FILE *stream; /* write here */
    char path[1024], temporary[1040];
} pov_text_file;

/** POV_ERROR names the path and why. */
POV_MUST_USE pov_status pov_text_file_open(pov_text_file *file, const char *path);
/** Ends the file: in place if `status` is POV_OK and all was written, else gone. Returns `status`, or what went wrong. */
POV_MUST_USE pov_status pov_text_file_close(pov_text_file *file, pov_status status);

/** Makes a folder unless it is there. */
POV_MUST_USE pov_status pov_folder_make(const char *path);

#endif
