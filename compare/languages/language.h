/** Languages to ask in: sentence patterns, the forms of nouns, the words for yes and no. docs/LANGUAGES.md tells the format;
 *  those that come with pov are in the folder languages, built into the program. Pure but for reading a file named. */
#pragma once

#include "compare/answers/answer_parse.h"
#include "compare/statistics/curve.h"

enum {
    POV_LANGUAGES_MAX = 256,
    POV_LANGUAGE_FORMS_MAX = 8,
    POV_LANGUAGE_NOUNS_MAX = 256,
    POV_LANGUAGE_WORDS_MAX = 16,
    POV_LANGUAGE_CODE_CAPACITY = 32,
    POV_SENTENCE_CAPACITY = 512
};

/** A thing's name, and its forms in the order of the language's `form` list, with their articles. */
typedef struct {
    const char *id; /* "rubber_duck" */
    const char *words[POV_LANGUAGE_FORMS_MAX];
} pov_noun;

/** Patterns have slots: {referent.FORM}, {relatum.FORM}, {viewer.FORM}, {object.FORM}, {relation}. All that is not a
 *  paraphrase's own is its base's. */
typedef struct pov_language {
    const char *code, *name;         /* "de", "German"; a paraphrase: "en-1" */
    const struct pov_language *base; /* of a paraphrase: what it rephrases; else NULL */
    const char *source;              /* whose wording: a paper, or "ours" */
    bool right_to_left;
    pov_convention convention; /* as the literature states; POV_NO_CONVENTION: states none that we know */
    const char *citation;      /* for the convention; NULL: none stated */
    const char *yes[POV_LANGUAGE_WORDS_MAX + 1], *no[POV_LANGUAGE_WORDS_MAX + 1];
    const char *ask[POV_PROMPT_COUNT];
    const char *relation[POV_COMFORT_RELATIONS]; /* POV_LEFT_OF ... POV_BEHIND */
    const char *present;
    int form_len;
    const char *form[POV_LANGUAGE_FORMS_MAX];
    int noun_len; /* its own */
    const pov_noun *nouns;
} pov_language;

typedef struct pov_languages pov_languages;

/** The built-in languages, then the user's own, each *.yaml in $POV_LANGUAGES or else ~/.config/pov/languages (XDG_CONFIG_HOME), then
 *  those of a file.
 *  In:      path: NULL for none.
 *  Returns: POV_ERROR naming file, line and key: an unknown slot or form, a noun with too few words, a pattern without
 *           what it must say, a code that is there twice, a key that does not exist. */
POV_MUST_USE pov_status pov_languages_new(pov_languages **languages, const char *path);
/** The languages of a text alone, without the built-in ones; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_languages_parse(pov_languages **languages, const char *name, const char *text,
                                            size_t length);
void pov_languages_destroy(pov_languages **languages);

/** The number of languages that are built in; they come first. */
int pov_languages_builtin(const pov_languages *languages);
/** In the files' order; they live as long as `languages`. */
int pov_languages_len(const pov_languages *languages);
const pov_language *pov_languages_at(const pov_languages *languages, int index);
/** A short name: 1 to POV_LANGUAGE_CODE_CAPACITY - 1 of the characters a-z, A-Z, 0-9, '-' and '_'. */
bool pov_language_code_is_sound(const char *code);
/** POV_ERROR naming the nearest code. Upper and lower case are alike. */
POV_MUST_USE pov_status pov_languages_find(const pov_language **language, const pov_languages *languages,
                                           const char *code);

/** A noun by an entity's name, or else by its class; NULL if the language has neither. A language's own nouns come before
 *  its base's. */
const pov_noun *pov_language_noun(const pov_language *language, const char *name, const char *class_name);
/** All nouns, those of the base behind its own: NULL behind the last. */
const pov_noun *pov_language_noun_at(const pov_language *language, int index);

/** True for English and its paraphrases, and for NULL. */
bool pov_language_is_english(const pov_language *language);
/** Its words for yes and no, for compare/answers/answer_parse.h. */
pov_yes_no_words pov_language_words(const pov_language *language);

/** The things that a sentence names; NULL where its pattern has no such slot. */
typedef struct {
    const pov_noun *referent, *relatum, *viewer, *object;
} pov_sentence_nouns;

/** "From the woman's viewpoint, is the ball behind the car?"
 *  In: nouns: referent and relatum; viewer for POV_PROMPT_ADDRESSEE. A sentence too long is cut between characters. */
void pov_language_ask(const pov_language *language, char sentence[POV_SENTENCE_CAPACITY], pov_prompt prompt,
                      pov_relation relation, const pov_sentence_nouns *nouns);
/** "Is there any car?" In: nouns: object. */
void pov_language_ask_present(const pov_language *language, char sentence[POV_SENTENCE_CAPACITY],
                              const pov_sentence_nouns *nouns);
