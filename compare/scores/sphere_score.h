/** SPHERE's measures (Zhang et al. 2025, section 4.1): validity (the answer is one of the options, or a number) and
 *  accuracy (what is invalid is wrong), over runs with the options in other orders. Pure. */
#ifndef POV_COMPARE_SCORES_SPHERE_SCORE_H
#define POV_COMPARE_SCORES_SPHERE_SCORE_H

#include "compare/statistics/tally.h"

enum { POV_SPHERE_RUNS = 5, POV_SPHERE_OPTIONS_MAX = 8 };

/** The order in which run `seed` of a question offers its options: order[place] = option. The same on every machine. */
void pov_sphere_shuffle(int order[], int len, uint64_t question, uint64_t seed);

/** An answer to a question with options, of which `gold` is right. Given means valid.
 *  In: released: read as the released script reads answers (compare/answers/released_reading.h). */
pov_grade pov_sphere_grade(const char *answer, const char *const options[], int len, int gold, bool released);
/** An answer to "how many". */
pov_grade pov_sphere_grade_count(const char *answer, double gold, bool released);

#endif
