/** Validators' votes on VSR's captions: those that a released set came with, and those of people who answered the captions as questions
 *  (Liu et al. 2023, sections 3.2 and 3.5 and Figure 7). */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/tables/score_sheet.h"

typedef struct pov_votes pov_votes;

pov_votes *pov_votes_new(void);
void pov_votes_destroy(pov_votes **votes);
/** Takes the votes of a row of a log: all rows of a question come one after the other. */
void pov_votes_add(pov_votes *votes, const pov_answer_row *row);
/** Adds what another has taken of other logs. */
void pov_votes_join(pov_votes *to, const pov_votes *from);
/** Returns the number of captions with votes. */
int pov_votes_len(const pov_votes *votes);
/** Adds the tables `validation`, a row for each set, and `validation_by_relation`; nothing if there are no votes. */
void pov_votes_print(const pov_votes *votes, pov_sheet *sheet);
/** Counts the validators that a list of VSR's release names: "[54, 19, 2]" is 3. */
int pov_votes_count(const char *list);
