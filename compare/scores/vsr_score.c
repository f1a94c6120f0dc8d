#include "compare/scores/vsr_score.h"

#include "compare/answers/released_reading.h"
#include "perception/relations/relation_registry.h"

#include <math.h>
#include <stddef.h>

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
