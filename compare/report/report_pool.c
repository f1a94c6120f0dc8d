#include "compare/report/report_internal.h"
#include "compare/statistics/name_set.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_TOLD = 12 };

/* Names the values of a column in which pooled answers differ: they may not belong together. (Prompts may: each way of asking is a
 * condition of its own in the tables.) */
static void find_conflict(pov_report *report, const pov_table *table, const char *column, const char *words)
{
    const int c = pov_table_column(table, column);
    pov_name_set *values = pov_name_set_new();
    pov_text text = {0};
    for (int row = 0; c >= 0 && row < pov_table_len(table); row++) {
        const char *value = pov_table_cell(table, row, c);
        const int known = pov_name_set_len(values);
        if (*value == '\0' || pov_name_set_add(values, value, strlen(value)) != known)
            continue;
        if (known < VALUES_TOLD)
            pov_text_add(&text, "%s%.80s", known > 0 ? ", " : "", value);
    }
    if (pov_name_set_len(values) > 1)
        pov_report_add_finding(
            report, "Put together although they differ in %s: %s%s. --apart reports each by itself.", words,
            pov_text_of(&text), pov_name_set_len(values) > VALUES_TOLD ? ", ..." : "");
    pov_text_free(&text);
    pov_name_set_destroy(&values);
}

/* The same question in other words. */
static void find_other_words(pov_report *report, const pov_table *table)
{
    static const char *const of[] = {"model", "key", "scene", "variant", "language"};
    pov_name_set *asked = pov_name_set_new();
    pov_text key = {0}, example = {0};
    int *first = NULL, capacity = 0, conflicts = 0;
    const int text = pov_table_column(table, "text"), name = pov_table_column(table, "key");
    for (int row = 0; text >= 0 && name >= 0 && row < pov_table_len(table); row++) {
        pov_text_clear(&key);
        for (size_t i = 0; i < sizeof of / sizeof *of; i++)
            pov_text_add_part(&key, pov_table_cell(table, row, pov_table_column(table, of[i])));
        const int len = pov_name_set_len(asked), number = pov_name_set_add(asked, pov_text_of(&key), key.len);
        POV_REQUIRE_MEMORY(pov_grow(&first, &capacity, number, sizeof *first));
        if (number == len)
            first[number] = row;
        const char *a = pov_table_cell(table, first[number], text), *b = pov_table_cell(table, row, text);
        if (strcmp(a, b) != 0 &&
            pov_table_row_source(table, row) != pov_table_row_source(table, first[number]) &&
            conflicts++ == 0)
            pov_text_set(&example, "\"%.120s\" and \"%.120s\"", a, b);
    }
    if (conflicts > 0)
        pov_report_add_finding(
            report,
            "Put together although the same question is asked in other words, in %d answers: %s. --apart "
            "reports each by itself.",
            conflicts, pov_text_of(&example));
    free(first);
    pov_text_free(&key);
    pov_text_free(&example);
    pov_name_set_destroy(&asked);
}

void pov_report_find_pool(pov_report *report, const pov_answers *answers)
{
    const pov_table *table = answers->table;
    if (!table || pov_table_sources(table) < 2)
        return;
    pov_name_set *scenes = pov_name_set_new(), *variants = pov_name_set_new(), *facings = pov_name_set_new(),
                 *units = pov_name_set_new(), *runs = pov_name_set_new();
    for (int row = 0; row < pov_table_len(table); row++) {
        const char *const at[] = {pov_report_cell(answers, row, "scene"),
                                  pov_report_cell(answers, row, "variant"),
                                  pov_report_cell(answers, row, "run")};
        char place[80];
        snprintf(place, sizeof place, "%.30s/%.30s", pov_report_cell(answers, row, "relatum_facing"),
                 pov_report_cell(answers, row, "addressee_facing"));
        if (*at[0] == '\0')
            continue;
        char *unit = pov_text_new("%s\t%s\t%s", at[0], at[1], place);
        (void)pov_name_set_add(scenes, at[0], strlen(at[0]));
        (void)pov_name_set_add(variants, at[1], strlen(at[1]));
        (void)pov_name_set_add(facings, place, strlen(place));
        (void)pov_name_set_add(units, unit, strlen(unit));
        if (*at[2])
            (void)pov_name_set_add(runs, at[2], strlen(at[2]));
        free(unit);
    }
    pov_report_add_finding(report,
                           "%s, %d files together: %d scene%s, %d variant%s, %d facing%s (of relatum and "
                           "addressee), in %d sweep%s.",
                           pov_report_paper_title(answers), pov_table_sources(table),
                           pov_name_set_len(scenes), pov_name_set_len(scenes) == 1 ? "" : "s",
                           pov_name_set_len(variants), pov_name_set_len(variants) == 1 ? "" : "s",
                           pov_name_set_len(facings), pov_name_set_len(facings) == 1 ? "" : "s",
                           pov_name_set_len(runs) > 0 ? pov_name_set_len(runs) : pov_table_sources(table),
                           pov_name_set_len(runs) == 1 ? "" : "s");
    pov_name_set_destroy(&scenes);
    pov_name_set_destroy(&variants);
    pov_name_set_destroy(&facings);
    pov_name_set_destroy(&units);
    pov_name_set_destroy(&runs);
    find_conflict(report, table, "version", "the version of pov");
    find_conflict(report, table, "calibration", "the lens calibration");
    find_other_words(report, table);
}
