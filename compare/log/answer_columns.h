/** A log's answers in named columns, as docs/LOG.md lists them: what exports write and what is scored. */
#pragma once

#include "compare/log/answer_export.h"

struct cJSON;

typedef enum {
    POV_COLUMN_TEXT,
    POV_COLUMN_NUMBER,
    POV_COLUMN_EMPTY,
    POV_COLUMN_JSON /* what else a question brings along: true, false, a list */
} pov_column_kind;

typedef struct {
    const char *name;
    pov_column_kind kind;
    const char *text;
    double number;
    const struct cJSON *item;
} pov_answer_cell;

typedef struct pov_answer_columns pov_answer_columns;

/** Reads what all rows share: the run, how the parties of each scene face, over all its images, and which image is nearest to each place of
 *  a curve. `options`, the log and their strings
 *  are borrowed. */
POV_MUST_USE pov_status pov_answer_columns_new(pov_answer_columns **columns, pov_answer_log *log,
                                               const pov_export_options *options);
void pov_answer_columns_destroy(pov_answer_columns **columns);
/** The cells of a row, in order, borrowed until the next call. Returns: how many; 0: the options do not want this row. With
 *  options->geometry the row's answer becomes the station's. */
int pov_answer_columns_fill(pov_answer_columns *columns, const pov_answer_cell **cells, pov_answer_row *row);
/** Answers to COMFORT's questions that are on no curve, of the rows that were filled. */
const pov_export_beside *pov_answer_columns_beside(const pov_answer_columns *columns);
/** The columns that a row's question brings along, as a JSON object. Borrowed until the next call. */
const struct cJSON *pov_answer_columns_object(pov_answer_columns *columns, const pov_answer_row *row);
/** True if the station is simulated. */
bool pov_answer_columns_simulated(const pov_answer_columns *columns);
/** What the images show. */
const pov_log_scene *pov_answer_columns_scene(const pov_answer_columns *columns);
