/** The scores of a log: the papers' tables, and how often answers agree with the station and with the truth. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/tables/score_sheet.h"

/** Prints all that the log has answers for, as tables or as one JSON object; says so if it has none. */
POV_MUST_USE pov_status pov_sweep_scores_print(pov_answer_log *log, FILE *stream, bool json);
