#include "compare/scoring/paper_sheets.h"

#include "config/files/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Starts a row with what a label says: "model<TAB>dimension<TAB>value". */
static void print_label(pov_sheet *sheet, const char *label)
{
    static const char *const keys[] = {"model", "by", "value"};
    pov_text part = {0};
    pov_sheet_add_row(sheet);
    for (int i = 0; i < 3; i++) {
        const size_t length = strcspn(label, "\t");
        pov_text_set(&part, "%.*s", (int)length, label);
        pov_sheet_add_text(sheet, keys[i], pov_text_of(&part));
        label += length + (label[length] == '\t');
    }
    pov_text_free(&part);
}

/* ---- scores ---- */

static void print_score(pov_sheet *sheet, pov_paper paper, const pov_tally_row *row)
{
    int came =
        row->answers[POV_ANSWER_GIVEN] + row->answers[POV_ANSWER_REFUSED] + row->answers[POV_ANSWER_UNCLEAR];
    print_label(sheet, row->label);
    pov_sheet_add_estimate(sheet, paper == POV_PAPER_VPT ? "correctness" : "accuracy", &row->score);
    const pov_coverage coverage = pov_coverage_of(row->answers);
    pov_sheet_add_count(sheet, "answered", coverage.answered);
    pov_sheet_add_count(sheet, "asked", coverage.asked);
    pov_sheet_add_count(sheet, "questions", row->questions);
    pov_sheet_add_share(sheet, "chance", row->chance);
    pov_sheet_add_estimate(sheet, "caa", &row->adjusted);
    pov_sheet_add_share(sheet, "validity", came ? (double)row->answers[POV_ANSWER_GIVEN] / came : NAN);
    for (int k = 0; k < POV_ANSWER_KINDS; k++)
        pov_sheet_add_count(sheet, pov_answer_kind_name((pov_answer_kind)k), row->answers[k]);
    pov_sheet_add_text(sheet, "paper", pov_paper_name(paper));
}

/* A group's place in print. */
typedef struct {
    int model, dimension, group;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *one = a, *other = b;
    if (one->model != other->model)
        return one->model < other->model ? -1 : 1;
    if (one->dimension != other->dimension)
        return one->dimension < other->dimension ? -1 : 1;
    return (one->group > other->group) - (one->group < other->group);
}

/* By model, then dimension, then value, each in the order in which they came. */
static void order_groups(place *places, const pov_tally *tally)
{
    pov_name_set *prefixes = pov_name_set_new(); /* models, and models with a dimension */
    for (int i = 0; i < pov_tally_len(tally); i++) {
        const char *label = pov_tally_label(tally, i);
        const size_t model = strcspn(label, "\t"), dimension = (size_t)(strrchr(label, '\t') - label);
        places[i].group = i;
        places[i].model = pov_name_set_add(prefixes, label, model);
        places[i].dimension = pov_name_set_add(prefixes, label, dimension);
    }
    pov_name_set_destroy(&prefixes);
    qsort(places, (size_t)pov_tally_len(tally), sizeof *places, compare_places);
}

static void print_scores(pov_sheet *sheet, pov_paper paper, pov_tally *tally)
{
    int len = pov_tally_len(tally);
    pov_tally_row row;
    place *places = pov_allocate((size_t)len + 1, sizeof *places);
    pov_sheet_add_table(
        sheet, "scores",
        "Scores (x100); refused and unclear answers count as wrong; missing ones, those of low mass, and "
        "what was not asked are left out;\ncaa: chance-adjusted accuracy, 0 as by drawing, 100 all right, of "
        "the "
        "questions that have a chance");
    order_groups(places, tally);
    for (int i = 0; i < len; i++) {
        pov_tally_at(tally, &row, places[i].group);
        print_score(sheet, paper, &row);
    }
    free(places);
}

/* ---- what a paper counts beside ---- */

static void print_bias(pov_sheet *sheet, const pov_paper_scores *scores, pov_formulas formulas)
{
    const bool released = formulas == POV_FORMULAS_RELEASED;
    pov_sheet_add_table(
        sheet, "bias",
        released ? "R and I as the authors' released script computes them (docs/SCORES.md)"
                 : "Of answers that fit only one frame, those that fit the relative (R) and the intrinsic "
                   "(I) one");
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const pov_forest_bias *bias = &scores->extras[i].bias;
        if (scores->extras[i].layouts.len > 0)
            continue;
        const pov_forest_shares shares = released ? pov_forest_share_released(bias) : pov_forest_share(bias);
        print_label(sheet, pov_name_set_at(scores->labels, i));
        pov_sheet_add_share(sheet, "R", shares.relative);
        pov_sheet_add_share(sheet, "I", shares.intrinsic);
        pov_sheet_add_count(sheet, "fit_R_only", bias->relative);
        pov_sheet_add_count(sheet, "fit_I_only", bias->intrinsic);
    }
}

static void print_layouts(pov_sheet *sheet, const pov_paper_scores *scores)
{
    bool is_empty = true;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const pov_layout_count *layouts = &scores->extras[i].layouts;
        if (layouts->len == 0)
            continue;
        if (is_empty)
            pov_sheet_add_table(
                sheet, "layouts",
                "Layouts: undecided by boxes (front or back, A-split), and how they are written: height "
                "before width, corners, shares of the picture;\nswapped: read as written, but fitting the "
                "picture only with width and height swapped; outside: sticking out of it");
        is_empty = false;
        print_label(sheet, pov_name_set_at(scores->labels, i));
        pov_sheet_add_count(sheet, "layouts", layouts->len);
        pov_sheet_add_count(sheet, "undecided", layouts->undecided);
        for (int k = 0; k < POV_LAYOUT_REMARKS; k++)
            pov_sheet_add_count(sheet, pov_layout_remark_name((pov_layout_remark)k), layouts->remarks[k]);
    }
}

static const char *const cardinal_names[4] = {"north", "east", "south", "west"};
static const char *const side_names[4] = {"front", "right", "back", "left"};

static bool is_about_sides(const char *label)
{
    return strstr(label, "\tQ7") != NULL;
}

static void print_matrix(pov_sheet *sheet, const char *label, const pov_vpt_cooccurrence *matrix)
{
    const char *const *names = is_about_sides(label) ? side_names : cardinal_names;
    for (int gold = 0; gold < 4; gold++) {
        print_label(sheet, label);
        pov_sheet_add_text(sheet, "gold", names[gold]);
        for (int answered = 0; answered < 4; answered++) {
            char key[40];
            snprintf(key, sizeof key, "%s/%s", cardinal_names[answered], side_names[answered]);
            pov_sheet_add_count(sheet, key, matrix->count[gold][answered]);
        }
    }
}

static void print_matrices(pov_sheet *sheet, const pov_paper_scores *scores)
{
    int len = pov_name_set_len(scores->labels), favourite;
    pov_sheet_add_table(
        sheet, "cooccurrence",
        "Answers (columns) to each gold answer (rows); with several parts, one counts several times");
    for (int i = 0; i < len; i++)
        print_matrix(sheet, pov_name_set_at(scores->labels, i), &scores->extras[i].matrix);
    pov_sheet_add_table(
        sheet, "directional_bias",
        "Directional bias: how far the answers' shares are from the golds' (0 to 100), and the favourite");
    for (int i = 0; i < len; i++) {
        const pov_vpt_cooccurrence *matrix = &scores->extras[i].matrix;
        const char *label = pov_name_set_at(scores->labels, i);
        const char *const *names = is_about_sides(label) ? side_names : cardinal_names;
        print_label(sheet, label);
        pov_sheet_add_share(sheet, "bias", pov_vpt_bias(&favourite, matrix));
        pov_sheet_add_text(sheet, "favourite", favourite < 0 ? "-" : names[favourite]);
        pov_sheet_add_count(sheet, "single", matrix->single);
        pov_sheet_add_count(sheet, "compound", matrix->compound);
        pov_sheet_add_count(sheet, "discarded", matrix->discarded);
    }
}

static pov_estimate score_of(const pov_paper_scores *scores, const char *label)
{
    pov_tally_row row;
    for (int i = 0; i < pov_tally_len(scores->tally); i++)
        if (strcmp(pov_tally_label(scores->tally, i), label) == 0) {
            pov_tally_at(scores->tally, &row, i);
            return row.score;
        }
    return (pov_estimate){NAN, NAN, NAN, 0};
}

/* Shares of the answered directions, which sum to 1. */
static void print_shares(pov_sheet *sheet, const pov_vpt_cooccurrence *matrix)
{
    int all = 0;
    for (int i = 0; i < 4; i++)
        all += matrix->answered[i];
    for (int i = 0; i < 4; i++)
        pov_sheet_add_share(sheet, cardinal_names[i], all > 0 ? (double)matrix->answered[i] / all : NAN);
}

/* Means over the answers whose tokens a server listed. */
static void print_likely(pov_sheet *sheet, const pov_paper_extra *extra)
{
    static const char *const keys[4] = {"p_north", "p_east", "p_south", "p_west"};
    int likeliest = 0;
    for (int i = 0; i < 4; i++) {
        likeliest = extra->p_directions[i] > extra->p_directions[likeliest] ? i : likeliest;
        pov_sheet_add_share(sheet, keys[i],
                            extra->p_directions_len > 0 ? extra->p_directions[i] / extra->p_directions_len
                                                        : NAN);
    }
    pov_sheet_add_text(sheet, "likeliest", extra->p_directions_len > 0 ? cardinal_names[likeliest] : "-");
    pov_sheet_add_count(sheet, "with_tokens", extra->p_directions_len);
}

static void print_interventions(pov_sheet *sheet, const pov_paper_scores *scores)
{
    static const char mark[] = "\t" POV_BY_INTERVENTION "\t";
    bool is_empty = true, has_tokens = false;
    int favourite;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++)
        has_tokens = has_tokens || scores->extras[i].p_directions_len > 0;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const char *label = pov_name_set_at(scores->labels, i), *at = strstr(label, mark);
        const pov_vpt_cooccurrence *matrix = &scores->extras[i].matrix;
        if (!at)
            continue;
        if (is_empty)
            pov_sheet_add_table(
                sheet, "interventions",
                "Isle-Brick's Q5 (facing) by what was changed, x100: prediction correctness, "
                "directional bias, each direction's share of the answers, and its mean probability "
                "by their tokens (appendix B)");
        is_empty = false;
        char *model = pov_text_new("%.*s", (int)(at - label), label);
        const pov_estimate score = score_of(scores, label);
        pov_sheet_add_row(sheet);
        pov_sheet_add_text(sheet, "model", model);
        pov_sheet_add_text(sheet, "intervention", at + sizeof mark - 1);
        pov_sheet_add_estimate(sheet, "correctness", &score);
        pov_sheet_add_share(sheet, "bias", pov_vpt_bias(&favourite, matrix));
        pov_sheet_add_text(sheet, "favourite", favourite < 0 ? "-" : cardinal_names[favourite]);
        print_shares(sheet, matrix);
        pov_sheet_add_count(sheet, "answers", matrix->single + matrix->compound);
        if (has_tokens)
            print_likely(sheet, &scores->extras[i]);
        free(model);
    }
}

static void print_calibration(pov_sheet *sheet, const pov_paper_scores *scores)
{
    pov_sheet_add_table(sheet, "calibration", "Calibration of P(true)");
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const pov_calibration *calibration = &scores->extras[i].calibration;
        print_label(sheet, pov_name_set_at(scores->labels, i));
        pov_sheet_add_count(sheet, "cases", calibration->n);
        pov_sheet_add_count(sheet, "unscored", calibration->unscored);
        pov_sheet_add_share(sheet, "brier", pov_calibration_brier(calibration));
        pov_sheet_add_share(sheet, "ece", pov_calibration_error(calibration));
    }
}

/* Cases with two right answers are in none of its rows. */
static void print_confusion(pov_sheet *sheet, const pov_paper_scores *scores)
{
    static const char *const names[4] = {"left", "right", "front", "back"};
    pov_sheet_add_table(sheet, "confusion",
                        "Answers (columns) to each gold answer (rows), where one answer is right");
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const pov_forest_bias *bias = &scores->extras[i].bias;
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += bias->confusion[k / 4][k % 4];
        for (int gold = 0; gold < 4 && sum > 0; gold++) {
            print_label(sheet, pov_name_set_at(scores->labels, i));
            pov_sheet_add_text(sheet, "gold", names[gold]);
            for (int answered = 0; answered < 4; answered++)
                pov_sheet_add_count(sheet, names[answered], bias->confusion[gold][answered]);
        }
    }
}

static void print_forest(pov_sheet *sheet, const pov_paper_scores *scores, pov_formulas formulas)
{
    print_bias(sheet, scores, formulas);
    print_confusion(sheet, scores);
    print_layouts(sheet, scores);
}

/* ---- multiple choice by letters ---- */

/* The frame that most answers fit, more than half of all that the questions have; "-": none, or two fit as many. A frame that never
 * differs from the asked one is the asked one. */
static const char *seeming_frame(const pov_frame_fit fit[POV_FRAME_FIT_COUNT])
{
    double best = 0.5;
    const char *name = "-";
    for (int f = 0; f < POV_FRAME_FIT_COUNT; f++) {
        const double share = (double)fit[f].fits / fit[f].known;
        if (fit[f].known == 0 || (f != POV_FRAME_FIT_ASKED && fit[f].apart == 0))
            continue;
        name = share > best ? pov_fit_frame_name((pov_fit_frame)f) : share == best ? "-" : name;
        best = share > best ? share : best;
    }
    return name;
}

static void print_frames(pov_sheet *sheet, const pov_paper_scores *scores)
{
    bool is_empty = true;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const pov_frame_fit *fit = scores->extras[i].fit;
        bool apart = false;
        for (int f = 0; f < POV_FRAME_FIT_COUNT; f++)
            apart |= fit[f].apart > 0;
        if (!apart)
            continue;
        if (is_empty)
            pov_sheet_add_table(sheet, "frames",
                                "Which frame answers fit (x100): of questions whose right answer is another "
                                "in that frame, the "
                                "answers that are it, though it is wrong;\nmirrored: left and right "
                                "mistaken; seems: the frame "
                                "that most, and over half, of all answers fit");
        is_empty = false;
        print_label(sheet, pov_name_set_at(scores->labels, i));
        for (int f = POV_FRAME_FIT_CAMERA; f < POV_FRAME_FIT_COUNT; f++)
            pov_sheet_add_share(sheet, pov_fit_frame_name((pov_fit_frame)f),
                                fit[f].apart > 0 ? (double)fit[f].alone / fit[f].apart : NAN);
        pov_sheet_add_count(sheet, "read", fit[POV_FRAME_FIT_ASKED].known);
        pov_sheet_add_text(sheet, "seems", seeming_frame(fit));
    }
}

static void print_maps(pov_sheet *sheet, const pov_paper_scores *scores)
{
    bool is_empty = true;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const pov_cogmap_tally *maps = &scores->extras[i].cogmap;
        if (maps->replies == 0)
            continue;
        if (is_empty)
            pov_sheet_add_table(
                sheet, "cogmap",
                "Cognitive maps (x100): means over those that are maps, each in its best turn; overall: 0.7 "
                "directional + 0.3 facing");
        is_empty = false;
        print_label(sheet, pov_name_set_at(scores->labels, i));
        pov_sheet_add_share(sheet, "coverage", maps->coverage / maps->valid);
        pov_sheet_add_share(sheet, "directional", maps->directional / maps->valid);
        pov_sheet_add_share(sheet, "facing", maps->facing / maps->valid);
        pov_sheet_add_share(sheet, "overall", maps->overall / maps->valid);
        pov_sheet_add_count(sheet, "valid", maps->valid);
        pov_sheet_add_count(sheet, "parsable", maps->parsable);
        pov_sheet_add_count(sheet, "replies", maps->replies);
    }
}

void pov_sheet_add_paper(pov_sheet *sheet, pov_paper paper, const pov_paper_scores *scores,
                         pov_formulas formulas)
{
    print_scores(sheet, paper, scores->tally);
    if (paper == POV_PAPER_FOREST)
        print_forest(sheet, scores, formulas);
    if (paper == POV_PAPER_VPT) {
        print_matrices(sheet, scores);
        print_interventions(sheet, scores);
    }
    if (paper == POV_PAPER_VSR)
        print_calibration(sheet, scores);
    if (pov_paper_choice(paper)) {
        print_frames(sheet, scores);
        print_maps(sheet, scores);
    }
}

/* ---- FoREST's tables of generated pictures ---- */

/* The paper's columns. */
static const struct {
    const char *key;
    pov_caption_kind kind;
} columns[] = {{"A_I", POV_CAPTIONS_A_FRONT},     {"A_R", POV_CAPTIONS_A_NO_FRONT},
               {"A_avg", POV_CAPTIONS_A},         {"C_EI", POV_CAPTIONS_C_INTRINSIC},
               {"C_ER", POV_CAPTIONS_C_RELATIVE}, {"C_all", POV_CAPTIONS_C}};

static void print_table(pov_sheet *sheet, const pov_visor *visor, const pov_visor_scores *scores,
                        pov_visor_measure measure)
{
    for (int m = 0; m < pov_visor_models(visor); m++) {
        pov_sheet_add_row(sheet);
        pov_sheet_add_text(sheet, "model", pov_visor_model(visor, m));
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            pov_sheet_add_estimate(sheet, columns[c].key, &scores[m].of[columns[c].kind].measures[measure]);
    }
}

static double share_of(int part, int whole)
{
    return whole > 0 ? (double)part / whole : NAN;
}

static void print_kind(pov_sheet *sheet, const pov_visor_score *score)
{
    pov_sheet_add_count(sheet, "captions", score->captions);
    pov_sheet_add_count(sheet, "incomplete", score->incomplete);
    pov_sheet_add_count(sheet, "pictures", score->pictures);
    pov_sheet_add_count(sheet, "with_both", score->both);
    pov_sheet_add_count(sheet, "right", score->right);
    for (int i = 0; i < POV_VISOR_MEASURES; i++)
        pov_sheet_add_estimate(sheet, pov_visor_measure_name((pov_visor_measure)i), &score->measures[i]);
    pov_sheet_add_share(sheet, "relative", share_of(score->relative, score->may_be_relative));
    pov_sheet_add_share(sheet, "intrinsic", share_of(score->intrinsic, score->may_be_intrinsic));
    pov_sheet_add_count(sheet, "no_obj1", score->no_locatum);
    pov_sheet_add_count(sheet, "no_obj2", score->no_relatum);
}

static void print_details(pov_sheet *sheet, const pov_visor *visor, const pov_visor_scores *scores)
{
    pov_sheet_add_table(sheet, "visor",
                        "Pictures by split and captions (x100): front: of relata with a front; relative, "
                        "intrinsic: of the pictures with both things those in\nwhich that reading holds; "
                        "incomplete: captions with fewer than four pictures, which VISOR_1 to 4 leave out");
    for (int m = 0; m < pov_visor_models(visor); m++)
        for (int k = 0; k < POV_CAPTION_KINDS; k++) {
            if (scores[m].of[k].captions == 0)
                continue;
            pov_sheet_add_row(sheet);
            pov_sheet_add_text(sheet, "model", pov_visor_model(visor, m));
            pov_sheet_add_text(sheet, "split", pov_split_name(pov_caption_kind_split((pov_caption_kind)k)));
            pov_sheet_add_text(sheet, "of", pov_caption_kind_name((pov_caption_kind)k));
            print_kind(sheet, &scores[m].of[k]);
        }
}

static void print_missing(pov_sheet *sheet, const pov_visor *visor)
{
    const char *name;
    int asked, missing;
    pov_sheet_add_table(sheet, "missing", "Things that pictures should show and do not (x100)");
    for (int m = 0; m < pov_visor_models(visor); m++)
        for (int i = 0; pov_visor_missing(visor, &name, &asked, &missing, m, i); i++) {
            if (asked == 0)
                continue;
            pov_sheet_add_row(sheet);
            pov_sheet_add_text(sheet, "model", pov_visor_model(visor, m));
            pov_sheet_add_text(sheet, "thing", name);
            pov_sheet_add_count(sheet, "pictures", asked);
            pov_sheet_add_share(sheet, "missing", share_of(missing, asked));
        }
}

void pov_sheet_add_visor(pov_sheet *sheet, const pov_visor *visor, const pov_visor_scores *scores,
                         pov_formulas formulas)
{
    const bool released = formulas == POV_FORMULAS_RELEASED;
    if (!released) {
        pov_sheet_add_table(sheet, "visor_cond",
                            "VISOR_cond: of the pictures with both things, those that show what the caption "
                            "says (FoREST's Table 4; x100)");
        print_table(sheet, visor, scores, POV_VISOR_COND);
    }
    pov_sheet_add_table(
        sheet, "visor_uncond",
        released ? "Accuracy as the authors' released script prints it: pictures without a thing count as "
                   "right, pictures not there as wrong (x100)"
                 : "VISOR_uncond: of all pictures (FoREST's Table 16; x100)");
    print_table(sheet, visor, scores, POV_VISOR_UNCOND);
    print_details(sheet, visor, scores);
    print_missing(sheet, visor);
}

/* ---- COMFORT ---- */

static const char *const measure_keys[POV_COMFORT_MEASURES] = {
    "accuracy",    "accuracy_told", "accuracy_least", "accuracy_most", "eps_hemi", "eps_cos",
    "eps_clipped", "eta",           "c_sym",          "sigma",         "c_opp"};

/* In the paper's order; eps_clipped, which is not in the paper, is last. */
static const int shown[POV_COMFORT_MEASURES] = {POV_ACCURACY,      POV_ACCURACY_TOLD, POV_ACCURACY_LEAST,
                                                POV_ACCURACY_MOST, POV_EPS_COSINE,    POV_EPS_HEMISPHERE,
                                                POV_SIGMA,         POV_ETA,           POV_C_SYM,
                                                POV_C_OPP,         POV_EPS_CLIPPED};

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

/* Of yes or no. */
static pov_estimate adjust_for_chance(const pov_estimate *accuracy)
{
    return (pov_estimate){2 * accuracy->mean - 1, 2 * accuracy->low - 1, 2 * accuracy->high - 1, accuracy->n};
}

static void print_performance(const printer *p)
{
    pov_sheet_add_table(
        p->sheet, "performance",
        "Performance, robustness, consistency, in the frame that each prompt asks for (Tables 4, 5; x100).\n"
        "accuracy: the paper's, over all stops; accuracy_told: without the stops where geometry cannot tell; "
        "least, most: that, if all\nunscored answers were wrong, and right; caa: accuracy_told adjusted for "
        "chance, 2 x - 100; eta: of full rotations without a "
        "gap only");
    for (int g = 0; g < pov_comfort_data_groups(p->data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(p->data, g);
        const pov_presence_group *asked = pov_comfort_data_presence_for(p->data, g);
        const pov_coverage coverage = pov_coverage_of(group->answers);
        print_group(p, group);
        pov_sheet_add_text(p->sheet, "convention", pov_convention_name(group->convention));
        pov_sheet_add_count(p->sheet, "answered", coverage.answered);
        pov_sheet_add_count(p->sheet, "asked", coverage.asked);
        pov_sheet_add_count(p->sheet, "scenes", p->tables[g].score.scenes);
        pov_sheet_add_share(p->sheet, "object_f1", asked ? pov_presence_f1(&asked->presence) : NAN);
        for (int i = 0; i < POV_COMFORT_MEASURES; i++)
            pov_sheet_add_estimate(p->sheet, measure_keys[shown[i]], &p->tables[g].score.overall[shown[i]]);
        const pov_estimate adjusted = adjust_for_chance(&p->tables[g].score.overall[POV_ACCURACY_TOLD]);
        pov_sheet_add_estimate(p->sheet, "caa", &adjusted);
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

static void print_preference(const printer *p, pov_prefer comparison, int g)
{
    const pov_preference *preference = &p->tables[g].preference[comparison];
    double margins[POV_READINGS_MAX], lows[POV_READINGS_MAX];
    const char *best = preference->best < 0 ? "-" : pov_prefer_key(comparison, preference->best);
    for (int k = 0; k < preference->len; k++) {
        pov_sheet_add_estimate(p->sheet, pov_prefer_key(comparison, k), &preference->eps_cosine[k]);
        margins[k] = preference->margin[k].mean;
        lows[k] = preference->margin[k].low;
    }
    pov_sheet_add_count(p->sheet, "scenes", preference->scenes);
    pov_sheet_add_text(p->sheet, "best", best);
    const pov_preferred verdict = pov_preference_verdict(preference);
    char *preferred = comparison == POV_PREFER_PERSPECTIVE
                          ? pov_comfort_preferred_frame(pov_comfort_data_group(p->data, g),
                                                        &p->tables[g].preference[POV_PREFER_READING])
                          : pov_text_new("%s%s", verdict >= POV_PREFERS_UNTESTED ? best : "-",
                                         verdict == POV_PREFERS_UNTESTED ? "?" : "");
    pov_sheet_add_text(p->sheet, "preferred", preferred);
    free(preferred);
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
        print_preference(p, comparison, g);
    }
}

void pov_sheet_add_comfort(pov_sheet *sheet, const pov_comfort_data *data, const pov_comfort_tables *tables)
{
    printer p = {.sheet = sheet, .data = data, .tables = tables};
    print_performance(&p);
    print_relations(&p);
    print_comparison(
        &p, POV_PREFER_CONVENTION, "convention",
        "Preferred convention: eps_cos x100, smallest wins (Table 2); \"-\": no significant "
        "preference\n(paired bootstrap over whole scenes, 95 %); \"?\": fewer than six scenes, so "
        "not tested");
    print_comparison(
        &p, POV_PREFER_PERSPECTIVE, "perspective",
        "Preferred perspective: likewise, viewers' axes in the convention of the language (Tables 3, 8, 9);\n"
        "preferred: of all readings, the next table");
    print_comparison(&p, POV_PREFER_READING, "reading", "Of all readings: likewise (Table 10)");
    print_answers(&p);
}
