/** The files that a station consists of. */
#pragma once

#include "config/files/read_file.h"
#include "perception/status.h"

enum { POV_STATION_FILES_MAX = 256, POV_STATION_FILE_BYTES_MAX = 64 << 20 };

/** name: relative to the station file's folder, as the station file names it. */
typedef pov_status pov_station_file_visit(void *context, const char *name, const pov_bytes *bytes);

/** Calls `visit` with the station file first, then with each file that it names, and those that YAML files among them name: calibration, tag
 *  map, enrolled objects, contracts. Larger files than the limit (networks) are left out, and so is all that the key `vlm` names. */
POV_MUST_USE pov_status pov_station_files(const char *station, pov_station_file_visit *visit, void *context);
