/* The result files of evaluation engines: whatever is accepted names questions, and has an answer or a probability. */
#include "compare/log/engine_results.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_engine_answers *answers;
    char *text = malloc(length + 1), model[64];
    memcpy(text, bytes, length);
    text[length] = '\0';
    for (int engine = POV_ENGINE_VLMEVALKIT; engine <= POV_ENGINE_PLAIN; engine++)
        if (pov_engine_model_of(model, sizeof model, text, (pov_engine)engine) && !*model)
            abort();
    if (pov_engine_answers_parse(&answers, "results", text, length).code == POV_OK) {
        for (int i = 0; i < pov_engine_answers_len(answers); i++) {
            const pov_engine_answer *answer = pov_engine_answers_at(answers, i);
            if (!answer->id || answer->line < 1 || (!answer->text && isnan(answer->p)) ||
                (!isnan(answer->p) && !(answer->p >= 0 && answer->p <= 1)))
                abort();
        }
        pov_engine_answers_destroy(&answers);
    }
    free(text);
    return 0;
}
