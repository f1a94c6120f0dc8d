/* What the dialogue has ordered. Nobody tells pov when an action has ended: "stop" and the next instruction cancel what was ordered before. */
#include "ask/talk/talk_internal.h"

#include <cJSON.h>
#include <string.h>

static bool is_order(const cJSON *reply)
{
    const char *outcome = cJSON_GetStringValue(cJSON_GetObjectItem(reply, "outcome"));
    return outcome && (strcmp(outcome, pov_outcome_name(POV_PICKED)) == 0 ||
                       strcmp(outcome, pov_outcome_name(POV_GOAL)) == 0);
}

static void add_order(cJSON *orders, const cJSON *reply)
{
    if (!is_order(reply))
        return;
    cJSON *order = cJSON_CreateObject(), *ids;
    const cJSON *goal = cJSON_GetObjectItem(reply, "goal");
    cJSON_AddItemToObject(order, "action", cJSON_Duplicate(cJSON_GetObjectItem(reply, "action"), true));
    if (cJSON_IsObject(goal)) {
        ids = cJSON_CreateArray();
        cJSON_AddItemToArray(ids, cJSON_Duplicate(cJSON_GetObjectItem(goal, "object"), true));
    } else
        ids = cJSON_Duplicate(cJSON_GetObjectItem(reply, "pick_ids"), true);
    cJSON_AddItemToObject(order, "pick_ids", ids);
    cJSON_AddItemToArray(orders, order);
}

/* Of a reply, or of its steps. */
static cJSON *orders_of(const cJSON *reply)
{
    cJSON *orders = cJSON_CreateArray();
    const cJSON *steps = cJSON_GetObjectItem(reply, "steps"), *step;
    cJSON_ArrayForEach(step, steps) add_order(orders, step);
    if (cJSON_GetArraySize(steps) == 0)
        add_order(orders, reply);
    return orders;
}

void pov_orders_follow(pov_talk *talk, pov_talk_reply *reply)
{
    const char *reading = cJSON_GetStringValue(cJSON_GetObjectItem(reply->json, "reading"));
    cJSON *orders = orders_of(reply->json), *order;
    const bool is_answer = talk->is_amid_steps && reading && strncmp(reading, "(FRAGMENT", 9) == 0;
    const bool orders_more = cJSON_GetArraySize(orders) > 0;
    if (is_answer && !talk->calls_off) { /* the question back was about the next step */
        while ((order = cJSON_DetachItemFromArray(orders, 0)))
            cJSON_AddItemToArray(talk->orders, order);
    } else if (orders_more || talk->calls_off) {
        cJSON_ReplaceItemInObject(reply->json, "cancels", talk->orders);
        talk->orders = orders;
        orders = NULL;
    }
    talk->is_amid_steps = reply->outcome == POV_ASKED_BACK && (orders_more || is_answer);
    cJSON_Delete(orders);
}

void pov_orders_forget(pov_talk *talk)
{
    cJSON_Delete(talk->orders);
    talk->orders = cJSON_CreateArray();
    talk->is_amid_steps = talk->calls_off = false;
}

void pov_orders_write(const pov_replying *r, pov_text *text)
{
    const cJSON *order, *id;
    char name[64];
    cJSON_ArrayForEach(order, r->talk->orders)
    {
        const char *action = cJSON_GetStringValue(cJSON_GetObjectItem(order, "action"));
        cJSON_ArrayForEach(id, cJSON_GetObjectItem(order, "pick_ids"))
        {
            const pov_id thing = pov_scene_find(r->about->scene, id->valuestring);
            pov_text_add(text, text->len > 0 ? ", %s " : "%s ", pov_reply_text(r, action ? action : "fetch"));
            pov_text_add(text, "%s",
                         thing == POV_ID_NONE ? id->valuestring
                                              : pov_name_thing(name, r->about->scene, thing));
        }
    }
}
