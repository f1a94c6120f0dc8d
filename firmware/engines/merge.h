/** Folders of sweeps joined, or a part of one taken out: log, images, and what a simulated model answers from. */
#ifndef POV_FIRMWARE_ENGINES_MERGE_H
#define POV_FIRMWARE_ENGINES_MERGE_H

#include "compare/log/log_merge.h"

/** Adds a part of the folder of a log to that of `log`. Images become links to the same files where the file system allows. */
POV_MUST_USE pov_status pov_merge_folder(pov_answer_log *log, pov_log_merged *merged, const char *folder,
                                         const char *from, pov_log_part part);

/** Removes a folder that was made here, with all that is in it. */
void pov_merge_remove(const char *folder);

#endif
