#include "compare/report/report.h"

#include "compare/report/report_internal.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISTINCT_MAX = 12, SOURCES_TOLD = 40 };

/* The papers' shape: a row for each model, a column for each task. */

typedef struct {
    const pov_sheet_table *scores;
    int model, by, value, measure; /* columns */
    pov_name_set *cells;           /* [row] its model, dimension and value */
    int *models, models_len;       /* the first row of each model */
} pivot_source;

static const char *text_at(const pivot_source *s, int row, int column)
{
    return s->scores->rows[row][column].text;
}

static void compose_key(pov_text *key, const char *model, const char *by, const char *value)
{
    pov_text_set(key, "%s\t%s\t%s", model, by, value);
}

static void open_source(pivot_source *s, const pov_sheet_table *scores)
{
    pov_text key = {0};
    pov_name_set *models = pov_name_set_new();
    *s = (pivot_source){.scores = scores,
                        .model = pov_sheet_column_of(scores, "model"),
                        .by = pov_sheet_column_of(scores, "by"),
                        .value = pov_sheet_column_of(scores, "value")};
    s->measure = s->value + 1;
    s->models = pov_allocate((size_t)scores->len + 1, sizeof *s->models);
    s->cells = pov_name_set_new();
    for (int row = 0; row < scores->len; row++) {
        const char *model = text_at(s, row, s->model);
        compose_key(&key, model, text_at(s, row, s->by), text_at(s, row, s->value));
        (void)pov_name_set_add(s->cells, pov_text_of(&key), key.len);
        if (pov_name_set_add(models, model, strlen(model)) == s->models_len)
            s->models[s->models_len++] = row;
    }
    pov_name_set_destroy(&models);
    pov_text_free(&key);
}

static void close_source(pivot_source *s)
{
    pov_name_set_destroy(&s->cells);
    free(s->models);
}

static int row_of(const pivot_source *s, const char *model, const char *by, const char *value)
{
    pov_text key = {0};
    compose_key(&key, model, by, value);
    const int row = pov_name_set_find(s->cells, pov_text_of(&key), key.len);
    pov_text_free(&key);
    return row;
}

/* The first row of each value of a dimension, as many as a table has columns for. */
static int gather_values(int first[POV_SHEET_COLUMNS_MAX], const pivot_source *s, const char *by)
{
    int len = 0;
    for (int row = 0; row < s->scores->len && len < POV_SHEET_COLUMNS_MAX - 2; row++) {
        bool is_new = strcmp(text_at(s, row, s->by), by) == 0;
        for (int i = 0; is_new && i < len; i++)
            is_new = strcmp(text_at(s, first[i], s->value), text_at(s, row, s->value)) != 0;
        if (is_new)
            first[len++] = row;
    }
    return len;
}

static void add_cell(pov_sheet *pivots, const pivot_source *s, const char *model, const char *by,
                     const char *value)
{
    const pov_estimate none = {NAN, NAN, NAN, 0};
    int row = row_of(s, model, by, value);
    pov_sheet_add_estimate(pivots, *value ? value : by,
                           row < 0 ? &none : &s->scores->rows[row][s->measure].estimate);
}

static void add_table(pov_sheet *pivots, const pivot_source *s, const char *by)
{
    int values[POV_SHEET_COLUMNS_MAX], values_len = gather_values(values, s, by);
    bool has_all = false;
    for (int i = 0; i < s->models_len && !has_all; i++)
        has_all = row_of(s, text_at(s, s->models[i], s->model), "all", "") >= 0;
    for (int i = 0; i < s->models_len; i++) {
        const char *model = text_at(s, s->models[i], s->model);
        pov_sheet_add_row(pivots);
        pov_sheet_add_text(pivots, "model", *model ? model : "the model");
        if (has_all)
            add_cell(pivots, s, model, "all", "");
        for (int k = 0; k < values_len; k++)
            add_cell(pivots, s, model, by, text_at(s, values[k], s->value));
    }
}

static bool has_dimension(const pivot_source *s, const char *by)
{
    for (int row = 0; row < s->scores->len; row++)
        if (strcmp(text_at(s, row, s->by), by) == 0)
            return true;
    return false;
}

/* Tables with a row for each model and a column for each value of a paper's dimension. */
static void report_pivot(pov_sheet *pivots, const pov_answers *answers)
{
    enum { ANY_CHOICE = POV_PAPER_CHOICES };
    static const struct {
        int paper;
        const char *by, *key, *title;
    } shapes[] = {
        {POV_PAPER_FOREST, "set", "by_set", "Accuracy on each released set, and on own scenes, %"},
        {POV_PAPER_VSR, "set", "by_set", "Accuracy on each released set, and on own scenes, %"},
        {POV_PAPER_SPHERE, "set", "by_set", "Accuracy on each released set, and on own scenes, %"},
        {POV_PAPER_FOREST, "question", "by_question", "Accuracy by question (FoREST's Table 2), %"},
        {POV_PAPER_FOREST, "frame identification", "by_frame",
         "Which frame an expression is in, by relatum, %"},
        {POV_PAPER_FOREST, "layout", "layout",
         "Layouts: left and right for the camera, C-split (FoREST's Table 17), %"},
        {POV_PAPER_VSR, "category", "by_category", "Accuracy by category of relation (VSR's Table 1), %"},
        {POV_PAPER_VSR, "frame", "by_frame", "Accuracy by the frame that makes the caption true, %"},
        {POV_PAPER_VPT, "question", "by_question",
         "Prediction correctness by question (Isle-Brick's Table 3), %"},
        {POV_PAPER_VPT, "skill", "by_skill", "Prediction correctness by skill (Isle-Brick's Figure 1), %"},
        {POV_PAPER_SPHERE, "task", "by_task", "Accuracy by task (SPHERE's Table 3), %"},
        {POV_PAPER_SPHERE, "skill", "by_skill", "Accuracy by the skills that an item is tagged with, %"},
        {POV_PAPER_SPHERE, "viewpoint", "by_viewpoint",
         "Accuracy by viewpoint: ego (from a named one), allo, %"},
        {ANY_CHOICE, "set", "by_set", "Accuracy on each released set, and on own scenes, %"},
        {ANY_CHOICE, "type", "by_type", "Accuracy by kind of question, %"},
        {ANY_CHOICE, "group", "by_group", "Accuracy by group of kinds, %"},
        {ANY_CHOICE, "setting", "by_setting",
         "Accuracy by setting: mirrored and turned options together, %"}};
    pivot_source s;
    if (answers->comfort || answers->visor)
        return;
    open_source(&s, pov_sheet_find(answers->sheet, "scores"));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].paper != (answers->paper >= POV_PAPER_CHOICES ? ANY_CHOICE : answers->paper) ||
            !has_dimension(&s, shapes[i].by))
            continue;
        pov_sheet_add_table(pivots, shapes[i].key, shapes[i].title);
        add_table(pivots, &s, shapes[i].by);
    }
    close_source(&s);
}

/* The scores in plain words. */

/* ---- COMFORT ---- */

/* "; the frame it answers in is the camera's ..."; names none where the tables print "-". */
static void append_preference(pov_text *line, const pov_preference *preference, const char *of_what,
                              const char *best_words, const char *(*words)(int))
{
    int best = preference->best, second = -1;
    for (int k = 0; k < preference->len; k++)
        if (!preference->is_best[k] && !isnan(preference->eps_cosine[k].mean) &&
            (second < 0 || preference->eps_cosine[k].mean < preference->eps_cosine[second].mean))
            second = k;
    if (best < 0 || second < 0)
        return;
    double eps = 100 * preference->eps_cosine[best].mean, next = 100 * preference->eps_cosine[second].mean;
    const pov_preferred verdict = pov_preference_verdict(preference);
    if (verdict == POV_PREFERS_AIMLESS)
        pov_text_add(line,
                     "; %s: none, its answers tell no direction (best ε cos %.1f; turned at random %.1f)",
                     of_what, eps, 100 * preference->aimless);
    else if (verdict == POV_PREFERS_NONE)
        pov_text_add(line, "; %s: no significant preference (the best two ε cos %.1f and %.1f)", of_what, eps,
                     next);
    else
        pov_text_add(line, "; %s %s (ε cos %.1f, next %s %.1f%s)", of_what, best_words, eps, words(second),
                     next, verdict == POV_PREFERS ? "" : "; fewer than six scenes: not tested");
}

static const char *convention_words(int convention)
{
    return pov_convention_name((pov_convention)convention);
}

/* Asked for one party's frame, answering in another's. */
static void append_disobedience(pov_text *line, const pov_comfort_group *group, const pov_preference *reading)
{
    static const char *const asked[POV_PERSPECTIVE_COUNT] = {[POV_EGOCENTRIC] = "the camera's",
                                                             [POV_ADDRESSEE] = "the addressee's",
                                                             [POV_INTRINSIC] = "the relatum's own"};
    const pov_perspective wanted = pov_comfort_group_reading(group).perspective;
    if (pov_preference_verdict(reading) < POV_PREFERS_UNTESTED || group->prompt == POV_PROMPT_NONE)
        return;
    for (int k = 0; k < reading->len; k++)
        if (reading->is_best[k] && reading->reading[k].perspective == wanted)
            return;
    pov_text_add(line, ", though asked for %s", asked[wanted]);
}

double pov_report_share_of_yes(const pov_comfort_curve *curves, int len)
{
    double n = 0, yes = 0;
    for (int i = 0; i < len; i++)
        for (int k = 0; k < POV_CURVE_SAMPLES; k++)
            if (!isnan(curves[i].curve.p[k])) {
                n++;
                yes += curves[i].curve.p[k] > 0.5;
            }
    return yes / n;
}

static void append_one_answer(pov_text *line, const pov_comfort_score *score, double yes)
{
    if (yes > 0.95 || yes < 0.05)
        pov_text_add(line, "; says %s to %.0f %% of the questions, wherever things are",
                     yes > 0.5 ? "yes" : "no", 100 * fmax(yes, 1 - yes));
    if (score->constant > 0)
        pov_text_add(line, "; %d of %d curves are the same all around and tell no direction", score->constant,
                     score->curves);
}

static void append_accuracy(pov_text *line, const pov_comfort_group *group, const pov_comfort_score *score)
{
    const pov_estimate *told = &score->overall[POV_ACCURACY_TOLD];
    char *coverage = pov_report_coverage(group->answers);
    if (isnan(told->mean))
        pov_text_add(line, ": nothing to score in the frame asked for");
    else
        pov_text_add(line, ": right in %.1f %% of the images", 100 * told->mean);
    if (!isnan(told->low))
        pov_text_add(line, " (%.1f to %.1f, n = %d scenes)", 100 * told->low, 100 * told->high, told->n);
    else if (!isnan(told->mean))
        pov_text_add(line, " (n = 1 scene: no interval)");
    if (!isnan(told->mean))
        pov_text_add(line, "; by the paper's rule, with all stops, %.1f %%",
                     100 * score->overall[POV_ACCURACY].mean);
    if (strcmp(group->model, POV_GEOMETRY) != 0)
        pov_text_add(line, "; %s", coverage);
    if (score->unscored > 0 && !isnan(told->mean))
        pov_text_add(line, "; between %.1f and %.1f %% if the unscored were wrong or right",
                     100 * score->overall[POV_ACCURACY_LEAST].mean,
                     100 * score->overall[POV_ACCURACY_MOST].mean);
    if (!pov_coverage_suffices(pov_coverage_of(group->answers)))
        pov_text_add(line, "; below 90 %% answered: no rank");
    if (score->untold > 0)
        pov_text_add(line, "; geometry cannot decide %d of the answers", score->untold);
    free(coverage);
}

/* A group's findings besides its accuracy. */
static void append_rest(pov_text *line, const pov_comfort_group *group, const pov_comfort_tables *tables,
                        const pov_comfort_curve *curves)
{
    const pov_preference *reading = &tables->preference[POV_PREFER_READING],
                         *convention = &tables->preference[POV_PREFER_CONVENTION];
    append_one_answer(line, &tables->score, pov_report_share_of_yes(curves, group->len));
    if (pov_prefer_applies(POV_PREFER_READING, group)) {
        char *best = pov_report_best_reading(reading);
        append_preference(line, reading, "the frame it answers in is", best, pov_report_reading_words);
        append_disobedience(line, group, reading);
        free(best);
    } else if (pov_prefer_applies(POV_PREFER_CONVENTION, group) && convention->best >= 0) {
        append_preference(line, convention, "the camera's axes are", convention_words(convention->best),
                          convention_words);
    }
}

void pov_report_add_finding(pov_report *report, const char *format, ...)
{
    va_list arguments;
    if (report->findings_len == POV_REPORT_FINDINGS_MAX - 1) { /* the last place tells of the rest */
        report->findings_left_out++;
        return;
    }
    va_start(arguments, format);
    pov_text finding = {0};
    pov_text_add(&finding, "%s", pov_text_of(&report->about));
    pov_text_add_list(&finding, format, arguments);
    report->findings[report->findings_len++] = pov_text_take(&finding);
    va_end(arguments);
}

/* Groups without any finding share one line. */
static void find_comfort(pov_report *report, const pov_answers *answers)
{
    pov_text empty = {0};
    if (answers->options.geometry)
        pov_report_add_finding(
            report, "No model has answered yet: all curves and tables here are of the station's own "
                    "judgments, each taken for an answer.");
    const pov_report_stops stops = pov_report_count_stops(answers);
    if (stops.least < POV_CURVE_SAMPLES)
        pov_report_add_finding(
            report,
            "Rotations of %d of 36 stops are among these: no full replication of COMFORT, and "
            "not comparable with its published rows.",
            stops.least);
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        const pov_comfort_tables *tables = &answers->tables[g];
        char *name = pov_report_group_name(group);
        pov_text line = {0}, rest = {0};
        append_rest(&rest, group, tables, pov_comfort_data_curves(answers->comfort) + group->first);
        append_accuracy(&line, group, &tables->score);
        if (isnan(tables->score.overall[POV_ACCURACY_TOLD].mean) && rest.len == 0)
            pov_text_add(&empty, "%s%s", empty.len > 0 ? "; " : "", name);
        else
            pov_report_add_finding(report, "%s%s%s.", name, pov_text_of(&line), pov_text_of(&rest));
        free(name);
        pov_text_free(&line);
        pov_text_free(&rest);
    }
    if (empty.len > 0)
        pov_report_add_finding(report, "Nothing to score in the frame asked for: %s.", pov_text_of(&empty));
    pov_text_free(&empty);
}

/* ---- the others ---- */

static const char *text_of(const pov_sheet_table *table, int row, const char *column)
{
    int c = pov_sheet_column_of(table, column);
    return c < 0 ? "" : table->rows[row][c].text;
}

static double mean_at(const pov_sheet_table *table, int row, const char *column)
{
    int c = pov_sheet_column_of(table, column);
    return c < 0 ? NAN : table->rows[row][c].estimate.mean;
}

static const char *model_at(const pov_sheet_table *table, int row)
{
    const char *model = text_of(table, row, "model");
    return *model ? model : "The model";
}

static void find_total(pov_report *report, const pov_sheet_table *scores, int row, const char *paper)
{
    const pov_estimate *score = &scores->rows[row][pov_sheet_column_of(scores, "value") + 1].estimate;
    const char *value = text_of(scores, row, "value");
    double chance = mean_at(scores, row, "chance");
    const int questions = (int)mean_at(scores, row, "questions");
    char within[40] = "", against[80] = "", of_scenes[40] = "";
    if (isnan(score->mean))
        return;
    if (!isnan(score->low))
        snprintf(within, sizeof within, "%.1f to %.1f, ", 100 * score->low, 100 * score->high);
    if (score->n != questions)
        snprintf(of_scenes, sizeof of_scenes, " about %d scene%s", score->n, score->n == 1 ? "" : "s");
    if (!isnan(chance))
        snprintf(against, sizeof against, "; chance is %.1f %%", 100 * chance);
    pov_report_add_finding(report, "%s, %s%s%s: %.1f %% right (%s%d question%s%s)%s.", model_at(scores, row),
                           paper, *value ? ", " : "", value, 100 * score->mean, within, questions,
                           questions == 1 ? "" : "s", of_scenes, against);
}

/* The columns of a pivot with the highest and the lowest score. */
static void find_extremes(pov_report *report, const pov_sheet_table *pivot, const char *paper)
{
    enum { ENOUGH = 5 };
    for (int row = 0; row < pivot->len; row++) {
        int high = -1, low = -1;
        for (int c = 1; c < pivot->columns_len; c++) {
            const pov_estimate *e = &pivot->rows[row][c].estimate;
            if (strcmp(pivot->columns[c].key, "all") == 0 || isnan(e->mean) || e->n < ENOUGH)
                continue;
            if (high < 0 || e->mean > pivot->rows[row][high].estimate.mean)
                high = c;
            if (low < 0 || e->mean < pivot->rows[row][low].estimate.mean)
                low = c;
        }
        if (high >= 0 && low != high)
            pov_report_add_finding(report, "%s, %s: best at %s (%.1f %%), worst at %s (%.1f %%).",
                                   pivot->rows[row][0].text, paper, pivot->columns[high].key,
                                   100 * pivot->rows[row][high].estimate.mean, pivot->columns[low].key,
                                   100 * pivot->rows[row][low].estimate.mean);
    }
}

static void find_forest_bias(pov_report *report, const pov_sheet_table *bias)
{
    for (int row = 0; bias && row < bias->len; row++) {
        double relative = mean_at(bias, row, "fit_R_only"), intrinsic = mean_at(bias, row, "fit_I_only");
        if (relative + intrinsic > 0)
            pov_report_add_finding(
                report, "%s, FoREST, %s: of %.0f answers that fit one frame only, %.0f %% fit the %s one.",
                model_at(bias, row), text_of(bias, row, "value"), relative + intrinsic,
                100 * fmax(relative, intrinsic) / (relative + intrinsic),
                relative >= intrinsic ? "relative" : "intrinsic");
    }
}

/* With few answers, any direction may be the favourite by chance. */
static void find_favourites(pov_report *report, const pov_sheet_table *bias)
{
    const double notable = 0.15, enough = 20;
    for (int row = 0; bias && row < bias->len; row++) {
        const double answers = mean_at(bias, row, "single") + mean_at(bias, row, "compound");
        if (answers >= enough && mean_at(bias, row, "bias") > notable &&
            strcmp(text_of(bias, row, "favourite"), "-") != 0)
            pov_report_add_finding(
                report, "%s, Isle-Brick %s: says \"%s\" more often than it is so (bias %.1f, %.0f answers).",
                model_at(bias, row), text_of(bias, row, "value"), text_of(bias, row, "favourite"),
                100 * mean_at(bias, row, "bias"), answers);
    }
}

static void find_paper(pov_report *report, const pov_report_part *part)
{
    const pov_sheet *sheet = part->answers->sheet;
    const pov_sheet_table *scores = pov_sheet_find(sheet, "scores");
    const char *paper = pov_report_paper_title(part->answers);
    for (int row = 0; row < scores->len; row++)
        if (strcmp(text_of(scores, row, "by"), "all") == 0 ||
            strcmp(text_of(scores, row, "by"), "skill") == 0 ||
            strcmp(text_of(scores, row, "by"), "layout") == 0)
            find_total(report, scores, row, paper);
    if (pov_sheet_len(part->pivots) > 0)
        find_extremes(report, pov_sheet_at(part->pivots, 0), paper);
    find_forest_bias(report, pov_sheet_find(sheet, "bias"));
    find_favourites(report, pov_sheet_find(sheet, "directional_bias"));
}

/* ---- pictures ---- */

static void find_pictures_of(pov_report *report, const pov_answers *answers, int model, pov_caption_kind kind)
{
    const pov_visor_score *score = &answers->visor_scores[model].of[kind];
    const bool released = answers->options.comfort.formulas == POV_FORMULAS_RELEASED;
    const pov_estimate *e = &score->measures[released ? POV_VISOR_UNCOND : POV_VISOR_COND];
    const char *name = pov_visor_model(answers->visor, model);
    char within[60] = "";
    pov_text line = {0};
    if (score->captions == 0)
        return;
    if (!isnan(e->low))
        snprintf(within, sizeof within, "%.1f to %.1f, ", 100 * e->low, 100 * e->high);
    pov_text_add(&line, "%s, %s, %s-split: ", *name ? name : "The model", pov_report_paper_title(answers),
                 pov_split_name(pov_caption_kind_split(kind)));
    if (isnan(e->mean))
        pov_text_add(&line, "no picture has both things");
    else if (released)
        pov_text_add(&line, "%.1f %% right as the authors' script counts (%s%d captions)", 100 * e->mean,
                     within, score->captions);
    else
        pov_text_add(
            &line,
            "%.1f %% of the pictures with both things show what the caption says (%s%d captions); of all "
            "%.1f %%",
            100 * e->mean, within, score->captions, 100 * score->measures[POV_VISOR_UNCOND].mean);
    pov_report_add_finding(report, "%s; %d of %d pictures lack a thing.", pov_text_of(&line),
                           score->pictures - score->both, score->pictures);
    pov_text_free(&line);
}

static void find_pictures(pov_report *report, const pov_answers *answers)
{
    for (int m = 0; m < pov_visor_models(answers->visor); m++) {
        find_pictures_of(report, answers, m, POV_CAPTIONS_A);
        find_pictures_of(report, answers, m, POV_CAPTIONS_C);
    }
}

/* Adds the findings: the scores in plain words. */
static void report_find(pov_report *report, const pov_report_part *part)
{
    const int number = (int)(part - report->parts);
    if (pov_report_has_others(report, number))
        pov_text_set(&report->about, "%s: ", pov_report_part_name(report, number));
    else
        pov_text_clear(&report->about);
    pov_report_find_pool(report, part->answers);
    if (part->answers->comfort)
        find_comfort(report, part->answers);
    else if (part->answers->visor)
        find_pictures(report, part->answers);
    else
        find_paper(report, part);
}

const char *pov_report_paper_title(const pov_answers *answers)
{
    static const char *const titles[] = {
        [POV_PAPER_FOREST] = "FoREST",     [POV_PAPER_VSR] = "VSR",
        [POV_PAPER_VPT] = "Isle-Brick",    [POV_PAPER_SPHERE] = "SPHERE",
        [POV_ANSWERS_COMFORT] = "COMFORT", [POV_ANSWERS_VISOR] = "FoREST's pictures"};
    static_assert(sizeof titles / sizeof *titles == POV_ANSWERS_VISOR + 1, "a title for each");
    const pov_choice_benchmark *choice = pov_paper_choice((pov_paper)answers->paper);
    return choice ? choice->title : titles[answers->paper];
}

__attribute__((format(printf, 3, 4))) static void add_fact(pov_report *report, const char *name,
                                                           const char *format, ...)
{
    va_list arguments;
    pov_text text = {0};
    for (int i = 0; i < report->source.facts_len; i++)
        if (strcmp(report->source.facts[i].name, name) == 0)
            return;
    va_start(arguments, format);
    pov_text_add_list(&text, format, arguments);
    va_end(arguments);
    POV_REQUIRE_MEMORY(
        pov_grow(&report->facts, &report->facts_capacity, report->facts_len, sizeof *report->facts));
    report->facts[report->facts_len++] = (pov_report_fact){name, pov_text_take(&text)};
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

static pov_text join_texts(const distinct *d, bool with_counts)
{
    pov_text joined = {0};
    for (int i = 0; i < d->len; i++) {
        pov_text_add(&joined, "%s%s", i > 0 ? ", " : "", d->text[i]);
        if (with_counts)
            pov_text_add(&joined, " (%d)", d->count[i]);
    }
    if (d->others > 0)
        pov_text_add(&joined, ", and others (%d rows)", d->others);
    return joined;
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

pov_name_set *pov_report_models(const pov_report *report)
{
    pov_name_set *models = pov_name_set_new();
    for (int f = 0; f < report->len; f++) {
        const pov_answers *answers = report->parts[f].answers;
        for (int g = 0; answers->comfort && g < pov_comfort_data_groups(answers->comfort); g++) {
            const char *model = pov_comfort_data_group(answers->comfort, g)->model;
            (void)pov_name_set_add(models, model, strlen(model));
        }
        for (int row = 0; !answers->comfort && answers->table && row < pov_table_len(answers->table); row++) {
            const char *model = pov_report_cell(answers, row, "model");
            if (*model)
                (void)pov_name_set_add(models, model, strlen(model));
        }
    }
    return models;
}

static void add_models(pov_report *report)
{
    const distinct d = gather_models(report);
    pov_text names = join_texts(&d, false);
    if (names.len > 0)
        add_fact(report, "Models", "%s", pov_text_of(&names));
    pov_text_free(&names);
}

static void add_distinct(pov_report *report, const char *name, const char *column, bool with_counts)
{
    const distinct d = gather_column(report, column);
    pov_text texts = join_texts(&d, with_counts);
    if (d.len > 0)
        add_fact(report, name, "%s", pov_text_of(&texts));
    pov_text_free(&texts);
}

static void add_files(pov_report *report)
{
    for (int f = 0; f < report->len; f++) {
        const pov_answers *answers = report->parts[f].answers;
        const int sources = answers->table ? pov_table_sources(answers->table) : 1;
        pov_text text = {0};
        if (sources > 1)
            pov_text_set(&text, "%d files together", sources);
        else
            pov_text_set(&text, "%s", pov_report_part_name(report, f));
        pov_text_add(&text, ": %s", pov_report_paper_title(answers));
        if (answers->visor)
            pov_text_add(&text, ", %d pictures", pov_visor_pictures(answers->visor));
        else if (answers->comfort)
            pov_text_add(&text, ", %d curves", pov_comfort_data_len(answers->comfort));
        else
            pov_text_add(&text, ", %d rows", report->parts[f].cases.len);
        if (answers->options.comfort.formulas == POV_FORMULAS_RELEASED)
            pov_text_add(&text, ", scored as the authors' released scripts do");
        add_fact(report, "Answers", "%s", pov_text_of(&text));
        pov_text_clear(&text);
        for (int i = 0; i < sources && i < SOURCES_TOLD && sources > 1; i++)
            pov_text_add(&text, "%s%s", i > 0 ? ", " : "", pov_table_source(answers->table, i));
        if (sources > SOURCES_TOLD)
            pov_text_add(&text, " and %d more", sources - SOURCES_TOLD);
        if (sources > 1)
            add_fact(report, "Files", "%s", pov_text_of(&text));
        pov_text_free(&text);
    }
}

const pov_sheet *pov_report_extra(const pov_report *report)
{
    return report->source.extra;
}

const char *pov_report_command(const pov_report *report)
{
    return report->source.command ? report->source.command : "";
}

static void add_counts(pov_report *report)
{
    int answers[POV_ANSWER_KINDS] = {0}, asked = 0;
    int judged = 0;
    for (int f = 0; f < report->len; f++)
        for (int k = 0; k < POV_ANSWER_KINDS; k++) {
            if (report->parts[f].answers->options.geometry) {
                judged += report->parts[f].cases.answers[k];
                continue;
            }
            answers[k] += report->parts[f].cases.answers[k];
            asked += report->parts[f].cases.answers[k];
        }
    if (judged > 0)
        add_fact(report, "Judged", "%d questions, by the station itself; no model was asked them", judged);
    char *coverage = pov_report_coverage(answers);
    if (asked > 0)
        add_fact(report, "Asked", "%d questions; %s", asked, coverage);
    free(coverage);
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
        add_fact(report, "Dates", "%s to %s", first, last);
}

static void add_cost(pov_report *report)
{
    double sum = 0, cost;
    bool is_known = false;
    for (int f = 0; f < report->len; f++) {
        const pov_answers *of = report->parts[f].answers;
        const pov_table *table = of->options.geometry ? NULL : of->table;
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

/* What the caller knows and what columns tell, once. */
static void gather_simulated(pov_report *report)
{
    char *said = pov_answers_simulated(report->source.answers, report->source.len);
    const char *known = report->source.simulated ? report->source.simulated : "";
    pov_text_set(&report->simulated, "%s", known);
    for (char *rest = said, *part; (part = strsep(&rest, ";,"));) {
        part += strspn(part, " ");
        if (*part && !strstr(known, part))
            pov_text_add(&report->simulated, "%s%s", report->simulated.len > 0 ? "; " : "", part);
    }
    free(said);
}

static void gather_facts(pov_report *report)
{
    for (int i = 0; i < report->source.facts_len; i++) {
        POV_REQUIRE_MEMORY(
            pov_grow(&report->facts, &report->facts_capacity, report->facts_len, sizeof *report->facts));
        report->facts[report->facts_len++] =
            (pov_report_fact){report->source.facts[i].name, pov_text_new("%s", report->source.facts[i].text)};
    }
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
    if (report->source.command)
        add_fact(report, "Made by", "%s", report->source.command);
    gather_simulated(report);
}

/* ---- making ---- */

/* With the first file of each paper. */
static void compare_contestants(pov_report *report)
{
    for (int i = 0; i < report->len; i++) {
        bool is_first = true;
        for (int k = 0; k < i && is_first; k++)
            is_first = !share_paper(report, i, k);
        if (is_first)
            pov_report_add_comparison(report->parts[i].compared, &report->parts[i], report->len - i);
    }
}

/* Without any file that is scored, tables of all together stand alone. */
static const pov_answers no_answers = {.path = "", .paper = POV_ANSWERS_COMFORT};

pov_report *pov_report_new(const pov_report_source *source)
{
    pov_report *report = pov_allocate(1, sizeof *report);
    report->source = *source;
    report->len = source->len;
    report->parts = pov_allocate((size_t)source->len + 1, sizeof *report->parts);
    report->parts[0].answers = &no_answers;
    const pov_status built_in = pov_languages_new(&report->languages, NULL);
    POV_REQUIRE(built_in.code == POV_OK);
    for (int i = 0; i < source->len; i++) {
        pov_report_part *part = &report->parts[i];
        part->answers = &source->answers[i];
        part->pivots = pov_sheet_new();
        pov_report_cases_new(&part->cases, part->answers, POV_REPORT_WORST_MAX);
        part->forms = pov_sheet_new();
        part->compared = pov_sheet_new();
        report_pivot(part->pivots, part->answers);
        if (part->answers->comfort)
            pov_report_add_forms(part->forms, part->answers);
    }
    compare_contestants(report);
    pov_report_summarise(report);
    gather_facts(report);
    for (int i = 0; source->remarks && i < pov_name_set_len(source->remarks); i++)
        pov_report_add_finding(report, "%s", (const char *)pov_name_set_at(source->remarks, i));
    for (int i = 0; i < report->len; i++)
        report_find(report, &report->parts[i]);
    if (report->findings_left_out > 0)
        report->findings[report->findings_len++] = pov_text_new(
            "%d more findings are not listed: the tables have what they say; fewer files at a time list all.",
            report->findings_left_out);
    return report;
}

void pov_report_destroy(pov_report **report)
{
    if (!*report)
        return;
    for (int i = 0; i < (*report)->len; i++) {
        pov_report_cases_free(&(*report)->parts[i].cases);
        pov_sheet_destroy(&(*report)->parts[i].pivots);
        pov_sheet_destroy(&(*report)->parts[i].forms);
        pov_sheet_destroy(&(*report)->parts[i].compared);
        free((*report)->parts[i].sentence);
        free((*report)->parts[i].coverage);
    }
    pov_languages_destroy(&(*report)->languages);
    for (int i = 0; i < (*report)->facts_len; i++)
        free((char *)(*report)->facts[i].text);
    for (int i = 0; i < (*report)->findings_len; i++)
        free((*report)->findings[i]);
    free((*report)->facts);
    pov_text_free(&(*report)->simulated);
    pov_text_free(&(*report)->about);
    free((*report)->title);
    free((*report)->parts);
    free(*report);
    *report = NULL;
}
