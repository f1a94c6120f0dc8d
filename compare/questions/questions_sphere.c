/* SPHERE's single- and multi-skill tasks (Zhang et al. 2025, sections 3.2.1 and 4.1; wording after figures 3 and 4 and appendix
 * A's examples). */

#include "compare/questions/sphere_internal.h"
#include "compare/scores/paper_measures.h"
#include "perception/geometry/random.h"
#include "perception/papers/in_image.h"
#include "perception/papers/sphere_tasks.h"
#include "perception/papers/vpt.h"
#include "perception/scene/support.h"

#include <math.h>

/* Who explains does not answer directly. */
static const char *wish(const pov_questions *q)
{
    return pov_prompting_explains(q->asking->prompting) ? "" : " Answer the question directly.";
}

/* An entity with a smaller visible share has no size in the image. Chosen. */
static const double SIZE_TOLD_FRACTION = 0.5;

const char *pov_sphere_join_options(pov_questions *q, const char *const *options, int len)
{
    const char *text = "";
    for (int i = 0; i < len; i++)
        text = pov_questions_text(q, "%s%s%s", text, i ? " or " : "", pov_questions_capital(q, options[i]));
    return text;
}

static pov_question *start_question(pov_questions *q, const pov_sphere_ask *ask, pov_question_kind kind,
                                    int run)
{
    const char *id_task = pov_questions_text(q, "%s%s%s", ask->task, *ask->part ? "." : "", ask->part);
    pov_question *question = pov_questions_about(q, id_task, ask->referent, ask->relatum, kind, "");
    question->task = ask->task;
    question->viewer = ask->viewer;
    question->run = run;
    question->token_max = 64;
    return question;
}

/* Bits of the option that is likeliest by a choice. */
static unsigned find_option(const pov_question *question, const pov_sphere_ask *ask, const pov_choice *choice)
{
    unsigned answers = 0;
    for (int i = 0; choice && i < question->option_len; i++)
        answers |=
            question->options[i] == ask->words[pov_questions_likeliest(choice->p, choice->len)] ? 1u << i : 0;
    return answers;
}

void pov_sphere_ask_choice(pov_questions *q, const pov_sphere_ask *ask, const pov_choice *choice)
{
    int best = pov_questions_likeliest(choice->p, choice->len);
    const int rotation = q->asking->rotation; /* beyond as many options as there are it is not asked */
    for (int run = 0; run < (rotation ? 1 : q->asking->runs); run++) {
        int order[POV_OPTIONS_MAX];
        unsigned answers = 0;
        pov_question *question = start_question(q, ask, POV_QUESTION_OPTION, run);
        pov_sphere_shuffle(order, choice->len, pov_questions_hash(question->id),
                           q->asking->seed + (uint64_t)run);
        question->option_len = choice->len;
        for (int i = 0; i < choice->len; i++) {
            const int option = order[(i + rotation) % choice->len];
            question->options[i] = ask->words[option];
            answers |= option == best ? 1u << i : 0;
        }
        question->text =
            pov_questions_text(q, "%s%s%s %s?%s", question->text, ask->before, ask->text,
                               pov_sphere_join_options(q, question->options, choice->len), wish(q));
        question->id = pov_questions_text(q, "%s/%d", question->id, run);
        question->camera_answers = find_option(question, ask, ask->by_camera);
        question->relatum_answers = find_option(question, ask, ask->by_relatum);
        pov_questions_answer(q, answers, choice->p[best]);
    }
}

static void ask_count(pov_questions *q, const pov_sphere_ask *ask, const pov_count *count)
{
    pov_question *question = start_question(q, ask, POV_QUESTION_NUMBER, 0);
    question->text = pov_questions_text(q, "%s%s%s", question->text, ask->text, wish(q));
    pov_questions_answer(q, 0, count->p[count->likeliest])->number = count->likeliest;
}

int pov_sphere_pick(pov_questions *q, const char *about, pov_id a, pov_id b, int len)
{
    const char *question =
        pov_questions_text(q, "%s/%s:%s", about, pov_questions_name(q, a), pov_questions_name(q, b));
    uint64_t state = pov_questions_hash(question) ^ q->asking->seed;
    return (int)(pov_random_next(&state) % (uint64_t)len);
}

/* "object", or the class that both are of. */
static const char *kind_of(pov_questions *q, pov_id a, pov_id b)
{
    const pov_entity *entities = q->scene->entities;
    bool same = entities[a].class_name[0] != '\0' && pov_questions_is_alike(q, a, b);
    return same ? pov_questions_class(q, a) : "object";
}

/* The two answers in the other order. */
static pov_choice swap_choice(const pov_choice *choice)
{
    return (pov_choice){.len = choice->len, .p = {choice->p[1], choice->p[0], choice->p[2]}};
}

/* -------- position -------- */

static const char *const side_pairs[] = {"left_right", "front_behind", "above_below"};

/* A touching thing is on top; a thing that hangs over it is above. */
static const char *const *side_words(const pov_questions *q, pov_position_kind kind, pov_id referent,
                                     pov_id relatum)
{
    static const char *const words[][2] = {
        {"left", "right"}, {"in front", "behind"}, {"above", "below"}, {"on top", "below"}};
    bool touches =
        kind == POV_ABOVE_OR_BELOW && (q->support[referent] == relatum || q->support[relatum] == referent);
    return words[touches ? POV_POSITION_COUNT : (int)kind];
}

static void ask_positions(pov_questions *q, pov_id referent, pov_id relatum)
{
    pov_choice own, camera;
    const char *a = pov_questions_the(q, referent), *b = pov_questions_the(q, relatum);
    for (int i = 0; i < POV_POSITION_COUNT; i++) {
        pov_position_kind kind = (pov_position_kind)i;
        const bool by_relatum =
            pov_sphere_position_egocentric(&own, q->scene, kind, relatum, referent) == POV_OK;
        const bool by_camera =
            pov_sphere_position_allocentric(&camera, q->scene, kind, referent, relatum) == POV_OK;
        pov_sphere_ask ask = {.task = "position_ego",
                              .part = side_pairs[i],
                              .referent = referent,
                              .relatum = relatum,
                              .viewer = relatum,
                              .words = side_words(q, kind, referent, relatum),
                              .before = "",
                              .by_camera = by_camera ? &camera : NULL,
                              .by_relatum = by_relatum ? &own : NULL};
        ask.text =
            pov_questions_text(q, "If you are %s in the image, where is %s relative to your position?", b, a);
        if (by_relatum)
            pov_sphere_ask_choice(q, &ask, &own);
        ask.task = "position_allo";
        ask.viewer = q->scene->camera;
        ask.text =
            pov_questions_text(q, "From the perspective of the viewer, where is %s relative to %s?", a, b);
        if (by_camera)
            pov_sphere_ask_choice(q, &ask, &camera);
    }
}

/* -------- distance -------- */

static const char *viewer_word(pov_questions *q, pov_id id)
{
    return id == q->scene->camera ? "the viewer" : pov_questions_the(q, id);
}

/* Nearer and farther take turns, by the seed. */
static void ask_distances(pov_questions *q, pov_id a, pov_id b)
{
    static const char *const phrases[2][3] = {
        {"is closer to", "is nearer to", "has a shorter distance to"},
        {"is farther from", "is farther away from", "is more distant from"}};
    const char *const words[] = {pov_questions_bare(q, a), pov_questions_bare(q, b)};
    for (pov_id from = 0; from < q->scene->len; from++) {
        pov_choice choice;
        if (from == a || from == b || pov_sphere_nearer(&choice, q->scene, a, b, from) != POV_OK)
            continue;
        bool farther = pov_sphere_pick(q, pov_questions_name(q, from), a, b, 2);
        const pov_sphere_ask ask = {
            .task = "distance",
            .part =
                pov_questions_text(q, "%s.%s", farther ? "farther" : "closer", pov_questions_name(q, from)),
            .referent = a,
            .relatum = b,
            .viewer = from,
            .text = pov_questions_text(q, "Which %s %s %s?", kind_of(q, a, b),
                                       phrases[farther][pov_sphere_pick(q, "phrase", from, a, 3)],
                                       viewer_word(q, from)),
            .words = words,
            .before = ""};
        choice = farther ? swap_choice(&choice) : choice;
        pov_sphere_ask_choice(q, &ask, &choice);
    }
}

/* All of a class show: a group in the picture is not a part of one. */
static bool all_show(const pov_questions *q, pov_id of)
{
    bool all = true;
    for (pov_id id = 0; id < q->scene->len && all; id++)
        all = !pov_questions_is_thing(q, id) || !pov_questions_is_alike(q, id, of) ||
              q->p_in_image[id] >= POV_QUESTIONS_SURE;
    return all;
}

/* "Which group of people is farther away from the motorcycle?" */
static void ask_groups(pov_questions *q, pov_id of, const char *things)
{
    static const char *const words[] = {"the left group", "the right group"};
    for (pov_id from = 0; from < q->scene->len && all_show(q, of); from++) {
        pov_choice choice;
        if (pov_questions_is_alike(q, from, of) ||
            pov_sphere_nearer_group(&choice, q->scene, q->scene->entities[of].class_name, from) != POV_OK ||
            choice.p[2] > 0.5)
            continue;
        const bool farther = pov_sphere_pick(q, "group", from, of, 2);
        const pov_sphere_ask ask = {
            .task = "distance",
            .part = pov_questions_text(q, "groups.%s.%s", farther ? "farther" : "closer",
                                       pov_questions_name(q, from)),
            .referent = of,
            .relatum = POV_ID_NONE,
            .viewer = from,
            .text = pov_questions_text(q, "Which group of %s is %s %s?", things,
                                       farther ? "farther away from" : "nearer to", viewer_word(q, from)),
            .words = words,
            .before = ""};
        choice = farther ? swap_choice(&choice) : choice;
        choice.len = 2;
        pov_sphere_ask_choice(q, &ask, &choice);
    }
}

/* -------- size -------- */

const pov_sphere_measure POV_SPHERE_MEASURES[POV_EXTENT_COUNT] = {
    {"size",
     {"bigger", "smaller"},
     {"biggest", "smallest"},
     "similar in size",
     "the same size",
     "different sizes"},
    {"height",
     {"taller", "shorter"},
     {"tallest", "shortest"},
     "similar in height",
     "the same height",
     "different heights"},
    {"width",
     {"wider", "narrower"},
     {"widest", "narrowest"},
     "similar in width",
     "the same width",
     "different widths"},
};

/* "the left one", "the right one", in the order of a and b, where the camera can tell them apart so. */
static void name_by_side(const pov_questions *q, const char *words[2], pov_id a, pov_id b)
{
    pov_choice side;
    if (pov_sphere_position_allocentric(&side, q->scene, POV_LEFT_OR_RIGHT, a, b) != POV_OK ||
        fmax(side.p[0], side.p[1]) < POV_QUESTIONS_SURE)
        return;
    words[0] = side.p[0] > 0.5 ? "the left one" : "the right one";
    words[1] = side.p[0] > 0.5 ? "the right one" : "the left one";
}

static int count_class(const pov_questions *q, pov_id of)
{
    int count = 0;
    for (pov_id id = 0; id < q->scene->len; id++)
        count += pov_questions_is_thing(q, id) && pov_questions_is_alike(q, id, of);
    return count;
}

bool pov_sphere_are_the_two(const pov_questions *q, pov_id a, pov_id b)
{
    return q->scene->entities[a].class_name[0] != '\0' && pov_questions_is_alike(q, a, b) &&
           count_class(q, a) == 2;
}

/* The comparison of a pair by one measure. */
typedef struct {
    const pov_sphere_measure *measure;
    pov_extent extent;
    pov_id a, b;
    bool level;             /* both are as far from the camera */
    bool is_less;           /* "smaller" is asked, not "bigger" */
    pov_choice more, asked; /* the one that has more, and the one that is asked for */
} compared;

static pov_sphere_ask begin_comparison(pov_questions *q, const compared *c, const char *form)
{
    return (pov_sphere_ask){.task = c->level ? "size" : "distance_size",
                            .part = pov_questions_text(q, "%s.%s", c->measure->name, form),
                            .referent = c->a,
                            .relatum = c->b,
                            .viewer = q->scene->camera,
                            .before = ""};
}

/* Two of a class are the left and the right one; others have names. For two at one distance the image shows which is larger; for
 * others it does not. */
static void ask_which(pov_questions *q, const compared *c)
{
    const char *words[] = {pov_questions_bare(q, c->a), pov_questions_bare(q, c->b),
                           pov_questions_text(q, "they are %s", c->measure->alike)};
    pov_sphere_ask ask = begin_comparison(q, c, "which");
    pov_choice choice = c->asked;
    if (pov_sphere_are_the_two(q, c->a, c->b))
        name_by_side(q, words, c->a, c->b);
    if (c->level && choice.p[2] > 0.5)
        return;
    choice.len = c->level ? 2 : 3;
    ask.text = pov_questions_text(q, "Which %s is %s?", kind_of(q, c->a, c->b), c->measure->more[c->is_less]);
    ask.words = words;
    pov_sphere_ask_choice(q, &ask, &choice);
}

static void ask_which_by_distance(pov_questions *q, const compared *c)
{
    const char *const words[] = {"the closer one", "the farther one",
                                 pov_questions_text(q, "they are %s", c->measure->alike)};
    pov_sphere_ask ask = begin_comparison(q, c, "by_distance");
    pov_choice choice;
    if (c->level || pov_sphere_compare_by_distance(&choice, q->scene, c->extent, c->a, c->b) != POV_OK)
        return;
    choice = c->is_less ? swap_choice(&choice) : choice;
    const char *word = c->measure->more[c->is_less];
    ask.text = pov_sphere_are_the_two(q, c->a, c->b)
                   ? pov_questions_text(q, "Which %s is %s?", pov_questions_class(q, c->a), word)
                   : pov_questions_text(q, "Which is %s of %s and %s?", word, pov_questions_the(q, c->a),
                                        pov_questions_the(q, c->b));
    ask.words = words;
    pov_sphere_ask_choice(q, &ask, &choice);
}

/* A size can be told if half of the thing is visible; if it is hidden or cut off, "not sure" is right. */
static void ask_whether(pov_questions *q, const compared *c)
{
    static const char *const words[] = {"yes", "no", "not sure"};
    pov_sphere_ask ask = begin_comparison(q, c, c->level ? "whether" : "whether_sure");
    pov_choice choice = c->asked;
    if (choice.p[2] > 0.5)
        return;
    choice.len = 2;
    if (!c->level) {
        double p_told = q->p_told[c->a] * q->p_told[c->b];
        choice = (pov_choice){.len = 3, .p = {choice.p[0] * p_told, choice.p[1] * p_told, 1 - p_told}};
    }
    ask.text = pov_questions_text(q, "Is %s %s than %s?", pov_questions_the(q, c->a),
                                  c->measure->more[c->is_less], pov_questions_the(q, c->b));
    ask.words = words;
    pov_sphere_ask_choice(q, &ask, &choice);
}

static void ask_whether_alike(pov_questions *q, const compared *c)
{
    static const char *const words[] = {"yes", "no"};
    pov_sphere_ask ask = begin_comparison(q, c, "alike");
    bool different = pov_sphere_pick(q, "alike", c->a, c->b, 2);
    double alike = c->more.p[2];
    const pov_choice choice = {.len = 2, .p = {different ? 1 - alike : alike, different ? alike : 1 - alike}};
    const char *same = different ? c->measure->different : c->measure->same;
    ask.text = pov_sphere_are_the_two(q, c->a, c->b)
                   ? pov_questions_text(q, "Are the two %s of %s?",
                                        pov_questions_plural(q, pov_questions_class(q, c->a)), same)
                   : pov_questions_text(q, "Are %s and %s of %s?", pov_questions_the(q, c->a),
                                        pov_questions_the(q, c->b), same);
    ask.words = words;
    pov_sphere_ask_choice(q, &ask, &choice);
}

static void ask_sizes(pov_questions *q, pov_id a, pov_id b)
{
    for (int extent = 0; extent < POV_EXTENT_COUNT; extent++) {
        compared c = {.measure = &POV_SPHERE_MEASURES[extent],
                      .extent = (pov_extent)extent,
                      .a = a,
                      .b = b,
                      .level = pov_sphere_are_equidistant(q->scene, a, b)};
        if (pov_sphere_compare(&c.more, q->scene, c.extent, a, b) != POV_OK)
            continue;
        c.is_less = pov_sphere_pick(q, c.measure->name, a, b, 2);
        c.asked = c.is_less ? swap_choice(&c.more) : c.more;
        ask_which(q, &c);
        if (extent == POV_EXTENT_SIZE)
            ask_which_by_distance(q, &c);
        if (extent == POV_EXTENT_WIDTH)
            continue;
        ask_whether(q, &c);
        ask_whether_alike(q, &c);
    }
}

/* -------- the most of a class -------- */

/* The one that all others are surely to the right of (left: to the left of) for the camera; POV_ID_NONE. */
static pov_id find_outermost(const pov_questions *q, pov_id of, bool leftmost)
{
    for (pov_id one = 0; one < q->scene->len; one++) {
        bool all = pov_questions_is_thing(q, one) && pov_questions_is_alike(q, one, of);
        for (pov_id other = 0; other < q->scene->len && all; other++) {
            pov_choice side;
            if (other == one || !pov_questions_is_thing(q, other) || !pov_questions_is_alike(q, other, of))
                continue;
            all = pov_sphere_position_allocentric(&side, q->scene, POV_LEFT_OR_RIGHT, one, other) == POV_OK &&
                  side.p[!leftmost] >= POV_QUESTIONS_SURE;
        }
        if (all)
            return one;
    }
    return POV_ID_NONE;
}

/* True if it has the most (least) of its class by a measure, and no other is similar. */
static bool is_most(const pov_questions *q, pov_id id, pov_extent extent, bool least)
{
    for (pov_id other = 0; other < q->scene->len; other++) {
        pov_choice more;
        if (other != id && pov_questions_is_thing(q, other) && pov_questions_is_alike(q, other, id) &&
            (pov_sphere_compare(&more, q->scene, extent, id, other) != POV_OK || more.p[least] < 1))
            return false;
    }
    return true;
}

/* For three or more things: the one at an end. */
static void ask_most(pov_questions *q, pov_id of)
{
    static const char *const words[] = {"the leftmost one", "the rightmost one"};
    pov_id ends[2];
    if (count_class(q, of) < 3)
        return;
    for (int i = 0; i < 2; i++)
        if ((ends[i] = find_outermost(q, of, i == 0)) == POV_ID_NONE)
            return;
    for (int i = 0; i < 2 * POV_EXTENT_COUNT; i++) {
        const pov_extent extent = (pov_extent)(i / 2);
        const pov_sphere_measure *measure = &POV_SPHERE_MEASURES[extent];
        bool least = i % 2, first = is_most(q, ends[0], extent, least);
        if (!first && !is_most(q, ends[1], extent, least))
            continue;
        const pov_sphere_ask ask = {
            .task = pov_sphere_are_equidistant(q->scene, ends[0], ends[1]) ? "size" : "distance_size",
            .part = pov_questions_text(q, "%s.most", measure->most[least]),
            .referent = of,
            .relatum = POV_ID_NONE,
            .viewer = q->scene->camera,
            .text = pov_questions_text(q, "Which %s is the %s?", pov_questions_class(q, of),
                                       measure->most[least]),
            .words = words,
            .before = ""};
        pov_sphere_ask_choice(q, &ask, &(pov_choice){.len = 2, .p = {first, !first}});
    }
}

/* -------- counting -------- */

static bool is_first_of_class(const pov_questions *q, pov_id id)
{
    const pov_entity *entities = q->scene->entities;
    bool first = pov_questions_is_thing(q, id) && entities[id].class_name[0] != '\0';
    for (pov_id other = 0; other < id && first; other++)
        first = !pov_questions_is_thing(q, other) || !pov_questions_is_alike(q, other, id);
    return first;
}

/* Things of its class, in the image. */
static pov_counted counted_of(const pov_questions *q, pov_id of)
{
    return (pov_counted){q->scene->entities[of].class_name, q->p_in_image};
}

/* A side of a relatum, with the words for the two points of view. */
typedef struct {
    const char *part, *yours, *its;
    pov_position_kind kind;
    bool first;
} counted_side;

/* Above and below only where there is any: nearly everything stands beside everything else. */
static bool is_worth_asking(const counted_side *side, const pov_count *count)
{
    return count->len > 1 && (side->kind != POV_ABOVE_OR_BELOW || count->likeliest > 0);
}

static void ask_counts_beside(pov_questions *q, pov_id of, const char *things, pov_id relatum,
                              const counted_side *side)
{
    const char *b = pov_questions_the(q, relatum);
    const pov_counted what = counted_of(q, of);
    pov_count count;
    pov_sphere_ask ask = {.task = "position_count",
                          .part = pov_questions_text(q, "%s_ego", side->part),
                          .referent = of,
                          .relatum = relatum,
                          .viewer = relatum,
                          .text = "",
                          .before = ""};
    ask.text =
        pov_questions_text(q, "If you are %s in the image, how many %s are %s?", b, things, side->yours);
    if (pov_sphere_count_positioned(&count, q->scene, &what, side->kind, side->first, relatum, relatum) ==
            POV_OK &&
        is_worth_asking(side, &count))
        ask_count(q, &ask, &count);
    ask.part = pov_questions_text(q, "%s_allo", side->part);
    ask.viewer = q->scene->camera;
    ask.text = pov_questions_text(q, "From the perspective of the viewer, how many %s are %s %s?", things,
                                  side->its, b);
    if (q->scene->camera != POV_ID_NONE &&
        pov_sphere_count_positioned(&count, q->scene, &what, side->kind, side->first, q->scene->camera,
                                    relatum) == POV_OK &&
        is_worth_asking(side, &count))
        ask_count(q, &ask, &count);
}

/* "farther from him" in the paper: the name stands for the pronoun. */
static void ask_counts_by_distance(pov_questions *q, pov_id of, const char *things, pov_id viewer,
                                   pov_id relatum)
{
    const pov_counted what = counted_of(q, of);
    const char *from = viewer_word(q, viewer), *than = pov_questions_the(q, relatum);
    bool camera = viewer == q->scene->camera;
    for (int farther = 0; farther < 2; farther++) {
        pov_count count;
        const char *which = farther ? "farther" : "closer", *preposition = farther ? "from" : "to";
        const pov_sphere_ask ask = {
            .task = "distance_count",
            .part = camera ? which : pov_questions_text(q, "%s.%s", which, pov_questions_name(q, viewer)),
            .referent = of,
            .relatum = relatum,
            .viewer = viewer,
            .text = camera ? pov_questions_text(q, "How many %s are %s %s %s than %s?", things, which,
                                                preposition, from, than)
                           : pov_questions_text(q, "From the perspective of %s, how many %s are %s than %s?",
                                                from, things, which, than),
            .before = ""};
        if (pov_sphere_count_distant(&count, q->scene, &what, viewer, relatum, farther) == POV_OK &&
            count.len > 1)
            ask_count(q, &ask, &count);
    }
}

/* "How many crows are on the railing farther from the viewer?" Where both carry as many, the distance does not matter. */
static void ask_counts_carried(pov_questions *q, pov_id of, const char *things, const pov_id carriers[2],
                               pov_id viewer)
{
    const pov_counted what = counted_of(q, of);
    const bool camera = viewer == q->scene->camera;
    pov_count counts[2];
    for (int farther = 0; farther < 2; farther++)
        if (pov_sphere_count_carried(&counts[farther], q->scene, &what, viewer, carriers, farther) != POV_OK)
            return;
    if (counts[0].likeliest == counts[1].likeliest)
        return;
    for (int farther = 0; farther < 2; farther++) {
        const char *which = farther ? "farther" : "closer";
        const pov_sphere_ask ask = {
            .task = "distance_count",
            .part = camera ? pov_questions_text(q, "carried.%s", which)
                           : pov_questions_text(q, "carried.%s.%s", which, pov_questions_name(q, viewer)),
            .referent = of,
            .relatum = carriers[0],
            .viewer = viewer,
            .text = pov_questions_text(q, "How many %s are on the %s %s %s %s?", things,
                                       pov_questions_class(q, carriers[0]), which, farther ? "from" : "to",
                                       viewer_word(q, viewer)),
            .before = ""};
        ask_count(q, &ask, &counts[farther]);
    }
}

/* On the two there are of another class. */
static void ask_all_carried(pov_questions *q, pov_id of, const char *things)
{
    for (pov_id a = 0; a < q->scene->len; a++)
        for (pov_id b = a + 1; b < q->scene->len; b++) {
            if (!pov_questions_is_thing(q, a) || !pov_questions_is_thing(q, b) ||
                !pov_sphere_are_the_two(q, a, b) || pov_questions_is_alike(q, a, of) ||
                !(pov_questions_wants(q, of, a) || pov_questions_wants(q, of, b)))
                continue;
            for (pov_id viewer = 0; viewer < q->scene->len; viewer++)
                if (viewer != a && viewer != b &&
                    (viewer == q->scene->camera || pov_vpt_is_figure(q->scene, viewer)))
                    ask_counts_carried(q, of, things, (const pov_id[]){a, b}, viewer);
        }
}

static void ask_counts_about(pov_questions *q, pov_id of, const char *things, pov_id relatum)
{
    static const counted_side counted[] = {
        {"left", "on your left", "on the left side of", POV_LEFT_OR_RIGHT, true},
        {"right", "on your right", "on the right side of", POV_LEFT_OR_RIGHT, false},
        {"front", "in front of you", "in front of", POV_FRONT_OR_BEHIND, true},
        {"behind", "behind you", "behind", POV_FRONT_OR_BEHIND, false},
        {"above", "above you", "above", POV_ABOVE_OR_BELOW, true},
        {"below", "below you", "below", POV_ABOVE_OR_BELOW, false},
    };
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        ask_counts_beside(q, of, things, relatum, &counted[i]);
    for (pov_id viewer = 0; viewer < q->scene->len; viewer++)
        if (viewer != relatum && (viewer == q->scene->camera || pov_vpt_is_figure(q->scene, viewer)))
            ask_counts_by_distance(q, of, things, viewer, relatum);
}

static void ask_counts(pov_questions *q, pov_id of)
{
    const char *things = pov_questions_plural(q, pov_questions_class(q, of));
    pov_count count;
    const pov_sphere_ask ask = {.task = "count",
                                .part = "",
                                .referent = of,
                                .relatum = POV_ID_NONE,
                                .viewer = POV_ID_NONE,
                                .text = pov_questions_text(q, "How many %s are visible?", things),
                                .before = ""};
    const pov_counted what = counted_of(q, of);
    pov_sphere_count(&count, q->scene, &what);
    if (q->asking->relatum == POV_ID_NONE)
        ask_count(q, &ask, &count);
    if (q->asking->relatum == POV_ID_NONE)
        ask_groups(q, of, things);
    ask_all_carried(q, of, things);
    for (pov_id relatum = 0; relatum < q->scene->len; relatum++)
        if (pov_questions_wants(q, of, relatum) || (of == relatum && q->asking->relatum == POV_ID_NONE))
            ask_counts_about(q, of, things, relatum);
}

/* "Trick questions where the correct answer is zero": of what is not there, one for every four classes that are. */
static void ask_absent(pov_questions *q, int classes)
{
    const pov_noun *absent[POV_LANGUAGE_NOUNS_MAX];
    int len = pov_questions_absent(q, absent);
    uint64_t state = q->asking->seed;
    for (int wanted = (classes + 3) / 4; wanted > 0 && len > 0; wanted--) {
        int chosen = (int)(pov_random_next(&state) % (uint64_t)len);
        char *noun = pov_questions_text(q, "%s", absent[chosen]->id);
        for (char *c = noun; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        const pov_sphere_ask ask = {
            .task = "count",
            .part = absent[chosen]->id,
            .referent = POV_ID_NONE,
            .relatum = POV_ID_NONE,
            .viewer = POV_ID_NONE,
            .text = pov_questions_text(q, "How many %s are visible?", pov_questions_plural(q, noun)),
            .before = ""};
        ask_count(q, &ask, &(pov_count){.len = 1, .p = {1}, .likeliest = 0});
        absent[chosen] = absent[--len];
    }
}

/* -------- all tasks -------- */

static void ask_skills(pov_questions *q)
{
    bool chosen = q->asking->referent != POV_ID_NONE || q->asking->relatum != POV_ID_NONE;
    int classes = 0;
    for (pov_id a = 0; a < q->scene->len; a++) {
        for (pov_id b = 0; b < q->scene->len; b++)
            if (pov_questions_wants(q, a, b)) {
                ask_positions(q, a, b);
                if (a < b || chosen) { /* "which of the two" is asked once */
                    ask_distances(q, a, b);
                    ask_sizes(q, a, b);
                }
            }
        if (is_first_of_class(q, a) && (q->asking->referent == POV_ID_NONE || q->asking->referent == a)) {
            classes++;
            ask_counts(q, a);
            if (q->asking->relatum == POV_ID_NONE)
                ask_most(q, a);
        }
    }
    if (!chosen)
        ask_absent(q, classes);
}

/* Once for all questions. */
static void find_what_shows(pov_questions *q)
{
    const pov_status status = pov_occlusion_update(q->occlusion, q->scene);
    pov_seeing whole = q->asking->vpt.seeing;
    whole.ample_size_rad = 2 * POV_PI; /* however large the part is that shows: it is not the size */
    if (status.code != POV_OK)
        pov_questions_complain(q, "%s", status.message);
    for (pov_id id = 0; id < q->scene->len && status.code == POV_OK; id++)
        if (pov_questions_is_thing(q, id)) {
            q->p_in_image[id] =
                pov_in_image(q->occlusion, id, &q->asking->vpt.seeing, POV_IN_IMAGE_MIN_FRACTION);
            q->p_told[id] = pov_in_image(q->occlusion, id, &whole, SIZE_TOLD_FRACTION);
        }
}

void pov_questions_ask_sphere(pov_questions *q)
{
    pov_questions_find_nouns(q, q->asking->language);
    for (pov_id id = 0; id < q->scene->len; id++)
        q->support[id] = pov_support_likeliest(q->scene, id);
    if (q->asking->guidance != POV_GUIDED_STEP) {
        find_what_shows(q);
        ask_skills(q);
    }
    for (pov_id viewer = 0; viewer < q->scene->len; viewer++)
        if (viewer == q->scene->camera || pov_vpt_is_figure(q->scene, viewer))
            pov_sphere_ask_reasoning(q, viewer);
}
