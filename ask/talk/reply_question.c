/* Answers to questions, as one sentence and with what they rest on. */
#include "ask/talk/talk_internal.h"

#include "ask/answering/answering.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIED_MAX = 4 };

static cJSON *answer_object(pov_replying *r, const pov_request *request)
{
    return pov_answer_make(&r->reply->shown, r->context.moment, request);
}

static char *answer_text(const cJSON *object)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    pov_answer_print(stream, object);
    fclose(stream);
    return text;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return text ? text : "";
}

/* -------- frames -------- */

static const cJSON *frames_of(const cJSON *answer, const char **verdict)
{
    static const struct {
        const char *list, *verdict;
    } lists[] = {{"judgments", "verdict"}, {"picks", "pick"}, {"places", "place"}, {"counts", "count"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const cJSON *list = cJSON_GetObjectItem(answer, lists[i].list);
        *verdict = lists[i].verdict;
        if (list)
            return list;
    }
    return NULL;
}

static void copy_text(cJSON *to, const cJSON *from, const char *key)
{
    pov_json_add_text(to, key, cJSON_GetStringValue(cJSON_GetObjectItem(from, key)));
}

static void add_frames(pov_replying *r, const cJSON *answer)
{
    const char *key;
    const cJSON *item, *list = frames_of(answer, &key);
    cJSON *frames = cJSON_AddArrayToObject(r->answer, "frames");
    cJSON_ArrayForEach(item, list)
    {
        cJSON *frame = cJSON_CreateObject();
        const cJSON *p = cJSON_GetObjectItem(item, "p");
        copy_text(frame, item, "perspective");
        copy_text(frame, item, "convention");
        copy_text(frame, item, "axis");
        copy_text(frame, item, "viewer");
        copy_text(frame, item, key);
        if (strcmp(key, "verdict") != 0)
            pov_json_add_text(frame, "verdict", cJSON_GetStringValue(cJSON_GetObjectItem(item, key)));
        pov_json_add_number(frame, "p", cJSON_IsNumber(p) ? p->valuedouble : NAN);
        cJSON_AddItemToArray(frames, frame);
    }
}

/* The frames of an answer that depends on them. */
static int hypotheses_in(pov_hypothesis frames[POV_HYPOTHESES_MAX], pov_replying *r, const cJSON *answer)
{
    const char *key;
    const cJSON *item, *list = frames_of(answer, &key);
    pov_hypothesis all[POV_HYPOTHESES_MAX];
    int all_len = pov_hypotheses_of(all, &r->context), len = 0;
    cJSON_ArrayForEach(item, list)
    {
        const char *viewer = cJSON_GetStringValue(cJSON_GetObjectItem(item, "viewer")),
                   *says = text_of(item, key);
        pov_id id = viewer ? pov_scene_find(r->about->scene, viewer) : POV_ID_NONE;
        if (strcmp(says, "undefined") == 0)
            continue;
        for (int i = 0; i < all_len && len < POV_HYPOTHESES_MAX; i++)
            if (all[i].viewer == id)
                frames[len++] = all[i];
    }
    return len;
}

/* -------- the sentence -------- */

/* "the ball is behind the car" */
static void say_relation(char *text, size_t capacity, pov_replying *r, const pov_request *q, bool holds)
{
    char referent[64], relatum[64], frame[96] = "";
    const char *phrase = q->relation->phrases[0];
    pov_name_thing(referent, r->about->scene, q->referent);
    if (strcmp(referent, "me") == 0)
        strcpy(referent, "I");
    bool self = q->referent == pov_speaker_of(&r->context), camera = q->referent == r->about->scene->camera;
    size_t length = (size_t)snprintf(text, capacity, "%s %s %s", self ? pov_reply_text(r, "you") : referent,
                                     pov_reply_text(r, camera ? (holds ? "am" : "am not")
                                                       : self ? (holds ? "are" : "are not")
                                                              : (holds ? "is" : "is not")),
                                     pov_reply_text(r, strncmp(phrase, "is ", 3) == 0 ? phrase + 3 : phrase));
    bool compares =
        strcmp(q->relation->name, "nearer_to") == 0 || strcmp(q->relation->name, "farther_from") == 0;
    for (int i = 0; i < q->relatum_len && length < capacity; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%s %s", i == 0 ? "" : " ",
                                   i == 0 ? "" : pov_reply_text(r, compares ? "than" : "and"),
                                   pov_name_thing(relatum, r->about->scene, q->relatum[i]));
    if (!q->any_perspective && q->relation->frame == POV_FRAME_AXES && length < capacity) {
        pov_hypothesis h = {q->perspective, q->viewer, 1};
        snprintf(text + length, capacity - length, " %s",
                 pov_say_frame(frame, &r->context, &h, q->relatum[0]));
    }
}

static void say_sight(char *text, size_t capacity, pov_replying *r, const pov_request *q)
{
    char viewer[64], thing[64];
    pov_name_thing(thing, r->about->scene, q->referent);
    if (q->viewer == POV_ID_NONE)
        snprintf(text, capacity, pov_reply_text(r, q->negated ? "%s is hidden" : "%s is visible"), thing);
    else
        snprintf(text, capacity, "%s %s %s",
                 q->viewer == r->about->scene->camera ? pov_reply_text(r, "I")
                                                      : pov_name_thing(viewer, r->about->scene, q->viewer),
                 pov_reply_text(r, q->viewer == r->about->scene->camera ? "see" : "sees"), thing);
}

/* "anna: yes; camera: no" */
static void say_who_sees(char *text, size_t capacity, const pov_replying *r, const cJSON *answer)
{
    const cJSON *look;
    size_t length = 0;
    text[0] = '\0';
    cJSON_ArrayForEach(look, cJSON_GetObjectItem(answer, "visibility"))
    {
        if (length < capacity)
            length += (size_t)snprintf(text + length, capacity - length, "%s%s: %s", length ? "; " : "",
                                       text_of(look, "viewer"),
                                       pov_reply_text(r, strcmp(text_of(look, "verdict"), "true") == 0 ? "yes"
                                                         : strcmp(text_of(look, "verdict"), "false") == 0
                                                             ? "no"
                                                             : text_of(look, "verdict")));
    }
}

/* "in front and to the left of" */
static const char *side_phrase(const char *side)
{
    static const char *const phrases[][2] = {{"front", "in front of"},
                                             {"front-left", "in front and to the left of"},
                                             {"front-right", "in front and to the right of"},
                                             {"left", "to the left of"},
                                             {"right", "to the right of"},
                                             {"back", "behind"},
                                             {"back-left", "behind and to the left of"},
                                             {"back-right", "behind and to the right of"}};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(side, phrases[i][0]) == 0)
            return phrases[i][1];
    return "somewhere about";
}

static void say_sides(char *text, size_t capacity, pov_replying *r, pov_id thing, const cJSON *answer)
{
    const cJSON *side;
    char name[64];
    const bool self = thing == pov_speaker_of(&r->context), camera = thing == r->about->scene->camera;
    size_t length = (size_t)snprintf(text, capacity, "%s",
                                     self     ? "you are"
                                     : camera ? "I am"
                                              : pov_name_thing(name, r->about->scene, thing));
    if (!self && !camera)
        length += (size_t)snprintf(text + length, capacity - length, " is");
    bool first = true;
    cJSON_ArrayForEach(side, cJSON_GetObjectItem(answer, "sides"))
    {
        pov_id viewer = pov_scene_find(r->about->scene, text_of(side, "viewer"));
        if (length < capacity && *text_of(side, "side") && viewer != POV_ID_NONE)
            length += (size_t)snprintf(text + length, capacity - length, "%s %s %s", first ? "" : ",",
                                       side_phrase(text_of(side, "side")),
                                       viewer == pov_speaker_of(&r->context)
                                           ? "you"
                                           : pov_name_thing(name, r->about->scene, viewer));
        first = first && !(*text_of(side, "side") && viewer != POV_ID_NONE);
    }
    if (first && length < capacity)
        snprintf(text + length, capacity - length, " somewhere: nobody here has a front to tell it from");
}

static void say_by_frames(char *text, size_t capacity, pov_replying *r, const cJSON *answer)
{
    const char *key;
    const cJSON *item, *list = frames_of(answer, &key);
    size_t length = (size_t)snprintf(text, capacity, "%s", pov_reply_text(r, "It depends"));
    cJSON_ArrayForEach(item, list)
    {
        const char *viewer = cJSON_GetStringValue(cJSON_GetObjectItem(item, "viewer")),
                   *says = text_of(item, key);
        char frame[96];
        pov_hypothesis h = {POV_INTRINSIC, viewer ? pov_scene_find(r->about->scene, viewer) : POV_ID_NONE, 1};
        says = strcmp(says, "true") == 0 ? "yes" : strcmp(says, "false") == 0 ? "no" : says;
        if (strcmp(says, "undefined") != 0 && length < capacity)
            length +=
                (size_t)snprintf(text + length, capacity - length, "%s %s %s", strchr(text, ':') ? "," : ":",
                                 pov_reply_text(r, says), pov_say_frame(frame, &r->context, &h, POV_ID_NONE));
    }
}

static void say_ids(char *text, size_t capacity, pov_replying *r, const char *ids)
{
    char list[POV_SAY_CAPACITY], name[64], *rest = NULL;
    size_t length = 0;
    text[0] = '\0';
    snprintf(list, sizeof list, "%s", ids);
    for (char *id = strtok_r(list, ",", &rest); id && length < capacity; id = strtok_r(NULL, ",", &rest)) {
        id += *id == ' ';
        pov_id thing = pov_scene_find(r->about->scene, id);
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", length ? ", " : "",
                                   thing == POV_ID_NONE ? id
                                   : thing == r->about->scene->camera
                                       ? pov_reply_text(r, "me")
                                       : pov_name_thing(name, r->about->scene, thing));
    }
}

/* Likely, but not sure. Below so much it is a guess. Chosen. */
static void say_perhaps(pov_replying *r, const pov_request *q, const cJSON *object, const char *text)
{
    const double likely_p = 0.9;
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "judgments"), 0),
                *p = cJSON_GetObjectItem(first, "p");
    if (q->kind == POV_REQUEST_RELATION && cJSON_IsNumber(p) && p->valuedouble >= likely_p &&
        cJSON_GetArraySize(cJSON_GetObjectItem(object, "judgments")) == 1)
        pov_reply_say(r, POV_ANSWERED, "Most likely %s (P = %.2f), but it is too close to be sure.", text,
                      p->valuedouble);
    else
        pov_reply_say(r, POV_ANSWERED, "That is too close to say.");
}

static void say_yes_no(pov_replying *r, const pov_request *q, const char *answer, const cJSON *object)
{
    char text[POV_SAY_CAPACITY / 2] = "";
    bool yes = strcmp(answer, "yes") == 0, no = strcmp(answer, "no") == 0;
    if (q->kind == POV_REQUEST_RELATION)
        say_relation(text, sizeof text, r, q, !no);
    else if (q->kind == POV_REQUEST_SEES && q->way == POV_WAY_PLAIN && q->viewer != POV_ID_NONE &&
             !q->negated)
        say_sight(text, sizeof text, r, q);
    if (yes)
        pov_reply_say(r, POV_ANSWERED, *text ? "Yes, %s." : "Yes%s.", text);
    else if (no && q->kind == POV_REQUEST_RELATION)
        pov_reply_say(r, POV_ANSWERED, "No, %s.", text);
    else if (no)
        pov_reply_say(r, POV_ANSWERED, *text ? "No, it is not so that %s." : "No%s.", text);
    else if (strcmp(answer, "abstain") == 0)
        say_perhaps(r, q, object, text);
    else if (strcmp(answer, "undefined") == 0) {
        const cJSON *reason, *first = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "judgments"), 0);
        reason = cJSON_GetObjectItem(first, "undefined_because");
        pov_reply_say(r, POV_ANSWERED, "That cannot be told%s%s.", reason ? ": " : "",
                      reason ? cJSON_GetStringValue(reason) : "");
    }
}

/* All that fit in the one frame that there is, or in which all agree on the best. */
static void say_holding(char *text, size_t capacity, pov_replying *r, const cJSON *object)
{
    const cJSON *pick = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "picks"), 0), *held;
    size_t length = 0;
    char name[64];
    text[0] = '\0';
    cJSON_ArrayForEach(held, cJSON_GetObjectItem(pick, "holds_of"))
    {
        pov_id id = pov_scene_find(r->about->scene, text_of(held, "id"));
        if (cJSON_GetObjectItem(held, "p")->valuedouble > 0.5 && length < capacity)
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", length ? ", " : "",
                                       pov_name_thing(name, r->about->scene, id));
    }
}

static void say_answer(pov_replying *r, const pov_request *q, const cJSON *object)
{
    const char *answer = text_of(object, "answer");
    char text[POV_SAY_CAPACITY - 80], name[64] = "";
    bool depends = strcmp(answer, "depends") == 0;
    if (q->referent != POV_ID_NONE)
        pov_name_thing(name, r->about->scene, q->referent);
    if (depends && (q->kind == POV_REQUEST_SEES || q->kind == POV_REQUEST_HIDES)) {
        say_who_sees(text, sizeof text, r, object);
        pov_reply_say(r, POV_ANSWERED, "That depends on who looks at %s: %s.", name, text);
    } else if (q->kind == POV_REQUEST_WHERE && q->way != POV_WAY_CLOCK) {
        say_sides(text, sizeof text, r, q->referent, object);
        pov_reply_say(r, POV_ANSWERED, "%s.", text);
    } else if (depends) {
        say_by_frames(text, sizeof text, r, object);
        pov_reply_say(r, POV_ANSWERED, "%s.", text);
    } else if (strcmp(answer, "yes") == 0 || strcmp(answer, "no") == 0 || strcmp(answer, "abstain") == 0 ||
               strcmp(answer, "undefined") == 0)
        say_yes_no(r, q, answer, object);
    else if (q->kind == POV_REQUEST_ORDER) {
        const cJSON *place;
        size_t length = 0;
        text[0] = '\0';
        cJSON_ArrayForEach(place, cJSON_GetObjectItem(object, "places"))
        {
            if (length < sizeof text)
                length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? ", " : "",
                                           text_of(place, "id"));
        }
        pov_reply_say(r, POV_ANSWERED, "%s: %s.", q->by_distance ? "From near to far" : "From left to right",
                      *text ? text : "nothing");
    } else if (q->kind == POV_REQUEST_WHICH && strcmp(answer, "none") != 0 &&
               cJSON_GetArraySize(cJSON_GetObjectItem(object, "picks")) == 1) {
        say_holding(text, sizeof text, r, object);
        pov_reply_say(r, POV_ANSWERED, "%s.", text);
    } else if (strcmp(answer, "none") == 0)
        pov_reply_say(r, POV_ANSWERED, "None.");
    else {
        say_ids(text, sizeof text, r, answer);
        if (*name && q->kind != POV_REQUEST_SEEN && q->kind != POV_REQUEST_HIDES)
            pov_reply_say(r, POV_ANSWERED, "%s: %s.", name, text);
        else
            pov_reply_say(r, POV_ANSWERED, "%s.", text);
    }
}

/* -------- why -------- */

static void explain(pov_replying *r, const pov_request *q, const cJSON *object)
{
    const cJSON *item;
    size_t length = 0;
    char name[64], frame[96];
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(object, "judgments"))
    {
        const cJSON *theta = cJSON_GetObjectItem(item, "theta_deg"), *p = cJSON_GetObjectItem(item, "p");
        const char *viewer = cJSON_GetStringValue(cJSON_GetObjectItem(item, "viewer"));
        pov_hypothesis h = {POV_INTRINSIC, viewer ? pov_scene_find(r->about->scene, viewer) : POV_ID_NONE, 1};
        if (!cJSON_IsNumber(p) || length >= sizeof r->why)
            continue;
        length +=
            (size_t)snprintf(r->why + length, sizeof r->why - length, "%s%s lies", length ? "; " : "Because ",
                             pov_name_thing(name, r->about->scene, q->referent));
        if (cJSON_IsNumber(theta) && length < sizeof r->why)
            length += (size_t)snprintf(r->why + length, sizeof r->why - length,
                                       " %.0f degrees off \"%s %s\" %s, and less than 90 count",
                                       fabs(theta->valuedouble), q->relation->phrases[0],
                                       r->about->scene->entities[q->relatum[0]].name,
                                       pov_say_frame(frame, &r->context, &h, q->relatum[0]));
        else if (length < sizeof r->why)
            length += (size_t)snprintf(r->why + length, sizeof r->why - length,
                                       " so that \"%s\" holds with P = %.2f", q->relation->phrases[0],
                                       p->valuedouble);
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(object, "visibility"))
    {
        const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(item, "occluders"), 0),
                    *visible = cJSON_GetObjectItem(item, "fraction_visible");
        if (!cJSON_IsNumber(visible) || length >= sizeof r->why)
            continue;
        const cJSON *share = cJSON_GetObjectItem(first, "share");
        length += (size_t)snprintf(r->why + length, sizeof r->why - length, "%s%s has %.0f %% of %s in sight",
                                   length ? "; " : "Because ", text_of(item, "viewer"),
                                   100 * visible->valuedouble, text_of(item, "target"));
        if (cJSON_IsNumber(share) && length < sizeof r->why)
            length += (size_t)snprintf(r->why + length, sizeof r->why - length, ", and %s hides %.0f %%",
                                       text_of(first, "id"), 100 * share->valuedouble);
        else if (visible->valuedouble < 0.2 && length < sizeof r->why)
            length +=
                (size_t)snprintf(r->why + length, sizeof r->why - length, " (%s)", text_of(item, "cause"));
    }
    if (q->kind == POV_REQUEST_EXTREME && length == 0)
        for (pov_id id = 0; id < r->about->scene->len; id++) {
            const pov_entity *entity = &r->about->scene->entities[id];
            pov_id from = q->relatum_len > 0 ? q->relatum[0] : q->viewer;
            if (!q->candidate[id] || !entity->placed || length >= sizeof r->why)
                continue;
            if (from != POV_ID_NONE && (q->extreme == POV_NEAREST || q->extreme == POV_FARTHEST))
                length += (size_t)snprintf(
                    r->why + length, sizeof r->why - length, "%s%s is %.2f m from %s",
                    length ? "; " : "Because ", entity->name,
                    pov_vec3_norm(pov_vec3_sub(entity->position.mean_m,
                                               r->about->scene->entities[from].position.mean_m)),
                    r->about->scene->entities[from].name);
            else
                length +=
                    (size_t)snprintf(r->why + length, sizeof r->why - length,
                                     "%s%s measures %.2f x %.2f x %.2f m", length ? "; " : "Because ",
                                     entity->name, entity->size_m.x, entity->size_m.y, entity->size_m.z);
        }
    if (length == 0)
        snprintf(r->why, sizeof r->why, "So it is by the positions that I measured.");
    else if (length + 1 < sizeof r->why)
        strcpy(r->why + length, ".");
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

/* Do all things that the part may be give one answer? */
static bool is_same_for_all(pov_replying *r, const pov_request *request, const pov_open_role *open)
{
    char first[200] = "";
    int tried = 0;
    for (pov_id id = 0; id < r->about->scene->len; id++) {
        pov_request one = *request;
        if (open->meant.q[id] < 0.03)
            continue;
        if (++tried > TRIED_MAX)
            return false;
        set_part(&one, open->role, id);
        cJSON *object = answer_object(r, &one);
        const char *answer = text_of(object, "answer");
        bool same = tried == 1 || strcmp(first, answer) == 0;
        bool sure = strcmp(answer, "yes") == 0 || strcmp(answer, "no") == 0;
        snprintf(first, sizeof first, "%s", answer);
        cJSON_Delete(object);
        if (!same || !sure)
            return false;
    }
    return true;
}

static void merge(cJSON *into, cJSON *from)
{
    while (from->child) {
        cJSON *item = cJSON_DetachItemViaPointer(from, from->child);
        if (cJSON_HasObjectItem(into, item->string))
            cJSON_Delete(item);
        else
            cJSON_AddItemToObject(into, item->string, item);
    }
    cJSON_Delete(from);
}

static void remember_things(pov_replying *r, const pov_request *q, const char *answer)
{
    pov_id answered = pov_scene_find(r->about->scene, answer);
    pov_id it = q->referent != POV_ID_NONE ? q->referent : answered;
    if (it != POV_ID_NONE && it != r->about->scene->camera && !pov_is_person(r->about->scene, it))
        r->context.it = it;
    if (q->referent != POV_ID_NONE && pov_is_person(r->about->scene, q->referent))
        r->context.person = q->referent;
}

/* "hand me": which is a question, too. */
static void add_pick_members(pov_replying *r, const pov_request *q, cJSON *object)
{
    cJSON *item;
    if (q->kind != POV_REQUEST_WHICH && q->kind != POV_REQUEST_EXTREME)
        return;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(object, "picks"))
    {
        const char *pick = text_of(item, "pick"),
                   *perspective = cJSON_GetStringValue(cJSON_GetObjectItem(item, "perspective"));
        pov_json_add_text(item, "id", pov_scene_find(r->about->scene, pick) == POV_ID_NONE ? NULL : pick);
        pov_json_add_text(item, "frame", perspective);
    }
}

void pov_reply_add_details(pov_replying *r, const pov_request *request)
{
    cJSON *object = answer_object(r, request);
    if (!object)
        return;
    r->reply->details = answer_text(object);
    add_frames(r, object);
    add_pick_members(r, request, object);
    merge(r->answer, object);
}

pov_status pov_reply_to_question(pov_replying *r, const pov_node *question)
{
    pov_request request;
    pov_open_role open;
    POV_TRY(pov_request_read(&request, &open, &r->context, question, r->utterance));
    if (open.is_open && !is_same_for_all(r, &request, &open)) {
        r->reply->shown.theta_rad = NAN;
        cJSON_AddNullToObject(r->answer, "kind");
        cJSON_AddNullToObject(r->answer, "answer");
        pov_ask_for_thing(r, &open.meant, open.role);
        return pov_ok();
    }
    cJSON *object = answer_object(r, &request);
    if (!object)
        return pov_error("out of memory");
    r->reply->details = answer_text(object);
    add_frames(r, object);
    explain(r, &request, object);
    const char *answer = text_of(object, "answer");
    remember_things(r, &request, answer);
    say_answer(r, &request, object);
    bool by_frame = request.relation && request.any_perspective &&
                    (request.kind == POV_REQUEST_RELATION || request.kind == POV_REQUEST_WHICH ||
                     request.kind == POV_REQUEST_PLACE || request.kind == POV_REQUEST_COUNT);
    if (strcmp(answer, "depends") == 0 && (by_frame || request.kind == POV_REQUEST_EXTREME)) {
        pov_hypothesis frames[POV_HYPOTHESES_MAX];
        char said[POV_SAY_CAPACITY];
        int len = hypotheses_in(frames, r, object);
        snprintf(said, sizeof said, "%s", r->reply->say);
        pov_ask_for_frame(r, frames, len, request.relation,
                          request.relatum_len > 0 ? request.relatum[0] : POV_ID_NONE);
        snprintf(r->reply->say, sizeof r->reply->say, "%.300s %.300s", said, r->question);
    } else if (request.kind == POV_REQUEST_WHICH || request.kind == POV_REQUEST_EXTREME) {
        pov_id one = pov_scene_find(r->about->scene, answer);
        r->picked = one;
    }
    add_pick_members(r, &request, object);
    merge(r->answer, object);
    return pov_ok();
}
