/* Answers from a file: the first byte says as what they are read, the rest is the file. */
#include "compare/scores/comfort_data.h"
#include "compare/scores/paper_scores.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_share(double value)
{
    if (!isnan(value) && !(value >= -1e-9 && value <= 1 + 1e-9))
        abort();
}

static void score_comfort(pov_comfort_data *data)
{
    static pov_comfort_tables tables[64];
    pov_comfort_options options = POV_COMFORT_OPTIONS_DEFAULT;
    options.bootstrap.resamples = 3;
    if (pov_comfort_data_groups(data) <= 64) {
        pov_comfort_tables_fill(tables, data, &options);
        for (int g = 0; g < pov_comfort_data_groups(data); g++)
            for (int m = 0; m < POV_COMFORT_MEASURES; m++)
                check_share(tables[g].score.overall[m].mean);
    }
    pov_comfort_data_destroy(&data);
}

static void read_layout(const char *text, size_t length)
{
    pov_comfort_data *data;
    if (pov_comfort_data_parse(&data, "fuzz", text, length).code == POV_OK)
        score_comfort(data);
    else if (data)
        abort();
}

static void read_table(const char *text, size_t length, int paper, bool released)
{
    const pov_bootstrap_options options = {.resamples = 3, .level = 0.95, .seed = 1};
    pov_table *table;
    pov_comfort_data *data;
    pov_paper_scores scores;
    const pov_paper_aids aids = {.words = &POV_YES_NO_ENGLISH, .released = released};
    pov_tally_row row;
    if (pov_table_parse(&table, "fuzz", text, length).code != POV_OK) {
        if (table)
            abort();
        return;
    }
    if (paper == POV_PAPER_COUNT) {
        if (pov_comfort_data_new(&data, table, &POV_YES_NO_ENGLISH).code == POV_OK)
            score_comfort(data);
    } else if (pov_paper_scores_new(&scores, (pov_paper)paper, table, &aids, &options).code == POV_OK) {
        for (int i = 0; i < pov_tally_len(scores.tally); i++) {
            pov_tally_at(scores.tally, &row, i);
            check_share(row.score.mean);
        }
        pov_paper_scores_free(&scores);
    }
    pov_table_destroy(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0)
        return 0;
    enum {
        OLDER = POV_PAPER_CHOICES,
        NEWER = POV_PAPER_COUNT - OLDER
    }; /* learned inputs stay what they are */
    const int newer = (bytes[0] & 0x7f) - 1, older = bytes[0] % (OLDER + 2);
    const int what = newer >= 0 && newer < NEWER ? OLDER + newer : older == OLDER ? POV_PAPER_COUNT : older;
    if (what == OLDER + 1 && !(newer >= 0 && newer < NEWER))
        read_layout((const char *)bytes + 1, length - 1);
    else
        read_table((const char *)bytes + 1, length - 1, what, bytes[0] & 0x80);
    return 0;
}
