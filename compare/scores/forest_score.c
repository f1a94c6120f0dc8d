#include "compare/scores/forest_score.h"

#include "compare/answers/released_reading.h"
#include "perception/papers/forest.h"

#include <math.h>

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

pov_grade pov_forest_grade(pov_forest_bias *bias, const char *answer, pov_forest_gold gold, bool released)
{
    unsigned named, valid = gold.relative | gold.intrinsic;
    pov_grade grade = {read_relations(&named, answer, released), 0, count_bits(valid) / 4.0};
    const bool has_both = gold.relative && gold.intrinsic;
    bias->cases += has_both && grade.kind != POV_ANSWER_MISSING;
    if (grade.kind != POV_ANSWER_GIVEN)
        return grade;
    grade.score = (named & ~valid) == 0;
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
