/** What a model's words answer: yes or no, a number, one of several options, directions. Answers are UTF-8 of any kind;
 *  what is not understood is said to be so, never guessed. English, except where words are passed in. Pure.
 *
 *  What a model thinks aloud ("<think> ... </think>") is not looked at; a stated conclusion ("Answer: no", "the final answer
 *  is left", "\boxed{2}", {"answer": "yes"}) counts before what precedes it, the last one that can be read. */
#ifndef POV_COMPARE_ANSWER_PARSE_H
#define POV_COMPARE_ANSWER_PARSE_H

#include <stdbool.h>

typedef enum {
    POV_ANSWER_GIVEN,
    POV_ANSWER_REFUSED, /* "I'm sorry, I cannot tell" */
    POV_ANSWER_UNCLEAR, /* words, but not of the kind asked for */
    POV_ANSWER_MISSING, /* nothing came */
    POV_ANSWER_KINDS
} pov_answer_kind;

/** A language's words for yes and no, each list ended by NULL. */
typedef struct {
    const char *const *yes, *const *no;
} pov_yes_no_words;
extern const pov_yes_no_words POV_YES_NO_ENGLISH; /* yes, true, correct ...; no, false, not ... */

/** The first such word that stands alone ("left: no") decides, else the first ("is not behind"); at one place the longest.
 *  "Yes or no" and "yes and no" are neither. Upper and lower case are alike in Latin, Greek and Cyrillic letters. In scripts that
 *  put no spaces between words, a word of several signs may stand within others, and one of a single sign begin a clause. */
pov_answer_kind pov_answer_yes_no(bool *yes, const char *answer, const pov_yes_no_words *words);

/** The first number: digits, or words up to "nine hundred ninety-nine thousand"; "no" and "none" are 0. */
pov_answer_kind pov_answer_number(double *number, const char *answer);

/** The option that the first sentence matches best (a question is none: it repeats what was asked): the same words; else the
 *  first that it contains, at one place the longest; else the one with the most words in common, if that is over half of its
 *  own and it is alone, or which alone has a word that no other option has. A letter "B", "(b)" or "B." at the start stands
 *  for an option, too. "Not left but right" is right, "left or right" is neither. */
pov_answer_kind pov_answer_option(int *option, const char *answer, const char *const options[], int len);

/** Directions, clockwise, as perception/papers/vpt.h orders them. */
typedef enum { POV_ANSWER_CARDINALS, POV_ANSWER_SIDES } pov_answer_circle;
/** north east south west, or front right back left: those of the first sentence that names any. "northeast" is two; what
 *  repeats the question ("assuming the top of the image is north") and "right in front" for "front" are seen through. */
pov_answer_kind pov_answer_directions(bool directions[4], const char *answer, pov_answer_circle circle);

/** "given", "refused", "unclear", "missing". */
const char *pov_answer_kind_name(pov_answer_kind kind);

#endif
