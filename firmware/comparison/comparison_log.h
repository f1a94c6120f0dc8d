/** A log of a comparison that somebody else runs, made from the messages of the topic "vlm" alone: reports and exports read it as they read a
 *  sweep's (docs/LOG.md). Images themselves do not come with the messages. */
#pragma once

#include "perception/status.h"
#include "protocol/observation/message.h"

typedef struct pov_comparison_log pov_comparison_log;

/** In: folder: made, or gone on with if it holds such a log already. */
POV_MUST_USE pov_status pov_comparison_log_new(pov_comparison_log **log, const char *folder);
void pov_comparison_log_destroy(pov_comparison_log **log);
/** Writes what a message tells. One that comes again changes nothing. It is on the disk after pov_comparison_log_keep, or with the next
 *  messages: a burst of them takes one write. */
POV_MUST_USE pov_status pov_comparison_log_add(pov_comparison_log *log, const pov_comparison *comparison);
/** Call it when no message waits. */
POV_MUST_USE pov_status pov_comparison_log_keep(pov_comparison_log *log);
