/* Replies to what neither asks about a thing nor wants one: greetings, help, "describe the scene", "stop". */
#include "ask/talk/talk_internal.h"

#include <cJSON.h>

/* "the red cup, the pen and the book": things, without tables, or people, without who speaks. Returns how many. */
static int list_entities(pov_replying *r, pov_text *text, bool people)
{
    const pov_scene *scene = r->about->scene;
    pov_id listed[POV_ENTITY_MAX];
    char name[64];
    int len = 0;
    for (pov_id id = 0; id < scene->len; id++)
        if (id != scene->camera && id != pov_speaker_of(&r->context) && pov_is_person(scene, id) == people &&
            !pov_is_surface(&scene->entities[id]) && !scene->entities[id].is_hypothetical)
            listed[len++] = id;
    for (int i = 0; i < len; i++)
        pov_reply_add(r, text,
                      i == 0        ? "%s"
                      : i + 1 < len ? ", %s"
                                    : " and %s",
                      pov_name_thing(name, scene, listed[i]));
    return len;
}

static void describe_scene(pov_replying *r)
{
    pov_text things = {0}, people = {0}, say = {0};
    const int count = list_entities(r, &things, false), others = list_entities(r, &people, true);
    if (count == 0)
        pov_reply_add(r, &say, "I know of no things here");
    else if (count == 1)
        pov_reply_add(r, &say, "There is %s", pov_text_of(&things));
    else
        pov_reply_add(r, &say, "There are %d things: %s", count, pov_text_of(&things));
    if (others > 0)
        pov_reply_add(r, &say, others == 1 ? "; %s is here, too" : "; %s are here, too",
                      pov_text_of(&people));
    pov_reply_say(r, POV_ANSWERED, "%s.", pov_text_of(&say));
    pov_text_free(&things);
    pov_text_free(&people);
    pov_text_free(&say);
}

/* Three sentences, and three examples about things that are here. */
static void say_help(pov_replying *r)
{
    const pov_scene *scene = r->about->scene;
    pov_id thing[2] = {POV_ID_NONE, POV_ID_NONE};
    char name[2][64];
    int len = 0;
    for (pov_id id = 0; id < scene->len && len < 2; id++)
        if (id != scene->camera && !pov_is_person(scene, id) && !pov_is_surface(&scene->entities[id]))
            thing[len++] = id;
    if (len == 0) {
        pov_reply_say(r, POV_ANSWERED,
                      "You can ask me where things are, and who sees them; but I know of no things here.");
        return;
    }
    const char *one = pov_name_thing(name[0], scene, thing[0]),
               *other = pov_name_thing(name[1], scene, thing[len > 1]);
    pov_reply_say(
        r, POV_ANSWERED,
        "You can ask me where things are, and who sees them. You can tell me to fetch a thing, or to put it "
        "somewhere. Left and right may be yours or mine: I ask if I am not sure. For example: \"where is "
        "%s?\", \"give me %s\", \"is %s left of %s?\"",
        one, other, one, len > 1 ? other : pov_reply_text(r, "me"));
}

static void call_off(pov_replying *r, bool stops)
{
    pov_text orders = {0};
    pov_orders_write(r, &orders);
    r->talk->calls_off = true;
    pov_reply_say(r, POV_ANSWERED, stops ? "I stop." : "All right; I do nothing.");
    if (orders.len > 0) {
        pov_text_add(&r->reply->say, " ");
        pov_reply_add(r, &r->reply->say, "Cancelled: %s.", pov_text_of(&orders));
    }
    pov_text_free(&orders);
}

void pov_reply_to_phatic(pov_replying *r, const pov_node *core)
{
    cJSON_AddNullToObject(r->answer, "kind");
    cJSON_AddNullToObject(r->answer, "answer");
    const bool stops = pov_node_has(core, "stop");
    if (!pov_node_has(core, "cancel") && !stops)
        r->open = r->talk->open;
    if (pov_node_has(core, "help"))
        say_help(r);
    else if (pov_node_has(core, "describe"))
        describe_scene(r);
    else if (pov_node_has(core, "hello"))
        pov_reply_say(r, POV_ANSWERED, "Hello. Say \"help\" to hear what you can ask.");
    else if (pov_node_has(core, "bye"))
        pov_reply_say(r, POV_ANSWERED, "Goodbye.");
    else if (pov_node_has(core, "thanks"))
        pov_reply_say(r, POV_ANSWERED, "You are welcome.");
    else
        call_off(r, stops);
}
