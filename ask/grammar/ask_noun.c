/* What nouns may mean: "cups", "the red one", "thing", "anybody". */
#include "ask/grammar/ask_lexicon.h"

#include <stdio.h>
#include <string.h>

typedef enum { ANY_ENTITY, ANY_THING, ANY_PERSON, NO_OPEN_NOUN } open_noun;

static bool is_one_of(const char *word, const char *const list[])
{
    int i = 0;
    while (list[i] && strcmp(word, list[i]) != 0)
        i++;
    return list[i] != NULL;
}

static open_noun open_noun_of(const char *word)
{
    static const char *const entities[] = {"one", "ones", NULL};
    static const char *const things[] = {"thing", "things",   "object",     "objects",   "item",
                                         "items", "anything", "everything", "something", NULL};
    static const char *const people[] = {"people",   "persons",     "anybody",    "anyone",
                                         "somebody", "someone",     "figures",    "humans",
                                         "human",    "minifigures", "minifigure", NULL};
    return is_one_of(word, entities) ? ANY_ENTITY
           : is_one_of(word, things) ? ANY_THING
           : is_one_of(word, people) ? ANY_PERSON
                                     : NO_OPEN_NOUN;
}

bool pov_lexicon_is_open_noun(const pov_words *words, int at)
{
    static const char *const open[] = {"anything", "something", "anybody", "anyone",
                                       "somebody", "someone",   NULL};
    return at < words->len && is_one_of(words->word[at], open);
}

bool pov_lexicon_is_person(const pov_scene *scene, pov_id id)
{
    static const char *const classes[] = {"person", "man",    "woman", "child",      "boy",
                                          "girl",   "figure", "human", "minifigure", NULL};
    const pov_entity *entity = &scene->entities[id];
    return id != scene->camera &&
           (entity->addressee || entity->can_see || is_one_of(entity->class_name, classes));
}

/* -------- by id or class -------- */

static int match_plural(const pov_words *words, int at, const char *phrase)
{
    static const struct {
        const char *one, *several;
    } irregular[] = {
        {"man", "men"}, {"woman", "women"}, {"child", "children"}, {"mouse", "mice"}, {"knife", "knives"}};
    static const char *const endings[] = {"s", "es"};
    char plural[POV_NAME_CAPACITY + 3];
    int length = 0;
    for (int i = 0; i < 2 && length == 0; i++) {
        snprintf(plural, sizeof plural, "%s%s", phrase, endings[i]);
        length = pov_words_match(words, at, plural);
    }
    for (size_t i = 0; i < sizeof irregular / sizeof *irregular && length == 0; i++)
        length = strcmp(phrase, irregular[i].one) == 0 ? pov_words_match(words, at, irregular[i].several) : 0;
    return length;
}

static int match_noun(const pov_words *words, int at, const char *phrase)
{
    int singular = pov_words_match(words, at, phrase);
    return singular ? singular : match_plural(words, at, phrase);
}

bool pov_lexicon_is_one_of_kind(const pov_scene *scene, const pov_words *words, int at, pov_id id)
{
    static const char *const ones[] = {"one", "ones", NULL};
    pov_words name;
    return at + 1 < words->len && id != scene->camera && is_one_of(words->word[at + 1], ones) &&
           pov_words_split(&name, scene->entities[id].name) && name.len > 1 &&
           strcmp(name.word[0], words->word[at]) == 0;
}

static int match_entity(const pov_scene *scene, const pov_words *words, int at, pov_id id)
{
    if (id == scene->camera)
        return 0;
    int by_name = match_noun(words, at, scene->entities[id].name);
    int by_class = match_noun(words, at, scene->entities[id].class_name);
    int by_kind = pov_lexicon_is_one_of_kind(scene, words, at, id) ? 2 : 0;
    int longest = by_class > by_name ? by_class : by_name;
    return longest > by_kind ? longest : by_kind;
}

/* Words that the longest of the nouns here has; 0: there is none. */
static int longest_noun(const pov_scene *scene, const pov_words *words, int at)
{
    int longest = 0;
    for (int i = 0; i < scene->len; i++) {
        int length = match_entity(scene, words, at, i);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool is_meant(const pov_scene *scene, pov_id id, open_noun open)
{
    bool person = pov_lexicon_is_person(scene, id);
    return id != scene->camera && (open == ANY_ENTITY || person == (open == ANY_PERSON));
}

bool pov_lexicon_take_noun(bool meant[POV_ENTITY_MAX], const pov_scene *scene, const pov_words *words,
                           int *at)
{
    int start = *at;
    pov_words_skip(words, &start, "the a an");
    int length = longest_noun(scene, words, start);
    open_noun open = length == 0 && start < words->len ? open_noun_of(words->word[start]) : NO_OPEN_NOUN;
    if (length == 0 && open == NO_OPEN_NOUN)
        return false;
    for (int i = 0; i < POV_ENTITY_MAX; i++)
        meant[i] = i < scene->len &&
                   (length ? match_entity(scene, words, start, i) == length : is_meant(scene, i, open));
    *at = start + (length ? length : 1);
    return true;
}
