#include "firmware/ask.h"

#include "config/yaml_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 64, WORD_CAPACITY = 48 };

/* A text as words: lower case, without punctuation; "-" and "_" part words, "'s" is dropped. */
typedef struct {
    int len;
    char word[WORDS_MAX][WORD_CAPACITY];
} word_list;

static bool parts_words(char c)
{
    return isspace((unsigned char)c) || strchr("-_,?!", c) != NULL;
}

/* False if there are more words, or longer ones, than any question has. */
static bool split(word_list *words, const char *text)
{
    words->len = 0;
    while (*text != '\0') {
        size_t length = 0;
        for (; *text != '\0' && parts_words(*text); text++)
            ;
        if (*text == '\0')
            break;
        if (words->len == WORDS_MAX)
            return false;
        char *word = words->word[words->len];
        for (; *text != '\0' && !parts_words(*text); text++) {
            bool possessive = text[0] == '\'' && text[1] == 's' && (text[2] == '\0' || parts_words(text[2]));
            if (possessive) {
                text += 2;
                break;
            }
            if (length + 1 == WORD_CAPACITY)
                return false;
            word[length++] = (char)tolower((unsigned char)*text);
        }
        word[length] = '\0';
        words->len += length > 0;
    }
    return true;
}

/* How many words from `at` are those of `phrase`; 0 unless all of the phrase is there. */
static int match(const word_list *words, int at, const char *phrase)
{
    word_list sought;
    if (!split(&sought, phrase) || at + sought.len > words->len)
        return 0;
    for (int i = 0; i < sought.len; i++)
        if (strcmp(words->word[at + i], sought.word[i]) != 0)
            return 0;
    return sought.len;
}

/* Moves on over any of the words of `skipped`. */
static void skip(const word_list *words, int *at, const char *skipped)
{
    word_list list;
    bool found = split(&list, skipped);
    while (found && *at < words->len) {
        found = false;
        for (int i = 0; i < list.len; i++)
            found = found || strcmp(words->word[*at], list.word[i]) == 0;
        *at += found;
    }
}

/* -------- entities -------- */

static bool is_only_of_class(const pov_scene *scene, pov_id id)
{
    for (int i = 0; i < scene->len; i++)
        if (i != id && strcmp(scene->entities[i].class_name, scene->entities[id].class_name) == 0)
            return false;
    return true;
}

/* The entity whose id is here, the longest; else the only one whose class is. */
static pov_id entity_at(const pov_scene *scene, const word_list *words, int *at)
{
    pov_id found = POV_ID_NONE;
    int longest = 0;
    for (int i = 0; i < scene->len; i++) {
        int length = match(words, *at, scene->entities[i].name);
        if (length > longest) {
            longest = length;
            found = i;
        }
    }
    for (int i = 0; i < scene->len && found == POV_ID_NONE; i++)
        if (is_only_of_class(scene, i) && (longest = match(words, *at, scene->entities[i].class_name)) > 0)
            found = i;
    *at += longest;
    return found;
}

/* The same with an article before it; an entity may be called "a". */
static pov_id take_entity(const pov_scene *scene, const word_list *words, int *at)
{
    pov_id found = entity_at(scene, words, at);
    int behind = *at;
    skip(words, &behind, "the a an");
    if (found == POV_ID_NONE && behind > *at) {
        found = entity_at(scene, words, &behind);
        *at = found == POV_ID_NONE ? *at : behind;
    }
    return found;
}

static pov_status unknown_entity(const pov_scene *scene, const word_list *words, int at, const char *role)
{
    const char *names[POV_ENTITY_MAX];
    char list[200] = "";
    skip(words, &at, "the a an");
    if (at >= words->len)
        return pov_error(
            "the question ends where the %s should be; ask e.g. \"ball left-of car from camera\"", role);
    size_t length = 0;
    for (int i = 0; i < scene->len; i++) {
        names[i] = scene->entities[i].name;
        if (length < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = pov_nearest_name(words->word[at], names, scene->len);
    return pov_error("no %s \"%s\" in the scene%s%s%s; it has %s%s", role, words->word[at],
                     nearest ? ": did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "", list,
                     length >= sizeof list ? "..." : "");
}

/* -------- relations -------- */

/* What people type in haste, besides the registry's phrases. */
static const struct {
    const char *phrase, *name;
} short_forms[] = {
    {"left", "left_of"},   {"right", "right_of"},    {"front of", "in_front_of"}, {"before", "in_front_of"},
    {"back of", "behind"}, {"in back of", "behind"}, {"north", "north_of"},       {"east", "east_of"},
    {"south", "south_of"}, {"west", "west_of"},
};
enum { SHORT_FORMS = sizeof short_forms / sizeof *short_forms };

static void try_phrase(const pov_relation_info **relation, int *longest, const word_list *words, int at,
                       const char *phrase, const pov_relation_info *candidate)
{
    bool has_verb = strncmp(phrase, "is ", 3) == 0; /* the question's own is skipped */
    int length = match(words, at, has_verb ? phrase + 3 : phrase);
    if (length > *longest) {
        *longest = length;
        *relation = candidate;
    }
}

/* The longest name or phrase that is here; NULL: none. */
static const pov_relation_info *take_relation(const word_list *words, int *at)
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
static void text_to_next_entity(char *text, size_t capacity, const pov_scene *scene, const word_list *words,
                                int at)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = at; i < words->len && length < capacity; i++) {
        int behind = i;
        if (i > at && take_entity(scene, words, &behind) != POV_ID_NONE)
            break;
        length +=
            (size_t)snprintf(text + length, capacity - length, "%s%s", i > at ? " " : "", words->word[i]);
    }
}

static pov_status unknown_relation(const pov_scene *scene, const word_list *words, int at)
{
    char asked[WORD_CAPACITY];
    text_to_next_entity(asked, sizeof asked, scene, words, at);
    if (asked[0] == '\0')
        return pov_error("the question ends where the relation should be; ask e.g. \"ball left-of car\"");
    const pov_relation_info *nearest = pov_relation_most_like(asked);
    return pov_error("no relation \"%s\": did you mean \"%s\"? 'pov relations' lists all", asked,
                     nearest->phrases[0]);
}

/* -------- the frame of reference -------- */

static pov_status only_addressee(pov_id *viewer, const pov_scene *scene)
{
    *viewer = POV_ID_NONE;
    for (int i = 0; i < scene->len; i++) {
        if (!scene->entities[i].addressee)
            continue;
        if (*viewer != POV_ID_NONE)
            return pov_error("there are several addressees, e.g. %s and %s; say from which",
                             scene->entities[*viewer].name, scene->entities[i].name);
        *viewer = i;
    }
    if (*viewer == POV_ID_NONE)
        return pov_error("the scene has no addressee; mark one with addressee: true, or name an entity");
    return pov_ok();
}

static void see_from(pov_question *question, const pov_scene *scene, pov_id viewer)
{
    bool own = viewer == question->relatum[0];
    question->any_perspective = false;
    question->viewer = own ? POV_ID_NONE : viewer;
    question->perspective = own ? POV_INTRINSIC : viewer == scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
}

static void see_intrinsically(pov_question *question)
{
    question->any_perspective = false;
    question->perspective = POV_INTRINSIC;
    question->viewer = POV_ID_NONE;
}

static pov_status see_from_camera(pov_question *question, const pov_scene *scene)
{
    if (scene->camera == POV_ID_NONE)
        return pov_error(
            "the scene has no camera; give its position_m and look_at_m, or ask from another viewer");
    see_from(question, scene, scene->camera);
    return pov_ok();
}

static pov_status see_from_addressee(pov_question *question, const pov_scene *scene)
{
    pov_id viewer;
    POV_TRY(only_addressee(&viewer, scene));
    see_from(question, scene, viewer);
    return pov_ok();
}

static bool take_convention(pov_question *question, const word_list *words, int *at)
{
    for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
        if (match(words, *at, pov_convention_name((pov_convention)convention))) {
            question->convention = (pov_convention)convention;
            ++*at;
            return true;
        }
    return false;
}

static bool take_axis(pov_question *question, const word_list *words, int *at)
{
    for (int axis = 0; axis < POV_AXIS_COUNT; axis++) {
        int length = match(words, *at, pov_axis_name((pov_axis)axis));
        if (length == 0)
            continue;
        question->axis = (pov_axis)axis;
        *at += length;
        return true;
    }
    return false;
}

/* One word of the tail that names a perspective by its kind; false if it is none. */
static bool take_perspective(pov_status *status, pov_question *question, const pov_scene *scene,
                             const word_list *words, int *at)
{
    const char *word = words->word[*at];
    *status = pov_ok();
    if (strcmp(word, "camera") == 0 || strcmp(word, "viewer") == 0 || strcmp(word, "egocentric") == 0)
        *status = see_from_camera(question, scene);
    else if (strcmp(word, "addressee") == 0)
        *status = see_from_addressee(question, scene);
    else if (strcmp(word, "intrinsic") == 0 || strcmp(word, "intrinsically") == 0 || strcmp(word, "its") == 0)
        see_intrinsically(question);
    else if (strcmp(word, "absolute") != 0)
        return false;
    ++*at;
    return true;
}

/* One of the small words between the others. */
static bool take_filler(const word_list *words, int *at)
{
    int start = *at;
    skip(words, at,
         "from in by to the a an own side view viewpoint perspective point of eyes front frame "
         "convention as seen and with");
    *at = start + (*at > start);
    return *at > start;
}

static pov_status take_tail(pov_question *question, const pov_scene *scene, const word_list *words, int at)
{
    while (at < words->len) {
        pov_status status;
        pov_id viewer = entity_at(scene, words, &at);
        if (viewer != POV_ID_NONE)
            see_from(question, scene, viewer);
        else if (take_perspective(&status, question, scene, words, &at))
            POV_TRY(status);
        else if (!take_convention(question, words, &at) && !take_axis(question, words, &at) &&
                 !take_filler(words, &at))
            return unknown_entity(scene, words, at, "viewer, perspective or convention");
    }
    return pov_ok();
}

/* Compass relations are the same from everywhere; so are those that need no frame. */
static pov_status settle_frame(pov_question *question)
{
    pov_frame_need need = question->relation->frame;
    if (need != POV_FRAME_NORTH && need != POV_FRAME_NONE)
        return pov_ok();
    if (!question->any_perspective)
        return pov_error("\"%s\" is the same from everywhere; leave the viewer out",
                         question->relation->phrases[0]);
    question->any_perspective = false;
    question->perspective = POV_ABSOLUTE;
    question->viewer = POV_ID_NONE;
    return pov_ok();
}

static pov_status take_relatum(pov_question *question, const pov_scene *scene, const word_list *words,
                               int *at)
{
    pov_id id = take_entity(scene, words, at);
    if (id == POV_ID_NONE)
        return unknown_entity(scene, words, *at, "entity");
    bool twice = id == question->referent;
    for (int i = 0; i < question->relatum_len; i++)
        twice = twice || id == question->relatum[i];
    if (twice)
        return pov_error("%s is asked about itself; name different entities", scene->entities[id].name);
    if (question->relatum_len == POV_RELATA_MAX)
        return pov_error("more than %d entities to locate it by", POV_RELATA_MAX);
    question->relatum[question->relatum_len++] = id;
    return pov_ok();
}

static pov_status take_relata(pov_question *question, const pov_scene *scene, const word_list *words, int *at)
{
    POV_TRY(take_relatum(question, scene, words, at));
    while (*at < words->len && strcmp(words->word[*at], "and") == 0) {
        ++*at;
        POV_TRY(take_relatum(question, scene, words, at));
    }
    int needed = question->relation->relata_min;
    if (question->relatum_len < needed)
        return pov_error("\"%s\" needs %d entities; join them by \"and\"", question->relation->phrases[0],
                         needed);
    return pov_ok();
}

pov_status pov_question_parse(pov_question *question, const pov_scene *scene, const char *text)
{
    word_list words;
    int at = 0;
    *question = (pov_question){.referent = POV_ID_NONE,
                               .any_perspective = true,
                               .viewer = POV_ID_NONE,
                               .convention = POV_REFLECTED,
                               .axis = POV_SIGHT_LINE};
    snprintf(question->text, sizeof question->text, "%s", text);
    if (!split(&words, text))
        return pov_error("the question is too long; ask e.g. \"ball left-of car from camera\"");
    skip(&words, &at, "is are");
    question->referent = take_entity(scene, &words, &at);
    if (question->referent == POV_ID_NONE)
        return unknown_entity(scene, &words, at, "entity");
    skip(&words, &at, "is are");
    question->relation = take_relation(&words, &at);
    if (!question->relation)
        return unknown_relation(scene, &words, at);
    POV_TRY(take_relata(question, scene, &words, &at));
    POV_TRY(take_tail(question, scene, &words, at));
    return settle_frame(question);
}
