/** The words by which people may call a scene's things. */
#pragma once

#include "ask/grammar/sentence.h"
#include "perception/scene/scene.h"

#include <stdint.h>

enum {
    POV_THING_WORDS_MAX = 48,
    POV_SPOKEN_CAPACITY = 192 /* a translated noun and adjective (pov_translation), and an id's number */
};

/** Words of the vocabulary: first those of the id, then those of the class, and of words: and about:. */
typedef struct {
    int name_len, len;
    uint16_t word[POV_THING_WORDS_MAX];
} pov_thing_words;

/** Plain data; all zero before its first use. */
typedef struct {
    uint64_t hash; /* of the scene's names, classes and words */
    int left_out;  /* words for which there was no room */
    pov_vocabulary vocabulary;
    pov_thing_words thing[POV_ENTITY_MAX];
} pov_lexicon;

/** Reads the scene's words, and those that the language has for them: its lines "#= mug => Tasse (f)", and each alternative of its rule
 *  ALIKE, which lists words that mean the same ("cup mug") and count where no thing of the scene is called so.
 *  Does nothing if the words are those of the last call. */
void pov_lexicon_read(pov_lexicon *lexicon, const pov_scene *scene, const pov_grammar *language);
/** May the thing be called so? */
bool pov_lexicon_has(const pov_lexicon *lexicon, pov_id id, const char *word);
/** Are these words its whole id? */
bool pov_lexicon_is_name(const pov_lexicon *lexicon, pov_id id, const char *const *word, int len);

/** Addressees, who can see, and what is of a class such as person, man, woman, child; not the camera. */
bool pov_is_person(const pov_scene *scene, pov_id id);
/** Tables, floors and the like, which people do not mean by "the thing" or "the one". */
bool pov_is_surface(const pov_entity *entity);
/** "the red mug", "anna", "the mug 2", "me" where it is the camera. Returns text. */
const char *pov_name_thing(char text[64], const pov_scene *scene, pov_id id);
/** The same in a language: "rote Tasse", by its lines "#= mug => Tasse (f)", "#= red (f) => rote" and "#= ADJECTIVE NOUN => ADJECTIVE
 *  NOUN"; "Tasse" where the scene has no other mug. The words of the id where the language has none; people's own names. */
const char *pov_name_thing_in(char text[POV_SPOKEN_CAPACITY], const pov_scene *scene, pov_id id,
                              const pov_grammar *language);
