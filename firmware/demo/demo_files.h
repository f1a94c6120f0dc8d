/** The files of share/demo/, which travel within the program: worlds, stations, plans of what `pov demo` shows. */
#pragma once

#include "config/files/embedded.h"
#include "perception/status.h"

extern const pov_embedded_file POV_DEMO_FILES[];

/** Writes the one called `name` to a path, with `more` behind it. */
POV_MUST_USE pov_status pov_demo_file_write(const char *path, const char *name, const char *more);
