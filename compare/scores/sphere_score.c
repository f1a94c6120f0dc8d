#include "compare/scores/sphere_score.h"

#include "compare/answers/released_reading.h"
#include "perception/geometry/random.h"

#include <math.h>

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
