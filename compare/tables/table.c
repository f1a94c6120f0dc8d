#include "compare/tables/table_internal.h"

#include <stdlib.h>
#include <string.h>

static const char byte_order_mark[] = "\xef\xbb\xbf";

void pov_table_destroy(pov_table **table)
{
    if (!*table)
        return;
    free((*table)->bytes);
    free((*table)->cell);
    free((*table)->line);
    free(*table);
    *table = NULL;
}

static pov_status read(pov_table *table, const char *text, size_t length)
{
    uint32_t empty;
    size_t start = 0;
    POV_TRY(pov_table_keep(table, &empty, "", 0));
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0)
        start = 3;
    const char *nul = memchr(text + start, '\0', length - start);
    if (nul)
        return pov_error("%s: byte %zu is zero: this is not a text file (UTF-16? save it as UTF-8)",
                         table->name, (size_t)(nul - text));
    size_t first = start;
    while (first < length && strchr(" \t\r\n", text[first]))
        first++;
    const bool is_json = first < length && (text[first] == '{' || text[first] == '[');
    return is_json ? pov_table_parse_json(table, text + start, length - start)
                   : pov_table_parse_csv(table, text + start, length - start);
}

pov_status pov_table_parse(pov_table **table, const char *name, const char *text, size_t length)
{
    *table = calloc(1, sizeof **table);
    if (!*table)
        return pov_error("%s: out of memory", name);
    (*table)->name = name;
    pov_status status = read(*table, text, length);
    if (status.code != POV_OK)
        pov_table_destroy(table);
    return status;
}

/* ---- building ---- */

static pov_status out_of_memory(const pov_table *table)
{
    return pov_error("%s: out of memory after %d rows", table->name, table->len);
}

pov_status pov_table_keep(pov_table *table, uint32_t *place, const char *text, size_t length)
{
    size_t needed = table->length + length + 1, capacity = table->capacity ? table->capacity : 1 << 16;
    if (needed > POV_TABLE_BYTES_MAX)
        return pov_error("%s: more than 1 GB of text; split the file", table->name);
    while (capacity < needed)
        capacity *= 2;
    if (capacity > table->capacity) {
        char *bytes = realloc(table->bytes, capacity);
        if (!bytes)
            return out_of_memory(table);
        table->bytes = bytes;
        table->capacity = capacity;
    }
    *place = (uint32_t)table->length;
    memcpy(table->bytes + table->length, text, length);
    table->bytes[table->length + length] = '\0';
    table->length = needed;
    return pov_ok();
}

static pov_status widen(pov_table *table)
{
    int width = table->width ? 2 * table->width : 8;
    size_t rows = (size_t)(table->rows_capacity ? table->rows_capacity : 256);
    uint32_t *cell = calloc(rows * (size_t)width, sizeof *cell);
    int *line = table->line ? table->line : calloc(rows, sizeof *line);
    table->line = line;
    if (!cell || !line) {
        free(cell);
        return out_of_memory(table);
    }
    for (int i = 0; i < table->len; i++)
        memcpy(cell + (size_t)i * (size_t)width, table->cell + (size_t)i * (size_t)table->width,
               (size_t)table->width * sizeof *cell);
    free(table->cell);
    table->cell = cell;
    table->width = width;
    table->rows_capacity = (int)rows;
    return pov_ok();
}

pov_status pov_table_need_column(pov_table *table, int *column, const char *name, int line)
{
    *column = pov_table_column(table, name);
    if (*column >= 0)
        return pov_ok();
    if (table->columns == POV_TABLE_COLUMNS_MAX)
        return pov_error("%s:%d: more than %d columns", table->name, line, POV_TABLE_COLUMNS_MAX);
    POV_TRY(pov_table_keep(table, &table->column_name[table->columns], name, strlen(name)));
    *column = table->columns++;
    return table->columns > table->width ? widen(table) : pov_ok();
}

pov_status pov_table_add_row(pov_table *table, int line)
{
    if (table->len == table->rows_capacity) {
        size_t rows = 2 * (size_t)table->rows_capacity;
        uint32_t *cell = realloc(table->cell, rows * (size_t)table->width * sizeof *cell);
        table->cell = cell ? cell : table->cell;
        int *lines = realloc(table->line, rows * sizeof *lines);
        table->line = lines ? lines : table->line;
        if (!cell || !lines)
            return out_of_memory(table);
        table->rows_capacity = (int)rows;
    }
    table->line[table->len] = line;
    memset(table->cell + (size_t)table->len * (size_t)table->width, 0,
           (size_t)table->width * sizeof(uint32_t));
    table->len++;
    return pov_ok();
}

uint32_t *pov_table_last_cell(pov_table *table, int column)
{
    return table->cell + (size_t)(table->len - 1) * (size_t)table->width + column;
}

/* ---- looking ---- */

const char *pov_table_name(const pov_table *table)
{
    return table->name;
}

int pov_table_len(const pov_table *table)
{
    return table->len;
}

const char *pov_table_column_name(const pov_table *table, int column)
{
    POV_REQUIRE(column >= 0 && column < table->columns);
    return table->bytes + table->column_name[column];
}

int pov_table_column(const pov_table *table, const char *name)
{
    for (int i = 0; i < table->columns; i++)
        if (strcmp(table->bytes + table->column_name[i], name) == 0)
            return i;
    return -1;
}

const char *pov_table_cell(const pov_table *table, int row, int column)
{
    POV_REQUIRE(row >= 0 && row < table->len && column < table->columns);
    return column < 0 ? "" : table->bytes + table->cell[(size_t)row * (size_t)table->width + (size_t)column];
}

int pov_table_line(const pov_table *table, int row)
{
    POV_REQUIRE(row >= 0 && row < table->len);
    return table->line[row];
}
