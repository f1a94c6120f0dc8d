/* A reply as JSON: docs/JSON.md lists the names. */
#include "ask/talk/talk_internal.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"

#include <cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cJSON *options_of(const pov_replying *r)
{
    cJSON *list = cJSON_CreateArray();
    char say[96];
    pov_text named = {0};
    for (int i = 0; i < r->open.len && r->open.kind != POV_NOTHING_OPEN; i++) {
        cJSON *option = cJSON_CreateObject();
        bool thing = r->open.kind == POV_THING_OPEN;
        const pov_hypothesis *frame = &r->open.frame[i];
        pov_json_add_text(option, "id", thing ? r->about->scene->entities[r->open.thing[i]].name : NULL);
        pov_json_add_text(option, "perspective", thing ? NULL : pov_perspective_name(frame->perspective));
        pov_json_add_text(
            option, "viewer",
            thing || frame->viewer == POV_ID_NONE ? NULL : r->about->scene->entities[frame->viewer].name);
        if (thing)
            pov_name_thing(say, r->about->scene, r->open.thing[i]);
        else
            pov_say_frame(say, &r->context, frame, POV_ID_NONE);
        pov_text_set(&named, "%s", say);
        pov_reply_put_names(r, &named);
        pov_json_add_text(option, "say", pov_text_of(&named));
        pov_json_add_number(option, "p", r->open.p[i]);
        cJSON_AddItemToArray(list, option);
    }
    pov_text_free(&named);
    return list;
}

/* "I read "x" as "y" and ...": before what is said. */
static void say_mended(pov_replying *r, const pov_mended *mended)
{
    pov_text say = {0};
    for (int i = mended->len - 1; i >= 0; i--) {
        const bool is_first = i == mended->len - 1;
        pov_text_add(&say, "%s", is_first ? "" : " ");
        pov_text_add(&say, pov_reply_text(r, is_first ? "I read \"%s\" as \"%s\"" : "and \"%s\" as \"%s\""),
                     mended->list[i].read, mended->list[i].as);
    }
    if (mended->len > 0) {
        pov_text_add(&say, ". %s", pov_text_of(&r->reply->say));
        pov_text_free(&r->reply->say);
        r->reply->say = say;
    }
}

static cJSON *mended_of(const pov_mended *mended)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = mended->len - 1; i >= 0; i--) {
        cJSON *word = cJSON_CreateObject();
        cJSON_AddStringToObject(word, "read", mended->list[i].read);
        cJSON_AddStringToObject(word, "as", mended->list[i].as);
        cJSON_AddItemToArray(list, word);
    }
    return list;
}

static cJSON *image_of(const pov_talk_about *about)
{
    if (!about->image)
        return cJSON_CreateNull();
    cJSON *image = cJSON_CreateObject();
    char number[32];
    pov_json_add_text(image, "name", about->image);
    pov_json_add_number(image, "sequence", about->sequence);
    snprintf(number, sizeof number, "%" PRId64, about->capture_ns);
    cJSON_AddItemToObject(image, "capture_ns", cJSON_CreateRaw(number));
    cJSON_AddItemToObject(image, "age_s", pov_json_rounded(about->age_s, 3));
    cJSON_AddBoolToObject(image, "is_stale", pov_talk_is_stale(about));
    return image;
}

/* Every reply has all of these, in this order; what is not told is null, or an empty list. */
static const struct {
    const char *key;
    bool is_list;
} members[] = {{"utterance", false}, {"reading", false},   {"outcome", false}, {"say", false},
               {"action", false},    {"recipient", false}, {"source", false},  {"answer", false},
               {"pick", false},      {"pick_ids", true},   {"picks", true},    {"ask_back", false},
               {"options", true},    {"goal", false},      {"steps", true},    {"cancels", true},
               {"frames", true},     {"mended", true},     {"image", false},   {"calibration_hash", false},
               {"question", false},  {"kind", false}};

/* Moves the members to a new object, in their order; others follow. */
static cJSON *order_members(cJSON *from)
{
    cJSON *json = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        cJSON *item = cJSON_DetachItemFromObject(from, members[i].key);
        if (members[i].is_list && cJSON_IsNull(item)) {
            cJSON_Delete(item);
            item = NULL;
        }
        cJSON_AddItemToObject(json, members[i].key,
                              item                 ? item
                              : members[i].is_list ? cJSON_CreateArray()
                                                   : cJSON_CreateNull());
    }
    while (from->child) {
        cJSON *item = cJSON_DetachItemViaPointer(from, from->child);
        cJSON_AddItemToObject(json, item->string, item);
    }
    return json;
}

static void set_member(cJSON *object, const char *key, cJSON *item)
{
    cJSON_DeleteItemFromObject(object, key);
    cJSON_AddItemToObject(object, key, item);
}

static void set_text(cJSON *object, const char *key, const char *text)
{
    set_member(object, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static const char *name_or_null(const pov_replying *r, pov_id id)
{
    return id == POV_ID_NONE ? NULL : r->about->scene->entities[id].name;
}

/* Writes the thing that is meant to `pick`, or several to `pick_ids`. */
static void set_picked(cJSON *json, const pov_replying *r)
{
    cJSON *ids = cJSON_CreateArray();
    const cJSON *pick;
    const bool is_picked =
        (r->reply->outcome == POV_PICKED || r->reply->outcome == POV_ANSWERED) && r->picked != POV_ID_NONE;
    if (is_picked && r->has_several)
        cJSON_ArrayForEach(pick, cJSON_GetObjectItem(json, "picks"))
            cJSON_AddItemToArray(ids, cJSON_Duplicate(cJSON_GetObjectItem(pick, "id"), false));
    else if (is_picked)
        cJSON_AddItemToArray(ids, cJSON_CreateString(name_or_null(r, r->picked)));
    set_text(json, "pick", is_picked && !r->has_several ? name_or_null(r, r->picked) : NULL);
    set_member(json, "pick_ids", ids);
}

struct cJSON *pov_talk_refusal(const char *utterance, const char *say)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "utterance", utterance);
    cJSON_AddStringToObject(json, "outcome", pov_outcome_name(POV_REFUSED));
    cJSON_AddStringToObject(json, "say", say);
    cJSON_AddStringToObject(json, "question", utterance);
    cJSON *all = order_members(json);
    cJSON_Delete(json);
    return all;
}

bool pov_talk_is_stale(const pov_talk_about *about)
{
    return about->image && about->stale_after_s > 0 && about->age_s > about->stale_after_s;
}

/* "I stop." is as true of an old image. */
static bool is_about_scene(const pov_replying *r)
{
    const pov_node *core = r->heard->reading ? pov_core_of(r->heard->reading) : NULL;
    return !core || strcmp(core->name, "PHATIC") != 0 || pov_node_has(core, "describe");
}

/* An old image is not acted on, and what it shows is told as what was. */
static void hedge_stale(pov_replying *r)
{
    pov_talk_reply *reply = r->reply;
    if (!pov_talk_is_stale(r->about) || reply->outcome == POV_REFUSED || !is_about_scene(r))
        return;
    if (reply->outcome == POV_PICKED || reply->outcome == POV_GOAL) {
        pov_reply_say(r, POV_REFUSED, "My last image is %.0f s old; I do not act on it.", r->about->age_s);
        cJSON_DeleteItemFromObject(r->answer, "picks");
        cJSON_DeleteItemFromObject(r->answer, "goal");
        cJSON_DeleteItemFromObject(r->answer, "answer");
        reply->has_goal = false;
        return;
    }
    char *said = pov_text_take(&reply->say);
    pov_reply_add(r, &reply->say, "My last image is %.0f s old.", r->about->age_s);
    pov_text_add(&reply->say, " %s", said);
    free(said);
}

void pov_reply_write_json(pov_replying *r, const char *reading, const pov_mended *mended)
{
    cJSON *json = r->answer;
    char hash[20];
    hedge_stale(r);
    const bool acts = r->reply->outcome == POV_PICKED || r->reply->outcome == POV_GOAL ||
                      r->reply->outcome == POV_ASKED_BACK;
    say_mended(r, mended);
    pov_reply_put_names(r, &r->reply->say);
    pov_reply_put_names(r, &r->question);
    char *utterance = pov_text_new("%s", r->utterance);
    pov_utf8_copy(utterance, strlen(r->utterance) + 1, r->utterance);
    set_text(json, "utterance", utterance);
    set_text(json, "question", utterance);
    free(utterance);
    set_text(json, "reading", *reading ? reading : NULL);
    set_text(json, "outcome", pov_outcome_name(r->reply->outcome));
    set_text(json, "say", pov_text_of(&r->reply->say));
    set_text(json, "action", acts ? r->action : NULL);
    set_text(json, "recipient", acts ? name_or_null(r, r->recipient) : NULL);
    set_text(json, "source", acts ? name_or_null(r, r->source) : NULL);
    set_picked(json, r);
    set_text(json, "ask_back", r->reply->outcome == POV_ASKED_BACK ? pov_text_of(&r->question) : NULL);
    set_member(json, "options", options_of(r));
    set_member(json, "mended", mended_of(mended));
    set_member(json, "image", image_of(r->about));
    snprintf(hash, sizeof hash, "%016" PRIx64, r->about->calibration_hash);
    set_text(json, "calibration_hash", r->about->image ? hash : NULL);
    r->reply->json = order_members(json);
}
