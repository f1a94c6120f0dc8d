#include "compare/report/report_internal.h"

#include "compare/report/plot_figures.h"
#include "config/files/markup.h"

#include <math.h>
#include <string.h>

static void begin_figure(FILE *stream, const char *style)
{
    fprintf(stream, "<figure class=\"%s\">\n", style);
}

static void end_figure(FILE *stream, const char *caption)
{
    fputs("<figcaption>", stream);
    pov_markup_text(stream, caption);
    fputs("</figcaption></figure>\n", stream);
}

static void left_out(FILE *stream, int count, const char *what)
{
    if (count > 0)
        fprintf(stream, "<p class=\"note\">%d more %s are left out here; the tables have them.</p>\n", count,
                what);
}

/* ---- COMFORT ---- */

static void draw_group(FILE *stream, const pov_answers *answers, int g)
{
    const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
    const pov_comfort_curve *curves = pov_comfort_data_curves(answers->comfort) + group->first;
    char name[160], caption[400];
    pov_report_group_name(name, group);
    fputs("<h4>", stream);
    pov_markup_text(stream, name);
    fputs("</h4>\n<div class=\"group\">\n", stream);
    begin_figure(stream, "curves");
    snprintf(caption, sizeof caption, "P(yes) by the angle from where each relation holds best, %s", name);
    pov_plot_curves(stream, caption, curves, group->len,
                    pov_prompt_reading(group->prompt, answers->options.convention));
    end_figure(stream,
               "After COMFORT's Figure 5: mean over curves; the angle is counted in the frame asked for.");
    begin_figure(stream, "half");
    snprintf(caption, sizeof caption, "P(yes) by the referent's place as seen from above, %s", name);
    pov_plot_polar(stream, caption, curves, group->len);
    end_figure(stream, "Mean P(yes) by the referent's azimuth about the relatum, from above.");
    begin_figure(stream, "half");
    snprintf(caption, sizeof caption, "Reliability of P(yes), %s", name);
    pov_plot_reliability(stream, caption, &answers->tables[g].score.calibration);
    end_figure(stream, answers->tables[g].score.calibration.n > 0
                           ? "Reliability: on the dashed line, P(yes) means what it says. 95 % intervals "
                             "(Wilson)."
                           : "Reliability: nothing was scored.");
    fputs("</div>\n", stream);
}

static void draw_preferences(FILE *stream, const pov_answers *answers, pov_prefer comparison,
                             const char *caption)
{
    pov_interval_row rows[POV_REPORT_BARS_MAX];
    const char *names[POV_SERIES_MAX];
    int len = 0, applies = 0, series = 0;
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        const pov_preference *preference = &answers->tables[g].preference[comparison];
        if (!pov_prefer_applies(comparison, group) || applies++ >= POV_REPORT_BARS_MAX)
            continue;
        pov_report_group_name(rows[len].name, group);
        rows[len].chance = NAN;
        series = preference->len;
        memcpy(rows[len++].at, preference->eps_cosine, sizeof preference->eps_cosine);
    }
    for (int k = 0; k < series; k++)
        names[k] = pov_report_column_words(pov_prefer_key(comparison, k));
    if (len == 0)
        return;
    begin_figure(stream, "curves");
    pov_plot_intervals(stream, caption, rows, len, names, series, "ε cos × 100 (left is nearer)");
    end_figure(stream, caption);
    left_out(stream, applies - len, "rows");
}

static void draw_comfort(FILE *stream, const pov_answers *answers)
{
    int groups = pov_comfort_data_groups(answers->comfort);
    fputs("<h3>Which frame the answers follow</h3>\n", stream);
    draw_preferences(stream, answers, POV_PREFER_PERSPECTIVE, "How far answers are from each perspective");
    draw_preferences(stream, answers, POV_PREFER_CONVENTION,
                     "How far answers are from each convention of the camera's axes");
    fputs("<h3>Curves</h3>\n", stream);
    for (int g = 0; g < groups && g < POV_REPORT_CURVES_MAX; g++)
        draw_group(stream, answers, g);
    left_out(stream, groups - POV_REPORT_CURVES_MAX, "groups of curves");
}

/* ---- the others ---- */

/* Of an answer drawn at random, to what a column of a pivot is about. */
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

/* A row for each column of a pivot, a series for each model. */
static void draw_pivot(FILE *stream, const pov_answers *answers, const pov_sheet_table *pivot)
{
    pov_interval_row rows[POV_SHEET_COLUMNS_MAX];
    const char *names[POV_SERIES_MAX];
    char caption[200];
    bool has_chance = false;
    int models = pivot->len < POV_SERIES_MAX ? pivot->len : POV_SERIES_MAX;
    for (int c = 1; c < pivot->columns_len; c++) {
        pov_interval_row *row = &rows[c - 1];
        snprintf(row->name, sizeof row->name, "%s", pov_report_column_words(pivot->columns[c].key));
        row->chance = chance_of(answers, pivot->columns[c].key);
        has_chance |= !isnan(row->chance);
        for (int m = 0; m < models; m++)
            row->at[m] = pivot->rows[m][c].estimate;
    }
    for (int m = 0; m < models; m++)
        names[m] = pivot->rows[m][0].text;
    begin_figure(stream, "curves");
    pov_plot_intervals(stream, pivot->title, rows, pivot->columns_len - 1, names, models, "%");
    snprintf(caption, sizeof caption, "%s.%s", pivot->title, has_chance ? " Grey strokes: chance." : "");
    end_figure(stream, caption);
    left_out(stream, pivot->len - models, "models");
}

static void draw_matrices(FILE *stream, const pov_answers *answers)
{
    static const char *const cardinals[4] = {"north", "east", "south", "west"}, *const sides[4] = {
                                                                                    "front", "right", "back",
                                                                                    "left"};
    const pov_paper_scores *scores = &answers->scores;
    int len = pov_name_set_len(scores->labels);
    fputs("<div class=\"group\">\n", stream);
    for (int i = 0; i < len && i < POV_REPORT_CURVES_MAX; i++) {
        const char *label = pov_name_set_at(scores->labels, i), *value = strrchr(label, '\t') + 1;
        char caption[300];
        snprintf(caption, sizeof caption, "%.*s %s: answers to each gold answer; shade: share of the row",
                 (int)strcspn(label, "\t"), label, value);
        begin_figure(stream, "half");
        pov_plot_matrix(stream, caption, &scores->extras[i].matrix,
                        strcmp(value, "Q7") == 0 ? sides : cardinals);
        end_figure(stream, caption);
    }
    fputs("</div>\n", stream);
    left_out(stream, len - POV_REPORT_CURVES_MAX, "matrices");
}

static void draw_calibrations(FILE *stream, const pov_answers *answers)
{
    const pov_paper_scores *scores = &answers->scores;
    fputs("<div class=\"group\">\n", stream);
    for (int i = 0; i < pov_name_set_len(scores->labels) && i < POV_REPORT_CURVES_MAX; i++) {
        const char *label = pov_name_set_at(scores->labels, i);
        char caption[300];
        if (scores->extras[i].calibration.n == 0)
            continue;
        snprintf(caption, sizeof caption, "Reliability of P(true): %.*s", (int)strcspn(label, "\t"), label);
        begin_figure(stream, "half");
        pov_plot_reliability(stream, caption, &scores->extras[i].calibration);
        end_figure(stream, caption);
    }
    fputs("</div>\n", stream);
}

void pov_report_html_figures(FILE *stream, const pov_report_part *part)
{
    if (part->answers->comfort) {
        draw_comfort(stream, part->answers);
        return;
    }
    const pov_sheet_table *pictures = pov_sheet_find(part->answers->sheet, "visor_cond");
    if (part->answers->visor)
        draw_pivot(stream, part->answers,
                   pictures ? pictures : pov_sheet_find(part->answers->sheet, "visor_uncond"));
    for (int i = 0; i < pov_sheet_len(part->pivots); i++)
        draw_pivot(stream, part->answers, pov_sheet_at(part->pivots, i));
    if (part->answers->paper == POV_PAPER_VPT)
        draw_matrices(stream, part->answers);
    if (part->answers->paper == POV_PAPER_VSR)
        draw_calibrations(stream, part->answers);
}
