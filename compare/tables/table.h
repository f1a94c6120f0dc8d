/** A table of text as labs keep them: CSV (RFC 4180; comma, semicolon or tab), JSON lines, or one JSON document. Whole in
 *  memory. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum { POV_TABLE_COLUMNS_MAX = 128 };

typedef struct pov_table pov_table;

/** The first line of CSV names the columns; of JSON lines, each is an object, its keys are columns, a list of text and
 *  numbers becomes text with "|" between, and what is nested deeper its JSON. A list of objects makes a row of each, with the members around the list repeated. A
 *  document is a list of objects, or an object that has one. `name` stands for the path in messages, and is borrowed.
 *  Errors name file, line (of a document: item) and column. On error *table is NULL. */
POV_MUST_USE pov_status pov_table_parse(pov_table **table, const char *name, const char *text, size_t length);
void pov_table_destroy(pov_table **table);

/** An empty table, to be filled row by row: its columns are those that cells are put into. `name` is borrowed. */
pov_table *pov_table_new(const char *name);
void pov_table_add_row(pov_table *table);
/** Puts a cell into the last row, as parsing the same from JSON does. column: in: where the same cell of the row before went, -1: not
 *  known; out: its column. Errors: too many columns, too much text, a name for the second time in one row. */
POV_MUST_USE pov_status pov_table_put_text(pov_table *table, int *column, const char *name, const char *text);
POV_MUST_USE pov_status pov_table_put_number(pov_table *table, int *column, const char *name, double number);
struct cJSON;
/** A member of a JSON object. */
POV_MUST_USE pov_status pov_table_put_item(pov_table *table, const struct cJSON *member);

/** Adds the rows of another table, its columns by name. Texts of the columns in `paths` (ended by NULL) that are relative paths get the
 *  folder of their table's name before them: of the first table, too, when the second comes. `from` is as it was; its name must
 *  live as long as `to`. */
POV_MUST_USE pov_status pov_table_append(pov_table *to, const pov_table *from, const char *const *paths);
/** How many tables it was made of, and their names. */
int pov_table_sources(const pov_table *table);
const char *pov_table_source(const pov_table *table, int source);
/** The number of the table that a row comes from. */
int pov_table_row_source(const pov_table *table, int row);

const char *pov_table_name(const pov_table *table);
int pov_table_len(const pov_table *table);
/** -1: there is none. */
int pov_table_column(const pov_table *table, const char *name);
/** NULL: there are not so many. */
const char *pov_table_column_name(const pov_table *table, int column);
/** "" where there is nothing, also for column -1. */
const char *pov_table_cell(const pov_table *table, int row, int column);
/** The number of a cell's text: equal texts of one table have one number, "" has 0. */
uint32_t pov_table_text(const pov_table *table, int row, int column);
/** The line of its file in which a row starts, from 1. */
int pov_table_line(const pov_table *table, int row);

/* ---- Reading a table's cells, with complaints that name file, line and column. ---- */

/** A word and what it stands for. */
typedef struct {
    const char *word;
    int value;
} pov_word;

/** The column's number; an error if there is none, with what it is for. */
POV_MUST_USE pov_status pov_cell_need_column(int *column, const pov_table *table, const char *name,
                                             const char *purpose);
/** POV_ERROR "file:line: column: message". */
pov_status pov_cell_complain(const pov_table *table, int row, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** A number in [low, high]; NaN if the cell is empty, "nan" or "null". */
POV_MUST_USE pov_status pov_cell_number(double *value, const pov_table *table, int row, int column,
                                        double low, double high);
/** One of a list of words ended by {NULL}, upper and lower case, "_", "-" and " " alike; complains with the list. */
POV_MUST_USE pov_status pov_cell_word(int *value, const pov_table *table, int row, int column,
                                      const pov_word *words);
/** Words with "|" between, as bits 1 << value; 0 if the cell is empty. */
POV_MUST_USE pov_status pov_cell_words(unsigned *bits, const pov_table *table, int row, int column,
                                       const pov_word *words);

extern const pov_word POV_WORDS_TRUTH[]; /* yes, true, 1; no, false, 0 */
extern const pov_word POV_WORDS_RELATION[];
extern const pov_word POV_WORDS_FRAME[]; /* pov_forest_frame */
