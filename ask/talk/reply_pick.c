/* The thing that an instruction means. */
#include "ask/talk/talk_internal.h"

#include "config/files/json_value.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

static void add_seen_by(cJSON *object, pov_replying *r, pov_id thing)
{
    cJSON *list = cJSON_AddArrayToObject(object, "seen_by");
    for (pov_id viewer = 0; viewer < r->about->scene->len; viewer++) {
        pov_visibility looked;
        if (viewer == thing || !r->about->scene->entities[viewer].can_see ||
            pov_moment_look(r->context.moment, &looked, viewer, thing) != POV_OK ||
            looked.sees.verdict != POV_TRUE)
            continue;
        cJSON_AddItemToArray(list, cJSON_CreateString(r->about->scene->entities[viewer].name));
    }
}

/* `own_of`: whose front it is where the frame is intrinsic. */
static void add_pick(cJSON *list, pov_replying *r, pov_id thing, double p, const pov_hypothesis *frame,
                     pov_id own_of)
{
    const pov_id viewer = !frame ? POV_ID_NONE : frame->viewer != POV_ID_NONE ? frame->viewer : own_of;
    cJSON *pick = cJSON_CreateObject();
    pov_json_add_text(pick, "id", r->about->scene->entities[thing].name);
    pov_json_add_number(pick, "p", p);
    pov_json_add_text(pick, "pick", r->about->scene->entities[thing].name);
    pov_json_add_text(pick, "perspective", frame ? pov_perspective_name(frame->perspective) : NULL);
    cJSON *holds = cJSON_AddArrayToObject(pick, "holds_of"), *held = cJSON_CreateObject();
    pov_json_add_text(held, "id", r->about->scene->entities[thing].name);
    pov_json_add_number(held, "p", p);
    pov_json_add_text(held, "verdict", pov_verdict_name(p > 0.5 ? POV_TRUE : POV_ABSTAIN));
    cJSON_AddItemToArray(holds, held);
    pov_json_add_text(pick, "frame", frame ? pov_perspective_name(frame->perspective) : NULL);
    pov_json_add_text(pick, "viewer", viewer != POV_ID_NONE ? r->about->scene->entities[viewer].name : NULL);
    add_seen_by(pick, r, thing);
    cJSON_AddItemToArray(list, pick);
}

/* Lists the likeliest thing of each frame; without frames every thing that may be meant. */
static void list_picks(pov_replying *r, const pov_meant *meant)
{
    static const pov_hypothesis own = {POV_INTRINSIC, POV_ID_NONE, 1};
    cJSON *list = cJSON_AddArrayToObject(r->answer, "picks");
    for (int f = 0; f < meant->frame_len && meant->by_frame; f++) {
        pov_meant one = {0};
        memcpy(one.q, meant->frame_q[f], sizeof one.q);
        pov_id best = pov_meant_best(&one);
        if (best != POV_ID_NONE)
            add_pick(list, r, best, one.q[best], &meant->frame[f], meant->relatum);
    }
    for (pov_id id = 0; id < r->about->scene->len && !meant->by_frame; id++)
        if (meant->q[id] > 0)
            add_pick(list, r, id, meant->q[id],
                     meant->own              ? &own
                     : r->context.has_chosen ? &r->context.chosen
                                             : NULL,
                     meant->relatum);
}

static void list_frames(pov_replying *r, const pov_meant *meant)
{
    cJSON *list = cJSON_AddArrayToObject(r->answer, "frames");
    for (int f = 0; f < meant->frame_len && meant->by_frame; f++) {
        pov_meant one = {0};
        cJSON *frame = cJSON_CreateObject();
        memcpy(one.q, meant->frame_q[f], sizeof one.q);
        pov_id best = pov_meant_best(&one);
        bool own = meant->frame[f].viewer == POV_ID_NONE;
        pov_json_add_text(frame, "perspective", pov_perspective_name(meant->frame[f].perspective));
        pov_json_add_text(frame, "convention", own ? NULL : pov_convention_name(r->context.convention));
        pov_json_add_text(frame, "axis", pov_axis_name(own ? POV_HEADING : r->context.axis));
        pov_json_add_text(frame, "viewer",
                          own ? NULL : r->about->scene->entities[meant->frame[f].viewer].name);
        pov_json_add_text(frame, "verdict",
                          best == POV_ID_NONE ? "none" : r->about->scene->entities[best].name);
        pov_json_add_number(frame, "p", meant->frame[f].prior);
        cJSON_AddItemToArray(list, frame);
    }
}

static void explain_pick(pov_replying *r, const pov_meant *meant, pov_id best)
{
    char name[64], frame[96];
    pov_reply_add(r, &r->why, "Because %s fits what you said, P = %.2f",
                  pov_name_thing(name, r->about->scene, best), meant->q[best]);
    for (int f = 0; f < meant->frame_len && meant->by_frame && meant->frame_len > 1; f++) {
        pov_meant one = {0};
        memcpy(one.q, meant->frame_q[f], sizeof one.q);
        pov_id id = pov_meant_best(&one);
        if (id != POV_ID_NONE)
            pov_reply_add(r, &r->why, "; %s it is %s (P = %.2f)",
                          pov_say_frame(frame, &r->context, &meant->frame[f], POV_ID_NONE),
                          pov_name_thing(name, r->about->scene, id), one.q[id]);
    }
    pov_reply_add(r, &r->why, ".");
}

static void pick_all(pov_replying *r, const pov_meant *meant, const pov_hypothesis *frame)
{
    pov_text names = {0};
    char name[64];
    int count = 0, listed = 0;
    cJSON *list = cJSON_AddArrayToObject(r->answer, "picks");
    for (pov_id id = 0; id < r->about->scene->len; id++)
        count += meant->fits[id];
    for (pov_id id = 0; id < r->about->scene->len; id++) {
        if (!meant->fits[id])
            continue;
        pov_reply_add(r, &names,
                      listed == 0          ? "%s"
                      : listed + 1 < count ? ", %s"
                                           : " and %s",
                      pov_name_thing(name, r->about->scene, id));
        if (count == 2)
            r->context.both[listed] = id;
        listed++;
        add_pick(list, r, id, 1, frame, meant->relatum);
        r->talk->base.before[id] = true;
    }
    cJSON_AddStringToObject(r->answer, "answer", "several");
    r->has_several = count > 1;
    r->picked = pov_meant_best(meant);
    pov_reply_say(r, POV_PICKED, "%s.", pov_text_of(&names));
    pov_text_free(&names);
}

/* Frames of reference in which the words mean a set of things that no frame before means. A number that was said must be right. */
static int find_sets(int sets[POV_HYPOTHESES_MAX], const pov_meant *meant, double *share)
{
    int len = 0;
    double sum = 0, most = 0;
    for (int f = 0; f < meant->frame_len; f++) {
        int fitting = 0, known = 0;
        for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
            fitting += meant->frame_fits[f][id];
        if (fitting == 0 || (meant->number > 0 && fitting != meant->number))
            continue;
        sum += meant->frame[f].prior;
        while (known < len &&
               memcmp(meant->frame_fits[sets[known]], meant->frame_fits[f], sizeof meant->frame_fits[f]) != 0)
            known++;
        if (known == len)
            sets[len++] = f;
        most = meant->frame[f].prior > most ? meant->frame[f].prior : most;
    }
    *share = sum > 0 ? most / sum : 0;
    return len;
}

/* "the two cups on the left": the set that a frame of reference means; whose, if they differ. */
static void pick_set(pov_replying *r, pov_meant *meant)
{
    int sets[POV_HYPOTHESES_MAX];
    double share;
    const int len = find_sets(sets, meant, &share);
    if (len == 0) { /* two are wanted, and three fit */
        pov_ask_for_thing(r, meant, POV_ROLE_WANTED);
        char *asked = pov_text_take(&r->reply->say);
        pov_reply_say(r, POV_ASKED_BACK, "You say %d, and more fit: %s", meant->number, asked);
        free(asked);
    } else if (len == 1 || share >= POV_SURE_ENOUGH) {
        int best = sets[0];
        for (int i = 1; i < len; i++)
            best = meant->frame[sets[i]].prior > meant->frame[best].prior ? sets[i] : best;
        memcpy(meant->fits, meant->frame_fits[best], sizeof meant->fits);
        pick_all(r, meant, meant->by_frame ? &meant->frame[best] : NULL);
    } else {
        pov_hypothesis frames[POV_HYPOTHESES_MAX];
        for (int i = 0; i < len; i++)
            frames[i] = meant->frame[sets[i]];
        pov_ask_for_frame(r, frames, len, NULL, POV_ID_NONE);
        r->open.role = POV_ROLE_WANTED;
    }
}

void pov_note_unfit(pov_replying *r, const pov_meant *meant)
{
    r->has_unfit = true;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        r->unfit.q[id] = meant->unfit[id];
    r->unfit.rank = meant->rank;
}

/* Is the thing to be moved? */
static bool fetches(const pov_replying *r)
{
    static const char *const moving[] = {"give", "bring", "take", "hold", "remove"};
    for (size_t i = 0; i < sizeof moving / sizeof *moving && r->action; i++)
        if (strcmp(moving[i], r->action) == 0)
            return true;
    return false;
}

/* Does an instruction want several things, and may there be several? */
static bool wants_several(const pov_meant *meant, int fitting)
{
    return (meant->several || meant->all) && fitting > 1;
}

pov_status pov_reply_with_pick(pov_replying *r, const pov_node *wanted)
{
    pov_meant meant;
    char name[64];
    const pov_status found = pov_reference_find(&meant, &r->context, wanted, POV_ROLE_WANTED);
    if (found.code != POV_OK) {
        pov_note_unfit(r, &meant);
        return found;
    }
    pov_id best = pov_meant_best(&meant);
    int fitting = 0;
    for (pov_id id = 0; id < r->about->scene->len; id++)
        fitting += meant.fits[id];
    pov_request request;
    if (pov_request_of_phrase(&request, &r->context, wanted))
        POV_TRY(pov_reply_make_answer(r, &request));
    if (!cJSON_HasObjectItem(r->answer, "kind"))
        cJSON_AddStringToObject(r->answer, "kind", "which");
    if (wants_several(&meant, fitting)) {
        cJSON_DeleteItemFromObject(r->answer, "picks");
        cJSON_DeleteItemFromObject(r->answer, "answer");
        for (pov_id id = 0; id < r->about->scene->len; id++)
            if (fetches(r) && meant.fits[id] && pov_is_person(r->about->scene, id))
                return pov_error("I do not fetch people; I can point at them, or look at them");
        pick_set(r, &meant);
        return pov_ok();
    }
    if (!cJSON_HasObjectItem(r->answer, "picks")) {
        list_picks(r, &meant);
        list_frames(r, &meant);
    }
    if ((!pov_meant_is_one(&meant) && !meant.some) || meant.truth[best] < POV_SURE_ENOUGH) {
        if (!cJSON_HasObjectItem(r->answer, "answer"))
            pov_json_add_text(r->answer, "answer", meant.by_frame ? "depends" : NULL);
        pov_ask_for_thing(r, &meant, POV_ROLE_WANTED);
        return pov_ok();
    }
    if (fetches(r) && best == r->about->scene->camera)
        return pov_error("I cannot fetch myself");
    if (fetches(r) && pov_is_person(r->about->scene, best))
        return pov_error("I do not fetch people; I can point at them, or look at them");
    cJSON_DeleteItemFromObject(r->answer, "answer");
    cJSON_DeleteItemFromObject(r->answer, "p");
    cJSON_AddStringToObject(r->answer, "answer", r->about->scene->entities[best].name);
    pov_json_add_number(r->answer, "p", meant.q[best]);
    r->picked = best;
    explain_pick(r, &meant, best);
    pov_name_thing(name, r->about->scene, best);
    if (name[0] >= 'a' && name[0] <= 'z' && strncmp(name, "the ", 4) == 0)
        name[0] = 'T';
    pov_reply_say(r, POV_PICKED, meant.some && fitting > 1 ? "%s; any would do." : "%s.", name);
    return pov_ok();
}

pov_status pov_reply_with_picks(pov_replying *r, const pov_node *instruction)
{
    pov_meant all = {.several = true};
    const bool *only = r->context.fixed[POV_ROLE_WANTED] ? r->context.only[POV_ROLE_WANTED] : NULL;
    const pov_asked_back *open = &r->talk->open;
    if (open->kind == POV_THING_OPEN) { /* "the red and the blue one", of those that were asked back */
        r->context.offered_len = open->len;
        memcpy(r->context.offered, open->thing, sizeof open->thing);
    }
    for (pov_id id = 0; id < r->about->scene->len && only; id++) { /* "no, the pen" */
        all.fits[id] = only[id];
        all.q[id] = only[id];
    }
    for (const pov_item *item = only ? NULL : instruction->items; item; item = item->next) {
        pov_meant meant;
        if (item->kind != POV_ITEM_NODE || strncmp(item->node->name, "EACH", 4) != 0)
            continue;
        POV_TRY(pov_reference_find(&meant, &r->context, item->node->items->node, POV_ROLE_COUNT));
        if (!pov_meant_is_one(&meant))
            return pov_error("which ones? several fit; say one after the other");
        all.fits[pov_meant_best(&meant)] = true;
        all.q[pov_meant_best(&meant)] = 0.5;
        if (fetches(r) && pov_meant_best(&meant) == r->about->scene->camera)
            return pov_error("I cannot fetch myself");
        if (fetches(r) && pov_is_person(r->about->scene, pov_meant_best(&meant)))
            return pov_error("I do not fetch people; I can point at them, or look at them");
    }
    cJSON_AddStringToObject(r->answer, "kind", "which");
    if (pov_node_has(instruction, "any_of")) {
        cJSON_AddNullToObject(r->answer, "answer");
        if (!only) {
            pov_ask_for_thing(r, &all, POV_ROLE_WANTED);
            return pov_ok();
        }
    }
    if (only)
        cJSON_DeleteItemFromObject(r->answer, "answer");
    pick_all(r, &all, NULL);
    return pov_ok();
}
