#include "firmware/score_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const measure_keys[POV_COMFORT_MEASURES] = {"accuracy", "eps_hemi", "eps_cos", "eta",
                                                               "c_sym",    "sigma",    "c_opp"};

/* In the paper's order. */
static const int shown[POV_COMFORT_MEASURES] = {POV_ACCURACY, POV_EPS_COSINE, POV_EPS_HEMISPHERE, POV_SIGMA,
                                                POV_ETA,      POV_C_SYM,      POV_C_OPP};

typedef struct {
    pov_score_sheet *sheet;
    const pov_comfort_data *data;
    const pov_score_options *options;
    pov_comfort_scorer *scorer;
    pov_comfort_score *scores; /* [group] */
} printer;

static const pov_comfort_curve *curves_of(const printer *p, const pov_comfort_group *group)
{
    return pov_comfort_data_curves(p->data) + group->first;
}

static void print_group(const printer *p, const pov_comfort_group *group)
{
    pov_score_sheet_row(p->sheet);
    pov_score_sheet_text(p->sheet, "model", group->model, 20);
    pov_score_sheet_text(p->sheet, "language", group->language, 8);
    pov_score_sheet_text(p->sheet, "set", group->has_front ? "CAR" : "BALL", 4);
    pov_score_sheet_text(p->sheet, "prompt", pov_prompt_name(group->prompt), 6);
}

static const pov_presence *presence_of(const printer *p, const pov_comfort_group *group)
{
    for (int i = 0; i < pov_comfort_data_presences(p->data); i++) {
        const pov_presence_group *presence = pov_comfort_data_presence(p->data, i);
        if (strcmp(presence->model, group->model) == 0 && strcmp(presence->language, group->language) == 0 &&
            presence->has_front == group->has_front)
            return &presence->presence;
    }
    return NULL;
}

static void print_performance(const printer *p)
{
    pov_score_sheet_table(
        p->sheet, "performance",
        "Performance, robustness, consistency, in the frame that each prompt asks for (Tables 4, 5; "
        "x100, 95 % intervals)");
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(p->data, g);
        const pov_presence *presence = presence_of(p, group);
        print_group(p, group);
        pov_score_sheet_share(p->sheet, "object_f1", presence ? pov_presence_f1(presence) : NAN);
        for (int i = 0; i < POV_COMFORT_MEASURES; i++)
            pov_score_sheet_estimate(p->sheet, measure_keys[shown[i]], &p->scores[g].overall[shown[i]]);
        pov_score_sheet_numbers(p->sheet, "sigma_of_angles", &p->scores[g].sigma_of_angles, 1);
    }
}

static void print_relations(const printer *p)
{
    pov_score_sheet_table(p->sheet, "by_relation", "The same by relation");
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++)
        for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
            if (p->scores[g].by_relation[r][POV_ACCURACY].n == 0)
                continue;
            print_group(p, pov_comfort_data_group(p->data, g));
            pov_score_sheet_text(p->sheet, "relation", pov_relation_name((pov_relation)r), 11);
            for (int i = 0; i < POV_COMFORT_MEASURES; i++)
                pov_score_sheet_estimate(p->sheet, measure_keys[shown[i]],
                                         &p->scores[g].by_relation[r][shown[i]]);
        }
}

static void print_answers(const printer *p)
{
    pov_score_sheet_table(p->sheet, "answers",
                          "Answers and calibration: whether P(yes) is as often right as it says");
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(p->data, g);
        const pov_comfort_score *score = &p->scores[g];
        const pov_calibration *c = &score->calibration;
        double counts[POV_CALIBRATION_BINS], means[POV_CALIBRATION_BINS], shares[POV_CALIBRATION_BINS];
        for (int i = 0; i < POV_CALIBRATION_BINS; i++) {
            counts[i] = c->bin[i].n;
            means[i] = c->bin[i].p_sum / c->bin[i].n;
            shares[i] = (double)c->bin[i].yes / c->bin[i].n;
        }
        print_group(p, group);
        pov_score_sheet_count(p->sheet, "curves", score->curves);
        pov_score_sheet_count(p->sheet, "constant", score->constant);
        for (int k = 0; k < POV_ANSWER_KINDS; k++)
            pov_score_sheet_count(p->sheet, pov_answer_kind_name((pov_answer_kind)k), group->answers[k]);
        pov_score_sheet_count(p->sheet, "unscored", score->unscored);
        pov_score_sheet_share(p->sheet, "brier", pov_calibration_brier(c));
        pov_score_sheet_share(p->sheet, "ece", pov_calibration_error(c));
        pov_score_sheet_numbers(p->sheet, "bin_count", counts, POV_CALIBRATION_BINS);
        pov_score_sheet_numbers(p->sheet, "bin_p_mean", means, POV_CALIBRATION_BINS);
        pov_score_sheet_numbers(p->sheet, "bin_true_share", shares, POV_CALIBRATION_BINS);
    }
}

/* ---- preferences ---- */

typedef struct {
    const char *key;
    pov_reading reading;
} candidate;

static const candidate conventions[] = {{"translated", {POV_EGOCENTRIC, POV_TRANSLATED}},
                                        {"rotated", {POV_EGOCENTRIC, POV_ROTATED}},
                                        {"reflected", {POV_EGOCENTRIC, POV_REFLECTED}}};
static const candidate perspectives[] = {{"egocentric", {POV_EGOCENTRIC, POV_REFLECTED}},
                                         {"intrinsic", {POV_INTRINSIC, POV_NO_CONVENTION}},
                                         {"addressee", {POV_ADDRESSEE, POV_REFLECTED}}};
static const candidate all_readings[] = {
    {"intrinsic", {POV_INTRINSIC, POV_NO_CONVENTION}}, {"ego_refl", {POV_EGOCENTRIC, POV_REFLECTED}},
    {"ego_rot", {POV_EGOCENTRIC, POV_ROTATED}},        {"ego_tran", {POV_EGOCENTRIC, POV_TRANSLATED}},
    {"add_refl", {POV_ADDRESSEE, POV_REFLECTED}},      {"add_rot", {POV_ADDRESSEE, POV_ROTATED}},
    {"add_tran", {POV_ADDRESSEE, POV_TRANSLATED}}};

static void print_preference(const printer *p, const pov_comfort_group *group, const candidate *candidates,
                             int len)
{
    pov_reading readings[POV_READINGS_MAX];
    pov_preference preference;
    double margins[POV_READINGS_MAX], lows[POV_READINGS_MAX];
    for (int k = 0; k < len; k++) {
        readings[k] = candidates[k].reading;
        if (readings[k].convention == POV_REFLECTED && candidates == perspectives)
            readings[k].convention = p->options->convention;
    }
    pov_comfort_prefer(p->scorer, &preference, curves_of(p, group), group->len, readings, len);
    for (int k = 0; k < len; k++) {
        margins[k] = preference.margin[k].mean;
        lows[k] = preference.margin[k].low;
    }
    print_group(p, group);
    for (int k = 0; k < len; k++)
        pov_score_sheet_estimate(p->sheet, candidates[k].key, &preference.eps_cosine[k]);
    pov_score_sheet_text(p->sheet, "best", preference.best < 0 ? "-" : candidates[preference.best].key, 10);
    pov_score_sheet_text(p->sheet, "preferred",
                         preference.significant ? candidates[preference.best].key : "-", 10);
    pov_score_sheet_numbers(p->sheet, "margin", margins, len);
    pov_score_sheet_numbers(p->sheet, "margin_low", lows, len);
}

static void print_preferences(const printer *p, const candidate *candidates, int len, bool need_front)
{
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(p->data, g);
        bool egocentric = group->prompt == POV_PROMPT_NONE || group->prompt == POV_PROMPT_CAMERA;
        if (need_front ? group->has_front : egocentric)
            print_preference(p, group, candidates, len);
    }
}

static bool has_any_front(const printer *p)
{
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++)
        if (pov_comfort_data_group(p->data, g)->has_front)
            return true;
    return false;
}

static void print_all(const printer *p)
{
    print_performance(p);
    print_relations(p);
    pov_score_sheet_table(
        p->sheet, "convention",
        "Preferred convention: eps_cos x100, smallest wins (Table 2); \"-\": no significant preference "
        "(paired bootstrap over curves, 95 %)");
    print_preferences(p, conventions, 3, false);
    if (has_any_front(p)) {
        pov_score_sheet_table(p->sheet, "perspective", "Preferred perspective: likewise (Tables 3, 8, 9)");
        print_preferences(p, perspectives, 3, true);
        pov_score_sheet_table(p->sheet, "reading", "Of all readings (Table 10)");
        print_preferences(p, all_readings, 7, true);
    }
    print_answers(p);
}

pov_status pov_score_print_comfort(pov_score_sheet *sheet, const pov_comfort_data *data,
                                   const pov_score_options *options)
{
    int groups = pov_comfort_data_groups(data);
    printer p = {.sheet = sheet, .data = data, .options = options};
    POV_TRY(pov_comfort_scorer_new(&p.scorer, pov_comfort_data_len(data), &options->comfort));
    p.scores = calloc((size_t)groups + 1, sizeof *p.scores);
    for (int g = 0; p.scores && g < groups; g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        pov_comfort_score_curves(p.scorer, &p.scores[g], curves_of(&p, group), group->len,
                                 pov_prompt_reading(group->prompt, options->convention));
    }
    if (p.scores)
        print_all(&p);
    pov_comfort_scorer_destroy(&p.scorer);
    pov_status status = p.scores ? pov_ok() : pov_error("out of memory for %d groups", groups);
    free(p.scores);
    return status;
}
