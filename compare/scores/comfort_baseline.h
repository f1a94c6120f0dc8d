/** COMFORT's baselines on a lab's own questions (Zhang et al. 2025, Table 5): answers at random, and always "yes". Pure. */
#pragma once

#include "compare/scores/comfort_data.h"

/** All questions that any model was asked, in any language, as those of one respondent in the language "any". Nothing is answered yet.
 *  `model` names it. */
pov_comfort_data *pov_comfort_baseline_new(const pov_comfort_data *data, const char *model);
/** Answers each question by a P(yes) drawn evenly from [0, 1). The paper does not say how it draws; this gives its numbers. */
void pov_comfort_baseline_draw(pov_comfort_data *baseline, uint64_t seed);
/** Answers each question with "yes". */
void pov_comfort_baseline_affirm(pov_comfort_data *baseline);
