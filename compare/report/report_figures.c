/* The figures of a report, one after the other, in the order of COMFORT's. */
#include "compare/report/report_figures_internal.h"

#include "compare/scores/comfort_score.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pov_figure_maker_name(const pov_figure_maker *m, const char *form, const char *of)
{
    char *name = m->figure->name;
    pov_text text = {0};
    int number = (int)(m->part - m->report->parts), length = 0;
    if (pov_report_has_others(m->report, number))
        pov_text_set(&text, "%s_%d_%s_%s", pov_answers_paper_name(m->answers), number + 1, form, of);
    else
        pov_text_set(&text, "%s_%s_%s", pov_answers_paper_name(m->answers), form, of);
    for (const char *at = pov_text_of(&text); *at != '\0' && length < POV_FIGURE_NAME - 1; at++)
        if (isalnum((unsigned char)*at))
            name[length++] = *at;
        else if (length > 0 && name[length - 1] != '_')
            name[length++] = '_';
    while (length > 0 && name[length - 1] == '_')
        length--;
    name[length] = '\0';
    pov_text_free(&text);
}

void pov_figure_maker_hand_over_rows(const pov_figure_maker *m)
{
    pov_figure *f = m->figure, *part = pov_figure_new();
    const int rows_max = 400 / (25 + 11 * f->columns_len), parts = (f->len + rows_max - 1) / rows_max;
    for (int i = 0; i < parts; i++) {
        pov_figure_panel *panels = part->panels;
        *part = *f;
        part->panels = panels;
        part->len = (i + 1) * f->len / parts - i * f->len / parts;
        memcpy(part->rows, f->rows + i * f->len / parts, (size_t)part->len * sizeof *part->rows);
        part->caption = (pov_text){0};
        pov_text_set(&part->caption, "%s", pov_text_of(&f->caption));
        if (parts > 1) {
            snprintf(part->name, sizeof part->name, "%.140s_%d", f->name, i + 1);
            pov_text_add(&part->caption, " (%d of %d)", i + 1, parts);
        }
        m->visit(m->context, part, &m->place);
        pov_text_free(&part->caption);
        *part = (pov_figure){.panels = panels}; /* the rest is the whole figure's */
    }
    pov_figure_destroy(&part);
    pov_figure_clear(f);
}

void pov_figure_maker_hand_over(const pov_figure_maker *m)
{
    m->visit(m->context, m->figure, &m->place);
    pov_figure_clear(m->figure);
}

/* ---- which frame ---- */

static void say_left_out(pov_figure *f, int left_out, const char *what)
{
    if (left_out > 0)
        pov_text_add(&f->caption, " %d more %s are left out; the tables have them.", left_out, what);
}

static void add_preference(pov_figure *f, const char *name, const pov_preference *preference)
{
    pov_figure_row *row = &f->rows[f->len++];
    row->name = pov_text_new("%s", name);
    row->chance = NAN;
    memcpy(row->at, preference->eps_cosine, sizeof row->at);
    f->columns_len = preference->len;
}

static void finish_preferences(const pov_figure_maker *m, pov_prefer comparison, const char *form,
                               const char *of)
{
    pov_figure *f = m->figure;
    f->kind = POV_FIGURE_INTERVALS;
    f->axis = "ε cos × 100 (left is nearer)";
    for (int k = 0; k < f->columns_len; k++)
        f->columns[k] = pov_report_column_words(pov_prefer_key(comparison, k));
    pov_figure_maker_name(m, form, of);
    pov_figure_maker_hand_over_rows(m);
}

/* A model's rows: language, set and prompt. */
static void make_preferences(const pov_figure_maker *m, const char *model, pov_prefer comparison,
                             const char *form, const char *caption)
{
    pov_figure *f = m->figure;
    int left_out = 0;
    for (int g = 0; g < pov_comfort_data_groups(m->answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(m->answers->comfort, g);
        if (!pov_prefer_applies(comparison, group) || strcmp(group->model, model) != 0)
            continue;
        char *name = pov_text_new("%s, %s, %s", group->language, group->has_front ? "CAR" : "BALL",
                                  pov_report_prompt_words(group->prompt));
        if (f->len < POV_FIGURE_ROWS_MAX)
            add_preference(f, name, &m->answers->tables[g].preference[comparison]);
        else
            left_out++;
        free(name);
    }
    pov_text_set(&f->title, "%s, %s", caption, *model ? model : "the model");
    pov_text_set(&f->caption, "%s: %s.", caption, *model ? model : "the model");
    say_left_out(f, left_out, "rows");
    if (f->len > 0)
        finish_preferences(m, comparison, form, model);
}

static bool is_of(const pov_comfort_group *group, const char *model, pov_prompt prompt)
{
    return strcmp(group->model, model) == 0 && group->has_front && group->prompt == prompt;
}

/* The prompt without a perspective, which leaves the choice to the model; else the camera's. */
static pov_prompt prompt_across(const pov_comfort_data *data, const char *model)
{
    for (int g = 0; g < pov_comfort_data_groups(data); g++)
        if (is_of(pov_comfort_data_group(data, g), model, POV_PROMPT_NONE))
            return POV_PROMPT_NONE;
    return POV_PROMPT_CAMERA;
}

/* "Tamil: ego. rot.; speakers: rotated". */
static char *name_language(const pov_figure_maker *m, const char *code, const pov_preference *preference)
{
    const pov_language *language;
    const bool is_known = pov_languages_find(&language, m->languages, code).code == POV_OK;
    const char *speakers = is_known ? pov_convention_name(language->convention) : NULL;
    return pov_text_new("%s: %s%s%s", is_known ? language->name : code,
                        pov_preference_verdict(preference) >= POV_PREFERS_UNTESTED
                            ? pov_report_column_words(pov_prefer_key(POV_PREFER_READING, preference->best))
                            : "no preference",
                        speakers ? "; speakers: " : "", speakers ? speakers : "");
}

/* Figure 8: a row for each language of a model. */
static void make_languages(const pov_figure_maker *m, const char *model)
{
    const pov_comfort_data *data = m->answers->comfort;
    const pov_prompt prompt = prompt_across(data, model);
    pov_figure *f = m->figure;
    int left_out = 0;
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        const pov_preference *preference = &m->answers->tables[g].preference[POV_PREFER_READING];
        if (!is_of(group, model, prompt))
            continue;
        char *name = name_language(m, group->language, preference);
        if (f->len < POV_FIGURE_ROWS_MAX)
            add_preference(f, name, preference);
        else
            left_out++;
        free(name);
    }
    pov_text_set(&f->title, "Frame of reference by language, %s", model);
    pov_text_set(
        &f->caption,
        "Frame of reference by language: %s, %s. Form of COMFORT's Figure 8; distance of the answers "
        "from "
        "each frame and convention; behind each language what the answers follow, and the convention of its "
        "speakers.",
        *model ? model : "the model", pov_report_prompt_words(prompt));
    say_left_out(f, left_out, "languages");
    if (f->len > 1)
        finish_preferences(m, POV_PREFER_READING, "figure8", model);
    else
        pov_figure_clear(f);
}

/* ---- contestants ---- */

static const char *text_at(const pov_sheet_table *table, int row, const char *key)
{
    const int column = pov_sheet_column_of(table, key);
    pov_sheet_words words;
    return column < 0 || table->columns[column].kind != POV_SHEET_TEXT
               ? ""
               : pov_report_text_of(&words, table, row, column);
}

static double mean_at(const pov_sheet_table *table, int row, const char *key)
{
    return table->rows[row][pov_sheet_column_of(table, key)].estimate.mean;
}

static bool is_same_contest(const pov_sheet_table *table, int a, int b)
{
    return strcmp(text_at(table, a, "set"), text_at(table, b, "set")) == 0 &&
           strcmp(text_at(table, a, "prompt"), text_at(table, b, "prompt")) == 0 &&
           strcmp(text_at(table, a, "measure"), text_at(table, b, "measure")) == 0;
}

static void add_contestant(pov_figure *f, const pov_sheet_table *table, int r)
{
    pov_figure_row *row = &f->rows[f->len++];
    const char *language = text_at(table, r, "language");
    char range[40] = "";
    if (mean_at(table, r, "rank_low") > 0)
        snprintf(range, sizeof range, " (%.0f to %.0f)", mean_at(table, r, "rank_low"),
                 mean_at(table, r, "rank_high"));
    const double rank = mean_at(table, r, "rank");
    char *place = isnan(rank) ? pov_text_new("no rank") : pov_text_new("rank %.0f%s", rank, range);
    row->name = pov_text_new("%s%s%s: %s, %s answered", text_at(table, r, "model"), *language ? ", " : "",
                             language, place, text_at(table, r, "answered"));
    free(place);
    row->chance = NAN;
    row->at[0] = table->rows[r][pov_sheet_column_of(table, "mean")].estimate;
}

/* A figure for each set, prompt and measure in which there is something to compare. */
static void make_ranks(pov_figure_maker *m)
{
    const pov_sheet_table *table = pov_sheet_find(m->part->compared, "ranks");
    pov_figure *f = m->figure;
    m->place = (pov_report_place){.section = "Models and languages compared", .group = "", .is_wide = true};
    for (int first = 0, end; table && first < table->len; first = end) {
        const char *prompt = text_at(table, first, "prompt"), *measure = text_at(table, first, "measure");
        f->kind = POV_FIGURE_INTERVALS;
        f->columns[0] = "mean";
        f->columns_len = 1;
        f->axis = strcmp(measure, "eps_cos") != 0 ? "%" : "ε cos × 100 (left is better)";
        for (end = first; end < table->len && is_same_contest(table, first, end); end++)
            if (f->len < POV_FIGURE_ROWS_MAX)
                add_contestant(f, table, end);
        char *of = pov_text_new("%s%s%s%s%s", text_at(table, first, "set"), *prompt ? ", " : "", prompt,
                                *prompt ? ", " : "", measure);
        pov_figure_maker_name(m, "ranks", of);
        pov_text_set(&f->title, "Ranks, %s", of);
        pov_text_set(&f->caption,
                     "Ranks: %s. Means over what all share; behind each its rank, and the "
                     "ranks in 95 %% of the bootstrap's resamples of whole scenes.",
                     of);
        free(of);
        say_left_out(f, end - first - f->len, "rows");
        pov_figure_maker_hand_over_rows(m);
    }
}

static void make_model(const pov_figure_maker *m, const char *model)
{
    make_preferences(m, model, POV_PREFER_PERSPECTIVE, "perspectives",
                     "How far answers are from each perspective");
    make_preferences(m, model, POV_PREFER_CONVENTION, "conventions",
                     "How far answers are from each convention of the camera's axes");
    make_languages(m, model);
    pov_figure_maker_regions(m, model, prompt_across(m->answers->comfort, model));
}

static void make_comfort(pov_figure_maker *m)
{
    const pov_comfort_data *data = m->answers->comfort;
    pov_name_set *models = pov_name_set_new();
    make_ranks(m);
    m->place = (pov_report_place){.section = "Which frame the answers follow", .group = "", .is_wide = true};
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const char *model = pov_comfort_data_group(data, g)->model;
        const int len = pov_name_set_len(models);
        if (pov_name_set_add(models, model, strlen(model)) == len)
            make_model(m, model);
    }
    pov_name_set_destroy(&models);
    for (int g = 0; g < pov_comfort_data_groups(data); g++)
        pov_figure_maker_group(m, g);
    pov_figure_maker_grids(m);
}

/* ---- the others ---- */

/* The score that a random answer would get in a column of a pivot; NaN: not known. */
static double chance_of(const pov_answers *answers, const char *value)
{
    const pov_sheet_table *scores = pov_sheet_find(answers->sheet, "scores");
    if (!scores)
        return NAN;
    if (strcmp(value, "all") == 0)
        value = "";
    const int value_column = pov_sheet_column_of(scores, "value"),
              chance = pov_sheet_column_of(scores, "chance");
    for (int row = 0; row < scores->len; row++)
        if (strcmp(scores->rows[row][value_column].text, value) == 0)
            return scores->rows[row][chance].estimate.mean;
    return NAN;
}

void pov_report_fill_pivot(pov_figure *f, const pov_answers *answers, const pov_sheet_table *pivot)
{
    bool has_chance = false;
    f->kind = POV_FIGURE_INTERVALS;
    f->axis = "%";
    f->columns_len = pivot->len < POV_FIGURE_COLUMNS_MAX ? pivot->len : POV_FIGURE_COLUMNS_MAX;
    for (int c = 1; c < pivot->columns_len; c++) {
        pov_figure_row *row = &f->rows[f->len++];
        row->name = pov_text_new("%s", pov_report_column_words(pivot->columns[c].key));
        row->chance = chance_of(answers, pivot->columns[c].key);
        has_chance |= !isnan(row->chance);
        for (int k = 0; k < f->columns_len; k++)
            row->at[k] = pivot->rows[k][c].estimate;
    }
    for (int k = 0; k < f->columns_len; k++)
        f->columns[k] = pivot->rows[k][0].text;
    pov_text_set(&f->title, "%s", pivot->title);
    pov_text_set(&f->caption, "%s.%s", pivot->title, has_chance ? " Grey strokes: chance." : "");
    say_left_out(f, pivot->len - f->columns_len, "models");
}

static void make_pivot(const pov_figure_maker *m, const pov_sheet_table *pivot)
{
    if (m->summary && strcmp(pivot->key, m->summary) == 0)
        return; /* the part has begun with it */
    pov_report_fill_pivot(m->figure, m->answers, pivot);
    pov_figure_maker_name(m, pivot->key, "");
    pov_figure_maker_hand_over_rows(m);
}

static void make_matrices(const pov_figure_maker *m)
{
    static const char *const cardinals[4] = {"north", "east", "south", "west"};
    static const char *const sides[4] = {"front", "right", "back", "left"};
    const pov_paper_scores *scores = &m->answers->scores;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const char *label = pov_name_set_at(scores->labels, i), *value = strrchr(label, '\t') + 1;
        pov_figure *f = m->figure;
        f->kind = POV_FIGURE_MATRIX;
        memcpy(f->columns, strcmp(value, "Q7") == 0 ? sides : cardinals, sizeof sides);
        memcpy(f->count, scores->extras[i].matrix.count, sizeof f->count);
        pov_figure_maker_name(m, "answers", label);
        pov_text_set(&f->title, "%.*s %s: answers to each gold answer; shade: share of the row",
                     (int)strcspn(label, "\t"), label, value);
        pov_text_set(&f->caption, "%s.", pov_text_of(&f->title));
        pov_figure_maker_hand_over(m);
    }
}

static void make_calibrations(const pov_figure_maker *m)
{
    const pov_paper_scores *scores = &m->answers->scores;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const char *label = pov_name_set_at(scores->labels, i);
        const size_t model = strcspn(label, "\t");
        char *name = pov_text_new("%.*s%s%s", (int)model, label, label[model] ? ", " : "", label + model + 1);
        for (char *tab; (tab = strchr(name, '\t'));)
            *tab = ' ';
        if (scores->extras[i].calibration.n > 0)
            pov_figure_maker_reliability(m, &scores->extras[i].calibration, "P(true)", name);
        free(name);
    }
}

static void make_paper(pov_figure_maker *m)
{
    const pov_answers *answers = m->answers;
    const pov_sheet_table *pictures = pov_sheet_find(answers->sheet, "visor_cond");
    make_ranks(m);
    m->place = (pov_report_place){.section = "Figures", .group = "", .is_wide = true};
    if (answers->visor)
        make_pivot(m, pictures ? pictures : pov_sheet_find(answers->sheet, "visor_uncond"));
    for (int i = 0; i < pov_sheet_len(m->part->pivots); i++)
        make_pivot(m, pov_sheet_at(m->part->pivots, i));
    m->place.is_wide = false;
    if (answers->paper == POV_PAPER_VPT)
        make_matrices(m);
    if (answers->paper == POV_PAPER_VSR)
        make_calibrations(m);
}

static void make_summary(pov_figure_maker *m, int file)
{
    m->place = (pov_report_place){.section = "Summary", .group = "", .is_wide = true, .is_summary = true};
    m->summary = pov_report_summary_figure(m->figure, m->report, file);
    if (!m->summary)
        return;
    pov_figure_maker_name(m, m->summary, "");
    pov_figure_maker_hand_over_rows(m);
}

void pov_report_figures(const pov_report *report, int file, pov_report_visit visit, void *context)
{
    pov_figure_maker m = {.report = report,
                          .part = &report->parts[file],
                          .answers = report->parts[file].answers,
                          .visit = visit,
                          .context = context,
                          .figure = pov_figure_new(),
                          .languages = report->languages};
    make_summary(&m, file);
    if (m.answers->comfort)
        make_comfort(&m);
    else
        make_paper(&m);
    pov_figure_destroy(&m.figure);
}
