/** A compiled grammar, for the files that make and read it. */
#pragma once

#include "ask/grammar/grammar.h"

enum { POV_WORDS_BUCKETS = 4096 };

typedef struct {
    char *text;
    bool in_rule;
    int next; /* of the same bucket */
} pov_known_word;

struct pov_grammar {
    pov_grammar_rule *rules;
    pov_alternative *alternatives;
    pov_symbol *symbols;
    pov_known_word *words;
    char **tags, **said; /* said: English and its translation in turn */
    int said_len, said_capacity;
    pov_translation *translations;
    int translation_len, translation_capacity;
    int rule_len, rule_capacity, alternative_len, alternative_capacity, symbol_len, symbol_capacity;
    int word_len, word_capacity, tag_len, tag_capacity;
    int bucket[POV_WORDS_BUCKETS];
    const char *dictionary; /* lines sorted by bytes; NULL */
    size_t dictionary_length;
    pov_writing writing;
    int ending, beginning, filler, apart; /* rules; -1 */
    bool out_of_memory;
};

/** Reads the lines "#= ENGLISH => TRANSLATION" of a grammar's text. grammar_phrases.c */
POV_MUST_USE pov_status pov_grammar_read_phrases(pov_grammar *grammar, const char *name, const char *text,
                                                 size_t length);
