#include "compare/report/report_internal.h"

#include "compare/tables/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *pov_report_paper_title(const pov_answers *answers)
{
    static const char *const titles[] = {"FoREST", "VSR",     "Isle-Brick",
                                         "SPHERE", "COMFORT", "FoREST's pictures"};
    return titles[answers->paper];
}

void pov_report_group_name(char name[160], const pov_comfort_group *group)
{
    static const char *const prompts[POV_PROMPT_COUNT] = {"no viewpoint", "camera's viewpoint",
                                                          "addressee's viewpoint", "relatum's viewpoint"};
    snprintf(name, 160, "%.80s%s%.20s, %s, %s", group->model, *group->model ? ", " : "", group->language,
             group->has_front ? "CAR" : "BALL", prompts[group->prompt]);
}

__attribute__((format(printf, 3, 4))) static void add_fact(pov_report *report, const char *name,
                                                           const char *format, ...)
{
    va_list arguments;
    pov_report_fact *fact = &report->facts[report->facts_len];
    for (int i = 0; i < report->source.facts_len; i++)
        if (strcmp(report->source.facts[i].name, name) == 0 && i < report->facts_len)
            return;
    if (report->facts_len == POV_REPORT_FACTS_MAX)
        return;
    report->facts_len++;
    va_start(arguments, format);
    snprintf(fact->name, sizeof fact->name, "%s", name);
    vsnprintf(fact->text, sizeof fact->text, format, arguments);
    va_end(arguments);
}

void pov_report_add_finding(pov_report *report, const char *format, ...)
{
    va_list arguments;
    if (report->findings_len == POV_REPORT_FINDINGS_MAX) {
        report->findings_left_out++;
        return;
    }
    va_start(arguments, format);
    vsnprintf(report->findings[report->findings_len++], POV_REPORT_LINE, format, arguments);
    va_end(arguments);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool share_paper(const pov_report *report, int one, int other)
{
    return one != other && report->parts[one].answers->paper == report->parts[other].answers->paper;
}

bool pov_report_has_others(const pov_report *report, int number)
{
    for (int i = 0; i < report->len; i++)
        if (share_paper(report, i, number))
            return true;
    return false;
}

const char *pov_report_part_name(const pov_report *report, int number)
{
    const char *path = report->parts[number].answers->path, *name = file_name(path);
    for (int i = 0; i < report->len; i++)
        if (share_paper(report, i, number) && strcmp(file_name(report->parts[i].answers->path), name) == 0)
            return path;
    return name;
}

/* ---- facts: counted, or read from the columns that hold them ---- */

enum { DISTINCT_MAX = 12 };

/* Distinct texts with their counts, in order of appearance. */
typedef struct {
    const char *text[DISTINCT_MAX];
    int count[DISTINCT_MAX], len, others;
} distinct;

static void note_text(distinct *d, const char *text)
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

static distinct gather_column(const pov_report *report, const char *column)
{
    distinct d = {.len = 0};
    for (int f = 0; f < report->len; f++) {
        const pov_table *table = report->parts[f].answers->table;
        int c = table ? pov_table_column(table, column) : -1;
        for (int row = 0; c >= 0 && row < pov_table_len(table); row++)
            if (*pov_table_cell(table, row, c))
                note_text(&d, pov_table_cell(table, row, c));
    }
    return d;
}

static void join_texts(char line[POV_REPORT_LINE], const distinct *d, bool with_counts)
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
    distinct d = gather_column(report, "model");
    for (int f = 0; f < report->len; f++) {
        const pov_answers *answers = report->parts[f].answers;
        for (int g = 0; !answers->table && g < pov_comfort_data_groups(answers->comfort); g++)
            note_text(&d, pov_comfort_data_group(answers->comfort, g)->model);
    }
    return d;
}

static void add_models(pov_report *report)
{
    char line[POV_REPORT_LINE];
    const distinct d = gather_models(report);
    join_texts(line, &d, false);
    if (line[0] != '\0')
        add_fact(report, "Models", "%s", line);
}

static void add_distinct(pov_report *report, const char *name, const char *column, bool with_counts)
{
    char line[POV_REPORT_LINE];
    const distinct d = gather_column(report, column);
    join_texts(line, &d, with_counts);
    if (d.len > 0)
        add_fact(report, name, "%s", line);
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
            add_fact(report, "Answers", "%.200s: %s, %d pictures%s", name, pov_report_paper_title(answers),
                     pov_visor_pictures(answers->visor), formulas);
        else if (answers->comfort)
            add_fact(report, "Answers", "%.200s: COMFORT, %d curves%s", name,
                     pov_comfort_data_len(answers->comfort), formulas);
        else
            add_fact(report, "Answers", "%.200s: %s, %d rows%s", name, pov_report_paper_title(answers),
                     report->parts[f].cases.len, formulas);
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
        add_fact(report, "Asked", "%d questions: %d answered, %d refused, %d unclear, %d missing", asked,
                 answers[POV_ANSWER_GIVEN], answers[POV_ANSWER_REFUSED], answers[POV_ANSWER_UNCLEAR],
                 answers[POV_ANSWER_MISSING]);
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
        add_fact(report, "Dates", "%.60s to %.60s", first, last);
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
        add_fact(report, "Cost", "%.4g, in the endpoint's currency", sum);
}

static bool says_simulated(const char *model)
{
    return strstr(model, "vlm-sim") || strstr(model, "simulated");
}

static void gather_simulated(pov_report *report)
{
    const distinct said = gather_column(report, "simulated"), models = gather_models(report);
    distinct all = {.len = 0};
    if (report->source.simulated)
        note_text(&all, report->source.simulated);
    for (int i = 0; i < said.len; i++)
        if (strcmp(said.text[i], "no") != 0 && strcmp(said.text[i], "false") != 0 &&
            strcmp(said.text[i], "0") != 0)
            note_text(&all, said.text[i]);
    for (int i = 0; i < models.len; i++)
        if (says_simulated(models.text[i]) &&
            !(report->source.simulated && strstr(report->source.simulated, models.text[i])))
            note_text(&all, models.text[i]);
    join_texts(report->simulated, &all, false);
}

static void gather_facts(pov_report *report)
{
    for (int i = 0; i < report->source.facts_len; i++)
        add_fact(report, report->source.facts[i].name, "%s", report->source.facts[i].text);
    add_distinct(report, "Run", "run", false);
    add_models(report);
    add_files(report);
    add_counts(report);
    add_distinct(report, "Unscored because", "cause", true);
    add_dates(report);
    add_distinct(report, "Calibration", "calibration", false);
    add_distinct(report, "Recorded with", "version", false);
    add_cost(report);
    add_fact(report, "Scored with", "pov %s", report->source.version);
    gather_simulated(report);
}

/* ---- making ---- */

static pov_status make_part(pov_report_part *part, const pov_answers *answers)
{
    part->answers = answers;
    POV_TRY(pov_report_cases_new(&part->cases, answers, POV_REPORT_WORST_MAX));
    POV_TRY(pov_sheet_new(&part->pivots));
    return pov_report_pivot(part->pivots, answers);
}

static pov_status make_report(pov_report *report)
{
    report->parts = calloc((size_t)report->source.len + 1, sizeof *report->parts);
    if (!report->parts)
        return pov_error("out of memory for a report of %d files", report->source.len);
    for (; report->len < report->source.len; report->len++)
        POV_TRY(make_part(&report->parts[report->len], &report->source.answers[report->len]));
    gather_facts(report);
    for (int i = 0; i < report->len; i++)
        pov_report_find(report, &report->parts[i]);
    return pov_ok();
}

pov_status pov_report_new(pov_report **report, const pov_report_source *source)
{
    *report = calloc(1, sizeof **report);
    if (!*report)
        return pov_error("out of memory for a report");
    (*report)->source = *source;
    pov_status status = make_report(*report);
    if (status.code != POV_OK)
        pov_report_destroy(report);
    return status;
}

void pov_report_destroy(pov_report **report)
{
    if (!*report)
        return;
    for (int i = 0; (*report)->parts && i < (*report)->source.len; i++) {
        pov_report_cases_free(&(*report)->parts[i].cases);
        pov_sheet_destroy(&(*report)->parts[i].pivots);
    }
    free((*report)->parts);
    free(*report);
    *report = NULL;
}

/* ---- columns ---- */

const char *pov_report_column_words(const char *key)
{
    static const char *const words[][2] = {{"object_f1", "object F1"},
                                           {"asked_back", "asked back"},
                                           {"right_or_asked", "right or asked"},
                                           {"kappa", "κ"},
                                           {"kappa_low", "from"},
                                           {"kappa_high", "to"},
                                           {"accuracy", "accuracy %"},
                                           {"eps_cos", "ε cos"},
                                           {"eps_hemi", "ε hemi"},
                                           {"eps_clipped", "ε clip"},
                                           {"sigma", "σ"},
                                           {"eta", "η"},
                                           {"c_sym", "c sym"},
                                           {"c_opp", "c opp"},
                                           {"ego_tran", "ego. tran."},
                                           {"ego_rot", "ego. rot."},
                                           {"ego_refl", "ego. refl."},
                                           {"add_tran", "add. tran."},
                                           {"add_rot", "add. rot."},
                                           {"add_refl", "add. refl."},
                                           {"R", "R %"},
                                           {"I", "I %"},
                                           {"chance", "chance %"},
                                           {"validity", "valid %"},
                                           {"brier", "Brier"},
                                           {"ece", "ECE"},
                                           {"fit_R_only", "fit R only"},
                                           {"fit_I_only", "fit I only"},
                                           {"correctness", "correctness %"},
                                           {"A_I", "A-split, front (I)"},
                                           {"A_R", "A-split, no front (R)"},
                                           {"A_avg", "A-split"},
                                           {"C_EI", "C-split, EI"},
                                           {"C_ER", "C-split, ER"},
                                           {"C_all", "C-split"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], key) == 0)
            return words[i][1];
    return key;
}

bool pov_report_column_shows(const pov_sheet_table *table, int column)
{
    if (table->columns[column].kind == POV_SHEET_NUMBERS)
        return false;
    for (int row = 0; row < table->len; row++)
        if (pov_sheet_words_of(table, row, column).text[0] != '\0')
            return true;
    return false;
}
