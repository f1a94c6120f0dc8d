/* Questions back: one, short, that splits best what is still possible. */
#include "ask/talk/talk_internal.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pov_id pov_speaker_of(const pov_context *c)
{
    pov_id speaker = c->me;
    if (speaker != POV_ID_NONE)
        return speaker;
    for (pov_id id = 0; id < c->scene->len; id++)
        if (c->scene->entities[id].addressee) {
            if (speaker != POV_ID_NONE)
                return POV_ID_NONE;
            speaker = id;
        }
    return speaker;
}

const char *pov_say_frame(char text[96], const pov_context *c, const pov_hypothesis *frame, pov_id relatum)
{
    char name[64] = "its";
    if (frame->viewer == POV_ID_NONE) {
        if (relatum != POV_ID_NONE) {
            char thing[64];
            if (relatum == c->scene->camera || relatum == pov_speaker_of(c))
                strcpy(name, relatum == c->scene->camera ? "my" : "your");
            else
                snprintf(name, sizeof name, pov_grammar_say(c->language, "%.50s's"),
                         pov_name_thing(thing, c->scene, relatum));
        }
        snprintf(text, 96, pov_grammar_say(c->language, "by %s own front"),
                 pov_grammar_say(c->language, name));
    } else if (frame->viewer == c->scene->camera)
        snprintf(text, 96, "%s", pov_grammar_say(c->language, "as I see it"));
    else if (frame->viewer == pov_speaker_of(c))
        snprintf(text, 96, "%s", pov_grammar_say(c->language, "as you see it"));
    else
        snprintf(text, 96, pov_grammar_say(c->language, "as %s sees it"),
                 pov_name_thing(name, c->scene, frame->viewer));
    return text;
}

/* "A, B or C" */
static void join_option(pov_replying *r, int index, int len, const char *option)
{
    pov_reply_add(r, &r->question, index == 0 ? "%s" : index + 1 == len ? " or %s" : ", %s", option);
}

static bool ends_in(const char *text, char sign)
{
    const size_t length = strlen(text);
    return length > 0 && text[length - 1] == sign;
}

static void finish_question(pov_replying *r)
{
    char *asked = pov_text_take(&r->question);
    asked[0] = (char)(asked[0] >= 'a' && asked[0] <= 'z' ? asked[0] - 'a' + 'A' : asked[0]);
    pov_reply_add(r, &r->question, ends_in(asked, '?') ? "%s" : strchr(asked, '?') ? "%s." : "%s?", asked);
    free(asked);
    if (r->why.len == 0)
        pov_reply_add(r, &r->why, "Because what you said fits each of them; tell me which one you mean.");
    r->reply->outcome = POV_ASKED_BACK;
    pov_text_set(&r->reply->say, "%s", pov_text_of(&r->question));
}

void pov_ask_plainly(pov_replying *r, const char *english)
{
    pov_text_set(&r->question, "%s", pov_reply_text(r, english));
    finish_question(r);
}

/* Bits that the answer to "which thing?" is expected to tell of the thing. */
static double entropy_of(const double *p, int len)
{
    double bits = 0;
    for (int i = 0; i < len; i++)
        bits -= p[i] > 0 ? p[i] * log2(p[i]) : 0;
    return bits;
}

/* Expected information about the thing in the answer to "in which frame?": entropy before, less entropy after. */
static double frame_information(const pov_meant *meant)
{
    double left = 0;
    for (int f = 0; f < meant->frame_len; f++)
        left += meant->frame[f].prior * entropy_of(meant->frame_q[f], POV_ENTITY_MAX);
    return entropy_of(meant->q, POV_ENTITY_MAX) - left;
}

/* The likeliest first. Returns their number; `rest`: the probability of those for which there is no room. */
static int sort_things(pov_asked_back *open, const pov_meant *meant, double *rest)
{
    double q[POV_ENTITY_MAX];
    memcpy(q, meant->q, sizeof q);
    *rest = 1;
    open->len = 0;
    open->p[0] = 0;
    for (int count = 0; count < POV_OPTIONS_MAX; count++) {
        pov_id best = 0;
        for (pov_id id = 1; id < POV_ENTITY_MAX; id++)
            best = q[id] > q[best] + 1e-9 ? id : best;
        if (q[best] < 0.05 * open->p[0] || q[best] <= 0)
            break;
        open->thing[open->len] = best;
        open->p[open->len++] = q[best];
        *rest -= q[best];
        q[best] = 0;
    }
    return open->len;
}

static bool differs_by_name(const pov_scene *scene, const pov_asked_back *open)
{
    for (int i = 0; i < open->len; i++)
        for (int k = 0; k < i; k++) {
            const char *a = scene->entities[open->thing[i]].name, *b = scene->entities[open->thing[k]].name;
            size_t head = strspn(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
            if (strncmp(a, b, head) == 0 &&
                strspn(b, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == head &&
                strcspn(a + head, "abcdefghijklmnopqrstuvwxyz") == strlen(a + head) &&
                strcspn(b + head, "abcdefghijklmnopqrstuvwxyz") == strlen(b + head))
                return false;
        }
    return true;
}

void pov_ask_for_thing(pov_replying *r, const pov_meant *meant, pov_role role)
{
    double rest;
    char name[96];
    pov_asked_back *open = &r->open;
    *open = (pov_asked_back){.kind = POV_THING_OPEN, .role = role, .meant = *meant};
    sort_things(open, meant, &rest);
    /* A thing tells all there is to know; where there are too many to name, the frame may tell more. */
    double by_thing = entropy_of(open->p, open->len) + (rest > 0.01 ? -rest * log2(rest) : 0);
    if (meant->by_frame && meant->frame_len > 1 && frame_information(meant) > by_thing + 1e-6) {
        pov_ask_for_frame(r, meant->frame, meant->frame_len, NULL, POV_ID_NONE);
        return;
    }
    pov_text_clear(&r->question);
    if (open->len == 2 && !differs_by_name(r->about->scene, open))
        pov_text_set(&r->question, "%s", pov_reply_text(r, "The left one or the right one, as you see them"));
    else
        for (int i = 0; i < open->len; i++)
            join_option(r, i, open->len, pov_name_thing(name, r->about->scene, open->thing[i]));
    finish_question(r);
    if (open->len == 1)
        pov_text_add(&r->reply->say, " It is too close to say.");
}

pov_status pov_reply_find_one(pov_id *id, pov_replying *r, const pov_node *phrase, pov_role role)
{
    pov_meant meant;
    POV_TRY(pov_reference_find(&meant, &r->context, phrase, role));
    *id = pov_meant_best(&meant);
    if (!pov_meant_is_one(&meant)) {
        cJSON_AddNullToObject(r->answer, "kind");
        cJSON_AddNullToObject(r->answer, "answer");
        pov_ask_for_thing(r, &meant, role);
    } else if (!pov_is_person(r->about->scene, *id) && *id != r->about->scene->camera)
        r->context.it = *id;
    return pov_ok();
}

void pov_ask_for_frame(pov_replying *r, const pov_hypothesis *frames, int len, const char *phrase,
                       pov_id relatum)
{
    char option[96];
    pov_text first = {0};
    pov_asked_back *open = &r->open;
    *open = (pov_asked_back){.kind = POV_FRAME_OPEN, .relatum = relatum};
    for (int i = 0; i < len && open->len < POV_OPTIONS_MAX; i++) {
        if (!(frames[i].prior > 0))
            continue;
        open->p[open->len] = frames[i].prior;
        open->frame[open->len++] = frames[i];
    }
    for (int i = 1; i < open->len; i++) /* the likeliest first */
        for (int k = i; k > 0 && open->p[k] > open->p[k - 1]; k--) {
            pov_hypothesis frame = open->frame[k];
            double p = open->p[k];
            open->frame[k] = open->frame[k - 1];
            open->p[k] = open->p[k - 1];
            open->frame[k - 1] = frame;
            open->p[k - 1] = p;
        }
    if (phrase)
        pov_text_set(&first, "%s", phrase);
    if (first.len > 3 && strcmp(first.data + first.len - 3, " of") == 0)
        pov_text_shorten(&first, first.len - 3);
    pov_text_clear(&r->question);
    if (phrase) {
        const char *said = pov_reply_text(r, pov_text_of(&first));
        const bool is_same = strcmp(said, pov_text_of(&first)) == 0;
        pov_text_set(&r->question, "%s%s", said,
                     is_same ? " " : ": "); /* "Left as you see it", "Links: von dir aus" */
    }
    pov_text_free(&first);
    for (int i = 0; i < open->len; i++) {
        pov_say_frame(option, &r->context, &open->frame[i], relatum);
        join_option(r, i, open->len, option);
    }
    finish_question(r);
}
