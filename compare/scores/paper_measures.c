#include "compare/scores/paper_measures.h"

#include "compare/answers/released_reading.h"
#include "perception/geometry/random.h"
#include "perception/papers/forest.h"
#include "perception/relations/relation_registry.h"

#include <math.h>
#include <stddef.h>

static int count_bits(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Bits of pov_relation that an answer names. */
static pov_answer_kind read_relations(unsigned *bits, const char *answer, bool released)
{
    static const pov_relation around[4] = {POV_IN_FRONT_OF, POV_RIGHT_OF, POV_BEHIND, POV_LEFT_OF};
    bool named[4];
    *bits = 0;
    if (released) {
        pov_relation relation;
        const pov_answer_kind kind = pov_released_relation(&relation, answer);
        *bits = kind == POV_ANSWER_GIVEN ? 1u << relation : 0;
        return kind;
    }
    const pov_answer_kind kind = pov_answer_directions(named, answer, POV_ANSWER_SIDES);
    for (int i = 0; i < 4; i++)
        *bits |= named[i] ? 1u << around[i] : 0;
    return kind;
}

static int first_bit(unsigned bits)
{
    int i = 0;
    while (!(bits >> i & 1))
        i++;
    return i;
}

pov_grade pov_forest_grade(pov_forest_bias *bias, const char *answer, pov_forest_gold gold, bool released)
{
    unsigned named, valid = gold.relative | gold.intrinsic;
    pov_grade grade = {read_relations(&named, answer, released), 0, count_bits(valid) / 4.0};
    const bool has_both = gold.relative && gold.intrinsic;
    bias->cases += has_both && !pov_answer_is_absent(grade.kind);
    if (grade.kind != POV_ANSWER_GIVEN)
        return grade;
    grade.score = (named & ~valid) == 0;
    if (count_bits(valid) == 1 && count_bits(named) == 1)
        bias->confusion[first_bit(valid)][first_bit(named)]++;
    if (!has_both)
        return grade;
    const bool relative = (named & gold.relative) == named, intrinsic = (named & gold.intrinsic) == named;
    bias->relative += relative && !intrinsic;
    bias->intrinsic += intrinsic && !relative;
    bias->both += relative && intrinsic;
    bias->alike += gold.relative == gold.intrinsic;
    return grade;
}

pov_forest_shares pov_forest_share(const pov_forest_bias *bias)
{
    const double n = bias->relative + bias->intrinsic;
    return n > 0 ? (pov_forest_shares){bias->relative / n, bias->intrinsic / n}
                 : (pov_forest_shares){NAN, NAN};
}

pov_forest_shares pov_forest_share_released(const pov_forest_bias *bias)
{
    const double relative = 100.0 * (bias->relative + bias->both) / bias->cases,
                 intrinsic = 100.0 * bias->intrinsic / bias->cases, alike = (double)bias->alike / bias->cases;
    return (pov_forest_shares){(relative - alike) / (relative + intrinsic + alike),
                               intrinsic / (relative + intrinsic - alike)};
}

pov_grade pov_forest_frame_grade(const char *answer, unsigned gold, bool released)
{
    static const char *const frames[] = {"external relative", "external intrinsic", "internal intrinsic",
                                         "internal relative"};
    _Static_assert(sizeof frames / sizeof *frames == POV_FOREST_FRAME_COUNT, "a phrase for each frame");
    int frame;
    pov_forest_frame read;
    const pov_answer_kind kind = released ? pov_released_frame(&read, answer)
                                          : pov_answer_option(&frame, answer, frames, POV_FOREST_FRAME_COUNT);
    frame = released ? (int)read : frame;
    return (pov_grade){kind, kind == POV_ANSWER_GIVEN && (gold >> frame & 1),
                       count_bits(gold) / (double)POV_FOREST_FRAME_COUNT};
}

/* ---- SPHERE ---- */

void pov_sphere_shuffle(int order[], int len, uint64_t question, uint64_t seed)
{
    uint64_t state = question * POV_RANDOM_STEP ^ seed;
    for (int i = 0; i < len; i++)
        order[i] = i;
    for (int i = len - 1; i > 0; i--) { /* Fisher & Yates */
        int j = (int)((pov_random_next(&state) >> 32) * (uint64_t)(i + 1) >> 32), swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
}

pov_grade pov_sphere_grade(const char *answer, const char *const options[], int len, int gold, bool released)
{
    int option;
    const pov_answer_kind kind = released ? pov_released_option(&option, answer, options, len)
                                          : pov_answer_option(&option, answer, options, len);
    return (pov_grade){kind, option == gold, 1.0 / len};
}

pov_grade pov_sphere_grade_count(const char *answer, double gold, bool released)
{
    double number;
    const pov_answer_kind kind =
        released ? pov_released_count(&number, answer) : pov_answer_number(&number, answer);
    return (pov_grade){kind, number == gold, NAN};
}

/* ---- Isle-Brick ---- */

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

void pov_vpt_count_reply(pov_vpt_cooccurrence *matrix, const pov_vpt_reply *reply, pov_answer_kind kind,
                         const pov_vpt_reply *gold)
{
    int common, parts = count_parts(&common, reply, gold);
    if (pov_answer_is_absent(kind))
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

/* ---- VSR ---- */

pov_grade pov_vsr_grade(const char *answer, bool gold, const pov_yes_no_words *words)
{
    bool yes;
    const pov_answer_kind kind =
        words ? pov_answer_yes_no(&yes, answer, words) : pov_released_label(&yes, answer);
    return (pov_grade){kind, yes == gold, 0.5};
}

pov_grade pov_vsr_grade_p(double p, bool gold)
{
    return (pov_grade){isnan(p) ? POV_ANSWER_MISSING : POV_ANSWER_GIVEN, (p > 0.5) == gold, 0.5};
}

const char *pov_vsr_category(const char *relation)
{
    const pov_relation_info *info = pov_relation_lookup(relation);
    return info && info->category <= POV_UNALLOCATED ? pov_category_name(info->category) : NULL;
}
