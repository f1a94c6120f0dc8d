/* Rows of baselines beside the models: the same questions answered at random, and always with "yes" (COMFORT's Table 5). */
#include "compare/report/report_internal.h"

#include "compare/scores/comfort_baseline.h"

#include <stdlib.h>

enum {
    TRIALS = 30,    /* as the paper's */
    TRIALS_MIN = 2, /* of answers to very many questions: */
    CURVES_DRAWN =
        60000, /* chosen: as many curves, of all trials, are scored in seconds, and their means are within 0.1 points */
};

/* The tables of one baseline's answers. It prefers nothing: in 30 trials each frame is the best now and then. */
static pov_sheet *make_tables(const pov_answers *answers, pov_comfort_data *baseline,
                              void (*add)(pov_sheet *sheet, const pov_answers *answers))
{
    pov_answers own = {.path = answers->path, .paper = answers->paper, .options = answers->options};
    pov_sheet *sheet = pov_sheet_new();
    own.comfort = baseline;
    own.options.comfort.bootstrap.resamples = 1; /* means alone */
    own.tables = pov_allocate((size_t)pov_comfort_data_groups(baseline) + 1, sizeof *own.tables);
    pov_comfort_tables_fill(own.tables, baseline, &own.options.comfort);
    for (int g = 0; g < pov_comfort_data_groups(baseline); g++)
        for (int c = 0; c < POV_PREFER_COUNT; c++)
            own.tables[g].preference[c].best = -1;
    add(sheet, &own);
    free(own.tables);
    return sheet;
}

static void add_random(pov_sheet *sheet, const pov_answers *answers,
                       void (*add)(pov_sheet *sheet, const pov_answers *answers))
{
    pov_comfort_data *counted = pov_comfort_baseline_new(answers->comfort, "");
    const int curves = pov_comfort_data_len(counted),
              bounded = curves * TRIALS > CURVES_DRAWN ? CURVES_DRAWN / curves : TRIALS,
              trials = bounded > TRIALS_MIN ? bounded : TRIALS_MIN;
    pov_comfort_data_destroy(&counted);
    char *model = pov_text_new("Random (%d trials)", trials);
    pov_comfort_data *baseline = pov_comfort_baseline_new(answers->comfort, model);
    const uint64_t seed = answers->options.comfort.bootstrap.seed;
    pov_sheet *sheets[TRIALS];
    for (int i = 0; i < trials; i++) {
        pov_comfort_baseline_draw(baseline, seed * TRIALS + (uint64_t)i);
        sheets[i] = make_tables(answers, baseline, add);
    }
    pov_sheet_add_mean(sheet, (const pov_sheet *const *)sheets, trials);
    for (int i = 0; i < trials; i++)
        pov_sheet_destroy(&sheets[i]);
    pov_comfort_data_destroy(&baseline);
    free(model);
}

static void add_affirmer(pov_sheet *sheet, const pov_answers *answers,
                         void (*add)(pov_sheet *sheet, const pov_answers *answers))
{
    pov_comfort_data *baseline = pov_comfort_baseline_new(answers->comfort, "Always \"yes\"");
    pov_comfort_baseline_affirm(baseline);
    pov_sheet *tables = make_tables(answers, baseline, add);
    pov_sheet_add_mean(sheet, (const pov_sheet *const *)&tables, 1);
    pov_sheet_destroy(&tables);
    pov_comfort_data_destroy(&baseline);
}

void pov_report_add_baselines(pov_sheet *sheet, const pov_answers *answers,
                              void (*add)(pov_sheet *sheet, const pov_answers *answers))
{
    if (pov_sheet_len(sheet) == 0)
        return;
    add_random(sheet, answers, add);
    add_affirmer(sheet, answers, add);
}
