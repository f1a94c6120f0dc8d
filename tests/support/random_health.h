/** Health messages full of random values. */
#pragma once

#include "tests/support/random_observation.h"

static inline pov_health test_random_health(test_random *random)
{
    pov_health health = {
        .now_ns = (int64_t)test_random_u64(random),
        .images_processed = test_random_u64(random),
        .images_skipped = test_random_u64(random),
        .images_lost = test_random_u64(random),
        .camera_reconnects = test_random_u64(random),
        .rate_hz = test_random_between(random, 0, 100),
        .latency_p50_s = test_random_index(random, 2) == 1 ? test_random_between(random, 0, 1) : NAN,
        .latency_p99_s = test_random_index(random, 2) == 1 ? test_random_between(random, 0, 1) : NAN,
        .subscribers = (uint32_t)test_random_u64(random),
        .messages_sent = test_random_u64(random),
        .messages_lost = test_random_u64(random),
        .refused = test_random_u64(random),
        .images_waiting = (uint32_t)test_random_u64(random),
        .messages_waiting = (uint32_t)test_random_u64(random),
    };
    health.stage_len = test_random_index(random, POV_STAGE_TIME_MAX + 1);
    for (int i = 0; i < health.stage_len; i++)
        health.stages[i] =
            (pov_stage_time){"tags", test_random_between(random, 0, 1), test_random_between(random, 0, 1)};
    health.moved_tag_len = test_random_index(random, 3);
    for (int i = 0; i < health.moved_tag_len; i++)
        health.moved_tags[i] =
            (pov_moved_tag){.family = (pov_tag_family)test_random_index(random, POV_TAG_FAMILY_COUNT),
                            .id = test_random_index(random, 500),
                            .images = test_random_index(random, 100),
                            .moved_m = test_random_between(random, 0, 1),
                            .moved_std_m = test_random_between(random, 0, 1),
                            .turned_rad = test_random_between(random, 0, 1),
                            .turned_std_rad = test_random_between(random, 0, 1)};
    return health;
}
