/** What the words of a question stand for in a scene. Each `take` moves `at` behind what it took; it stays where nothing
 *  is found. */
#ifndef POV_ASK_GRAMMAR_ASK_LEXICON_H
#define POV_ASK_GRAMMAR_ASK_LEXICON_H

#include "ask/grammar/ask_words.h"
#include "perception/relations/relation.h"
#include "perception/status.h"

/** The entity whose id is here, the longest; else the only one whose class is, or that is "the red one"; POV_ID_NONE. */
pov_id pov_lexicon_entity_at(const pov_scene *scene, const pov_words *words, int *at);
/** The same with an article before it; an entity may be called "a". */
pov_id pov_lexicon_take_entity(const pov_scene *scene, const pov_words *words, int *at);
/** Of the registry, by its longest name or phrase that is here; NULL: none. */
const pov_relation_info *pov_lexicon_take_relation(const pov_words *words, int *at);
/** Those that a noun may mean: all of the id or class that is here, one of them or several ("cups"), the red cup for "red
 *  one", any for "one", people for "person" or "anybody", what is no person for "thing" or "anything". The camera is none.
 *  False, and nothing is written, if there is no such noun. */
bool pov_lexicon_take_noun(bool meant[POV_ENTITY_MAX], const pov_scene *scene, const pov_words *words,
                           int *at);
/** Is one of "anything", "somebody", ... here? */
bool pov_lexicon_is_open_noun(const pov_words *words, int at);
/** Is "red one" here, and the entity's id begins with "red"? */
bool pov_lexicon_is_one_of_kind(const pov_scene *scene, const pov_words *words, int at, pov_id id);
/** Addressees, who can see, and what is of a class such as person, man, woman, child; not the camera. */
bool pov_lexicon_is_person(const pov_scene *scene, pov_id id);

/** The id or class most like the words here, an article skipped; NULL: none is. */
const char *pov_lexicon_nearest_entity(const pov_scene *scene, const pov_words *words, int at);
/** Errors that name the word that is not known and the nearest that is. `role`: "viewer", "entity". */
pov_status pov_lexicon_unknown_entity(const pov_scene *scene, const pov_words *words, int at,
                                      const char *role);
pov_status pov_lexicon_unknown_relation(const pov_scene *scene, const pov_words *words, int at);

#endif
