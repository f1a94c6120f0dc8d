#include "firmware/ask.h"

#include "config/yaml_file.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
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

static const struct {
    const char *phrase;
    pov_relation relation;
} phrases[] = {
    {"left of", POV_LEFT_OF},
    {"left", POV_LEFT_OF},
    {"to the left of", POV_LEFT_OF},
    {"on the left of", POV_LEFT_OF},
    {"on the left side of", POV_LEFT_OF},
    {"at the left side of", POV_LEFT_OF},
    {"right of", POV_RIGHT_OF},
    {"right", POV_RIGHT_OF},
    {"to the right of", POV_RIGHT_OF},
    {"on the right of", POV_RIGHT_OF},
    {"on the right side of", POV_RIGHT_OF},
    {"at the right side of", POV_RIGHT_OF},
    {"in front of", POV_IN_FRONT_OF},
    {"in the front of", POV_IN_FRONT_OF},
    {"front of", POV_IN_FRONT_OF},
    {"before", POV_IN_FRONT_OF},
    {"behind", POV_BEHIND},
    {"at the back of", POV_BEHIND},
    {"in back of", POV_BEHIND},
    {"back of", POV_BEHIND},
    {"north of", POV_NORTH_OF},
    {"to the north of", POV_NORTH_OF},
    {"east of", POV_EAST_OF},
    {"to the east of", POV_EAST_OF},
    {"south of", POV_SOUTH_OF},
    {"to the south of", POV_SOUTH_OF},
    {"west of", POV_WEST_OF},
    {"to the west of", POV_WEST_OF},
};
enum { PHRASES = sizeof phrases / sizeof *phrases };

static bool take_relation(pov_relation *relation, const word_list *words, int *at)
{
    int longest = 0;
    for (int i = 0; i < PHRASES; i++) {
        int length = match(words, *at, phrases[i].phrase);
        if (length > longest) {
            longest = length;
            *relation = phrases[i].relation;
        }
    }
    *at += longest;
    return longest > 0;
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
    const char *names[PHRASES];
    char asked[WORD_CAPACITY];
    for (int i = 0; i < PHRASES; i++)
        names[i] = phrases[i].phrase;
    text_to_next_entity(asked, sizeof asked, scene, words, at);
    if (asked[0] == '\0')
        return pov_error("the question ends where the relation should be; ask e.g. \"ball left-of car\"");
    const char *nearest = pov_nearest_name(asked, names, PHRASES);
    return pov_error(
        "no relation \"%s\"%s%s%s; there are e.g. left of, right of, in front of, behind, north of", asked,
        nearest ? ": did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
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
    bool own = viewer == question->relatum;
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

static pov_status settle_absolute(pov_question *question)
{
    if (question->relation < POV_NORTH_OF)
        return pov_ok();
    if (!question->any_perspective)
        return pov_error("\"%s\" is the same from everywhere; leave the viewer out",
                         pov_relation_name(question->relation));
    question->any_perspective = false;
    question->perspective = POV_ABSOLUTE;
    return pov_ok();
}

pov_status pov_question_parse(pov_question *question, const pov_scene *scene, const char *text)
{
    word_list words;
    int at = 0;
    *question = (pov_question){.referent = POV_ID_NONE,
                               .relatum = POV_ID_NONE,
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
    if (!take_relation(&question->relation, &words, &at))
        return unknown_relation(scene, &words, at);
    question->relatum = take_entity(scene, &words, &at);
    if (question->relatum == POV_ID_NONE)
        return unknown_entity(scene, &words, at, "entity");
    if (question->relatum == question->referent)
        return pov_error("%s is asked about itself; name two entities",
                         scene->entities[question->relatum].name);
    POV_TRY(take_tail(question, scene, &words, at));
    return settle_absolute(question);
}

/* -------- answers -------- */

static void judge(pov_answer *answer, const pov_scene *scene, pov_perspective perspective, pov_id viewer,
                  const pov_judging *judging)
{
    const pov_question *question = &answer->question;
    bool relative = viewer != POV_ID_NONE;
    pov_query query = {.referent = question->referent,
                       .relatum = question->relatum,
                       .relation = question->relation,
                       .perspective = perspective,
                       .viewer = viewer,
                       .convention = relative ? question->convention : POV_NO_CONVENTION,
                       .axis = relative ? question->axis : POV_HEADING,
                       .acceptance = POV_HEMISPHERE};
    (void)pov_relation_evaluate(&answer->judgments[answer->len++], scene, &query, judging);
}

static void judge_all(pov_answer *answer, const pov_scene *scene, const pov_judging *judging)
{
    const pov_question *question = &answer->question;
    for (pov_id viewer = 0; viewer < scene->len; viewer++) {
        bool camera = viewer == scene->camera;
        if (viewer != question->referent && viewer != question->relatum &&
            (camera || scene->entities[viewer].addressee))
            judge(answer, scene, camera ? POV_EGOCENTRIC : POV_ADDRESSEE, viewer, judging);
    }
    judge(answer, scene, POV_INTRINSIC, POV_ID_NONE, judging);
}

/* Frames that agree, or are undefined, do not count against an answer. */
static pov_answer_kind sum_up(const pov_answer *answer)
{
    int count[POV_VERDICT_COUNT] = {0};
    for (int i = 0; i < answer->len; i++)
        count[answer->judgments[i].belief.verdict]++;
    if (count[POV_TRUE] && count[POV_FALSE])
        return POV_ANSWER_DEPENDS;
    if (count[POV_ABSTAIN])
        return POV_ANSWER_ABSTAIN;
    if (count[POV_TRUE] + count[POV_FALSE] == 0)
        return POV_ANSWER_UNDEFINED;
    return count[POV_TRUE] ? POV_ANSWER_YES : POV_ANSWER_NO;
}

void pov_question_answer(pov_answer *answer, const pov_scene *scene, const pov_question *question,
                         const pov_judging *judging)
{
    answer->question = *question;
    answer->len = 0;
    if (question->any_perspective)
        judge_all(answer, scene, judging);
    else
        judge(answer, scene, question->perspective, question->viewer, judging);
    answer->kind = sum_up(answer);
}

const char *pov_answer_name(pov_answer_kind kind)
{
    static const char *const names[] = {"yes", "no", "abstain", "undefined", "depends"};
    static_assert(sizeof names / sizeof *names == POV_ANSWER_DEPENDS + 1, "one name an answer");
    POV_REQUIRE(kind <= POV_ANSWER_DEPENDS);
    return names[kind];
}

static const pov_entity *first_not_placed(const pov_scene *scene, const pov_query *query)
{
    const pov_id ids[] = {query->referent, query->relatum, query->viewer};
    for (int i = 0; i < 3; i++)
        if (ids[i] != POV_ID_NONE && !scene->entities[ids[i]].placed)
            return &scene->entities[ids[i]];
    return NULL;
}

void pov_query_explain(char *reason, size_t capacity, const pov_scene *scene, const pov_query *query)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_judgment judgment;
    reason[0] = '\0';
    if (pov_relation_evaluate(&judgment, scene, query, &judging) == POV_OK)
        return;
    const pov_entity *lost = first_not_placed(scene, query);
    if (lost)
        snprintf(reason, capacity, "%s has no position", lost->name);
    else if (query->perspective == POV_INTRINSIC && scene->entities[query->relatum].heading.len == 0)
        snprintf(reason, capacity, "%s has no front", scene->entities[query->relatum].name);
    else if (query->perspective == POV_ABSOLUTE && !scene->has_north)
        snprintf(reason, capacity, "the scene has no north_deg");
    else if (query->viewer != POV_ID_NONE && scene->entities[query->viewer].heading.len == 0 &&
             query->axis == POV_HEADING)
        snprintf(reason, capacity, "%s has no heading", scene->entities[query->viewer].name);
    else
        snprintf(reason, capacity, "the two are at one place, within their noise");
}
