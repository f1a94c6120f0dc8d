/** How far people who answered logs' questions (`pov study questions`) agree with each other and with models. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/tables/score_sheet.h"

typedef struct pov_people_agreement pov_people_agreement;

pov_people_agreement *pov_people_agreement_new(void);
void pov_people_agreement_destroy(pov_people_agreement **people);
/** Whether a person has answered a question of a log: only such a log's rows need be added. */
POV_MUST_USE pov_status pov_people_have_answered(bool *answered, pov_answer_log *log);
/** Counts a row of a log. Answers that are refusals, or unclear, do not count. */
void pov_people_agreement_add(pov_people_agreement *people, const pov_answer_row *row);
/** Adds what was counted of other logs; the same question of two logs is two. */
void pov_people_agreement_join(pov_people_agreement *to, const pov_people_agreement *from);
/** Adds the table `people`: a row for each paper, contestant and person: Cohen's kappa of what both answered (Cohen 1960), and one for all
 *  people of a paper, Fleiss' kappa (Fleiss 1971) over the questions that two or more answered. Adds nothing if no person has answered. */
void pov_people_agreement_print(const pov_people_agreement *people, pov_sheet *sheet);
