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

/* "57 of 144", over some of the groups; -1: none. */
static void add_answered(pov_sheet *sheet, const pov_comfort_data *data, const int *groups, int len)
{
    pov_coverage sum = {0, 0};
    char text[40];
    for (int i = 0; i < len; i++) {
        if (groups[i] < 0)
            continue;
        const pov_coverage one = pov_coverage_of(pov_comfort_data_group(data, groups[i])->answers);
        sum.answered += one.answered;
        sum.asked += one.asked;
    }
    snprintf(text, sizeof text, "%d of %d", sum.answered, sum.asked);
    pov_sheet_add_text(sheet, "answered", text);
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
        add_answered(sheet, answers->comfort, &g, 1);
        add_convention(sheet, &answers->tables[g].preference[POV_PREFER_CONVENTION]);
    }
}

/* ---- Table 3 ---- */

static void add_perspective(pov_sheet *sheet, const pov_comfort_group *group,
                            const pov_comfort_tables *tables)
{
    const pov_preference *p = &tables->preference[POV_PREFER_PERSPECTIVE];
    char key[POV_SHEET_KEY];
    static const char *const short_names[] = {"ego", "int", "add"};
    for (int r = 0; r < RELATIONS; r++)
        for (int k = 0; k < p->len; k++)
            pov_sheet_add_share(sheet, add_key(key, relation_keys[r], short_names[k]),
                                p->by_relation[relations[r]][k]);
    for (int k = 0; k < p->len; k++)
        pov_sheet_add_estimate(sheet, add_key(key, "all", short_names[k]), &p->eps_cosine[k]);
    char *preferred = pov_comfort_preferred_frame(group, &tables->preference[POV_PREFER_READING]);
    pov_sheet_add_text(sheet, "preferred", preferred);
    free(preferred);
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
                "(form of COMFORT's Table 3; viewers' axes in the convention of the language; preferred: of "
                "all frames and conventions)" UNTESTED);
        is_empty = false;
        begin_row(sheet, group);
        add_answered(sheet, answers->comfort, &g, 1);
        add_perspective(sheet, group, &answers->tables[g]);
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

enum { ACCURACY, EPS_COSINE, SCORES };

/* The curves of a group, without the samples that another group's answers to the same images lack. `others` -1: as they are. */
static pov_comfort_curve *curves_shared(const pov_comfort_data *data, int g, int others)
{
    const pov_comfort_group *group = pov_comfort_data_group(data, g),
                            *other = others < 0 ? NULL : pov_comfort_data_group(data, others);
    const pov_comfort_curve *all = pov_comfort_data_curves(data);
    pov_comfort_curve *curves = pov_allocate((size_t)group->len + 1, sizeof *curves);
    pov_name_set *images = pov_name_set_new();
    for (int i = 0; other && i < other->len; i++) {
        const pov_comfort_curve *c = &all[other->first + i];
        const int key[] = {c->scene, c->variant, c->repetition, (int)c->relation};
        pov_name_set_add(images, key, sizeof key);
    }
    for (int i = 0; i < group->len; i++) {
        curves[i] = all[group->first + i];
        const int key[] = {curves[i].scene, curves[i].variant, curves[i].repetition, (int)curves[i].relation};
        const int same = other ? pov_name_set_find(images, key, sizeof key) : -1;
        for (int k = 0; other && k < POV_CURVE_SAMPLES; k++)
            if (same < 0 || isnan(all[other->first + same].curve.p[k]))
                curves[i].curve.p[k] = NAN;
    }
    pov_name_set_destroy(&images);
    return curves;
}

/* Means of a group's curves as answers to what another prompt asks for, on what `shared_with` answered, too. */
static void score_as(double score[SCORES], const pov_answers *answers, int g, pov_prompt prompt, int accuracy,
                     int shared_with)
{
    score[ACCURACY] = score[EPS_COSINE] = NAN;
    if (g < 0)
        return;
    const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
    pov_comfort_options options = answers->options.comfort;
    pov_comfort_score scored;
    options.bootstrap.resamples = 1; /* means alone */
    pov_comfort_scorer *scorer = pov_comfort_scorer_new(group->len, &options);
    pov_comfort_curve *curves = curves_shared(answers->comfort, g, shared_with);
    pov_comfort_score_curves(scorer, &scored, curves, group->len,
                             pov_prompt_reading(prompt, group->convention));
    score[ACCURACY] = scored.overall[accuracy].mean;
    score[EPS_COSINE] = scored.overall[POV_EPS_COSINE].mean;
    free(curves);
    pov_comfort_scorer_destroy(&scorer);
}

static void add_prompts(pov_sheet *sheet, const pov_answers *answers, const int groups[ASKED], int none,
                        int accuracy)
{
    static const char *const measures[] = {"accuracy", "eps_cos"}, *const changes[] = {"accuracy_change",
                                                                                       "eps_cos_change"};
    double sum[2] = {0, 0}, sum_change[2] = {0, 0};
    char key[POV_SHEET_KEY];
    for (int i = 0; i < ASKED; i++) {
        double score[SCORES], after[SCORES], before[SCORES];
        score_as(score, answers, groups[i], asked[i], accuracy, -1);
        score_as(after, answers, none < 0 ? -1 : groups[i], asked[i], accuracy, none);
        score_as(before, answers, groups[i] < 0 ? -1 : none, asked[i], accuracy, groups[i]);
        for (int k = 0; k < 2; k++) {
            pov_sheet_add_share(sheet, add_key(key, asked_keys[i], measures[k]), score[k]);
            pov_sheet_add_share(sheet, add_key(key, asked_keys[i], changes[k]), after[k] - before[k]);
            sum[k] += score[k];
            sum_change[k] += after[k] - before[k];
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

static void add_table_4(pov_sheet *sheet, const pov_answers *answers, const char *table, const char *title,
                        int accuracy)
{
    const pov_comfort_data *data = answers->comfort;
    bool is_empty = true;
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        int groups[ASKED];
        bool has_any = false;
        for (int i = 0; i < ASKED; i++) {
            groups[i] = find_group(data, group, true, asked[i]);
            has_any |= groups[i] >= 0;
        }
        if (!has_any || !is_first_of(data, g))
            continue;
        if (is_empty)
            pov_sheet_add_table(sheet, table, title);
        is_empty = false;
        begin_row(sheet, group);
        add_answered(sheet, data, groups, ASKED);
        add_prompts(sheet, answers, groups, find_group(data, group, true, POV_PROMPT_NONE), accuracy);
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

typedef struct {
    const char *key;
    int measure; /* -1: object presence */
} table_5_column;

static void add_table_5(pov_sheet *sheet, const pov_answers *answers, const char *table, const char *title,
                        const table_5_column *columns)
{
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
            pov_sheet_add_table(sheet, table, title);
        is_empty = false;
        begin_row(sheet, group);
        add_answered(sheet, data, set, 2);
        for (int c = 0; columns[c].key; c++)
            for (int k = 0; k < 2; k++)
                pov_sheet_add_share(sheet, add_key(key, columns[c].key, k == 0 ? "BALL" : "CAR"),
                                    measure_of(answers, set[k], columns[c].measure));
    }
}

/* ---- Tables 7 to 9: each relation in each frame ---- */

/* Rows of one group in one frame: its relations, then all together. */
static void add_frame(pov_sheet *sheet, const pov_answers *answers, int g, pov_reading reading,
                      const char *frame)
{
    static const struct {
        const char *key;
        int measure;
    } columns[] = {{"accuracy", POV_ACCURACY}, {"eps_hemi", POV_EPS_HEMISPHERE}, {"eps_cos", POV_EPS_COSINE}};
    const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
    pov_comfort_options options = answers->options.comfort;
    pov_comfort_score scored;
    options.bootstrap.resamples = 1; /* means alone */
    pov_comfort_scorer *scorer = pov_comfort_scorer_new(group->len, &options);
    pov_comfort_score_curves(scorer, &scored, pov_comfort_data_curves(answers->comfort) + group->first,
                             group->len, reading);
    pov_comfort_scorer_destroy(&scorer);
    for (int r = 0; r <= RELATIONS; r++) {
        begin_row(sheet, group);
        pov_sheet_add_text(sheet, "set", group->has_front ? "CAR" : "BALL");
        add_answered(sheet, answers->comfort, &g, 1);
        pov_sheet_add_text(sheet, "frame", frame);
        pov_sheet_add_text(sheet, "relation", r < RELATIONS ? relation_keys[r] : "aggregated");
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            pov_sheet_add_share(
                sheet, columns[c].key,
                (r < RELATIONS ? scored.by_relation[relations[r]] : scored.overall)[columns[c].measure].mean);
    }
}

typedef struct {
    const char *key, *title;
    pov_prefer comparison; /* of frames */
    bool by_prompt;        /* each group in the frame that it was asked for */
} full_table;

static bool is_in(const full_table *t, const pov_comfort_group *group)
{
    const bool is_asked = group->prompt != POV_PROMPT_NONE;
    return t->comparison == POV_PREFER_CONVENTION ? group->prompt == POV_PROMPT_CAMERA
                                                  : group->has_front && is_asked == t->by_prompt;
}

static void add_full_table(pov_sheet *sheet, const pov_answers *answers, const full_table *t)
{
    bool is_empty = true;
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        const pov_preference *frames = &answers->tables[g].preference[t->comparison];
        if (!is_in(t, group))
            continue;
        if (is_empty)
            pov_sheet_add_table(sheet, t->key, t->title);
        is_empty = false;
        for (int k = 0; k < frames->len; k++)
            if (!t->by_prompt ||
                frames->reading[k].perspective == pov_comfort_group_reading(group).perspective)
                add_frame(sheet, answers, g, frames->reading[k], pov_prefer_key(t->comparison, k));
    }
}

static void add_full_tables(pov_sheet *sheet, const pov_answers *answers)
{
    static const full_table tables[] = {
        {"table7",
         "Conventions of the camera's axes, asked for its viewpoint, relation by relation (x100; content of "
         "COMFORT's Table 7)",
         POV_PREFER_CONVENTION, false},
        {"table8",
         "Frames of reference, asked without a viewpoint, relation by relation (x100; content of COMFORT's "
         "Table 8; viewers' axes in the convention of the language)",
         POV_PREFER_PERSPECTIVE, false},
        {"table9",
         "Asked for a viewpoint, in its frame, relation by relation (x100; content of COMFORT's Table 9)",
         POV_PREFER_PERSPECTIVE, true}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        add_full_table(sheet, answers, &tables[i]);
}

/* ---- which frame each prefers, whatever it is asked for ---- */

static void add_choice(pov_sheet *sheet, const pov_answers *answers, const pov_comfort_group *like,
                       pov_prompt prompt)
{
    const int g = find_group(answers->comfort, like, true, prompt);
    const pov_preference *p = g < 0 ? NULL : &answers->tables[g].preference[POV_PREFER_READING];
    const pov_preferred verdict = p ? pov_preference_verdict(p) : POV_PREFERS_NONE;
    pov_text text = {0};
    for (int k = 0; p && k < p->len && verdict >= POV_PREFERS_UNTESTED; k++)
        if (p->is_best[k])
            pov_text_add(&text, "%s%s", text.len > 0 ? " or " : "",
                         pov_report_column_words(pov_prefer_key(POV_PREFER_READING, k)));
    pov_text_add(&text, "%s", !p ? "" : text.len == 0 ? "-" : verdict == POV_PREFERS_UNTESTED ? "?" : "");
    pov_sheet_add_text(sheet, pov_prompt_name(prompt), pov_text_of(&text));
    pov_text_free(&text);
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

static void add_tables(pov_sheet *sheet, const pov_answers *answers)
{
    static const table_5_column table_5[] = {{"object_f1", -1},
                                             {"accuracy", POV_ACCURACY},
                                             {"eps_cos", POV_EPS_COSINE},
                                             {"eps_hemi", POV_EPS_HEMISPHERE},
                                             {"sigma", POV_SIGMA},
                                             {"eta", POV_ETA},
                                             {"c_sym", POV_C_SYM},
                                             {"c_opp", POV_C_OPP},
                                             {NULL, 0}},
                                table_5_told[] = {{"accuracy_told", POV_ACCURACY_TOLD},
                                                  {"accuracy_least", POV_ACCURACY_LEAST},
                                                  {"accuracy_most", POV_ACCURACY_MOST},
                                                  {NULL, 0}};
    add_table_2(sheet, answers);
    add_table_3(sheet, answers);
    add_table_4(sheet, answers, "table4",
                "Asked for a viewpoint: accuracy and ε cos x100 in the frame of the camera, the "
                "relatum, the addressee; Δ: change against the same without a viewpoint, on what both "
                "answered (form of COMFORT's Table 4; accuracy over all stops, as the paper's)",
                POV_ACCURACY);
    add_table_4(
        sheet, answers, "table4_told",
        "The same with our accuracy: without the stops where geometry cannot tell in the frame scored "
        "against, the same stops for both",
        POV_ACCURACY_TOLD);
    add_table_5(
        sheet, answers, "table5",
        "All measures x100, asked for the camera's viewpoint (form of COMFORT's Table 5; accuracy over "
        "all stops, as the paper's; η: of full rotations without a gap only)",
        table_5);
    add_table_5(
        sheet, answers, "table5_told",
        "Our accuracy x100 beside it: without the stops where geometry cannot tell; and if all unscored "
        "answers were wrong (least), or right (most)",
        table_5_told);
    add_full_tables(sheet, answers);
}

void pov_report_add_forms(pov_sheet *sheet, const pov_answers *answers)
{
    add_tables(sheet, answers);
    pov_report_add_baselines(sheet, answers, add_tables);
    add_choices(sheet, answers);
}
