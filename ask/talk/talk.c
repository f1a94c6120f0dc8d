#include "ask/talk/talk.h"

#include "ask/grammar/grammar_builtin.h"
#include "ask/talk/language_contract.h"
#include "ask/talk/talk_internal.h"
#include "config/files/utf8.h"

#include <cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

POV_ENUM_NAMES(pov_outcome_name, pov_outcome, POV_OUTCOME_COUNT, "answered", "picked", "ask_back", "goal",
               "refused")

/* -------- a dialogue begins and ends -------- */

static pov_status load_languages(pov_talk *talk)
{
    for (int i = 0; i < pov_builtin_grammar_len && i < POV_LANGUAGES_MAX; i++) {
        const pov_builtin_grammar *file = &pov_builtin_grammars[i];
        POV_TRY(pov_grammar_new(&talk->language[i], file->name, (const char *)file->text, file->length));
        POV_TRY(pov_language_rules_check(talk->language[i], file->name));
        pov_grammar_set_dictionary(talk->language[i], (const char *)file->words, file->words_length);
        talk->language_len++;
    }
    return pov_ok();
}

static pov_status start_talk(pov_talk *talk)
{
    POV_TRY(load_languages(talk));
    POV_TRY(pov_moment_new(&talk->moment));
    for (int i = 0; i < 2; i++)
        POV_TRY(pov_chart_new(&talk->heard[i].chart));
    POV_TRY(pov_chart_new(&talk->spare));
    talk->imagined = malloc(sizeof *talk->imagined);
    talk->lexicon = calloc((size_t)talk->language_len, sizeof *talk->lexicon);
    pov_talk_forget(talk);
    return talk->imagined && talk->lexicon ? pov_ok() : pov_error("out of memory");
}

void pov_talk_forget(pov_talk *talk)
{
    talk->last = -1;
    talk->spoken = 0;
    talk->has_why = false;
    pov_text_clear(&talk->rest);
    talk->open = (pov_asked_back){.kind = POV_NOTHING_OPEN};
    talk->picked = talk->beside = talk->given_to = talk->recipient = POV_ID_NONE;
    talk->action = NULL;
    pov_orders_forget(talk);
    talk->was_beside = talk->was_step = false;
    talk->base = (pov_context){.it = POV_ID_NONE,
                               .person = POV_ID_NONE,
                               .he = POV_ID_NONE,
                               .she = POV_ID_NONE,
                               .both = {POV_ID_NONE, POV_ID_NONE},
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

void pov_talk_set_learning(pov_talk *talk, bool learns)
{
    talk->learns_nothing = !learns;
}

void pov_talk_destroy(pov_talk **talk)
{
    if (!*talk)
        return;
    for (int i = 0; i < (*talk)->language_len; i++)
        pov_grammar_destroy(&(*talk)->language[i]);
    for (int i = 0; i < 2; i++)
        pov_chart_destroy(&(*talk)->heard[i].chart);
    pov_chart_destroy(&(*talk)->spare);
    pov_moment_destroy(&(*talk)->moment);
    free((*talk)->imagined);
    free((*talk)->lexicon);
    pov_text_free(&(*talk)->why);
    pov_text_free(&(*talk)->rest);
    cJSON_Delete((*talk)->orders);
    free(*talk);
    *talk = NULL;
}

const char *pov_talk_help(int index)
{
    static char languages[POV_LANGUAGES_MAX * 32];
    const pov_builtin_grammar *english = &pov_builtin_grammars[0];
    const char *form = pov_grammar_help((const char *)english->text, english->length, index);
    if (form || index == 0 || !pov_grammar_help((const char *)english->text, english->length, index - 1))
        return form;
    snprintf(languages, sizeof languages, "the same in ");
    for (int i = 1; i < pov_builtin_grammar_len; i++) {
        char name[32];
        const size_t length = strlen(languages);
        if (pov_grammar_name(name, (const char *)pov_builtin_grammars[i].text,
                             pov_builtin_grammars[i].length))
            snprintf(languages + length, sizeof languages - length, "%s%s", name,
                     i + 1 < pov_builtin_grammar_len ? ", " : "");
    }
    strncat(languages, ": each utterance tells its language", sizeof languages - strlen(languages) - 1);
    return languages;
}

/* -------- saying -------- */

/* A capital takes as many bytes as its small letter. */
static void capitalise(char *text)
{
    char capital[4];
    const size_t length = pov_utf8_capital(capital, text);
    if (length == pov_utf8_character_length(text))
        memcpy(text, capital, length);
}

void pov_reply_say(pov_replying *r, pov_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pov_text_clear(&r->reply->say);
    pov_text_add_list(&r->reply->say, pov_grammar_say(r->language, format), arguments);
    va_end(arguments);
    r->reply->outcome = outcome;
    capitalise(r->reply->say.data);
}

void pov_reply_add(const pov_replying *r, pov_text *text, const char *english, ...)
{
    const size_t lead = strspn(english, " ");
    size_t end = strlen(english);
    va_list arguments;
    while (end > lead && english[end - 1] == ' ')
        end--;
    char *core =
        pov_text_new("%.*s", (int)(end - lead), english + lead); /* tables have no blanks at the ends */
    pov_text_add_bytes(text, english, lead);
    va_start(arguments, english);
    pov_text_add_list(text, pov_grammar_say(r->language, core), arguments);
    va_end(arguments);
    pov_text_add(text, "%s", english + end);
    free(core);
}

void pov_reply_fill(const pov_replying *r, pov_text *text, const char *pattern, const char *const *slots)
{
    pov_text_clear(text);
    for (const char *at = pov_grammar_say(r->language, pattern); *at != '\0';) {
        int i = 0;
        while (slots[i] && strncmp(at, slots[i], strlen(slots[i])) != 0)
            i += 2;
        if (slots[i]) {
            pov_text_add(text, "%s", slots[i + 1]);
            at += strlen(slots[i]);
        } else if (*at == ' ' && (text->len == 0 || text->data[text->len - 1] == ' '))
            at++; /* behind a slot that is empty */
        else
            pov_text_add_bytes(text, at++, 1);
    }
    size_t end = text->len;
    while (end > 0 && text->data[end - 1] == ' ')
        end--;
    pov_text_shorten(text, end);
}

/* -------- answering one reading -------- */

static const char *refusal_of_topic(const pov_node *core)
{
    static const struct {
        const char *tag, *say;
    } topics[] = {
        {"topic_colour", "I do not see colours; I know where things are, and who sees them"},
        {"topic_weight", "I do not know what anything weighs"},
        {"topic_weather", "I know nothing of the weather"},
        {"topic_thought", "I do not know what anybody thinks, feels or wants; I know what they can see"},
        {"topic_pointing", POV_NO_HANDS},
        {"topic_time", "I cannot tell the time; I know where things are"},
        {"topic_price", "I do not know what anything costs"},
        {"topic_material", "I do not know what things are made of"},
        {"topic_taste", "I cannot tell how things taste, smell or sound"},
        {"topic_wish", "I know no such thing here; ask me what there is"},
        {"ask_left", "left over, or on the left? ask e.g. how many there are"},
        {"topic_facts", "I do not know that; I know where things are, and who sees them"}};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (pov_node_has(core, topics[i].tag))
            return topics[i].say;
    return "that I do not know";
}

/* "give bob the red mug": to somebody who is there. */
static pov_status read_person(pov_id *person, pov_replying *r, const pov_node *part)
{
    pov_meant meant;
    if (!part->items || part->items->kind != POV_ITEM_NODE)
        return pov_ok();
    const bool pronoun = strcmp(part->items->node->name, "PRONOUN") == 0;
    const pov_status found =
        pov_reference_find(&meant, &r->context, pronoun ? part : part->items->node, POV_ROLE_COUNT);
    if (found.code != POV_OK && pronoun) {
        const pov_node *word = part->items->node;
        if (pov_node_has(word, "me"))
            return pov_ok(); /* where nobody is known to speak */
        *person = pov_reference_only_other(&r->context, pov_node_has(word, "he"), pov_node_has(word, "she"));
        return *person != POV_ID_NONE ? pov_ok() : pov_error("to whom? say the name");
    }
    POV_TRY(found);
    *person = pov_meant_best(&meant);
    return pov_is_person(r->about->scene, *person) || *person == r->about->scene->camera
               ? pov_ok()
               : pov_error("that is nobody whom I could give it to; say a person");
}

/* The tag of a verb, "do_give"; what is wished for without a verb is to be given. NULL: the language does not tell. */
static const char *action_of(const pov_node *core)
{
    const pov_node *verb = pov_node_find(core, "VERB");
    for (const pov_item *item = verb ? verb->items : NULL; item; item = item->next)
        if (item->kind == POV_ITEM_TAG && strncmp(item->text, "do_", 3) == 0)
            return item->text + 3;
    return verb ? NULL : "give";
}

/* From whom, or from what: "the pen off the book", "the apple from bob". */
static pov_status read_source(pov_replying *r, const pov_node *core)
{
    const pov_node *from = pov_node_find(core, "SOURCE"), *whence = pov_node_find(core, "RELFROM");
    pov_meant meant;
    if (from)
        return read_person(&r->source, r, from);
    if (whence &&
        pov_reference_find(&meant, &r->context, pov_node_find(whence, "RELATUM")->items->node, POV_ROLE_COUNT)
                .code == POV_OK)
        r->source = pov_meant_best(&meant);
    return pov_ok();
}

/* "bring the apple over there" */
static bool says_yonder(const pov_node *reading)
{
    for (const pov_item *item = reading->items; item; item = item->next)
        if (item->kind == POV_ITEM_NODE && strcmp(item->node->name, "CLOSING") == 0 &&
            pov_node_has(item->node, "yonder"))
            return true;
    return false;
}

/* The verb, to whom and from whom. The speaker gets a thing for whom nobody is named. */
static pov_status read_action(pov_replying *r, const pov_node *core)
{
    if (strcmp(core->name, "INSTRUCTION") != 0)
        return pov_ok();
    r->action = action_of(core);
    for (const pov_item *item = core->items; item; item = item->next)
        if (item->kind == POV_ITEM_NODE && strcmp(item->node->name, "TOWHOM") == 0)
            POV_TRY(read_person(&r->recipient, r, item->node));
    if (r->action && strcmp(r->action, "bring") == 0 && r->recipient == POV_ID_NONE &&
        says_yonder(r->heard->reading))
        return pov_error("where is that? say it by a thing, e.g. next to the box");
    if (r->talk->last >= 0 && r->heard == &r->talk->heard[r->talk->last] && r->talk->given_to != POV_ID_NONE)
        r->recipient = r->talk->given_to;
    if (r->recipient == POV_ID_NONE && r->action &&
        (strcmp(r->action, "give") == 0 || strcmp(r->action, "bring") == 0 || strcmp(r->action, "show") == 0))
        r->recipient = pov_speaker_of(&r->context);
    return read_source(r, core);
}

pov_status pov_reply_read_views(pov_replying *r)
{
    POV_TRY(pov_views_read(&r->context, r->heard->reading));
    if (r->context.scene != r->about->scene) { /* what is said is about the scene as it was imagined */
        r->imagined = *r->real;
        r->imagined.scene = r->context.scene;
        r->imagined.sight_len = 0;
        r->about = &r->imagined;
    }
    return pov_ok();
}

static pov_status answer_main(pov_replying *r)
{
    const pov_node *core = pov_core_of(r->heard->reading);
    POV_TRY(pov_reply_read_views(r));
    if (strcmp(core->name, "REFUSED") == 0)
        return pov_error("%s", pov_reply_text(r, refusal_of_topic(core)));
    if (strcmp(core->name, "GOAL") == 0 || pov_node_has(core, "correct_goal"))
        return pov_reply_with_goal(r, core);
    if (strcmp(core->name, "QUESTION") == 0)
        return pov_reply_to_question(r, core);
    if (pov_node_has(core, "forbidden")) {
        r->talk->calls_off = true;
        return pov_error("then I do nothing; say what you want instead");
    }
    if (pov_node_has(core, "except")) {
        pov_meant not_this;
        POV_TRY(pov_reference_find(&not_this, &r->context, pov_node_find(core, "NPX")->items->node,
                                   POV_ROLE_COUNT));
        memcpy(r->context.before, not_this.fits, sizeof r->context.before);
        r->context.any_before = true;
        memcpy(r->context.excluded, not_this.fits, sizeof r->context.excluded);
        r->context.it = pov_meant_best(&not_this);
    }
    POV_TRY(read_action(r, core));
    if (pov_node_has(core, "pair"))
        return pov_reply_with_picks(r, core);
    const pov_node *wanted = pov_node_find(core, "WANTED"), *np = pov_node_find(core, "NP");
    const pov_node *phrase = wanted ? wanted->items->node : np ? np : pov_node_find(core, "NPR");
    return phrase ? pov_reply_with_pick(r, phrase)
                  : pov_error("I do not know what that is about; ask the whole question");
}

/* Goes on with the last utterance, in a context that differs from its own. */
pov_status pov_reply_again(pov_replying *r)
{
    if (r->talk->last < 0)
        return pov_error("I do not know what that is about; ask the whole question");
    r->heard = &r->talk->heard[r->talk->last];
    pov_reply_set_scene(r, &r->context);
    return answer_main(r);
}

static pov_status answer_why(pov_replying *r)
{
    if (!r->talk->has_why)
        return pov_error("I said nothing yet that has a reason; ask something first");
    const char *why = pov_text_of(&r->talk->why);
    pov_reply_say(r, POV_ANSWERED, "%s", why);
    cJSON_AddNullToObject(r->answer, "kind");
    cJSON_AddStringToObject(r->answer, "answer", why);
    pov_text_set(&r->why, "%s", why);
    return pov_ok();
}

static pov_status answer_reading(pov_replying *r, bool *goes_on)
{
    const pov_node *core = pov_core_of(r->heard->reading);
    *goes_on = strcmp(core->name, "FRAGMENT") == 0 || strcmp(core->name, "PHATIC") == 0;
    if (strcmp(core->name, "PHATIC") == 0) {
        if (pov_node_has(core, "hold") && r->talk->last < 0)
            return pov_error(
                "I can only look, point, fetch and put; that I cannot do"); /* "wait", where nothing is done */
        pov_reply_to_phatic(r, core);
        return pov_ok();
    }
    if (pov_node_find(core, "WHY")) {
        *goes_on = true;
        return answer_why(r);
    }
    return *goes_on ? pov_reply_to_fragment(r, core, goes_on) : answer_main(r);
}

/* -------- the reply -------- */

const char *pov_reply_text(const pov_replying *r, const char *english)
{
    return pov_grammar_say(r->language, english);
}

void pov_reply_put_names(const pov_replying *r, pov_text *text)
{
    pov_text put = {0};
    char name[POV_SPOKEN_CAPACITY];
    const char *format = pov_reply_text(r, "the %s");
    if (strcmp(format, "the %s") == 0)
        return;
    for (const char *at = pov_text_of(text); *at != '\0';) {
        size_t taken = 0;
        pov_id named = POV_ID_NONE;
        const bool may_name = strncasecmp(at, "the ", 4) == 0;
        for (pov_id id = 0; may_name && id < r->about->scene->len; id++) {
            const size_t size = strlen(pov_name_thing(name, r->about->scene, id));
            if (strncmp(name, "the ", 4) == 0 && strncasecmp(at, name, size) == 0 && size > taken) {
                taken = size;
                named = id;
            }
        }
        if (named != POV_ID_NONE) {
            pov_name_thing_in(name, r->about->scene, named, r->language);
            pov_text_add(&put, format, name);
            at += taken;
        } else
            pov_text_add_bytes(&put, at++, 1);
    }
    pov_text_free(text);
    *text = put;
}

void pov_reply_set_scene(const pov_replying *r, pov_context *context)
{
    context->scene = r->about->scene;
    context->judging = r->about->judging;
    context->moment = r->talk->moment;
    context->lexicon = pov_talk_lexicon(r->talk, r->about->scene, r->heard->grammar);
    context->language = r->language;
}

static pov_status start_moment(pov_talk *talk, const pov_talk_about *about)
{
    return pov_moment_start(talk->moment, about->scene, about->judging, about->sights, about->sight_len);
}

static void start_replying(pov_replying *r, const pov_heard *heard)
{
    if (r->about != r->real)
        (void)start_moment(r->talk, r->real); /* it was started before */
    r->about = r->real;
    pov_talk_reply_clear(r->reply);
    cJSON_Delete(r->answer);
    r->answer = cJSON_CreateObject();
    r->heard = heard;
    r->language = heard->grammar;
    r->context = r->talk->base;
    pov_reply_set_scene(r, &r->context);
    r->open.kind = POV_NOTHING_OPEN;
    r->open.len = 0;
    r->picked = r->recipient = r->source = POV_ID_NONE;
    r->action = NULL;
    r->has_several = false;
    pov_text_clear(&r->why);
    pov_text_clear(&r->question);
    r->has_unfit = false;
}

static void remember_reply(pov_replying *r, int heard, bool goes_on)
{
    pov_talk *talk = r->talk;
    for (int i = 0; i < talk->language_len; i++)
        talk->spoken = talk->language[i] == r->language ? i : talk->spoken;
    if (!goes_on) {
        talk->last = heard;
        talk->given_to = POV_ID_NONE;
    }
    if (r->reply->outcome == POV_PICKED) {
        talk->action = r->action;
        talk->recipient = r->recipient;
    }
    talk->said = r->context;
    talk->open = r->open;
    talk->base.person = r->context.person;
    talk->base.he = r->context.he;
    talk->base.she = r->context.she;
    talk->base.it = r->context.it;
    memcpy(talk->base.both, r->context.both, sizeof talk->base.both);
    if (r->why.len > 0) {
        talk->has_why = true;
        pov_text_set(&talk->why, "%s", pov_text_of(&r->why));
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

/* "the block behind the cone that is not blue": if readings of the same cost mean different things, asks which. The first of them has
 * been answered. */
static void compare_readings(pov_replying *r, const pov_node *const nodes[POV_READINGS_KEPT], int same)
{
    pov_heard *heard = &r->talk->heard[r->talk->last == 0 ? 1 : 0];
    pov_meant several = {0};
    int different = 0;
    bool goes_on;
    for (int i = same - 1; i >= 0; i--) { /* the first one last: its answer stays */
        heard->reading = nodes[i];
        start_replying(r, heard);
        if (answer_reading(r, &goes_on).code != POV_OK)
            continue;
        const bool asks = r->reply->outcome == POV_ASKED_BACK && r->open.kind == POV_THING_OPEN;
        for (int k = 0; k < (asks ? r->open.len : r->reply->outcome == POV_PICKED); k++) {
            const pov_id id = asks ? r->open.thing[k] : r->picked;
            different += id != POV_ID_NONE && several.q[id] == 0;
            if (id != POV_ID_NONE)
                several.q[id] = 1;
        }
    }
    if (different < 2)
        return;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        several.q[id] /= different;
    r->picked = POV_ID_NONE;
    pov_ask_for_thing(r, &several, POV_ROLE_WANTED);
}

/* "and the ball?" goes on with a question; it answers none. */
static bool is_answer(const pov_node *reading)
{
    const pov_node *core = pov_core_of(reading);
    return strcmp(core->name, "FRAGMENT") == 0 && !pov_node_has(core, "also");
}

/* After a question back: its answer before other questions. */
static void put_answers_first(const pov_node *nodes[POV_READINGS_KEPT], int len)
{
    for (int i = 1; i < len; i++)
        for (int k = i; k > 0 && is_answer(nodes[k]) && !is_answer(nodes[k - 1]) &&
                        strcmp(pov_core_of(nodes[k - 1])->name, "INSTRUCTION") != 0 &&
                        strcmp(pov_core_of(nodes[k - 1])->name, "GOAL") != 0;
             k--) {
            const pov_node *node = nodes[k];
            nodes[k] = nodes[k - 1];
            nodes[k - 1] = node;
        }
}

bool pov_talk_follows_goal(const pov_talk *talk)
{
    const pov_node *last = talk->last >= 0 ? pov_core_of(talk->heard[talk->last].reading) : NULL;
    return last && (strcmp(last->name, "GOAL") == 0 || pov_node_has(last, "correct_goal"));
}

static bool is_shift(const pov_node *where)
{
    return pov_node_has(where, "shift") || pov_node_has(where, "own_shift");
}

/* "next to the box": answers "which cup?"; else it is where the thing spoken of is to go, as "further left" is after a goal. */
static bool comes_first(const pov_talk *talk, const pov_node *reading, const pov_node *other)
{
    const pov_node *one = pov_core_of(reading), *core = pov_core_of(other);
    if (strcmp(one->name, "FRAGMENT") != 0 ||
        (strcmp(core->name, "FRAGMENT") != 0 && strcmp(core->name, "QUESTION") != 0))
        return false;
    if (talk->open.kind == POV_THING_OPEN)
        return pov_node_find(one, "PLACED") && pov_node_has(core, "correct_goal");
    if (pov_node_has(one, "whither"))
        return pov_talk_follows_goal(talk);
    return pov_node_has(one, "correct_goal") && !pov_node_has(core, "correct_goal") &&
           (pov_node_find(core, "PLACED") ||
            (pov_talk_follows_goal(talk) && is_shift(pov_node_find(one, "GOALREL"))));
}

static void put_places_in_order(const pov_talk *talk, const pov_node *nodes[POV_READINGS_KEPT], int len)
{
    for (int i = 1; i < len; i++)
        for (int k = i; k > 0 && comes_first(talk, nodes[k], nodes[k - 1]); k--) {
            const pov_node *node = nodes[k];
            nodes[k] = nodes[k - 1];
            nodes[k - 1] = node;
        }
}

/* Why the first reading could not be answered. */
typedef struct {
    char message[POV_MESSAGE_CAPACITY];
    bool has_unfit;
    pov_meant unfit;
} refused;

/* "No apple here fits that. The apple?" */
static void ask_for_unfit(pov_replying *r, const refused *why)
{
    double sum = 0;
    pov_meant meant = why->unfit;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        sum += meant.q[id];
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        meant.q[id] /= sum;
    pov_ask_for_thing(r, &meant, POV_ROLE_WANTED);
    r->open.rank = meant.rank;
    char *said = pov_text_new("%s", why->message);
    if (meant.rank > 0) { /* counted from where? the things are known */
        pov_text_set(&r->question, "%s.", said);
        pov_text_set(&r->reply->say, "%s.", said);
    } else {
        said[strcspn(said, ";")] = '\0';
        pov_text_set(&r->reply->say, "%s. %s", said, pov_text_of(&r->question));
    }
    capitalise(r->reply->say.data);
    free(said);
}

/* Says why no reading could be answered. A reason that is a question asks back. */
static void refuse(pov_replying *r, pov_heard *heard, const pov_node *first, const refused *why)
{
    const char *refusal = why->message;
    bool fragment = first && strcmp(pov_core_of(first)->name, "FRAGMENT") == 0;
    const char *word = !first                         ? pov_heard_stuck_word(heard)
                       : fragment || *refusal == '\0' ? pov_heard_unknown_word(heard)
                                                      : NULL;
    start_replying(r, heard);
    const bool asks = strchr(refusal, '?') != NULL;
    char translated[POV_MESSAGE_CAPACITY];
    pov_grammar_say_like(r->language, translated, sizeof translated, refusal);
    refusal = translated;
    if (word && !strstr(refusal, word))
        pov_reply_say(r, POV_REFUSED,
                      "I do not understand \"%s\" there; 'pov ask --help' lists what may be said.", word);
    else if (first && asks) {
        pov_reply_say(r, POV_ASKED_BACK, "%s.", refusal);
        pov_text_set(&r->question, "%s", pov_text_of(&r->reply->say));
        r->open = r->talk->open;
    } else if (first)
        pov_reply_say(r, POV_REFUSED, *refusal >= 'a' && *refusal <= 'z' ? "Sorry: %s." : "%s.", refusal);
    else
        pov_reply_say(r, POV_REFUSED,
                      "I do not understand that as a whole; 'pov ask --help' lists what may be said.");
}

/* "is the box not behind the mug", which cannot be answered, is not "is the box", which would go on with the last question; nor is "put
 * the lamp away", which cannot be done, "away from you"; nor "take the cup on the box", where none is, "put it there"; nor "is it on the left", without saying whose, "on the leftmost thing". */
static bool is_worse_kind(const pov_node *first, const pov_node *reading)
{
    const pov_node *core = pov_core_of(first);
    const bool viewed =
        core->items && core->items->kind == POV_ITEM_NODE && pov_node_has(core->items->node, "viewed");
    if (first != reading && pov_node_has(pov_core_of(reading), "nowhere"))
        return true; /* "put it there" is not "put it" */
    if (first != reading && (viewed || pov_node_has(core, "beyond") || pov_node_has(core, "ask_left")))
        return true;
    const pov_node *other = pov_core_of(reading);
    if (strcmp(core->name, "INSTRUCTION") == 0 && strcmp(other->name, "GOAL") == 0)
        return !pov_node_find(core, "SOURCE") && !pov_node_has(pov_node_find(other, "GOALREL"), "to_thing");
    if (strcmp(core->name, "INSTRUCTION") == 0 && pov_node_find(core, "TOWHOM") &&
        !pov_node_find(other, "TOWHOM"))
        return true; /* "bring the cup to the car": not "the cup" from where the car is */
    return pov_node_has(pov_core_of(reading), "also") && strcmp(pov_core_of(first)->name, "QUESTION") == 0;
}

/* A word that nobody knows, in a part of the reading that told nothing: "the car that is broken" is not "the car". */
static bool has_unknown(const pov_node *node)
{
    for (const pov_item *item = node->items; item; item = item->next)
        if (item->kind == POV_ITEM_UNKNOWN || (item->kind == POV_ITEM_NODE && has_unknown(item->node)))
            return true;
    return false;
}

/* Is something described that is not so? */
static bool is_unfit(const refused *why)
{
    bool some = false;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        some = some || why->unfit.q[id] > 0;
    return why->has_unfit && some;
}

/* Few enough for a question to name each of them. */
static bool are_few(const pov_meant *meant)
{
    enum { FEW = 4 }; /* chosen */
    int count = 0;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        count += meant->q[id] > 0;
    return count <= FEW;
}

/* The first reading that can be answered; -1: none, and `why` says why the first could not. */
static int answer_first(pov_replying *r, const pov_node *const nodes[POV_READINGS_KEPT], int len,
                        pov_heard *heard, bool *goes_on, refused *why)
{
    for (int i = 0; i < len; i++) {
        const pov_context base = r->talk->base;
        if (is_worse_kind(nodes[0], nodes[i]) || (i > 0 && is_unfit(why)))
            continue; /* where no thing is as it was described, a reading that describes less would pick one */
        heard->reading = nodes[i];
        start_replying(r, heard);
        const pov_status status = answer_reading(r, goes_on);
        if (status.code == POV_OK && !has_unknown(nodes[i]))
            return i;
        r->talk->base = base;
        if (i == 0) {
            snprintf(why->message, sizeof why->message, "%s", status.message);
            why->has_unfit = r->has_unfit && status.code != POV_OK;
            why->unfit = r->unfit;
        }
    }
    return -1;
}

static int count_same_cost(const pov_node *const nodes[POV_READINGS_KEPT], int len)
{
    int same = 0;
    while (same < len && nodes[same]->cost == nodes[0]->cost)
        same++;
    return same;
}

static pov_status reply_to_utterance(pov_replying *r)
{
    pov_talk *talk = r->talk;
    const int free_one = talk->last == 0 ? 1 : 0;
    pov_heard *heard = &talk->heard[free_one];
    const pov_node *nodes[POV_READINGS_KEPT];
    pov_mended mended = {0};
    char reading[1024] = "";
    refused *why = calloc(1, sizeof *why);
    bool goes_on = false;
    int len = 0;
    snprintf(heard->text, sizeof heard->text, "%s", r->utterance);
    heard->grammar = talk->language[talk->spoken];
    start_replying(r, heard);
    const pov_status status =
        strlen(r->utterance) >= sizeof heard->text
            ? pov_error("the utterance is too long: over %d bytes", POV_REQUEST_CAPACITY - 1)
            : pov_heard_read(&len, talk, heard, r->about->scene, nodes);
    if (status.code == POV_OK && (len == 0 || nodes[0]->cost >= POV_UNKNOWN_COST) &&
        pov_heard_split(heard, talk->spare, &r->rest))
        POV_TRY(pov_heard_read(&len, talk, heard, r->about->scene, nodes));
    if (status.code != POV_OK || !why) {
        free(why);
        pov_reply_say(r, POV_REFUSED, "I did not understand: %s.", status.message);
        pov_reply_write_json(r, "", &mended);
        return pov_ok();
    }
    if (talk->open.kind != POV_NOTHING_OPEN)
        put_answers_first(nodes, len);
    put_places_in_order(talk, nodes, len);
    const int best = answer_first(r, nodes, len, heard, &goes_on, why);
    if (best >= 0 && r->reply->outcome == POV_PICKED && !goes_on) {
        const int same = count_same_cost(nodes + best, len - best);
        if (same > 1)
            compare_readings(r, nodes + best, same);
    }
    if (len > 0) {
        pov_heard_write(reading, sizeof reading, heard, nodes[best < 0 ? 0 : best]);
        pov_chart_mended(heard->chart, &mended, nodes[best < 0 ? 0 : best]);
    }
    if (best >= 0)
        remember_reply(r, free_one, goes_on);
    else if (is_unfit(why) && (are_few(&why->unfit) || why->unfit.rank > 0)) {
        heard->reading = nodes[0];
        start_replying(r, heard);
        ask_for_unfit(r, why);
        remember_reply(r, free_one, false);
    } else
        refuse(r, heard, len > 0 ? nodes[0] : NULL, why);
    free(why);
    pov_reply_write_json(r, reading, &mended);
    return pov_ok();
}

pov_status pov_talk_hear_step(pov_talk *talk, pov_talk_reply *reply, const pov_talk_about *about,
                              const char *utterance, pov_text *rest)
{
    *reply = (pov_talk_reply){.outcome = POV_REFUSED, .shown.theta_rad = NAN};
    pov_replying *r = calloc(1, sizeof *r);
    if (!r)
        return pov_error("out of memory");
    *r = (pov_replying){.talk = talk, .about = about, .real = about, .reply = reply, .utterance = utterance};
    pov_status status = start_moment(talk, about);
    if (status.code == POV_OK)
        status = reply_to_utterance(r);
    if (r->rest.len > 0)
        pov_text_set(rest, "%s", pov_text_of(&r->rest));
    cJSON_Delete(r->answer);
    pov_text_free(&r->why);
    pov_text_free(&r->question);
    pov_text_free(&r->rest);
    free(r);
    return status;
}

void pov_talk_reply_clear(pov_talk_reply *reply)
{
    cJSON_Delete(reply->json);
    free(reply->details);
    pov_text_free(&reply->say);
    reply->json = NULL;
    reply->details = NULL;
    reply->shown.theta_rad = NAN;
    reply->has_goal = false;
}
