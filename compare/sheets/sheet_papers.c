#include "compare/sheets/sheet_scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 200 };

/* "model<TAB>dimension<TAB>value" */
static void split_label(char part[3][PART], const char *label)
{
    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(label, "\t");
        snprintf(part[i], PART, "%.*s", (int)length, label);
        label += length + (label[length] == '\t');
    }
}

/* Starts a row with what a label says. */
static void print_label(pov_sheet *sheet, const char *label)
{
    char part[3][PART];
    split_label(part, label);
    pov_sheet_add_row(sheet);
    pov_sheet_add_text(sheet, "model", part[0]);
    pov_sheet_add_text(sheet, "by", part[1]);
    pov_sheet_add_text(sheet, "value", part[2]);
}

/* ---- scores ---- */

static void print_score(pov_sheet *sheet, pov_paper paper, const pov_tally_row *row)
{
    int came =
        row->answers[POV_ANSWER_GIVEN] + row->answers[POV_ANSWER_REFUSED] + row->answers[POV_ANSWER_UNCLEAR];
    print_label(sheet, row->label);
    pov_sheet_add_estimate(sheet, paper == POV_PAPER_VPT ? "correctness" : "accuracy", &row->score);
    pov_sheet_add_share(sheet, "chance", row->chance);
    pov_sheet_add_share(sheet, "validity", came ? (double)row->answers[POV_ANSWER_GIVEN] / came : NAN);
    for (int k = 0; k < POV_ANSWER_KINDS; k++)
        pov_sheet_add_count(sheet, pov_answer_kind_name((pov_answer_kind)k), row->answers[k]);
}

/* Where a group is printed. */
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
    pov_name_set *prefixes; /* models, and models with a dimension */
    POV_REQUIRE(pov_name_set_new(&prefixes).code == POV_OK);
    for (int i = 0; i < pov_tally_len(tally); i++) {
        const char *label = pov_tally_label(tally, i);
        const size_t model = strcspn(label, "\t"), dimension = (size_t)(strrchr(label, '\t') - label);
        places[i].group = i;
        POV_REQUIRE(pov_name_set_add(prefixes, &places[i].model, label, model).code == POV_OK &&
                    pov_name_set_add(prefixes, &places[i].dimension, label, dimension).code == POV_OK);
    }
    pov_name_set_destroy(&prefixes);
    qsort(places, (size_t)pov_tally_len(tally), sizeof *places, compare_places);
}

static void print_scores(pov_sheet *sheet, pov_paper paper, pov_tally *tally)
{
    int len = pov_tally_len(tally);
    pov_tally_row row;
    place *places = calloc((size_t)len + 1, sizeof *places);
    POV_REQUIRE(places);
    pov_sheet_add_table(
        sheet, "scores",
        "Scores (x100); refused and unclear answers count as wrong, missing ones are left out");
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
            pov_sheet_add_table(sheet, "layouts",
                                "Layouts: undecided by boxes (front or back, A-split), and how they are "
                                "written: height before "
                                "width, corners, shares of the picture;\nswapped: read as written, but "
                                "fitting the picture only "
                                "with width and height swapped; outside: sticking out of it");
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

static void print_forest(pov_sheet *sheet, const pov_paper_scores *scores, pov_formulas formulas)
{
    print_bias(sheet, scores, formulas);
    print_layouts(sheet, scores);
}

void pov_sheet_add_paper(pov_sheet *sheet, pov_paper paper, const pov_paper_scores *scores,
                         pov_formulas formulas)
{
    print_scores(sheet, paper, scores->tally);
    if (paper == POV_PAPER_FOREST)
        print_forest(sheet, scores, formulas);
    if (paper == POV_PAPER_VPT)
        print_matrices(sheet, scores);
    if (paper == POV_PAPER_VSR)
        print_calibration(sheet, scores);
}
