/** The files of firmware/dashboard/, which travel within the program. */
#ifndef POV_FIRMWARE_DASHBOARD_DASHBOARD_FILES_H
#define POV_FIRMWARE_DASHBOARD_DASHBOARD_FILES_H

#include <stddef.h>

typedef struct {
    const char *name; /* "index.html" */
    const unsigned char *bytes;
    size_t len;
} pov_dashboard_file;

/** Ends with a file whose name is NULL. */
extern const pov_dashboard_file POV_DASHBOARD_FILES[];

#endif
