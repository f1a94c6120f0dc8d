/* A report's beginning: the models and what they were asked, one sentence, one figure, how much was answered. */
#include "compare/report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 6 }; /* models in a title or a sentence; chosen: a line holds them */

/* "50 %", "97.2 %", without a place to break the line; the caller frees it. */
static char *percent_text(double share)
{
    const double percent = 100 * share;
    return fabs(percent - round(percent)) < 0.05 ? pov_text_new("%.0f\u00a0%%", percent)
                                                 : pov_text_new("%.1f\u00a0%%", percent);
}

static void append_percent(pov_text *text, double share)
{
    char *percent = percent_text(share);
    pov_text_add(text, "%s", percent);
    free(percent);
}

static const char *model_words(const char *model)
{
    return *model ? model : "the model";
}

/* ---- COMFORT: contestants are the models; of a single one, its languages ---- */

typedef struct {
    const pov_answers *answers;
    pov_name_set *names; /* of the contestants */
    const char
        *language;     /* of several models: the one that is compared; NULL: the contestants are languages */
    const char *model; /* whose languages they are */
    const pov_languages *known;
    int languages, models;
} contest;

static int contestant_of(const contest *c, const pov_comfort_group *group)
{
    const char *name = c->language ? group->model : group->language;
    return c->language && strcmp(group->language, c->language) != 0
               ? -1
               : pov_name_set_find(c->names, name, strlen(name));
}

static int count_names(const pov_comfort_data *data, bool models)
{
    pov_name_set *names = pov_name_set_new();
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        const char *name = models ? group->model : group->language;
        (void)pov_name_set_add(names, name, strlen(name));
    }
    const int len = pov_name_set_len(names);
    pov_name_set_destroy(&names);
    return len;
}

/* Several models are compared in English, or else in the first language. */
static contest open_contest(const pov_report *report, const pov_answers *answers)
{
    const pov_comfort_data *data = answers->comfort;
    contest c = {.answers = answers,
                 .names = pov_name_set_new(),
                 .known = report->languages,
                 .models = count_names(data, true),
                 .languages = count_names(data, false)};
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        if (c.models > 1 && (!c.language || strcmp(group->language, "en") == 0))
            c.language = group->language;
        c.model = group->model;
    }
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        const char *name = c.language ? group->model : group->language;
        if (!c.language || strcmp(group->language, c.language) == 0)
            (void)pov_name_set_add(c.names, name, strlen(name));
    }
    return c;
}

/* As people read it; valid as long as the answers and the report. */
static const char *contestant_words(const contest *c, int contestant)
{
    const pov_comfort_data *data = c->answers->comfort;
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        const pov_language *language;
        if (contestant_of(c, group) != contestant)
            continue;
        if (c->language || c->languages == 1)
            return model_words(group->model);
        return pov_languages_find(&language, c->known, group->language).code == POV_OK ? language->name
                                                                                       : group->language;
    }
    return "";
}

/* The group of a contestant; -1: it was not asked so. */
static int find_group(const contest *c, int contestant, bool has_front, pov_prompt prompt)
{
    const pov_comfort_data *data = c->answers->comfort;
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        if (group->has_front == has_front && group->prompt == prompt && contestant_of(c, group) == contestant)
            return g;
    }
    return -1;
}

static const pov_estimate *accuracy_of(const contest *c, int group)
{
    return &c->answers->tables[group].score.overall[POV_ACCURACY_TOLD];
}

static bool is_told(const contest *c, int group)
{
    return group >= 0 && !isnan(accuracy_of(c, group)->mean);
}

/* ---- its figure ---- */

static void add_viewpoint(pov_figure *f, const contest *c, bool has_front, pov_prompt prompt, bool both_sets)
{
    static const pov_estimate none = {NAN, NAN, NAN, 0};
    pov_figure_row *row = &f->rows[f->len];
    bool any = false;
    for (int k = 0; k < f->columns_len; k++) {
        const int group = find_group(c, k, has_front, prompt);
        row->at[k] = group < 0 ? none : *accuracy_of(c, group);
        any |= !isnan(row->at[k].mean);
    }
    if (!any)
        return;
    row->name = pov_text_new("%s%s",
                             prompt == POV_PROMPT_NONE ? "asked without a viewpoint"
                             : prompt == POV_PROMPT_CAMERA
                                 ? "asked for the camera's viewpoint"
                                 : (prompt == POV_PROMPT_ADDRESSEE ? "asked for the addressee's viewpoint"
                                                                   : "asked for the relatum's own viewpoint"),
                             !both_sets  ? ""
                             : has_front ? ", CAR"
                                         : ", BALL");
    row->chance = 0.5; /* of yes and no, where geometry tells */
    f->len++;
}

static int count_scenes(const contest *c)
{
    int most = 0;
    for (int g = 0; g < pov_comfort_data_groups(c->answers->comfort); g++)
        most = c->answers->tables[g].score.scenes > most ? c->answers->tables[g].score.scenes : most;
    return most;
}

static void caption_viewpoints(pov_figure *f, const contest *c, bool has_front)
{
    const int scenes = count_scenes(c);
    pov_text_set(&f->title, "Share of right answers by the viewpoint asked for");
    pov_text_set(&f->caption,
                 "How often %s right, by the viewpoint asked for%s%s. Vertical strokes: chance (50 %%). ",
                 c->models > 1                         ? "each model is"
                 : c->languages > 1                    ? "the model is, in each language,"
                 : strcmp(c->model, POV_GEOMETRY) == 0 ? "the station's own judgments are"
                                                       : "the model is",
                 c->models > 1 && c->languages > 1 ? ", in the language " : "",
                 c->models > 1 && c->languages > 1 ? c->language : "");
    if (scenes > 1)
        pov_text_add(&f->caption, "Lines: 95 %% intervals over %d scenes.", scenes);
    else
        pov_text_add(&f->caption, "One scene: no interval.");
    if (has_front)
        pov_text_add(&f->caption, " The addressee is the person in the scene; the relatum is the thing from "
                                  "which places are told.");
    const int left_out = pov_name_set_len(c->names) - f->columns_len;
    if (left_out > 0)
        pov_text_add(&f->caption, " %d more %s are left out; the tables have them.", left_out,
                     c->language ? "models" : "languages");
}

static bool fill_viewpoints(pov_figure *f, const pov_report *report, const pov_answers *answers)
{
    contest c = open_contest(report, answers);
    bool has_set[2] = {false};
    f->kind = POV_FIGURE_INTERVALS;
    f->axis = "right, %";
    f->columns_len = pov_name_set_len(c.names);
    if (f->columns_len > POV_FIGURE_COLUMNS_MAX)
        f->columns_len = POV_FIGURE_COLUMNS_MAX;
    for (int k = 0; k < f->columns_len; k++)
        f->columns[k] = contestant_words(&c, k);
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++)
        has_set[pov_comfort_data_group(answers->comfort, g)->has_front] = true;
    for (int set = 0; set < 2; set++)
        for (int p = 0; p < POV_PROMPT_COUNT; p++)
            add_viewpoint(f, &c, set == 1, (pov_prompt)p, has_set[0] && has_set[1]);
    caption_viewpoints(f, &c, has_set[1]);
    pov_name_set_destroy(&c.names);
    return f->len > 0;
}

/* ---- its sentence ---- */

/* Asked for another's viewpoint, the answers follow the camera's. */
static bool answers_for_camera(const contest *c, int group)
{
    const pov_preference *reading = &c->answers->tables[group].preference[POV_PREFER_READING];
    return pov_preference_verdict(reading) >= POV_PREFERS_UNTESTED && reading->best >= 0 &&
           reading->reading[reading->best].perspective == POV_EGOCENTRIC;
}

/* The viewpoint that tells most: another's than the camera's, if anyone was asked for it. */
static bool choose_viewpoint(const contest *c, bool *has_front, pov_prompt *prompt)
{
    static const pov_prompt order[] = {POV_PROMPT_ADDRESSEE, POV_PROMPT_RELATUM, POV_PROMPT_CAMERA,
                                       POV_PROMPT_NONE};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (int set = 1; set >= 0; set--)
            for (int k = 0; k < pov_name_set_len(c->names); k++)
                if (is_told(c, find_group(c, k, set == 1, order[i]))) {
                    *has_front = set == 1;
                    *prompt = order[i];
                    return true;
                }
    return false;
}

static const char *asked_words(pov_prompt prompt)
{
    static const char *const words[POV_PROMPT_COUNT] = {"without a viewpoint", "for the camera's viewpoint",
                                                        "for the addressee's viewpoint",
                                                        "for the relatum's own viewpoint"};
    return words[prompt];
}

/* "yes", "no" where nearly all answers are; NULL: they differ. */
static const char *one_answer(const contest *c, int group)
{
    const pov_comfort_group *of = pov_comfort_data_group(c->answers->comfort, group);
    const double yes =
        pov_report_share_of_yes(pov_comfort_data_curves(c->answers->comfort) + of->first, of->len);
    return yes > 0.95 ? "yes" : yes < 0.05 ? "no" : NULL;
}

static void append_one(pov_text *text, const contest *c, int group, bool has_front, pov_prompt prompt)
{
    const pov_comfort_group *of = pov_comfort_data_group(c->answers->comfort, group);
    const pov_coverage coverage = pov_coverage_of(of->answers);
    const int camera = find_group(c, 0, has_front, POV_PROMPT_CAMERA);
    const char *name = strcmp(of->model, POV_GEOMETRY) == 0 ? "the station" : model_words(of->model);
    if (one_answer(c, group)) {
        pov_text_add(text, "Asked %s, %s says %s wherever things are: right in ", asked_words(prompt), name,
                     one_answer(c, group));
        append_percent(text, accuracy_of(c, group)->mean);
        pov_text_add(text, ", as by chance (50\u00a0%%).");
        return;
    }
    if (!pov_coverage_suffices(coverage))
        pov_text_add(text, "Asked %s, %s answered only %d of %d questions: too few for a finding (right: ",
                     asked_words(prompt), name, coverage.answered, coverage.asked);
    else if (prompt >= POV_PROMPT_ADDRESSEE && answers_for_camera(c, group))
        pov_text_add(text, "Asked %s, %s still answers for the camera: ", asked_words(prompt), name);
    else
        pov_text_add(text, "Asked %s, %s is right in ", asked_words(prompt), name);
    append_percent(text, accuracy_of(c, group)->mean);
    if (!pov_coverage_suffices(coverage)) {
        pov_text_add(text, " of these).");
        return;
    }
    if (prompt >= POV_PROMPT_ADDRESSEE && answers_for_camera(c, group))
        pov_text_add(text, " right");
    if (prompt >= POV_PROMPT_ADDRESSEE && is_told(c, camera)) {
        pov_text_add(text, "; asked for the camera's, ");
        append_percent(text, accuracy_of(c, camera)->mean);
    }
    pov_text_add(text, " (chance: 50\u00a0%%).");
}

/* Returns: how many of the contestants that were asked so (those that follow the camera, or the others) were named. */
static int append_shares(pov_text *text, const contest *c, bool has_front, pov_prompt prompt, bool for_camera)
{
    int len = 0;
    for (int k = 0; k < pov_name_set_len(c->names); k++) {
        const int group = find_group(c, k, has_front, prompt);
        if (!is_told(c, group) ||
            (prompt >= POV_PROMPT_ADDRESSEE && answers_for_camera(c, group)) != for_camera)
            continue;
        if (len < NAMED_MAX) {
            const pov_comfort_group *of = pov_comfort_data_group(c->answers->comfort, group);
            pov_text_add(text, "%s%s ", len > 0 ? ", " : "", contestant_words(c, k));
            append_percent(text, accuracy_of(c, group)->mean);
            if (!pov_coverage_suffices(pov_coverage_of(of->answers)))
                pov_text_add(text, " of the few it answered");
        }
        len++;
    }
    if (len > NAMED_MAX)
        pov_text_add(text, " and %d more", len - NAMED_MAX);
    return len;
}

static void append_several(pov_text *text, const contest *c, bool has_front, pov_prompt prompt)
{
    pov_text blind = {0}, others = {0};
    const int of_blind = append_shares(&blind, c, has_front, prompt, true),
              of_others = append_shares(&others, c, has_front, prompt, false);
    pov_text_add(text, "Asked %s", asked_words(prompt));
    if (of_blind > 0)
        pov_text_add(text, ", %d of %d %s still answer%s for the camera (right: %s)", of_blind,
                     of_blind + of_others, c->language ? "models" : "languages", of_blind == 1 ? "s" : "",
                     pov_text_of(&blind));
    if (of_others > 0)
        pov_text_add(text, "%s%s", of_blind > 0 ? "; the others: " : ", the share of right answers is: ",
                     pov_text_of(&others));
    pov_text_add(text, " (chance: 50\u00a0%%).");
    pov_text_free(&blind);
    pov_text_free(&others);
}

static void tell_comfort(pov_text *text, const pov_report *report, const pov_answers *answers)
{
    contest c = open_contest(report, answers);
    bool has_front;
    pov_prompt prompt;
    if (answers->options.geometry)
        pov_text_add(text, "No model has answered yet: all that follows is the station's own judgments.");
    else if (!choose_viewpoint(&c, &has_front, &prompt))
        pov_text_add(text, "Nothing that was answered can be scored in the frame asked for.");
    else if (pov_name_set_len(c.names) > 1)
        append_several(text, &c, has_front, prompt);
    else
        append_one(text, &c, find_group(&c, 0, has_front, prompt), has_front, prompt);
    pov_name_set_destroy(&c.names);
}

/* ---- the other papers ---- */

/* The paper's own division; pictures are divided by their captions. */
static const pov_sheet_table *choose_pivot(const pov_report_part *part)
{
    const pov_sheet_table *pictures = pov_sheet_find(part->answers->sheet, "visor_cond");
    if (part->answers->visor)
        return pictures ? pictures : pov_sheet_find(part->answers->sheet, "visor_uncond");
    for (int i = 0; i < pov_sheet_len(part->pivots); i++)
        if (strcmp(pov_sheet_at(part->pivots, i)->key, "by_set") != 0)
            return pov_sheet_at(part->pivots, i);
    return pov_sheet_len(part->pivots) > 0 ? pov_sheet_at(part->pivots, 0) : NULL;
}

static bool is_total(const char *by, bool of_skills)
{
    return of_skills ? strcmp(by, "skill") == 0 || strcmp(by, "layout") == 0 : strcmp(by, "all") == 0;
}

/* Returns: how many totals there are. */
static int append_totals(pov_text *text, const pov_sheet_table *scores, bool of_skills)
{
    const int model = pov_sheet_column_of(scores, "model"), by = pov_sheet_column_of(scores, "by"),
              value = pov_sheet_column_of(scores, "value"), chance = pov_sheet_column_of(scores, "chance");
    int len = 0;
    for (int row = 0; row < scores->len; row++) {
        const pov_sheet_cell *cells = scores->rows[row];
        const double mean = cells[value + 1].estimate.mean;
        if (!is_total(cells[by].text, of_skills) || isnan(mean))
            continue;
        if (len++ >= NAMED_MAX)
            continue;
        pov_text_add(text, "%s%s%s%s ", len > 1 ? ", " : "", model_words(cells[model].text),
                     *cells[value].text ? ", " : "", cells[value].text);
        append_percent(text, mean);
        if (chance >= 0 && !isnan(cells[chance].estimate.mean)) {
            pov_text_add(text, " (chance: ");
            append_percent(text, cells[chance].estimate.mean);
            pov_text_add(text, ")");
        }
    }
    if (len > NAMED_MAX)
        pov_text_add(text, " and %d more", len - NAMED_MAX);
    return len;
}

/* The first number of each model. */
static int append_pictures(pov_text *text, const pov_sheet_table *table)
{
    int len = 0;
    for (int row = 0; table && row < table->len; row++)
        for (int c = 1; c < table->columns_len; c++) {
            const double mean = table->rows[row][c].estimate.mean;
            if (table->columns[c].kind == POV_SHEET_TEXT || isnan(mean))
                continue;
            if (len++ < NAMED_MAX) {
                pov_text_add(text, "%s%s, %s ", len > 1 ? ", " : "", model_words(table->rows[row][0].text),
                             pov_report_column_words(table->columns[c].key));
                append_percent(text, mean);
            }
            break;
        }
    if (len > NAMED_MAX)
        pov_text_add(text, " and %d more", len - NAMED_MAX);
    return len;
}

static void tell_paper(pov_text *text, const pov_report_part *part)
{
    const pov_sheet_table *scores = pov_sheet_find(part->answers->sheet, "scores");
    pov_text totals = {0};
    const int len = part->answers->visor                        ? append_pictures(&totals, choose_pivot(part))
                    : append_totals(&totals, scores, false) > 0 ? 1
                                                                : append_totals(&totals, scores, true);
    if (len > 0)
        pov_text_add(text, "Right in %s: %s.", pov_report_paper_title(part->answers), pov_text_of(&totals));
    else
        pov_text_add(text, "Nothing that was answered can be scored.");
    pov_text_free(&totals);
}

const char *pov_report_summary_figure(pov_figure *figure, const pov_report *report, int number)
{
    const pov_report_part *part = &report->parts[number];
    if (part->answers->comfort)
        return fill_viewpoints(figure, report, part->answers) ? "viewpoints" : NULL;
    const pov_sheet_table *pivot = choose_pivot(part);
    if (!pivot || pivot->len == 0)
        return NULL;
    pov_report_fill_pivot(figure, part->answers, pivot);
    return pivot->key;
}

/* ---- coverage and title ---- */

static void add_kinds(int answers[POV_ANSWER_KINDS], const int more[POV_ANSWER_KINDS])
{
    for (int k = 0; k < POV_ANSWER_KINDS; k++)
        answers[k] += more[k];
}

/* A line for each model, if they differ in it. */
static char *tell_coverage(const pov_report_part *part)
{
    const pov_comfort_data *data = part->answers->comfort;
    const pov_coverage all = pov_coverage_of(part->cases.answers);
    pov_name_set *models = pov_name_set_new();
    pov_text text = {0};
    char *words = pov_report_coverage(part->cases.answers);
    if (part->answers->visor)
        pov_text_set(&text, "%d pictures", part->cases.len);
    else if (part->answers->options.geometry)
        pov_text_set(&text, "%d questions, judged by the station itself", all.asked);
    else
        pov_text_set(&text, "%d questions asked: %s", all.asked, words);
    free(words);
    for (int g = 0; data && g < pov_comfort_data_groups(data); g++)
        (void)pov_name_set_add(models, pov_comfort_data_group(data, g)->model,
                               strlen(pov_comfort_data_group(data, g)->model));
    for (int m = 0; all.answered < all.asked && pov_name_set_len(models) > 1 && m < pov_name_set_len(models);
         m++) {
        int answers[POV_ANSWER_KINDS] = {0};
        const char *model = pov_name_set_at(models, m);
        for (int g = 0; g < pov_comfort_data_groups(data); g++)
            if (strcmp(pov_comfort_data_group(data, g)->model, model) == 0)
                add_kinds(answers, pov_comfort_data_group(data, g)->answers);
        for (int g = 0; g < pov_comfort_data_presences(data); g++)
            if (strcmp(pov_comfort_data_presence(data, g)->model, model) == 0)
                add_kinds(answers, pov_comfort_data_presence(data, g)->answers);
        words = pov_report_coverage(answers);
        pov_text_add(&text, "; %s: %s", model_words(model), words);
        free(words);
    }
    pov_text_add(&text, ".");
    pov_name_set_destroy(&models);
    return pov_text_take(&text);
}

static void append_name(pov_text *text, const pov_name_set *names, const char *of_many)
{
    const int len = pov_name_set_len(names);
    for (int i = 0; i < len && i < NAMED_MAX && (len <= NAMED_MAX || i < NAMED_MAX - 1); i++)
        pov_text_add(text, "%s%s",
                     i == 0         ? ""
                     : i + 1 == len ? " and "
                                    : ", ",
                     model_words(pov_name_set_at(names, i)));
    if (len > NAMED_MAX)
        pov_text_add(text, " and %d more %s", len - NAMED_MAX + 1, of_many);
}

/* "mine and other: COMFORT, 6 scenes; VSR, 120 questions". */
static char *compose_title(const pov_report *report)
{
    pov_name_set *models = pov_report_models(report);
    pov_text text = {0};
    append_name(&text, models, "models");
    for (int i = 0; i < report->len; i++) {
        const pov_report_part *part = &report->parts[i];
        pov_text_add(&text, "%s%s",
                     i > 0          ? "; "
                     : text.len > 0 ? ": "
                                    : "",
                     pov_report_paper_title(part->answers));
        if (part->answers->comfort) {
            contest c = open_contest(report, part->answers);
            const int scenes = count_scenes(&c);
            pov_text_add(&text, ", %d scene%s", scenes, scenes == 1 ? "" : "s");
            if (c.languages > 1)
                pov_text_add(&text, ", %d languages", c.languages);
            pov_name_set_destroy(&c.names);
        } else if (part->answers->visor) {
            pov_text_add(&text, ", %d pictures", part->cases.len);
        } else {
            const int asked = pov_coverage_of(part->cases.answers).asked;
            pov_text_add(&text, ", %d question%s", asked, asked == 1 ? "" : "s");
        }
    }
    if (text.len == 0)
        pov_text_set(&text, "Comparison");
    pov_name_set_destroy(&models);
    return pov_text_take(&text);
}

/* The first screen shows the first part's; it tells of all. */
static void gather_coverage(pov_report *report)
{
    pov_text all = {0};
    for (int i = 0; i < report->len; i++)
        pov_text_add(&all, "%s%s: %s", i > 0 ? " " : "", pov_report_paper_title(report->parts[i].answers),
                     report->parts[i].coverage);
    free(report->parts[0].coverage);
    report->parts[0].coverage = pov_text_take(&all);
}

void pov_report_summarise(pov_report *report)
{
    for (int i = 0; i < report->len; i++) {
        pov_report_part *part = &report->parts[i];
        pov_text sentence = {0};
        if (part->answers->comfort)
            tell_comfort(&sentence, report, part->answers);
        else
            tell_paper(&sentence, part);
        part->sentence = pov_text_take(&sentence);
        part->coverage = tell_coverage(part);
    }
    if (report->len > 1)
        gather_coverage(report);
    report->title = report->source.title ? pov_text_new("%s", report->source.title) : compose_title(report);
}
