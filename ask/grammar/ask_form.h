/** The forms that questions and instructions may have, in the order in which they are tried. */
#ifndef POV_ASK_GRAMMAR_ASK_FORM_H
#define POV_ASK_GRAMMAR_ASK_FORM_H

#include "ask/grammar/ask.h"

typedef struct {
    pov_request_kind kind;
    pov_way way;
    bool negated, by_distance, by_compass;
    const char *pattern; /* of ask_reading.h */
} pov_form;

int pov_form_len(void);
const pov_form *pov_form_at(int index);

#endif
