/* Lists of questions, and the parts that all of them share. */
#include "compare/questions/prompting.h"
#include "compare/questions/question_internal.h"
#include "perception/hash.h"
#include "perception/scene/scene_mirror.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOLDS_EACH = 16, TEXT_EACH = 2000, TEXT_MORE = 4096 };

const char *pov_benchmark_name(pov_benchmark value)
{
    static const char *const papers[] = {"comfort", "forest", "vsr", "vpt", "sphere"};
    static_assert(sizeof papers / sizeof *papers == POV_BENCHMARK_CHOICES, "a name each");
    return value < POV_BENCHMARK_CHOICES
               ? papers[value]
               : pov_choice_benchmark_at((pov_choice_benchmark_id)(value - POV_BENCHMARK_CHOICES))->name;
}

bool pov_benchmark_has_options(pov_benchmark value)
{
    return value != POV_BENCHMARK_COMFORT && value != POV_BENCHMARK_VSR && value != POV_BENCHMARK_VPT;
}

POV_ENUM_NAMES(pov_question_kind_name, pov_question_kind, POV_QUESTION_KINDS, "yes_no", "true_false",
               "option", "number", "cardinals", "sides", "layout")

/* -------- golds -------- */

double pov_gold_p_yes(const pov_gold *gold)
{
    return !gold->defined ? NAN : gold->answers & 1u ? gold->p : 1 - gold->p;
}

bool pov_question_is_yes_or_no(const pov_question *question)
{
    return question->kind == POV_QUESTION_YES_NO || question->kind == POV_QUESTION_TRUE_FALSE;
}

const pov_gold *pov_question_asked(const pov_question *question)
{
    for (int i = 0; i < question->gold_len; i++)
        if (question->golds[i].asked)
            return &question->golds[i];
    return NULL;
}

const char *pov_question_answer_word(const pov_question *question, int i)
{
    static const char *const words[POV_QUESTION_KINDS][4] = {
        [POV_QUESTION_YES_NO] = {"yes", "no"},
        [POV_QUESTION_TRUE_FALSE] = {"true", "false"},
        [POV_QUESTION_CARDINALS] = {"north", "east", "south", "west"},
        [POV_QUESTION_SIDES] = {"front", "right", "back", "left"},
        [POV_QUESTION_LAYOUT] = {"left", "right", "front", "back"}, /* as pov_relation */
    };
    if (question->kind == POV_QUESTION_OPTION)
        return i < question->option_len ? question->options[i] : NULL;
    return i < 4 ? words[question->kind][i] : NULL;
}

void pov_gold_describe(char *text, size_t capacity, const pov_question *question, const pov_gold *gold)
{
    size_t len = 0;
    text[0] = '\0';
    if (!gold->defined)
        return;
    if (gold->words) {
        snprintf(text, capacity, "%s", gold->words);
        return;
    }
    if (question->kind == POV_QUESTION_NUMBER) {
        snprintf(text, capacity, "%g", gold->number);
        return;
    }
    for (int i = 0; i < POV_OPTIONS_MAX && len < capacity; i++) {
        const char *word = pov_question_answer_word(question, i);
        if (word && gold->answers & 1u << i)
            len += (size_t)snprintf(text + len, capacity - len, "%s%s", len ? "|" : "", word);
    }
}

void pov_gold_frame(char *text, size_t capacity, const pov_gold *gold)
{
    const char *parts[5] = {NULL};
    size_t len = 0;
    text[0] = '\0';
    if (gold->containment < POV_CONTAINMENT_COUNT)
        parts[0] = pov_containment_name(gold->containment);
    if (gold->perspective < POV_PERSPECTIVE_COUNT)
        parts[1] = pov_perspective_name(gold->perspective);
    if (gold->convention < POV_CONVENTION_COUNT)
        parts[2] = pov_convention_name(gold->convention);
    if (gold->axis < POV_AXIS_COUNT)
        parts[3] = pov_axis_name(gold->axis);
    if (gold->mirrored)
        parts[4] = "mirrored";
    for (int i = 0; i < 5 && len < capacity; i++)
        if (parts[i])
            len += (size_t)snprintf(text + len, capacity - len, "%s%s", len ? " " : "", parts[i]);
}

/* -------- the list -------- */

pov_status pov_questions_new(pov_questions **questions, int capacity)
{
    POV_REQUIRE(capacity > 0);
    pov_questions *q = *questions = pov_allocate(1, sizeof *q);
    q->capacity = capacity;
    q->gold_capacity = GOLDS_EACH * capacity;
    q->text_capacity = (size_t)TEXT_EACH * (size_t)capacity + TEXT_MORE;
    q->items = pov_allocate((size_t)capacity + 1, sizeof *q->items);
    q->golds = pov_allocate((size_t)q->gold_capacity + 1, sizeof *q->golds);
    q->text = pov_allocate(q->text_capacity, 1);
    const pov_status status = pov_occlusion_new(&q->occlusion);
    if (status.code != POV_OK)
        pov_questions_destroy(questions);
    return status;
}

void pov_questions_destroy(pov_questions **questions)
{
    pov_questions *q = *questions;
    if (!q)
        return;
    pov_occlusion_destroy(&q->occlusion);
    free(q->items);
    free(q->golds);
    free(q->text);
    free(q);
    *questions = NULL;
}

int pov_questions_len(const pov_questions *questions)
{
    return questions->len;
}

const pov_question *pov_questions_at(const pov_questions *questions, int index)
{
    POV_REQUIRE(index >= 0 && index < questions->len);
    return &questions->items[index];
}

void pov_questions_complain(pov_questions *q, const char *format, ...)
{
    if (q->problem.code != POV_OK)
        return;
    va_list arguments;
    q->problem.code = POV_ERROR;
    va_start(arguments, format);
    vsnprintf(q->problem.message, sizeof q->problem.message, format, arguments);
    va_end(arguments);
}

pov_question *pov_questions_add(pov_questions *q)
{
    if (q->len == q->capacity) {
        pov_questions_complain(q, "there are more than %d questions; ask about one pair, or fewer things",
                               q->capacity);
        q->len--; /* the last one is overwritten from here on */
    }
    pov_question *question = &q->items[q->len++];
    *question = (pov_question){.id = "",
                               .benchmark = q->asking->benchmark,
                               .task = "",
                               .language = "en",
                               .text = "",
                               .golds = &q->golds[q->gold_len],
                               .token_max = 16,
                               .needs_image = true,
                               .referent = POV_ID_NONE,
                               .relatum = POV_ID_NONE,
                               .viewer = POV_ID_NONE,
                               .relation = POV_RELATION_COUNT,
                               .prompt = POV_PROMPT_COUNT,
                               .phi_rad = NAN,
                               .facings = {NAN, NAN}};
    return question;
}

pov_gold *pov_questions_gold(pov_questions *q)
{
    if (q->gold_len == q->gold_capacity) {
        pov_questions_complain(q, "there are more than %d answers; ask about one pair, or fewer things",
                               q->gold_capacity);
        q->gold_len--;
    } else {
        q->items[q->len - 1].gold_len++;
    }
    pov_gold *gold = &q->golds[q->gold_len++];
    *gold = (pov_gold){.perspective = POV_PERSPECTIVE_COUNT,
                       .convention = POV_NO_CONVENTION,
                       .axis = POV_AXIS_COUNT,
                       .containment = POV_CONTAINMENT_COUNT,
                       .number = NAN,
                       .p = NAN,
                       .p_std = NAN,
                       .cosine = NAN};
    return gold;
}

char *pov_questions_text(pov_questions *q, const char *format, ...)
{
    va_list arguments;
    size_t room = q->text_capacity - q->text_len;
    char *text = q->text + q->text_len;
    va_start(arguments, format);
    int len = vsnprintf(text, room, format, arguments);
    va_end(arguments);
    if (len < 0 || (size_t)len >= room) {
        pov_questions_complain(q,
                               "the questions are longer than %zu bytes; ask about one pair, or fewer things",
                               q->text_capacity);
        return q->nothing;
    }
    q->text_len += (size_t)len + 1;
    return text;
}

/* -------- things -------- */

bool pov_questions_is_thing(const pov_questions *q, pov_id id)
{
    return id != q->scene->camera && q->scene->entities[id].placed && !q->scene->entities[id].is_imagined;
}

bool pov_questions_is_alike(const pov_questions *q, pov_id a, pov_id b)
{
    return strcmp(q->scene->entities[a].class_name, q->scene->entities[b].class_name) == 0;
}

bool pov_questions_wants(const pov_questions *q, pov_id referent, pov_id relatum)
{
    const pov_asking *asking = q->asking;
    return q->problem.code == POV_OK && referent != relatum && pov_questions_is_thing(q, referent) &&
           pov_questions_is_thing(q, relatum) &&
           (asking->referent == POV_ID_NONE || asking->referent == referent) &&
           (asking->relatum == POV_ID_NONE || asking->relatum == relatum);
}

const char *pov_questions_name(const pov_questions *q, pov_id id)
{
    return q->scene->entities[id].name;
}

/* -------- asking -------- */

pov_question *pov_questions_about(pov_questions *q, const char *task, pov_id referent, pov_id relatum,
                                  pov_question_kind kind, const char *text)
{
    bool both = relatum != POV_ID_NONE;
    const char *facts = both ? pov_questions_facts(q, referent, relatum) : "";
    pov_question *question = pov_questions_add(q);
    question->id =
        pov_questions_text(q, "%s/%s/%s%s%s%s", pov_benchmark_name(question->benchmark), task,
                           referent == POV_ID_NONE ? "all" : pov_questions_name(q, referent), both ? ":" : "",
                           both ? pov_questions_name(q, relatum) : "", pov_questions_guided(q));
    question->task = pov_questions_text(q, "%s", task);
    question->kind = kind;
    question->referent = referent;
    question->relatum = relatum;
    question->text = pov_questions_text(q, "%s%s", facts, text);
    return question;
}

pov_gold *pov_questions_answer(pov_questions *q, unsigned answers, double p)
{
    pov_gold *gold = pov_questions_gold(q);
    gold->asked = true;
    gold->defined = !isnan(p);
    gold->sure = p >= POV_QUESTIONS_SURE;
    gold->answers = gold->defined ? answers : 0;
    gold->p = p;
    return gold;
}

int pov_questions_likeliest(const double p[], int len)
{
    int best = 0;
    for (int i = 1; i < len; i++)
        best = p[i] > p[best] ? i : best;
    return best;
}

uint64_t pov_questions_hash(const char *text)
{
    return pov_hash_text(POV_HASH_START, text);
}

const char *pov_questions_guided(const pov_questions *q)
{
    return pov_prompt_condition_at(POV_PROMPT_CONDITION_GUIDED, (int)q->asking->guidance)->suffix;
}

bool pov_flip_applies(bool flip, pov_benchmark benchmark)
{
    return !flip || benchmark != POV_BENCHMARK_MINDCUBE;
}

static void check_conditions(pov_questions *q)
{
    const pov_asking *asking = q->asking;
    if (!pov_guidance_applies(asking->guidance, asking->benchmark, asking->language) ||
        !pov_guidance_goes_with(asking->guidance, asking->prompting))
        pov_questions_complain_of_guidance(q);
    else if (!pov_flip_applies(asking->flip, asking->benchmark))
        pov_questions_complain(q, "mindcube is about several images: its earlier views cannot be mirrored");
    else if (!pov_prompting_applies(asking->prompting, asking->language))
        pov_questions_complain(q, "%s asks in English only, not in %s", pov_prompting_name(asking->prompting),
                               asking->language->name);
    else if (!pov_system_applies(asking->system, asking->benchmark))
        pov_questions_complain(q, "the system prompt '%s' does not go with %s",
                               pov_system_prompt_name(asking->system), pov_benchmark_name(asking->benchmark));
    else if (!pov_question_order_applies(asking->order, asking->benchmark) ||
             (asking->layouts && asking->order != POV_ORDER_NORMAL))
        pov_questions_complain(q, "the order '%s' is of %s only", pov_question_order_name(asking->order),
                               asking->order == POV_ORDER_REVERSE ? "FoREST's questions about directions"
                                                                  : "Isle-Brick's Q5");
    else if (asking->layouts && pov_prompting_explains(asking->prompting))
        pov_questions_complain(q, "layouts are asked for zero-shot or 4-shot, not by %s",
                               pov_prompting_name(asking->prompting));
}

static void add_examples(pov_questions *q, pov_question *question)
{
    if (q->asking->prompting == POV_PROMPTING_ZERO_SHOT)
        return;
    char *text = pov_prompting_write(question, q->asking->prompting);
    question->text = pov_questions_text(q, "%s", text);
    free(text);
    if (pov_prompting_explains(q->asking->prompting))
        question->token_max = POV_PROMPTING_COT_TOKENS;
}

int pov_question_condition(const pov_question *question, pov_prompt_condition_kind kind)
{
    const int values[POV_PROMPT_CONDITION_KINDS] = {
        [POV_PROMPT_CONDITION_GUIDED] = (int)question->guidance,
        [POV_PROMPT_CONDITION_PROMPTING] = (int)question->prompting,
        [POV_PROMPT_CONDITION_SYSTEM] = (int)question->system_prompt,
        [POV_PROMPT_CONDITION_ORDER] = (int)question->order,
        [POV_PROMPT_CONDITION_CIRCULAR] = question->rotation,
        [POV_PROMPT_CONDITION_FLIP] = question->is_flipped};
    return values[kind];
}

/* The same question once more is none: one without as many options, or without an image. */
static bool is_asked(const pov_asking *asking, const pov_question *question)
{
    const bool has_order = question->kind == POV_QUESTION_OPTION && asking->rotation < question->option_len;
    return (asking->rotation == 0 || has_order) && (!asking->flip || question->needs_image);
}

static void drop_unasked(pov_questions *q)
{
    int len = 0;
    for (int i = 0; i < q->len; i++)
        if (is_asked(q->asking, &q->items[i]) && pov_questions_can_guide(q, &q->items[i]))
            q->items[len++] = q->items[i];
    q->len = len;
}

/* The end of its id; guidance is told in its midst. */
static const char *suffix_of(const pov_question *question, pov_questions *q)
{
    const char *suffix = "";
    for (int kind = POV_PROMPT_CONDITION_PROMPTING; kind < POV_PROMPT_CONDITION_KINDS; kind++)
        suffix = pov_questions_text(
            q, "%s%s", suffix,
            pov_prompt_condition_at((pov_prompt_condition_kind)kind,
                                    pov_question_condition(question, (pov_prompt_condition_kind)kind))
                ->suffix);
    return suffix;
}

/* Conditions that go with every kind of question; guidance is a part of its words. Layouts have examples of their own, and the ids of their
 * captions. */
static void set_conditions(pov_questions *q)
{
    const pov_asking *asking = q->asking;
    drop_unasked(q);
    for (int i = 0; i < q->len && q->problem.code == POV_OK; i++) {
        pov_question *question = &q->items[i];
        question->guidance = asking->guidance;
        question->prompting = asking->prompting;
        question->system_prompt = asking->system;
        question->order = asking->order;
        question->rotation = asking->rotation;
        question->is_flipped = asking->flip;
        if (question->kind == POV_QUESTION_LAYOUT)
            continue;
        if (asking->prompting || asking->system || asking->order || asking->rotation || asking->flip)
            question->id = pov_questions_text(q, "%s%s", question->id, suffix_of(question, q));
        if (asking->system != POV_SYSTEM_OF_VLM)
            question->system = pov_system_prompt_text(asking->system);
        pov_questions_guide(q, question);
        add_examples(q, question);
    }
}

void pov_questions_start(pov_questions *q, const pov_scene *scene, const pov_asking *asking)
{
    q->len = q->gold_len = 0;
    q->text_len = 0;
    q->problem = pov_ok();
    q->scene = scene;
    q->asking = asking;
    check_conditions(q);
}

pov_status pov_questions_end(pov_questions *q)
{
    if (q->problem.code == POV_OK)
        set_conditions(q);
    q->scene = NULL;
    q->asking = NULL;
    if (q->problem.code != POV_OK)
        q->len = 0;
    return q->problem;
}

pov_status pov_questions_ask(pov_questions *q, const pov_scene *scene, const pov_asking *asking)
{
    static void (*const makers[])(pov_questions *) = {
        pov_questions_ask_comfort,   pov_questions_ask_forest,   pov_questions_ask_vsr,
        pov_questions_ask_vpt,       pov_questions_ask_sphere,   pov_questions_ask_viewspatial,
        pov_questions_ask_3dsrbench, pov_questions_ask_mindcube, pov_questions_ask_spatial};
    enum { SPATIAL = sizeof makers / sizeof *makers - 1 }; /* it and all behind it */
    static_assert(SPATIAL == POV_BENCHMARK_MINDCUBE + 1, "one maker a benchmark");
    POV_REQUIRE(asking->benchmark < POV_BENCHMARK_COUNT && asking->runs > 0 && asking->rotation >= 0 &&
                asking->rotation < POV_ROTATIONS);
    pov_mirrored_scene *mirrored = asking->flip ? pov_allocate(1, sizeof *mirrored) : NULL;
    if (mirrored)
        pov_scene_mirror(mirrored, scene);
    pov_questions_start(q, mirrored ? &mirrored->scene : scene, asking);
    if (q->problem.code == POV_OK)
        makers[(int)asking->benchmark < SPATIAL ? (int)asking->benchmark : SPATIAL](q);
    const pov_status status = pov_questions_end(q);
    if (mirrored)
        pov_mirrored_scene_free(mirrored);
    free(mirrored);
    return status;
}

/* ---- nouns ---- */

/* Its class, if no other thing has it; else "". */
static const char *unique_class(const pov_scene *scene, pov_id id)
{
    for (pov_id other = 0; other < scene->len; other++)
        if (other != id && strcmp(scene->entities[other].class_name, scene->entities[id].class_name) == 0)
            return "";
    return scene->entities[id].class_name;
}

static pov_noun english_noun(pov_questions *q, pov_id id);

/* "someone who stands at the stove and faces the tv" */
static pov_noun imagined_noun(pov_questions *q, pov_id id)
{
    const pov_entity *viewer = &q->scene->entities[id];
    const pov_noun at = english_noun(q, viewer->imagined_at),
                   facing = english_noun(q, viewer->imagined_facing);
    const char *text =
        pov_questions_text(q, "someone who stands at %s and faces %s", at.words[0], facing.words[0]);
    return (pov_noun){viewer->name, {text, pov_questions_text(q, "%s's", text), text}};
}

/* English for any thing: "the wooden box". Names of people have no article. */
static pov_noun english_noun(pov_questions *q, pov_id id)
{
    const pov_entity *entity = &q->scene->entities[id];
    if (entity->is_imagined && id != q->scene->camera)
        return imagined_noun(q, id);
    const char *class_name = unique_class(q->scene, id), *called = *class_name ? class_name : entity->name;
    bool is_person = !*class_name && (entity->addressee || entity->can_see);
    char *the = pov_questions_text(q, "%s%s", is_person ? "" : "the ", called);
    for (char *c = the; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    const char *bare = is_person || !*the ? the : the + strlen("the ");
    return (pov_noun){entity->name, {the, pov_questions_text(q, "%s's", the), bare}};
}

void pov_questions_find_nouns(pov_questions *q, const pov_language *language)
{
    for (pov_id id = 0; id < q->scene->len; id++) {
        const pov_noun *noun =
            language && !q->scene->entities[id].is_imagined
                ? pov_language_noun(language, q->scene->entities[id].name, unique_class(q->scene, id))
                : NULL;
        q->nouns[id] = noun ? *noun : pov_language_is_english(language) ? english_noun(q, id) : (pov_noun){0};
    }
}

const pov_noun *pov_questions_noun(pov_questions *q, pov_id id)
{
    const pov_entity *entity = &q->scene->entities[id];
    if (!q->nouns[id].id)
        pov_questions_complain(q, "%s has no word for \"%s\" (class \"%s\"); give one in a file of languages",
                               q->asking->language->name, entity->name, entity->class_name);
    return q->nouns[id].id ? &q->nouns[id] : NULL;
}

const char *pov_questions_the(const pov_questions *q, pov_id id)
{
    return q->nouns[id].words[0];
}

const char *pov_questions_whose(const pov_questions *q, pov_id id)
{
    return q->nouns[id].words[1];
}

const char *pov_questions_bare(const pov_questions *q, pov_id id)
{
    return q->nouns[id].words[2];
}

const char *pov_questions_a(pov_questions *q, pov_id id)
{
    const char *bare = pov_questions_bare(q, id);
    bool has_article = strcmp(bare, pov_questions_the(q, id)) != 0;
    return pov_questions_text(q, "%s%s",
                              !has_article                           ? ""
                              : *bare && strchr("aeiouAEIOU", *bare) ? "An "
                                                                     : "A ",
                              bare);
}

const char *pov_questions_capital(pov_questions *q, const char *text)
{
    char *capital = pov_questions_text(q, "%s", text);
    *capital = (char)toupper((unsigned char)*capital);
    return capital;
}

const char *pov_questions_class(pov_questions *q, pov_id id)
{
    const pov_entity *entity = &q->scene->entities[id];
    char *text = pov_questions_text(q, "%s", *entity->class_name ? entity->class_name : entity->name);
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return text;
}

static bool ends_in(const char *word, const char *ending)
{
    size_t len = strlen(word), ending_len = strlen(ending);
    return len >= ending_len && strcmp(word + len - ending_len, ending) == 0;
}

/* The rules of English, and the irregular nouns that rooms, streets and farms are full of. */
const char *pov_questions_plural(pov_questions *q, const char *noun)
{
    static const struct {
        const char *ending, *plural;
    } rules[] = {{"person", "people"}, {"woman", "women"}, {"man", "men"},      {"child", "children"},
                 {"sheep", "sheep"},   {"deer", "deer"},   {"fish", "fish"},    {"mouse", "mice"},
                 {"goose", "geese"},   {"foot", "feet"},   {"knife", "knives"}, {"shelf", "shelves"},
                 {"leaf", "leaves"},   {"ay", "ays"},      {"ey", "eys"},       {"oy", "oys"},
                 {"y", "ies"},         {"s", "ses"},       {"x", "xes"},        {"ch", "ches"},
                 {"sh", "shes"},       {"", "s"}};
    size_t i = 0;
    while (!ends_in(noun, rules[i].ending))
        i++;
    return pov_questions_text(q, "%.*s%s", (int)(strlen(noun) - strlen(rules[i].ending)), noun,
                              rules[i].plural);
}

/* -------- absent things -------- */

static bool is_human(const char *word)
{
    return strstr(word, "man") || strstr(word, "person") || strstr(word, "human") || strstr(word, "girl") ||
           strstr(word, "boy");
}

/* True if a thing of this name may be in the scene under another name: a basketball is a ball, a woman a person. */
static bool may_be(const char *noun, const char *thing)
{
    return *thing && (strstr(noun, thing) || strstr(thing, noun) || (is_human(noun) && is_human(thing)));
}

static bool is_absent(const pov_scene *scene, const char *noun)
{
    for (pov_id id = 0; id < scene->len; id++)
        if (may_be(noun, scene->entities[id].name) || may_be(noun, scene->entities[id].class_name))
            return false;
    return true;
}

int pov_questions_absent(const pov_questions *q, const pov_noun *absent[POV_LANGUAGE_NOUNS_MAX])
{
    const pov_noun *noun;
    int len = 0;
    for (int i = 0; q->asking->language && len < POV_LANGUAGE_NOUNS_MAX &&
                    (noun = pov_language_noun_at(q->asking->language, i));
         i++)
        if (is_absent(q->scene, noun->id))
            absent[len++] = noun;
    return len;
}
