/** How far people who answered a log's questions (`pov study questions`) agree with each other and with models. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/tables/score_sheet.h"

/** Adds the table `people`: a row for each paper, contestant and person: Cohen's kappa of what both answered (Cohen 1960), and one for all
 *  people of a paper, Fleiss' kappa (Fleiss 1971) over the questions that two or more answered. Answers that are refusals, or unclear,
 *  do not count. Adds nothing if no person has answered. Logs are read one after the other; the same question of two logs is two. */
POV_MUST_USE pov_status pov_people_agreement(pov_sheet *sheet, pov_answer_log *const *logs, int len);
