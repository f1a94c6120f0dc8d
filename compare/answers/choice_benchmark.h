/** The benchmarks of choice by letters and of numbers, a row each: what they are called, how a question is put, which kinds they have, and how
 *  their files are written. A new one is a row of the table in choice_benchmark.c, and a source of its questions (compare/questions). Pure. */
#pragma once

#include "compare/answers/letter_reading.h"

typedef enum {
    POV_CHOICE_VIEWSPATIAL,
    POV_CHOICE_3DSRBENCH,
    POV_CHOICE_MINDCUBE,
    POV_CHOICE_VSI,
    POV_CHOICE_SPAR,
    POV_CHOICE_SPATIAL457,
    POV_CHOICE_OMNISPATIAL,
    POV_CHOICE_ROBOSPATIAL,
    POV_CHOICE_EMBSPATIAL,
    POV_CHOICE_BENCHMARKS
} pov_choice_benchmark_id;

/** The form of a published file, and what its members hold. */
typedef enum { POV_ROWS_LIST, POV_ROWS_LINES, POV_ROWS_TABLE } pov_choice_file;
typedef enum {
    POV_FIELD_END,
    POV_FIELD_PERSPECTIVE,      /* OmniSpatial's: "Perspective_Taking" */
    POV_FIELD_ID,               /* eight characters, the same for the same question about the same image */
    POV_FIELD_KIND_AND_ID,      /* "around_0AB1C2D3" */
    POV_FIELD_KIND,             /* the task's name */
    POV_FIELD_IMAGES,           /* a list */
    POV_FIELD_FIRST_IMAGE,      /* a name */
    POV_FIELD_QUESTION,         /* without options */
    POV_FIELD_QUESTION_OPTIONS, /* "... A. left B. right" */
    POV_FIELD_OPTIONS,          /* "A. left\nB. right" */
    POV_FIELD_OPTION_LIST,      /* ["A. left", "B. right"]; null of a number */
    POV_FIELD_OPTION_TEXTS,     /* ["left", "right"] */
    POV_FIELD_COLUMNS,          /* members "A" to "D" */
    POV_FIELD_GOLD,             /* a letter; a number */
    POV_FIELD_GOLD_WITH_LETTER, /* "A. left" */
    POV_FIELD_GOLD_INDEX,       /* 0 */
    POV_FIELD_GOLD_TEXT,        /* "left" */
    POV_FIELD_FORMAT,           /* SPAR's: "select", "fill" */
    POV_FIELD_MAP               /* MindCube's, if there is one */
} pov_choice_field_kind;
typedef struct {
    const char *name;
    pov_choice_field_kind kind;
} pov_choice_field;

/** A kind that numbers answer. */
typedef struct {
    const char *kind,
        *unit; /* the beginning of its name; "m", "cm"; "": a number of things, or in a unit that is none of length */
} pov_choice_number;

enum { POV_CHOICE_NAMES = 9, POV_CHOICE_FIELDS = 12 };

typedef struct {
    const char *name; /* "viewspatial" */
    const char *title, *reference,
        *cited; /* "ViewSpatial-Bench"; its key in references.bib; "Li et al. 2025" */
    const char *before, *between,
        *wish;     /* a prompt: before the question; between it and the options; how to reply */
    bool in_words; /* options have no letters: "Reply with one of: yes, no." */
    const char *kind_names
        [POV_CHOICE_NAMES]; /* members or columns with the kind of question, the first that is there */
    const char *kinds[POV_CHOICE_NAMES]; /* beginnings of kinds, by which a published row is known */
    bool kind_in_id;                     /* the id begins with the kind */
    bool needs_options;                  /* its kinds' names are not enough to know its rows by */
    const pov_choice_number *numbers;    /* kinds that numbers answer, ended by NULL; NULL: none */
    const char *const
        *usual[3]; /* in_words: options where a row lists none: those of which the right answer is one */
    pov_letter_rule script; /* how its own script reads letters */
    pov_choice_file file;
    pov_choice_field fields[POV_CHOICE_FIELDS];
} pov_choice_benchmark;

const pov_choice_benchmark *pov_choice_benchmark_at(pov_choice_benchmark_id id);
/** Whether a kind begins as one of its kinds does. */
bool pov_choice_benchmark_has(const pov_choice_benchmark *benchmark, const char *kind);
/** The kind that is in an id, whatever its case; NULL: none. */
const char *pov_choice_benchmark_kind_in(const pov_choice_benchmark *benchmark, const char *id);
/** The unit of a kind that numbers answer; NULL: it has options. */
const char *pov_choice_benchmark_unit(const pov_choice_benchmark *benchmark, const char *kind);
/** Fills an empty list of options with the usual ones that `gold` is one of, or with `gold` alone; leaves other lists as they are. */
void pov_choice_benchmark_offer(const pov_choice_benchmark *benchmark, pov_choice_list *list,
                                const char *gold);
/** "A. left", with a text between two. The caller frees it. */
char *pov_choice_write_options(const char *const *options, int len, const char *between);
/** A question as it is put to a model; `wishes`: says how to reply; unit: of a number; NULL: it has options. The caller frees it. */
char *pov_choice_write_prompt(const pov_choice_benchmark *benchmark, const char *stem,
                              const char *const *options, int len, const char *unit, bool wishes);
/** Reads an answer to its questions that have options: letters, or words. */
pov_answer_kind pov_choice_benchmark_read(int *option, const pov_choice_benchmark *benchmark,
                                          const char *answer, const pov_choice_list *options, bool released);
