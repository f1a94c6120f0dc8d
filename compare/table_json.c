#include "compare/table_internal.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LENGTH = 32 };

/* A scalar as text; NULL if it is none. */
static const char *text_of(char number[NUMBER_LENGTH], const cJSON *value)
{
    if (cJSON_IsString(value))
        return value->valuestring;
    if (cJSON_IsBool(value))
        return cJSON_IsTrue(value) ? "true" : "false";
    if (cJSON_IsNull(value))
        return "";
    if (!cJSON_IsNumber(value))
        return NULL;
    snprintf(number, NUMBER_LENGTH, "%.17g", value->valuedouble);
    return number;
}

static pov_status no_text(const pov_table *table, int line, const char *key)
{
    return pov_error("%s:%d: %.60s: expected text, a number, true, false, null, or a list of these",
                     table->name, line, key);
}

/* A list's texts, with "|" between. */
static pov_status keep_list(pov_table *table, const cJSON *list, int line)
{
    char number[NUMBER_LENGTH];
    uint32_t place = 0, first = 0;
    for (const cJSON *item = list->child; item; item = item->next) {
        const char *text = text_of(number, item);
        if (!text)
            return no_text(table, line, list->string);
        if (item != list->child)
            table->bytes[table->length - 1] = '|'; /* over the end of the one before */
        POV_TRY(pov_table_keep(table, &place, text, strlen(text)));
        first = item == list->child ? place : first;
    }
    int column = pov_table_column(table, list->string);
    *pov_table_last_cell(table, column) = first;
    return pov_ok();
}

static pov_status keep_member(pov_table *table, const cJSON *member, int line)
{
    char number[NUMBER_LENGTH];
    int column;
    POV_TRY(pov_table_need_column(table, &column, member->string, line));
    if (cJSON_IsArray(member))
        return keep_list(table, member, line);
    const char *text = text_of(number, member);
    if (!text)
        return no_text(table, line, member->string);
    return *text ? pov_table_keep(table, pov_table_last_cell(table, column), text, strlen(text)) : pov_ok();
}

static pov_status keep_object(pov_table *table, const cJSON *object, int line)
{
    int column;
    if (!cJSON_IsObject(object) || !object->child)
        return pov_error("%s:%d: is not a JSON object on one line, like {\"answer\": \"yes\"}", table->name,
                         line);
    POV_TRY(pov_table_need_column(table, &column, object->child->string, line));
    POV_TRY(pov_table_add_row(table, line));
    for (const cJSON *member = object->child; member; member = member->next)
        POV_TRY(keep_member(table, member, line));
    return pov_ok();
}

pov_status pov_table_parse_json(pov_table *table, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    pov_status status = pov_ok();
    for (int line = 1; at < end && status.code == POV_OK; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        while (at < stop && strchr(" \t\r", *at))
            at++;
        if (at < stop) {
            cJSON *object = cJSON_ParseWithLength(at, (size_t)(stop - at));
            status = keep_object(table, object, line);
            cJSON_Delete(object);
        }
        at = newline ? newline + 1 : end;
    }
    return status;
}
