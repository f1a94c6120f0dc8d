#include "firmware/score_sheet.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1000, NUMBER_WIDTH = 12 };

struct pov_score_sheet {
    bool json, has_row, is_first_row, has_bounds;
    cJSON *root, *table, *row;
    char heading[LINE], line[LINE], bounds[LINE];
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

static void print_line(char line[LINE])
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
    puts(line);
}

static void end_row(pov_score_sheet *sheet)
{
    if (sheet->json || !sheet->has_row)
        return;
    if (sheet->is_first_row)
        print_line(sheet->heading);
    print_line(sheet->line);
    if (sheet->has_bounds)
        print_line(sheet->bounds);
    sheet->has_row = sheet->is_first_row = false;
}

void pov_score_sheet_destroy(pov_score_sheet **sheet)
{
    if (!*sheet)
        return;
    end_row(*sheet);
    if ((*sheet)->json) {
        char *text = cJSON_PrintUnformatted((*sheet)->root);
        POV_REQUIRE(text);
        puts(text);
        free(text);
        cJSON_Delete((*sheet)->root);
    }
    free(*sheet);
    *sheet = NULL;
}

void pov_score_sheet_table(pov_score_sheet *sheet, const char *key, const char *title)
{
    end_row(sheet);
    if (sheet->json)
        sheet->table = cJSON_AddArrayToObject(sheet->root, key);
    else
        printf("\n%s\n", title);
    sheet->is_first_row = true;
    sheet->heading[0] = '\0';
}

void pov_score_sheet_row(pov_score_sheet *sheet)
{
    end_row(sheet);
    sheet->has_row = true;
    sheet->has_bounds = false;
    sheet->line[0] = sheet->bounds[0] = '\0';
    if (sheet->json)
        cJSON_AddItemToArray(sheet->table, sheet->row = cJSON_CreateObject());
}

/* ---- cells ---- */

static void append(char line[LINE], const char *text, int width, bool left)
{
    size_t used = strlen(line);
    snprintf(line + used, LINE - used, left ? "%-*s " : "%*s ", width, text);
}

static void print_cell(pov_score_sheet *sheet, const char *key, const char *text, const char *bounds,
                       int width, bool left)
{
    if (sheet->is_first_row)
        append(sheet->heading, key, width, left);
    append(sheet->line, text, width, left);
    append(sheet->bounds, bounds, width, left);
    sheet->has_bounds |= *bounds != '\0';
}

static cJSON *number_or_null(double value)
{
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

void pov_score_sheet_text(pov_score_sheet *sheet, const char *key, const char *text, int width)
{
    if (sheet->json)
        cJSON_AddStringToObject(sheet->row, key, text);
    else
        print_cell(sheet, key, text, "", width, true);
}

void pov_score_sheet_count(pov_score_sheet *sheet, const char *key, int count)
{
    char text[20];
    snprintf(text, sizeof text, "%d", count);
    if (sheet->json)
        cJSON_AddNumberToObject(sheet->row, key, count);
    else
        print_cell(sheet, key, text, "", (int)strlen(key) > 7 ? (int)strlen(key) : 7, false);
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
    print_cell(sheet, key, text, "", NUMBER_WIDTH, false);
}

void pov_score_sheet_estimate(pov_score_sheet *sheet, const char *key, const pov_estimate *estimate)
{
    char text[20] = "-", bounds[40] = "";
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
    print_cell(sheet, key, text, bounds, NUMBER_WIDTH, false);
}

void pov_score_sheet_numbers(pov_score_sheet *sheet, const char *key, const double *numbers, int len)
{
    if (!sheet->json)
        return;
    cJSON *array = cJSON_AddArrayToObject(sheet->row, key);
    for (int i = 0; i < len; i++)
        cJSON_AddItemToArray(array, number_or_null(numbers[i]));
}
