/** The papers' released files into a log: their items as questions, and the answers that such files hold. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/log/released_set.h"
#include "firmware/comparison/log_folder.h"

typedef struct {
    const char *path; /* of the file */
    const char
        *images;       /* a folder; NULL: the questions are kept without images, for answers from elsewhere */
    int64_t questions; /* out: added */
} pov_released_import;

/** Adds a set's questions, with copies of their images, all or none. What the log has already stays as it is.
 *  Returns: POV_ERROR also if an image is missing, or the log holds something else than released sets. */
POV_MUST_USE pov_status pov_released_add_questions(pov_released_import *import, const pov_released_set *set,
                                                   pov_answer_log *log, const pov_log_folder *folder);

/** The answers' questions in a log: of a set, or of the log's own by FoREST's context and label.
 *  Out: ids: [answer], for an answer file's own use; the caller frees it.
 *  Returns: POV_ERROR that names the first answer whose question is not there, or is one of several. */
POV_MUST_USE pov_status pov_released_find_questions(int64_t **ids, const pov_released_set *set,
                                                    const char *path, pov_answer_log *log);
