/** The files of firmware/dashboard/page/, which travel within the program. */
#ifndef POV_FIRMWARE_DASHBOARD_DASHBOARD_FILES_H
#define POV_FIRMWARE_DASHBOARD_DASHBOARD_FILES_H

#include "config/files/embedded.h"

extern const pov_embedded_file POV_DASHBOARD_FILES[];

#endif
