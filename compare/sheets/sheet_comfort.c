#include "compare/sheets/sheet_scores.h"

#include <math.h>

static const char *const measure_keys[POV_COMFORT_MEASURES] = {
    "accuracy", "eps_hemi", "eps_cos", "eps_clipped", "eta", "c_sym", "sigma", "c_opp"};

/* In the paper's order; eps_clipped, which is not in the paper, is last. */
static const int shown[POV_COMFORT_MEASURES] = {POV_ACCURACY, POV_EPS_COSINE, POV_EPS_HEMISPHERE,
                                                POV_SIGMA,    POV_ETA,        POV_C_SYM,
                                                POV_C_OPP,    POV_EPS_CLIPPED};

typedef struct {
    pov_sheet *sheet;
    const pov_comfort_data *data;
    const pov_comfort_tables *tables; /* [group] */
} printer;

static void print_group(const printer *p, const pov_comfort_group *group)
{
    pov_sheet_add_row(p->sheet);
    pov_sheet_add_text(p->sheet, "model", group->model);
    pov_sheet_add_text(p->sheet, "language", group->language);
    pov_sheet_add_text(p->sheet, "set", group->has_front ? "CAR" : "BALL");
    pov_sheet_add_text(p->sheet, "prompt", pov_prompt_name(group->prompt));
}

static void print_performance(const printer *p)
{
    pov_sheet_add_table(
        p->sheet, "performance",
        "Performance, robustness, consistency, in the frame that each prompt asks for (Tables 4, 5; x100)");
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(p->data, g);
        const pov_presence_group *asked = pov_comfort_data_presence_for(p->data, g);
        print_group(p, group);
        pov_sheet_add_share(p->sheet, "object_f1", asked ? pov_presence_f1(&asked->presence) : NAN);
        for (int i = 0; i < POV_COMFORT_MEASURES; i++)
            pov_sheet_add_estimate(p->sheet, measure_keys[shown[i]], &p->tables[g].score.overall[shown[i]]);
        pov_sheet_add_numbers(p->sheet, "sigma_of_angles", &p->tables[g].score.sigma_of_angles, 1);
    }
}

static void print_relations(const printer *p)
{
    pov_sheet_add_table(p->sheet, "by_relation", "The same by relation");
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++)
        for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
            if (p->tables[g].score.by_relation[r][POV_ACCURACY].n == 0)
                continue;
            print_group(p, pov_comfort_data_group(p->data, g));
            pov_sheet_add_text(p->sheet, "relation", pov_relation_name((pov_relation)r));
            for (int i = 0; i < POV_COMFORT_MEASURES; i++)
                pov_sheet_add_estimate(p->sheet, measure_keys[shown[i]],
                                       &p->tables[g].score.by_relation[r][shown[i]]);
        }
}

static void print_answers(const printer *p)
{
    pov_sheet_add_table(p->sheet, "answers",
                        "Answers and calibration: whether P(yes) is as often right as it says; untold: "
                        "geometry cannot tell, not scored as right or wrong");
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(p->data, g);
        const pov_comfort_score *score = &p->tables[g].score;
        const pov_calibration *c = &score->calibration;
        double counts[POV_CALIBRATION_BINS], means[POV_CALIBRATION_BINS], shares[POV_CALIBRATION_BINS];
        for (int i = 0; i < POV_CALIBRATION_BINS; i++) {
            counts[i] = c->bin[i].n;
            means[i] = c->bin[i].p_sum / c->bin[i].n;
            shares[i] = (double)c->bin[i].yes / c->bin[i].n;
        }
        print_group(p, group);
        pov_sheet_add_count(p->sheet, "curves", score->curves);
        pov_sheet_add_count(p->sheet, "constant", score->constant);
        for (int k = 0; k < POV_ANSWER_KINDS; k++)
            pov_sheet_add_count(p->sheet, pov_answer_kind_name((pov_answer_kind)k), group->answers[k]);
        pov_sheet_add_count(p->sheet, "unscored", score->unscored);
        pov_sheet_add_count(p->sheet, "untold", score->untold);
        pov_sheet_add_share(p->sheet, "brier", pov_calibration_brier(c));
        pov_sheet_add_share(p->sheet, "ece", pov_calibration_error(c));
        pov_sheet_add_numbers(p->sheet, "bin_count", counts, POV_CALIBRATION_BINS);
        pov_sheet_add_numbers(p->sheet, "bin_p_mean", means, POV_CALIBRATION_BINS);
        pov_sheet_add_numbers(p->sheet, "bin_true_share", shares, POV_CALIBRATION_BINS);
    }
}

/* ---- preferences ---- */

static void print_preference(const printer *p, pov_prefer comparison, const pov_preference *preference)
{
    double margins[POV_READINGS_MAX], lows[POV_READINGS_MAX];
    const char *best = preference->best < 0 ? "-" : pov_prefer_key(comparison, preference->best);
    for (int k = 0; k < preference->len; k++) {
        pov_sheet_add_estimate(p->sheet, pov_prefer_key(comparison, k), &preference->eps_cosine[k]);
        margins[k] = preference->margin[k].mean;
        lows[k] = preference->margin[k].low;
    }
    pov_sheet_add_text(p->sheet, "best", best);
    const pov_preferred verdict = pov_preference_verdict(preference);
    char preferred[POV_SHEET_KEY];
    snprintf(preferred, sizeof preferred, "%s%s", verdict >= POV_PREFERS_UNTESTED ? best : "-",
             verdict == POV_PREFERS_UNTESTED ? "?" : "");
    pov_sheet_add_text(p->sheet, "preferred", preferred);
    pov_sheet_add_numbers(p->sheet, "margin", margins, preference->len);
    pov_sheet_add_numbers(p->sheet, "margin_low", lows, preference->len);
}

static void print_comparison(const printer *p, pov_prefer comparison, const char *key, const char *title)
{
    bool is_empty = true;
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(p->data, g);
        if (!pov_prefer_applies(comparison, group))
            continue;
        if (is_empty)
            pov_sheet_add_table(p->sheet, key, title);
        is_empty = false;
        print_group(p, group);
        print_preference(p, comparison, &p->tables[g].preference[comparison]);
    }
}

void pov_sheet_add_comfort(pov_sheet *sheet, const pov_comfort_data *data, const pov_comfort_tables *tables)
{
    printer p = {.sheet = sheet, .data = data, .tables = tables};
    print_performance(&p);
    print_relations(&p);
    print_comparison(&p, POV_PREFER_CONVENTION, "convention",
                     "Preferred convention: eps_cos x100, smallest wins (Table 2); \"-\": no significant "
                     "preference\n(paired bootstrap over curves, 95 %); \"?\": of one curve a relation, so "
                     "not tested");
    print_comparison(&p, POV_PREFER_PERSPECTIVE, "perspective",
                     "Preferred perspective: likewise (Tables 3, 8, 9)");
    print_comparison(&p, POV_PREFER_READING, "reading", "Of all readings: likewise (Table 10)");
    print_answers(&p);
}
