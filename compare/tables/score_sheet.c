#include "compare/tables/score_sheet.h"

#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pov_sheet {
    pov_sheet_table *tables;
    int len, capacity;
    int at; /* the column that comes next in the last_table row */
    struct {
        const char *key, *words;
        char *text; /* NULL: none */
    } note;
};

pov_sheet *pov_sheet_new(void)
{
    return pov_allocate(1, sizeof(pov_sheet));
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
    for (int c = 0; c < table->columns_len; c++)
        free(table->columns[c].key);
    free(table->rows);
}

void pov_sheet_destroy(pov_sheet **sheet)
{
    if (!*sheet)
        return;
    for (int i = 0; i < (*sheet)->len; i++)
        free_table(&(*sheet)->tables[i]);
    free((*sheet)->tables);
    free((*sheet)->note.text);
    free(*sheet);
    *sheet = NULL;
}

/* ---- filling ---- */

static pov_sheet_table *last_table(const pov_sheet *sheet)
{
    POV_REQUIRE(sheet->len > 0);
    return &sheet->tables[sheet->len - 1];
}

void pov_sheet_add_table(pov_sheet *sheet, const char *key, const char *title)
{
    POV_REQUIRE_MEMORY(pov_grow(&sheet->tables, &sheet->capacity, sheet->len, sizeof *sheet->tables));
    sheet->tables[sheet->len++] = (pov_sheet_table){.key = key, .title = title};
}

void pov_sheet_add_note(pov_sheet *sheet, const char *key, const char *words, const char *text)
{
    free(sheet->note.text);
    sheet->note.key = key;
    sheet->note.words = words;
    sheet->note.text = pov_text_new("%s", text);
}

void pov_sheet_add_row(pov_sheet *sheet)
{
    pov_sheet_table *table = last_table(sheet);
    const int columns = table->len == 0 ? POV_SHEET_COLUMNS_MAX : table->columns_len;
    POV_REQUIRE_MEMORY(pov_grow(&table->rows, &table->capacity, table->len, sizeof *table->rows));
    table->rows[table->len] = calloc((size_t)columns + 1, sizeof **table->rows);
    POV_REQUIRE_MEMORY(table->rows[table->len]);
    table->len++;
    sheet->at = 0;
}

static pov_sheet_cell *add_cell(pov_sheet *sheet, const char *key, pov_sheet_kind kind)
{
    pov_sheet_table *table = last_table(sheet);
    int c = sheet->at++;
    POV_REQUIRE(table->len > 0 && c < POV_SHEET_COLUMNS_MAX);
    if (c == table->columns_len) {
        POV_REQUIRE(table->len == 1); /* the first row names the columns */
        table->columns[c].key = pov_text_new("%s", key);
        table->columns[table->columns_len++].kind = kind;
    }
    POV_REQUIRE(table->columns[c].kind == kind);
    return &table->rows[table->len - 1][c];
}

void pov_sheet_add_text(pov_sheet *sheet, const char *key, const char *text)
{
    char *copy = strdup(text);
    POV_REQUIRE_MEMORY(copy);
    add_cell(sheet, key, POV_SHEET_TEXT)->text = copy;
}

void pov_sheet_add_count(pov_sheet *sheet, const char *key, int count)
{
    pov_sheet_add_number(sheet, key, count);
}

void pov_sheet_add_number(pov_sheet *sheet, const char *key, double number)
{
    add_cell(sheet, key, POV_SHEET_COUNT)->estimate.mean = number;
}

void pov_sheet_add_share(pov_sheet *sheet, const char *key, double share)
{
    add_cell(sheet, key, POV_SHEET_SHARE)->estimate.mean = share;
}

void pov_sheet_add_estimate(pov_sheet *sheet, const char *key, const pov_estimate *estimate)
{
    add_cell(sheet, key, POV_SHEET_ESTIMATE)->estimate = *estimate;
}

void pov_sheet_add_numbers(pov_sheet *sheet, const char *key, const double *numbers, int len)
{
    POV_REQUIRE(len >= 0 && len <= POV_SHEET_NUMBERS_MAX);
    pov_sheet_cell *cell = add_cell(sheet, key, POV_SHEET_NUMBERS);
    cell->numbers = malloc((size_t)len * sizeof *numbers + 1);
    POV_REQUIRE_MEMORY(cell->numbers);
    memcpy(cell->numbers, numbers, (size_t)len * sizeof *numbers);
    cell->numbers_len = len;
}

/* The mean of a cell over the trials that have a number there. */
static pov_estimate mean_of_trials(const pov_sheet *const *trials, int len, int table, int row, int column)
{
    pov_estimate mean = trials[0]->tables[table].rows[row][column].estimate;
    double sum = 0;
    int n = 0;
    for (int i = 0; i < len; i++) {
        const double one = trials[i]->tables[table].rows[row][column].estimate.mean;
        if (isnan(one))
            continue;
        sum += one;
        n++;
    }
    mean.mean = sum / n;
    mean.low = mean.high = NAN;
    return mean;
}

static void add_mean_rows(pov_sheet_table *to, const pov_sheet *const *trials, int len, int table)
{
    const pov_sheet_table *from = &trials[0]->tables[table];
    POV_REQUIRE(to->columns_len == from->columns_len);
    for (int row = 0; row < from->len; row++) {
        pov_sheet_cell *cells = pov_allocate((size_t)from->columns_len + 1, sizeof *cells);
        for (int c = 0; c < from->columns_len; c++) {
            POV_REQUIRE(to->columns[c].kind == from->columns[c].kind &&
                        from->columns[c].kind != POV_SHEET_NUMBERS);
            if (from->columns[c].kind == POV_SHEET_TEXT)
                cells[c].text = pov_text_new("%s", from->rows[row][c].text);
            else
                cells[c].estimate = mean_of_trials(trials, len, table, row, c);
        }
        POV_REQUIRE_MEMORY(pov_grow(&to->rows, &to->capacity, to->len, sizeof *to->rows));
        to->rows[to->len++] = cells;
    }
}

void pov_sheet_add_mean(pov_sheet *sheet, const pov_sheet *const *trials, int len)
{
    for (int i = 0; i < trials[0]->len; i++)
        for (int k = 0; k < sheet->len; k++)
            if (strcmp(sheet->tables[k].key, trials[0]->tables[i].key) == 0)
                add_mean_rows(&sheet->tables[k], trials, len, i);
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
    pov_sheet_words words = {.own = NULL};
    switch (table->columns[column].kind) {
    case POV_SHEET_TEXT:
        words.own = cell->text ? cell->text : "";
        return words;
    case POV_SHEET_NUMBERS:
        words.own = "";
        return words;
    case POV_SHEET_COUNT:
        if (isfinite(e->mean))
            snprintf(words.number, sizeof words.number, "%.0f", e->mean);
        else
            snprintf(words.number, sizeof words.number, "-");
        return words;
    case POV_SHEET_SHARE:
    case POV_SHEET_ESTIMATE:
        break;
    }
    snprintf(words.number, sizeof words.number, "-");
    if (isfinite(e->mean)) /* no "-0.0" */
        snprintf(words.number, sizeof words.number, "%.1f", fabs(e->mean) < 0.0005 ? 0 : 100 * e->mean);
    if (table->columns[column].kind == POV_SHEET_ESTIMATE && isfinite(e->low))
        snprintf(words.interval, sizeof words.interval, "%.1f..%.1f", 100 * e->low, 100 * e->high);
    return words;
}

const char *pov_sheet_text_of(const pov_sheet_words *words)
{
    return words->own ? words->own : words->number;
}

/* ---- JSON ---- */

static cJSON *estimate_of(const pov_estimate *estimate)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_number(object, "mean", estimate->mean);
    pov_json_add_number(object, "low", estimate->low);
    pov_json_add_number(object, "high", estimate->high);
    cJSON_AddNumberToObject(object, "n", estimate->n);
    return object;
}

static cJSON *numbers_of(const pov_sheet_cell *cell)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < cell->numbers_len; i++)
        cJSON_AddItemToArray(array, pov_json_number(cell->numbers[i]));
    return array;
}

static cJSON *value_of(const pov_sheet_cell *cell, pov_sheet_kind kind)
{
    switch (kind) {
    case POV_SHEET_TEXT:
        return cJSON_CreateString(cell->text);
    case POV_SHEET_ESTIMATE:
        return estimate_of(&cell->estimate);
    case POV_SHEET_NUMBERS:
        return numbers_of(cell);
    case POV_SHEET_COUNT:
    case POV_SHEET_SHARE:
        break;
    }
    return pov_json_number(cell->estimate.mean);
}

static void add_table(cJSON *root, const pov_sheet_table *table)
{
    cJSON *rows = cJSON_GetObjectItemCaseSensitive(
        root, table->key); /* a sheet of several papers has a table of each */
    if (!rows)
        rows = cJSON_AddArrayToObject(root, table->key);
    for (int row = 0; row < table->len; row++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(rows, object);
        for (int c = 0; c < table->columns_len; c++)
            cJSON_AddItemToObject(object, table->columns[c].key,
                                  value_of(&table->rows[row][c], table->columns[c].kind));
    }
}

static void write_json(const pov_sheet *sheet, FILE *stream)
{
    cJSON *root = cJSON_CreateObject();
    if (sheet->note.text)
        cJSON_AddStringToObject(root, sheet->note.key, sheet->note.text);
    for (int i = 0; i < pov_sheet_len(sheet); i++)
        add_table(root, pov_sheet_at(sheet, i));
    pov_json_print_line(stream, root);
}

/* ---- text ---- */

typedef struct {
    int width[POV_SHEET_COLUMNS_MAX]; /* 0: nothing stands in it */
    bool left[POV_SHEET_COLUMNS_MAX];
} layout;

static int larger_width(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static layout lay_out(const pov_sheet_table *table)
{
    layout l = {{0}, {false}};
    for (int c = 0; c < table->columns_len; c++) {
        for (int row = 0; row < table->len; row++) {
            const pov_sheet_words words = pov_sheet_words_of(table, row, c);
            l.width[c] = larger_width(larger_width(l.width[c], pov_sheet_text_of(&words)), words.interval);
        }
        l.left[c] = table->columns[c].kind == POV_SHEET_TEXT;
        if (l.width[c] > 0)
            l.width[c] = larger_width(l.width[c], table->columns[c].key);
    }
    return l;
}

/* Pads before a text, not after it: lines end where their text does. */
static void write_padded(FILE *stream, int *gap, const char *text, const layout *l, int column)
{
    int length = (int)strlen(text), before = l->left[column] ? 0 : l->width[column] - length;
    if (l->width[column] == 0)
        return;
    if (length > 0)
        fprintf(stream, "%*s%s", *gap + before, "", text);
    *gap = (length > 0 ? 0 : *gap + before) + (l->left[column] ? l->width[column] - length : 0) + 2;
}

static void write_row(FILE *stream, const pov_sheet_table *table, int row, const layout *l)
{
    bool has_interval = false;
    int gap = 0, gap_below = 0;
    for (int c = 0; c < table->columns_len; c++) {
        const pov_sheet_words words = pov_sheet_words_of(table, row, c);
        write_padded(stream, &gap, pov_sheet_text_of(&words), l, c);
        has_interval |= words.interval[0] != '\0';
    }
    fputc('\n', stream);
    for (int c = 0; has_interval && c < table->columns_len; c++) {
        const pov_sheet_words words = pov_sheet_words_of(table, row, c);
        write_padded(stream, &gap_below, words.interval, l, c);
    }
    if (has_interval)
        fputc('\n', stream);
}

static void write_table(FILE *stream, const pov_sheet_table *table)
{
    const layout l = lay_out(table);
    int gap = 0;
    fprintf(stream, "\n%s%s\n", table->title, pov_sheet_title_end(table));
    for (int c = 0; table->len > 0 && c < table->columns_len; c++)
        write_padded(stream, &gap, table->columns[c].key, &l, c);
    if (table->len > 0)
        fputc('\n', stream);
    for (int row = 0; row < table->len; row++)
        write_row(stream, table, row, &l);
}

static void write_text(const pov_sheet *sheet, FILE *stream)
{
    if (sheet->note.text)
        fprintf(stream, "%s%s\n", sheet->note.words, sheet->note.text);
    for (int i = 0; i < pov_sheet_len(sheet); i++)
        write_table(stream, pov_sheet_at(sheet, i));
}

void pov_sheet_write(const pov_sheet *sheet, FILE *stream, bool json)
{
    if (json)
        write_json(sheet, stream);
    else
        write_text(sheet, stream);
}
