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
    uint32_t last = 0;
    for (int row = 0; c >= 0 && row < pov_table_len(table); row++) {
        const uint32_t number = pov_table_text(table, row, c);
        if (number == last)
            continue;
        last = number;
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
    pov_text example = {0};
    int column[sizeof of / sizeof *of];
    uint32_t key[sizeof of / sizeof *of]; /* numbers of texts take less room than millions of texts */
    int *first = NULL, capacity = 0, conflicts = 0;
    const int text = pov_table_column(table, "text"), name = pov_table_column(table, "key");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        column[i] = pov_table_column(table, of[i]);
    for (int row = 0; text >= 0 && name >= 0 && row < pov_table_len(table); row++) {
        for (size_t i = 0; i < sizeof of / sizeof *of; i++)
            key[i] = pov_table_text(table, row, column[i]);
        const int len = pov_name_set_len(asked), number = pov_name_set_add(asked, key, sizeof key);
        POV_REQUIRE_MEMORY(pov_grow(&first, &capacity, number, sizeof *first));
        if (number == len)
            first[number] = row;
        if (pov_table_text(table, first[number], text) != pov_table_text(table, row, text) &&
            pov_table_row_source(table, row) != pov_table_row_source(table, first[number]) &&
            conflicts++ == 0)
            pov_text_set(&example, "\"%.120s\" and \"%.120s\"", pov_table_cell(table, first[number], text),
                         pov_table_cell(table, row, text));
    }
    if (conflicts > 0)
        pov_report_add_finding(
            report,
            "Put together although the same question is asked in other words, in %d answers: %s. --apart "
            "reports each by itself.",
            conflicts, pov_text_of(&example));
    free(first);
    pov_text_free(&example);
    pov_name_set_destroy(&asked);
}

enum { SCENE, VARIANT, RUN, RELATUM, ADDRESSEE, PLACES };
static const char *const places[PLACES] = {"scene", "variant", "run", "relatum_facing", "addressee_facing"};

void pov_report_find_pool(pov_report *report, const pov_answers *answers)
{
    const pov_table *table = answers->table;
    if (!table || pov_table_sources(table) < 2)
        return;
    pov_name_set *scenes = pov_name_set_new(), *variants = pov_name_set_new(), *facings = pov_name_set_new(),
                 *units = pov_name_set_new(), *runs = pov_name_set_new();
    pov_name_set *seen = pov_name_set_new(); /* by the numbers of the texts: few rows have others */
    int column[PLACES];
    for (int i = 0; i < PLACES; i++)
        column[i] = pov_table_column(table, places[i]);
    for (int row = 0; row < pov_table_len(table); row++) {
        const char *at[PLACES];
        uint32_t number[PLACES];
        char place[80];
        for (int i = 0; i < PLACES; i++)
            number[i] = pov_table_text(table, row, column[i]);
        const int known = pov_name_set_len(seen);
        if (number[SCENE] == 0 || pov_name_set_add(seen, number, sizeof number) < known)
            continue;
        for (int i = 0; i < PLACES; i++)
            at[i] = pov_table_cell(table, row, column[i]);
        snprintf(place, sizeof place, "%.30s/%.30s", at[RELATUM], at[ADDRESSEE]);
        char *unit = pov_text_new("%s\t%s\t%s", at[SCENE], at[VARIANT], place);
        (void)pov_name_set_add(scenes, at[SCENE], strlen(at[SCENE]));
        (void)pov_name_set_add(variants, at[VARIANT], strlen(at[VARIANT]));
        (void)pov_name_set_add(facings, place, strlen(place));
        (void)pov_name_set_add(units, unit, strlen(unit));
        if (*at[RUN])
            (void)pov_name_set_add(runs, at[RUN], strlen(at[RUN]));
        free(unit);
    }
    pov_name_set_destroy(&seen);
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
