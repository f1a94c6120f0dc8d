/** Observations full of random, well-formed values: whatever the types can hold. */
#pragma once

#include "perception/observation/observation.h"
#include "tests/support/random.h"
#include "tests/support/random_answer.h"
#include "tests/support/random_scene.h"
#include "tests/support/random_sight.h"
#include "tests/support/random_tag.h"

#include <stdio.h>
#include <string.h>

static inline pov_judgment test_random_judgment(test_random *random, int entities)
{
    pov_judgment judgment = {
        .query =
            {
                .referent = test_random_index(random, entities),
                .relatum = {test_random_index(random, entities)},
                .relatum_len = 1,
                .relation = pov_relation_info_of((pov_relation)test_random_index(random, POV_RELATION_COUNT)),
                .perspective = (pov_perspective)test_random_index(random, POV_PERSPECTIVE_COUNT),
                .viewer = test_random_index(random, entities + 1) - 1,
                .convention = (pov_convention)test_random_index(random, POV_CONVENTION_COUNT + 1),
                .axis = (pov_axis)test_random_index(random, POV_AXIS_COUNT),
                .acceptance = (pov_acceptance)test_random_index(random, POV_ACCEPTANCE_COUNT),
            },
        .belief = {.p = test_random_between(random, 0, 1),
                   .p_std = test_random_between(random, 0, 0.5),
                   .verdict = (pov_verdict)test_random_index(random, POV_VERDICT_COUNT)},
        .theta_rad = test_random_between(random, -POV_PI, POV_PI),
        .theta_std_rad = test_random_between(random, 0, 1),
        .flip_distance_m = test_random_between(random, 0, 9),
        .containment = (pov_containment)test_random_index(random, POV_CONTAINMENT_COUNT),
        .p_internal = test_random_between(random, 0, 1),
        .doubt = (pov_doubt)test_random_index(random, POV_DOUBT_COUNT),
    };
    if (judgment.belief.verdict == POV_VERDICT_UNDEFINED)
        judgment.theta_rad = judgment.theta_std_rad = judgment.belief.p = judgment.belief.p_std = NAN;
    return judgment;
}

static inline pov_pose test_random_pose(test_random *random)
{
    pov_pose pose = {.T = {pov_rot_exp(test_random_vec3(random, -2, 2)), test_random_vec3(random, -3, 3)}};
    test_random_cov(random, &pose.cov[0][0], 6);
    return pose;
}

static inline pov_image_header test_random_header(test_random *random)
{
    pov_image_header image = {
        .sequence = (uint32_t)test_random_u64(random),
        .capture_ns = (int64_t)test_random_u64(random),
        .width_px = 1 + test_random_index(random, POV_IMAGE_SIDE_MAX_PX),
        .height_px = 1 + test_random_index(random, POV_IMAGE_SIDE_MAX_PX),
        .calibration_hash = test_random_u64(random),
        .pose_source = (pov_pose_source)test_random_index(random, POV_POSE_SOURCE_COUNT),
    };
    snprintf(image.name, sizeof image.name, "images/\xe6\x9c\xba %d \"a\".png",
             test_random_index(random, 1000));
    image.T_table_camera = test_random_pose(random);
    if (image.pose_source == POV_POSE_UNKNOWN)
        for (size_t i = 0; i < sizeof image.T_table_camera / sizeof(double); i++)
            ((double *)&image.T_table_camera)[i] = NAN;
    image.candidate_len = 2 * test_random_index(random, 2);
    for (int i = 0; i < image.candidate_len; i++)
        image.candidates[i] = (pov_pose_candidate){i == 0 ? 0.75 : 0.25, test_random_pose(random)};
    return image;
}

/** The capacity of entities and judgments is the caller's to choose; neither more than the types hold. */
static inline void test_random_observation(test_random *random, pov_observation *observation, int entities,
                                           int judgments)
{
    observation->image = test_random_header(random);
    test_random_scene(random, &observation->scene, entities);
    observation->turntable = test_random_turntable(random);
    observation->lens = test_random_lens(random);
    observation->tag_len = test_random_index(random, 10);
    observation->tags_truncated = test_random_index(random, 2) == 1;
    for (int i = 0; i < observation->tag_len; i++)
        observation->tags[i] = test_random_tag(random);
    observation->judgment_len = observation->directed_len = entities > 0 ? judgments : 0;
    observation->directed_truncated = test_random_index(random, 2) == 1;
    for (int i = 0; i < observation->judgment_len; i++)
        observation->judgments[i] = test_random_judgment(random, entities);
    observation->sight_len = entities > 0 ? test_random_index(random, 6) : 0;
    observation->sights_truncated = test_random_index(random, 2) == 1;
    for (int i = 0; i < observation->sight_len; i++)
        observation->sights[i] = test_random_sight(random, entities);
    test_random_answers(random, observation, entities);
}
