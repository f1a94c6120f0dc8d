/** An answer's text made comparable: lower case, code points, plain apostrophes, Greek vowels without their accents, Turkish
 *  i without its dot or with it; and finding words in it. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** From place `from` to before place `to`. */
typedef struct {
    int from, to;
} pov_answer_span;

typedef struct {
    uint32_t *c;   /* the first `len` count */
    bool *capital; /* [place]: the letter was one of A to Z */
    int len;
    pov_answer_span *bold;
    int bold_len, bold_capacity;
} pov_answer_text;

/** Broken UTF-8 becomes U+FFFD. Space at both ends is dropped, and beside line breaks, of which one stays of several; Markdown's stars and
 *  underscores, tags' attributes and LaTeX's commands, but for \boxed, become space; "\n" written out becomes a line break. Aborts
 *  if memory runs out.
 *  In: length: bytes of utf8 that are looked at; the text may end before. */
void pov_answer_fold(pov_answer_text *text, const char *utf8, size_t length);
void pov_answer_text_free(pov_answer_text *text);

bool pov_answer_is_letter(uint32_t c);    /* or digit */
bool pov_answer_is_spaceless(uint32_t c); /* of a script that puts no spaces between words */

/** The length of `word` (folded on the way; it ends at a "|", too) if it stands at `place` by itself, not within another word; else 0. In
 *  scripts without spaces between words it may stand anywhere. */
int pov_answer_word_at(const pov_answer_text *text, int place, const char *word);
/** The longest of `words`, ended by NULL, at `place`; 0: none. */
int pov_answer_any_at(const pov_answer_text *text, int place, const char *const words[]);
/** The place after the sentence that starts at `from`. */
int pov_answer_sentence_end(const pov_answer_text *text, int from);
/** The place where the word before `place` starts, or -1. Of a word without an end, 64 code points are one. */
int pov_answer_previous_word(const pov_answer_text *text, int place);
