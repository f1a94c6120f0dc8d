/* Replies to utterances that go on with the last one, or answer a question back: "the left one", "as I see it", "no, the other". */
#include "ask/meaning/measure.h"
#include "ask/talk/talk_internal.h"

#include <cJSON.h>
#include <string.h>

static void fix_role(pov_context *c, pov_role role, const bool fits[POV_ENTITY_MAX])
{
    c->fixed[role] = true;
    memcpy(c->only[role], fits, POV_ENTITY_MAX * sizeof *fits);
}

static void fix_one(pov_context *c, pov_role role, pov_id id)
{
    bool fits[POV_ENTITY_MAX] = {false};
    fits[id] = true;
    fix_role(c, role, fits);
}

static void fix_view(pov_context *c, pov_id view)
{
    c->fixed[POV_ROLE_VIEW] = true;
    c->has_view = view != POV_ID_NONE;
    c->is_intrinsic = view == POV_ID_NONE;
    c->is_view_weak = false;
    c->view = view;
}

/* The part of the last utterance whose place another thing takes. */
static pov_role role_of_other(const pov_replying *r, const pov_meant *meant)
{
    const pov_node *last = pov_core_of(r->talk->heard[r->talk->last].reading);
    bool person = pov_is_person(r->about->scene, pov_meant_best(meant)) ||
                  pov_meant_best(meant) == r->about->scene->camera;
    if (strcmp(last->name, "QUESTION") != 0)
        return POV_ROLE_WANTED;
    if (person && pov_node_find(last, "SEER"))
        return POV_ROLE_SEER;
    if (pov_node_find(last, "THING"))
        return POV_ROLE_THING;
    return pov_node_find(last, "NOUN") ? POV_ROLE_NOUN : POV_ROLE_WANTED;
}

static const pov_node *phrase_in(const pov_node *core)
{
    static const char *const names[] = {"NP", "PLACED"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pov_node_find(core, names[i]))
            return pov_node_find(core, names[i]);
    return pov_node_find(core, "NPR");
}

/* -------- what was chosen -------- */

static void learn_frame(pov_replying *r, pov_perspective perspective, double share)
{
    r->talk->base.said_in[perspective] += r->talk->learns_nothing ? 0 : share;
}

static void choose(pov_context *c, const pov_hypothesis *frame)
{
    c->has_chosen = true;
    c->chosen = *frame;
}

/* The phrase of the thing that was wanted last; NULL: it was a question, or a goal. */
static const pov_node *last_wanted(const pov_replying *r)
{
    const pov_node *last = pov_core_of(r->talk->heard[r->talk->last].reading);
    const pov_node *wanted = pov_node_find(last, "WANTED");
    return wanted ? wanted->items->node : strcmp(last->name, "FRAGMENT") == 0 ? phrase_in(last) : NULL;
}

/* The leftmost or rightmost, as somebody sees it, of what was wanted. */
static pov_status fix_most(pov_replying *r, const pov_node *wanted, pov_id view, pov_extreme side)
{
    const pov_asked_back *open = &r->talk->open;
    pov_request asked = {.extreme = side};
    pov_most most;
    memset(r->context.excluded, 0, sizeof r->context.excluded);
    if (open->kind == POV_THING_OPEN)
        for (int i = 0; i < open->len; i++)
            asked.candidate[open->thing[i]] = true;
    else
        POV_TRY(pov_reference_nouns(asked.candidate, &r->context, wanted));
    pov_measure_most(&most, r->about->scene, &asked, view);
    if (most.len == 0 || most.p[0] < POV_SURE_ENOUGH)
        return pov_error("that is too close to say; name it");
    memset(r->context.fixed, 0, sizeof r->context.fixed);
    fix_one(&r->context, POV_ROLE_WANTED, most.id[0]);
    choose(&r->context,
           &(pov_hypothesis){view == r->about->scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE, view, 1});
    r->context.has_side = true;
    r->context.side = side;
    return pov_reply_again(r);
}

static pov_status choose_frame(pov_replying *r, pov_id view)
{
    pov_perspective perspective = view == POV_ID_NONE               ? POV_INTRINSIC
                                  : view == r->about->scene->camera ? POV_EGOCENTRIC
                                                                    : POV_ADDRESSEE;
    const pov_meant *meant = &r->talk->open.meant;
    if (r->talk->open.kind != POV_NOTHING_OPEN)
        learn_frame(r, perspective, 1);
    for (int f = 0; f < meant->frame_len && r->talk->open.kind == POV_FRAME_OPEN && r->talk->open.by_things;
         f++) {
        pov_meant one = {0};
        memcpy(one.q, meant->frame_q[f], sizeof one.q);
        if (meant->frame[f].viewer == view && pov_meant_is_one(&one)) {
            fix_one(&r->context, r->talk->open.role, pov_meant_best(&one));
            choose(&r->context, &meant->frame[f]);
            return pov_reply_again(r);
        }
    }
    if (r->context.has_side && r->talk->open.kind != POV_FRAME_OPEN && view != POV_ID_NONE &&
        r->talk->last >= 0 && last_wanted(r))
        return fix_most(r, last_wanted(r), view, r->context.side); /* "my left"; "no, yours" */
    fix_view(&r->context, view);
    return pov_reply_again(r);
}

static pov_status choose_thing(pov_replying *r, pov_id thing)
{
    const pov_meant *meant = &r->talk->open.meant;
    double sum = 0;
    for (int f = 0; f < meant->frame_len && meant->by_frame; f++)
        sum += meant->frame[f].prior * meant->frame_q[f][thing];
    for (int f = 0; f < meant->frame_len && sum > 0; f++) {
        const double share = meant->frame[f].prior * meant->frame_q[f][thing] / sum;
        learn_frame(r, meant->frame[f].perspective, share);
        if (share > POV_SURE_ENOUGH)
            choose(&r->context, &meant->frame[f]);
    }
    fix_one(&r->context, r->talk->open.role, thing);
    return pov_reply_again(r);
}

/* Somebody who only names a thing wants it. A pronoun alone says nothing. */
static pov_status wish_for(pov_replying *r, const pov_node *phrase)
{
    r->context = r->talk->base;
    pov_reply_set_scene(r, &r->context);
    if (phrase->items->kind == POV_ITEM_NODE && strcmp(phrase->items->node->name, "PRONOUN") == 0)
        return pov_error("what about it? say what you want");
    POV_TRY(pov_reply_read_views(r));
    if (pov_node_has(pov_node_find(phrase, "MOD"), "other") && r->talk->picked != POV_ID_NONE) {
        r->context.any_before = true;
        r->context.before[r->talk->picked] = true;
        r->context.it = r->talk->picked;
    }
    r->action = r->talk->action; /* "give me the red cup"; "now the blue one too" */
    r->recipient = r->talk->recipient;
    return pov_reply_with_pick(r, phrase);
}

/* -------- the kinds of fragments -------- */

/* "the left one" of what was asked back; "mine" of frames. */
static pov_status reply_with_phrase(pov_replying *r, const pov_node *core, bool *goes_on)
{
    const pov_asked_back *open = &r->talk->open;
    pov_context c = r->context;
    pov_meant meant;
    const pov_node *phrase = phrase_in(core);
    bool pronoun = phrase->items->kind == POV_ITEM_NODE && strcmp(phrase->items->node->name, "PRONOUN") == 0;
    if (open->kind == POV_THING_OPEN && !pronoun) {
        c.offered_len = open->len;
        memcpy(c.offered, open->thing, sizeof open->thing);
        c.rank = open->rank;
        c.it = open->thing[0];
    }
    c.has_view = false;
    c.is_intrinsic = false;
    POV_TRY(pov_views_read(&c, r->heard->reading));
    const pov_status found = pov_reference_find(&meant, &c, phrase, POV_ROLE_COUNT);
    if (found.code != POV_OK) {
        pov_note_unfit(r, &meant);
        return found;
    }
    pov_id id = pov_meant_best(&meant);
    if (open->kind == POV_FRAME_OPEN || pronoun) {
        for (int i = 0; i < open->len; i++)
            if (open->kind == POV_FRAME_OPEN && open->frame[i].viewer == id)
                return choose_frame(r, id);
        if (pov_is_person(r->about->scene, id) || id == r->about->scene->camera)
            return choose_frame(r, id);
        if (open->kind == POV_FRAME_OPEN && id == open->relatum)
            return choose_frame(r, POV_ID_NONE); /* "the car's" */
    }
    bool offered = false;
    for (int i = 0; i < open->len && open->kind == POV_THING_OPEN; i++)
        offered = offered || open->thing[i] == id;
    if (!offered) {
        *goes_on = false;
        return wish_for(r, phrase);
    }
    if (pov_meant_is_one(&meant))
        return choose_thing(r, id);
    pov_role role = open->role;
    r->heard = &r->talk->heard[r->talk->last];
    if (meant.by_frame && meant.frame_len > 1) { /* "the left one": whose left? */
        pov_ask_for_frame(r, meant.frame, meant.frame_len, NULL, POV_ID_NONE);
        int rank;
        bool middle;
        r->open.meant = meant;
        r->open.role = role;
        r->open.by_things = true;
        r->context.has_side = pov_extreme_read(&r->context.side, &rank, &middle, phrase) && rank == 0 &&
                              !middle &&
                              (r->context.side == POV_LEFTMOST || r->context.side == POV_RIGHTMOST);
    } else {
        r->context = c;
        pov_ask_for_thing(r, &meant, role);
    }
    return pov_ok();
}

/* "my left, not yours": the leftmost, as somebody sees it, of what was wanted. A relation ("left of the box") is judged again instead. */
static pov_status reply_with_own_side(pov_replying *r, const pov_node *core)
{
    const pov_asked_back *open = &r->talk->open;
    pov_meant meant;
    POV_TRY(
        pov_reference_find(&meant, &r->context, pov_node_find(core, "OWNER")->items->node, POV_ROLE_COUNT));
    const pov_id view = pov_meant_best(&meant);
    const bool looks = pov_is_person(r->about->scene, view) || view == r->about->scene->camera;
    const pov_node *wanted = r->talk->last >= 0 ? last_wanted(r) : NULL, *side = pov_node_find(core, "SIDE");
    const pov_relation_info *relation = pov_relation_read(pov_node_find(wanted, "POST"));
    if (r->talk->last < 0)
        return pov_error("left or right of what?");
    if (strcmp(pov_core_of(r->talk->heard[r->talk->last].reading)->name, "GOAL") == 0 &&
        open->kind != POV_FRAME_OPEN)
        return pov_error("left or right of what?"); /* another reading takes it for the goal's place */
    if (open->kind == POV_FRAME_OPEN || !looks || !wanted || !side ||
        (relation && relation->projective != POV_RELATION_COUNT))
        return choose_frame(r, looks ? view : POV_ID_NONE);
    return fix_most(r, wanted, view, pov_node_has(side, "right") ? POV_RIGHTMOST : POV_LEFTMOST);
}

static pov_status reply_with_side(pov_replying *r, const pov_node *core)
{
    pov_asked_back *open = &r->talk->open;
    pov_id view = pov_speaker_of(&r->context);
    if (view == POV_ID_NONE)
        view = r->about->scene->camera;
    if (open->kind != POV_THING_OPEN || view == POV_ID_NONE)
        return pov_error("whose left or right? say e.g. as I see it");
    pov_request asked = {.extreme = pov_node_has(pov_node_find(core, "SIDE"), "right") ? POV_RIGHTMOST
                                                                                       : POV_LEFTMOST};
    pov_most most;
    for (int i = 0; i < open->len; i++)
        asked.candidate[open->thing[i]] = true;
    pov_measure_most(&most, r->about->scene, &asked, view);
    return most.len > 0 && most.p[0] > POV_SURE_ENOUGH ? choose_thing(r, most.id[0])
                                                       : pov_error("that is too close to say; name it");
}

/* False: no thing is left. */
static bool make_sum_one(pov_meant *meant)
{
    double sum = 0;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        sum += meant->q[id];
    for (pov_id id = 0; id < POV_ENTITY_MAX && sum > 0; id++)
        meant->q[id] /= sum;
    return sum > 0;
}

/* "not the red one", "neither the red one nor the blue one": all that any of the phrases fits. */
static pov_status find_each(pov_meant *all, pov_context *c, const pov_node *node)
{
    *all = (pov_meant){0};
    for (const pov_item *item = node->items; item; item = item->next) {
        pov_meant meant;
        if (item->kind != POV_ITEM_NODE || strcmp(item->node->name, "NPX") != 0)
            continue;
        POV_TRY(pov_reference_find(&meant, c, item->node->items->node, POV_ROLE_COUNT));
        for (pov_id id = 0; id < POV_ENTITY_MAX; id++) {
            all->fits[id] = all->fits[id] || meant.fits[id];
            all->q[id] += meant.q[id];
        }
    }
    return pov_ok();
}

/* Takes the pick back; nothing else is fetched instead. */
static pov_status reply_no(pov_replying *r)
{
    if (r->talk->last < 0)
        return pov_error("I asked nothing; say what you want");
    cJSON_AddNullToObject(r->answer, "kind");
    cJSON_AddNullToObject(r->answer, "answer");
    if (r->talk->picked != POV_ID_NONE)
        r->context.excluded[r->talk->picked] = true;
    r->talk->calls_off = true;
    r->open = r->talk->open;
    pov_ask_plainly(r, "which one, then? say what it is");
    return pov_ok();
}

/* "no, the right one" is one of what was asked back, or of what was wanted. */
static void offer_last(const pov_replying *r, pov_context *c)
{
    const pov_asked_back *open = &r->talk->open;
    const pov_node *wanted = last_wanted(r);
    bool candidate[POV_ENTITY_MAX] = {false};
    if (open->kind == POV_THING_OPEN) {
        c->offered_len = open->len;
        memcpy(c->offered, open->thing, sizeof open->thing);
        return;
    }
    if (!wanted || pov_reference_nouns(candidate, c, wanted).code != POV_OK)
        return;
    int len = 0;
    for (pov_id id = 0; id < r->about->scene->len; id++)
        if (candidate[id])
            c->offered[len++] = id;
    c->offered_len = len > 1 ? len : 0; /* "the red mug": the other one is none of these */
}

/* "give the apple to bob"; "no, to me" */
static pov_status correct_recipient(pov_replying *r, pov_id person)
{
    const pov_node *last = r->talk->last >= 0 ? pov_core_of(r->talk->heard[r->talk->last].reading) : NULL;
    if (!last || r->talk->open.kind != POV_NOTHING_OPEN || r->talk->recipient == POV_ID_NONE ||
        (strcmp(last->name, "INSTRUCTION") != 0 && strcmp(last->name, "FRAGMENT") != 0))
        return pov_error("what is to be given to whom? say the whole sentence");
    if (person == POV_ID_NONE ||
        (!pov_is_person(r->about->scene, person) && person != r->about->scene->camera))
        return pov_error("that is nobody whom I could give it to; say a person");
    r->talk->given_to = person;
    const pov_status status = pov_reply_again(r);
    if (r->recipient != person && status.code == POV_OK) {
        r->action = r->action ? r->action : r->talk->action;
        r->recipient = person;
    }
    return status;
}

static pov_status reply_with_correction(pov_replying *r, const pov_node *core)
{
    pov_meant meant;
    pov_context c = r->context;
    const pov_node *not_this = pov_node_find(core, "NPX"), *instead = pov_node_find(core, "CORRECTION");
    if (r->talk->last < 0)
        return pov_node_has(core, "said")
                   ? wish_for(r, phrase_in(core))
                   : pov_error("I do not know what that is about; ask the whole question");
    if (r->talk->picked != POV_ID_NONE) {
        c.any_before = true;
        c.before[r->talk->picked] = true;
        c.it = r->talk->picked;
    }
    memset(c.fixed, 0, sizeof c.fixed);
    const bool bare = not_this && not_this->items->node->items->kind == POV_ITEM_NODE &&
                      strcmp(not_this->items->node->items->node->name, "PRONOUN") == 0;
    if (!instead && not_this &&
        (bare || (r->talk->picked != POV_ID_NONE && r->talk->open.kind == POV_NOTHING_OPEN)))
        return reply_no(r); /* "not that"; "not the apple", after it was picked */
    if (not_this) {
        POV_TRY(find_each(&meant, &c, core));
        if (r->talk->open.kind == POV_THING_OPEN && !instead) {
            pov_meant left = r->talk->open.meant;
            for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
                left.q[id] = meant.fits[id] ? 0 : left.q[id];
            if (make_sum_one(&left) && pov_meant_is_one(&left))
                return choose_thing(r, pov_meant_best(&left));
        }
        memcpy(c.before, meant.fits, sizeof c.before);
        c.any_before = true;
        c.it = pov_meant_best(&meant);
        for (pov_id id = 0; id < POV_ENTITY_MAX && !instead; id++)
            r->context.excluded[id] = r->context.excluded[id] || meant.fits[id];
        if (!instead)
            return pov_reply_again(r);
    }
    const pov_node *other = instead ? instead->items->node : phrase_in(core);
    offer_last(r, &c);
    POV_TRY(pov_reference_find(&meant, &c, other, POV_ROLE_COUNT));
    const pov_id best = pov_meant_best(&meant);
    if ((pov_is_person(r->about->scene, best) || best == r->about->scene->camera) &&
        strcmp(pov_core_of(r->talk->heard[r->talk->last].reading)->name, "QUESTION") != 0)
        return r->talk->open.kind == POV_NOTHING_OPEN && r->talk->last >= 0 && !r->context.has_chosen &&
                       !r->context.has_side &&
                       pov_node_find(pov_core_of(r->talk->heard[r->talk->last].reading), "TOWHOM") &&
                       !pov_node_find(pov_core_of(r->talk->heard[r->talk->last].reading), "POST")
                   ? correct_recipient(r, best) /* "give the apple to anna"; "no, bob" */
                   : choose_frame(r, best);     /* "no, mine" */
    pov_role role = r->talk->open.kind == POV_THING_OPEN ? r->talk->open.role : role_of_other(r, &meant);
    if (!pov_meant_is_one(&meant)) {
        r->heard = &r->talk->heard[r->talk->last];
        pov_ask_for_thing(r, &meant, role);
        return pov_ok();
    }
    fix_one(&r->context, role, pov_meant_best(&meant));
    return pov_reply_again(r);
}

/* "how far is it from the box?", "which is nearer to the box?": what else is it measured to? */
static bool is_measured(const pov_node *core)
{
    return core->items && core->items->kind == POV_ITEM_NODE &&
           (pov_node_has(core->items->node, "distance") || pov_node_has(core->items->node, "extreme"));
}

static pov_status reply_with_also(pov_replying *r, const pov_node *core)
{
    pov_meant meant;
    pov_context c = r->talk->base;
    pov_reply_set_scene(r, &c);
    bool from = pov_node_has(core, "also_from");
    if (r->talk->last < 0)
        return pov_error("I do not know what it is about; ask the whole question");
    if (from && !is_measured(pov_core_of(r->talk->heard[r->talk->last].reading)))
        return pov_error(
            "nothing was measured to there; ask the whole question"); /* another reading may be a viewpoint */
    /* "and the blue one?": of the kind that was spoken of */
    const pov_node *phrase = from ? pov_node_find(core, "RELATUM")->items->node : phrase_in(core);
    POV_TRY(pov_reference_find(&meant, &c, phrase, POV_ROLE_COUNT));
    if (r->talk->base.it != POV_ID_NONE && !pov_meant_is_one(&meant)) {
        pov_meant same = meant;
        for (pov_id id = 0; id < r->about->scene->len; id++) {
            bool like = strcmp(r->about->scene->entities[id].class_name,
                               r->about->scene->entities[r->talk->base.it].class_name) == 0;
            same.q[id] = like && id != r->talk->base.it ? same.q[id] : 0;
        }
        if (make_sum_one(&same))
            meant = same;
    }
    pov_role role = from ? POV_ROLE_RELATUM : role_of_other(r, &meant);
    if (role != POV_ROLE_NOUN && pov_meant_is_one(&meant))
        fix_one(&r->context, role, pov_meant_best(&meant));
    else
        fix_role(&r->context, role, meant.fits);
    return pov_reply_again(r);
}

static pov_status read_corrected_recipient(pov_replying *r, const pov_node *core)
{
    const pov_node *whom = pov_node_find(core, "TOWHOM");
    const bool pronoun = strcmp(whom->items->node->name, "PRONOUN") == 0;
    pov_meant meant;
    POV_TRY(pov_reference_find(&meant, &r->context, pronoun ? whom : whom->items->node, POV_ROLE_COUNT));
    return correct_recipient(r, pov_meant_best(&meant));
}

static pov_status ask_again(pov_replying *r)
{
    r->open = r->talk->open;
    if (r->open.kind == POV_NOTHING_OPEN)
        return pov_error("I asked nothing; say what you want");
    if (r->open.kind == POV_THING_OPEN)
        pov_ask_for_thing(r, &r->talk->open.meant, r->talk->open.role);
    else
        pov_ask_for_frame(r, r->talk->open.frame, r->talk->open.len, NULL, POV_ID_NONE);
    return pov_ok();
}

/* "next to the tin", of what was picked. "No, next to the tin" and "on my left" may tell which one is to be picked instead. */
static bool names_place(const pov_node *core)
{
    const pov_node *where = pov_node_find(core, "GOALREL");
    return pov_node_has(where, "rel") && !pov_node_has(core, "instead");
}

pov_status pov_reply_to_fragment(pov_replying *r, const pov_node *core, bool *goes_on)
{
    bool asked = r->talk->open.kind != POV_NOTHING_OPEN;
    if (pov_node_has(core, "fragment") && !asked) {
        *goes_on = false;
        return wish_for(r, phrase_in(core));
    }
    r->context = r->talk->last >= 0 ? r->talk->said : r->context;
    pov_reply_set_scene(r, &r->context);
    memcpy(r->context.said_in, r->talk->base.said_in, sizeof r->context.said_in);
    if (pov_node_has(core, "view") || pov_node_has(core, "also_view")) {
        pov_context c = r->context;
        c.has_view = c.is_intrinsic = false;
        c.fixed[POV_ROLE_VIEW] = false;
        if (r->talk->last < 0)
            return pov_error("I do not know what that is about; ask the whole question");
        POV_TRY(pov_views_read(&c, r->heard->reading));
        return c.is_intrinsic ? choose_frame(r, POV_ID_NONE) : choose_frame(r, c.view);
    }
    if (pov_node_has(core, "correct_goal")) {
        *goes_on = false; /* it takes the goal's place */
        if (names_place(core))
            r->context.it = r->talk->base.it;
        POV_TRY(pov_reply_read_views(r));
        return r->talk->last >= 0 &&
                       strcmp(pov_core_of(r->talk->heard[r->talk->last].reading)->name, "QUESTION") != 0
                   ? pov_reply_with_goal(r, core)
                   : pov_error("I do not know what that is about; ask the whole question");
    }
    if (pov_node_has(core, "whither")) /* a step goes on from where the thing is by then */
        return r->talk->was_step && pov_talk_follows_goal(r->talk)
                   ? pov_reply_again(r)
                   : pov_error("in which direction? say e.g. further to my left");
    if (pov_node_has(core, "also") || pov_node_has(core, "also_from"))
        return reply_with_also(r, core);
    if (pov_node_has(core, "correct_recipient"))
        return read_corrected_recipient(r, core);
    if (pov_node_has(core, "correct") || pov_node_has(core, "correct_not"))
        return reply_with_correction(r, core);
    if (pov_node_has(core, "next"))
        return pov_error("next in which direction? say e.g. the one to the left of it, for me");
    if (pov_node_has(core, "wrong"))
        return reply_no(r);
    if (pov_node_has(core, "fragment_own"))
        return reply_with_own_side(r, core);
    if (pov_node_has(core, "fragment_side"))
        return asked ? reply_with_side(r, core) : pov_error("left or right of what?");
    if ((pov_node_has(core, "either") || (pov_node_has(core, "yes") && r->talk->open.len == 1)) &&
        r->talk->open.kind == POV_THING_OPEN)
        return choose_thing(r, r->talk->open.thing[0]);
    return pov_node_has(core, "fragment") ? reply_with_phrase(r, core, goes_on) : ask_again(r);
}
