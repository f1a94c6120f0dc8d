/** The rows of a table of answers as one question asked in several ways: of the mirrored image, in rotations of its options, under other
 *  prompt conditions. Pure. */
#pragma once

#include "compare/questions/prompt_condition.h"
#include "compare/scoring/answers.h"
#include "config/files/text.h"

/** How a row is asked, by its columns "flip" and "circular", or by the end of its id: pov's ("...+r1+flip") or 3DSRBench's
 *  ("0123ABCD-1-flip"). */
typedef struct {
    bool is_flipped;
    int rotation;
} pov_answer_way;

/** Out: base: the id without what tells the way: the same for all ways to ask one question. */
void pov_answer_way_of_id(pov_answer_way *way, pov_text *base, const char *id);

/** Cuts the suffix of one of a kind's conditions ("+facts") out of an id or a condition. Returns: its value; 0: it has none. */
int pov_answer_cut_condition(pov_text *text, pov_prompt_condition_kind kind);

enum { POV_UNIT_COLUMNS = 12 };

/** A row of answers that are scored. */
typedef struct {
    const pov_answers *of; /* whose columns these are */
    int column[POV_UNIT_COLUMNS];
    const char *model;
    pov_text base;      /* the question's id */
    pov_text condition; /* its language with the prompt conditions: "en+facts" */
    pov_text scene;     /* what is independent of the others: its scene and variant; "": none is named */
    const char *image;  /* of which question and mirror image are one; "" */
    pov_answer_way way;
    int order;       /* of SPHERE's random orders of options; 0: the first */
    int options;     /* offered; 0: none */
    pov_grade grade; /* score NaN: it cannot be right or wrong, as where geometry abstains */
} pov_answer_unit;

/** Start from {0}; its texts are used again by the next call, and freed by pov_answer_unit_free. Answers must be scored, and no pictures. */
void pov_answer_unit_read(pov_answer_unit *unit, const pov_answers *answers, int row);
void pov_answer_unit_free(pov_answer_unit *unit);

/** What a row is told apart by in tables: the column, and the row's text in it. NULL: there are no more. */
const char *pov_answer_group(const char **by, const pov_answers *answers, int row, int number);
