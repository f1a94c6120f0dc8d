/* The scores in plain words. */
#include "compare/report/report_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- COMFORT ---- */

static const char *const convention_words[] = {"translated", "rotated", "reflected"};
static const char *const perspective_words[] = {"the camera's", "the relatum's own", "the addressee's"};
static const char *const *const words_of[] = {convention_words, perspective_words};

static int second_best(const pov_preference *preference)
{
    int second = -1;
    for (int k = 0; k < preference->len; k++)
        if (k != preference->best && !isnan(preference->eps_cosine[k].mean) &&
            (second < 0 || preference->eps_cosine[k].mean < preference->eps_cosine[second].mean))
            second = k;
    return second;
}

static void append_text(char line[POV_REPORT_LINE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void append_text(char line[POV_REPORT_LINE], const char *format, ...)
{
    size_t length = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, POV_REPORT_LINE - length, format, arguments);
    va_end(arguments);
}

/* "; the frame it answers in is the camera's ..."; names none where the tables print "-". */
static void append_preference(char line[POV_REPORT_LINE], const pov_preference *preference,
                              pov_prefer comparison, const char *of_what)
{
    const char *const *words = words_of[comparison];
    int best = preference->best, second = second_best(preference);
    if (best < 0 || second < 0)
        return;
    double eps = 100 * preference->eps_cosine[best].mean, next = 100 * preference->eps_cosine[second].mean;
    const pov_preferred verdict = pov_preference_verdict(preference);
    if (verdict == POV_PREFERS_AIMLESS)
        append_text(line,
                    "; %s: none, its answers tell no direction (best ε cos %.1f; turned at random %.1f)",
                    of_what, eps, 100 * preference->aimless);
    else if (verdict == POV_PREFERS_NONE)
        append_text(line, "; %s: no significant preference (the best two ε cos %.1f and %.1f)", of_what, eps,
                    next);
    else
        append_text(line, "; %s %s (ε cos %.1f, next %s %.1f%s)", of_what, words[best], eps, words[second],
                    next, verdict == POV_PREFERS ? "" : "; of one curve a relation, so without an interval");
}

/* Asked for one party's frame, answering in another's. */
static void append_disobedience(char line[POV_REPORT_LINE], const pov_comfort_group *group,
                                const pov_preference *preference)
{
    static const int asked[POV_PROMPT_COUNT] = {0, 0, 2, 1};
    if (pov_preference_verdict(preference) >= POV_PREFERS_UNTESTED && group->prompt != POV_PROMPT_NONE &&
        preference->best != asked[group->prompt])
        append_text(line, ", though asked for %s", perspective_words[asked[group->prompt]]);
}

static double share_of_yes(const pov_comfort_curve *curves, int len)
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

static void append_one_answer(char line[POV_REPORT_LINE], const pov_comfort_score *score, double yes)
{
    if (yes > 0.95 || yes < 0.05)
        append_text(line, "; says %s to %.0f %% of the questions, wherever things are",
                    yes > 0.5 ? "yes" : "no", 100 * fmax(yes, 1 - yes));
    if (score->constant > 0)
        append_text(line, "; %d of %d curves are the same all around and tell no direction", score->constant,
                    score->curves);
}

static void append_accuracy(char line[POV_REPORT_LINE], const pov_comfort_score *score)
{
    const pov_estimate *accuracy = &score->overall[POV_ACCURACY];
    if (isnan(accuracy->mean))
        append_text(line, ": nothing to score in the frame asked for");
    else
        append_text(line, ": right in %.1f %% of the images", 100 * accuracy->mean);
    if (!isnan(accuracy->low))
        append_text(line, " (%.1f to %.1f)", 100 * accuracy->low, 100 * accuracy->high);
    if (score->untold > 0)
        append_text(line, "; %d answers are not scored, as geometry cannot tell", score->untold);
}

/* A group's findings besides its accuracy. */
static void append_rest(char line[POV_REPORT_LINE], const pov_comfort_group *group,
                        const pov_comfort_tables *tables, const pov_comfort_curve *curves)
{
    const pov_preference *perspective = &tables->preference[POV_PREFER_PERSPECTIVE];
    append_one_answer(line, &tables->score, share_of_yes(curves, group->len));
    if (pov_prefer_applies(POV_PREFER_PERSPECTIVE, group)) {
        append_preference(line, perspective, POV_PREFER_PERSPECTIVE, "the frame it answers in is");
        append_disobedience(line, group, perspective);
    }
    if (pov_prefer_applies(POV_PREFER_CONVENTION, group))
        append_preference(line, &tables->preference[POV_PREFER_CONVENTION], POV_PREFER_CONVENTION,
                          "the camera's axes are");
}

/* Groups without any finding share one line. */
static void find_comfort(pov_report *report, const pov_answers *answers)
{
    char empty[POV_REPORT_LINE] = "";
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        const pov_comfort_tables *tables = &answers->tables[g];
        char name[POV_REPORT_LINE] = "", line[POV_REPORT_LINE] = "", rest[POV_REPORT_LINE] = "";
        pov_report_group_name(name, group);
        append_rest(rest, group, tables, pov_comfort_data_curves(answers->comfort) + group->first);
        append_accuracy(line, &tables->score);
        if (isnan(tables->score.overall[POV_ACCURACY].mean) && rest[0] == '\0')
            append_text(empty, "%s%s", empty[0] ? "; " : "", name);
        else
            pov_report_add_finding(report, "%s%s%s.", name, line, rest);
    }
    if (empty[0] != '\0')
        pov_report_add_finding(report, "Nothing to score in the frame asked for: %s.", empty);
}

/* ---- the others ---- */

static const char *text_at(const pov_sheet_table *table, int row, const char *column)
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
    const char *model = text_at(table, row, "model");
    return *model ? model : "The model";
}

static void find_total(pov_report *report, const pov_sheet_table *scores, int row, const char *paper)
{
    const pov_estimate *score = &scores->rows[row][pov_sheet_column_of(scores, "value") + 1].estimate;
    const char *value = text_at(scores, row, "value");
    double chance = mean_at(scores, row, "chance");
    char within[40] = "", against[80] = "";
    if (isnan(score->mean))
        return;
    if (!isnan(score->low))
        snprintf(within, sizeof within, "%.1f to %.1f, ", 100 * score->low, 100 * score->high);
    if (!isnan(chance))
        snprintf(against, sizeof against, "; chance is %.1f %%", 100 * chance);
    pov_report_add_finding(report, "%s, %s%s%.60s: %.1f %% right (%s%d question%s)%s.", model_at(scores, row),
                           paper, *value ? ", " : "", value, 100 * score->mean, within, score->n,
                           score->n == 1 ? "" : "s", against);
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
                model_at(bias, row), text_at(bias, row, "value"), relative + intrinsic,
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
            strcmp(text_at(bias, row, "favourite"), "-") != 0)
            pov_report_add_finding(
                report, "%s, Isle-Brick %s: says \"%s\" more often than it is so (bias %.1f, %.0f answers).",
                model_at(bias, row), text_at(bias, row, "value"), text_at(bias, row, "favourite"),
                100 * mean_at(bias, row, "bias"), answers);
    }
}

static void find_paper(pov_report *report, const pov_report_part *part)
{
    const pov_sheet *sheet = part->answers->sheet;
    const pov_sheet_table *scores = pov_sheet_find(sheet, "scores");
    const char *paper = pov_report_paper_title(part->answers);
    for (int row = 0; row < scores->len; row++)
        if (strcmp(text_at(scores, row, "by"), "all") == 0 ||
            strcmp(text_at(scores, row, "by"), "skill") == 0 ||
            strcmp(text_at(scores, row, "by"), "layout") == 0)
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
    char within[60] = "", line[POV_REPORT_LINE] = "";
    if (score->captions == 0)
        return;
    if (!isnan(e->low))
        snprintf(within, sizeof within, "%.1f to %.1f, ", 100 * e->low, 100 * e->high);
    append_text(line, "%.90s, %s, %s-split: ", *name ? name : "The model", pov_report_paper_title(answers),
                pov_split_name(pov_caption_kind_split(kind)));
    if (isnan(e->mean))
        append_text(line, "no picture has both things");
    else if (released)
        append_text(line, "%.1f %% right as the authors' script counts (%s%d captions)", 100 * e->mean,
                    within, score->captions);
    else
        append_text(
            line,
            "%.1f %% of the pictures with both things show what the caption says (%s%d captions); of all "
            "%.1f %%",
            100 * e->mean, within, score->captions, 100 * score->measures[POV_VISOR_UNCOND].mean);
    pov_report_add_finding(report, "%s; %d of %d pictures lack a thing.", line, score->pictures - score->both,
                           score->pictures);
}

static void find_pictures(pov_report *report, const pov_answers *answers)
{
    for (int m = 0; m < pov_visor_models(answers->visor); m++) {
        find_pictures_of(report, answers, m, POV_CAPTIONS_A);
        find_pictures_of(report, answers, m, POV_CAPTIONS_C);
    }
}

void pov_report_find(pov_report *report, const pov_report_part *part)
{
    if (part->answers->comfort)
        find_comfort(report, part->answers);
    else if (part->answers->visor)
        find_pictures(report, part->answers);
    else
        find_paper(report, part);
}
