#include "compare/report/report_internal.h"

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

void pov_report_add_fact(pov_report *report, const char *name, const char *format, ...)
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

/* ---- making ---- */

static pov_status make_part(pov_report_part *part, const pov_answers *answers)
{
    part->answers = answers;
    POV_TRY(pov_report_cases_new(&part->cases, answers, POV_REPORT_WORST_MAX));
    POV_TRY(pov_sheet_new(&part->pivots));
    return pov_report_pivot(part->pivots, answers);
}

static pov_status make(pov_report *report)
{
    report->parts = calloc((size_t)report->source.len + 1, sizeof *report->parts);
    if (!report->parts)
        return pov_error("out of memory for a report of %d files", report->source.len);
    for (; report->len < report->source.len; report->len++)
        POV_TRY(make_part(&report->parts[report->len], &report->source.answers[report->len]));
    pov_report_gather_facts(report);
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
    pov_status status = make(*report);
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
