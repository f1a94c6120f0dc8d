/** A table of answers, one case a row, scored as FoREST, VSR, Isle-Brick or SPHERE score them. docs/SCORES.md lists the
 *  columns; errors name file, line and column. */
#pragma once

#include "compare/answers/choice_benchmark.h"
#include "compare/layouts/box_layout.h"
#include "compare/layouts/caption.h"
#include "compare/scores/paper_measures.h"
#include "compare/statistics/name_set.h"
#include "compare/statistics/tally.h"
#include "compare/tables/table.h"

typedef enum {
    POV_PAPER_FOREST,
    POV_PAPER_VSR,
    POV_PAPER_VPT,
    POV_PAPER_SPHERE,
    POV_PAPER_CHOICES, /* from here on those of compare/answers/choice_benchmark.h */
    POV_PAPER_COUNT = POV_PAPER_CHOICES + POV_CHOICE_BENCHMARKS
} pov_paper;

/** "forest", "vsr", "vpt", "sphere", "viewspatial", ... */
const char *pov_paper_name(pov_paper paper);
/** Its row among the benchmarks of choice by letters; NULL: it is none. */
const pov_choice_benchmark *pov_paper_choice(pov_paper paper);

/** A benchmark of multiple choice whose own rows these are, by the kinds of questions that they name. False: it is none. */
bool pov_paper_of_choices(pov_paper *paper, const pov_table *table);

/** Layouts of a model: how many there are, how many boxes cannot judge, and how they are written. */
typedef struct {
    int len, undecided, remarks[POV_LAYOUT_REMARKS];
} pov_layout_count;

/** Which frame of reference answers fit, of questions by letters: the one asked for, the camera's, a person's, the thing's own, and the
 *  asked one with left and right mistaken. */
typedef enum {
    POV_FRAME_FIT_ASKED,
    POV_FRAME_FIT_CAMERA,
    POV_FRAME_FIT_PERSON,
    POV_FRAME_FIT_OWN,
    POV_FRAME_FIT_MIRRORED,
    POV_FRAME_FIT_COUNT
} pov_fit_frame;
/** "asked", "camera", "person", "own", "mirrored". */
const char *pov_fit_frame_name(pov_fit_frame value);

typedef struct {
    int known, fits;  /* answers to questions that have an answer in this frame; those that are it */
    int apart, alone; /* of them where it differs from the asked one; those that are it then */
} pov_frame_fit;

/** MindCube's maps. */
typedef struct {
    int replies, parsable, valid;
    double coverage, directional, facing, overall; /* sums over valid ones */
} pov_cogmap_tally;

/** Counts beside the scores, for each label of `labels`. */
typedef struct {
    pov_frame_fit fit[POV_FRAME_FIT_COUNT]; /* of questions by letters */
    pov_cogmap_tally cogmap;                /* MindCube */
    pov_layout_count layouts;               /* FoREST */
    pov_forest_bias bias;                   /* FoREST */
    pov_vpt_cooccurrence matrix;            /* Isle-Brick: Q4, Q5, Q7 */
    double p_directions[4];                 /* Isle-Brick: sums over p_directions_len answers' tokens */
    int p_directions_len;
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
