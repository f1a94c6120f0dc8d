/* An utterance as steps: "take the cup, then put it on the book". */
#include "ask/talk/talk_internal.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ids of another scene mean nothing in this one. */
static void check_memory(pov_talk *talk, const pov_scene *scene)
{
    pov_id *const ids[] = {&talk->base.it,  &talk->base.person, &talk->picked,      &talk->base.he,
                           &talk->base.she, &talk->said.it,     &talk->said.person, &talk->beside,
                           &talk->given_to, &talk->recipient};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (*ids[i] >= scene->len)
            *ids[i] = POV_ID_NONE;
    for (int i = 0; i < talk->open.len; i++)
        if (talk->open.kind == POV_THING_OPEN && talk->open.thing[i] >= scene->len)
            talk->open.kind = POV_NOTHING_OPEN;
}

static bool is_act(const pov_talk_reply *reply)
{
    return reply->outcome == POV_PICKED || reply->outcome == POV_GOAL;
}

/* A new instruction is no answer: what waited for one is not done. */
static bool is_fragment(const pov_talk_reply *reply)
{
    const char *reading = cJSON_GetStringValue(cJSON_GetObjectItem(reply->json, "reading"));
    return reading && strncmp(reading, "(FRAGMENT", 9) == 0;
}

/* The steps' sentences and JSON together: the last step's, with a list of all. */
static void join_step(pov_talk_reply *reply, const pov_talk_reply *before, cJSON *steps,
                      const char *utterance)
{
    char *last = pov_text_take(&reply->say);
    pov_text_set(&reply->say, "%s %s", pov_text_of(&before->say), last);
    free(last);
    cJSON_AddItemToArray(steps, cJSON_Duplicate(reply->json, true));
    cJSON_ReplaceItemInObject(reply->json, "say", cJSON_CreateString(pov_text_of(&reply->say)));
    cJSON_ReplaceItemInObject(reply->json, "utterance", cJSON_CreateString(utterance));
    cJSON_ReplaceItemInObject(reply->json, "question", cJSON_CreateString(utterance));
}

/* Steps are done in order until one of them is a question, or cannot be done. */
static pov_status hear_steps(pov_talk *talk, pov_talk_reply *reply, const pov_talk_about *about,
                             const char *utterance)
{
    pov_text rest = {0}, next = {0}, waiting = talk->rest; /* goes on once the question back is answered */
    talk->rest = (pov_text){0};
    pov_status status = pov_talk_hear_step(talk, reply, about, utterance, &rest);
    if (status.code == POV_OK && rest.len == 0 && is_fragment(reply))
        pov_text_set(&rest, "%s", pov_text_of(&waiting));
    pov_text_free(&waiting);
    cJSON *steps = NULL;
    if (status.code == POV_OK && rest.len > 0 && is_act(reply)) {
        steps = cJSON_CreateArray();
        cJSON_AddItemToArray(steps, cJSON_Duplicate(reply->json, true));
    }
    while (status.code == POV_OK && rest.len > 0 && is_act(reply)) {
        pov_talk_reply before = *reply;
        pov_text_set(&next, "%s", pov_text_of(&rest));
        pov_text_clear(&rest);
        status = pov_talk_hear_step(talk, reply, about, pov_text_of(&next), &rest);
        if (status.code == POV_OK)
            join_step(reply, &before, steps, utterance);
        pov_talk_reply_clear(&before);
    }
    if (steps && status.code == POV_OK)
        cJSON_ReplaceItemInObject(reply->json, "steps", steps);
    else
        cJSON_Delete(steps);
    if (status.code == POV_OK && reply->outcome == POV_ASKED_BACK && rest.len > 0)
        pov_text_set(&talk->rest, "%s", pov_text_of(&rest));
    pov_text_free(&rest);
    pov_text_free(&next);
    return status;
}

pov_status pov_talk_hear(pov_talk *talk, pov_talk_reply *reply, const pov_talk_about *about,
                         const char *utterance)
{
    *reply = (pov_talk_reply){.outcome = POV_REFUSED, .shown.theta_rad = NAN};
    check_memory(talk, about->scene);
    talk->base.me = about->speaker ? pov_scene_find(about->scene, about->speaker) : POV_ID_NONE;
    talk->calls_off = false;
    POV_TRY(hear_steps(talk, reply, about, utterance));
    pov_orders_follow(talk, reply);
    return pov_ok();
}
