/** Tags as they might be seen, with random values. */
#pragma once

#include "perception/image/image.h"
#include "perception/observation/observation.h"
#include "tests/support/random.h"

static inline int test_random_index(test_random *random, int count)
{
    return (int)(test_random_u64(random) % (uint64_t)count);
}

static inline pov_observed_tag test_random_tag(test_random *random)
{
    pov_observed_tag observed = {
        .tag = {.family = (pov_tag_family)test_random_index(random, POV_TAG_FAMILY_COUNT),
                .id = test_random_index(random, 50000),
                .corner_std_px = test_random_between(random, 0.01, 3),
                .bits_corrected = test_random_index(random, 3),
                .decision_margin = test_random_between(random, 0, 255)},
        .outcome = (pov_tag_outcome)test_random_index(random, POV_TAG_OUTCOME_COUNT),
        .residual_px = test_random_index(random, 2) == 1 ? test_random_between(random, 0, 9) : NAN,
    };
    for (int i = 0; i < 4; i++)
        observed.tag.corner_px[i] = (pov_vec2){test_random_between(random, -1, POV_IMAGE_SIDE_MAX_PX),
                                               test_random_between(random, -1, POV_IMAGE_SIDE_MAX_PX)};
    return observed;
}

static inline pov_lens_health test_random_lens(test_random *random)
{
    if (test_random_index(random, 2) == 0)
        return (pov_lens_health){.known = false};
    return (pov_lens_health){true, test_random_between(random, 0.9, 1.1),
                             test_random_between(random, 1e-6, 0.1), test_random_between(random, 0, 9),
                             test_random_index(random, 2) == 1};
}

static inline pov_observed_turntable test_random_turntable(test_random *random)
{
    if (test_random_index(random, 2) == 0)
        return (pov_observed_turntable){.angle_rad = NAN, .std_rad = NAN};
    return (pov_observed_turntable){true, test_random_between(random, 0, 2 * POV_PI),
                                    test_random_between(random, 1e-6, 1), 1 + test_random_index(random, 9)};
}
