/** An answer's text made comparable: lower case, code points, plain apostrophes, Greek vowels without their accents, Turkish
 *  i without its dot or with it; and finding words in it. Pure. */
#ifndef POV_COMPARE_ANSWER_TEXT_H
#define POV_COMPARE_ANSWER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { POV_ANSWER_TEXT_MAX = 4096 }; /* code points; what is longer is cut: answers come first */

typedef struct {
    uint32_t c[POV_ANSWER_TEXT_MAX];
    int len;
} pov_answer_text;

/** Broken UTF-8 becomes U+FFFD. Space at both ends is dropped. */
void pov_answer_fold(pov_answer_text *text, const char *utf8);

bool pov_answer_is_letter(uint32_t c);    /* or digit */
bool pov_answer_is_spaceless(uint32_t c); /* of a script that puts no spaces between words */

/** The length of `word` (folded on the way) if it stands at `place` by itself, not within another word; else 0. In
 *  scripts without spaces between words it may stand anywhere. */
int pov_answer_word_at(const pov_answer_text *text, int place, const char *word);
/** The first place in [from, to) where it stands; -1. */
int pov_answer_find(const pov_answer_text *text, int from, int to, const char *word);
/** The place after the sentence that starts at `from`. */
int pov_answer_sentence_end(const pov_answer_text *text, int from);
/** The place where the word before `place` starts, or -1. */
int pov_answer_previous_word(const pov_answer_text *text, int place);

#endif
