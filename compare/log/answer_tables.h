/** A log's answers as tables to be scored, one for each paper, without a file between. */
#pragma once

#include "compare/log/answer_export.h"
#include "compare/tables/table.h"

struct cJSON;

typedef struct pov_answer_tables pov_answer_tables;

/** Messages call the log `name`. The options must have `curves`; their `format` does not matter. Both are borrowed. */
POV_MUST_USE pov_status pov_answer_tables_new(pov_answer_tables **tables, pov_answer_log *log,
                                              const char *name, const pov_export_options *options);
void pov_answer_tables_destroy(pov_answer_tables **tables);
/** Adds a row of the log to the table of its paper, if it can be scored. */
POV_MUST_USE pov_status pov_answer_tables_add(pov_answer_tables *tables, pov_answer_row *row);
/** Both for all rows. */
POV_MUST_USE pov_status pov_answer_tables_read(pov_answer_tables **tables, pov_answer_log *log,
                                               const char *name, const pov_export_options *options);
/** True if any paper's questions were answered. */
bool pov_answer_tables_has(const pov_answer_tables *tables);
/** Answers to COMFORT's questions that are on no curve, of the rows that were added. */
const pov_export_beside *pov_answer_tables_beside(const pov_answer_tables *tables);
/** The table of a paper, which is the caller's; NULL: none of its questions was answered. */
pov_table *pov_answer_tables_take(pov_answer_tables *tables, const char *paper);

/** As pov_answer_columns_object and pov_answer_columns_scene, for a row that was added or is about to be. */
const struct cJSON *pov_answer_tables_object(pov_answer_tables *tables, const pov_answer_row *row);
const pov_log_scene *pov_answer_tables_scene(const pov_answer_tables *tables);
