/** Judgments of who sees what, with random values. */
#pragma once

#include "tests/support/random_tag.h"

#include <math.h>

static inline pov_visibility test_random_sight(test_random *random, int entities)
{
    pov_visibility sight = {
        .viewer = test_random_index(random, entities),
        .target = test_random_index(random, entities),
        .sees = {.p = test_random_between(random, 0, 1),
                 .p_std = test_random_between(random, 0, 0.5),
                 .verdict = (pov_verdict)test_random_index(random, POV_VERDICT_COUNT)},
        .fraction_expected = test_random_between(random, 0, 1),
        .fraction_visible = test_random_between(random, 0, 1),
        .fraction_out_of_view = test_random_between(random, 0, 1),
        .fraction_hidden = test_random_between(random, 0, 1),
        .fraction_out_of_range = test_random_between(random, 0, 1),
        .size_rad = test_random_between(random, 0, 6),
        .cause = (pov_cause)test_random_index(random, POV_CAUSE_COUNT),
        .occluder_len = test_random_index(random, POV_OCCLUDERS_MAX + 1),
    };
    for (int i = 0; i < sight.occluder_len; i++)
        sight.occluders[i] =
            (pov_occluder){test_random_index(random, entities), test_random_between(random, 0, 1)};
    if (sight.sees.verdict == POV_VERDICT_UNDEFINED)
        sight.sees.p = sight.sees.p_std = sight.fraction_expected = sight.fraction_visible =
            sight.fraction_out_of_view = sight.fraction_hidden = sight.fraction_out_of_range =
                sight.size_rad = NAN;
    return sight;
}
