/* What was compared: counted, and read from the columns that say it. */
#include "compare/report/report_internal.h"

#include "compare/tables/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DISTINCT_MAX = 12 };

/* Distinct texts with their counts, in order of appearance. */
typedef struct {
    const char *text[DISTINCT_MAX];
    int count[DISTINCT_MAX], len, others;
} distinct;

static void note(distinct *d, const char *text)
{
    int i = 0;
    while (i < d->len && strcmp(d->text[i], text) != 0)
        i++;
    if (i == DISTINCT_MAX) {
        d->others++;
        return;
    }
    if (i == d->len)
        d->text[d->len++] = text;
    d->count[i]++;
}

static distinct gather(const pov_report *report, const char *column)
{
    distinct d = {.len = 0};
    for (int f = 0; f < report->len; f++) {
        const pov_table *table = report->parts[f].answers->table;
        int c = table ? pov_table_column(table, column) : -1;
        for (int row = 0; c >= 0 && row < pov_table_len(table); row++)
            if (*pov_table_cell(table, row, c))
                note(&d, pov_table_cell(table, row, c));
    }
    return d;
}

static void join(char line[POV_REPORT_LINE], const distinct *d, bool with_counts)
{
    size_t length = 0;
    line[0] = '\0';
    for (int i = 0; i < d->len && length < POV_REPORT_LINE - 100; i++) {
        length += (size_t)snprintf(line + length, 90, "%s%.60s", i > 0 ? ", " : "", d->text[i]);
        if (with_counts)
            length += (size_t)snprintf(line + length, 20, " (%d)", d->count[i]);
    }
    if (d->others > 0)
        snprintf(line + length, 40, ", and others (%d rows)", d->others);
}

static distinct gather_models(const pov_report *report)
{
    distinct d = gather(report, "model");
    for (int f = 0; f < report->len; f++) {
        const pov_answers *answers = report->parts[f].answers;
        for (int g = 0; !answers->table && g < pov_comfort_data_groups(answers->comfort); g++)
            note(&d, pov_comfort_data_group(answers->comfort, g)->model);
    }
    return d;
}

static void add_models(pov_report *report)
{
    char line[POV_REPORT_LINE];
    const distinct d = gather_models(report);
    join(line, &d, false);
    if (line[0] != '\0')
        pov_report_add_fact(report, "Models", "%s", line);
}

static void add_distinct(pov_report *report, const char *name, const char *column, bool with_counts)
{
    char line[POV_REPORT_LINE];
    const distinct d = gather(report, column);
    join(line, &d, with_counts);
    if (d.len > 0)
        pov_report_add_fact(report, name, "%s", line);
}

static void add_files(pov_report *report)
{
    for (int f = 0; f < report->len; f++) {
        const pov_answers *answers = report->parts[f].answers;
        const char *name = pov_report_part_name(report, f),
                   *formulas = answers->options.comfort.formulas == POV_FORMULAS_RELEASED
                                   ? ", scored as the authors' released scripts do"
                                   : "";
        if (answers->visor)
            pov_report_add_fact(report, "Answers", "%.200s: %s, %d pictures%s", name,
                                pov_report_paper_title(answers), pov_visor_pictures(answers->visor),
                                formulas);
        else if (answers->comfort)
            pov_report_add_fact(report, "Answers", "%.200s: COMFORT, %d curves%s", name,
                                pov_comfort_data_len(answers->comfort), formulas);
        else
            pov_report_add_fact(report, "Answers", "%.200s: %s, %d rows%s", name,
                                pov_report_paper_title(answers), report->parts[f].cases.len, formulas);
    }
}

static void add_counts(pov_report *report)
{
    int answers[POV_ANSWER_KINDS] = {0}, asked = 0;
    for (int f = 0; f < report->len; f++)
        for (int k = 0; k < POV_ANSWER_KINDS; k++) {
            answers[k] += report->parts[f].cases.answers[k];
            asked += report->parts[f].cases.answers[k];
        }
    if (asked > 0)
        pov_report_add_fact(report, "Asked", "%d questions: %d answered, %d refused, %d unclear, %d missing",
                            asked, answers[POV_ANSWER_GIVEN], answers[POV_ANSWER_REFUSED],
                            answers[POV_ANSWER_UNCLEAR], answers[POV_ANSWER_MISSING]);
}

/* ISO 8601 sorts as text. */
static void add_dates(pov_report *report)
{
    const char *first = NULL, *last = NULL;
    for (int f = 0; f < report->len; f++) {
        const pov_table *table = report->parts[f].answers->table;
        int c = table ? pov_table_column(table, "asked_at") : -1;
        for (int row = 0; c >= 0 && row < pov_table_len(table); row++) {
            const char *date = pov_table_cell(table, row, c);
            if (*date && (!first || strcmp(date, first) < 0))
                first = date;
            if (*date && (!last || strcmp(date, last) > 0))
                last = date;
        }
    }
    if (first)
        pov_report_add_fact(report, "Dates", "%.60s to %.60s", first, last);
}

static void add_cost(pov_report *report)
{
    double sum = 0, cost;
    bool is_known = false;
    for (int f = 0; f < report->len; f++) {
        const pov_table *table = report->parts[f].answers->table;
        int c = table ? pov_table_column(table, "cost") : -1;
        for (int row = 0; c >= 0 && row < pov_table_len(table); row++)
            if (pov_cell_number(&cost, table, row, c, 0, 1e9).code == POV_OK && !isnan(cost)) {
                sum += cost;
                is_known = true;
            }
    }
    if (is_known)
        pov_report_add_fact(report, "Cost", "%.4g, in the endpoint's currency", sum);
}

static bool says_simulated(const char *model)
{
    return strstr(model, "vlm-sim") || strstr(model, "simulated");
}

static void gather_simulated(pov_report *report)
{
    const distinct said = gather(report, "simulated"), models = gather_models(report);
    distinct all = {.len = 0};
    if (report->source.simulated)
        note(&all, report->source.simulated);
    for (int i = 0; i < said.len; i++)
        if (strcmp(said.text[i], "no") != 0 && strcmp(said.text[i], "false") != 0 &&
            strcmp(said.text[i], "0") != 0)
            note(&all, said.text[i]);
    for (int i = 0; i < models.len; i++)
        if (says_simulated(models.text[i]) &&
            !(report->source.simulated && strstr(report->source.simulated, models.text[i])))
            note(&all, models.text[i]);
    join(report->simulated, &all, false);
}

void pov_report_gather_facts(pov_report *report)
{
    for (int i = 0; i < report->source.facts_len; i++)
        pov_report_add_fact(report, report->source.facts[i].name, "%s", report->source.facts[i].text);
    add_distinct(report, "Run", "run", false);
    add_models(report);
    add_files(report);
    add_counts(report);
    add_distinct(report, "Unscored because", "cause", true);
    add_dates(report);
    add_distinct(report, "Calibration", "calibration", false);
    add_distinct(report, "Recorded with", "version", false);
    add_cost(report);
    pov_report_add_fact(report, "Scored with", "pov %s", report->source.version);
    gather_simulated(report);
}
