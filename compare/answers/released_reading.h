/** How the released scripts of FoREST, SPHERE and VSR read answers, for scores beside the papers' tables; docs/SCORES.md says
 *  where these readings differ from the scripts'. An answer is given or unclear, never missing: the scripts count an
 *  empty one as wrong. Pure.
 *
 *  Sources: find_answer of FoREST's evaluation_QA.py and evlauate_FoR_identification.py; process_format_num and
 *  process_format_mcq of SPHERE's tasks/utils.py; VSR's eval.py. */
#pragma once

#include "compare/answers/answer_parse.h"
#include "perception/papers/forest.h"

/** FoREST: of what stands behind the first "answer:", up to a stop, the first candidate that is anywhere in it; or all that stands
 *  behind the first "category:"; or, without either, the first candidate anywhere in the answer. */
pov_answer_kind pov_released_relation(pov_relation *relation, const char *answer);
pov_answer_kind pov_released_frame(pov_forest_frame *frame, const char *answer);

/** SPHERE: of the first sentence, the option with the largest share of its words, in their order; of several the one that begins
 *  first, else that ends first. */
pov_answer_kind pov_released_option(int *option, const char *answer, const char *const options[], int len);
/** SPHERE: the first number without its signs, in digits or up to "twenty"; "no" is 0. */
pov_answer_kind pov_released_count(double *count, const char *answer);

/** VSR: a label and nothing else: true, false, 1, 0. */
pov_answer_kind pov_released_label(bool *label, const char *answer);
