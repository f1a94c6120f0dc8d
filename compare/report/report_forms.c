/* COMFORT's Tables 2 to 5 in the paper's form: a row for each model and language, the relations side by side. */
#include "compare/report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pov_relation relations[] = {POV_BEHIND, POV_IN_FRONT_OF, POV_LEFT_OF, POV_RIGHT_OF};
static const char *const relation_keys[] = {"back", "front", "left", "right"};
enum { RELATIONS = sizeof relations / sizeof *relations };

/* Explains the column "preferred". */
#define UNTESTED ". \"-\": no significant preference; \"?\": fewer than six scenes, so not tested"

static const char *add_key(char key[POV_SHEET_KEY], const char *group, const char *name)
{
    snprintf(key, POV_SHEET_KEY, "%s_%s", group, name);
    return key;
}

static void add_preferred(pov_sheet *sheet, pov_prefer comparison, const pov_preference *preference)
{
    char text[POV_SHEET_KEY];
    const pov_preferred verdict = pov_preference_verdict(preference);
    snprintf(text, sizeof text, "%s%s",
             verdict >= POV_PREFERS_UNTESTED ? pov_prefer_key(comparison, preference->best) : "-",
             verdict == POV_PREFERS_UNTESTED ? "?" : "");
    pov_sheet_add_text(sheet, "preferred", text);
}

static void begin_row(pov_sheet *sheet, const pov_comfort_group *group)
{
    pov_sheet_add_row(sheet);
    pov_sheet_add_text(sheet, "model", *group->model ? group->model : "the model");
    pov_sheet_add_text(sheet, "language", group->language);
}

/* ---- Table 2 ---- */

/* The camera's direction kept (same) or turned around (reversed), of each relation: two of the three conventions share it. */
static void add_convention(pov_sheet *sheet, const pov_preference *p)
{
    char key[POV_SHEET_KEY];
    for (int r = 0; r < RELATIONS; r++) {
        const double *eps = p->by_relation[relations[r]];
        const bool is_lateral = relations[r] == POV_LEFT_OF || relations[r] == POV_RIGHT_OF;
        pov_sheet_add_share(sheet, add_key(key, relation_keys[r], "same"), eps[POV_TRANSLATED]);
        pov_sheet_add_share(sheet, add_key(key, relation_keys[r], "rev"),
                            eps[is_lateral ? POV_ROTATED : POV_REFLECTED]);
    }
    for (int k = 0; k < p->len; k++)
        pov_sheet_add_estimate(sheet, add_key(key, "all", pov_prefer_key(POV_PREFER_CONVENTION, k)),
                               &p->eps_cosine[k]);
    add_preferred(sheet, POV_PREFER_CONVENTION, p);
}

static void add_table_2(pov_sheet *sheet, const pov_answers *answers)
{
    bool is_empty = true;
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        if (group->prompt != POV_PROMPT_CAMERA)
            continue;
        if (is_empty)
            pov_sheet_add_table(
                sheet, "table2",
                "Preferred convention of the camera's axes, asked for its viewpoint: ε cos x100, "
                "smallest wins (form of COMFORT's Table 2). same, rev.: the relation's direction "
                "in the camera's own axes, and turned around" UNTESTED);
        is_empty = false;
        begin_row(sheet, group);
        pov_sheet_add_text(sheet, "set", group->has_front ? "CAR" : "BALL");
        add_convention(sheet, &answers->tables[g].preference[POV_PREFER_CONVENTION]);
    }
}

/* ---- Table 3 ---- */

static void add_perspective(pov_sheet *sheet, const pov_preference *p)
{
    char key[POV_SHEET_KEY];
    static const char *const short_names[] = {"ego", "int", "add"};
    for (int r = 0; r < RELATIONS; r++)
        for (int k = 0; k < p->len; k++)
            pov_sheet_add_share(sheet, add_key(key, relation_keys[r], short_names[k]),
                                p->by_relation[relations[r]][k]);
    for (int k = 0; k < p->len; k++)
        pov_sheet_add_estimate(sheet, add_key(key, "all", short_names[k]), &p->eps_cosine[k]);
    add_preferred(sheet, POV_PREFER_PERSPECTIVE, p);
}

static void add_table_3(pov_sheet *sheet, const pov_answers *answers)
{
    bool is_empty = true;
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        if (group->prompt != POV_PROMPT_NONE || !group->has_front)
            continue;
        if (is_empty)
            pov_sheet_add_table(
                sheet, "table3",
                "Preferred frame of reference, asked without a viewpoint: ε cos x100, smallest wins "
                "(form of COMFORT's Table 3)" UNTESTED);
        is_empty = false;
        begin_row(sheet, group);
        add_perspective(sheet, &answers->tables[g].preference[POV_PREFER_PERSPECTIVE]);
    }
}

/* ---- Table 4 ---- */

static const pov_prompt asked[] = {POV_PROMPT_CAMERA, POV_PROMPT_RELATUM, POV_PROMPT_ADDRESSEE};
static const char *const asked_keys[] = {"ego", "int", "add"};
enum { ASKED = sizeof asked / sizeof *asked };

/* The group of the same model and language that was asked with another prompt; -1: there is none. */
static int find_group(const pov_comfort_data *data, const pov_comfort_group *like, bool has_front,
                      pov_prompt prompt)
{
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        if (strcmp(group->model, like->model) == 0 && strcmp(group->language, like->language) == 0 &&
            group->has_front == has_front && group->prompt == prompt)
            return g;
    }
    return -1;
}

/* Accuracy and eps_cos of a group's curves as answers to what another prompt asks for. */
static void score_as(double score[2], const pov_answers *answers, int g, pov_prompt prompt)
{
    score[0] = score[1] = NAN;
    if (g < 0)
        return;
    const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
    pov_comfort_options options = answers->options.comfort;
    pov_comfort_scorer *scorer;
    pov_comfort_score scored;
    options.bootstrap.resamples = 1; /* means alone */
    scorer = pov_comfort_scorer_new(group->len, &options);
    pov_comfort_score_curves(scorer, &scored, pov_comfort_data_curves(answers->comfort) + group->first,
                             group->len, pov_prompt_reading(prompt, answers->options.convention));
    score[0] = scored.overall[POV_ACCURACY].mean;
    score[1] = scored.overall[POV_EPS_COSINE].mean;
    pov_comfort_scorer_destroy(&scorer);
}

static void add_prompts(pov_sheet *sheet, const pov_answers *answers, const pov_comfort_group *like, int none)
{
    static const char *const measures[] = {"accuracy", "eps_cos"}, *const changes[] = {"accuracy_change",
                                                                                       "eps_cos_change"};
    double sum[2] = {0, 0}, sum_change[2] = {0, 0};
    char key[POV_SHEET_KEY];
    for (int i = 0; i < ASKED; i++) {
        double score[2], before[2];
        score_as(score, answers, find_group(answers->comfort, like, true, asked[i]), asked[i]);
        score_as(before, answers, none, asked[i]);
        for (int k = 0; k < 2; k++) {
            pov_sheet_add_share(sheet, add_key(key, asked_keys[i], measures[k]), score[k]);
            pov_sheet_add_share(sheet, add_key(key, asked_keys[i], changes[k]), score[k] - before[k]);
            sum[k] += score[k];
            sum_change[k] += score[k] - before[k];
        }
    }
    for (int k = 0; k < 2; k++) {
        pov_sheet_add_share(sheet, add_key(key, "all", measures[k]), sum[k] / ASKED);
        pov_sheet_add_share(sheet, add_key(key, "all", changes[k]), sum_change[k] / ASKED);
    }
}

/* True if no earlier group is of this one's model and language. */
static bool is_first_of(const pov_comfort_data *data, int g)
{
    const pov_comfort_group *group = pov_comfort_data_group(data, g);
    for (int i = 0; i < g; i++) {
        const pov_comfort_group *other = pov_comfort_data_group(data, i);
        if (strcmp(group->model, other->model) == 0 && strcmp(group->language, other->language) == 0)
            return false;
    }
    return true;
}

static void add_table_4(pov_sheet *sheet, const pov_answers *answers)
{
    const pov_comfort_data *data = answers->comfort;
    bool is_empty = true;
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        bool has_any = false;
        for (int i = 0; i < ASKED && !has_any; i++)
            has_any = find_group(data, group, true, asked[i]) >= 0;
        if (!has_any || !is_first_of(data, g))
            continue;
        if (is_empty)
            pov_sheet_add_table(
                sheet, "table4",
                "Asked for a viewpoint: accuracy and ε cos x100 in the frame of the camera, the "
                "relatum, the addressee; Δ: change against the same without a viewpoint (form of "
                "COMFORT's Table 4)");
        is_empty = false;
        begin_row(sheet, group);
        add_prompts(sheet, answers, group, find_group(data, group, true, POV_PROMPT_NONE));
    }
}

/* ---- Table 5 ---- */

static double measure_of(const pov_answers *answers, int g, int measure)
{
    if (g < 0)
        return NAN;
    const pov_presence_group *presence = pov_comfort_data_presence_for(answers->comfort, g);
    return measure >= 0 ? answers->tables[g].score.overall[measure].mean
           : presence   ? pov_presence_f1(&presence->presence)
                        : NAN;
}

static void add_table_5(pov_sheet *sheet, const pov_answers *answers)
{
    static const struct {
        const char *key;
        int measure; /* -1: object presence */
    } columns[] = {{"object_f1", -1},           {"accuracy", POV_ACCURACY},
                   {"eps_cos", POV_EPS_COSINE}, {"eps_hemi", POV_EPS_HEMISPHERE},
                   {"sigma", POV_SIGMA},        {"eta", POV_ETA},
                   {"c_sym", POV_C_SYM},        {"c_opp", POV_C_OPP}};
    const pov_comfort_data *data = answers->comfort;
    bool is_empty = true;
    char key[POV_SHEET_KEY];
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        const int set[] = {find_group(data, group, false, POV_PROMPT_CAMERA),
                           find_group(data, group, true, POV_PROMPT_CAMERA)};
        if (!is_first_of(data, g) || (set[0] < 0 && set[1] < 0))
            continue;
        if (is_empty)
            pov_sheet_add_table(
                sheet, "table5",
                "All measures x100, asked for the camera's viewpoint (form of COMFORT's Table 5)");
        is_empty = false;
        begin_row(sheet, group);
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            for (int k = 0; k < 2; k++)
                pov_sheet_add_share(sheet, add_key(key, columns[c].key, k == 0 ? "BALL" : "CAR"),
                                    measure_of(answers, set[k], columns[c].measure));
    }
}

/* ---- which frame each prefers, whatever it is asked for ---- */

static void add_choice(pov_sheet *sheet, const pov_answers *answers, const pov_comfort_group *like,
                       pov_prompt prompt)
{
    const int g = find_group(answers->comfort, like, true, prompt);
    const pov_preference *p = g < 0 ? NULL : &answers->tables[g].preference[POV_PREFER_READING];
    const pov_preferred verdict = p ? pov_preference_verdict(p) : POV_PREFERS_NONE;
    char text[POV_SHEET_KEY] = "";
    if (p)
        snprintf(text, sizeof text, "%s%s",
                 verdict >= POV_PREFERS_UNTESTED
                     ? pov_report_column_words(pov_prefer_key(POV_PREFER_READING, p->best))
                     : "-",
                 verdict == POV_PREFERS_UNTESTED ? "?" : "");
    pov_sheet_add_text(sheet, pov_prompt_name(prompt), text);
}

static void add_choices(pov_sheet *sheet, const pov_answers *answers)
{
    const pov_comfort_data *data = answers->comfort;
    bool is_empty = true;
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        bool has_front = false;
        for (int p = 0; p < POV_PROMPT_COUNT && !has_front; p++)
            has_front = find_group(data, group, true, (pov_prompt)p) >= 0;
        if (!has_front || !is_first_of(data, g))
            continue;
        if (is_empty)
            pov_sheet_add_table(sheet, "choices",
                                "The frame of reference and convention that the answers follow, by the "
                                "viewpoint asked for; \"-\": no "
                                "significant preference");
        is_empty = false;
        begin_row(sheet, group);
        for (int p = 0; p < POV_PROMPT_COUNT; p++)
            add_choice(sheet, answers, group, (pov_prompt)p);
    }
}

void pov_report_add_forms(pov_sheet *sheet, const pov_answers *answers)
{
    add_table_2(sheet, answers);
    add_table_3(sheet, answers);
    add_table_4(sheet, answers);
    add_table_5(sheet, answers);
    add_choices(sheet, answers);
}
