#include "compare/tables/table.h"

#include "compare/tables/cells.h"
#include "config/files/csv.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "perception/papers/forest.h"

#include <cJSON.h>

#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pov_table {
    const char *name;
    pov_cells *cells;
    char *column_name[POV_TABLE_COLUMNS_MAX];
    int row_of[POV_TABLE_COLUMNS_MAX]; /* the last row that a key or cell was put into; its number from 1 */
    struct {
        double number;
        uint32_t text; /* 0: none */
    } * numbers;       /* that were put; many stand in several rows */
    int columns;
    int *line;
    int len, lines_capacity;
    struct {
        const char *name;
        int end; /* of its rows */
    } * sources; /* of tables put together; NULL: it is one */
    int sources_len, sources_capacity;
    pov_text scratch;
};

static_assert((int)POV_TABLE_COLUMNS_MAX == (int)POV_CELLS_COLUMNS_MAX, "a place for each column");

/* ---- building ---- */

static pov_status keep_text(pov_table *table, uint32_t *place, const char *text, size_t length)
{
    return pov_cells_keep(table->cells, place, text, length)
               ? pov_ok()
               : pov_error("%s: more than 1 GB of text; split the file", table->name);
}

static pov_status need_column(pov_table *table, int *column, const char *name, int line)
{
    *column = pov_table_column(table, name);
    if (*column >= 0)
        return pov_ok();
    if (table->columns == POV_TABLE_COLUMNS_MAX)
        return pov_error("%s:%d: more than %d columns", table->name, line, POV_TABLE_COLUMNS_MAX);
    table->column_name[table->columns] = pov_text_new("%s", name);
    *column = table->columns++;
    return pov_ok();
}

static void add_row(pov_table *table, int line)
{
    POV_REQUIRE_MEMORY(pov_grow(&table->line, &table->lines_capacity, table->len, sizeof *table->line));
    table->line[table->len++] = line;
    pov_cells_add_row(table->cells);
}

/* Into the last row. */
static pov_status put_text(pov_table *table, int column, const char *text, size_t length)
{
    uint32_t place;
    POV_TRY(keep_text(table, &place, text, length));
    pov_cells_put(table->cells, column, place);
    return pov_ok();
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
    add_row(table, csv->row_line);
    for (int i = 0; i < csv->len; i++)
        POV_TRY(put_text(table, i, csv->fields[i], strlen(csv->fields[i])));
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

/* What is nested in it, as JSON. */
static void add_nested(pov_text *text, const cJSON *value)
{
    char *printed = cJSON_PrintUnformatted(value);
    POV_REQUIRE_MEMORY(printed);
    pov_text_add(text, "%s", printed);
    cJSON_free(printed);
}

/* A list's texts, with "|" between. */
static pov_status keep_list(pov_table *table, const cJSON *list)
{
    char number[NUMBER_LENGTH];
    pov_text_clear(&table->scratch);
    for (const cJSON *item = list->child; item; item = item->next) {
        const char *text = scalar_text(number, item);
        pov_text_add(&table->scratch, "%s%s", item == list->child ? "" : "|", text ? text : "");
        if (!text)
            add_nested(&table->scratch, item);
    }
    return put_text(table, pov_table_column(table, list->string), pov_text_of(&table->scratch),
                    table->scratch.len);
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
        return keep_list(table, member);
    const char *text = scalar_text(number, member);
    if (text)
        return put_text(table, column, text, strlen(text));
    pov_text_clear(&table->scratch);
    add_nested(&table->scratch, member);
    return put_text(table, column, pov_text_of(&table->scratch), table->scratch.len);
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
    add_row(table, line);
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
    size_t first = start;
    POV_TRY(pov_csv_check_text(table->name, text, length));
    while (first < length && strchr(" \t\r\n", text[first]))
        first++;
    const bool is_json = first < length && (text[first] == '{' || text[first] == '[');
    return is_json ? parse_json(table, text + start, length - start) : parse_csv(table, text, length);
}

pov_table *pov_table_new(const char *name)
{
    pov_table *table = pov_allocate(1, sizeof *table);
    *table = (pov_table){.name = name, .cells = pov_cells_new()};
    return table;
}

pov_status pov_table_parse(pov_table **table, const char *name, const char *text, size_t length)
{
    *table = pov_table_new(name);
    const pov_status status = read_text(*table, text, length);
    if (status.code != POV_OK)
        pov_table_destroy(table);
    return status;
}

void pov_table_destroy(pov_table **table)
{
    if (!*table)
        return;
    for (int c = 0; c < (*table)->columns; c++)
        free((*table)->column_name[c]);
    pov_cells_destroy(&(*table)->cells);
    free((*table)->line);
    free((*table)->sources);
    free((*table)->numbers);
    pov_text_free(&(*table)->scratch);
    free(*table);
    *table = NULL;
}

/* ---- cell by cell ---- */

enum {
    NUMBERS_BITS = 11,
    NUMBERS = 1 << NUMBERS_BITS
}; /* chosen: an image's numbers come again with each question about it */

void pov_table_add_row(pov_table *table)
{
    add_row(table, table->len + 1);
}

/* The column of a cell that is put into the last row, once. `guess`: where it was in the row before. */
static pov_status claim_column(pov_table *table, int *column, const char *name, int guess)
{
    if (guess >= 0 && guess < table->columns && strcmp(table->column_name[guess], name) == 0)
        *column = guess;
    else
        POV_TRY(need_column(table, column, name, table->len));
    if (table->row_of[*column] == table->len)
        return pov_error("%s:%d: the key '%.60s' stands twice in one object", table->name, table->len, name);
    table->row_of[*column] = table->len;
    return pov_ok();
}

pov_status pov_table_put_text(pov_table *table, int *column, const char *name, const char *text)
{
    POV_TRY(claim_column(table, column, name, *column));
    if (table->len > 1) { /* most repeat what stands above */
        const uint32_t above = pov_cells_at(table->cells, table->len - 2, *column);
        if (strcmp(pov_cells_text(table->cells, above), text) == 0) {
            pov_cells_put(table->cells, *column, above);
            return pov_ok();
        }
    }
    return put_text(table, *column, text, strlen(text));
}

/* As cJSON prints it: with 15 digits if that is the number but for the last bit, so that a log's own answers and those that were exported
 * are scored alike. */
static int print_number(char text[NUMBER_LENGTH], double number)
{
    const int len = snprintf(text, NUMBER_LENGTH, "%.15g", number);
    const double read = strtod(text, NULL);
    return fabs(read - number) <= DBL_EPSILON * fmax(fabs(read), fabs(number))
               ? len
               : snprintf(text, NUMBER_LENGTH, "%.17g", number);
}

pov_status pov_table_put_number(pov_table *table, int *column, const char *name, double number)
{
    char text[NUMBER_LENGTH];
    uint64_t bits;
    POV_TRY(claim_column(table, column, name, *column));
    if (!table->numbers)
        table->numbers = pov_allocate(NUMBERS, sizeof *table->numbers);
    memcpy(&bits, &number, sizeof bits);
    const size_t slot = bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NUMBERS_BITS);
    if (table->numbers[slot].text == 0 || memcmp(&table->numbers[slot].number, &number, sizeof number) != 0) {
        const int len = print_number(text, number);
        POV_TRY(keep_text(table, &table->numbers[slot].text, text, (size_t)len));
        table->numbers[slot].number = number;
    }
    pov_cells_put(table->cells, *column, table->numbers[slot].text);
    return pov_ok();
}

pov_status pov_table_put_item(pov_table *table, const struct cJSON *member)
{
    return keep_member(table, member, table->len);
}

/* ---- several together ---- */

const char *pov_table_column_name(const pov_table *table, int column)
{
    return column >= 0 && column < table->columns ? table->column_name[column] : NULL;
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
        return keep_text(table, place, path, strlen(path));
    pov_text_set(&table->scratch, "%.*s%s", (int)(slash - of) + 1, of, path);
    return keep_text(table, place, pov_text_of(&table->scratch), table->scratch.len);
}

/* One table's texts within another. */
typedef struct {
    pov_table *to;
    const pov_table *from;
    uint32_t *place;                       /* [text of `from`] in `to`; 0: not looked up yet */
    int column[POV_TABLE_COLUMNS_MAX];     /* [of `from`] in `to` */
    bool is_path[POV_TABLE_COLUMNS_MAX];   /* [of `from`] */
    uint32_t last[POV_TABLE_COLUMNS_MAX];  /* [of `from`] the last path */
    uint32_t whole[POV_TABLE_COLUMNS_MAX]; /* [of `from`] the same in `to` */
} joining;

static pov_status join_cell(joining *j, int row, int c)
{
    const uint32_t text = pov_cells_at(j->from->cells, row, c);
    uint32_t *place = j->is_path[c] ? &j->whole[c] : &j->place[text];
    if (text == 0)
        return pov_ok();
    const char *words = pov_cells_text(j->from->cells, text);
    if (j->is_path[c] && text != j->last[c])
        POV_TRY(keep_path(j->to, place, j->from->name, words));
    else if (!j->is_path[c] && *place == 0)
        POV_TRY(keep_text(j->to, place, words, strlen(words)));
    j->last[c] = text;
    pov_cells_put(j->to->cells, j->column[c], *place);
    return pov_ok();
}

static pov_status join_rows(pov_table *to, const pov_table *from, const char *const *paths)
{
    joining j = {.to = to, .from = from};
    pov_status status = pov_ok();
    for (int c = 0; c < from->columns; c++) {
        j.is_path[c] = is_listed(paths, from->column_name[c]);
        POV_TRY(need_column(to, &j.column[c], from->column_name[c], 1));
    }
    j.place = pov_allocate(pov_cells_texts_end(from->cells), sizeof *j.place);
    for (int row = 0; row < from->len && status.code == POV_OK; row++) {
        add_row(to, from->line[row]);
        for (int c = 0; c < from->columns && status.code == POV_OK; c++)
            status = join_cell(&j, row, c);
    }
    free(j.place);
    POV_TRY(status);
    POV_REQUIRE_MEMORY(pov_grow(&to->sources, &to->sources_capacity, to->sources_len, sizeof *to->sources));
    to->sources[to->sources_len].name = from->name;
    to->sources[to->sources_len++].end = to->len;
    return pov_ok();
}

pov_status pov_table_append(pov_table *to, const pov_table *from, const char *const *paths)
{
    if (to->sources_len == 0) { /* its own rows become those of the first */
        pov_table *whole = pov_table_new(to->name);
        const pov_status status = join_rows(whole, to, paths);
        const pov_table old = *to;
        *to = *whole;
        *whole = old;
        pov_table_destroy(&whole);
        POV_TRY(status);
    }
    return join_rows(to, from, paths);
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
        if (strcmp(table->column_name[i], name) == 0)
            return i;
    return -1;
}

const char *pov_table_cell(const pov_table *table, int row, int column)
{
    POV_REQUIRE(row >= 0 && row < table->len && column < table->columns);
    return column < 0 ? "" : pov_cells_text(table->cells, pov_cells_at(table->cells, row, column));
}

uint32_t pov_table_text(const pov_table *table, int row, int column)
{
    POV_REQUIRE(row >= 0 && row < table->len && column < table->columns);
    return column < 0 ? 0 : pov_cells_at(table->cells, row, column);
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
                     pov_table_line(table, row), column < 0 ? "row" : pov_table_column_name(table, column),
                     message);
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
