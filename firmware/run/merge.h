/** Folders of sweeps joined, or a part of one taken out: log, images, and what a simulated model answers from. */
#pragma once

#include "compare/log/log_merge.h"
#include "firmware/shard.h"

/** Adds a part of the folder of a log to that of `log`. Images become links to the same files where the file system allows. */
POV_MUST_USE pov_status pov_merge_folder(pov_answer_log *log, pov_log_merged *merged, const char *folder,
                                         const char *from, pov_log_part part);

/** Fills the log of a new folder. */
typedef pov_status pov_merge_fill(pov_answer_log *log, const char *folder, const void *context);

/** Makes the new folder `out`, beside its place until it is whole; nothing is left of one that failed. */
POV_MUST_USE pov_status pov_merge_make(const char *out, pov_merge_fill *fill, const void *context);

/** Makes the folder `out` of one shard's images of the folder or log `from`, with their questions and answers. One that is there already
 *  is left as it is. `from` is only read, and not locked.
 *  Returns: POV_ERROR also if `out` is there, but is not that shard of that sweep. */
POV_MUST_USE pov_status pov_merge_take_shard(const char *out, const char *from, const pov_shard *which);
