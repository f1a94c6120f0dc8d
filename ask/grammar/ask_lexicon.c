#include "ask/grammar/ask_lexicon.h"
#include "config/files/nearest_name.h"

#include "config/yaml/yaml_file.h"

#include <stdio.h>
#include <string.h>

static bool is_only_of_class(const pov_scene *scene, pov_id id)
{
    for (int i = 0; i < scene->len; i++)
        if (i != id && strcmp(scene->entities[i].class_name, scene->entities[id].class_name) == 0)
            return false;
    return true;
}

/* "red one" of red_cup, if no other thing is red. */
static pov_id only_one_at(const pov_scene *scene, const pov_words *words, int at)
{
    pov_id found = POV_ID_NONE;
    for (pov_id i = 0; i < scene->len; i++) {
        if (!pov_lexicon_is_one_of_kind(scene, words, at, i))
            continue;
        if (found != POV_ID_NONE)
            return POV_ID_NONE;
        found = i;
    }
    return found;
}

pov_id pov_lexicon_entity_at(const pov_scene *scene, const pov_words *words, int *at)
{
    pov_id found = POV_ID_NONE;
    int longest = 0;
    for (int i = 0; i < scene->len; i++) {
        int length = pov_words_match(words, *at, scene->entities[i].name);
        if (length > longest) {
            longest = length;
            found = i;
        }
    }
    for (int i = 0; i < scene->len && found == POV_ID_NONE; i++)
        if (is_only_of_class(scene, i) &&
            (longest = pov_words_match(words, *at, scene->entities[i].class_name)) > 0)
            found = i;
    if (found == POV_ID_NONE && (found = only_one_at(scene, words, *at)) != POV_ID_NONE)
        longest = 2;
    *at += longest;
    return found;
}

pov_id pov_lexicon_take_entity(const pov_scene *scene, const pov_words *words, int *at)
{
    pov_id found = pov_lexicon_entity_at(scene, words, at);
    int behind = *at;
    pov_words_skip(words, &behind, "the a an");
    if (found == POV_ID_NONE && behind > *at) {
        found = pov_lexicon_entity_at(scene, words, &behind);
        *at = found == POV_ID_NONE ? *at : behind;
    }
    return found;
}

static bool names_several(const pov_scene *scene, const pov_words *words, int at)
{
    int found = 0;
    for (int i = 0; i < scene->len; i++)
        found += pov_words_match(words, at, scene->entities[i].class_name) > 0;
    return found > 1;
}

/* "gren_cup" of "gren cup behind the car". */
static void join(char *joined, size_t capacity, const pov_words *words, int at, int count)
{
    size_t length = 0;
    joined[0] = '\0';
    for (int i = 0; i < count && length < capacity; i++)
        length +=
            (size_t)snprintf(joined + length, capacity - length, "%s%s", i ? "_" : "", words->word[at + i]);
}

const char *pov_lexicon_nearest_entity(const pov_scene *scene, const pov_words *words, int at)
{
    const char *names[2 * POV_ENTITY_MAX], *nearest = NULL;
    pov_words_skip(words, &at, "the a an");
    for (int i = 0; i < scene->len; i++) {
        names[i] = scene->entities[i].name;
        names[scene->len + i] = scene->entities[i].class_name;
    }
    int longest = words->len - at < 3 ? words->len - at : 3;
    for (int count = longest; count > 0 && !nearest; count--) {
        char joined[3 * POV_WORD_CAPACITY];
        join(joined, sizeof joined, words, at, count);
        nearest = pov_nearest_name(joined, names, 2 * scene->len);
    }
    return nearest;
}

pov_status pov_lexicon_unknown_entity(const pov_scene *scene, const pov_words *words, int at,
                                      const char *role)
{
    char list[200] = "";
    pov_words_skip(words, &at, "the a an");
    if (at >= words->len)
        return pov_error(
            "the question ends where the %s should be; ask e.g. \"ball left-of car from camera\"", role);
    size_t length = 0;
    bool several = names_several(scene, words, at);
    for (int i = 0, listed = 0; i < scene->len; i++)
        if (length < sizeof list && (!several || pov_words_match(words, at, scene->entities[i].class_name)))
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", listed++ ? ", " : "",
                                       scene->entities[i].name);
    if (several)
        return pov_error("there are several of class \"%s\": %s%s; name one", words->word[at], list,
                         length >= sizeof list ? "..." : "");
    const char *nearest = pov_lexicon_nearest_entity(scene, words, at);
    if (nearest)
        return pov_error("no %s \"%s\" in the scene: did you mean \"%s\"?", role, words->word[at], nearest);
    return pov_error("no %s \"%s\" in the scene; it has %s%s", role, words->word[at], list,
                     length >= sizeof list ? "..." : "");
}

/* -------- relations -------- */

/* What people type, besides the registry's phrases. */
static const struct {
    const char *phrase, *name;
} short_forms[] = {
    {"left", "left_of"},
    {"right", "right_of"},
    {"on the left hand side of", "left_of"},
    {"on the right hand side of", "right_of"},
    {"to the left hand side of", "left_of"},
    {"to the right hand side of", "right_of"},
    {"to the left side of", "left_of"},
    {"to the right side of", "right_of"},
    {"front of", "in_front_of"},
    {"before", "in_front_of"},
    {"back of", "behind"},
    {"in back of", "behind"},
    {"north", "north_of"},
    {"east", "east_of"},
    {"south", "south_of"},
    {"west", "west_of"},
    {"further away from the camera than", "farther_from_viewer"},
    {"farther away from the camera than", "farther_from_viewer"},
    {"further away from the viewer than", "farther_from_viewer"},
    {"farther away from the viewer than", "farther_from_viewer"},
    {"further away than", "farther_from_viewer"},
    {"farther away than", "farther_from_viewer"},
    {"further away from", "farther_from"},
    {"farther away from", "farther_from"},
    {"more distant from", "farther_from"},
    {"face", "facing"},
    {"facing towards", "facing"},
    {"look at", "facing"},
    {"looking towards", "facing"},
    {"pointing at", "facing"},
    {"point at", "facing"},
    {"face away from", "facing_away_from"},
    {"touch", "touching"},
};
enum { SHORT_FORMS = sizeof short_forms / sizeof *short_forms };

static void try_phrase(const pov_relation_info **relation, int *longest, const pov_words *words, int at,
                       const char *phrase, const pov_relation_info *candidate)
{
    bool has_verb = strncmp(phrase, "is ", 3) == 0; /* the question's own is skipped */
    int length = pov_words_match(words, at, has_verb ? phrase + 3 : phrase);
    if (length > *longest) {
        *longest = length;
        *relation = candidate;
    }
}

const pov_relation_info *pov_lexicon_take_relation(const pov_words *words, int *at)
{
    const pov_relation_info *relation = NULL;
    int longest = 0;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *candidate = pov_relation_registry_at(i);
        try_phrase(&relation, &longest, words, *at, candidate->name, candidate);
        for (int k = 0; k < POV_PHRASES_MAX && candidate->phrases[k]; k++)
            try_phrase(&relation, &longest, words, *at, candidate->phrases[k], candidate);
    }
    for (int i = 0; i < SHORT_FORMS; i++)
        try_phrase(&relation, &longest, words, *at, short_forms[i].phrase,
                   pov_relation_lookup(short_forms[i].name));
    *at += longest;
    return relation;
}

/* What stands between the two entities, or to the end. */
static void text_to_next_entity(char *text, size_t capacity, const pov_scene *scene, const pov_words *words,
                                int at)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = at; i < words->len && length < capacity; i++) {
        int behind = i;
        if (i > at && pov_lexicon_take_entity(scene, words, &behind) != POV_ID_NONE)
            break;
        length +=
            (size_t)snprintf(text + length, capacity - length, "%s%s", i > at ? " " : "", words->word[i]);
    }
}

pov_status pov_lexicon_unknown_relation(const pov_scene *scene, const pov_words *words, int at)
{
    char asked[POV_WORD_CAPACITY];
    text_to_next_entity(asked, sizeof asked, scene, words, at);
    if (asked[0] == '\0')
        return pov_error("the question ends where the relation should be; ask e.g. \"ball left-of car\"");
    const pov_relation_info *nearest = pov_relation_most_like(asked);
    const char *names[POV_PHRASES_MAX + 1] = {nearest->name};
    int len = 1;
    for (int i = 0; i < POV_PHRASES_MAX && nearest->phrases[i]; i++)
        names[len++] = nearest->phrases[i];
    return pov_nearest_name(asked, names, len)
               ? pov_error("no relation \"%s\": did you mean \"%s\"? 'pov relations' lists all", asked,
                           nearest->phrases[0])
               : pov_error("no relation \"%s\"; 'pov relations' lists all", asked);
}
