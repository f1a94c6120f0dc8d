/* CSV after RFC 4180: quoted fields may hold separators, line breaks and doubled quotes. */
#include "compare/tables/table_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at, *end;
    char separator;
    int line;    /* of `at` */
    char *field; /* the one just read, unquoted; room for the whole text */
    size_t length;
} reader;

/* Of the three, the one that the first line has most of. */
static char separator_of(const char *text, size_t length)
{
    static const char candidates[] = ",;\t";
    int count[3] = {0}, best = 0;
    for (size_t i = 0; i < length && text[i] != '\n'; i++) {
        const char *candidate = strchr(candidates, text[i]);
        if (candidate)
            count[candidate - candidates]++;
    }
    for (int i = 1; i < 3; i++)
        best = count[i] > count[best] ? i : best;
    return candidates[best];
}

static pov_status read_quoted(pov_table *table, reader *r)
{
    int line = r->line;
    for (r->at++; r->at < r->end; r->at++) {
        if (*r->at == '"' && (r->at + 1 == r->end || r->at[1] != '"'))
            break;
        r->at += *r->at == '"';
        r->line += *r->at == '\n';
        r->field[r->length++] = *r->at;
    }
    if (r->at == r->end)
        return pov_error("%s:%d: a quote is opened and not closed", table->name, line);
    r->at++;
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\r'))
        r->at++;
    if (r->at < r->end && *r->at != r->separator && *r->at != '\n')
        return pov_error("%s:%d: text after a closing quote; a quote within a field is doubled (\"\")",
                         table->name, r->line);
    return pov_ok();
}

static void read_plain(reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at != r->separator && *r->at != '\n')
        r->at++;
    const char *end = r->at;
    while (end > start && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    memcpy(r->field, start, (size_t)(end - start));
    r->length = (size_t)(end - start);
}

static pov_status read_field(pov_table *table, reader *r)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
    r->length = 0;
    if (r->at < r->end && *r->at == '"')
        return read_quoted(table, r);
    read_plain(r);
    return pov_ok();
}

/* Steps over what ends a field: true if another follows in the row. */
static bool next_field(reader *r)
{
    bool more = r->at < r->end && *r->at == r->separator;
    if (r->at < r->end) {
        r->line += *r->at == '\n';
        r->at++;
    }
    return more;
}

static pov_status read_header(pov_table *table, reader *r)
{
    bool more = true;
    while (more) {
        int column, columns = table->columns;
        POV_TRY(read_field(table, r));
        r->field[r->length] = '\0';
        POV_TRY(pov_table_need_column(table, &column, r->field, r->line));
        if (table->columns == columns)
            return pov_error("%s:%d: column '%.60s' is named twice", table->name, r->line, r->field);
        more = next_field(r);
    }
    return pov_ok();
}

static pov_status read_row(pov_table *table, reader *r)
{
    int line = r->line, column = 0;
    bool more = true;
    POV_TRY(pov_table_add_row(table, line));
    for (; more; column++) {
        POV_TRY(read_field(table, r));
        if (column == table->columns)
            return pov_error(
                "%s:%d: more than the %d fields that the first line names; quote fields that hold "
                "'%c'",
                table->name, line, table->columns, r->separator);
        if (r->length)
            POV_TRY(pov_table_keep(table, pov_table_last_cell(table, column), r->field, r->length));
        more = next_field(r);
    }
    if (column < table->columns)
        return pov_error("%s:%d: %d fields; the first line names %d", table->name, line, column,
                         table->columns);
    return pov_ok();
}

/* Empty lines, and comments before the header. */
static void skip_lines(reader *r, bool comments)
{
    while (r->at < r->end) {
        size_t rest = (size_t)(r->end - r->at);
        const char *newline = memchr(r->at, '\n', rest);
        const char *end = newline ? newline : r->end, *at = r->at;
        while (at < end && (*at == ' ' || *at == '\r'))
            at++;
        if (at < end && !(comments && *r->at == '#'))
            return;
        r->at = newline ? newline + 1 : r->end;
        r->line += newline != NULL;
    }
}

pov_status pov_table_parse_csv(pov_table *table, const char *text, size_t length)
{
    reader r = {.at = text, .end = text + length, .line = 1, .field = malloc(length + 1)};
    if (!r.field)
        return pov_error("%s: out of memory", table->name);
    skip_lines(&r, true);
    r.separator = separator_of(r.at, (size_t)(r.end - r.at));
    pov_status status = r.at == r.end
                            ? pov_error("%s: is empty; its first line names the columns", table->name)
                            : read_header(table, &r);
    for (skip_lines(&r, false); status.code == POV_OK && r.at < r.end; skip_lines(&r, false))
        status = read_row(table, &r);
    free(r.field);
    return status;
}
