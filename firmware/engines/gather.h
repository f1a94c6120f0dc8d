/** A log of what no station took: the images of a simulated world with their truth, or of a recording with what was judged then. */
#pragma once

#include "firmware/comparison/image_questions.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/shard.h"
#include "firmware/simulate/simulator.h"

typedef struct {
    const char *source;         /* a world's name or file, or a recording */
    pov_simulator_config world; /* but for its name */
    int image_len;              /* 0: the world's own number; all of a recording */
    pov_shard shard;
    pov_question_choice asking; /* without pairs: of each scene the usual one */
} pov_gather_options;

/** Adds what the folder's log does not have yet; the log is then complete.
 *  Returns: POV_SKIPPED: the log is complete but for what is damaged in the recording, which the message names; POV_ERROR also if
 *  the log was made of something else. */
POV_MUST_USE pov_status pov_gather(const pov_log_folder *folder, const pov_gather_options *options);
