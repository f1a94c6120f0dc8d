/** A question as words. */
#ifndef POV_ASK_GRAMMAR_ASK_WORDS_H
#define POV_ASK_GRAMMAR_ASK_WORDS_H

#include <stdbool.h>

enum { POV_WORDS_MAX = 64, POV_WORD_CAPACITY = 48 };

/** Lower case, without punctuation; "-" and "_" part words, a possessive "'s" is dropped, contractions are written out
 *  ("where's", "can't", "isn't": "where is", "can not", "is not"). */
typedef struct {
    int len;
    char word[POV_WORDS_MAX][POV_WORD_CAPACITY];
    bool paused[POV_WORDS_MAX + 1]; /* a comma, or the end of a sentence, stands before the word */
} pov_words;

/** False if there are more words, or longer ones, than any question has. */
bool pov_words_split(pov_words *words, const char *text);
/** How many words from `at` are those of `phrase`; 0 unless all of the phrase is there. */
int pov_words_match(const pov_words *words, int at, const char *phrase);
/** Moves on over any of the words of `skipped`. */
void pov_words_skip(const pov_words *words, int *at, const char *skipped);
/** Takes `count` words out; a pause is left where they were. */
void pov_words_cut(pov_words *words, int at, int count);

/** Takes out what people say around a question: "could you tell me whether ..., please?", "..., isn't it?". */
void pov_words_trim(pov_words *words);

#endif
