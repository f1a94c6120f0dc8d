#include "perception/relations/relation_judge.h"

#include "perception/geometry/lattice.h"
#include "perception/relations/situation_posterior.h"
#include "perception/relations/truth_tally.h"

#include <math.h>
#include <string.h>

/* The tails a 3-sigma margin asks about hold one point of the first level. */
enum { POINTS_TO_TELL_UNDEFINED = 32, POINTS_FIRST = 1024, POINTS_LAST = 8192 };
static const double settled = 0.001;

static void count_points(pov_truth_tally *tally, const pov_situation_posterior *posterior,
                         const pov_predicate_params *params, int until)
{
    pov_predicate evaluate = posterior->question->relation->evaluate;
    double point[POV_LATTICE_DIMENSIONS_MAX];
    pov_situation situation;
    while (tally->points < until) {
        pov_lattice_point(point, posterior->dimensions, tally->points);
        pov_situation_posterior_draw(posterior, &situation, point);
        pov_truth_tally_count(tally, evaluate(&situation, params).low);
    }
}

static pov_belief expect(const pov_situation_posterior *posterior, const pov_relation_judging *judging)
{
    pov_truth_tally tally = {0};
    int until = posterior->dimensions == 0 ? 1 : POINTS_FIRST;
    if (until > 1)
        count_points(&tally, posterior, &judging->params, POINTS_TO_TELL_UNDEFINED);
    if (until == 1 || tally.defined > 0)
        count_points(&tally, posterior, &judging->params, until);
    pov_belief belief = pov_truth_tally_belief(&tally, judging->abstain_margin);
    while (until > 1 && until < POINTS_LAST && !pov_truth_tally_is_unanimous(&tally)) {
        double before = belief.p;
        until *= 2;
        count_points(&tally, posterior, &judging->params, until);
        belief = pov_truth_tally_belief(&tally, judging->abstain_margin);
        if (fabs(belief.p - before) < settled)
            break;
    }
    return belief;
}

static bool are_in(const pov_scene *scene, const pov_relation_question *question)
{
    if (question->relatum_len < 1 || question->relatum_len > POV_RELATA_MAX)
        return false;
    if (question->viewer != POV_ID_NONE && (question->viewer < 0 || question->viewer >= scene->len))
        return false;
    if (question->referent < 0 || question->referent >= scene->len)
        return false;
    for (int i = 0; i < question->relatum_len; i++) {
        if (question->relatum[i] < 0 || question->relatum[i] >= scene->len ||
            question->relatum[i] == question->referent)
            return false;
        for (int j = 0; j < i; j++)
            if (question->relatum[i] == question->relatum[j])
                return false;
    }
    return true;
}

/* What relation.h judges exactly: a relation stated along one direction. */
static pov_belief judge_projective(const pov_scene *scene, const pov_relation_question *question,
                                   const pov_relation_judging *judging)
{
    pov_judgment judgment;
    pov_query query = {.referent = question->referent,
                       .relatum = question->relatum[0],
                       .relation = question->relation->projective,
                       .perspective = question->perspective,
                       .viewer = question->viewer,
                       .convention = question->convention,
                       .axis = question->axis,
                       .acceptance = question->acceptance};
    const pov_judging by = {.abstain_margin = judging->abstain_margin, .regions = judging->regions};
    (void)pov_relation_evaluate(&judgment, scene, &query, &by);
    return judgment.belief;
}

pov_code pov_relation_judge(pov_relation_answer *answer, const pov_scene *scene,
                            const pov_relation_question *question, const pov_relation_judging *judging)
{
    POV_REQUIRE(question->relation);
    pov_situation_posterior posterior;
    *answer = (pov_relation_answer){.question = *question, .belief = {NAN, NAN, POV_VERDICT_UNDEFINED}};
    if (!are_in(scene, question))
        return POV_UNDEFINED;
    if (question->relation->projective != POV_RELATION_COUNT)
        answer->belief = judge_projective(scene, question, judging);
    else if (pov_situation_posterior_of(&posterior, scene, question))
        answer->belief = expect(&posterior, judging);
    return answer->belief.verdict == POV_VERDICT_UNDEFINED ? POV_UNDEFINED : POV_OK;
}

/* Writes answers while there is room, counts them all. */
typedef struct {
    pov_relation_answer *answers;
    int capacity, len;
    const pov_scene *scene;
    const pov_relation_judging *judging;
} answer_list;

/* Synonyms share a predicate: "near", "by", "close to". */
static bool is_same_question(const pov_relation_question *a, const pov_relation_question *b)
{
    return a->relation->evaluate == b->relation->evaluate && a->relation->frame == b->relation->frame &&
           a->perspective == b->perspective && a->viewer == b->viewer;
}

static void answer_next(answer_list *list, const pov_relation_question *question)
{
    int index = list->len++;
    if (index >= list->capacity)
        return;
    for (int i = 0; i < index; i++)
        if (is_same_question(&list->answers[i].question, question)) {
            list->answers[index] = (pov_relation_answer){*question, list->answers[i].belief};
            return;
        }
    (void)pov_relation_judge(&list->answers[index], list->scene, question, list->judging);
}

static void answer_for_viewers(answer_list *list, pov_relation_question question)
{
    const pov_scene *scene = list->scene;
    question.convention = POV_REFLECTED;
    question.axis = POV_AXIS_USUAL;
    for (pov_id viewer = 0; viewer < scene->len; viewer++) {
        bool camera = viewer == scene->camera;
        if (viewer == question.referent || viewer == question.relatum[0] ||
            !(camera || scene->entities[viewer].addressee))
            continue;
        question.perspective = camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
        question.viewer = viewer;
        answer_next(list, &question);
    }
}

static void answer_in_all_frames(answer_list *list, pov_relation_question question)
{
    pov_frame_need frame = question.relation->frame;
    question.viewer = POV_ID_NONE;
    question.convention = POV_NO_CONVENTION;
    question.axis = POV_HEADING;
    question.perspective = frame == POV_FRAME_AXES ? POV_INTRINSIC : POV_ABSOLUTE;
    if (frame == POV_FRAME_AXES || frame == POV_FRAME_VIEWER)
        answer_for_viewers(list, question);
    if (frame == POV_FRAME_NONE || frame == POV_FRAME_AXES ||
        (frame == POV_FRAME_NORTH && list->scene->has_north))
        answer_next(list, &question);
}

int pov_relation_judge_all(pov_relation_answer *answers, int capacity, const pov_scene *scene,
                           pov_id referent, pov_id relatum, const pov_relation_judging *judging)
{
    POV_REQUIRE(referent >= 0 && referent < scene->len && relatum >= 0 && relatum < scene->len);
    answer_list list = {.answers = answers, .capacity = capacity, .scene = scene, .judging = judging};
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        pov_relation_question question = {.relation = pov_relation_registry_at(i),
                                          .referent = referent,
                                          .relatum_len = 1,
                                          .relatum = {relatum},
                                          .acceptance = POV_HEMISPHERE};
        if (question.relation->relata_min == 1)
            answer_in_all_frames(&list, question);
    }
    return list.len;
}
