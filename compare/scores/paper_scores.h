/** A table of answers, one case a row, scored as FoREST, VSR, Isle-Brick or SPHERE score them. docs/SCORES.md lists the
 *  columns; errors name file, line and column. */
#pragma once

#include "compare/layouts/box_layout.h"
#include "compare/layouts/caption.h"
#include "compare/scores/paper_measures.h"
#include "compare/statistics/name_set.h"
#include "compare/statistics/tally.h"
#include "compare/tables/table.h"

typedef enum { POV_PAPER_FOREST, POV_PAPER_VSR, POV_PAPER_VPT, POV_PAPER_SPHERE, POV_PAPER_COUNT } pov_paper;

/** "forest", "vsr", "vpt", "sphere". */
const char *pov_paper_name(pov_paper paper);

/** Layouts of a model: how many there are, how many boxes cannot judge, and how they are written. */
typedef struct {
    int len, undecided, remarks[POV_LAYOUT_REMARKS];
} pov_layout_count;

/** Counts beside the scores, for each label of `labels`. */
typedef struct {
    pov_layout_count layouts;    /* FoREST */
    pov_forest_bias bias;        /* FoREST */
    pov_vpt_cooccurrence matrix; /* Isle-Brick: Q4, Q5, Q7 */
    pov_calibration calibration; /* VSR with probabilities */
} pov_paper_extra;

/** The dimension of Isle-Brick's Q5 by what was changed (appendix B); "none": nothing. */
#define POV_BY_INTERVENTION "intervention"

/** Labels are "model<TAB>dimension<TAB>value", e.g. "gpt<TAB>relation<TAB>left of"; dimension "all" has no value. */
typedef struct {
    pov_tally *tally;
    pov_name_set *labels;
    pov_paper_extra *extras; /* [label] */
    int extras_capacity;
    pov_grade *grades; /* [row] of the table */
} pov_paper_scores;

/** Options for reading answers. */
typedef struct {
    const pov_yes_no_words *words; /* VSR */
    const pov_captions *captions;  /* FoREST's layouts; NULL: the table's own */
    const bool *pictured; /* [caption] whether a picture has both things; NULL: no pictures are known */
    bool released; /* as the papers' released scripts read answers (compare/answers/released_reading.h) */
} pov_paper_aids;

/** On error nothing is left to free. People read Isle-Brick's answers: `released` is an error. */
POV_MUST_USE pov_status pov_paper_scores_new(pov_paper_scores *scores, pov_paper paper,
                                             const pov_table *table, const pov_paper_aids *aids,
                                             const pov_bootstrap_options *options);
void pov_paper_scores_free(pov_paper_scores *scores);
