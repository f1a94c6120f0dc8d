/** Reading a table's cells, with complaints that name file, line and column. */
#ifndef POV_COMPARE_TABLES_CELL_H
#define POV_COMPARE_TABLES_CELL_H

#include "compare/tables/table.h"

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

#endif
