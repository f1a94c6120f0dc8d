/** Where models' answers flip, and which frames of reference they follow: from all answers of logs at their own angles, on curves or not. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/tables/score_sheet.h"

/** Adds tables "flips" and "frames", if the logs have answers to COMFORT's questions about relations; `beside_only`: only if some of these
 *  are on no curve. */
POV_MUST_USE pov_status pov_flip_sheets_add(pov_answer_log *const *logs, int len, pov_sheet *sheet,
                                            bool beside_only);
