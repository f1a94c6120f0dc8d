/** Where models' answers flip, and which frames of reference they follow: from all answers of logs at their own angles, on curves or not. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/tables/score_sheet.h"
#include "perception/tasks.h"

struct cJSON;

typedef struct pov_flip_sheets pov_flip_sheets;

pov_flip_sheets *pov_flip_sheets_new(void);
void pov_flip_sheets_destroy(pov_flip_sheets **sheets);
/** Takes a row of a log; those that are no answer to one of COMFORT's questions about relations are none of it. columns: the question's,
 *  parsed; NULL: nobody has done that yet. */
void pov_flip_sheets_take(pov_flip_sheets *sheets, const pov_answer_row *row, const struct cJSON *columns);
/** Adds what another has taken, as if its rows had come next. */
void pov_flip_sheets_join(pov_flip_sheets *to, const pov_flip_sheets *from);
/** Adds tables "flips" and "frames", if there were such answers; `beside_only`: only if some of these are on no curve. workers NULL: one
 *  processor; the same bits for any number. */
void pov_flip_sheets_print(const pov_flip_sheets *sheets, pov_sheet *sheet, bool beside_only,
                           const pov_workers *workers);
