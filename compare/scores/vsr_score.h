/** VSR's measure (Liu, Emerson & Collier 2023, section 5): is a caption called true that is true? Pure. */
#ifndef POV_COMPARE_SCORES_VSR_SCORE_H
#define POV_COMPARE_SCORES_VSR_SCORE_H

#include "compare/statistics/tally.h"

/** In words; NULL: as the released scripts read labels (compare/answers/released_reading.h). */
pov_grade pov_vsr_grade(const char *answer, bool gold, const pov_yes_no_words *words);
/** By the probability that the caption is true: right iff (p > 0.5) == gold. NaN is missing. */
pov_grade pov_vsr_grade_p(double p, bool gold);

/** The category of Table 1 that a relation belongs to ("at_the_edge_of", "at the edge of"), or NULL if it is not in it. */
const char *pov_vsr_category(const char *relation);

#endif
