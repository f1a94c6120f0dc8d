/** A question as words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { POV_WORDS_MAX = 64, POV_WORD_CAPACITY = 48 };

/** How a language writes words; a grammar's rule WRITING names it. */
typedef enum {
    POV_WRITING_PLAIN,
    POV_WRITING_CONTRACTED, /* as English: "where's", "can't" */
    POV_WRITING_ELIDED,     /* as French: a word ends behind its apostrophe, "l'auto" */
    POV_WRITING_UNSPACED /* as Japanese: no blanks between words; each letter becomes a word, to be joined */
} pov_writing;

/** Lower case, without punctuation; "-" and "_" part words. In a language with contractions a possessive "'s" is dropped, contractions are
 *  written out ("where's", "can't", "isn't": "where is", "can not", "is not"). */
typedef struct {
    int len;
    char word[POV_WORDS_MAX][POV_WORD_CAPACITY];
    bool paused[POV_WORDS_MAX + 1]; /* a comma, or the end of a sentence, stands before the word */
} pov_words;

/** False if there are more words, or longer ones, than any question has. `text` is valid UTF-8. */
bool pov_words_split(pov_words *words, const char *text, pov_writing writing);
/** Takes `count` words out; a pause is left where they were. */
void pov_words_cut(pov_words *words, int at, int count);
