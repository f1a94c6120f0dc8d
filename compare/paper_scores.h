/** A table of answers, one case a row, scored as FoREST, VSR, Isle-Brick or SPHERE score them. docs/SCORES.md lists the
 *  columns; errors name file, line and column. */
#ifndef POV_COMPARE_PAPER_SCORES_H
#define POV_COMPARE_PAPER_SCORES_H

#include "compare/calibration.h"
#include "compare/forest_score.h"
#include "compare/name_set.h"
#include "compare/table.h"
#include "compare/tally.h"
#include "compare/vpt_score.h"

typedef enum { POV_PAPER_FOREST, POV_PAPER_VSR, POV_PAPER_VPT, POV_PAPER_SPHERE, POV_PAPER_COUNT } pov_paper;

/** "forest", "vsr", "vpt", "sphere". */
const char *pov_paper_name(pov_paper paper);

/** What is counted beside the scores, of each label of `labels`. */
typedef struct {
    pov_forest_bias bias;        /* FoREST */
    pov_vpt_cooccurrence matrix; /* Isle-Brick: Q4, Q5, Q7 */
    pov_calibration calibration; /* VSR with probabilities */
} pov_paper_extra;

/** Labels are "model<TAB>dimension<TAB>value", e.g. "gpt<TAB>relation<TAB>left of"; dimension "all" has no value. */
typedef struct {
    pov_tally *tally;
    pov_name_set *labels;
    pov_paper_extra *extras; /* [label] */
    int extras_capacity;
    pov_grade *grades; /* [row] of the table */
} pov_paper_scores;

/** On error nothing is left to free. */
POV_MUST_USE pov_status pov_paper_scores_new(pov_paper_scores *scores, pov_paper paper,
                                             const pov_table *table, const pov_yes_no_words *words,
                                             const pov_bootstrap_options *options);
void pov_paper_scores_free(pov_paper_scores *scores);

#endif
