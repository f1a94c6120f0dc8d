/** A file of a model's answers, read and scored: what `pov score` prints and `pov report` shows. */
#pragma once

#include "compare/layouts/visor.h"
#include "compare/log/answer_tables.h"
#include "compare/scores/comfort_data.h"
#include "compare/scores/paper_scores.h"
#include "compare/tables/score_sheet.h"
#include "config/files/read_file.h"

enum {
    POV_ANSWERS_COMFORT = POV_PAPER_COUNT, /* beside pov_paper */
    POV_ANSWERS_VISOR,                     /* detections in pictures that FoREST's captions were drawn for */
    POV_ANSWERS_BY_COLUMNS,                /* the paper that the columns tell */
    POV_ANSWERS_WORDS_MAX = 32
};

typedef struct {
    int paper;
    pov_comfort_options comfort; /* its formulas are FoREST's, too */
    pov_convention
        convention; /* by which viewers' answers are judged; POV_NO_CONVENTION: each language's own */
    pov_bootstrap_options bootstrap; /* the other papers' */
    const char *captions;            /* a file, of layouts and pictures; NULL: the answers' own columns */
    const char *pictures;            /* detections in pictures, for Layout_cond; NULL: none */
    bool geometry;                   /* of a log that no model has answered: the station's own curves */
    const char *yes[POV_ANSWERS_WORDS_MAX], *no[POV_ANSWERS_WORDS_MAX]; /* each ended by NULL */
} pov_answers_options;

void pov_answers_options_default(pov_answers_options *options);

typedef struct {
    const char *path;
    int paper; /* pov_paper, or POV_ANSWERS_COMFORT */
    pov_answers_options options;
    pov_bytes bytes;
    pov_export_beside beside;       /* of a log: answers that are on no curve */
    pov_table *table;               /* NULL: the layout of COMFORT's authors */
    pov_comfort_data *comfort;      /* COMFORT */
    pov_comfort_tables *tables;     /* COMFORT, [group] */
    pov_paper_scores scores;        /* the others */
    pov_captions *captions;         /* of the options; NULL: none */
    pov_visor *visor;               /* pictures */
    pov_visor_scores *visor_scores; /* [model] */
    pov_sheet *sheet;               /* their tables */
} pov_answers;

/** Reads and scores. Errors name file, line and column. On error nothing is left to free. `path` and the options' words
 *  are borrowed. */
POV_MUST_USE pov_status pov_answers_read(pov_answers *answers, const char *path,
                                         const pov_answers_options *options);
/** The same from memory, as POV_ANSWERS_VISOR: detections, one a line, which are taken over. */
POV_MUST_USE pov_status pov_answers_read_detections(pov_answers *answers, const char *path, pov_bytes *bytes,
                                                    const pov_answers_options *options);
/** Reads the answers for options->paper from a log; `path` names it in messages. POV_UNDEFINED: it has none to score. */
POV_MUST_USE pov_status pov_answers_read_log(pov_answers *answers, const char *path, pov_answer_log *log,
                                             const pov_answers_options *options);
/** The first half of a reading, and the second: between them the tables of several files are joined. On error nothing is left to
 *  free. pov_answers_load_log: POV_UNDEFINED: it has none. */
POV_MUST_USE pov_status pov_answers_load(pov_answers *answers, const char *path,
                                         const pov_answers_options *options);
POV_MUST_USE pov_status pov_answers_load_log(pov_answers *answers, const char *path, pov_answer_log *log,
                                             const pov_answers_options *options);
/** The same out of a log that was read already, with all papers together or this one. */
POV_MUST_USE pov_status pov_answers_take_log(pov_answers *answers, const char *path,
                                             pov_answer_tables *tables, const pov_answers_options *options);
/** POV_UNDEFINED, with a message: there is no answer to a question about a relation. */
POV_MUST_USE pov_status pov_answers_score(pov_answers *answers);
/** True for two tables of one paper. */
bool pov_answers_may_join(const pov_answers *to, const pov_answers *from);
/** Adds another file's rows; its path must live on, the rest may be freed. */
POV_MUST_USE pov_status pov_answers_join(pov_answers *to, const pov_answers *from);
void pov_answers_free(pov_answers *answers);
/** What of the answers is simulated, by their columns: "the station; model a, model b", "" if nothing is known to be. The caller frees it. */
char *pov_answers_simulated(const pov_answers *answers, int len);
#define POV_SIMULATED_WORDS "SIMULATED, no finding about a real model or camera: "
/** Adds its tables to another sheet. */
void pov_answers_add_tables(pov_sheet *sheet, const pov_answers *answers);
/** "comfort", "forest", ... */
const char *pov_answers_paper_name(const pov_answers *answers);
