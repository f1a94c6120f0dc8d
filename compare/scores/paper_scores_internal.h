/** Shared by the readers of papers' answers. */
#pragma once

#include "compare/answers/letter_reading.h"
#include "compare/scores/paper_scores.h"
#include "config/files/text.h"

enum { POV_READER_COLUMNS = 20 };

typedef struct {
    const pov_table *table;
    const pov_paper_aids *aids;
    const pov_captions *captions; /* FoREST's layouts; NULL: none */
    pov_paper_scores *scores;
    pov_paper paper;
    int model, language, id, answer, layout, task, scene_column, variant, kind; /* columns */
    int set;                        /* a paper's released one; -1: all rows are of own scenes */
    int intervention;               /* Isle-Brick's; -1: nothing is changed in any row */
    int column[POV_READER_COLUMNS]; /* a paper's own */
    int row;
    pov_text *label;                      /* the last one written */
    pov_text *scene;                      /* the row's, with its variant; "": the row's own */
    struct pov_choice_settings *settings; /* of a benchmark whose rows belong together; NULL: none */
} pov_paper_reader;

const char *pov_reader_cell(const pov_paper_reader *r, int column);
/** "model<TAB>dimension<TAB>value", until the next one. */
const char *pov_reader_label(const pov_paper_reader *r, const char *dimension, const char *value);
/** Counts the row's grade; dimension "all" for the row's set, too. */
void pov_reader_add_grade(const pov_paper_reader *r, const char *dimension, const char *value,
                          const pov_grade *grade);
pov_paper_extra *pov_reader_need_extra(const pov_paper_reader *r, const char *dimension, const char *value);

/** The benchmarks of compare/answers/choice_benchmark.h. choice_scores.c */
pov_status pov_choice_find_columns(pov_paper_reader *r);
pov_status pov_choice_add_row(const pov_paper_reader *r);
/** Adds what rows give together. Call it once, after the last row; frees r->settings. */
void pov_choice_finish(pov_paper_reader *r);
