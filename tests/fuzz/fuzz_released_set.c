/* The papers' released files: whatever is accepted has questions with words and right answers, or answers with a question. */
#include "compare/log/released_set.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_released_set *set;
    char *text = malloc(length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    (void)pov_released_is_one(text, length);
    if (pov_released_set_parse(&set, "set.json", text, length).code == POV_OK) {
        for (int i = 0; i < pov_released_set_len(set); i++) {
            const pov_log_question *q = &pov_released_set_at(set, i)->question;
            if (!*q->key || !*q->prompt || !*q->gold || !*q->form || !q->columns)
                abort();
        }
        for (int i = 0; i < pov_released_set_answers(set); i++) {
            const pov_released_answer *answer = pov_released_set_answer(set, i);
            if (!answer->text || (!answer->key && (!answer->context || !answer->relations)))
                abort();
        }
        pov_released_set_destroy(&set);
    }
    free(text);
    return 0;
}
