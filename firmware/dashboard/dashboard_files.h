/** The files of firmware/dashboard/page/, which travel within the program. */
#pragma once

#include "config/files/embedded.h"

extern const pov_embedded_file POV_DASHBOARD_FILES[];
