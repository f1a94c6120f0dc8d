/** A grammar as a text file (share/languages/ask/en.ebnf tells how it is written), compiled for chart.h. */
#pragma once

#include "ask/grammar/words.h"
#include "perception/relations/relation_registry.h"
#include "perception/status.h"

#include <stddef.h>

typedef enum {
    POV_SYMBOL_WORD,
    POV_SYMBOL_RULE,
    POV_SYMBOL_GROUP,   /* alternatives; may be optional or repeated */
    POV_SYMBOL_TAG,     /* takes no word: a meaning */
    POV_SYMBOL_COST,    /* takes no word */
    POV_SYMBOL_NOUN,    /* a word of the scene's things */
    POV_SYMBOL_UNKNOWN, /* a word that neither the scene nor the grammar has */
    POV_SYMBOL_ANY,
    POV_SYMBOL_NUMBER, /* digits */
    POV_SYMBOL_PAUSE   /* takes no word: the next one begins behind a comma */
} pov_symbol_kind;

typedef struct {
    pov_symbol_kind kind;
    int index; /* of the word, rule or tag; of a group its first alternative; of a cost its amount */
    int len;   /* of a group: its alternatives */
    bool optional, repeated;
} pov_symbol;

/** A run of symbols of the grammar. */
typedef struct {
    int first, len;
} pov_alternative;

typedef struct {
    const char *name;
    int first, len;          /* alternatives */
    int line;                /* of the file that defines it */
    bool defined, is_common; /* common: in common.ebnf */
} pov_grammar_rule;

typedef struct pov_grammar pov_grammar;

/** Compiles a text; rules that it uses but lacks are those of share/languages/ask/common.ebnf. The registry's phrases become alternatives of RELATION1, RELATION2 and RELATION3, by the number of relata, and those of
 *  directions of DIRECTION; each carries the tag of its relation's name, written "=left_of".
 *  POV_ERROR: names `name`, the line and what is wrong: a rule without an end, one that is not defined, one that begins with
 *  itself. */
POV_MUST_USE pov_status pov_grammar_new(pov_grammar **grammar, const char *name, const char *text,
                                        size_t length);
void pov_grammar_destroy(pov_grammar **grammar);

int pov_grammar_rules(const pov_grammar *grammar);
/** POV_ID_NONE's value, -1, if there is none. */
int pov_grammar_find_rule(const pov_grammar *grammar, const char *name);
const pov_grammar_rule *pov_grammar_rule_at(const pov_grammar *grammar, int rule);
const pov_alternative *pov_grammar_alternative_at(const pov_grammar *grammar, int index);
const pov_symbol *pov_grammar_symbol_at(const pov_grammar *grammar, int index);
/** "left_of" of "@left_of"; of a relation "=left_of". */
const char *pov_grammar_tag(const pov_grammar *grammar, int tag);

/** The words that stand in rules, or only among those that exist (KNOWN). -1: neither. */
int pov_grammar_find_word(const pov_grammar *grammar, const char *word);
const char *pov_grammar_word(const pov_grammar *grammar, int word);
int pov_grammar_words(const pov_grammar *grammar);
/** Stands only among those that exist: it is not a word of a rule. */
bool pov_grammar_is_known_only(const pov_grammar *grammar, int word);

/** Gives it the words of its language, as a file of share/languages/words has them. They are borrowed. NULL: none. */
void pov_grammar_set_dictionary(pov_grammar *grammar, const char *text, size_t length);
/** Does the word exist in the language? */
bool pov_grammar_is_in_dictionary(const pov_grammar *grammar, const char *word);

/** How the language writes words: the rule WRITING. */
pov_writing pov_grammar_writing(const pov_grammar *grammar);
/** Translates a sentence that an English format made, `I know no "spoon" here`, as `I know no "%s" here` is. Out: the sentence itself
 *  where no format is like it. */
void pov_grammar_say_like(const pov_grammar *grammar, char *out, size_t capacity, const char *said);
/** The English name of a grammar's language, as its text has it. False: it has none. */
bool pov_grammar_name(char out[32], const char *text, size_t length);
/** A word that is written together with the next one, "و" in "والكوب"; NULL behind the last. */
const char *pov_grammar_apart(const pov_grammar *grammar, int index);
/** Does it stand in the rule FILLER ("uh")? */
bool pov_grammar_is_filler(const pov_grammar *grammar, const char *word);
/** Does any form of `known` fit? `fits` is asked for each. */
bool pov_grammar_any_form(const pov_grammar *grammar, const char *known,
                          bool (*fits)(const char *form, const void *context), const void *context);
/** Is `word` a form of `known`? Each alternative of the rule ENDING lists endings that take each other's place ("-": none), those of
 *  several things behind @several; a word may begin with one of BEGINNING. */
bool pov_grammar_is_form(const pov_grammar *grammar, const char *word, const char *known, bool *several);
/** The language's word for an English one: a line "#= mug => Tasse (f), Tassen"; `gender` and `several` are "" where there is none. */
typedef struct {
    char english[48], word[64], gender[8], several[48];
} pov_translation;
/** The lines from 0 on; NULL behind the last. */
const pov_translation *pov_grammar_translation_at(const pov_grammar *grammar, int index);

/** A sentence of a reply in the grammar's language: the translation that a line "#= ENGLISH => TRANSLATION" gives, or `english` itself. A
 *  translation has the same %s and numbers in the same order, which is checked when the grammar is read. */
const char *pov_grammar_say(const pov_grammar *grammar, const char *english);

/** The lines for help of a grammar's text, "is THING RELATION RELATA [VIEWPOINT]"; NULL behind the last. Lasts until the next call. */
const char *pov_grammar_help(const char *text, size_t length, int index);
