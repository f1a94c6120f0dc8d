/** Isle-Brick's measures (Goral et al. 2025, appendix A): prediction correctness, co-occurrence, directional bias. Pure. */
#ifndef POV_COMPARE_SCORES_VPT_SCORE_H
#define POV_COMPARE_SCORES_VPT_SCORE_H

#include "compare/statistics/tally.h"

typedef enum {
    POV_VPT_Q1,
    POV_VPT_Q2,
    POV_VPT_Q3,
    POV_VPT_Q4,
    POV_VPT_Q5,
    POV_VPT_Q6,
    POV_VPT_Q7,
    POV_VPT_QUESTIONS
} pov_vpt_question;

/** Q1, Q2: a number. Q3, Q6: yes is 1. Q4, Q5, Q7: the parts of pov_vpt_direction. */
typedef struct {
    double number;
    bool directions[4];
} pov_vpt_reply;

/** What an answer to a question says. */
pov_answer_kind pov_vpt_read(pov_vpt_reply *reply, const char *answer, pov_vpt_question question);

/** |answered and gold| / |answered|; chance as appendix A.3. */
pov_grade pov_vpt_grade(const pov_vpt_reply *reply, pov_answer_kind kind, const pov_vpt_reply *gold,
                        pov_vpt_question question);

bool pov_vpt_has_directions(pov_vpt_question question);

/** Start from {0}. Several golds or parts put one answer into several cells (A.5). */
typedef struct {
    int count[4][4]; /* [gold][answered]: north east south west, or front right back left */
    int gold[4], answered[4];
    int single, compound,
        discarded; /* answers with one part, with several, with none (Table 3 of the appendix) */
} pov_vpt_cooccurrence;

void pov_vpt_count(pov_vpt_cooccurrence *matrix, const pov_vpt_reply *reply, pov_answer_kind kind,
                   const pov_vpt_reply *gold);

/** How far the answers' directions are from the golds': half the sum of |share answered - share gold|, 0 to 1, and the
 *  direction that is answered most beyond its share (-1: none is). NaN without answers. */
double pov_vpt_bias(int *favourite, const pov_vpt_cooccurrence *matrix);

#endif
