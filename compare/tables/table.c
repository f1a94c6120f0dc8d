#include "compare/tables/table.h"

#include "compare/statistics/name_set.h"
#include "config/files/csv.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "perception/papers/forest.h"

#include <cJSON.h>

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pov_table {
    const char *name;
    char *bytes; /* all texts, each followed by '\0'; bytes[0] is "" */
    size_t length, capacity;
    uint32_t column_name[POV_TABLE_COLUMNS_MAX]; /* places in bytes */
    int row_of[POV_TABLE_COLUMNS_MAX];           /* of JSON: the last row that had a key; its number from 1 */
    int columns;
    uint32_t *cell; /* [row][width], places in bytes */
    int *line;
    int len, rows_capacity, width; /* width: cells that a row has room for */
    struct {
        const char *name;
        int end; /* of its rows */
    } * sources; /* of tables put together; NULL: it is one */
    int sources_len, sources_capacity;
    pov_name_set *texts; /* of the columns that repeat theirs, while tables are put together */
    uint32_t *text_place;
    int text_capacity;
};

enum { BYTES_MAX = 1 << 30 };

/* ---- building ---- */

static pov_status out_of_memory(const pov_table *table)
{
    return pov_error("%s: out of memory after %d rows", table->name, table->len);
}

static pov_status keep_text(pov_table *table, uint32_t *place, const char *text, size_t length)
{
    size_t needed = table->length + length + 1, capacity = table->capacity ? table->capacity : 1 << 16;
    if (needed > BYTES_MAX)
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

static pov_status widen_rows(pov_table *table)
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

static pov_status need_column(pov_table *table, int *column, const char *name, int line)
{
    *column = pov_table_column(table, name);
    if (*column >= 0)
        return pov_ok();
    if (table->columns == POV_TABLE_COLUMNS_MAX)
        return pov_error("%s:%d: more than %d columns", table->name, line, POV_TABLE_COLUMNS_MAX);
    POV_TRY(keep_text(table, &table->column_name[table->columns], name, strlen(name)));
    *column = table->columns++;
    return table->columns > table->width ? widen_rows(table) : pov_ok();
}

static pov_status add_row(pov_table *table, int line)
{
    if (table->len == table->rows_capacity) {
        size_t rows = 2 * (size_t)table->rows_capacity;
        POV_REQUIRE(rows > 0 && table->width > 0);
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

static uint32_t *last_cell(pov_table *table, int column)
{
    return table->cell + (size_t)(table->len - 1) * (size_t)table->width + column;
}

/* ---- CSV ---- */

static pov_status read_header(pov_table *table, const pov_csv *csv)
{
    for (int i = 0; i < csv->len; i++) {
        int column;
        POV_TRY(need_column(table, &column, csv->fields[i], csv->row_line));
        if (column != i)
            return pov_error("%s:%d: column '%.60s' is named twice", table->name, csv->row_line,
                             csv->fields[i]);
    }
    return pov_ok();
}

static pov_status read_row(pov_table *table, const pov_csv *csv)
{
    if (csv->len > table->columns)
        return pov_error(
            "%s:%d: more than the %d fields that the first line names; quote fields that hold '%c'",
            table->name, csv->row_line, table->columns, csv->separator);
    if (csv->len < table->columns)
        return pov_error("%s:%d: %d fields; the first line names %d", table->name, csv->row_line, csv->len,
                         table->columns);
    POV_TRY(add_row(table, csv->row_line));
    for (int i = 0; i < csv->len; i++)
        if (*csv->fields[i])
            POV_TRY(keep_text(table, last_cell(table, i), csv->fields[i], strlen(csv->fields[i])));
    return pov_ok();
}

static pov_status parse_csv(pov_table *table, const char *text, size_t length)
{
    pov_csv csv;
    pov_status status = pov_csv_begin(&csv, table->name, text, length, false);
    for (bool first = true; status.code == POV_OK && (status = pov_csv_next(&csv)).code == POV_OK;
         first = false)
        status = first ? read_header(table, &csv) : read_row(table, &csv);
    pov_csv_end(&csv);
    if (status.code != POV_END)
        return status;
    return table->columns > 0 ? pov_ok()
                              : pov_error("%s: is empty; its first line names the columns", table->name);
}

/* ---- JSON ---- */

enum { NUMBER_LENGTH = 32 };

/* A scalar as text; NULL if it is none. */
static const char *scalar_text(char number[NUMBER_LENGTH], const cJSON *value)
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

static pov_status complain_of_value(const pov_table *table, int line, const char *key)
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
        const char *text = scalar_text(number, item);
        if (!text)
            return complain_of_value(table, line, list->string);
        if (item != list->child)
            table->bytes[table->length - 1] = '|'; /* over the end of the one before */
        POV_TRY(keep_text(table, &place, text, strlen(text)));
        first = item == list->child ? place : first;
    }
    int column = pov_table_column(table, list->string);
    *last_cell(table, column) = first;
    return pov_ok();
}

static pov_status keep_member(pov_table *table, const cJSON *member, int line)
{
    char number[NUMBER_LENGTH];
    int column;
    POV_TRY(need_column(table, &column, member->string, line));
    if (table->row_of[column] == table->len)
        return pov_error("%s:%d: the key '%.60s' stands twice in one object", table->name, line,
                         member->string);
    table->row_of[column] = table->len;
    if (cJSON_IsArray(member))
        return keep_list(table, member, line);
    const char *text = scalar_text(number, member);
    if (!text)
        return complain_of_value(table, line, member->string);
    return *text ? keep_text(table, last_cell(table, column), text, strlen(text)) : pov_ok();
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
    POV_TRY(need_column(table, &column, n->object[n->depth - 1]->child->string, line));
    POV_TRY(add_row(table, line));
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
            cJSON *object = pov_json_parse(at, (size_t)(stop - at));
            status = keep_object(table, object, (nest){.depth = 0}, line);
            cJSON_Delete(object);
        }
        at = newline ? newline + 1 : end;
    }
    return status;
}

static pov_status parse_json(pov_table *table, const char *text, size_t length)
{
    const char *stopped = NULL;
    cJSON *root = pov_json_parse_begin(text, length, &stopped);
    const bool is_document = root && is_blank(stopped, text + length);
    const pov_status status = is_document ? keep_document(table, root) : keep_lines(table, text, length);
    cJSON_Delete(root);
    return status;
}

/* ---- reading ---- */

static pov_status read_text(pov_table *table, const char *text, size_t length)
{
    const size_t start = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    uint32_t empty;
    size_t first = start;
    POV_TRY(keep_text(table, &empty, "", 0));
    POV_TRY(pov_csv_check_text(table->name, text, length));
    while (first < length && strchr(" \t\r\n", text[first]))
        first++;
    const bool is_json = first < length && (text[first] == '{' || text[first] == '[');
    return is_json ? parse_json(table, text + start, length - start) : parse_csv(table, text, length);
}

pov_status pov_table_parse(pov_table **table, const char *name, const char *text, size_t length)
{
    *table = calloc(1, sizeof **table);
    if (!*table)
        return pov_error("%s: out of memory", name);
    (*table)->name = name;
    pov_status status = read_text(*table, text, length);
    if (status.code != POV_OK)
        pov_table_destroy(table);
    return status;
}

void pov_table_destroy(pov_table **table)
{
    if (!*table)
        return;
    free((*table)->bytes);
    free((*table)->cell);
    free((*table)->line);
    free((*table)->sources);
    pov_name_set_destroy(&(*table)->texts);
    free((*table)->text_place);
    free(*table);
    *table = NULL;
}

/* ---- several together ---- */

static const char *name_of_column(const pov_table *table, int column)
{
    POV_REQUIRE(column >= 0 && column < table->columns);
    return table->bytes + table->column_name[column];
}

/* A text once: most columns repeat a few, such as names, in all rows. */
static pov_status share_text(pov_table *table, uint32_t *place, const char *text, size_t length)
{
    enum { LONG = 400 };
    *place = 0;
    if (length == 0)
        return pov_ok();
    if (length > LONG)
        return keep_text(table, place, text, length);
    const int len = pov_name_set_len(table->texts), number = pov_name_set_add(table->texts, text, length);
    POV_REQUIRE_MEMORY(
        pov_grow(&table->text_place, &table->text_capacity, number, sizeof *table->text_place));
    if (number == len)
        POV_TRY(keep_text(table, &table->text_place[number], text, length));
    *place = table->text_place[number];
    return pov_ok();
}

static bool is_listed(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* A path seen from where its table's name is seen from. */
static pov_status keep_path(pov_table *table, uint32_t *place, const char *of, const char *path)
{
    const char *slash = strrchr(of, '/');
    if (*path == '\0' || *path == '/' || !slash)
        return share_text(table, place, path, strlen(path));
    char *whole = pov_text_new("%.*s%s", (int)(slash - of) + 1, of, path);
    const pov_status status = share_text(table, place, whole, strlen(whole));
    free(whole);
    return status;
}

static pov_status add_source(pov_table *table, const char *name)
{
    POV_REQUIRE_MEMORY(
        pov_grow(&table->sources, &table->sources_capacity, table->sources_len, sizeof *table->sources));
    table->sources[table->sources_len].name = name;
    table->sources[table->sources_len++].end = table->len;
    return pov_ok();
}

/* The first table's own rows. */
static pov_status begin_sources(pov_table *table, const char *const *paths)
{
    if (table->sources_len > 0)
        return pov_ok();
    table->texts = pov_name_set_new();
    for (int c = 0; c < table->columns; c++)
        for (int row = 0; row < table->len && is_listed(paths, name_of_column(table, c)); row++) {
            uint32_t place;
            char *path = pov_text_new("%s", pov_table_cell(table, row, c));
            const pov_status status = keep_path(table, &place, table->name, path);
            free(path);
            POV_TRY(status);
            table->cell[(size_t)row * (size_t)table->width + (size_t)c] = place;
        }
    return add_source(table, table->name);
}

pov_status pov_table_append(pov_table *to, const pov_table *from, const char *const *paths)
{
    int column[POV_TABLE_COLUMNS_MAX];
    POV_TRY(begin_sources(to, paths));
    for (int c = 0; c < from->columns; c++)
        POV_TRY(need_column(to, &column[c], name_of_column(from, c), 1));
    for (int row = 0; row < from->len; row++) {
        POV_TRY(add_row(to, from->line[row]));
        for (int c = 0; c < from->columns; c++) {
            const char *text = pov_table_cell(from, row, c);
            uint32_t place;
            POV_TRY(is_listed(paths, name_of_column(from, c)) ? keep_path(to, &place, from->name, text)
                                                              : share_text(to, &place, text, strlen(text)));
            *last_cell(to, column[c]) = place;
        }
    }
    return add_source(to, from->name);
}

int pov_table_sources(const pov_table *table)
{
    return table->sources_len > 0 ? table->sources_len : 1;
}

const char *pov_table_source(const pov_table *table, int source)
{
    return table->sources_len > 0 ? table->sources[source].name : table->name;
}

int pov_table_row_source(const pov_table *table, int row)
{
    int low = 0, high = table->sources_len - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (row < table->sources[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
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

/* ---- cells ---- */

const pov_word POV_WORDS_TRUTH[] = {{"yes", 1}, {"no", 0}, {"true", 1}, {"false", 0},
                                    {"1", 1},   {"0", 0},  {NULL, 0}};

const pov_word POV_WORDS_RELATION[] = {{"left", POV_LEFT_OF},
                                       {"right", POV_RIGHT_OF},
                                       {"front", POV_IN_FRONT_OF},
                                       {"behind", POV_BEHIND},
                                       {"back", POV_BEHIND},
                                       {"left of", POV_LEFT_OF},
                                       {"right of", POV_RIGHT_OF},
                                       {"in front of", POV_IN_FRONT_OF},
                                       {"to the left of", POV_LEFT_OF},
                                       {"totheleft", POV_LEFT_OF},
                                       {"totheright", POV_RIGHT_OF},
                                       {"to the right of", POV_RIGHT_OF},
                                       {"infrontof", POV_IN_FRONT_OF},
                                       {NULL, 0}};

const pov_word POV_WORDS_FRAME[] = {{"external relative", POV_EXTERNAL_RELATIVE},
                                    {"external intrinsic", POV_EXTERNAL_INTRINSIC},
                                    {"internal intrinsic", POV_INTERNAL_INTRINSIC},
                                    {"internal relative", POV_INTERNAL_RELATIVE},
                                    {"er", POV_EXTERNAL_RELATIVE},
                                    {"ei", POV_EXTERNAL_INTRINSIC},
                                    {"ii", POV_INTERNAL_INTRINSIC},
                                    {"ir", POV_INTERNAL_RELATIVE},
                                    {NULL, 0}};

pov_status pov_cell_need_column(int *column, const pov_table *table, const char *name, const char *purpose)
{
    *column = pov_table_column(table, name);
    if (*column >= 0)
        return pov_ok();
    return pov_error("%s:1: no column '%s' (%s); see docs/SCORES.md", pov_table_name(table), name, purpose);
}

pov_status pov_cell_complain(const pov_table *table, int row, int column, const char *format, ...)
{
    char message[POV_MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return pov_error("%s:%d: %s: %s", pov_table_source(table, pov_table_row_source(table, row)),
                     pov_table_line(table, row), column < 0 ? "row" : name_of_column(table, column), message);
}

pov_status pov_cell_number(double *value, const pov_table *table, int row, int column, double low,
                           double high)
{
    const char *text = pov_table_cell(table, row, column);
    char *end;
    *value = NAN;
    if (*text == '\0' || strcasecmp(text, "nan") == 0 || strcasecmp(text, "null") == 0)
        return pov_ok();
    double read = strtod(text, &end);
    if (*end != '\0' || !isfinite(read))
        return pov_cell_complain(table, row, column, "'%.40s' is not a number%s", text,
                                 strchr(text, ',') ? "; decimals are written with a point" : "");
    if (read < low || read > high)
        return pov_cell_complain(table, row, column, "%g is not within %g to %g", read, low, high);
    *value = read;
    return pov_ok();
}

static char plain_letter(char c)
{
    return c == '_' || c == '-' ? ' ' : (char)tolower((unsigned char)c);
}

static bool is_same_word(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (plain_letter(text[i]) != plain_letter(word[i]))
            return false;
    return true;
}

static pov_status find_word(int *value, const pov_table *table, int row, int column, const char *text,
                            size_t length, const pov_word *words)
{
    char list[POV_MESSAGE_CAPACITY] = "";
    for (const pov_word *w = words; w->word; w++)
        if (is_same_word(text, length, w->word)) {
            *value = w->value;
            return pov_ok();
        }
    for (const pov_word *w = words; w->word; w++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", w->word);
    }
    return pov_cell_complain(table, row, column, "'%.*s' is none of: %.250s",
                             (int)(length < 40 ? length : 40), text, list);
}

pov_status pov_cell_word(int *value, const pov_table *table, int row, int column, const pov_word *words)
{
    const char *text = pov_table_cell(table, row, column);
    return find_word(value, table, row, column, text, strlen(text), words);
}

pov_status pov_cell_words(unsigned *bits, const pov_table *table, int row, int column, const pov_word *words)
{
    const char *text = pov_table_cell(table, row, column);
    *bits = 0;
    while (*text) {
        int value;
        size_t length = strcspn(text, "|");
        while (length > 0 && *text == ' ') {
            text++;
            length--;
        }
        size_t trimmed = length;
        while (trimmed > 0 && text[trimmed - 1] == ' ')
            trimmed--;
        POV_TRY(find_word(&value, table, row, column, text, trimmed, words));
        *bits |= 1u << value;
        text += length + (text[length] == '|');
    }
    return pov_ok();
}
