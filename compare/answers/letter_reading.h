/** Reads an answer to a question whose options have letters: "B", "(b)", "B. left", "The answer is B.", "<answer>B</answer>". Pure. */
#pragma once

#include "compare/answers/choice_list.h"

typedef enum {
    /** Reads what is said after thoughts: the last <answer>, \boxed{} or what follows the last "Answer:"; of that the first letter that
     *  stands alone. Small letters count alone, in brackets and before a sign ("b.", not "a chair"). Without a letter: an option in its
     *  own words and nothing else. */
    POV_LETTERS_USUAL,
    /** As the benchmarks' own scripts do: ViewSpatial's takes the first letter of either case in the last line; 3DSRBench's in lmms-eval tries
     *  patterns in an order; MindCube's takes the last "B." */
    POV_LETTERS_VIEWSPATIAL,
    POV_LETTERS_3DSRBENCH,
    POV_LETTERS_MINDCUBE
} pov_letter_rule;

/** `option` is -1 unless one is given. In: options: an empty list: letters A to E count. */
pov_answer_kind pov_answer_letter(int *option, const char *answer, const pov_choice_list *options,
                                  pov_letter_rule rule);
