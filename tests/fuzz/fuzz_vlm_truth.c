#include "sim/vlm/vlm_chat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Every truth is found, answered in every bias, and can be written and read again. */
static void check(const pov_vlm_truths *truths, const pov_vlm_truth *truth)
{
    static pov_vlm_chat_request request;
    pov_vlm_truths *again;
    pov_vlm_sim_answer answer;
    char *line;
    for (int bias = 0; bias < POV_VLM_BIAS_COUNT; bias++) {
        const pov_vlm_sim_config config = {.bias = (pov_vlm_bias)bias, .noise = 0.1};
        request.image = truth->image;
        snprintf(request.prompt, sizeof request.prompt, "%s", truth->prompt);
        snprintf(request.system, sizeof request.system, "%s", truth->system ? truth->system : "");
        pov_vlm_sim_answer_find(&answer, &config, truths, &request);
        if (answer.refused || !answer.text || !(isnan(answer.yes) || (answer.yes >= 0 && answer.yes <= 1)))
            abort();
    }
    if (pov_vlm_truth_line(&line, truth).code != POV_OK)
        abort();
    if (pov_vlm_truths_parse(&again, "again", line, strlen(line)).code != POV_OK ||
        pov_vlm_truths_len(again) != 1)
        abort();
    pov_vlm_truths_destroy(&again);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_vlm_truths *truths;
    if (pov_vlm_truths_parse(&truths, "t", (const char *)bytes, length).code != POV_OK)
        return 0;
    for (int i = 0; i < pov_vlm_truths_len(truths); i++)
        check(truths, pov_vlm_truths_at(truths, i));
    pov_vlm_truths_destroy(&truths);
    return 0;
}
