/** Reading a log row by row: each question with its image, and with a model's counted answer where there is one. */
#ifndef POV_COMPARE_LOG_ANSWER_ROWS_H
#define POV_COMPARE_LOG_ANSWER_ROWS_H

#include "compare/log/answer_log.h"

typedef struct {
    pov_log_image image; /* without evidence and truth: pov_answer_log_image has them */
    pov_log_question question;
    const char *model, *settings; /* NULL: not asked yet */
    bool has_result;
    pov_log_result result; /* valid if has_result */
} pov_answer_row;

typedef struct pov_answer_rows pov_answer_rows;

/** In the order of questions, then of models. The log must outlive it. */
POV_MUST_USE pov_status pov_answer_rows_new(pov_answer_rows **rows, pov_answer_log *log);
/** Returns: POV_OK; POV_END. What the row holds is borrowed until the next call. */
POV_MUST_USE pov_status pov_answer_rows_next(pov_answer_rows *rows, pov_answer_row *row);
void pov_answer_rows_destroy(pov_answer_rows **rows);

/** The first image after the one numbered `after` (0: from the start), with evidence and truth. POV_END: there is none. */
POV_MUST_USE pov_status pov_answer_log_image(pov_answer_log *log, pov_log_image *image, int64_t after);

#endif
