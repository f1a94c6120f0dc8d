/** How often answers of logs agree with the station, and with the truth of a simulation. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/tables/score_sheet.h"

typedef struct pov_agreement pov_agreement;

pov_agreement *pov_agreement_new(void);
void pov_agreement_destroy(pov_agreement **agreement);
/** Counts a row of a log; rows without an answer, or to questions of another form than yes or no, are none of it. scene: what the image
 *  shows (pov_log_scene_of); of: the part of its paper that the question belongs to, NULL: none. */
void pov_agreement_add(pov_agreement *agreement, const pov_answer_row *row, const char *scene,
                       const char *of);
/** Adds what another has counted, as if its rows had come next. */
void pov_agreement_join(pov_agreement *to, const pov_agreement *from);
/** Adds the table "agreement", unless there was nothing to count. */
void pov_agreement_print(const pov_agreement *agreement, pov_sheet *sheet);
