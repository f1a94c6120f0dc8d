#include "compare/scores/vpt_score.h"

#include <math.h>

bool pov_vpt_has_directions(pov_vpt_question question)
{
    return question == POV_VPT_Q4 || question == POV_VPT_Q5 || question == POV_VPT_Q7;
}

static bool is_yes_no(pov_vpt_question question)
{
    return question == POV_VPT_Q3 || question == POV_VPT_Q6;
}

pov_answer_kind pov_vpt_read(pov_vpt_reply *reply, const char *answer, pov_vpt_question question)
{
    *reply = (pov_vpt_reply){.number = NAN};
    if (pov_vpt_has_directions(question))
        return pov_answer_directions(reply->directions, answer,
                                     question == POV_VPT_Q7 ? POV_ANSWER_SIDES : POV_ANSWER_CARDINALS);
    if (!is_yes_no(question))
        return pov_answer_number(&reply->number, answer);
    bool yes;
    pov_answer_kind kind = pov_answer_yes_no(&yes, answer, &POV_YES_NO_ENGLISH);
    reply->number = yes;
    return kind;
}

/* Parts of `reply`, and how many of them are also in `other`. */
static int count_parts(int *common, const pov_vpt_reply *reply, const pov_vpt_reply *other)
{
    int parts = 0;
    *common = 0;
    for (int i = 0; i < 4; i++) {
        parts += reply->directions[i];
        *common += reply->directions[i] && other->directions[i];
    }
    return parts;
}

pov_grade pov_vpt_grade(const pov_vpt_reply *reply, pov_answer_kind kind, const pov_vpt_reply *gold,
                        pov_vpt_question question)
{
    int common;
    if (!pov_vpt_has_directions(question))
        return (pov_grade){kind, reply->number == gold->number, is_yes_no(question) ? 0.5 : NAN};
    double chance = count_parts(&common, gold, gold) / 4.0;
    int parts = count_parts(&common, reply, gold);
    return (pov_grade){kind, parts ? (double)common / parts : 0, chance};
}

void pov_vpt_count(pov_vpt_cooccurrence *matrix, const pov_vpt_reply *reply, pov_answer_kind kind,
                   const pov_vpt_reply *gold)
{
    int common, parts = count_parts(&common, reply, gold);
    if (kind == POV_ANSWER_MISSING)
        return;
    matrix->discarded += kind != POV_ANSWER_GIVEN;
    matrix->single += parts == 1;
    matrix->compound += parts > 1;
    for (int g = 0; g < 4; g++) {
        matrix->gold[g] += gold->directions[g];
        matrix->answered[g] += reply->directions[g];
        for (int a = 0; a < 4; a++)
            matrix->count[g][a] += gold->directions[g] && reply->directions[a];
    }
}

double pov_vpt_bias(int *favourite, const pov_vpt_cooccurrence *matrix)
{
    double answered = 0, gold = 0, sum = 0, most = 0;
    *favourite = -1;
    for (int i = 0; i < 4; i++) {
        answered += matrix->answered[i];
        gold += matrix->gold[i];
    }
    if (answered == 0 || gold == 0)
        return NAN;
    for (int i = 0; i < 4; i++) {
        double excess = matrix->answered[i] / answered - matrix->gold[i] / gold;
        sum += fabs(excess);
        *favourite = excess > most ? i : *favourite;
        most = fmax(most, excess);
    }
    return sum / 2;
}
