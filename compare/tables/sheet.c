#include "compare/tables/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pov_sheet {
    pov_sheet_table *tables;
    int len, capacity;
    int at; /* the column that comes next in the last row */
};

pov_status pov_sheet_new(pov_sheet **sheet)
{
    *sheet = calloc(1, sizeof **sheet);
    return *sheet ? pov_ok() : pov_error("out of memory");
}

static void free_table(pov_sheet_table *table)
{
    for (int row = 0; row < table->len; row++)
        for (int c = 0; c < table->columns_len; c++) {
            free(table->rows[row][c].text);
            free(table->rows[row][c].numbers);
        }
    for (int row = 0; row < table->len; row++)
        free(table->rows[row]);
    free(table->rows);
}

void pov_sheet_destroy(pov_sheet **sheet)
{
    if (!*sheet)
        return;
    for (int i = 0; i < (*sheet)->len; i++)
        free_table(&(*sheet)->tables[i]);
    free((*sheet)->tables);
    free(*sheet);
    *sheet = NULL;
}

/* ---- filling ---- */

/* Makes room for one more, which starts as zeros. */
static void grow(void *array, int *capacity, int len, size_t size)
{
    if (len == *capacity) {
        *capacity = 2 * *capacity + 16;
        void *grown = realloc(*(void **)array, (size_t)*capacity * size);
        POV_REQUIRE(grown);
        *(void **)array = grown;
    }
    memset(*(char **)array + (size_t)len * size, 0, size);
}

static pov_sheet_table *last(const pov_sheet *sheet)
{
    POV_REQUIRE(sheet->len > 0);
    return &sheet->tables[sheet->len - 1];
}

void pov_sheet_add_table(pov_sheet *sheet, const char *key, const char *title)
{
    grow(&sheet->tables, &sheet->capacity, sheet->len, sizeof *sheet->tables);
    sheet->len++;
    last(sheet)->key = key;
    last(sheet)->title = title;
}

void pov_sheet_add_row(pov_sheet *sheet)
{
    pov_sheet_table *table = last(sheet);
    const int columns = table->len == 0 ? POV_SHEET_COLUMNS_MAX : table->columns_len;
    grow(&table->rows, &table->capacity, table->len, sizeof *table->rows);
    table->rows[table->len] = calloc((size_t)columns + 1, sizeof **table->rows);
    POV_REQUIRE(table->rows[table->len]);
    table->len++;
    sheet->at = 0;
}

static pov_sheet_cell *add(pov_sheet *sheet, const char *key, pov_sheet_kind kind)
{
    pov_sheet_table *table = last(sheet);
    int c = sheet->at++;
    POV_REQUIRE(table->len > 0 && c < POV_SHEET_COLUMNS_MAX);
    if (c == table->columns_len) {
        POV_REQUIRE(table->len == 1); /* the first row names the columns */
        snprintf(table->columns[c].key, POV_SHEET_KEY, "%s", key);
        table->columns[table->columns_len++].kind = kind;
    }
    POV_REQUIRE(table->columns[c].kind == kind);
    return &table->rows[table->len - 1][c];
}

void pov_sheet_add_text(pov_sheet *sheet, const char *key, const char *text)
{
    char *copy = strdup(text);
    POV_REQUIRE(copy);
    add(sheet, key, POV_SHEET_TEXT)->text = copy;
}

void pov_sheet_add_count(pov_sheet *sheet, const char *key, int count)
{
    add(sheet, key, POV_SHEET_COUNT)->estimate.mean = count;
}

void pov_sheet_add_share(pov_sheet *sheet, const char *key, double share)
{
    add(sheet, key, POV_SHEET_SHARE)->estimate.mean = share;
}

void pov_sheet_add_estimate(pov_sheet *sheet, const char *key, const pov_estimate *estimate)
{
    add(sheet, key, POV_SHEET_ESTIMATE)->estimate = *estimate;
}

void pov_sheet_add_numbers(pov_sheet *sheet, const char *key, const double *numbers, int len)
{
    POV_REQUIRE(len >= 0 && len <= POV_SHEET_NUMBERS_MAX);
    pov_sheet_cell *cell = add(sheet, key, POV_SHEET_NUMBERS);
    cell->numbers = malloc((size_t)len * sizeof *numbers + 1);
    POV_REQUIRE(cell->numbers);
    memcpy(cell->numbers, numbers, (size_t)len * sizeof *numbers);
    cell->numbers_len = len;
}

/* ---- looking ---- */

int pov_sheet_len(const pov_sheet *sheet)
{
    return sheet->len;
}

const pov_sheet_table *pov_sheet_at(const pov_sheet *sheet, int table)
{
    POV_REQUIRE(table >= 0 && table < sheet->len);
    return &sheet->tables[table];
}

const pov_sheet_table *pov_sheet_find(const pov_sheet *sheet, const char *key)
{
    for (int i = 0; i < sheet->len; i++)
        if (strcmp(sheet->tables[i].key, key) == 0)
            return &sheet->tables[i];
    return NULL;
}

int pov_sheet_column_of(const pov_sheet_table *table, const char *key)
{
    for (int c = 0; c < table->columns_len; c++)
        if (strcmp(table->columns[c].key, key) == 0)
            return c;
    return -1;
}

const char *pov_sheet_title_end(const pov_sheet_table *table)
{
    for (int c = 0; c < table->columns_len; c++)
        for (int row = 0; row < table->len && table->columns[c].kind == POV_SHEET_ESTIMATE; row++)
            if (isfinite(table->rows[row][c].estimate.low))
                return "; 95 % bootstrap intervals";
    return "";
}

pov_sheet_words pov_sheet_words_of(const pov_sheet_table *table, int row, int column)
{
    const pov_sheet_cell *cell = &table->rows[row][column];
    const pov_estimate *e = &cell->estimate;
    pov_sheet_words words = {"", ""};
    switch (table->columns[column].kind) {
    case POV_SHEET_TEXT:
        snprintf(words.text, sizeof words.text, "%s", cell->text ? cell->text : "");
        return words;
    case POV_SHEET_NUMBERS:
        return words;
    case POV_SHEET_COUNT:
        snprintf(words.text, sizeof words.text, "%.0f", e->mean);
        return words;
    case POV_SHEET_SHARE:
    case POV_SHEET_ESTIMATE:
        break;
    }
    snprintf(words.text, sizeof words.text, "-");
    if (isfinite(e->mean))
        snprintf(words.text, sizeof words.text, "%.1f", 100 * e->mean);
    if (table->columns[column].kind == POV_SHEET_ESTIMATE && isfinite(e->low))
        snprintf(words.interval, sizeof words.interval, "%.1f..%.1f", 100 * e->low, 100 * e->high);
    return words;
}
