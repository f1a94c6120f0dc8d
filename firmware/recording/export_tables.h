/** A recording as tidy tables: `pov export --csv`. */
#pragma once

#include "perception/status.h"

/** Writes images.csv, entities.csv, judgments.csv, visibility.csv, asks.csv and log.csv into a folder, which may be new. docs/PANDAS.md.
 *  Returns: POV_ERROR also if something of the recording is damaged: the tables are then written without it, unless they would be empty. */
POV_MUST_USE pov_status pov_export_tables(const char *path, const char *folder);
