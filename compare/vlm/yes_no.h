/** How far a model's answer says yes: from the probabilities of its tokens, or else from its words. Pure.
 *
 *  Looked at is the first token of the answer, after any thoughts, that holds a letter, with those that were likely in its place. The probabilities
 *  of all that say yes are summed, and of all that say no: the language's words in any case, with or without what
 *  surrounds words (spaces, quotes, and the U+2581 and U+0120 that some servers leave in for spaces).
 *  Tokenizers split words ("N" + "ein", "S" + "í"): a beginning, of one letter even, counts if it begins words of one side
 *  only. The generated text is known whole, and counts only if it went on to be such a word.
 *
 *  Source: COMFORT (Zhang et al. 2025), section 3.4. */
#pragma once

#include "compare/answers/answer_parse.h"
#include "compare/vlm/vlm_exchange.h"

typedef struct {
    const pov_yes_no_words *token_words; /* few and plain: "yes", "no"; each stands for itself only */
    const pov_yes_no_words *text_words;  /* words that decide a whole text: "indeed", "isn't" */
    double mass_min;                     /* probability that yes and no must have together */
} pov_yes_no_rule;

/** Below half, the model would sooner have said something else than yes or no: their ratio is then that of leftovers. */
#define POV_YES_NO_MASS_MIN 0.5
#define POV_YES_NO_RULE_ENGLISH                                                                              \
    ((pov_yes_no_rule){.token_words = &POV_YES_NO_ENGLISH_TOKENS,                                            \
                       .text_words = &POV_YES_NO_ENGLISH,                                                    \
                       .mass_min = POV_YES_NO_MASS_MIN})

typedef enum {
    POV_YES_NO_TOKENS, /* scored from probabilities */
    POV_YES_NO_TEXT,   /* scored from words: p is 0 or 1 */
    POV_YES_NO_REFUSED,
    POV_YES_NO_LOW_MASS,
    POV_YES_NO_UNCLEAR, /* words, but neither yes nor no; or probabilities that are none */
    POV_YES_NO_MISSING, /* nothing came */
    POV_YES_NO_KINDS
} pov_yes_no_kind;
/** "tokens", "text", "refused", "low_mass", "unclear", "missing". */
const char *pov_yes_no_kind_name(pov_yes_no_kind value);

typedef struct {
    pov_yes_no_kind kind;
    double p;    /* yes / (yes + no); NaN unless scored */
    double mass; /* yes + no; NaN without probabilities */
    char cause
        [POV_MESSAGE_CAPACITY]; /* why it is not scored, and what may help; or why not from the probabilities
                                         that a server gave; else "" */
} pov_yes_no;

void pov_yes_no_read(pov_yes_no *result, const pov_vlm_answer *answer, const pov_yes_no_rule *rule);

static inline bool pov_yes_no_is_scored(const pov_yes_no *result)
{
    return result->kind == POV_YES_NO_TOKENS || result->kind == POV_YES_NO_TEXT;
}
