/** Building a table: shared by its two readers. */
#ifndef POV_COMPARE_TABLES_TABLE_INTERNAL_H
#define POV_COMPARE_TABLES_TABLE_INTERNAL_H

#include "compare/tables/table.h"

#include <stdint.h>

struct pov_table {
    const char *name;
    char *bytes; /* all texts, each followed by '\0'; bytes[0] is "" */
    size_t length, capacity;
    uint32_t column_name[POV_TABLE_COLUMNS_MAX]; /* places in bytes */
    int columns;
    uint32_t *cell; /* [row][width], places in bytes */
    int *line;
    int len, rows_capacity, width; /* width: cells that a row has room for */
};

enum { POV_TABLE_BYTES_MAX = 1 << 30 };

/** Appends a text and gives its place. */
POV_MUST_USE pov_status pov_table_keep(pov_table *table, uint32_t *place, const char *text, size_t length);
/** The column of that name, new if need be. */
POV_MUST_USE pov_status pov_table_need_column(pov_table *table, int *column, const char *name, int line);
/** A new row of empty cells. */
POV_MUST_USE pov_status pov_table_add_row(pov_table *table, int line);
uint32_t *pov_table_last_cell(pov_table *table, int column);

POV_MUST_USE pov_status pov_table_parse_csv(pov_table *table, const char *text, size_t length);
POV_MUST_USE pov_status pov_table_parse_json(pov_table *table, const char *text, size_t length);

#endif
