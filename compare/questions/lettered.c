#include "compare/questions/lettered.h"

#include "compare/questions/prompting.h"
#include "compare/scores/paper_measures.h"
#include "perception/papers/vpt.h"
#include "perception/scene/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The likeliest answer counts as the right one from here on. Chosen: below, there is none to ask about. */
static const double LIKELY = 0.5;

/* ---- words ---- */

const char *pov_lettered_mirror(pov_questions *q, const char *word)
{
    static const char *const sides[2] = {"left", "right"};
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(word, sides[i]);
        if (at)
            return pov_questions_text(q, "%.*s%s%s", (int)(at - word), word, sides[!i],
                                      at + strlen(sides[i]));
    }
    return word;
}

static const char *fill_form(pov_questions *q, const char *form, const char *const names[3])
{
    const char *text = "";
    for (const char *at = form, *place; *at; at = *place ? place + strlen("{A}") : place) {
        place = at + strcspn(at, "{");
        text = pov_questions_text(q, "%s%.*s%s", text, (int)(place - at), at,
                                  *place ? names[place[1] - 'A'] : "");
    }
    return text;
}

const char *pov_lettered_fill(pov_questions *q, const char *kind, const char *const forms[], int len,
                              const char *const names[3])
{
    int order[POV_LETTERED_WORDS_MAX];
    POV_REQUIRE(len <= POV_LETTERED_WORDS_MAX);
    const char *about = pov_questions_text(q, "%s", kind);
    for (int i = 0; i < 3 && names[i]; i++)
        about = pov_questions_text(q, "%s/%s", about, names[i]);
    pov_sphere_shuffle(order, len, pov_questions_hash(about), q->asking->seed);
    return fill_form(q, forms[order[0]], names);
}

/* ---- options ---- */

/* Numbers of the words offered: the right one, and three that neither contain it nor are contained in it ("front" is in
 * "front-left"); or all. */
static int choose_offered(int offered[], const pov_questions *q, const pov_lettered_ask *ask, int right,
                          const char *id)
{
    int order[POV_LETTERED_WORDS_MAX], len = 0;
    pov_sphere_shuffle(order, ask->len, pov_questions_hash(id), q->asking->seed);
    if (ask->draws)
        offered[len++] = right;
    for (int i = 0; i < ask->len; i++) {
        const char *word = ask->words[order[i]], *gold = ask->words[right];
        if (!ask->draws || (len < POV_LETTERED_OFFERED && !strstr(word, gold) && !strstr(gold, word)))
            offered[len++] = order[i];
    }
    return len;
}

static const pov_choice_benchmark *row_of(const pov_question *question)
{
    return pov_choice_benchmark_at((pov_choice_benchmark_id)(question->benchmark - POV_BENCHMARK_CHOICES));
}

static const char *write_prompt(pov_questions *q, const pov_question *question)
{
    const bool wishes =
        !pov_prompting_explains(q->asking->prompting) && q->asking->guidance != POV_GUIDED_COGMAP;
    char *prompt = pov_choice_write_prompt(row_of(question), question->stem, question->options,
                                           question->option_len, question->unit, wishes);
    const char *text = pov_questions_text(q, "%s", prompt);
    free(prompt);
    return text;
}

/* ---- golds ---- */

static pov_gold *add_gold(pov_questions *q, const char *word, double p, pov_lettered_frame frame)
{
    const pov_question *question = &q->items[q->len - 1];
    unsigned answers = 0;
    for (int i = 0; i < question->option_len; i++)
        answers |= strcmp(question->options[i], word) == 0 ? 1u << i : 0;
    pov_gold *gold = pov_questions_answer(q, answers, p);
    gold->words = answers ? NULL : word;
    gold->perspective = frame.perspective; /* POV_PERSPECTIVE_COUNT: it needs none */
    gold->convention = frame.convention;
    if (frame.convention != POV_NO_CONVENTION)
        gold->axis = POV_HEADING;
    return gold;
}

pov_lettered_ask pov_lettered_begin(pov_questions *q, const char *task, const char *form,
                                    const pov_id things[3])
{
    const char *names[3] = {NULL};
    for (int i = 0; i < 3 && things[i] != POV_ID_NONE; i++)
        names[i] = pov_questions_the(q, things[i]);
    const char *const forms[] = {form};
    return (pov_lettered_ask){.task = task,
                              .slug = task,
                              .part = things[2] == POV_ID_NONE ? "" : pov_questions_name(q, things[2]),
                              .referent = things[0],
                              .relatum = things[1],
                              .viewer = POV_ID_NONE,
                              .text = pov_lettered_fill(q, task, forms, 1, names)};
}

static pov_question *begin_question(pov_questions *q, const pov_lettered_ask *ask, pov_question_kind kind)
{
    const char *name = pov_questions_text(q, "%s%s%s", ask->slug, *ask->part ? "." : "", ask->part);
    pov_question *question = pov_questions_about(q, name, ask->referent, ask->relatum, kind, "");
    question->task = ask->task;
    question->viewer = ask->viewer;
    question->stem = ask->text;
    return question;
}

pov_question *pov_lettered_ask_one(pov_questions *q, const pov_lettered_ask *ask, pov_lettered_frame frame,
                                   const double p[])
{
    const int right = pov_questions_likeliest(p, ask->len);
    int offered[POV_LETTERED_WORDS_MAX];
    if (isnan(p[right]) || p[right] < LIKELY || q->problem.code != POV_OK)
        return NULL;
    pov_question *question = begin_question(q, ask, POV_QUESTION_OPTION);
    const char *facts = question->text;
    question->lettered = !row_of(question)->in_words;
    question->option_len = choose_offered(offered, q, ask, right, question->id);
    POV_REQUIRE(question->option_len <= POV_OPTIONS_MAX);
    int order[POV_OPTIONS_MAX];
    pov_sphere_shuffle(order, question->option_len, pov_questions_hash(question->id), q->asking->seed + 1);
    for (int i = 0; i < question->option_len; i++)
        question->options[i] = ask->words[offered[order[(i + q->asking->rotation) % question->option_len]]];
    question->text = pov_questions_text(q, "%s%s", facts, write_prompt(q, question));
    add_gold(q, ask->words[right], p[right], frame);
    if (frame.perspective == POV_PERSPECTIVE_COUNT || ask->names)
        return question;
    pov_gold *mirrored = add_gold(q, pov_lettered_mirror(q, ask->words[right]), p[right], frame);
    mirrored->mirrored = true;
    mirrored->asked = false;
    return question;
}

pov_question *pov_lettered_ask_number(pov_questions *q, const pov_lettered_ask *ask, double number, double p)
{
    if (isnan(number) || isnan(p) || q->problem.code != POV_OK)
        return NULL;
    pov_question *question = begin_question(q, ask, POV_QUESTION_NUMBER);
    const char *facts = question->text;
    question->unit = pov_choice_benchmark_unit(row_of(question), ask->task);
    question->text = pov_questions_text(q, "%s%s", facts, write_prompt(q, question));
    pov_questions_answer(q, 0, p)->number = number;
    return question;
}

void pov_lettered_add_frame(pov_questions *q, const pov_lettered_ask *ask, pov_lettered_frame frame,
                            const double p[])
{
    const int right = pov_questions_likeliest(p, ask->len);
    if (!isnan(p[right]) && p[right] >= LIKELY)
        add_gold(q, ask->words[right], p[right], frame)->asked = false;
}

void pov_lettered_add_mirrored(pov_questions *q, const pov_lettered_ask *ask, pov_lettered_frame frame,
                               const double p[])
{
    const int len = q->gold_len;
    pov_lettered_add_frame(q, ask, frame, p);
    if (q->gold_len > len)
        q->golds[q->gold_len - 1].mirrored = true;
}

/* ---- things ---- */

pov_id pov_lettered_person(const pov_questions *q, const pov_id others[3])
{
    for (pov_id id = 0; id < q->scene->len; id++)
        if (id != others[0] && id != others[1] && id != others[2] && pov_vpt_is_figure(q->scene, id) &&
            pov_questions_is_thing(q, id) && q->scene->entities[id].heading.len > 0)
            return id;
    return POV_ID_NONE;
}

bool pov_lettered_is_carried(const pov_questions *q, pov_id a, pov_id b)
{
    return pov_support_likeliest(q->scene, a) == b || pov_support_likeliest(q->scene, b) == a;
}

/* Worlds hold whose heading counts, from where, to where. */
static int sector_in_world(const pov_world *world, const void *context)
{
    const int *len = context;
    const pov_seen_vector v =
        pov_see_vector(pov_vec3_sub(world->box[2].centre_m, world->box[1].centre_m), world->yaw_rad[0]);
    return isnan(v.forward) ? -1 : pov_sector_of(v.forward, v.right, *len);
}

pov_code pov_lettered_sectors(double p[], int len, const pov_questions *q, pov_id whose, pov_id from,
                              pov_id to)
{
    const pov_id ids[] = {whose, from, to};
    return pov_class_shares(p, len, q->scene, &(pov_class_query){ids, 3, sector_in_world, &len});
}
