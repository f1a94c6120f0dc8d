/** The words of an utterance, and all that each may stand for: a word of the grammar, of the scene, or a slip of one. */
#pragma once

#include "ask/grammar/grammar.h"
#include "ask/grammar/words.h"

/** The words of a scene's things. Plain data. */
enum { POV_VOCABULARY_MAX = 2048 };
typedef struct {
    int len;
    char word[POV_VOCABULARY_MAX][POV_WORD_CAPACITY];
    bool several[POV_VOCABULARY_MAX]; /* "children" */
} pov_vocabulary;

/** Adds a word, unless it is there or there is no room. Returns its index; -1: no room. */
int pov_vocabulary_add(pov_vocabulary *vocabulary, const char *word, bool several);

enum { POV_MEANINGS_MAX = 6 };

/** A meaning that a word may have. */
typedef struct {
    int index; /* of the grammar's or the vocabulary's word */
    int cost;  /* 0: it is that word */
    bool several;
} pov_word_meaning;

typedef struct {
    int len; /* of the grammar */
    pov_word_meaning grammar[POV_MEANINGS_MAX];
    int noun_len; /* of the vocabulary */
    pov_word_meaning noun[POV_MEANINGS_MAX];
    bool unknown; /* it is neither */
} pov_sentence_word;

typedef struct {
    pov_words words;
    pov_sentence_word word[POV_WORDS_MAX];
} pov_sentence;

/** Splits and looks up. `mends`: a word that neither has may be a slip, one edit from a word that one has (Damerau 1964).
 *  POV_ERROR: control characters, not UTF-8, too long. */
POV_MUST_USE pov_status pov_sentence_read(pov_sentence *sentence, const pov_grammar *grammar,
                                          const pov_vocabulary *vocabulary, const char *text, bool mends);
/** The same without some of its words. */
void pov_sentence_cut(pov_sentence *sentence, int at, int count);

/** One letter more, less or other, or two neighbours swapped. */
bool pov_is_one_edit(const char *a, const char *b);
