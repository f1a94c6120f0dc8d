#include "firmware/score_sheet.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 24, TEXT = 80, NUMBER = 24 };

/* As a person reads them: a row is its cells, some with an interval to be printed below. */
typedef struct {
    char text[TEXT], below[NUMBER];
} cell;

typedef struct {
    char key[NUMBER];
    int width;
    bool left;
} column;

struct pov_score_sheet {
    bool json;
    cJSON *root, *table, *row;
    column columns[COLUMNS_MAX];
    cell (*rows)[COLUMNS_MAX];
    int columns_len, len, capacity;
    int at; /* the column that comes next in the row */
};

pov_status pov_score_sheet_new(pov_score_sheet **sheet, bool json)
{
    *sheet = calloc(1, sizeof **sheet);
    if (!*sheet)
        return pov_error("out of memory");
    (*sheet)->json = json;
    (*sheet)->root = json ? cJSON_CreateObject() : NULL;
    return pov_ok();
}

/* ---- printing ---- */

/* Pads before a text, not after it: lines end where their text does. */
static void print_padded(int *gap, const char *text, const column *c)
{
    int length = (int)strlen(text), before = c->left ? 0 : c->width - length;
    if (c->width == 0)
        return;
    if (length > 0)
        printf("%*s%s", *gap + before, "", text);
    *gap = (length > 0 ? 0 : *gap + before) + (c->left ? c->width - length : 0) + 2;
}

/* Columns in which nothing stands are not printed: their width is 0. */
static void measure_columns(pov_score_sheet *sheet)
{
    for (int c = 0; c < sheet->columns_len; c++) {
        size_t width = 0;
        for (int i = 0; i < sheet->len; i++) {
            size_t text = strlen(sheet->rows[i][c].text), below = strlen(sheet->rows[i][c].below);
            width = text > width ? text : width;
            width = below > width ? below : width;
        }
        size_t key = strlen(sheet->columns[c].key);
        sheet->columns[c].width = width == 0 ? 0 : (int)(width > key ? width : key);
    }
}

static void print_row(const pov_score_sheet *sheet, const cell row[COLUMNS_MAX])
{
    bool has_below = false;
    int gap = 0, gap_below = 0;
    for (int c = 0; c < sheet->columns_len; c++) {
        print_padded(&gap, row[c].text, &sheet->columns[c]);
        has_below |= row[c].below[0] != '\0';
    }
    putchar('\n');
    for (int c = 0; has_below && c < sheet->columns_len; c++)
        print_padded(&gap_below, row[c].below, &sheet->columns[c]);
    if (has_below)
        putchar('\n');
}

static void end_table(pov_score_sheet *sheet)
{
    int gap = 0;
    measure_columns(sheet);
    for (int c = 0; sheet->len > 0 && c < sheet->columns_len; c++)
        print_padded(&gap, sheet->columns[c].key, &sheet->columns[c]);
    if (sheet->len > 0)
        putchar('\n');
    for (int i = 0; i < sheet->len; i++)
        print_row(sheet, sheet->rows[i]);
    sheet->len = sheet->columns_len = 0;
}

void pov_score_sheet_destroy(pov_score_sheet **sheet)
{
    if (!*sheet)
        return;
    end_table(*sheet);
    if ((*sheet)->json) {
        char *text = cJSON_PrintUnformatted((*sheet)->root);
        POV_REQUIRE(text);
        puts(text);
        free(text);
        cJSON_Delete((*sheet)->root);
    }
    free((*sheet)->rows);
    free(*sheet);
    *sheet = NULL;
}

/* ---- tables and rows ---- */

void pov_score_sheet_table(pov_score_sheet *sheet, const char *key, const char *title)
{
    end_table(sheet);
    if (sheet->json)
        sheet->table = cJSON_AddArrayToObject(sheet->root, key);
    else
        printf("\n%s\n", title);
}

void pov_score_sheet_row(pov_score_sheet *sheet)
{
    if (sheet->json) {
        cJSON_AddItemToArray(sheet->table, sheet->row = cJSON_CreateObject());
        return;
    }
    if (sheet->len == sheet->capacity) {
        sheet->capacity = 2 * sheet->capacity + 16;
        sheet->rows = realloc(sheet->rows, (size_t)sheet->capacity * sizeof *sheet->rows);
        POV_REQUIRE(sheet->rows);
    }
    memset(sheet->rows[sheet->len++], 0, sizeof *sheet->rows);
    sheet->at = 0;
}

static void add_cell(pov_score_sheet *sheet, const char *key, const char *text, const char *below, bool left)
{
    POV_REQUIRE(sheet->at < COLUMNS_MAX);
    int c = sheet->at++;
    cell *added = &sheet->rows[sheet->len - 1][c];
    snprintf(added->text, sizeof added->text, "%s", text);
    snprintf(added->below, sizeof added->below, "%s", below);
    if (c == sheet->columns_len) {
        sheet->columns[sheet->columns_len++].left = left;
        snprintf(sheet->columns[c].key, sizeof sheet->columns[c].key, "%s", key);
    }
}

/* ---- cells ---- */

static cJSON *number_or_null(double value)
{
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

void pov_score_sheet_text(pov_score_sheet *sheet, const char *key, const char *text)
{
    if (sheet->json)
        cJSON_AddStringToObject(sheet->row, key, text);
    else
        add_cell(sheet, key, text, "", true);
}

void pov_score_sheet_count(pov_score_sheet *sheet, const char *key, int count)
{
    char text[20];
    snprintf(text, sizeof text, "%d", count);
    if (sheet->json)
        cJSON_AddNumberToObject(sheet->row, key, count);
    else
        add_cell(sheet, key, text, "", false);
}

void pov_score_sheet_share(pov_score_sheet *sheet, const char *key, double share)
{
    char text[20] = "-";
    if (sheet->json) {
        cJSON_AddItemToObject(sheet->row, key, number_or_null(share));
        return;
    }
    if (isfinite(share))
        snprintf(text, sizeof text, "%.1f", 100 * share);
    add_cell(sheet, key, text, "", false);
}

void pov_score_sheet_estimate(pov_score_sheet *sheet, const char *key, const pov_estimate *estimate)
{
    char text[20] = "-", bounds[NUMBER] = "";
    if (sheet->json) {
        cJSON *object = cJSON_AddObjectToObject(sheet->row, key);
        cJSON_AddItemToObject(object, "mean", number_or_null(estimate->mean));
        cJSON_AddItemToObject(object, "low", number_or_null(estimate->low));
        cJSON_AddItemToObject(object, "high", number_or_null(estimate->high));
        cJSON_AddNumberToObject(object, "n", estimate->n);
        return;
    }
    if (isfinite(estimate->mean))
        snprintf(text, sizeof text, "%.1f", 100 * estimate->mean);
    if (isfinite(estimate->low))
        snprintf(bounds, sizeof bounds, "%.1f..%.1f", 100 * estimate->low, 100 * estimate->high);
    add_cell(sheet, key, text, bounds, false);
}

void pov_score_sheet_numbers(pov_score_sheet *sheet, const char *key, const double *numbers, int len)
{
    if (!sheet->json)
        return;
    cJSON *array = cJSON_AddArrayToObject(sheet->row, key);
    for (int i = 0; i < len; i++)
        cJSON_AddItemToArray(array, number_or_null(numbers[i]));
}
