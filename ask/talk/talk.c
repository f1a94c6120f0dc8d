#include "ask/talk/talk.h"

#include "ask/grammar/grammar_builtin.h"
#include "ask/meaning/measure.h"
#include "ask/talk/talk_internal.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"

#include <assert.h>
#include <cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reading of at least so much takes a word that nobody knows, which may be a slip: %unknown in the grammars. */
enum { UNKNOWN_COST = 8 };
/* A slip of an English word is likelier than one of another language that English has not been read in. Chosen. */
enum { OTHER_LANGUAGE_COST = 4 };

const char *pov_outcome_name(pov_outcome outcome)
{
    static const char *const names[] = {"answered", "picked", "ask_back", "goal", "refused"};
    static_assert(sizeof names / sizeof *names == POV_OUTCOME_COUNT, "one name an outcome");
    return names[outcome];
}

/* -------- a dialogue begins and ends -------- */

static pov_status load_languages(pov_talk *talk)
{
    for (int i = 0; i < pov_builtin_grammar_len && i < POV_LANGUAGES_MAX; i++) {
        const pov_builtin_grammar *file = &pov_builtin_grammars[i];
        POV_TRY(pov_grammar_new(&talk->language[i], file->name, (const char *)file->text, file->length));
        talk->language_len++;
    }
    return pov_ok();
}

static pov_status start_talk(pov_talk *talk)
{
    POV_TRY(load_languages(talk));
    POV_TRY(pov_occlusion_new(&talk->occlusion));
    for (int i = 0; i < 2; i++)
        POV_TRY(pov_chart_new(&talk->heard[i].chart));
    talk->imagined = malloc(sizeof *talk->imagined);
    talk->looks = calloc(1, sizeof *talk->looks);
    pov_talk_forget(talk);
    return talk->imagined && talk->looks ? pov_ok() : pov_error("out of memory");
}

void pov_talk_forget(pov_talk *talk)
{
    talk->last = -1;
    talk->has_why = false;
    talk->open = (pov_asked_back){.kind = POV_NOTHING_OPEN};
    talk->picked = POV_ID_NONE;
    talk->base = (pov_context){.it = POV_ID_NONE,
                               .person = POV_ID_NONE,
                               .he = POV_ID_NONE,
                               .she = POV_ID_NONE,
                               .me = POV_ID_NONE,
                               .you = POV_ID_NONE,
                               .view = POV_ID_NONE,
                               .convention = POV_REFLECTED,
                               .axis = POV_AXIS_USUAL};
    talk->said = talk->base;
}

pov_status pov_talk_new(pov_talk **talk)
{
    *talk = calloc(1, sizeof **talk);
    if (!*talk)
        return pov_error("out of memory");
    pov_status status = start_talk(*talk);
    if (status.code != POV_OK)
        pov_talk_destroy(talk);
    return status;
}

void pov_talk_destroy(pov_talk **talk)
{
    if (!*talk)
        return;
    for (int i = 0; i < (*talk)->language_len; i++)
        pov_grammar_destroy(&(*talk)->language[i]);
    for (int i = 0; i < 2; i++)
        pov_chart_destroy(&(*talk)->heard[i].chart);
    pov_occlusion_destroy(&(*talk)->occlusion);
    free((*talk)->imagined);
    free((*talk)->looks);
    free(*talk);
    *talk = NULL;
}

const char *pov_talk_help(int index)
{
    static char line[160]; /* the grammar is read for it, which --help alone does */
    const pov_builtin_grammar *file = &pov_builtin_grammars[0];
    pov_grammar *grammar;
    const char *help = NULL;
    if (pov_grammar_new(&grammar, file->name, (const char *)file->text, file->length).code != POV_OK)
        return NULL;
    if (pov_grammar_help(grammar, index)) {
        snprintf(line, sizeof line, "%s", pov_grammar_help(grammar, index));
        help = line;
    }
    pov_grammar_destroy(&grammar);
    return help;
}

/* -------- reading -------- */

/* "is the ball, as anna sees it, left of the car": what stands between pauses is cut out, and put to the end. */
static int read_around_view(pov_heard *heard, const pov_node *nodes[POV_READINGS_KEPT])
{
    pov_sentence whole = heard->sentence;
    for (int at = 1; at < whole.words.len; at++) {
        pov_sentence moved = whole;
        if (pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &whole, "STRONGVIEW", at,
                           false) == 0)
            continue;
        int end = nodes[0]->end, count = end - at;
        if (end >= whole.words.len || (!whole.words.paused[at] && !whole.words.paused[end]))
            continue;
        pov_sentence_cut(&moved, at, count);
        for (int i = 0; i < count; i++) {
            strcpy(moved.words.word[moved.words.len], whole.words.word[at + i]);
            moved.words.paused[moved.words.len] = i == 0;
            moved.word[moved.words.len++] = whole.word[at + i];
        }
        heard->sentence = moved;
        int len = pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &heard->sentence,
                                 "START", 0, true);
        if (len > 0)
            return len;
    }
    heard->sentence = whole;
    return 0;
}

static pov_status read_in(int *len, pov_heard *heard, const pov_node *nodes[POV_READINGS_KEPT],
                          const pov_grammar *language, bool mends)
{
    heard->grammar = language;
    POV_TRY(pov_sentence_read(&heard->sentence, language, &heard->vocabulary, heard->text, mends));
    *len =
        pov_chart_read(heard->chart, nodes, language, &heard->vocabulary, &heard->sentence, "START", 0, true);
    if (*len == 0)
        *len = read_around_view(heard, nodes);
    return pov_ok();
}

/* In the first language that has it as it is; else, with slips mended, in the one that has to mend the least. */
static pov_status read_utterance(int *len, pov_talk *talk, pov_heard *heard,
                                 const pov_node *nodes[POV_READINGS_KEPT])
{
    int best = -1, least = 0;
    for (int i = 0; i < talk->language_len; i++) {
        POV_TRY(read_in(len, heard, nodes, talk->language[i], false));
        if (*len > 0 && nodes[0]->cost < UNKNOWN_COST)
            return pov_ok();
    }
    for (int i = 0; i < talk->language_len; i++) {
        POV_TRY(read_in(len, heard, nodes, talk->language[i], true));
        int cost = *len > 0 ? nodes[0]->cost + (i > 0 ? OTHER_LANGUAGE_COST : 0) : 0;
        if (*len > 0 && (best < 0 || cost < least)) {
            best = i;
            least = cost;
        }
    }
    return best < 0 ? pov_ok() : read_in(len, heard, nodes, talk->language[best], true);
}

/* A word that nothing has, nor one like it. */
static const char *unknown_word(const pov_heard *heard)
{
    for (int i = 0; i < heard->sentence.words.len; i++)
        if (heard->sentence.word[i].unknown && heard->sentence.word[i].len == 0 &&
            heard->sentence.word[i].noun_len == 0)
            return heard->sentence.words.word[i];
    return NULL;
}

static const char *stuck_word(pov_talk *talk, pov_heard *heard)
{
    const pov_node *nodes[POV_READINGS_KEPT];
    heard->grammar = talk->language[0];
    if (pov_sentence_read(&heard->sentence, heard->grammar, &heard->vocabulary, heard->text, true).code !=
        POV_OK)
        return NULL;
    if (unknown_word(heard))
        return unknown_word(heard);
    (void)pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &heard->sentence, "START",
                         0, true);
    int at = pov_chart_stuck_at(heard->chart);
    return at < heard->sentence.words.len ? heard->sentence.words.word[at] : NULL;
}

/* -------- saying -------- */

void pov_reply_say(pov_replying *r, pov_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->reply->say, sizeof r->reply->say, format, arguments);
    va_end(arguments);
    r->reply->outcome = outcome;
    for (char *c = r->reply->say; outcome != POV_REFUSED && c == r->reply->say && *c >= 'a' && *c <= 'z'; c++)
        if (strncmp(r->reply->say, "the ", 4) == 0)
            *c = (char)(*c - 'a' + 'A');
}

/* The parts of a reading that carry what was said: (THING "the ball") (RELATUM "the car"). */
static void write_reading(char *text, size_t capacity, const pov_heard *heard, const pov_node *node)
{
    static const char *const shown[] = {
        "QUESTION", "INSTRUCTION", "GOAL",    "FRAGMENT", "REFUSED", "THING",        "SEER",
        "OTHER",    "NOUN",        "RELATUM", "WHOSE",    "SIDE",    "WANTED",       "OBJECT",
        "GOALREL",  "VIEW",        "EXTREME", "TARGET",   "POST",    "ALTERNATIVES", NULL};
    bool is_shown = false, inner = false;
    size_t length = strlen(text);
    for (int i = 0; shown[i]; i++)
        is_shown = is_shown || strcmp(shown[i], node->name) == 0;
    if (is_shown)
        length += (size_t)snprintf(text + length, length < capacity ? capacity - length : 0, "%s(%s",
                                   length ? " " : "", node->name);
    for (const pov_item *item = node->items; item; item = item->next) {
        if (item->kind == POV_ITEM_TAG && is_shown && length < capacity)
            length += (size_t)snprintf(text + length, capacity - length, " %s",
                                       item->text[0] == '=' ? item->text + 1 : item->text);
        if (item->kind != POV_ITEM_NODE || length >= capacity)
            continue;
        size_t before = strlen(text);
        write_reading(text, capacity, heard, item->node);
        length = strlen(text);
        inner = inner || length > before;
    }
    if (is_shown && !inner && length < capacity) {
        length += (size_t)snprintf(text + length, capacity - length, " \"");
        for (int i = node->begin; i < node->end && length < capacity; i++)
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", i > node->begin ? " " : "",
                                       heard->sentence.words.word[i]);
        if (length < capacity)
            length += (size_t)snprintf(text + length, capacity - length, "\"");
    }
    if (is_shown && length < capacity)
        snprintf(text + length, capacity - length, ")");
}

/* -------- answering one reading -------- */

static const pov_node *core_of(const pov_node *reading)
{
    for (const pov_item *item = reading->items; item; item = item->next)
        if (item->kind == POV_ITEM_NODE && strcmp(item->node->name, "CORE") == 0)
            return item->node->items->node;
    return reading;
}

static const char *refusal_of_topic(const pov_node *core)
{
    static const struct {
        const char *tag, *say;
    } topics[] = {
        {"topic_colour", "I do not see colours; I know where things are, and who sees them"},
        {"topic_weight", "I do not know what anything weighs"},
        {"topic_weather", "I know nothing of the weather"},
        {"topic_thought", "I do not know what anybody thinks, feels or wants; I know what they can see"},
        {"topic_time", "I cannot tell the time; I know where things are"},
        {"topic_price", "I do not know what anything costs"},
        {"topic_material", "I do not know what things are made of"},
        {"topic_taste", "I cannot tell how things taste, smell or sound"},
        {"topic_facts", "I do not know that; I know where things are, and who sees them"}};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (pov_node_has(core, topics[i].tag))
            return topics[i].say;
    return NULL;
}

/* "give bob the red mug": to somebody who is there. */
static pov_status check_recipients(pov_replying *r, const pov_node *core)
{
    for (const pov_item *item = core->items; item; item = item->next) {
        pov_meant meant;
        if (item->kind != POV_ITEM_NODE || strcmp(item->node->name, "TOWHOM") != 0 || !item->node->items ||
            item->node->items->kind != POV_ITEM_NODE)
            continue;
        const pov_node *phrase = item->node->items->node;
        if (strcmp(phrase->name, "PRONOUN") == 0) /* me, her: who is meant does not change what is wanted */
            continue;
        POV_TRY(pov_reference_find(&meant, &r->context, phrase, POV_ROLE_COUNT));
        pov_id id = pov_meant_best(&meant);
        if (!pov_is_person(r->about->scene, id) && id != r->about->scene->camera)
            return pov_error("that is nobody whom I could give it to; say a person");
    }
    return pov_ok();
}

static pov_status answer_main(pov_replying *r)
{
    const pov_node *core = core_of(r->heard->reading);
    POV_TRY(pov_views_read(&r->context, r->heard->reading));
    if (strcmp(core->name, "REFUSED") == 0)
        return pov_error("%s", refusal_of_topic(core) ? refusal_of_topic(core) : "that I do not know");
    if (strcmp(core->name, "GOAL") == 0)
        return pov_reply_with_goal(r, core);
    if (strcmp(core->name, "QUESTION") == 0)
        return pov_reply_to_question(r, core);
    if (pov_node_has(core, "forbidden"))
        return pov_error("then I do nothing; say what you want instead");
    if (pov_node_has(core, "except")) {
        pov_meant not_this;
        POV_TRY(pov_reference_find(&not_this, &r->context, pov_node_find(core, "NPX")->items->node,
                                   POV_ROLE_COUNT));
        memcpy(r->context.before, not_this.fits, sizeof r->context.before);
        r->context.any_before = true;
        memcpy(r->context.excluded, not_this.fits, sizeof r->context.excluded);
        r->context.it = pov_meant_best(&not_this);
    }
    POV_TRY(check_recipients(r, core));
    const pov_node *wanted = pov_node_find(core, "WANTED");
    return pov_reply_with_pick(r, wanted ? wanted->items->node : pov_node_find(core, "NP"));
}

/* Goes on with the last utterance, in a context that differs from its own. */
static pov_status answer_again(pov_replying *r)
{
    if (r->talk->last < 0)
        return pov_error("what is that about? ask the whole question");
    r->heard = &r->talk->heard[r->talk->last];
    return answer_main(r);
}

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

/* Which part of the last utterance another thing takes the place of. */
static pov_role role_of_other(const pov_replying *r, const pov_meant *meant)
{
    const pov_node *last = core_of(r->talk->heard[r->talk->last].reading);
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
    const pov_node *np = pov_node_find(core, "NP");
    return np ? np : pov_node_find(core, "NPR");
}

/* -------- replies to what was asked back -------- */

static void learn_frame(pov_replying *r, pov_perspective perspective, double share)
{
    r->talk->base.said_in[perspective] += share;
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
            return answer_again(r);
        }
    }
    fix_view(&r->context, view);
    return answer_again(r);
}

static pov_status choose_thing(pov_replying *r, pov_id thing)
{
    const pov_meant *meant = &r->talk->open.meant;
    double sum = 0;
    for (int f = 0; f < meant->frame_len && meant->by_frame; f++)
        sum += meant->frame[f].prior * meant->frame_q[f][thing];
    for (int f = 0; f < meant->frame_len && sum > 0; f++)
        learn_frame(r, meant->frame[f].perspective, meant->frame[f].prior * meant->frame_q[f][thing] / sum);
    fix_one(&r->context, r->talk->open.role, thing);
    return answer_again(r);
}

/* A thing that is named, and nothing else said of it, is wanted. */
static pov_status wish(pov_replying *r, const pov_node *phrase)
{
    const pov_sights *sights = r->context.sights;
    r->context = r->talk->base;
    r->context.scene = r->about->scene;
    r->context.judging = r->about->judging;
    r->context.sights = sights;
    if (phrase->items->kind == POV_ITEM_NODE && strcmp(phrase->items->node->name, "PRONOUN") == 0)
        return pov_error("what about it? say what you want");
    POV_TRY(pov_views_read(&r->context, r->heard->reading));
    if (pov_node_has(pov_node_find(phrase, "MOD"), "other") && r->talk->picked != POV_ID_NONE) {
        r->context.any_before = true;
        r->context.before[r->talk->picked] = true;
        r->context.it = r->talk->picked;
    }
    return pov_reply_with_pick(r, phrase);
}

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
        c.it = open->thing[0];
    }
    c.has_view = false;
    c.is_intrinsic = false;
    POV_TRY(pov_views_read(&c, r->heard->reading));
    POV_TRY(pov_reference_find(&meant, &c, phrase, POV_ROLE_COUNT));
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
        return wish(r, phrase);
    }
    if (pov_meant_is_one(&meant))
        return choose_thing(r, id);
    pov_role role = open->role;
    r->heard = &r->talk->heard[r->talk->last];
    if (meant.by_frame && meant.frame_len > 1) { /* "the left one": whose left? */
        pov_ask_for_frame(r, meant.frame, meant.frame_len, NULL, POV_ID_NONE);
        r->open.meant = meant;
        r->open.role = role;
        r->open.by_things = true;
    } else {
        r->context = c;
        pov_ask_for_thing(r, &meant, role);
    }
    return pov_ok();
}

static pov_status reply_with_side(pov_replying *r, const pov_node *core)
{
    pov_asked_back *open = &r->talk->open;
    const pov_node *whose = phrase_in(core);
    pov_id view = pov_speaker_of(&r->context);
    if (view == POV_ID_NONE)
        view = r->about->scene->camera;
    if (whose) {
        pov_meant meant;
        POV_TRY(pov_reference_find(&meant, &r->context, whose, POV_ROLE_COUNT));
        view = pov_meant_best(&meant);
        bool looks = pov_is_person(r->about->scene, view) || view == r->about->scene->camera;
        return choose_frame(r, looks ? view : POV_ID_NONE);
    }
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

static pov_status reply_with_correction(pov_replying *r, const pov_node *core)
{
    pov_meant meant;
    pov_context c = r->context;
    if (r->talk->last < 0)
        return pov_error("what is that about? ask the whole question");
    if (r->talk->picked != POV_ID_NONE) {
        c.any_before = true;
        c.before[r->talk->picked] = true;
        c.it = r->talk->picked;
    }
    memset(c.fixed, 0, sizeof c.fixed);
    const pov_node *not_this = pov_node_find(core, "NPX"), *instead = pov_node_find(core, "CORRECTION");
    if (not_this) {
        POV_TRY(pov_reference_find(&meant, &c, not_this->items->node, POV_ROLE_COUNT));
        if (r->talk->open.kind == POV_THING_OPEN && !instead) {
            pov_meant left = r->talk->open.meant;
            double sum = 0;
            for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
                sum += left.q[id] = meant.fits[id] ? 0 : left.q[id];
            for (pov_id id = 0; id < POV_ENTITY_MAX && sum > 0; id++)
                left.q[id] /= sum;
            if (sum > 0 && pov_meant_is_one(&left))
                return choose_thing(r, pov_meant_best(&left));
        }
        memcpy(c.before, meant.fits, sizeof c.before);
        c.any_before = true;
        c.it = pov_meant_best(&meant);
        for (pov_id id = 0; id < POV_ENTITY_MAX && !instead; id++)
            r->context.excluded[id] = r->context.excluded[id] || meant.fits[id];
        if (!instead)
            return answer_again(r);
    }
    POV_TRY(pov_reference_find(&meant, &c, instead ? instead->items->node : phrase_in(core), POV_ROLE_COUNT));
    pov_role role = r->talk->open.kind == POV_THING_OPEN ? r->talk->open.role : role_of_other(r, &meant);
    if (!pov_meant_is_one(&meant)) {
        r->heard = &r->talk->heard[r->talk->last];
        pov_ask_for_thing(r, &meant, role);
        return pov_ok();
    }
    fix_one(&r->context, role, pov_meant_best(&meant));
    return answer_again(r);
}

static pov_status reply_with_also(pov_replying *r, const pov_node *core)
{
    pov_meant meant;
    pov_context c = r->talk->base;
    c.scene = r->context.scene;
    c.judging = r->context.judging;
    c.sights = r->context.sights;
    bool from = pov_node_has(core, "also_from");
    if (r->talk->last < 0)
        return pov_error("what about it? ask the whole question");
    /* "and the blue one?": of the kind that was spoken of */
    const pov_node *phrase = from ? pov_node_find(core, "RELATUM")->items->node : phrase_in(core);
    POV_TRY(pov_reference_find(&meant, &c, phrase, POV_ROLE_COUNT));
    if (r->talk->base.it != POV_ID_NONE && !pov_meant_is_one(&meant)) {
        pov_meant same = meant;
        double sum = 0;
        for (pov_id id = 0; id < r->about->scene->len; id++) {
            bool like = strcmp(r->about->scene->entities[id].class_name,
                               r->about->scene->entities[r->talk->base.it].class_name) == 0;
            same.q[id] = like && id != r->talk->base.it ? same.q[id] : 0;
            sum += same.q[id];
        }
        for (pov_id id = 0; id < r->about->scene->len && sum > 0; id++)
            same.q[id] /= sum;
        if (sum > 0)
            meant = same;
    }
    pov_role role = from ? POV_ROLE_RELATUM : role_of_other(r, &meant);
    if (role != POV_ROLE_NOUN && pov_meant_is_one(&meant))
        fix_one(&r->context, role, pov_meant_best(&meant));
    else
        fix_role(&r->context, role, meant.fits);
    return answer_again(r);
}

static pov_status reply_no(pov_replying *r)
{
    if (r->talk->last < 0 || r->talk->picked == POV_ID_NONE)
        return pov_error("which one, then? say what it is");
    r->context.excluded[r->talk->picked] = true;
    memset(r->context.fixed, 0, sizeof r->context.fixed);
    pov_status status = answer_again(r);
    return status.code == POV_OK ? status : pov_error("which one, then? say what it is");
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

static pov_status answer_fragment(pov_replying *r, const pov_node *core, bool *goes_on)
{
    bool asked = r->talk->open.kind != POV_NOTHING_OPEN;
    r->context = r->talk->last >= 0 ? r->talk->said : r->context;
    r->context.scene = r->about->scene;
    r->context.judging = r->about->judging;
    memcpy(r->context.said_in, r->talk->base.said_in, sizeof r->context.said_in);
    if (pov_node_has(core, "view") || pov_node_has(core, "also_view")) {
        pov_context c = r->context;
        c.has_view = c.is_intrinsic = false;
        c.fixed[POV_ROLE_VIEW] = false;
        if (r->talk->last < 0)
            return pov_error("what is that about? ask the whole question");
        POV_TRY(pov_views_read(&c, r->heard->reading));
        return c.is_intrinsic ? choose_frame(r, POV_ID_NONE) : choose_frame(r, c.view);
    }
    if (pov_node_has(core, "also") || pov_node_has(core, "also_from"))
        return reply_with_also(r, core);
    if (pov_node_has(core, "correct") || pov_node_has(core, "correct_not"))
        return reply_with_correction(r, core);
    if (pov_node_has(core, "wrong"))
        return reply_no(r);
    if (pov_node_has(core, "fragment_side") || pov_node_has(core, "fragment_own"))
        return asked ? reply_with_side(r, core) : pov_error("left or right of what?");
    if ((pov_node_has(core, "either") || (pov_node_has(core, "yes") && r->talk->open.len == 1)) &&
        r->talk->open.kind == POV_THING_OPEN)
        return choose_thing(r, r->talk->open.thing[0]);
    if (pov_node_has(core, "fragment") && asked)
        return reply_with_phrase(r, core, goes_on);
    return ask_again(r);
}

/* A thing that is named, and nothing asked: what is wanted. A pronoun alone says nothing. */
static bool is_new_wish(const pov_replying *r, const pov_node *core)
{
    return strcmp(core->name, "FRAGMENT") == 0 && pov_node_has(core, "fragment") &&
           r->talk->open.kind == POV_NOTHING_OPEN;
}

static pov_status answer_why(pov_replying *r)
{
    if (!r->talk->has_why)
        return pov_error("why what? ask something first");
    pov_reply_say(r, POV_ANSWERED, "%s", r->talk->why);
    cJSON_AddNullToObject(r->answer, "kind");
    cJSON_AddStringToObject(r->answer, "answer", r->talk->why);
    snprintf(r->why, sizeof r->why, "%s", r->talk->why);
    return pov_ok();
}

static pov_status answer_reading(pov_replying *r, bool *goes_on)
{
    const pov_node *core = core_of(r->heard->reading);
    *goes_on = strcmp(core->name, "FRAGMENT") == 0;
    if (pov_node_find(core, "WHY")) {
        *goes_on = true;
        return answer_why(r);
    }
    if (is_new_wish(r, core)) {
        *goes_on = false;
        return wish(r, phrase_in(core));
    }
    return *goes_on ? answer_fragment(r, core, goes_on) : answer_main(r);
}

/* -------- the reply -------- */

static cJSON *options_of(const pov_replying *r)
{
    cJSON *list = cJSON_CreateArray();
    char say[96];
    for (int i = 0; i < r->open.len && r->open.kind != POV_NOTHING_OPEN; i++) {
        cJSON *option = cJSON_CreateObject();
        bool thing = r->open.kind == POV_THING_OPEN;
        const pov_hypothesis *frame = &r->open.frame[i];
        pov_json_add_text(option, "id", thing ? r->about->scene->entities[r->open.thing[i]].name : NULL);
        pov_json_add_text(option, "perspective", thing ? NULL : pov_perspective_name(frame->perspective));
        pov_json_add_text(
            option, "viewer",
            thing || frame->viewer == POV_ID_NONE ? NULL : r->about->scene->entities[frame->viewer].name);
        pov_json_add_text(option, "say",
                          thing ? pov_name_thing(say, r->about->scene, r->open.thing[i])
                                : pov_say_frame(say, &r->context, frame, POV_ID_NONE));
        pov_json_add_number(option, "p", r->open.p[i]);
        cJSON_AddItemToArray(list, option);
    }
    return list;
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

static void write_json(pov_replying *r, const char *reading, const pov_mended *mended)
{
    cJSON *json = cJSON_CreateObject();
    char say[POV_SAY_CAPACITY + 200] = "", utterance[POV_REQUEST_CAPACITY], hash[20];
    bool picked =
        r->reply->outcome == POV_PICKED || (r->reply->outcome == POV_ANSWERED && r->picked != POV_ID_NONE);
    for (int i = mended->len - 1; i >= 0; i--) {
        size_t length = strlen(say);
        snprintf(say + length, sizeof say - length, "%s \"%s\" as \"%s\"",
                 i == mended->len - 1 ? "I read" : " and", mended->list[i].read, mended->list[i].as);
    }
    if (mended->len > 0) {
        char said[POV_SAY_CAPACITY];
        snprintf(said, sizeof said, "%s", r->reply->say);
        snprintf(r->reply->say, sizeof r->reply->say, "%.300s. %.330s", say, said);
    }
    pov_utf8_copy(utterance, sizeof utterance, r->utterance);
    cJSON_AddStringToObject(json, "utterance", utterance);
    pov_json_add_text(json, "reading", *reading ? reading : NULL);
    cJSON_AddStringToObject(json, "outcome", pov_outcome_name(r->reply->outcome));
    cJSON_AddStringToObject(json, "say", r->reply->say);
    take_member(json, r->answer, "answer");
    pov_json_add_text(json, "pick",
                      picked && r->picked != POV_ID_NONE ? r->about->scene->entities[r->picked].name : NULL);
    take_member(json, r->answer, "picks");
    if (cJSON_IsNull(cJSON_GetObjectItem(json, "picks")))
        cJSON_ReplaceItemInObject(json, "picks", cJSON_CreateArray());
    pov_json_add_text(json, "ask_back", r->reply->outcome == POV_ASKED_BACK ? r->question : NULL);
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
    take_member(json, r->answer, "kind");
    while (r->answer->child) {
        cJSON *item = cJSON_DetachItemViaPointer(r->answer, r->answer->child);
        cJSON_AddItemToObject(json, item->string, item);
    }
    r->reply->json = json;
}

static void start_replying(pov_replying *r, const pov_heard *heard)
{
    pov_talk_reply_clear(r->reply);
    cJSON_Delete(r->answer);
    r->answer = cJSON_CreateObject();
    r->heard = heard;
    r->context = r->talk->base;
    r->context.scene = r->about->scene;
    r->context.judging = r->about->judging;
    r->open.kind = POV_NOTHING_OPEN;
    r->open.len = 0;
    r->picked = POV_ID_NONE;
    r->why[0] = r->question[0] = '\0';
}

/* What the next utterance may go on with. */
static void remember_reply(pov_replying *r, int heard, bool goes_on)
{
    pov_talk *talk = r->talk;
    if (!goes_on)
        talk->last = heard;
    talk->said = r->context;
    talk->open = r->open;
    talk->base.person = r->context.person;
    talk->base.he = r->context.he;
    talk->base.she = r->context.she;
    talk->base.it = r->context.it;
    if (*r->why) {
        talk->has_why = true;
        strcpy(talk->why, r->why);
    }
    if (r->picked != POV_ID_NONE) {
        talk->picked = r->picked;
        memset(talk->base.before, 0, sizeof talk->base.before);
        talk->base.before[r->picked] = true;
        talk->base.any_before = true;
        if (pov_is_person(r->about->scene, r->picked))
            talk->base.person = r->picked;
        else
            talk->base.it = r->picked;
    }
}

/* Ids of another scene mean nothing in this one. */
static void check_memory(pov_talk *talk, const pov_scene *scene)
{
    pov_id *const ids[] = {&talk->base.it,  &talk->base.person, &talk->picked,     &talk->base.he,
                           &talk->base.she, &talk->said.it,     &talk->said.person};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (*ids[i] >= scene->len)
            *ids[i] = POV_ID_NONE;
    for (int i = 0; i < talk->open.len; i++)
        if (talk->open.kind == POV_THING_OPEN && talk->open.thing[i] >= scene->len)
            talk->open.kind = POV_NOTHING_OPEN;
}

/* "the block behind the cone that is not blue": readings that cost the same and pick others are asked about. False. */
static bool compare_readings(pov_replying *r, const pov_node *const nodes[POV_READINGS_KEPT], int len,
                             int best, const pov_sights *sights)
{
    pov_heard *heard = &r->talk->heard[r->talk->last == 0 ? 1 : 0];
    pov_meant several = {0};
    pov_id picks[POV_READINGS_KEPT];
    int count = 0;
    for (int i = best; i < len && nodes[i]->cost == nodes[best]->cost; i++) {
        bool goes_on;
        heard->reading = nodes[i];
        start_replying(r, heard);
        r->context.sights = sights;
        if (answer_reading(r, &goes_on).code != POV_OK || r->reply->outcome != POV_PICKED ||
            r->picked == POV_ID_NONE)
            continue;
        picks[count++] = r->picked;
        several.q[r->picked] = 1;
    }
    int different = 0;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        different += several.q[id] > 0;
    for (pov_id id = 0; id < POV_ENTITY_MAX && different > 1; id++)
        several.q[id] /= different;
    heard->reading = nodes[best];
    start_replying(r, heard);
    r->context.sights = sights;
    bool goes_on = false;
    pov_status status = answer_reading(r, &goes_on);
    if (status.code == POV_OK && different > 1 && count > 1 && picks[0] != POV_ID_NONE) {
        r->picked = POV_ID_NONE;
        pov_ask_for_thing(r, &several, POV_ROLE_WANTED);
    }
    return goes_on;
}

/* After a question back: its answer before all else. */
static void put_fragments_first(const pov_node *nodes[POV_READINGS_KEPT], int len)
{
    for (int i = 1; i < len; i++)
        for (int k = i; k > 0 && strcmp(core_of(nodes[k])->name, "FRAGMENT") == 0 &&
                        strcmp(core_of(nodes[k - 1])->name, "FRAGMENT") != 0 &&
                        strcmp(core_of(nodes[k - 1])->name, "INSTRUCTION") != 0 &&
                        strcmp(core_of(nodes[k - 1])->name, "GOAL") != 0;
             k--) {
            const pov_node *node = nodes[k];
            nodes[k] = nodes[k - 1];
            nodes[k - 1] = node;
        }
}

static pov_status hear(pov_replying *r, const pov_sights *sights)
{
    pov_talk *talk = r->talk;
    int free_one = talk->last == 0 ? 1 : 0, len = 0, best = -1;
    pov_heard *heard = &talk->heard[free_one];
    const pov_node *nodes[POV_READINGS_KEPT];
    pov_mended mended = {0};
    char reading[1024] = "", first_refusal[POV_MESSAGE_CAPACITY] = "";
    bool goes_on = false;
    snprintf(heard->text, sizeof heard->text, "%s", r->utterance);
    start_replying(r, heard);
    pov_vocabulary_of(&heard->vocabulary, r->about->scene);
    pov_status status = strlen(r->utterance) >= sizeof heard->text
                            ? pov_error("the utterance is too long: over %d bytes", POV_REQUEST_CAPACITY - 1)
                            : read_utterance(&len, talk, heard, nodes);
    if (status.code != POV_OK) {
        pov_reply_say(r, POV_REFUSED, "I did not understand: %s.", status.message);
        write_json(r, "", &mended);
        return pov_ok();
    }
    if (talk->open.kind != POV_NOTHING_OPEN)
        put_fragments_first(nodes, len);
    for (int i = 0; i < len && best < 0; i++) {
        pov_context base = talk->base;
        heard->reading = nodes[i];
        start_replying(r, heard);
        r->context.sights = sights;
        talk->said.sights = sights;
        status = answer_reading(r, &goes_on);
        if (status.code == POV_OK)
            best = i;
        else {
            talk->base = base;
            if (*first_refusal == '\0')
                snprintf(first_refusal, sizeof first_refusal, "%s", status.message);
        }
    }
    if (best >= 0 && r->reply->outcome == POV_PICKED && !goes_on)
        goes_on = compare_readings(r, nodes, len, best, sights) && goes_on;
    if (len > 0) {
        write_reading(reading, sizeof reading, heard, nodes[best < 0 ? 0 : best]);
        pov_chart_mended(heard->chart, &mended, nodes[best < 0 ? 0 : best]);
    }
    if (best >= 0)
        remember_reply(r, free_one, goes_on);
    else {
        bool fragment = len > 0 && strcmp(core_of(nodes[0])->name, "FRAGMENT") == 0;
        const char *word = len == 0 ? stuck_word(talk, heard) : fragment ? unknown_word(heard) : NULL;
        if (word && strstr(first_refusal, word))
            word = NULL;
        start_replying(r, heard);
        if (len > 0 && !word)
            pov_reply_say(r, POV_REFUSED, "%s%s.",
                          *first_refusal >= 'a' && *first_refusal <= 'z' ? "Sorry: " : "", first_refusal);
        else if (word)
            pov_reply_say(r, POV_REFUSED,
                          "I do not understand \"%s\" there; 'pov ask --help' lists what may be said.", word);
        else
            pov_reply_say(r, POV_REFUSED,
                          "The utterance ends too early; 'pov ask --help' lists what may be said.");
    }
    write_json(r, reading, &mended);
    return pov_ok();
}

pov_status pov_talk_hear(pov_talk *talk, pov_talk_reply *reply, const pov_talk_about *about,
                         const char *utterance)
{
    *reply = (pov_talk_reply){.outcome = POV_REFUSED, .shown.theta_rad = NAN};
    const pov_sights sights = {talk->occlusion, about->sights, about->sight_len, talk->looks};
    pov_replying *r = calloc(1, sizeof *r);
    if (!r)
        return pov_error("out of memory");
    *r = (pov_replying){.talk = talk, .about = about, .reply = reply, .utterance = utterance};
    check_memory(talk, about->scene);
    talk->looks->len = 0;
    pov_status status = pov_occlusion_update(talk->occlusion, about->scene);
    if (status.code == POV_OK)
        status = hear(r, &sights);
    cJSON_Delete(r->answer);
    free(r);
    return status;
}

void pov_talk_reply_clear(pov_talk_reply *reply)
{
    cJSON_Delete(reply->json);
    free(reply->details);
    reply->json = NULL;
    reply->details = NULL;
    reply->shown.theta_rad = NAN;
}
