/* Isle-Brick's seven questions (Goral et al. 2025, table 1), in their words. A figure that is not a minifigure is called by
 * its own name, as they do in appendix B; where there are several objects, so are they. */
#include "compare/questions/question_internal.h"

#include <math.h>
#include <string.h>

/* The names of the two in the sentences. */
typedef struct {
    pov_id figure, object;
    const char *figure_word, *figures_word, *object_word;
    const char *its, *does_it, *to_it; /* a person is no "it" */
} vpt_pair;

static const char *const cardinals[] = {"north", "east", "south", "west"};

static bool is_object(const pov_questions *q, pov_id id)
{
    return pov_questions_is_thing(q, id) && !pov_vpt_is_figure(q->scene, id);
}

static int count_objects(const pov_questions *q)
{
    int objects = 0;
    for (pov_id id = 0; id < q->scene->len; id++)
        objects += is_object(q, id);
    return objects;
}

static vpt_pair name_pair(pov_questions *q, pov_id figure, pov_id object)
{
    bool is_minifigure = strstr(q->scene->entities[figure].class_name, "figure") != NULL;
    return (vpt_pair){.figure = figure,
                      .object = object,
                      .figure_word = is_minifigure ? "the humanoid minifigure" : pov_questions_the(q, figure),
                      .figures_word = is_minifigure ? "humanoid minifigures" : "people",
                      .its = is_minifigure ? "its" : "their",
                      .does_it = is_minifigure ? "does it" : "do they",
                      .to_it = is_minifigure ? "it" : "them",
                      .object_word = object == POV_ID_NONE ? ""
                                     : count_objects(q) == 1 && is_object(q, object)
                                         ? "the object"
                                         : pov_questions_the(q, object)};
}

static pov_question *ask_question(pov_questions *q, const vpt_pair *pair, const char *task,
                                  pov_question_kind kind, const char *text)
{
    bool counts = kind == POV_QUESTION_NUMBER, of_image = counts || pair->object == POV_ID_NONE;
    pov_question *question = pov_questions_about(q, task, of_image ? POV_ID_NONE : pair->object,
                                                 of_image ? POV_ID_NONE : pair->figure, kind, text);
    question->viewer = counts ? POV_ID_NONE : pair->figure;
    question->token_max = 128; /* section 2.2, open-ended format */
    return question;
}

static void ask_number(pov_questions *q, const vpt_pair *pair, const char *task, const char *text,
                       const pov_vpt_count *count)
{
    ask_question(q, pair, task, POV_QUESTION_NUMBER, text);
    pov_questions_answer(q, 0, count->p)->number = count->number;
}

static void ask_counts(pov_questions *q, const vpt_pair *pair)
{
    pov_vpt_count objects, figures;
    pov_vpt_count_all(&objects, &figures, q->occlusion, &q->asking->vpt.seeing);
    ask_number(
        q, pair, "Q1",
        pov_questions_text(q, "List and count all objects in the image that are not %s.", pair->figures_word),
        &objects);
    ask_number(q, pair, "Q2", pov_questions_text(q, "How many %s are in the picture?", pair->figures_word),
               &figures);
}

static pov_question *ask_direction(pov_questions *q, const vpt_pair *pair, const char *task, const char *text,
                                   const pov_vpt_direction *direction, pov_question_kind kind)
{
    unsigned answers = 0;
    for (int i = 0; i < POV_VPT_DIRECTIONS; i++)
        answers |= direction->defined && direction->gold[i] ? 1u << i : 0;
    pov_question *question = ask_question(q, pair, task, kind, text);
    pov_gold *gold = pov_questions_answer(q, answers, direction->defined ? direction->p_gold : NAN);
    gold->perspective = kind == POV_QUESTION_SIDES ? POV_ADDRESSEE : POV_ABSOLUTE;
    return question;
}

static void ask_yes_no(pov_questions *q, const vpt_pair *pair, const char *task, const char *text,
                       double p_yes)
{
    ask_question(q, pair, task, POV_QUESTION_YES_NO, text);
    pov_questions_answer(q, p_yes >= 0.5 ? 1u : 2u, fmax(p_yes, 1 - p_yes));
}

/* The facing, for the questions that need it (appendix C); "" unless requested. */
static const char *facing_hint(pov_questions *q, const vpt_pair *pair, const pov_vpt_direction *facing)
{
    const char *directions = "";
    if (q->asking->guidance != POV_GUIDED_STEP || !facing->defined)
        return "";
    for (int i = 0; i < POV_VPT_DIRECTIONS; i++)
        if (facing->gold[i])
            directions =
                pov_questions_text(q, "%s%s%s", directions, *directions ? " and " : "", cardinals[i]);
    return pov_questions_text(q, "Assuming the top of the image is north, %s is facing %s. ",
                              pair->figure_word, directions);
}

static void ask_seeing(pov_questions *q, const vpt_pair *pair, const pov_vpt_answers *a)
{
    const char *hinted = facing_hint(q, pair, &a->facing);
    ask_yes_no(q, pair, "Q6",
               pov_questions_text(q, "%sAssuming that %s can see and %s eyes are open, %s see %s?", hinted,
                                  pair->figure_word, pair->its, pair->does_it, pair->object_word),
               a->sees.sees.p);
    ask_direction(
        q, pair, "Q7",
        pov_questions_text(q,
                           "%sFrom the perspective of %s, where is %s located relative to %s? Please use "
                           "terms such as front, left, right, or back.",
                           hinted, pair->figure_word, pair->object_word, pair->to_it),
        &a->for_figure, POV_QUESTION_SIDES);
}

static const char *facing_text(pov_questions *q, const vpt_pair *pair, const char *listed)
{
    return pov_questions_text(q,
                              "Assuming the top of the image is north, which cardinal direction (i.e., %s) "
                              "is %s facing?",
                              listed, pair->figure_word);
}

/* Appendix B: "east, north, south, or west", in every order. */
static void ask_facing_permuted(pov_questions *q, const vpt_pair *pair, const pov_vpt_direction *facing)
{
    for (int code = 0; code < 4 * 4 * 4 * 4; code++) {
        const int place[] = {code / 64, code / 16 % 4, code / 4 % 4, code % 4};
        if ((1 << place[0] | 1 << place[1] | 1 << place[2] | 1 << place[3]) != 15)
            continue;
        const char *const word[] = {cardinals[place[0]], cardinals[place[1]], cardinals[place[2]],
                                    cardinals[place[3]]};
        pov_question *question = ask_direction(
            q, pair, "Q5",
            facing_text(q, pair,
                        pov_questions_text(q, "%s, %s, %s, or %s", word[0], word[1], word[2], word[3])),
            facing, POV_QUESTION_CARDINALS);
        question->listed = pov_questions_text(q, "%s, %s, %s, %s", word[0], word[1], word[2], word[3]);
        question->id =
            pov_questions_text(q, "%s/%s-%s-%s-%s", question->id, word[0], word[1], word[2], word[3]);
    }
}

static void ask_facing(pov_questions *q, const vpt_pair *pair, const pov_vpt_direction *facing)
{
    if (q->asking->order == POV_ORDER_PERMUTED)
        ask_facing_permuted(q, pair, facing);
    else
        ask_direction(q, pair, "Q5", facing_text(q, pair, "north, west, east, or south"), facing,
                      POV_QUESTION_CARDINALS);
}

static void ask_places(pov_questions *q, const vpt_pair *pair, const pov_vpt_answers *a)
{
    ask_yes_no(
        q, pair, "Q3",
        pov_questions_text(q, "Are %s and %s on the same surface?", pair->figure_word, pair->object_word),
        a->p_same_surface);
    ask_direction(
        q, pair, "Q4",
        pov_questions_text(q,
                           "Assuming the top of the image is north, in which cardinal direction (i.e., "
                           "north, west, east, or south) is %s located relative to %s?",
                           pair->object_word, pair->figure_word),
        &a->where, POV_QUESTION_CARDINALS);
    ask_facing(q, pair, &a->facing);
}

static void ask_pair(pov_questions *q, pov_id figure, pov_id object, bool *counted)
{
    const vpt_pair pair = name_pair(q, figure, object);
    pov_vpt_answers a;
    pov_vpt_answer(&a, q->occlusion, figure, object, &q->asking->vpt);
    if (q->asking->order == POV_ORDER_PERMUTED) {
        ask_facing(q, &pair, &a.facing);
        return;
    }
    if (q->asking->guidance == POV_GUIDED_NOT && !*counted) {
        ask_counts(q, &pair);
        *counted = true;
    }
    const pov_entity *viewer = &q->scene->entities[figure]; /* who is not in the image is nowhere in it */
    if (q->asking->guidance != POV_GUIDED_STEP && !viewer->is_imagined)
        ask_places(q, &pair, &a);
    ask_seeing(q, &pair, &a);
}

/* A hypothetical viewer is asked about whatever it does not stand at. */
static bool wants_pair(const pov_questions *q, pov_id figure, pov_id object)
{
    const pov_entity *viewer = &q->scene->entities[figure];
    if (!viewer->is_imagined)
        return pov_questions_wants(q, object, figure);
    const pov_asking *asking = q->asking;
    return q->problem.code == POV_OK && pov_questions_is_thing(q, object) && object != viewer->imagined_at &&
           (asking->referent == POV_ID_NONE || asking->referent == object) &&
           (asking->relatum == POV_ID_NONE || asking->relatum == figure);
}

/* Without any object: how many there are, and where it faces. */
static void ask_alone(pov_questions *q, pov_id figure)
{
    const vpt_pair pair = name_pair(q, figure, POV_ID_NONE);
    const pov_vpt_direction facing = pov_vpt_facing(q->scene, figure, &q->asking->vpt);
    if (q->asking->guidance == POV_GUIDED_NOT && q->asking->order == POV_ORDER_NORMAL)
        ask_counts(q, &pair);
    if (q->asking->guidance != POV_GUIDED_STEP)
        ask_facing(q, &pair, &facing);
}

static bool has_object(const pov_questions *q)
{
    for (pov_id id = 0; id < q->scene->len; id++)
        if (is_object(q, id))
            return true;
    return false;
}

/* The only figure; POV_ID_NONE: there is none, or several. */
static pov_id only_figure(const pov_questions *q)
{
    pov_id only = POV_ID_NONE;
    for (pov_id id = 0; id < q->scene->len; id++) {
        if (!pov_vpt_is_figure(q->scene, id))
            continue;
        if (only != POV_ID_NONE)
            return POV_ID_NONE;
        only = id;
    }
    return only;
}

void pov_questions_ask_vpt(pov_questions *q)
{
    bool counted = false;
    pov_questions_find_nouns(q, q->asking->language);
    pov_status status = pov_occlusion_update(q->occlusion, q->scene);
    if (status.code != POV_OK)
        pov_questions_complain(q, "%s", status.message);
    for (pov_id figure = 0; status.code == POV_OK && figure < q->scene->len; figure++)
        for (pov_id object = 0; object < q->scene->len; object++)
            if (pov_vpt_is_figure(q->scene, figure) && wants_pair(q, figure, object))
                ask_pair(q, figure, object, &counted);
    const pov_id alone = has_object(q) ? POV_ID_NONE : only_figure(q);
    if (status.code == POV_OK && alone != POV_ID_NONE && !q->scene->entities[alone].is_imagined)
        ask_alone(q, alone);
}
