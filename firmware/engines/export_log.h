/** The comparison that a recording holds, as a log. */
#pragma once

#include "perception/status.h"

/** Writes the messages of the topic "vlm" into the log of a folder, which is made, or gone on with: as 'pov listen --log' does.
 *  Returns: POV_ERROR if the recording has none, or is damaged: what is sound is then in the log all the same. */
POV_MUST_USE pov_status pov_export_log(const char *recording, const char *folder);
