#include "compare/tables/cell.h"

#include "perception/papers/forest.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    return pov_error("%s:%d: %s: %s", pov_table_name(table), pov_table_line(table, row),
                     column < 0 ? "row" : pov_table_column_name(table, column), message);
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

static char plain(char c)
{
    return c == '_' || c == '-' ? ' ' : (char)tolower((unsigned char)c);
}

static bool is_same(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (plain(text[i]) != plain(word[i]))
            return false;
    return true;
}

static pov_status find_word(int *value, const pov_table *table, int row, int column, const char *text,
                            size_t length, const pov_word *words)
{
    char list[POV_MESSAGE_CAPACITY] = "";
    for (const pov_word *w = words; w->word; w++)
        if (is_same(text, length, w->word)) {
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
