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

static void take_member(cJSON *to, cJSON *from, const char *key)
{
    cJSON *item = cJSON_DetachItemFromObject(from, key);
    cJSON_AddItemToObject(to, key, item ? item : cJSON_CreateNull());
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
    return image;
}

void pov_reply_write_json(pov_replying *r, const char *reading, const pov_mended *mended)
{
    cJSON *json = cJSON_CreateObject();
    char hash[20];
    bool picked =
        r->reply->outcome == POV_PICKED || (r->reply->outcome == POV_ANSWERED && r->picked != POV_ID_NONE);
    say_mended(r, mended);
    pov_reply_put_names(r, &r->reply->say);
    pov_reply_put_names(r, &r->question);
    char *utterance = pov_text_new("%s", r->utterance);
    pov_utf8_copy(utterance, strlen(r->utterance) + 1, r->utterance);
    cJSON_AddStringToObject(json, "utterance", utterance);
    pov_json_add_text(json, "reading", *reading ? reading : NULL);
    cJSON_AddStringToObject(json, "outcome", pov_outcome_name(r->reply->outcome));
    cJSON_AddStringToObject(json, "say", pov_text_of(&r->reply->say));
    take_member(json, r->answer, "answer");
    pov_json_add_text(json, "pick",
                      picked && r->picked != POV_ID_NONE ? r->about->scene->entities[r->picked].name : NULL);
    take_member(json, r->answer, "picks");
    if (cJSON_IsNull(cJSON_GetObjectItem(json, "picks")))
        cJSON_ReplaceItemInObject(json, "picks", cJSON_CreateArray());
    pov_json_add_text(json, "ask_back",
                      r->reply->outcome == POV_ASKED_BACK ? pov_text_of(&r->question) : NULL);
    cJSON_AddItemToObject(json, "options", options_of(r));
    take_member(json, r->answer, "goal");
    take_member(json, r->answer, "frames");
    if (cJSON_IsNull(cJSON_GetObjectItem(json, "frames")))
        cJSON_ReplaceItemInObject(json, "frames", cJSON_CreateArray());
    cJSON_AddItemToObject(json, "mended", mended_of(mended));
    cJSON_AddItemToObject(json, "image", image_of(r->about));
    snprintf(hash, sizeof hash, "%016" PRIx64, r->about->calibration_hash);
    pov_json_add_text(json, "calibration_hash", r->about->image ? hash : NULL);
    cJSON_DeleteItemFromObject(r->answer, "question");
    cJSON_AddStringToObject(json, "question", utterance);
    free(utterance);
    take_member(json, r->answer, "kind");
    while (r->answer->child) {
        cJSON *item = cJSON_DetachItemViaPointer(r->answer, r->answer->child);
        cJSON_AddItemToObject(json, item->string, item);
    }
    r->reply->json = json;
}
