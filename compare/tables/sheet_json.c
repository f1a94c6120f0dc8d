#include "compare/tables/sheet.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>

static cJSON *number_or_null(double value)
{
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

static cJSON *estimate_of(const pov_estimate *estimate)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "mean", number_or_null(estimate->mean));
    cJSON_AddItemToObject(object, "low", number_or_null(estimate->low));
    cJSON_AddItemToObject(object, "high", number_or_null(estimate->high));
    cJSON_AddNumberToObject(object, "n", estimate->n);
    return object;
}

static cJSON *numbers_of(const pov_sheet_cell *cell)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < cell->numbers_len; i++)
        cJSON_AddItemToArray(array, number_or_null(cell->numbers[i]));
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
    return number_or_null(cell->estimate.mean);
}

static void add_table(cJSON *root, const pov_sheet_table *table)
{
    cJSON *rows = cJSON_AddArrayToObject(root, table->key);
    for (int row = 0; row < table->len; row++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(rows, object);
        for (int c = 0; c < table->columns_len; c++)
            cJSON_AddItemToObject(object, table->columns[c].key,
                                  value_of(&table->rows[row][c], table->columns[c].kind));
    }
}

void pov_sheet_write_json(const pov_sheet *sheet, FILE *stream)
{
    cJSON *root = cJSON_CreateObject();
    for (int i = 0; i < pov_sheet_len(sheet); i++)
        add_table(root, pov_sheet_at(sheet, i));
    char *text = cJSON_PrintUnformatted(root);
    POV_REQUIRE(text);
    fprintf(stream, "%s\n", text);
    free(text);
    cJSON_Delete(root);
}
