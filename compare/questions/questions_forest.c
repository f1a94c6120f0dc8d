/* FoREST's questions (Premsri & Kordjamshidi 2025): where things are in the picture, in the camera's words and the relatum's;
 * and, from text alone, the ambiguous and the clear split, and which frame of reference an expression is in. */
#include "compare/questions/question_internal.h"

#include "compare/layouts/box_layout.h"
#include "perception/geometry/random.h"
#include "perception/papers/forest.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A pair, and the parts of its sentences. */
typedef struct {
    pov_id referent, relatum;
    pov_relatum_case which;
    bool faces; /* it is known how the relatum faces the camera */
    pov_facing facing;
    double p_facing;
    const char *orientation; /* " The dog is facing toward the camera."; "" */
} forest_pair;

static const char *const relation_words[] = {"left", "right", "front", "back"};
static const char *const frame_words[] = {"external relative", "external intrinsic", "internal intrinsic",
                                          "internal relative"}; /* as pov_forest_frame */

/* The referent would fit into a container: each of its sorted sides is shorter. */
static bool is_container(const pov_scene *scene, pov_id relatum, pov_id referent)
{
    double in[3], out[3];
    memcpy(in, &scene->entities[referent].size_m, sizeof in);
    memcpy(out, &scene->entities[relatum].size_m, sizeof out);
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++) {
            double a = fmin(in[i], in[j]), b = fmin(out[i], out[j]);
            in[j] = fmax(in[i], in[j]);
            out[j] = fmax(out[i], out[j]);
            in[i] = a;
            out[i] = b;
        }
    return in[0] > 0 && in[0] < out[0] && in[1] < out[1] && in[2] < out[2];
}

static bool is_internal(pov_forest_frame frame)
{
    return frame == POV_INTERNAL_INTRINSIC || frame == POV_INTERNAL_RELATIVE;
}

static bool is_relative(pov_forest_frame frame)
{
    return frame == POV_EXTERNAL_RELATIVE || frame == POV_INTERNAL_RELATIVE;
}

static void set_frame(pov_gold *gold, pov_forest_frame frame)
{
    gold->perspective = is_relative(frame) ? POV_EGOCENTRIC : POV_INTRINSIC;
    gold->convention = is_relative(frame) ? POV_REFLECTED : POV_NO_CONVENTION;
    gold->containment = is_internal(frame) ? POV_INTERNAL : POV_EXTERNAL;
}

static void offer_options(pov_question *question, const char *const *options)
{
    question->option_len = 4;
    memcpy(question->options, options, 4 * sizeof *options);
}

/* The paper's zero-shot prompt asks for "one of the candidate spatial relations without explanation" (section 4.1). */
#define SYSTEM(relations, end) "Answer with one of the spatial relations " relations ", " end
static const char after[] = SYSTEM("left, right, front, back", "after an explanation."),
                  without[] = SYSTEM("left, right, front, back", "without any explanation.");

const char *pov_forest_system(pov_prompting prompting)
{
    return pov_prompting_explains(prompting) ? after : without;
}

static void offer_relations(const pov_questions *q, pov_question *question)
{
    offer_options(question, relation_words);
    question->system = pov_forest_system(q->asking->prompting);
}

static unsigned rotate_answers(unsigned answers, int by, int len)
{
    return (answers >> by | answers << (len - by)) & ((1u << len) - 1);
}

/* CircularEval: the options so many places on, in the golds and in the system prompt that names them. */
static void rotate_options(pov_questions *q, pov_question *question)
{
    const int len = question->option_len, by = q->asking->rotation;
    const char *before[POV_OPTIONS_MAX], *names = "";
    if (by == 0 || question->kind != POV_QUESTION_OPTION || by >= len)
        return;
    memcpy(before, question->options, sizeof before);
    for (int i = 0; i < len; i++) {
        question->options[i] = before[(i + by) % len];
        names = pov_questions_text(q, "%s%s%s", names, i ? ", " : "", question->options[i]);
    }
    pov_gold *golds = &q->golds[question->golds - q->golds];
    for (int g = 0; g < question->gold_len; g++)
        golds[g].answers = rotate_answers(golds[g].answers, by, len);
    question->camera_answers = rotate_answers(question->camera_answers, by, len);
    question->relatum_answers = rotate_answers(question->relatum_answers, by, len);
    if (before[0] == relation_words[0])
        question->system = pov_prompting_explains(q->asking->prompting)
                               ? pov_questions_text(q, SYSTEM("%s", "after an explanation."), names)
                               : pov_questions_text(q, SYSTEM("%s", "without any explanation."), names);
}

/* -------- wording -------- */

/* Table 6. */
static const char *const expressions[] = {"to the left of", "to the right of", "in front of", "back of"};

static const char *describe_orientation(pov_questions *q, pov_id relatum, pov_facing facing)
{
    static const char *const ways[] = {"toward the camera", "left relative to the camera",
                                       "away from the camera",
                                       "right relative to the camera"}; /* as pov_facing */
    return pov_questions_text(q, " %s is facing %s.", pov_questions_capital(q, pov_questions_the(q, relatum)),
                              ways[facing]);
}

/* "A cat is to the left of the dog. The dog is facing toward the camera." The clauses are section 3.2's. */
static const char *describe_context(pov_questions *q, const forest_pair *pair, pov_relation relation,
                                    const char *topology, const char *perspective)
{
    return pov_questions_text(q, "%s is %s%s %s%s.%s", pov_questions_a(q, pair->referent), topology,
                              expressions[relation], pov_questions_the(q, pair->relatum), perspective,
                              pair->orientation);
}

/* The clauses that leave one frame: whose perspective where the relatum has a front, inside or outside where it holds
 * things. */
static const char *clear_context(pov_questions *q, const forest_pair *pair, pov_relation relation,
                                 pov_forest_frame frame)
{
    const char *topology = !pair->which.is_container ? ""
                           : is_internal(frame)      ? "inside and "
                                                     : "outside and ";
    const char *perspective = "";
    if (pair->which.has_front && pair->which.is_container)
        perspective = is_relative(frame)
                          ? " from the observer"
                          : pov_questions_text(q, " from %s itself", pov_questions_the(q, pair->relatum));
    else if (pair->which.has_front)
        perspective = is_relative(frame) ? " from the camera's perspective"
                                         : pov_questions_text(q, " from %s perspective",
                                                              pov_questions_whose(q, pair->relatum));
    return describe_context(q, pair, relation, topology, perspective);
}

/* Table 7's reverse templates: the relatum comes first. */
static const char *reverse_text(pov_questions *q, uint64_t random, const char *perspective, const char *a,
                                const char *b)
{
    switch (random % 4) {
    case 0:
        return pov_questions_text(q, "In relation to %s, where is %s located when viewed from %s?", b, a,
                                  perspective);
    case 1:
        return pov_questions_text(q, "In %s, given %s as reference, where is %s located?", perspective, b, a);
    case 2:
        return pov_questions_text(q, "Relative to %s, where can %s be found from the viewpoint of %s?", b, a,
                                  perspective);
    default:
        return pov_questions_text(q, "Considering %s as reference, where does %s lie when seen from %s?", b,
                                  a, perspective);
    }
}

/* Table 7's templates; the seed chooses. */
static const char *question_text(pov_questions *q, const forest_pair *pair, pov_asked asked, const char *task)
{
    const char *whose = asked == POV_ASK_CAMERA ? "camera's" : pov_questions_whose(q, pair->relatum);
    const char *the = asked == POV_ASK_CAMERA ? "the " : "", *a = pov_questions_the(q, pair->referent);
    const char *b = pov_questions_the(q, pair->relatum), *bs = pov_questions_whose(q, pair->relatum);
    uint64_t state =
        q->asking->seed ^ pov_questions_hash(task) ^ pov_questions_hash(a) ^ pov_questions_hash(b);
    if (q->asking->order == POV_ORDER_REVERSE)
        return reverse_text(q, pov_random_next(&state), pov_questions_text(q, "%s%s perspective", the, whose),
                            a, b);
    switch (pov_random_next(&state) % 5) {
    case 0:
        return pov_questions_text(q, "In %s%s perspective, how is %s positioned in relation to %s?", the,
                                  whose, a, b);
    case 1:
        return pov_questions_text(q, "Based on %s%s perspective, where is %s from %s position?", the, whose,
                                  a, bs);
    case 2:
        return pov_questions_text(q, "From %s%s perspective, what is the relation of %s to %s?", the, whose,
                                  a, b);
    case 3:
        return pov_questions_text(
            q, "Looking through %s%s perspective, how does %s appear to be oriented relative to %s position?",
            the, whose, a, bs);
    default:
        return pov_questions_text(
            q, "Based on %s%s perspective, where is %s located with respect to %s location?", the, whose, a,
            bs);
    }
}

static void note_pair(pov_question *question, const forest_pair *pair, const char *asked_of)
{
    question->asked_of = asked_of;
    question->relatum_case = pov_relatum_case_name(pair->which);
}

static const char *asked_word(pov_asked asked)
{
    return asked == POV_ASK_CAMERA ? "camera" : "relatum";
}

static const char *task_name(pov_questions *q, const char *split, const char *rest, pov_asked asked)
{
    return pov_questions_text(q, "%s%s_%s", split, rest, asked_word(asked));
}

/* -------- the picture -------- */

/* The relation that the referent exemplifies best, and its probability. */
static pov_relation best_relation(const pov_questions *q, const forest_pair *pair, pov_asked asked,
                                  pov_judgment *best)
{
    bool by_camera = asked == POV_ASK_CAMERA;
    *best = (pov_judgment){.theta_rad = NAN, .belief.p = NAN};
    for (int relation = POV_LEFT_OF; relation <= POV_BEHIND; relation++) {
        pov_judgment judgment;
        const pov_query query = {.referent = pair->referent,
                                 .relatum = {pair->relatum},
                                 .relatum_len = 1,
                                 .relation = pov_relation_info_of((pov_relation)relation),
                                 .perspective = by_camera ? POV_EGOCENTRIC : POV_INTRINSIC,
                                 .viewer = by_camera ? q->scene->camera : POV_ID_NONE,
                                 .convention = by_camera ? POV_REFLECTED : POV_NO_CONVENTION,
                                 .axis = by_camera ? POV_SIGHT_LINE : POV_HEADING};
        if (pov_relation_evaluate(&judgment, q->scene, &query, &q->asking->judging) == POV_OK &&
            (isnan(best->theta_rad) || fabs(judgment.theta_rad) < fabs(best->theta_rad)))
            *best = judgment;
    }
    return best->query.relation ? best->query.relation->projective : POV_LEFT_OF;
}

static unsigned answer_in_picture(const pov_questions *q, const forest_pair *pair, pov_asked asked)
{
    pov_judgment best;
    if (asked == POV_ASK_CAMERA ? q->scene->camera == POV_ID_NONE : !pair->which.has_front)
        return 0;
    const pov_relation relation = best_relation(q, pair, asked, &best);
    return isnan(best.belief.p) ? 0 : 1u << relation;
}

static void ask_relation(pov_questions *q, const forest_pair *pair, pov_asked asked)
{
    pov_judgment best;
    const char *task = task_name(q, "relation", "", asked);
    pov_relation relation = best_relation(q, pair, asked, &best);
    pov_question *question = pov_questions_about(q, task, pair->referent, pair->relatum, POV_QUESTION_OPTION,
                                                 question_text(q, pair, asked, task));
    offer_relations(q, question);
    note_pair(question, pair, asked_word(asked));
    question->relation = relation;
    question->camera_answers = answer_in_picture(q, pair, POV_ASK_CAMERA);
    question->relatum_answers = answer_in_picture(q, pair, POV_ASK_RELATUM);
    pov_gold *gold = pov_questions_answer(q, 1u << relation, best.belief.p);
    gold->p_std = best.belief.p_std;
    set_frame(gold, asked == POV_ASK_CAMERA ? POV_EXTERNAL_RELATIVE : POV_EXTERNAL_INTRINSIC);
    gold->containment = best.containment;
}

/* -------- the splits -------- */

static pov_question *ask_text(pov_questions *q, const forest_pair *pair, const char *task, const char *text)
{
    pov_question *question =
        pov_questions_about(q, task, pair->referent, pair->relatum, POV_QUESTION_OPTION, text);
    question->needs_image = false;
    note_pair(question, pair, NULL);
    return question;
}

/* A gold is as sure as the facing that it needs. */
static void add_gold(pov_questions *q, const forest_pair *pair, pov_relation relation, pov_forest_frame frame,
                     pov_asked asked)
{
    pov_relation answer;
    bool known =
        pov_forest_convert(&answer, relation, frame, asked, pair->faces ? &pair->facing : NULL) == POV_OK;
    bool converted = is_relative(frame) != (asked == POV_ASK_CAMERA);
    set_frame(pov_questions_answer(q, known ? 1u << answer : 0,
                                   !known      ? NAN
                                   : converted ? pair->p_facing
                                               : 1),
              frame);
}

static void ask_ambiguous(pov_questions *q, const forest_pair *pair, pov_relation relation, pov_asked asked)
{
    const char *task = task_name(q, "ambiguous_", relation_words[relation], asked);
    pov_question *question =
        ask_text(q, pair, task,
                 pov_questions_text(q, "%s %s", describe_context(q, pair, relation, "", ""),
                                    question_text(q, pair, asked, task)));
    offer_relations(q, question);
    note_pair(question, pair, asked_word(asked));
    question->relation = relation;
    for (int frame = 0; frame < POV_FOREST_FRAME_COUNT; frame++)
        if (pov_forest_frame_applies((pov_forest_frame)frame, pair->which))
            add_gold(q, pair, relation, (pov_forest_frame)frame, asked);
}

static unsigned answer_to_text(const forest_pair *pair, pov_relation relation, pov_forest_frame frame,
                               pov_asked asked)
{
    pov_relation answer;
    return pov_forest_convert(&answer, relation, frame, asked, pair->faces ? &pair->facing : NULL) == POV_OK
               ? 1u << answer
               : 0;
}

static void ask_clear(pov_questions *q, const forest_pair *pair, pov_relation relation,
                      pov_forest_frame frame, pov_asked asked)
{
    const char *rest = pov_questions_text(q, "%s_%s", pov_forest_frame_name(frame), relation_words[relation]);
    const char *task = task_name(q, "clear_", rest, asked);
    pov_question *question = ask_text(q, pair, task,
                                      pov_questions_text(q, "%s %s", clear_context(q, pair, relation, frame),
                                                         question_text(q, pair, asked, task)));
    offer_relations(q, question);
    note_pair(question, pair, asked_word(asked));
    question->relation = relation;
    question->camera_answers = answer_to_text(pair, relation, frame, POV_ASK_CAMERA);
    question->relatum_answers =
        pair->which.has_front ? answer_to_text(pair, relation, frame, POV_ASK_RELATUM) : 0;
    add_gold(q, pair, relation, frame, asked);
}

/* Appendix K and L.1; the definitions are section 2's. */
static void ask_frame(pov_questions *q, const forest_pair *pair, const char *task, const char *expression,
                      unsigned frames)
{
    if (q->asking->order != POV_ORDER_NORMAL) /* it names no thing first */
        return;
    static const struct {
        const char *name, *from;
    } described[] = {
        {"external intrinsic", "the relatum's perspective, where the relatum does not contain the locatum"},
        {"external relative", "the observer's perspective"},
        {"internal intrinsic", "the relatum's perspective, where the relatum contains the locatum"},
        {"internal relative", "the observer's perspective where the locatum is inside the relatum"}};
    static_assert(sizeof described / sizeof *described == POV_FOREST_FRAME_COUNT, "one a frame");
    const char *text = "Frames of reference: ";
    for (int i = 0; i < POV_FOREST_FRAME_COUNT; i++) {
        const int frame = (i + q->asking->rotation) % POV_FOREST_FRAME_COUNT;
        text = pov_questions_text(q, "%s%s%s%s from %s", text, i ? "; " : "", described[frame].name,
                                  i ? "," : " describes a spatial relation", described[frame].from);
    }
    pov_question *question = ask_text(
        q, pair, task,
        pov_questions_text(q, "%s. In which of these categories is the following? %s", text, expression));
    offer_options(question, frame_words);
    question->system =
        pov_prompting_explains(q->asking->prompting)
            ? "Answer only the category with an explanation. The answer should be in the form of "
              "{Explanation: Explanation Answer: Category.}"
            : "Answer only the category without any explanation. The answer should be in the "
              "form of {Answer: Category.}";
    pov_questions_answer(q, frames, 1);
}

static void ask_splits(pov_questions *q, const forest_pair *pair, pov_relation relation)
{
    unsigned applicable = 0;
    int askers = pair->which.has_front ? POV_ASK_COUNT : 1; /* the relatum is asked if it has a perspective */
    for (int asked = 0; asked < askers; asked++)
        ask_ambiguous(q, pair, relation, (pov_asked)asked);
    for (int f = 0; f < POV_FOREST_FRAME_COUNT; f++) {
        pov_forest_frame frame = (pov_forest_frame)f;
        if (!pov_forest_frame_applies(frame, pair->which))
            continue;
        applicable |= 1u << f;
        for (int asked = 0; asked < askers; asked++)
            ask_clear(q, pair, relation, frame, (pov_asked)asked);
        ask_frame(
            q, pair,
            pov_questions_text(q, "frame_%s_%s", pov_forest_frame_name(frame), relation_words[relation]),
            clear_context(q, pair, relation, frame), 1u << f);
    }
    ask_frame(q, pair, pov_questions_text(q, "frame_ambiguous_%s", relation_words[relation]),
              describe_context(q, pair, relation, "", ""), applicable);
}

/* -------- layouts of captions -------- */

_Static_assert(POV_LAYOUT_SIDE_PX == 512, "the picture's size stands in the words below");
static const char instruction[] =
    "You lay out pictures. A picture is 512 pixels wide and 512 pixels high; x grows to the right and y "
    "downward from its top left. Give each thing that the caption names one box (x, y, width, height): its "
    "top left corner, then its size, in whole pixels. Mind whose left, right, front and back the caption "
    "means, and which way things face. Answer on one line: Objects: [['THING', [x, y, width, height]], "
    "['THING', [x, y, width, height]]]";

/* None of these things is among FoREST's; one of each frame that has pictures, and of front and back. */
static const struct {
    pov_caption caption;
    const char *objects;
} examples[] = {
    {{.text = "A lamp is to the left of a sofa from the camera's perspective. The sofa is facing toward the "
              "camera.",
      .locatum = "lamp",
      .relatum = "sofa",
      .relation = POV_LEFT_OF,
      .frames = 1u << POV_EXTERNAL_RELATIVE,
      .faces = true,
      .facing = POV_FACES_TOWARD},
     "Objects: [['lamp', [60, 170, 70, 210]], ['sofa', [210, 220, 250, 160]]]"},
    {{.text = "A rabbit is to the right of a van from the van's perspective. The van is facing toward the "
              "camera.",
      .locatum = "rabbit",
      .relatum = "van",
      .relation = POV_RIGHT_OF,
      .frames = 1u << POV_EXTERNAL_INTRINSIC,
      .faces = true,
      .facing = POV_FACES_TOWARD},
     "Objects: [['rabbit', [50, 320, 80, 90]], ['van', [210, 160, 260, 250]]]"},
    {{.text = "A teapot is in front of a piano from the piano's perspective. The piano is facing right "
              "relative to the camera.",
      .locatum = "teapot",
      .relatum = "piano",
      .relation = POV_IN_FRONT_OF,
      .frames = 1u << POV_EXTERNAL_INTRINSIC,
      .faces = true,
      .facing = POV_FACES_RIGHT},
     "Objects: [['teapot', [390, 310, 70, 60]], ['piano', [90, 140, 250, 240]]]"},
    {{.text = "A kite is back of a fountain.",
      .locatum = "kite",
      .relatum = "fountain",
      .relation = POV_BEHIND,
      .frames = 1u << POV_EXTERNAL_RELATIVE},
     "Objects: [['kite', [230, 90, 60, 60]], ['fountain', [150, 200, 220, 250]]]"},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };
_Static_assert((int)EXAMPLES == (int)POV_EXAMPLES, "as many as are told of");

/* Both words, or the one that applies. */
static const char *word_of_either(bool first, bool second, const char *one, const char *other,
                                  const char *both)
{
    return first && second ? both : first ? one : other;
}

/* The caption's direction, topology, distance and frame (section 4.3). */
static const char *spatial_information(pov_questions *q, const pov_caption *caption)
{
    static const char *const relations[] = {"to the left of", "to the right of", "in front of", "behind"};
    const bool relative = caption->frames & (1u << POV_EXTERNAL_RELATIVE | 1u << POV_INTERNAL_RELATIVE),
               intrinsic = caption->frames & (1u << POV_EXTERNAL_INTRINSIC | 1u << POV_INTERNAL_INTRINSIC),
               external = caption->frames & (1u << POV_EXTERNAL_RELATIVE | 1u << POV_EXTERNAL_INTRINSIC),
               internal = caption->frames & (1u << POV_INTERNAL_RELATIVE | 1u << POV_INTERNAL_INTRINSIC);
    char frames[120] = "", whose[160];
    for (int f = 0; f < POV_FOREST_FRAME_COUNT; f++)
        if (caption->frames >> f & 1)
            snprintf(frames + strlen(frames), sizeof frames - strlen(frames), "%s%s", *frames ? " or " : "",
                     frame_words[f]);
    snprintf(whose, sizeof whose, "%s%s%.60s%s", relative ? "the observer" : "",
             relative && intrinsic ? ", or to the "
             : intrinsic           ? "the "
                                   : "",
             intrinsic ? caption->relatum : "", intrinsic ? " itself" : "");
    return pov_questions_text(
        q,
        "Direction: relative to %s, the %s is %s the %s. Topology: the %s is %s the %s. Distance: %s. Frame "
        "of reference: %s.",
        whose, caption->locatum, relations[caption->relation], caption->relatum, caption->locatum,
        word_of_either(external, internal, "outside", "inside", "outside or inside"), caption->relatum,
        word_of_either(external, internal, "near", "none", "near or none"), frames);
}

static const char *told_facts(pov_questions *q, const pov_caption *caption)
{
    return q->asking->guidance == POV_GUIDED_FACTS
               ? pov_questions_text(q, "\nSpatial information: %s", spatial_information(q, caption))
               : "";
}

static const char *layout_examples(pov_questions *q)
{
    const char *text = "";
    for (int i = 0; q->asking->prompting == POV_PROMPTING_FOUR_SHOT && i < EXAMPLES; i++)
        text = pov_questions_text(q, "%sCaption: %s%s\n%s\n\n", text, examples[i].caption.text,
                                  told_facts(q, &examples[i].caption), examples[i].objects);
    return text;
}

/* The caption's relation for the camera, by each reading. P is the probability of the facing that it needs. */
static void add_golds(pov_questions *q, const pov_caption *caption, double p_facing)
{
    for (int frame = 0; frame < POV_FOREST_FRAME_COUNT; frame++) {
        if (!(caption->frames >> frame & 1))
            continue;
        pov_caption one = *caption;
        one.frames = 1u << frame;
        const pov_caption_readings readings = pov_caption_read(&one);
        const unsigned answers = readings.relative | readings.intrinsic;
        set_frame(pov_questions_answer(q, answers,
                                       !answers            ? NAN
                                       : readings.relative ? 1
                                                           : p_facing),
                  (pov_forest_frame)frame);
    }
}

static void add_layout(pov_questions *q, const pov_caption *caption, const char *shots, double p_facing)
{
    enum { TOKENS = 200 };
    pov_question *question = pov_questions_add(q);
    question->id = caption->id;
    question->task = "layout";
    question->kind = POV_QUESTION_LAYOUT;
    question->needs_image = false;
    question->token_max = TOKENS;
    question->system = instruction;
    question->relation = caption->relation;
    question->has_caption = true;
    question->caption = *caption;
    question->text = pov_questions_text(q, "%sCaption: %s%s", shots, caption->text, told_facts(q, caption));
    add_golds(q, caption, p_facing);
}

/* -------- layouts of pairs -------- */

static void ask_layout(pov_questions *q, const forest_pair *pair, pov_relation relation, const char *shots,
                       unsigned frames)
{
    const bool clear = (frames & (frames - 1)) == 0;
    pov_forest_frame frame = POV_EXTERNAL_RELATIVE;
    while (clear && frames != 1u << frame)
        frame++;
    const pov_caption caption = {
        .id = pov_questions_text(q, "forest/layout_%s_%s/%s:%s%s",
                                 clear ? pov_forest_frame_name(frame) : "ambiguous", relation_words[relation],
                                 pov_questions_name(q, pair->referent), pov_questions_name(q, pair->relatum),
                                 pov_questions_guided(q)),
        .text = clear ? clear_context(q, pair, relation, frame) : describe_context(q, pair, relation, "", ""),
        .locatum = pov_questions_bare(q, pair->referent),
        .relatum = pov_questions_bare(q, pair->relatum),
        .relation = relation,
        .frames = frames,
        .faces = pair->faces,
        .facing = pair->faces ? pair->facing : POV_FACES_TOWARD,
        .split = clear ? POV_SPLIT_C : POV_SPLIT_A};
    add_layout(q, &caption, shots, pair->p_facing);
}

/* Pictures are drawn of external frames only (section 3.3). A case that is clear without a clause (a pen's) is asked once. */
static void ask_layouts(pov_questions *q, const forest_pair *pair, const char *shots)
{
    unsigned all = 0;
    for (int f = 0; f < POV_FOREST_FRAME_COUNT; f++)
        all |= pov_forest_frame_applies((pov_forest_frame)f, pair->which) ? 1u << f : 0;
    for (int r = POV_LEFT_OF; r <= POV_BEHIND; r++) {
        if (all & (all - 1))
            ask_layout(q, pair, (pov_relation)r, shots, all);
        ask_layout(q, pair, (pov_relation)r, shots, 1u << POV_EXTERNAL_RELATIVE);
        if (pair->which.has_front)
            ask_layout(q, pair, (pov_relation)r, shots, 1u << POV_EXTERNAL_INTRINSIC);
    }
}

/* -------- pairs -------- */

static forest_pair pair_of(pov_questions *q, pov_id referent, pov_id relatum)
{
    double p[POV_FACING_COUNT];
    forest_pair pair = {
        .referent = referent,
        .relatum = relatum,
        .which = {q->scene->entities[relatum].heading.len > 0, is_container(q->scene, relatum, referent)},
        .orientation = ""};
    pair.faces = pov_facing_in_scene(p, q->scene, relatum) == POV_OK;
    if (!pair.faces)
        return pair;
    pair.facing = (pov_facing)pov_questions_likeliest(p, POV_FACING_COUNT);
    pair.p_facing = p[pair.facing];
    pair.orientation = describe_orientation(q, relatum, pair.facing);
    return pair;
}

static void ask_pair(pov_questions *q, const forest_pair *pair)
{
    if (q->scene->camera != POV_ID_NONE)
        ask_relation(q, pair, POV_ASK_CAMERA);
    if (pair->which.has_front)
        ask_relation(q, pair, POV_ASK_RELATUM);
    for (int relation = POV_LEFT_OF; relation <= POV_BEHIND && q->asking->guidance == POV_GUIDED_NOT;
         relation++)
        ask_splits(q, pair, (pov_relation)relation);
}

void pov_questions_ask_forest(pov_questions *q)
{
    pov_questions_find_nouns(q, q->asking->language);
    const char *shots = q->asking->layouts ? layout_examples(q) : "";
    for (pov_id referent = 0; referent < q->scene->len; referent++)
        for (pov_id relatum = 0; relatum < q->scene->len; relatum++)
            if (pov_questions_wants(q, referent, relatum)) {
                const forest_pair pair = pair_of(q, referent, relatum);
                if (q->asking->layouts)
                    ask_layouts(q, &pair, shots);
                else
                    ask_pair(q, &pair);
            }
    for (int i = 0; i < q->len; i++)
        rotate_options(q, &q->items[i]);
}

pov_status pov_questions_ask_layouts(pov_questions *q, const pov_captions *captions, const pov_asking *asking)
{
    POV_REQUIRE(asking->benchmark == POV_BENCHMARK_FOREST);
    pov_questions_start(q, NULL, asking);
    const char *shots = layout_examples(q);
    for (int i = 0; i < pov_captions_len(captions) && q->problem.code == POV_OK; i++) {
        const pov_caption *caption = pov_captions_at(captions, i);
        if (*caption->text == '\0')
            pov_questions_complain(q, "caption '%.60s' has no text: 'context', or 'caption'", caption->id);
        else
            add_layout(q, caption, shots, 1);
    }
    return pov_questions_end(q);
}
