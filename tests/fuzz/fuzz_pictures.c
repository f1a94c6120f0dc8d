/* Captions, detections in pictures, and layouts: the first byte says as which of them the rest is read. */
#include "compare/layouts/box_layout.h"
#include "compare/layouts/visor.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_share(double value)
{
    POV_REQUIRE(isnan(value) || (value >= -1e-9 && value <= 1 + 1e-9));
}

static void read_captions(const char *text, size_t length)
{
    pov_captions *captions;
    const pov_status status = pov_captions_parse(&captions, "fuzz", text, length);
    POV_REQUIRE((status.code == POV_OK) == (captions != NULL));
    for (int i = 0; captions && i < pov_captions_len(captions); i++) {
        const pov_caption *caption = pov_captions_at(captions, i);
        const pov_caption_readings readings = pov_caption_read(caption);
        POV_REQUIRE(readings.relative | readings.intrinsic);
        POV_REQUIRE(pov_captions_find(captions, caption->id) == i);
    }
    pov_captions_destroy(&captions);
}

static void read_detections(const char *text, size_t length, pov_formulas formulas)
{
    const pov_bootstrap_options options = {.resamples = 3, .level = 0.95, .seed = 1};
    pov_table *table;
    pov_visor *visor = NULL;
    if (pov_table_parse(&table, "fuzz", text, length).code != POV_OK)
        return;
    if (pov_visor_new(&visor, table, NULL, formulas).code == POV_OK)
        for (int m = 0; m < pov_visor_models(visor) && m < 4; m++) {
            pov_visor_scores scores;
            pov_visor_score_all(&scores, visor, m, &options);
            for (int k = 0; k < POV_CAPTION_KINDS; k++)
                for (int i = 0; i < POV_VISOR_MEASURES; i++)
                    check_share(scores.of[k].measures[i].mean);
        }
    pov_visor_destroy(&visor);
    pov_table_destroy(&table);
}

static void read_layout(const char *text, size_t length)
{
    pov_box_layout layout;
    char *answer = malloc(length + 1);
    POV_REQUIRE(answer);
    memcpy(answer, text, length);
    answer[length] = '\0';
    if (pov_box_layout_read(&layout, answer, "cat", "fire hydrant") == POV_ANSWER_GIVEN) {
        POV_REQUIRE(layout.locatum.right_px > layout.locatum.left_px);
        POV_REQUIRE(layout.relatum.bottom_px > layout.relatum.top_px);
        POV_REQUIRE(!(pov_box_layout_is_left(&layout) && pov_box_layout_is_right(&layout)));
    }
    free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0)
        return 0;
    const char *text = (const char *)bytes + 1;
    if (bytes[0] % 4 == 0)
        read_captions(text, length - 1);
    else if (bytes[0] % 4 == 1)
        read_layout(text, length - 1);
    else
        read_detections(text, length - 1, bytes[0] % 4 == 2 ? POV_FORMULAS_PAPER : POV_FORMULAS_RELEASED);
    return 0;
}
