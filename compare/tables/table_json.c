#include "compare/tables/table_internal.h"

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

/* ---- rows ---- */

enum { DEPTH_MAX = 4 };

/* An object within lists of objects: a row has the members of all around it. */
typedef struct {
    const cJSON *object[DEPTH_MAX];
    int depth;
} nest;

/* The member that is a list of objects; NULL: none. */
static const cJSON *find_inner(const cJSON *object)
{
    for (const cJSON *member = object->child; member; member = member->next)
        if (cJSON_IsArray(member) && cJSON_IsObject(member->child))
            return member;
    return NULL;
}

/* The same key within a list and around it: which is meant is not guessed. */
static pov_status check_key(const pov_table *table, const nest *n, const cJSON *member, int depth, int line)
{
    for (int i = 0; i < depth; i++)
        for (const cJSON *outer = n->object[i]->child; outer; outer = outer->next)
            if (outer != find_inner(n->object[i]) && strcmp(outer->string, member->string) == 0)
                return pov_error("%s:%d: %.60s: is both within the list '%.60s' and beside it", table->name,
                                 line, member->string, find_inner(n->object[i])->string);
    return pov_ok();
}

static pov_status keep_row(pov_table *table, const nest *n, int line)
{
    int column;
    /* A table has a column before it has a row. */
    POV_TRY(pov_table_need_column(table, &column, n->object[n->depth - 1]->child->string, line));
    POV_TRY(pov_table_add_row(table, line));
    for (int i = 0; i < n->depth; i++) {
        const cJSON *inner = i + 1 < n->depth ? find_inner(n->object[i]) : NULL;
        for (const cJSON *member = n->object[i]->child; member; member = member->next)
            if (member != inner) {
                POV_TRY(check_key(table, n, member, i, line));
                POV_TRY(keep_member(table, member, line));
            }
    }
    return pov_ok();
}

static pov_status keep_object(pov_table *table, const cJSON *object, nest n, int line)
{
    if (!cJSON_IsObject(object) || !object->child)
        return pov_error("%s:%d: is not a JSON object on one line, like {\"answer\": \"yes\"}", table->name,
                         line);
    if (n.depth == DEPTH_MAX)
        return pov_error("%s:%d: lists of objects within %d others", table->name, line, DEPTH_MAX - 1);
    const cJSON *inner = find_inner(object);
    n.object[n.depth++] = object;
    if (!inner)
        return keep_row(table, &n, line);
    for (const cJSON *item = inner->child; item; item = item->next)
        POV_TRY(keep_object(table, item, n, line));
    return pov_ok();
}

/* A whole text that is one value: a list of objects, alone or as a member of an object; lines count its items. */
static pov_status keep_document(pov_table *table, const cJSON *root)
{
    const cJSON *list = cJSON_IsArray(root) ? root : find_inner(root);
    nest n = {.depth = 0};
    int line = 0;
    if (!list)
        return keep_object(table, root, n, 1);
    if (list != root)
        n.object[n.depth++] = root;
    for (const cJSON *item = list->child; item; item = item->next)
        POV_TRY(keep_object(table, item, n, ++line));
    return pov_ok();
}

static bool is_blank(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at))
        at++;
    return at == end;
}

static pov_status keep_lines(pov_table *table, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    pov_status status = pov_ok();
    for (int line = 1; at < end && status.code == POV_OK; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        if (!is_blank(at, stop)) {
            cJSON *object = cJSON_ParseWithLength(at, (size_t)(stop - at));
            status = keep_object(table, object, (nest){.depth = 0}, line);
            cJSON_Delete(object);
        }
        at = newline ? newline + 1 : end;
    }
    return status;
}

pov_status pov_table_parse_json(pov_table *table, const char *text, size_t length)
{
    const char *stopped = NULL;
    cJSON *root = cJSON_ParseWithLengthOpts(text, length, &stopped, false);
    const bool is_document = root && is_blank(stopped, text + length);
    const pov_status status = is_document ? keep_document(table, root) : keep_lines(table, text, length);
    cJSON_Delete(root);
    return status;
}
