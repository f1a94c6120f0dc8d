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
    health.model_len = test_random_index(random, POV_ASKED_MODEL_MAX + 1);
    for (int i = 0; i < health.model_len; i++)
        health.models[i] = (pov_asked_model){.model = "m",
                                             .hosts = "models.example",
                                             .leaves = test_random_index(random, 2) == 1,
                                             .asked = test_random_u64(random),
                                             .answered = test_random_u64(random),
                                             .unscored = test_random_u64(random),
                                             .failed = test_random_u64(random),
                                             .under_way = (uint32_t)test_random_u64(random),
                                             .waiting = (uint32_t)test_random_u64(random),
                                             .unasked = test_random_u64(random),
                                             .stale = test_random_u64(random),
                                             .cost = test_random_between(random, 0, 9),
                                             .ended = "the budget is spent"};
    health.agreement_len = test_random_index(random, POV_RUNNING_AGREEMENT_MAX + 1);
    for (int i = 0; i < health.agreement_len; i++)
        health.agreements[i] = (pov_running_agreement){.model = "m",
                                                       .frame = "intrinsic",
                                                       .condition = "comfort rel en",
                                                       .agreed = test_random_u64(random),
                                                       .compared = test_random_u64(random)};
    health.images_unasked = test_random_u64(random);
    snprintf(health.tf_missing, sizeof health.tf_missing, "%s",
             test_random_index(random, 2) == 1 ? "no transform names the frame 'head'" : "");
    const bool has_offset = test_random_index(random, 2) == 1;
    health.tf_off_m = has_offset ? test_random_between(random, 0, 1) : NAN;
    health.tf_off_rad = has_offset ? test_random_between(random, 0, 1) : NAN;
    health.tf_disagrees = test_random_index(random, 2) == 1;
    health.monotonic_offset_ns = test_random_index(random, 1000000);
    health.clock_error_s = test_random_index(random, 2) == 1 ? test_random_between(random, 0, 1) : NAN;
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
