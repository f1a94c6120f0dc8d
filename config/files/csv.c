#include "config/files/csv.h"

#include <stdlib.h>
#include <string.h>

/* Text that begins with apostrophes before such a character is one, too: else reading would take away one of its own. */
static bool is_formula(const char *text)
{
    const size_t marks = strspn(text, "'");
    const char *rest = text + marks;
    char *end = NULL;
    if (!*rest || !strchr("=+-@\t\r", *rest) || !rest[1])
        return false;
    strtod(rest, &end);
    return marks > 0 || *end != '\0';
}

/* Spreadsheets and our own reader take ; and tab for separators, too. */
void pov_csv_write(FILE *stream, const char *text)
{
    const bool quoted = strpbrk(text, ",;\"\r\n\t") != NULL;
    if (quoted)
        fputc('"', stream);
    if (is_formula(text))
        fputc('\'', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    if (quoted)
        fputc('"', stream);
}

/* The separator that the first row has most of. */
static char find_separator(const char *text, size_t length)
{
    static const char candidates[] = ",;\t";
    int count[3] = {0}, best = 0;
    for (size_t i = 0; i < length && text[i] != '\n'; i++) {
        const char *candidate = strchr(candidates, text[i]);
        if (candidate && *candidate)
            count[candidate - candidates]++;
    }
    for (int i = 1; i < 3; i++)
        best = count[i] > count[best] ? i : best;
    return candidates[best];
}

static void skip_lines(pov_csv *csv, bool comments)
{
    while (csv->at < csv->end) {
        const char *newline = memchr(csv->at, '\n', (size_t)(csv->end - csv->at));
        const char *end = newline ? newline : csv->end, *at = csv->at;
        while (at < end && (*at == ' ' || *at == '\r'))
            at++;
        if (at < end && !(comments && *csv->at == '#'))
            return;
        csv->at = newline ? newline + 1 : csv->end;
        csv->line += newline != NULL;
    }
}

pov_status pov_csv_check_text(const char *name, const char *text, size_t length)
{
    const char *nul = memchr(text, '\0', length);
    return nul ? pov_error("%s: byte %zu is zero: this is not a text file (UTF-16? save it as UTF-8)", name,
                           (size_t)(nul - text))
               : pov_ok();
}

pov_status pov_csv_begin(pov_csv *csv, const char *name, const char *text, size_t length, bool commented)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const size_t start = length >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
    *csv =
        (pov_csv){.name = name, .at = text + start, .end = text + length, .line = 1, .commented = commented};
    POV_TRY(pov_csv_check_text(name, text, length));
    csv->text = malloc(length + 2); /* each field ends with a NUL where a separator stood */
    if (!csv->text)
        return pov_error("%s: out of memory", name);
    skip_lines(csv, true);
    csv->separator = find_separator(csv->at, (size_t)(csv->end - csv->at));
    return pov_ok();
}

void pov_csv_end(pov_csv *csv)
{
    free(csv->text);
    csv->text = NULL;
}

/* Copies a quoted field, without its quotes, to *to; moves it behind the copy. */
static pov_status read_quoted(pov_csv *csv, char **to)
{
    const int line = csv->line;
    for (csv->at++; csv->at < csv->end; csv->at++) {
        if (*csv->at == '"' && (csv->at + 1 == csv->end || csv->at[1] != '"'))
            break;
        csv->at += *csv->at == '"';
        csv->line += *csv->at == '\n';
        *(*to)++ = *csv->at;
    }
    if (csv->at == csv->end)
        return pov_error("%s:%d: a quote is opened and not closed", csv->name, line);
    csv->at++;
    while (csv->at < csv->end && (*csv->at == ' ' || *csv->at == '\r'))
        csv->at++;
    if (csv->at < csv->end && *csv->at != csv->separator && *csv->at != '\n')
        return pov_error("%s:%d: text after a closing quote; a quote within a field is doubled (\"\")",
                         csv->name, csv->line);
    return pov_ok();
}

static void read_plain(pov_csv *csv, char **to)
{
    const char *start = csv->at;
    while (csv->at < csv->end && *csv->at != csv->separator && *csv->at != '\n')
        csv->at++;
    const char *end = csv->at;
    while (end > start && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    memcpy(*to, start, (size_t)(end - start));
    *to += end - start;
}

pov_status pov_csv_next(pov_csv *csv)
{
    char *to = csv->text;
    bool more = true;
    csv->len = 0;
    skip_lines(csv, csv->commented);
    if (csv->at == csv->end)
        return pov_status_of(POV_END);
    csv->row_line = csv->line;
    while (more) {
        if (csv->len == POV_CSV_FIELDS_MAX)
            return pov_error("%s:%d: more than %d fields", csv->name, csv->row_line, POV_CSV_FIELDS_MAX);
        csv->fields[csv->len++] = to;
        while (csv->at < csv->end && *csv->at == ' ')
            csv->at++;
        if (csv->at < csv->end && *csv->at == '"')
            POV_TRY(read_quoted(csv, &to));
        else
            read_plain(csv, &to);
        *to++ = '\0';
        char **field = &csv->fields[csv->len - 1];
        *field += **field == '\'' && is_formula(*field);
        more = csv->at < csv->end && *csv->at == csv->separator;
        if (csv->at < csv->end) {
            csv->line += *csv->at == '\n';
            csv->at++;
        }
    }
    return pov_ok();
}
