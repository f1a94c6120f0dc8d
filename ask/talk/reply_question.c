/* Answers to questions as sentences, and why. */
#include "ask/talk/talk_internal.h"

#include "config/files/json_value.h"
#include "perception/scene/support.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIED_MAX = 4 };

/* "the ball"; "I" and "you" where it is the subject of a sentence. */
static const char *name_subject(char name[64], const pov_replying *r, pov_id id)
{
    if (id == r->about->scene->camera)
        return strcpy(name, pov_reply_text(r, "I"));
    return pov_name_thing(name, r->about->scene, id);
}

static const char *name_object(char name[64], const pov_replying *r, pov_id id)
{
    if (id == r->about->scene->camera)
        return strcpy(name, pov_reply_text(r, "me"));
    return pov_name_thing(name, r->about->scene, id);
}

/* "the ball, the car and I"; joined by " and %s" or " or %s". */
static void say_list(pov_text *text, const pov_replying *r, const pov_id *ids, int len, const char *last)
{
    char name[64];
    int listed = 0;
    pov_text_clear(text);
    for (int camera = 0; camera < 2; camera++) /* I come last */
        for (int i = 0; i < len; i++)
            if ((ids[i] == r->about->scene->camera) == (camera == 1)) {
                pov_reply_add(r, text,
                              listed == 0        ? "%s"
                              : listed + 1 < len ? ", %s"
                                                 : last,
                              name_subject(name, r, ids[i]));
                listed++;
            }
}

/* In the order that it has. */
static void say_order(pov_text *text, const pov_replying *r)
{
    char name[64];
    pov_text_clear(text);
    for (int i = 0; i < r->told.held_len; i++)
        pov_reply_add(r, text, i ? ", %s" : "%s", name_subject(name, r, r->told.held[i]));
}

/* "the ball is" */
static void say_being(pov_text *text, const pov_replying *r, pov_id id, bool holds)
{
    char name[64];
    pov_text_clear(text);
    const bool camera = id == r->about->scene->camera, self = !camera && id == pov_speaker_of(&r->context);
    pov_reply_add(r, text,
                  camera ? (holds ? "I am" : "I am not")
                  : self ? (holds ? "you are" : "you are not")
                         : (holds ? "%s is" : "%s is not"),
                  pov_name_thing(name, r->about->scene, id));
}

static void say_frame_of(char frame[96], const pov_replying *r, const pov_query *query)
{
    const pov_hypothesis h = {query->perspective, query->viewer, 1};
    pov_say_frame(frame, &r->context, &h,
                  r->told.question->relatum_len ? r->told.question->relatum[0] : POV_ID_NONE);
}

/* "the ball is behind the car as you see it" */
static void say_relation(pov_text *text, const pov_replying *r, const char *phrase, bool holds)
{
    const pov_request *q = r->told.question;
    const bool compares =
        strcmp(q->relation->name, "nearer_to") == 0 || strcmp(q->relation->name, "farther_from") == 0;
    char name[64], frame[96] = "";
    pov_text being = {0}, relata = {0}, place = {0};
    say_being(&being, r, q->referent, holds);
    phrase = pov_reply_text(r, strncmp(phrase, "is ", 3) == 0 ? phrase + 3 : phrase);
    for (int i = 0; i < q->relatum_len; i++)
        pov_reply_add(r, &relata,
                      i == 0     ? "%s"
                      : compares ? " than %s"
                                 : " and %s",
                      name_object(name, r, q->relatum[i]));
    if (!q->any_perspective && q->relation->frame == POV_FRAME_AXES)
        say_frame_of(frame, r, &r->told.frame[0].frame);
    pov_reply_fill(
        r, &place, "RELATION RELATUM FRAME",
        (const char *const[]){"RELATION", phrase, "RELATUM", pov_text_of(&relata), "FRAME", frame, NULL});
    pov_reply_fill(r, text, holds ? "SUBJECT is PLACE" : "SUBJECT is not PLACE",
                   (const char *const[]){"SUBJECT is not", pov_text_of(&being), "SUBJECT is",
                                         pov_text_of(&being), "SUBJECT", name_subject(name, r, q->referent),
                                         "PLACE", pov_text_of(&place), NULL});
    pov_text_free(&being);
    pov_text_free(&relata);
    pov_text_free(&place);
}

static void say_look(pov_text *text, const pov_replying *r, pov_id viewer, pov_id thing, bool sees)
{
    char who[64], what[64];
    name_object(what, r, thing);
    if (viewer == r->about->scene->camera)
        pov_reply_add(r, text, sees ? "I see %s" : "I do not see %s", what);
    else
        pov_reply_add(r, text, sees ? "%s sees %s" : "%s does not see %s",
                      pov_name_thing(who, r->about->scene, viewer), what);
}

/* "anna sees it; I do not see it" */
static void say_looks(pov_text *text, const pov_replying *r)
{
    pov_text_clear(text);
    for (int i = 0; i < r->told.look_len; i++) {
        const pov_visibility *look = &r->told.look[i];
        if (look->sees.verdict != POV_TRUE && look->sees.verdict != POV_FALSE)
            continue;
        pov_reply_add(r, text, text->len > 0 ? "; " : "");
        say_look(text, r, look->viewer, look->target, look->sees.verdict == POV_TRUE);
    }
}

/* Likelier than not: where a viewer's heading is not known, all sides are as likely. */
static bool is_side_known(const pov_side_judgment *belief)
{
    return belief->verdict == POV_TRUE || (belief->verdict == POV_ABSTAIN && belief->p[belief->side] >= 0.5);
}

/* Why nobody tells a side: it is right above who does, or nobody has a front that is known. */
static void say_no_side(pov_text *places, const pov_replying *r)
{
    const pov_scene *scene = r->about->scene;
    const pov_id thing = r->told.question->referent;
    char name[64];
    for (int i = 0; i < r->told.side_len; i++) {
        const pov_id viewer = r->told.side[i].viewer;
        const pov_entity *v = &scene->entities[viewer];
        if (viewer == thing || !v->placed || v->heading.len == 0 || !scene->entities[thing].placed ||
            r->told.side[i].side.verdict == POV_ABSTAIN)
            continue;
        const int higher = pov_higher_of(scene, thing, viewer);
        pov_reply_add(r, places,
                      higher > 0   ? "right above %s"
                      : higher < 0 ? "right below %s"
                                   : "at one place with %s",
                      name_object(name, r, viewer));
        return;
    }
    pov_reply_add(r, places, "somewhere: nobody here has a front to tell it from");
}

/* "on the book, in front of you": what carries it, unless that is the table, which carries all. */
static void say_support(pov_text *places, const pov_replying *r)
{
    const pov_scene *scene = r->about->scene;
    const pov_id support = pov_support_likeliest(scene, r->told.question->referent);
    char name[64];
    if (support == POV_ID_NONE || pov_is_surface(&scene->entities[support]) || pov_is_person(scene, support))
        return;
    char *sides = pov_text_take(places);
    pov_reply_fill(r, places, "RELATION RELATUM FRAME",
                   (const char *const[]){"RELATION", pov_reply_text(r, "on"), "RELATUM",
                                         name_object(name, r, support), "FRAME", "", NULL});
    pov_text_add(places, ", %s", sides);
    free(sides);
}

static void say_sides(pov_text *text, const pov_replying *r)
{
    static const char *const phrases[POV_SIDE_COUNT] = {
        "in front of", "in front and to the left of", "to the left of",  "behind and to the left of",
        "behind",      "behind and to the right of",  "to the right of", "in front and to the right of"};
    const pov_answer *a = &r->told;
    char name[64];
    pov_text being = {0}, places = {0}, viewers = {0}, place = {0};
    for (int i = 0; i < a->side_len; i++) {
        const pov_side side = a->side[i].side.side;
        bool told = !is_side_known(&a->side[i].side);
        for (int k = 0; k < i; k++)
            told = told || (a->side[k].side.side == side && is_side_known(&a->side[k].side));
        pov_text_clear(&viewers);
        for (int k = i; k < a->side_len && !told; k++)
            if (a->side[k].side.side == side && is_side_known(&a->side[k].side))
                pov_reply_add(r, &viewers, viewers.len > 0 ? " and %s" : "%s",
                              a->side[k].viewer == pov_speaker_of(&r->context)
                                  ? pov_reply_text(r, "you")
                                  : name_object(name, r, a->side[k].viewer));
        if (told)
            continue;
        pov_reply_fill(r, &place, "RELATION RELATUM FRAME",
                       (const char *const[]){"RELATION", pov_reply_text(r, phrases[side]), "RELATUM",
                                             pov_text_of(&viewers), "FRAME", "", NULL});
        pov_reply_add(r, &places, places.len > 0 ? ", %s" : "%s", pov_text_of(&place));
    }
    if (places.len == 0)
        say_no_side(&places, r);
    say_support(&places, r);
    say_being(&being, r, a->question->referent, true);
    pov_reply_fill(r, text, "SUBJECT is PLACE",
                   (const char *const[]){"SUBJECT is", pov_text_of(&being), "SUBJECT",
                                         name_subject(name, r, a->question->referent), "PLACE",
                                         pov_text_of(&places), NULL});
    pov_text_free(&being);
    pov_text_free(&places);
    pov_text_free(&viewers);
    pov_text_free(&place);
}

/* "no", "the red cup", "right and behind" */
static const char *say_one(char name[64], const pov_replying *r, const char *says)
{
    const pov_id id = pov_scene_find(r->about->scene, says);
    if (id != POV_ID_NONE)
        return name_object(name, r, id);
    return pov_reply_text(r, strcmp(says, "true") == 0      ? "yes"
                             : strcmp(says, "false") == 0   ? "no"
                             : strcmp(says, "none") == 0    ? "nothing"
                             : strcmp(says, "0") == 0       ? "none"
                             : strcmp(says, "abstain") == 0 ? "too close to say"
                                                            : says);
}

/* "It depends: yes as you see it, no as I see it and by its own front" */
static void say_by_frames(pov_text *text, const pov_replying *r)
{
    const pov_answer *a = &r->told;
    bool told[POV_REPLY_MAX] = {false};
    char frame[96], name[64];
    pov_text_clear(text);
    pov_reply_add(r, text, "It depends");
    for (int i = 0, parts = 0; i < a->frame_len; i++) {
        if (told[i] || strcmp(a->frame[i].says, "undefined") == 0)
            continue;
        pov_reply_add(r, text, parts++ ? ", %s" : ": %s", say_one(name, r, a->frame[i].says));
        for (int k = i, same = 0; k < a->frame_len; k++)
            if (strcmp(a->frame[k].says, a->frame[i].says) == 0) {
                told[k] = true;
                say_frame_of(frame, r, &a->frame[k].frame);
                pov_reply_add(r, text, same++ ? " and %s" : " %s", frame);
            }
    }
}

/* Returns the adjective for two things of equal degree ("equally near"); NULL: the relation compares nothing. */
static const char *equal_phrase(const pov_relation_info *relation)
{
    static const struct {
        const char *relation, *equal;
    } phrases[] = {{"nearer_to", "equally near"},        {"farther_from", "equally far"},
                   {"nearer_to_viewer", "equally near"}, {"farther_from_viewer", "equally far"},
                   {"taller_than", "equally tall"},      {"shorter_than", "equally tall"},
                   {"bigger_than", "equally big"},       {"smaller_than", "equally big"}};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(phrases[i].relation, relation->name) == 0)
            return phrases[i].equal;
    return NULL;
}

/* Likely, but not sure. Below so much it is a guess. Chosen. */
static void say_perhaps(pov_replying *r, const char *text)
{
    const double likely_p = 0.9;
    const pov_answer *a = &r->told;
    const bool is_relation = a->question->kind == POV_REQUEST_RELATION;
    const double said_p = a->frame_len == 1 ? fmax(a->frame[0].p, 1 - a->frame[0].p) : 0;
    if (is_relation && a->frame_len > 0 && fabs(a->frame[0].p - 0.5) < 1e-9 &&
        equal_phrase(a->question->relation))
        pov_reply_say(r, POV_ANSWERED, "They are %s.",
                      pov_reply_text(r, equal_phrase(a->question->relation)));
    else if (is_relation && said_p >= likely_p)
        pov_reply_say(r, POV_ANSWERED, "Most likely %s (P = %.2f), but it is too close to be sure.", text,
                      fmin(said_p, 0.99));
    else if (a->question->kind == POV_REQUEST_EXTREME && a->held_len > 1) {
        pov_text several = {0};
        say_list(&several, r, a->held, a->held_len, a->is_tie ? " and %s" : " or %s");
        pov_reply_say(r, POV_ANSWERED,
                      a->is_tie ? "They are equal in that: %s." : "That is too close to say: it may be %s.",
                      pov_text_of(&several));
        pov_text_free(&several);
    } else
        pov_reply_say(r, POV_ANSWERED, "That is too close to say.");
}

static void say_undefined(pov_replying *r)
{
    char reason[POV_MESSAGE_CAPACITY] = "", name[64];
    const pov_answer *a = &r->told;
    if (a->question->kind == POV_REQUEST_RELATION)
        pov_judgment_explain(reason, sizeof reason, a->scene, &a->frame[0].first);
    else if (a->question->kind == POV_REQUEST_WHERE && !a->scene->entities[a->question->referent].placed)
        snprintf(reason, sizeof reason, "%s has no position",
                 pov_name_thing(name, a->scene, a->question->referent));
    else if (a->look_len > 0 && a->look[0].cause == POV_CAUSE_NOT_A_VIEWER &&
             a->look[0].viewer == a->scene->camera)
        snprintf(reason, sizeof reason, "I do not know my own field of view");
    else if (a->look_len > 0 && a->look[0].cause == POV_CAUSE_NOT_A_VIEWER)
        snprintf(reason, sizeof reason, "I do not know what %s can see",
                 pov_name_thing(name, a->scene, a->look[0].viewer));
    else if (a->look_len > 0 && a->look[0].cause == POV_CAUSE_UNKNOWN_GAZE)
        snprintf(reason, sizeof reason, "I do not know which way %s looks",
                 pov_name_thing(name, a->scene, a->look[0].viewer));
    else if (a->question->kind == POV_REQUEST_FACING && a->question->referent != POV_ID_NONE)
        snprintf(reason, sizeof reason, "%s has no front",
                 pov_name_thing(name, a->scene, a->question->referent));
    if (*reason)
        pov_reply_say(r, POV_ANSWERED, "That cannot be told: %s.", reason);
    else
        pov_reply_say(r, POV_ANSWERED, "That cannot be told.");
}

void pov_reply_state(const pov_replying *r, pov_text *text)
{
    const pov_request *q = r->told.question;
    pov_text_clear(text);
    if (q->kind == POV_REQUEST_RELATION)
        say_relation(text, r, pov_area_phrase((char[64]){0}, &q->area, q->relation), true);
    else if (q->kind == POV_REQUEST_SEES && q->viewer != POV_ID_NONE && q->way == POV_WAY_PLAIN)
        say_look(text, r, q->viewer, q->referent, !q->negated);
}

/* "bigger than" in a language that puts it elsewhere: a yes says it all. */
static bool lacks_words(const pov_replying *r, const pov_relation_info *relation)
{
    return relation->category == POV_COMPARATIVE && r->language != r->talk->language[0] &&
           strcmp(pov_reply_text(r, relation->phrases[0]), relation->phrases[0]) == 0;
}

/* "is there anything in the box?": what is inside need not be in the scene. */
static bool asks_inside(const pov_request *q)
{
    static const char *const names[] = {"in", "inside", "within"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((q->kind == POV_REQUEST_COUNT || q->kind == POV_REQUEST_WHICH) && q->relation &&
            strcmp(q->relation->name, names[i]) == 0)
            return true;
    return false;
}

static const char not_inside[] = "I know of nothing in it, and cannot look inside.";

static void say_yes_no(pov_replying *r, bool yes)
{
    const pov_request *q = r->told.question;
    pov_text text = {0};
    char a[64], b[64];
    const bool seen = q->kind == POV_REQUEST_SEES && q->viewer != POV_ID_NONE;
    if (q->kind == POV_REQUEST_RELATION && !lacks_words(r, q->relation))
        say_relation(&text, r, pov_area_phrase((char[64]){0}, &q->area, q->relation), yes);
    else if (seen && q->way == POV_WAY_PLAIN)
        say_look(&text, r, q->viewer, q->referent, yes != q->negated);
    else if (seen && (q->way == POV_WAY_BOTH || q->way == POV_WAY_EACH_OTHER) && yes) {
        say_list(&text, r, (const pov_id[]){q->viewer, q->other}, 2, " and %s");
        if (q->way == POV_WAY_BOTH)
            pov_reply_add(r, &text, " both see %s", name_object(a, r, q->referent));
        else
            pov_reply_add(r, &text, " see each other");
    } else if (seen && (q->way == POV_WAY_BOTH || q->way == POV_WAY_EACH_OTHER))
        say_looks(&text, r);
    else if (seen && q->way == POV_WAY_BY)
        pov_reply_add(r, &text, yes ? "%s hides it" : "%s does not hide it", name_subject(a, r, q->other));
    else if (q->kind == POV_REQUEST_SEES && q->viewer == POV_ID_NONE)
        pov_reply_add(r, &text, yes == q->negated ? "%s is hidden" : "%s is visible",
                      name_subject(a, r, q->referent));
    else if (q->kind == POV_REQUEST_FACING && q->way == POV_WAY_EACH_OTHER)
        pov_reply_add(r, &text, yes ? "%s and %s face each other" : "%s and %s do not face each other",
                      name_subject(a, r, q->viewer), name_object(b, r, q->other));
    else if (q->kind == POV_REQUEST_COUNT && yes)
        say_list(&text, r, r->told.held, r->told.held_len, " and %s");
    if (!yes && asks_inside(q))
        pov_reply_say(r, POV_ANSWERED, not_inside);
    else if (text.len > 0)
        pov_reply_say(r, POV_ANSWERED, yes ? "Yes, %s." : "No, %s.", pov_text_of(&text));
    else
        pov_reply_say(r, POV_ANSWERED, yes ? "Yes." : "No.");
    pov_text_free(&text);
}

static void say_place(pov_replying *r)
{
    static const struct {
        const char *says, *phrase;
    } phrases[] = {{"on it", "on"}, {"in it", "in"}, {"under it", "under"}, {"around it", "around"}};
    const pov_answer *a = &r->told;
    pov_text text = {0}, phrase = {0};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(a->says, phrases[i].says) == 0)
            pov_text_set(&phrase, "%s", phrases[i].phrase);
    if (phrase.len == 0) { /* "right and behind" */
        char says[POV_SAYS_CAPACITY], *rest = NULL;
        strcpy(says, a->says);
        for (char *word = strtok_r(says, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            const char *of = strcmp(word, "left") == 0     ? "left of"
                             : strcmp(word, "right") == 0  ? "right of"
                             : strcmp(word, "front") == 0  ? "in front of"
                             : strcmp(word, "behind") == 0 ? "behind"
                             : strcmp(word, "north") == 0  ? "north of"
                             : strcmp(word, "east") == 0   ? "east of"
                             : strcmp(word, "south") == 0  ? "south of"
                             : strcmp(word, "west") == 0   ? "west of"
                                                           : NULL;
            if (of)
                pov_reply_add(r, &phrase, phrase.len > 0 ? " and %s" : "%s", pov_reply_text(r, of));
        }
    }
    say_relation(&text, r, phrase.len > 0 ? pov_text_of(&phrase) : "on none of these sides of", true);
    pov_reply_say(r, POV_ANSWERED, "%s.", pov_text_of(&text));
    pov_text_free(&text);
    pov_text_free(&phrase);
}

static void say_facing(pov_replying *r)
{
    const pov_answer *a = &r->told;
    const pov_id id = pov_scene_find(a->scene, a->says);
    char name[64], other[64];
    name_subject(name, r, a->question->referent);
    if (a->question->way == POV_WAY_WHAT && a->held_len > 1) {
        pov_text several = {0};
        say_list(&several, r, a->held, a->held_len, " or %s");
        pov_reply_say(r, POV_ANSWERED,
                      a->question->aim == POV_AIM_HAND ? "%s points at %s." : "%s looks at %s.", name,
                      pov_text_of(&several));
        pov_text_free(&several);
    } else if (a->question->way == POV_WAY_WHAT || id != POV_ID_NONE)
        pov_reply_say(r, POV_ANSWERED,
                      a->question->aim == POV_AIM_HAND ? "%s points at %s."
                      : a->question->looks             ? "%s looks at %s."
                                                       : "%s faces %s.",
                      name, id != POV_ID_NONE ? name_object(other, r, id) : pov_reply_text(r, a->says));
    else if (strncmp(a->says, "toward ", 7) == 0 && pov_scene_find(a->scene, a->says + 7) != POV_ID_NONE)
        pov_reply_say(r, POV_ANSWERED, "%s faces %s.", name,
                      name_object(other, r, pov_scene_find(a->scene, a->says + 7)));
    else if (strcmp(a->says, "nothing is ahead") == 0)
        pov_reply_say(r, POV_ANSWERED, "%s faces nothing here.", name);
    else
        pov_reply_say(r, POV_ANSWERED, "%s faces %s.", name, a->says);
}

/* Names of things, numbers, nothing. */
static void say_things(pov_replying *r)
{
    const pov_answer *a = &r->told;
    const pov_request *q = a->question;
    const bool none = strcmp(a->says, "none") == 0,
               counted = strspn(a->says, "0123456789 to") == strlen(a->says);
    const bool who = q->kind == POV_REQUEST_SEEN && (q->way == POV_WAY_WHO || q->way == POV_WAY_WHO_COUNTED);
    pov_text text = {0};
    char name[64];
    const pov_id id = pov_scene_find(a->scene, a->says);
    say_list(&text, r, a->held, a->held_len, " and %s");
    if ((none || strcmp(a->says, "0") == 0) && asks_inside(q))
        pov_reply_say(r, POV_ANSWERED, not_inside);
    else if (none || strcmp(a->says, "0") == 0)
        pov_reply_say(r, POV_ANSWERED, who ? "Nobody." : "None.");
    else if (counted && a->held_len > 0)
        pov_reply_say(r, POV_ANSWERED, "%s: %s.", a->says, pov_text_of(&text));
    else if (q->kind == POV_REQUEST_EXTREME && id != POV_ID_NONE)
        pov_reply_say(r, POV_ANSWERED, "%s.", name_subject(name, r, id));
    else
        pov_reply_say(r, POV_ANSWERED, "%s.",
                      a->held_len > 0 ? pov_text_of(&text) : say_one(name, r, a->says));
    pov_text_free(&text);
}

static void say_answer(pov_replying *r)
{
    const pov_answer *a = &r->told;
    const pov_request *q = a->question;
    const bool depends = strcmp(a->says, "depends") == 0, abstains = strcmp(a->says, "abstain") == 0;
    const bool yes = strcmp(a->says, "yes") == 0;
    pov_text text = {0};
    char name[64], other[64];
    if (depends && (q->kind == POV_REQUEST_SEES || q->kind == POV_REQUEST_HIDES)) {
        say_looks(&text, r);
        pov_reply_say(r, POV_ANSWERED, "That depends on who looks: %s.", pov_text_of(&text));
    } else if (q->kind == POV_REQUEST_WHERE && !a->scene->entities[q->referent].placed)
        say_undefined(r);
    else if (q->kind == POV_REQUEST_WHERE && q->way != POV_WAY_CLOCK) {
        say_sides(&text, r);
        pov_reply_say(r, POV_ANSWERED, "%s.", pov_text_of(&text));
    } else if (depends && a->frame_len > 0) {
        say_by_frames(&text, r);
        pov_reply_say(r, POV_ANSWERED, "%s.", pov_text_of(&text));
    } else if (strcmp(a->says, "undefined") == 0)
        say_undefined(r);
    else if (abstains) {
        if (q->kind == POV_REQUEST_RELATION)
            say_relation(&text, r, pov_area_phrase((char[64]){0}, &q->area, q->relation),
                         !(a->frame_len == 1 && a->frame[0].p < 0.5));
        say_perhaps(r, pov_text_of(&text));
    } else if (yes || strcmp(a->says, "no") == 0)
        say_yes_no(r, yes);
    else if (q->kind == POV_REQUEST_ORDER) {
        say_order(&text, r);
        pov_reply_say(r, POV_ANSWERED, q->by_distance ? "From near to far: %s." : "From left to right: %s.",
                      text.len > 0 ? pov_text_of(&text) : pov_reply_text(r, "nothing"));
    } else if (q->kind == POV_REQUEST_WHERE && depends)
        pov_reply_say(r, POV_ANSWERED, "It depends on who looks.");
    else if (q->kind == POV_REQUEST_WHERE)
        pov_reply_say(r, POV_ANSWERED, "%s is at %s for %s.", name_subject(name, r, q->referent), a->says,
                      name_object(other, r, a->side[0].viewer));
    else if (q->kind == POV_REQUEST_DISTANCE)
        pov_reply_say(r, POV_ANSWERED, "%s is %s from %s.", name_subject(name, r, q->referent), a->says,
                      name_object(other, r, q->relatum[0]));
    else if (q->kind == POV_REQUEST_PLACE)
        say_place(r);
    else if (q->kind == POV_REQUEST_FACING)
        say_facing(r);
    else if (q->kind == POV_REQUEST_HIDES && strcmp(a->says, "nothing") == 0)
        pov_reply_say(r, POV_ANSWERED, "Nothing hides %s.", name_object(name, r, q->referent));
    else if (q->kind == POV_REQUEST_HIDES)
        pov_reply_say(r, POV_ANSWERED, "%s hides %s.",
                      name_subject(name, r, pov_scene_find(a->scene, a->says)),
                      name_object(other, r, q->referent));
    else
        say_things(r);
    pov_text_free(&text);
}

/* -------- why -------- */

static void explain_frame(pov_replying *r, const pov_frame_answer *told)
{
    const pov_judgment *j = &told->first;
    const pov_query *query = &j->query;
    char name[64], other[64], frame[96];
    if (isnan(told->p))
        return;
    name_subject(name, r, query->referent);
    name_object(other, r, query->relatum[0]);
    pov_reply_add(r, &r->why, r->why.len > 0 ? "; " : "Because ");
    if (!isnan(j->theta_rad)) {
        say_frame_of(frame, r, &told->frame);
        pov_reply_add(r, &r->why, "%s lies %.0f degrees off \"%s %s\" %s, and less than 90 count", name,
                      fabs(pov_degrees(j->theta_rad)), pov_reply_text(r, query->relation->phrases[0]), other,
                      frame);
    } else
        pov_reply_add(r, &r->why, "\"%s %s\" holds of %s with P = %.2f",
                      pov_reply_text(r, query->relation->phrases[0]), other, name, told->p);
}

static void explain_look(pov_replying *r, const pov_visibility *look)
{
    char viewer[64], thing[64], by[64];
    const bool camera = look->viewer == r->about->scene->camera;
    if (isnan(look->fraction_visible))
        return;
    pov_reply_add(r, &r->why, r->why.len > 0 ? "; " : "Because ");
    pov_reply_add(r, &r->why, camera ? "%s have %.0f %% of %s in sight" : "%s has %.0f %% of %s in sight",
                  name_subject(viewer, r, look->viewer), 100 * look->fraction_visible,
                  name_object(thing, r, look->target));
    if (look->occluder_len > 0)
        pov_reply_add(r, &r->why, ", and %s hides %.0f %%", name_subject(by, r, look->occluders[0].id),
                      100 * look->occluders[0].share);
    else if (look->fraction_visible < 0.2)
        pov_reply_add(r, &r->why,
                      look->cause == POV_CAUSE_BEHIND        ? ": it is behind"
                      : look->cause == POV_CAUSE_OUT_OF_VIEW ? ": it is out of view"
                                                             : "");
}

static void explain_extreme(pov_replying *r)
{
    const pov_request *q = r->told.question;
    const pov_scene *scene = r->about->scene;
    const pov_id from = q->relatum_len > 0 ? q->relatum[0] : q->viewer;
    const bool far = from != POV_ID_NONE && (q->extreme == POV_NEAREST || q->extreme == POV_FARTHEST);
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        char name[64], other[64];
        if (!q->candidate[id] || !entity->placed || id == scene->camera || id == from)
            continue;
        pov_reply_add(r, &r->why, r->why.len > 0 ? "; " : "Because ");
        name_subject(name, r, id);
        if (far)
            pov_reply_add(
                r, &r->why, "%s is %.2f m from %s", name,
                pov_vec3_norm(pov_vec3_sub(entity->position.mean_m, scene->entities[from].position.mean_m)),
                name_object(other, r, from));
        else
            pov_reply_add(r, &r->why, "%s measures %.2f x %.2f x %.2f m", name, entity->size_m.x,
                          entity->size_m.y, entity->size_m.z);
    }
}

void pov_reply_explain(pov_replying *r)
{
    const pov_answer *a = &r->told;
    pov_text_clear(&r->why);
    for (int i = 0; i < a->frame_len && a->question->relation; i++)
        explain_frame(r, &a->frame[i]);
    for (int i = 0; i < a->look_len && a->frame_len == 0; i++)
        explain_look(r, &a->look[i]);
    if (a->question->kind == POV_REQUEST_EXTREME)
        explain_extreme(r);
    pov_reply_add(r, &r->why, r->why.len > 0 ? "." : "So it is by the positions that I measured.");
}

/* -------- one answer, or several things that it may be about -------- */

static void set_part(pov_request *request, pov_role role, pov_id id)
{
    if (role == POV_ROLE_THING)
        request->referent = id;
    else if (role == POV_ROLE_SEER)
        request->viewer = id;
    else if (role == POV_ROLE_OTHER)
        request->other = id;
    else if (role == POV_ROLE_RELATUM)
        request->relatum[request->relatum_len - 1] = id;
}

/* Do all things that the part may be give one sure answer? */
static bool is_same_for_all(pov_replying *r, const pov_request *request, const pov_open_role *open)
{
    char first[4] = "";
    int tried = 0;
    for (pov_id id = 0; id < r->about->scene->len; id++) {
        pov_request one = *request;
        if (open->meant.q[id] < 0.03)
            continue;
        set_part(&one, open->role, id);
        pov_answer_make(&r->told, r->context.moment, &one, NULL);
        cJSON_Delete(r->told.json);
        const bool sure = strcmp(r->told.says, "yes") == 0 || strcmp(r->told.says, "no") == 0;
        if (++tried > TRIED_MAX || !sure || (*first && strcmp(first, r->told.says) != 0))
            return false;
        strcpy(first, r->told.says);
    }
    return true;
}

static void remember_things(pov_replying *r, const pov_request *q)
{
    pov_id answered = pov_scene_find(r->about->scene, r->told.says);
    pov_id it = q->referent != POV_ID_NONE ? q->referent : answered;
    if (it != POV_ID_NONE && it != r->about->scene->camera && !pov_is_person(r->about->scene, it))
        r->context.it = it;
    if (q->referent != POV_ID_NONE && pov_is_person(r->about->scene, q->referent))
        r->context.person = q->referent;
    if (q->referent != POV_ID_NONE && q->relatum_len == 1) {
        r->context.both[0] = q->referent;
        r->context.both[1] = q->relatum[0];
    }
}

/* `frame`: whose axes; `viewer`: whose, also where they are the relatum's own. */
static void add_frame(const pov_replying *r, cJSON *pick)
{
    const pov_request *q = r->told.question;
    const char *perspective = cJSON_GetStringValue(cJSON_GetObjectItem(pick, "perspective")),
               *viewer = cJSON_GetStringValue(cJSON_GetObjectItem(pick, "viewer"));
    const pov_scene *scene = r->about->scene;
    if (q->kind == POV_REQUEST_EXTREME && viewer)
        perspective = pov_perspective_name(pov_scene_find(scene, viewer) == scene->camera ? POV_EGOCENTRIC
                                                                                          : POV_ADDRESSEE);
    const bool is_framed = q->kind == POV_REQUEST_EXTREME || !q->relation ||
                           q->relation->frame == POV_FRAME_AXES || q->relation->frame == POV_FRAME_VIEWER;
    if (is_framed && perspective && !viewer && q->relatum_len > 0)
        cJSON_ReplaceItemInObject(pick, "viewer", cJSON_CreateString(scene->entities[q->relatum[0]].name));
    pov_json_add_text(pick, "frame", is_framed ? perspective : NULL);
}

/* Moves the answer's members to the reply, which keeps those that it has. */
static void take_answer(pov_replying *r)
{
    cJSON *pick, *from = r->told.json;
    if (r->told.question->kind == POV_REQUEST_WHICH || r->told.question->kind == POV_REQUEST_EXTREME)
        cJSON_ArrayForEach(pick, cJSON_GetObjectItem(from, "picks"))
        {
            const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(pick, "pick"));
            pov_json_add_text(pick, "id", pov_scene_find(r->about->scene, id) == POV_ID_NONE ? NULL : id);
            add_frame(r, pick);
        }
    while (from->child) {
        cJSON *item = cJSON_DetachItemViaPointer(from, from->child);
        if (cJSON_HasObjectItem(r->answer, item->string))
            cJSON_Delete(item);
        else
            cJSON_AddItemToObject(r->answer, item->string, item);
    }
    cJSON_Delete(from);
    r->reply->shown = r->told.shown;
}

pov_status pov_reply_make_answer(pov_replying *r, const pov_request *request)
{
    size_t size;
    FILE *lines = open_memstream(&r->reply->details, &size);
    if (!lines)
        return pov_error("out of memory");
    pov_answer_make(&r->told, r->context.moment, request, lines);
    fclose(lines);
    take_answer(r);
    return pov_ok();
}

pov_status pov_reply_to_question(pov_replying *r, const pov_node *question)
{
    pov_request request;
    pov_open_role open;
    if (strcmp(question->items->node->name, "WHEN") == 0)
        return pov_reply_with_times(r, question->items->node);
    if (strcmp(question->items->node->name, "COMPARE") == 0)
        return pov_reply_with_comparison(r, question->items->node);
    if (strcmp(question->items->node->name, "CAMERA") == 0)
        return pov_reply_with_camera(r, question->items->node);
    POV_TRY(pov_request_read(&request, &open, &r->context, question));
    if (open.is_open && !is_same_for_all(r, &request, &open)) {
        cJSON_AddNullToObject(r->answer, "kind");
        cJSON_AddNullToObject(r->answer, "answer");
        pov_ask_for_thing(r, &open.meant, open.role);
        return pov_ok();
    }
    POV_TRY(pov_reply_make_answer(r, &request));
    pov_reply_explain(r);
    remember_things(r, &request);
    say_answer(r);
    const bool by_frame = request.kind == POV_REQUEST_EXTREME ||
                          (request.relation && request.any_perspective && r->told.frame_len > 0);
    if (strcmp(r->told.says, "depends") == 0 && by_frame) {
        pov_hypothesis all[POV_HYPOTHESES_MAX], frames[POV_HYPOTHESES_MAX];
        const int all_len = pov_hypotheses_of(all, &r->context);
        int len = 0;
        for (int k = 0; k < r->told.frame_len; k++)
            for (int i = 0; i < all_len && len < POV_HYPOTHESES_MAX; i++)
                if (all[i].viewer == r->told.frame[k].frame.viewer &&
                    strcmp(r->told.frame[k].says, "undefined") != 0)
                    frames[len++] = all[i];
        char *said = pov_text_take(&r->reply->say);
        pov_ask_for_frame(r, frames, len,
                          request.relation ? pov_area_phrase((char[64]){0}, &request.area, request.relation)
                                           : NULL,
                          request.relatum_len > 0 ? request.relatum[0] : POV_ID_NONE);
        pov_text_set(&r->reply->say, "%s %s", said, pov_text_of(&r->question));
        free(said);
    } else if (request.kind == POV_REQUEST_WHICH || request.kind == POV_REQUEST_EXTREME)
        r->picked = pov_scene_find(r->about->scene, r->told.says);
    return pov_ok();
}
