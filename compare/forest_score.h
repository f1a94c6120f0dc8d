/** FoREST's measures (Premsri & Kordjamshidi 2025, section 5.1): any valid answer counts; of the answers that fit only one
 *  frame, the share that fits the relative or the intrinsic one. Pure. */
#ifndef POV_COMPARE_FOREST_SCORE_H
#define POV_COMPARE_FOREST_SCORE_H

#include "compare/tally.h"

/** What the answer is in each frame that applies, as bits 1 << POV_LEFT_OF ... POV_BEHIND; 0: it does not apply. */
typedef struct {
    unsigned relative, intrinsic;
} pov_forest_gold;

/** Start from {0}. Answers that fit both frames tell nothing and are not counted. */
typedef struct {
    int relative, intrinsic;
} pov_forest_bias;

pov_grade pov_forest_grade(pov_forest_bias *bias, const char *answer, pov_forest_gold gold);
/** R%; I% is 1 less it. NaN if no answer tells. */
double pov_forest_relative_share(const pov_forest_bias *bias);

/** Which frame an expression is in: gold as bits 1 << pov_forest_frame; any that is valid counts. */
pov_grade pov_forest_frame_grade(const char *answer, unsigned gold);

#endif
