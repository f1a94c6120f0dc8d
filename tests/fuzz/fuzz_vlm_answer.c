#include "compare/vlm/direction_tokens.h"
#include "compare/vlm/yes_no.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/files/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_probabilities(const pov_vlm_answer *answer)
{
    for (int i = 0; i < answer->position_len; i++) {
        if (!(answer->positions[i].chosen.logprob <= 0) ||
            answer->positions[i].likely_len > POV_VLM_LIKELY_MAX)
            abort();
        for (int k = 0; k < answer->positions[i].likely_len; k++)
            if (!(answer->positions[i].likely[k].logprob <= 0))
                abort();
    }
}

static void check_score(const pov_vlm_answer *answer)
{
    pov_yes_no score;
    pov_yes_no_read(&score, answer, &POV_YES_NO_RULE_ENGLISH);
    if (pov_yes_no_is_scored(&score) ? !(score.p >= 0 && score.p <= 1) : !isnan(score.p) || !score.cause[0])
        abort();
}

static void check_directions(const uint8_t *bytes, size_t length)
{
    double p[4];
    const pov_log_result result = {.kind = "text", .body = bytes, .body_len = length};
    if (pov_direction_tokens_read(p, &result))
        for (int i = 0; i < 4; i++)
            if (!(p[i] >= 0) || isinf(p[i]))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_vlm_answer answer;
    const pov_status status = pov_vlm_answer_read(&answer, (const char *)bytes, length);
    if ((status.code == POV_OK) != (status.message[0] == '\0') ||
        (answer.text && !pov_utf8_is_valid(answer.text)))
        abort();
    check_probabilities(&answer);
    check_directions(bytes, length);
    if (status.code == POV_OK)
        check_score(&answer);
    pov_vlm_answer_free(&answer);
    return 0;
}
