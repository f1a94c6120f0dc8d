/** FoREST's measures (Premsri & Kordjamshidi 2025, section 5.1): any valid answer counts; of the answers that fit only one
 *  frame, the share that fits the relative or the intrinsic one. Pure. */
#ifndef POV_COMPARE_SCORES_FOREST_SCORE_H
#define POV_COMPARE_SCORES_FOREST_SCORE_H

#include "compare/statistics/tally.h"

/** What the answer is in each frame that applies, as bits 1 << POV_LEFT_OF ... POV_BEHIND; 0: it does not apply. */
typedef struct {
    unsigned relative, intrinsic;
} pov_forest_gold;

/** Of cases that have both golds. Start from {0}. */
typedef struct {
    int relative, intrinsic; /* answers that fit one frame only; those that fit both tell nothing */
    int both, alike,
        cases; /* answers that fit both; given ones whose golds are the same; all but missing ones */
} pov_forest_bias;

/** In: released: read as the released scripts read answers (compare/answers/released_reading.h). */
pov_grade pov_forest_grade(pov_forest_bias *bias, const char *answer, pov_forest_gold gold, bool released);
/** R% and I%. NaN if no answer tells. */
typedef struct {
    double relative, intrinsic;
} pov_forest_shares;
pov_forest_shares pov_forest_share(const pov_forest_bias *bias);
/** What the authors' released script prints: answers that fit both frames count as relative, and what it takes off for
 *  cases whose golds are the same is a share, not a percentage, with the wrong sign in R's divisor. */
pov_forest_shares pov_forest_share_released(const pov_forest_bias *bias);

/** Which frame an expression is in: gold as bits 1 << pov_forest_frame; any that is valid counts. */
pov_grade pov_forest_frame_grade(const char *answer, unsigned gold, bool released);

#endif
