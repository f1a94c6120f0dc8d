/** The measures of FoREST, SPHERE, Isle-Brick and VSR: one answer graded. Pure. */
#pragma once

#include "compare/statistics/tally.h"

/* ---- FoREST (Premsri & Kordjamshidi 2025, section 5.1): any valid answer counts; of the answers that fit only one frame,
 * the share that fits the relative or the intrinsic one ---- */

/** The answer in each frame that applies, as bits 1 << POV_LEFT_OF ... POV_BEHIND; 0: the frame does not apply. */
typedef struct {
    unsigned relative, intrinsic;
} pov_forest_gold;

/** Counts of cases that have both golds. Start from {0}. */
typedef struct {
    int relative, intrinsic; /* answers that fit one frame only; those that fit both tell nothing */
    int both, alike,
        cases; /* answers that fit both; given ones whose golds are the same; all but missing ones */
    int confusion[4][4]; /* [gold][answered] as POV_LEFT_OF ... POV_BEHIND, of cases with one right answer */
} pov_forest_bias;

/** In: released: read as the released scripts read answers (compare/answers/released_reading.h). */
pov_grade pov_forest_grade(pov_forest_bias *bias, const char *answer, pov_forest_gold gold, bool released);
/** R% and I%. NaN if no answer tells. */
typedef struct {
    double relative, intrinsic;
} pov_forest_shares;
pov_forest_shares pov_forest_share(const pov_forest_bias *bias);
/** R% and I% as the authors' released script prints them: answers that fit both frames count as relative, and what it takes off for
 *  cases whose golds are the same is a share, not a percentage, with the wrong sign in R's divisor. */
pov_forest_shares pov_forest_share_released(const pov_forest_bias *bias);

/** The frame of an expression: gold as bits 1 << pov_forest_frame; any valid frame counts. */
pov_grade pov_forest_frame_grade(const char *answer, unsigned gold, bool released);

/* ---- SPHERE's measures (Zhang et al. 2025, section 4.1): validity (the answer is one of the options, or a number) and
 * accuracy (what is invalid is wrong), over runs with the options in other orders. Pure. ---- */

enum { POV_SPHERE_RUNS = 5, POV_SPHERE_OPTIONS_MAX = POV_ANSWER_OPTIONS_MAX };

/** The order in which run `seed` of a question offers its options: order[place] = option. The same on every machine. */
void pov_sphere_shuffle(int order[], int len, uint64_t question, uint64_t seed);

/** An answer to a question with options, of which `gold` is right. Given means valid.
 *  In: released: read as the released script reads answers (compare/answers/released_reading.h). */
pov_grade pov_sphere_grade(const char *answer, const char *const options[], int len, int gold, bool released);
/** An answer to "how many". */
pov_grade pov_sphere_grade_count(const char *answer, double gold, bool released);

/* ---- Isle-Brick's measures (Goral et al. 2025, appendix A): prediction correctness, co-occurrence, directional bias. Pure. ---- */

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

/** Reads an answer to a question. */
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

void pov_vpt_count_reply(pov_vpt_cooccurrence *matrix, const pov_vpt_reply *reply, pov_answer_kind kind,
                         const pov_vpt_reply *gold);

/** How far the answers' directions are from the golds': half the sum of |share answered - share gold|, 0 to 1, and the
 *  direction that is answered most beyond its share (-1: none is). NaN without answers. */
double pov_vpt_bias(int *favourite, const pov_vpt_cooccurrence *matrix);

/* ---- VSR's measure (Liu, Emerson & Collier 2023, section 5): is a caption called true that is true? Pure. ---- */

/** In words; NULL: as the released scripts read labels (compare/answers/released_reading.h). */
pov_grade pov_vsr_grade(const char *answer, bool gold, const pov_yes_no_words *words);
/** By the probability that the caption is true: right iff (p > 0.5) == gold. NaN is missing. */
pov_grade pov_vsr_grade_p(double p, bool gold);

/** The category of Table 1 that a relation belongs to ("at_the_edge_of", "at the edge of"), or NULL if it is not in it. */
const char *pov_vsr_category(const char *relation);
