/** Text for a reader that may be slow, or never read: a thread of its own writes it, from a bounded queue of blocks, one an image. */
#pragma once

#include "perception/status.h"

#include <stdint.h>
#include <stdio.h>

typedef struct pov_line_output pov_line_output;

/** Writes to a descriptor, which stays the caller's. loses: when the queue is full, the oldest block goes, so that nothing waits for
 *  the reader; else the caller waits. */
POV_MUST_USE pov_status pov_line_output_new(pov_line_output **output, int descriptor, bool loses);
/** Finishes, unless that was done. */
void pov_line_output_destroy(pov_line_output **output);

/** The next block is written here. */
FILE *pov_line_output_stream(pov_line_output *output);
/** Puts the block into the queue. Returns: POV_END: the reader has gone, or a stop was asked for while waiting; POV_ERROR: an
 *  earlier block could not be written. */
POV_MUST_USE pov_status pov_line_output_commit(pov_line_output *output);
/** No more blocks come. Waits until all is written; once a stop was asked for, a second at most. Returns: POV_ERROR if anything could not be written; POV_END if the reader has gone. */
POV_MUST_USE pov_status pov_line_output_finish(pov_line_output *output);
/** Blocks lost so far. */
uint64_t pov_line_output_lost(pov_line_output *output);
