#include "firmware/ask/ask.h"

#include "config/yaml_file.h"
#include "firmware/ask/ask_lexicon.h"
#include "firmware/ask/ask_viewpoint.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* -------- the grammar -------- */

/* Small letters stand for themselves, "|" between alternatives, "_" between words of one, brackets about what may be left
 * out. Capitals are taken by the function of that name below. */
static const struct {
    pov_request_kind kind;
    bool negated, by_distance;
    const char *pattern;
} forms[] = {
    {POV_REQUEST_RELATION, false, false, "[is|are] THING [is|are] RELATION RELATA [VIEWPOINT]"},
    {POV_REQUEST_RELATION, false, false, "[is|are] THING [is|are] to|on|at WHOSE SIDE"},
    {POV_REQUEST_SEES, false, false, "does|do|can|could VIEWER see THING"},
    {POV_REQUEST_SEES, false, false, "is|are THING visible|seen for|from|to|by VIEWER"},
    {POV_REQUEST_SEES, true, false, "is|are THING hidden|invisible|occluded from|for|to VIEWER"},
    {POV_REQUEST_SEES, false, false, "who sees|can_see THING"},
    {POV_REQUEST_HIDES, false, false, "what|who hides THING from VIEWER"},
    {POV_REQUEST_HIDES, false, false, "what|who hides THING"},
    {POV_REQUEST_WHERE, false, false, "where is|are THING for|from|to VIEWER"},
    {POV_REQUEST_WHERE, false, false, "where is|are THING"},
    {POV_REQUEST_ORDER, false, false, "what does|do|can VIEWER see [from] [left_to_right]"},
    {POV_REQUEST_ORDER, false, true, "what does|do|can VIEWER see [from] near_to_far"},
    {POV_REQUEST_WHICH, false, false, "which|what [of] [NOUN] is|are RELATION RELATA [VIEWPOINT]"},
    {POV_REQUEST_WHICH, false, false, "which|what [of] [NOUN] is|are to|on|at WHOSE SIDE"},
    {POV_REQUEST_WHICH, false, false,
     "[please] give|hand|bring|pass|show|get|fetch|take|grab|find|point_at [me|us|him|her|them] NOUN "
     "[that|which] [is|are] RELATION RELATA [VIEWPOINT]"},
    {POV_REQUEST_WHICH, false, false,
     "[please] give|hand|bring|pass|show|get|fetch|take|grab|find|point_at [me|us|him|her|them] NOUN "
     "[that|which] [is|are] to|on|at WHOSE SIDE"},
};
enum { FORMS = sizeof forms / sizeof *forms, TOKEN_CAPACITY = 120, CHOICES_MAX = 12 };

const char *pov_request_form(int index)
{
    return index >= 0 && index < FORMS ? forms[index].pattern : NULL;
}

const char *pov_request_kind_name(pov_request_kind kind)
{
    static const char *const names[] = {"relation", "sees", "hides", "where", "order", "which"};
    static_assert(sizeof names / sizeof *names == POV_REQUEST_KIND_COUNT, "one name a kind");
    POV_REQUIRE(kind < POV_REQUEST_KIND_COUNT);
    return names[kind];
}

/* A question being read by one of the forms. */
typedef struct {
    pov_request *question;
    const pov_scene *scene;
    const pov_words *words;
    int at;
    bool is_near_miss; /* the word that is not understood is like one that would be */
} reading;

/* -------- what capitals take -------- */

static pov_status unknown_entity(reading *r, const char *role)
{
    r->is_near_miss = pov_lexicon_nearest_entity(r->scene, r->words, r->at) != NULL;
    return pov_lexicon_unknown_entity(r->scene, r->words, r->at, role);
}

static pov_status take_thing(reading *r)
{
    r->question->referent = pov_lexicon_take_entity(r->scene, r->words, &r->at);
    return r->question->referent == POV_ID_NONE ? unknown_entity(r, "entity") : pov_ok();
}

static bool takes_word(reading *r, const char *const choices[])
{
    int length = 0;
    for (int i = 0; choices[i] && length == 0; i++)
        length = pov_words_match(r->words, r->at, choices[i]);
    r->at += length;
    return length > 0;
}

static pov_status camera_of(pov_id *camera, const pov_scene *scene)
{
    *camera = scene->camera;
    return scene->camera == POV_ID_NONE
               ? pov_error("the scene has no camera; give its position_m and look_at_m")
               : pov_ok();
}

/* An entity; "I", "me", "my" and "the addressee" are the only addressee, "you", "your" and "the robot" the camera. */
static pov_status take_somebody(reading *r, pov_id *id, const char *role)
{
    static const char *const addressees[] = {"the addressee", "addressee", "i", "me", "my", NULL};
    static const char *const cameras[] = {"the viewer", "viewer",     "you",    "your", "the robot",
                                          "robot",      "the camera", "camera", NULL};
    *id = pov_lexicon_take_entity(r->scene, r->words, &r->at);
    if (*id != POV_ID_NONE)
        return pov_ok();
    if (takes_word(r, addressees))
        return pov_viewpoint_addressee(id, r->scene);
    return takes_word(r, cameras) ? camera_of(id, r->scene) : unknown_entity(r, role);
}

static pov_status take_viewer(reading *r)
{
    return take_somebody(r, &r->question->viewer, "viewer");
}

static pov_status take_noun(reading *r)
{
    return pov_lexicon_take_noun(r->question->candidate, r->scene, r->words, &r->at)
               ? pov_ok()
               : unknown_entity(r, "entity");
}

static pov_status take_relation(reading *r)
{
    r->question->relation = pov_lexicon_take_relation(r->words, &r->at);
    return r->question->relation ? pov_ok() : pov_lexicon_unknown_relation(r->scene, r->words, r->at);
}

static pov_status take_relatum(reading *r)
{
    pov_request *question = r->question;
    pov_id id;
    POV_TRY(take_somebody(r, &id, "entity"));
    bool twice = id == question->referent;
    for (int i = 0; i < question->relatum_len; i++)
        twice = twice || id == question->relatum[i];
    if (twice)
        return pov_error("%s is asked about itself; name different entities", r->scene->entities[id].name);
    if (question->relatum_len == POV_RELATA_MAX)
        return pov_error("more than %d entities to locate it by", POV_RELATA_MAX);
    question->relatum[question->relatum_len++] = id;
    return pov_ok();
}

static pov_status take_relata(reading *r)
{
    static const char *const joints[] = {"and", "than", NULL};
    const pov_request *question = r->question;
    POV_TRY(take_relatum(r));
    while (takes_word(r, joints)) {
        POV_TRY(take_relatum(r));
    }
    int needed = question->relation->relata_min;
    if (question->relatum_len < needed)
        return pov_error("\"%s\" needs %d entities; join them by \"and\"", question->relation->phrases[0],
                         needed);
    return pov_ok();
}

static pov_status take_viewpoint(reading *r)
{
    POV_TRY(pov_viewpoint_take(r->question, r->scene, r->words, r->at));
    r->at = r->words->len;
    return pov_ok();
}

/* Splits a token's alternatives in place. */
static int split_choices(const char *choices[CHOICES_MAX], char *token)
{
    int len = 0;
    for (char *rest = token; rest; len++) {
        POV_REQUIRE(len < CHOICES_MAX);
        choices[len] = rest;
        rest = strchr(rest, '|');
        if (rest)
            *rest++ = '\0';
    }
    return len;
}

static pov_status take_literal(reading *r, char *token)
{
    const char *choices[CHOICES_MAX];
    int len = split_choices(choices, token);
    for (int i = 0; i < len; i++) {
        int length = pov_words_match(r->words, r->at, choices[i]);
        r->at += length;
        if (length > 0)
            return pov_ok();
    }
    if (r->at >= r->words->len)
        return pov_error("the question ends where \"%s\" should be", choices[0]);
    const char *word = r->words->word[r->at], *nearest = pov_nearest_name(word, choices, len);
    r->is_near_miss = nearest != NULL;
    return nearest ? pov_error("\"%s\" is not understood: did you mean \"%s\"?", word, nearest)
                   : pov_error("\"%s\" stands where \"%s\" should be", word, choices[0]);
}

/* "to my left" is by my own front. */
static pov_status take_side(reading *r)
{
    static const char *const lefts[] = {"left", NULL}, *const rights[] = {"right", NULL},
                             *const behind[] = {"hand side", "side", NULL};
    bool left = takes_word(r, lefts);
    if (!left && !takes_word(r, rights)) {
        char choices[] = "left|right";
        return take_literal(r, choices);
    }
    (void)takes_word(r, behind);
    r->question->relation = pov_relation_info_of(left ? POV_LEFT_OF : POV_RIGHT_OF);
    r->question->any_perspective = false;
    r->question->perspective = POV_INTRINSIC;
    return pov_ok();
}

static const struct {
    const char *name;
    pov_status (*take)(reading *r);
} slots[] = {
    {"THING", take_thing},       {"VIEWER", take_viewer}, {"NOUN", take_noun},
    {"RELATION", take_relation}, {"RELATA", take_relata}, {"VIEWPOINT", take_viewpoint},
    {"WHOSE", take_relatum},     {"SIDE", take_side},
};
enum { SLOTS = sizeof slots / sizeof *slots };

/* -------- reading by a form -------- */

static pov_status take_token(reading *r, char *token)
{
    for (int i = 0; i < SLOTS; i++)
        if (strcmp(token, slots[i].name) == 0)
            return slots[i].take(r);
    return take_literal(r, token);
}

/* What may be left out is, if it cannot be read; but a viewpoint is all that is left to be read. */
static pov_status take_optional(reading *r, char *token)
{
    reading tried = *r;
    token[strlen(token) - 1] = '\0';
    pov_status status = take_token(&tried, token + 1);
    if (status.code != POV_OK && strcmp(token + 1, "VIEWPOINT") != 0)
        return pov_ok();
    *r = tried;
    return status;
}

static pov_status read_form(reading *r, const char *pattern)
{
    while (*pattern != '\0') {
        char token[TOKEN_CAPACITY];
        size_t length = strcspn(pattern, " ");
        POV_REQUIRE(length < sizeof token);
        memcpy(token, pattern, length);
        token[length] = '\0';
        pattern += length + (pattern[length] == ' ');
        POV_TRY(token[0] == '[' ? take_optional(r, token) : take_token(r, token));
    }
    return r->at == r->words->len ? pov_ok() : pov_error("\"%s\" is not understood", r->words->word[r->at]);
}

static void start(pov_request *question, int form, const char *text)
{
    *question = (pov_request){.kind = forms[form].kind,
                              .negated = forms[form].negated,
                              .by_distance = forms[form].by_distance,
                              .referent = POV_ID_NONE,
                              .any_perspective = true,
                              .viewer = POV_ID_NONE,
                              .convention = POV_REFLECTED,
                              .axis = POV_SIGHT_LINE};
    snprintf(question->text, sizeof question->text, "%s", text);
    for (int i = 0; i < POV_ENTITY_MAX; i++)
        question->candidate[i] = true;
}

/* The form that got farthest knows best what is wrong. */
pov_status pov_request_parse(pov_request *question, const pov_scene *scene, const char *text)
{
    pov_words words;
    pov_status best = pov_ok();
    reading farthest = {.at = -1};
    start(question, 0, text);
    if (!pov_words_split(&words, text))
        return pov_error("the question is too long; ask e.g. \"ball left-of car from camera\"");
    for (int i = 0; i < FORMS; i++) {
        reading r = {question, scene, &words, 0, false};
        start(question, i, text);
        pov_status status = read_form(&r, forms[i].pattern);
        if (status.code == POV_OK)
            return status;
        if (r.at > farthest.at || (r.at == farthest.at && r.is_near_miss && !farthest.is_near_miss)) {
            farthest = r;
            best = status;
        }
    }
    return best;
}
