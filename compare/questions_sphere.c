/* SPHERE's single- and multi-skill tasks (Zhang et al. 2025, sections 3.2.1 and 4.1; wording after figures 3 and 4 and appendix
 * A's examples). */
#include "compare/questions_sphere.h"

#include "compare/sphere_score.h"
#include "perception/papers/in_image.h"
#include "perception/papers/vpt.h"

#include <string.h>

static const char direct[] = "Answer the question directly.";

/* "Left or Right?" */
static const char *join_options(pov_questions *q, const pov_question *question)
{
    const char *text = "";
    for (int i = 0; i < question->option_len; i++)
        text = pov_questions_text(q, "%s%s%s", text, i ? " or " : "",
                                  pov_questions_capital(q, question->options[i]));
    return text;
}

static pov_question *start(pov_questions *q, const sphere_ask *ask, pov_question_kind kind, int run)
{
    const char *id_task = pov_questions_text(q, "%s%s%s", ask->task, *ask->part ? "." : "", ask->part);
    pov_question *question = pov_questions_about(q, id_task, ask->referent, ask->relatum, kind, "");
    question->task = ask->task;
    question->viewer = ask->viewer;
    question->run = run;
    question->token_max = 64;
    return question;
}

void pov_sphere_ask_choice(pov_questions *q, const sphere_ask *ask, const pov_choice *choice)
{
    int best = pov_questions_likeliest(choice->p, choice->len);
    for (int run = 0; run < q->asking->runs; run++) {
        int order[POV_OPTIONS_MAX];
        unsigned answers = 0;
        pov_question *question = start(q, ask, POV_QUESTION_OPTION, run);
        pov_sphere_shuffle(order, choice->len, pov_questions_hash(question->id),
                           q->asking->seed + (uint64_t)run);
        question->option_len = choice->len;
        for (int i = 0; i < choice->len; i++) {
            question->options[i] = ask->words[order[i]];
            answers |= order[i] == best ? 1u << i : 0;
        }
        question->text = pov_questions_text(q, "%s%s%s %s? %s", question->text, ask->before, ask->text,
                                            join_options(q, question), direct);
        question->id = pov_questions_text(q, "%s/%d", question->id, run);
        pov_questions_answer(q, answers, choice->p[best]);
    }
}

static void ask_count(pov_questions *q, const sphere_ask *ask, const pov_count *count)
{
    pov_question *question = start(q, ask, POV_QUESTION_NUMBER, 0);
    question->text = pov_questions_text(q, "%s%s %s", question->text, ask->text, direct);
    pov_questions_answer(q, 0, count->p[count->likeliest])->number = count->likeliest;
}

/* -------- position -------- */

static const char *const sides[][2] = {{"left", "right"}, {"in front", "behind"}, {"above", "below"}};
static const char *const side_pairs[] = {"left_right", "front_behind", "above_below"};

static void ask_positions(pov_questions *q, pov_id referent, pov_id relatum)
{
    pov_choice choice;
    const char *a = pov_questions_the(q, referent), *b = pov_questions_the(q, relatum);
    for (int i = 0; i < POV_POSITION_COUNT; i++) {
        pov_position_kind kind = (pov_position_kind)i;
        sphere_ask ask = {"position_ego", side_pairs[i], referent, relatum, relatum, "", sides[i], ""};
        ask.text =
            pov_questions_text(q, "If you are %s in the image, where is %s relative to your position?", b, a);
        if (pov_sphere_position_egocentric(&choice, q->scene, kind, relatum, referent) == POV_OK)
            pov_sphere_ask_choice(q, &ask, &choice);
        ask.task = "position_allo";
        ask.viewer = q->scene->camera;
        ask.text =
            pov_questions_text(q, "From the perspective of the viewer, where is %s relative to %s?", a, b);
        if (pov_sphere_position_allocentric(&choice, q->scene, kind, referent, relatum) == POV_OK)
            pov_sphere_ask_choice(q, &ask, &choice);
    }
}

/* -------- distance and size -------- */

static const char *viewer_word(pov_questions *q, pov_id id)
{
    return id == q->scene->camera ? "the viewer" : pov_questions_the(q, id);
}

static void ask_distances(pov_questions *q, pov_id a, pov_id b)
{
    const char *const words[] = {pov_questions_bare(q, a), pov_questions_bare(q, b)};
    for (pov_id from = 0; from < q->scene->len; from++) {
        pov_choice choice;
        if (from == a || from == b || pov_sphere_nearer(&choice, q->scene, a, b, from) != POV_OK)
            continue;
        const sphere_ask ask = {
            "distance", pov_questions_name(q, from),
            a,          b,
            from,       pov_questions_text(q, "Which object is closer to %s?", viewer_word(q, from)),
            words,      ""};
        pov_sphere_ask_choice(q, &ask, &choice);
    }
}

static void ask_sizes(pov_questions *q, pov_id a, pov_id b)
{
    pov_choice choice;
    const char *const words[] = {pov_questions_bare(q, a), pov_questions_bare(q, b),
                                 "they are similar in size"};
    static const char *const by_distance[] = {"the closer one", "the farther one",
                                              "they are similar in size"};
    sphere_ask ask = {"size", "", a, b, POV_ID_NONE, "Which object is bigger?", words, ""};
    if (pov_sphere_bigger(&choice, q->scene, a, b) == POV_OK)
        pov_sphere_ask_choice(q, &ask, &choice);
    ask.task = "distance_size";
    ask.words = by_distance;
    ask.viewer = q->scene->camera;
    ask.text = pov_questions_text(q, "Which is bigger of %s and %s?", pov_questions_the(q, a),
                                  pov_questions_the(q, b));
    if (pov_sphere_bigger_by_distance(&choice, q->scene, a, b) == POV_OK)
        pov_sphere_ask_choice(q, &ask, &choice);
}

/* -------- counting -------- */

static bool is_first_of_class(const pov_questions *q, pov_id id)
{
    const pov_entity *entities = q->scene->entities;
    bool first = pov_questions_is_thing(q, id) && entities[id].class_name[0] != '\0';
    for (pov_id other = 0; other < id && first; other++)
        first = !pov_questions_is_thing(q, other) ||
                strcmp(entities[other].class_name, entities[id].class_name) != 0;
    return first;
}

/* Things of its class, in the image. */
static pov_counted counted_of(const pov_questions *q, pov_id of)
{
    return (pov_counted){q->scene->entities[of].class_name, q->p_in_image};
}

/* Which side of a relatum, with the words for the two points of view. */
typedef struct {
    const char *part, *yours, *its;
    pov_position_kind kind;
    bool first;
} counted_side;

static void ask_counts_beside(pov_questions *q, pov_id of, const char *things, pov_id relatum,
                              const counted_side *side)
{
    const char *b = pov_questions_the(q, relatum);
    const pov_counted what = counted_of(q, of);
    pov_count count;
    sphere_ask ask = {
        "position_count", pov_questions_text(q, "%s_ego", side->part), of, relatum, relatum, "", NULL, ""};
    ask.text =
        pov_questions_text(q, "If you are %s in the image, how many %s are %s?", b, things, side->yours);
    if (pov_sphere_count_positioned(&count, q->scene, &what, side->kind, side->first, relatum, relatum) ==
            POV_OK &&
        count.len > 1)
        ask_count(q, &ask, &count);
    ask.part = pov_questions_text(q, "%s_allo", side->part);
    ask.viewer = q->scene->camera;
    ask.text = pov_questions_text(q, "From the perspective of the viewer, how many %s are %s %s?", things,
                                  side->its, b);
    if (q->scene->camera != POV_ID_NONE &&
        pov_sphere_count_positioned(&count, q->scene, &what, side->kind, side->first, q->scene->camera,
                                    relatum) == POV_OK &&
        count.len > 1)
        ask_count(q, &ask, &count);
}

static void ask_counts_about(pov_questions *q, pov_id of, const char *things, pov_id relatum)
{
    static const counted_side counted[] = {
        {"left", "on your left", "on the left side of", POV_LEFT_OR_RIGHT, true},
        {"right", "on your right", "on the right side of", POV_LEFT_OR_RIGHT, false},
        {"front", "in front of you", "in front of", POV_FRONT_OR_BEHIND, true},
        {"behind", "behind you", "behind", POV_FRONT_OR_BEHIND, false},
    };
    const pov_counted what = counted_of(q, of);
    pov_count count;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        ask_counts_beside(q, of, things, relatum, &counted[i]);
    const sphere_ask ask = {"distance_count",
                            "farther",
                            of,
                            relatum,
                            q->scene->camera,
                            pov_questions_text(q, "How many %s are farther from the viewer than %s?", things,
                                               pov_questions_the(q, relatum)),
                            NULL,
                            ""};
    if (q->scene->camera != POV_ID_NONE &&
        pov_sphere_count_distant(&count, q->scene, &what, q->scene->camera, relatum, true) == POV_OK &&
        count.len > 1)
        ask_count(q, &ask, &count);
}

static void ask_counts(pov_questions *q, pov_id of)
{
    const char *things = pov_questions_plural(q, pov_questions_class(q, of));
    pov_count count;
    const sphere_ask ask = {
        "count", "", of, POV_ID_NONE, POV_ID_NONE, pov_questions_text(q, "How many %s are visible?", things),
        NULL,    ""};
    const pov_counted what = counted_of(q, of);
    pov_sphere_count(&count, q->scene, &what);
    if (q->asking->relatum == POV_ID_NONE)
        ask_count(q, &ask, &count);
    for (pov_id relatum = 0; relatum < q->scene->len; relatum++)
        if (pov_questions_wants(q, of, relatum) || (of == relatum && q->asking->relatum == POV_ID_NONE))
            ask_counts_about(q, of, things, relatum);
}

/* -------- all -------- */

static void ask_skills(pov_questions *q)
{
    bool chosen = q->asking->referent != POV_ID_NONE || q->asking->relatum != POV_ID_NONE;
    for (pov_id a = 0; a < q->scene->len; a++) {
        for (pov_id b = 0; b < q->scene->len; b++)
            if (pov_questions_wants(q, a, b)) {
                ask_positions(q, a, b);
                if (a < b || chosen) { /* "which of the two" is asked once */
                    ask_distances(q, a, b);
                    ask_sizes(q, a, b);
                }
            }
        if (is_first_of_class(q, a) && (q->asking->referent == POV_ID_NONE || q->asking->referent == a))
            ask_counts(q, a);
    }
}

/* Once for all questions that count. */
static void find_what_is_in_the_image(pov_questions *q)
{
    const pov_status status = pov_occlusion_update(q->occlusion, q->scene);
    if (status.code != POV_OK)
        pov_questions_complain(q, "%s", status.message);
    for (pov_id id = 0; id < q->scene->len && status.code == POV_OK; id++)
        if (pov_questions_is_thing(q, id))
            q->p_in_image[id] = pov_in_image(q->occlusion, id, &q->asking->vpt.seeing);
}

void pov_questions_ask_sphere(pov_questions *q)
{
    pov_questions_find_nouns(q, q->asking->language);
    if (q->asking->guidance != POV_GUIDED_STEP) {
        find_what_is_in_the_image(q);
        ask_skills(q);
    }
    for (pov_id viewer = 0; viewer < q->scene->len; viewer++)
        if (viewer == q->scene->camera || pov_vpt_is_figure(q->scene, viewer))
            pov_sphere_ask_reasoning(q, viewer);
}
