/* FoREST's tables of generated pictures, put on a sheet. */
#include "compare/sheets/sheet_scores.h"

#include <math.h>

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

static double share(int part, int whole)
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
    pov_sheet_add_share(sheet, "relative", share(score->relative, score->may_be_relative));
    pov_sheet_add_share(sheet, "intrinsic", share(score->intrinsic, score->may_be_intrinsic));
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
            pov_sheet_add_share(sheet, "missing", share(missing, asked));
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
