/* The papers' tables themselves are in share/papers/published.tsv, of which the build makes POV_PUBLISHED. */
#include "compare/report/report_internal.h"

#include <ctype.h>
#include <string.h>

/* The next of a list with tabs between; NULL after the last. */
static const char *next_part(char part[80], const char *list)
{
    size_t length = strcspn(list, "\t");
    snprintf(part, 80, "%.*s", (int)length, list);
    return list[length] == '\t' ? list + length + 1 : NULL;
}

/* Letters and digits alone decide: "Position + Counting" is "position_counting". */
static bool is_same_name(const char *a, size_t a_len, const char *b)
{
    const char *end = a + a_len;
    for (;; a++, b++) {
        while (a < end && !isalnum((unsigned char)*a))
            a++;
        while (*b && !isalnum((unsigned char)*b))
            b++;
        if (a == end || *b == '\0')
            return a == end && *b == '\0';
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    }
}

/* `names`: what a column may be called, "|" between. */
static bool is_same_column(const char *names, const char *column)
{
    for (;;) {
        size_t length = strcspn(names, "|");
        if (is_same_name(names, length, column))
            return true;
        if (names[length] == '\0')
            return false;
        names += length + 1;
    }
}

/* Prompts are spelt out, as in ours. */
static void spell_cell(char text[80], const char *column)
{
    for (int p = 0; strcmp(column, "prompt") == 0 && p < POV_PROMPT_COUNT; p++)
        if (strcmp(text, pov_prompt_name((pov_prompt)p)) == 0) {
            snprintf(text, 80, "%s", pov_report_prompt_words((pov_prompt)p));
            return;
        }
}

static bool find_cell(char text[80], const pov_published *published, const char *row, const char *column)
{
    char name[80];
    const char *names = published->columns, *values = row;
    while (names && values) {
        names = next_part(name, names);
        values = next_part(text, values);
        if (is_same_column(name, column))
            return true;
    }
    text[0] = '\0';
    return false;
}

bool pov_report_published_cell(char text[80], const pov_published *published, const char *row,
                               const char *column)
{
    const bool found = find_cell(text, published, row, column);
    spell_cell(text, column);
    return found;
}

/* True if any of our rows has a published row's value in a column that says what was asked. */
static bool fits_column(const pov_published *published, const char *row, const pov_sheet_table *table,
                        const char *column)
{
    char text[80];
    int c = pov_sheet_column_of(table, column);
    if (c < 0 || !find_cell(text, published, row, column) || strcmp(text, "any") == 0)
        return true;
    for (int i = 0; i < table->len; i++)
        if (strcmp(table->rows[i][c].text, text) == 0)
            return true;
    return false;
}

bool pov_report_published_fits(const pov_published *published, const char *row, const pov_sheet_table *table)
{
    return fits_column(published, row, table, "set") && fits_column(published, row, table, "prompt") &&
           fits_column(published, row, table, "language") && fits_column(published, row, table, "value");
}

static int common_divisor(int a, int b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

pov_report_stops pov_report_count_stops(const pov_answers *answers)
{
    pov_report_stops stops = {.least = POV_CURVE_SAMPLES};
    for (int i = 0; i < pov_comfort_data_len(answers->comfort); i++) {
        const pov_curve *curve = &pov_comfort_data_curves(answers->comfort)[i].curve;
        int len = 0, first = -1;
        for (int k = 0; k < POV_CURVE_SAMPLES; k++) {
            if (curve->unasked[k])
                continue;
            first = first < 0 ? k : first;
            stops.step_deg = common_divisor(stops.step_deg, (k - first) * POV_CURVE_STEP_DEG);
            len++;
        }
        stops.least = len < stops.least ? len : stops.least;
        stops.most = len > stops.most ? len : stops.most;
    }
    return stops;
}

char *pov_report_published_note(const pov_answers *answers)
{
    if (!answers || !answers->comfort)
        return pov_text_new("%s", "");
    const pov_report_stops stops = pov_report_count_stops(answers);
    return stops.least == POV_CURVE_SAMPLES
               ? pov_text_new("%s", "")
               : pov_text_new(" (full rotations of %d stops; these answers: %d, so not comparable)",
                              POV_CURVE_SAMPLES, stops.least);
}

static int count_shared_columns(const pov_published *published, const pov_sheet_table *table)
{
    char text[80];
    int shared = 0;
    for (int c = 0; c < table->columns_len; c++)
        shared += table->columns[c].kind != POV_SHEET_TEXT &&
                  pov_report_published_cell(text, published, published->rows[0], table->columns[c].key);
    return shared;
}

bool pov_report_published_is_for(const pov_published *published, const pov_answers *answers,
                                 const pov_sheet_table *table)
{
    if (strcmp(published->paper, pov_answers_paper_name(answers)) != 0 ||
        strcmp(published->table, table->key) != 0 || count_shared_columns(published, table) == 0)
        return false;
    for (int i = 0; published->rows[i]; i++)
        if (pov_report_published_fits(published, published->rows[i], table))
            return true;
    return false;
}
