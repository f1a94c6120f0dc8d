/** Observations full of random, well-formed values: whatever the types can hold. */
#ifndef POV_TESTS_SUPPORT_RANDOM_OBSERVATION_H
#define POV_TESTS_SUPPORT_RANDOM_OBSERVATION_H

#include "perception/observation.h"
#include "tests/support/random.h"
#include "tests/support/random_answer.h"
#include "tests/support/random_sight.h"
#include "tests/support/random_tag.h"

#include <stdio.h>
#include <string.h>

static inline pov_vec3 test_random_vec3(test_random *random, double low, double high)
{
    pov_vec3 vector = {test_random_between(random, low, high), test_random_between(random, low, high),
                       test_random_between(random, low, high)};
    return vector;
}

static inline void test_random_numbers(test_random *random, double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = test_random_normal(random);
}

/** A A^T of a random A: a covariance. */
static inline void test_random_cov(test_random *random, double *cov, int size)
{
    double root[36];
    test_random_numbers(random, root, size * size);
    for (int i = 0; i < size; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < size; k++)
                sum += root[i * size + k] * root[j * size + k];
            cov[i * size + j] = cov[j * size + i] = sum;
        }
    }
}

static inline pov_entity test_random_entity(test_random *random, int index)
{
    static const char *const classes[] = {"ball", "b\xc3\xa4r", "\"quoted\"\\", ""};
    char name[POV_NAME_CAPACITY];
    snprintf(name, sizeof name, "%s-%d", classes[test_random_index(random, 4)], index);
    pov_entity entity = pov_entity_named(name, classes[test_random_index(random, 4)]);
    entity.seen = test_random_index(random, 2) == 1;
    entity.addressee = test_random_index(random, 2) == 1;
    entity.look_age_s = test_random_index(random, 2) * test_random_between(random, 0, 2);
    entity.size_m = test_random_vec3(random, 0, 2);
    entity.R_table_box = pov_rot_exp(test_random_vec3(random, -2, 2));
    entity.placed = test_random_index(random, 4) > 0;
    if (entity.placed) {
        entity.position.mean_m = test_random_vec3(random, -5, 5);
        test_random_cov(random, &entity.position.own_cov_m2[0][0], 3);
        test_random_numbers(random, &entity.position.per_camera_pose[0][0], 18);
    }
    entity.heading.len = test_random_index(random, POV_HEADING_MODES_MAX + 1);
    for (int i = 0; i < entity.heading.len; i++)
        entity.heading.mode[i] =
            (pov_heading_mode){1.0 / entity.heading.len, test_random_between(random, -POV_PI, POV_PI),
                               exp(test_random_between(random, -5, 20))};
    return entity;
}

static inline void test_random_scene(test_random *random, pov_scene *scene, int entities)
{
    memset(scene, 0, sizeof *scene);
    scene->len = entities;
    for (int i = 0; i < entities; i++)
        scene->entities[i] = test_random_entity(random, i);
    scene->camera = test_random_index(random, entities + 1) - 1; /* -1 is POV_ID_NONE */
    test_random_cov(random, &scene->camera_pose_cov[0][0], 6);
    scene->has_north = test_random_index(random, 2) == 1;
    scene->north_yaw_rad = scene->has_north ? test_random_between(random, -POV_PI, POV_PI) : NAN;
}

static inline pov_judgment test_random_judgment(test_random *random, int entities)
{
    pov_judgment judgment = {
        .query =
            {
                .referent = test_random_index(random, entities),
                .relatum = test_random_index(random, entities),
                .relation = (pov_relation)test_random_index(random, POV_RELATION_COUNT),
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
    };
    if (judgment.belief.verdict == POV_VERDICT_UNDEFINED)
        judgment.theta_rad = judgment.theta_std_rad = judgment.belief.p = judgment.belief.p_std = NAN;
    return judgment;
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
    image.T_table_camera.T.R = pov_rot_exp(test_random_vec3(random, -2, 2));
    image.T_table_camera.T.t_m = test_random_vec3(random, -3, 3);
    test_random_cov(random, &image.T_table_camera.cov[0][0], 6);
    if (image.pose_source == POV_POSE_UNKNOWN)
        for (size_t i = 0; i < sizeof image.T_table_camera / sizeof(double); i++)
            ((double *)&image.T_table_camera)[i] = NAN;
    return image;
}

/** The capacity of entities and judgments is the caller's to choose; neither more than the types hold. */
static inline void test_random_observation(test_random *random, pov_observation *observation, int entities,
                                           int judgments)
{
    observation->image = test_random_header(random);
    test_random_scene(random, &observation->scene, entities);
    observation->turntable = test_random_turntable(random);
    observation->tag_len = test_random_index(random, 10);
    observation->tags_truncated = test_random_index(random, 2) == 1;
    for (int i = 0; i < observation->tag_len; i++)
        observation->tags[i] = test_random_tag(random);
    observation->judgment_len = entities > 0 ? judgments : 0;
    observation->judgments_truncated = test_random_index(random, 2) == 1;
    for (int i = 0; i < observation->judgment_len; i++)
        observation->judgments[i] = test_random_judgment(random, entities);
    observation->sight_len = entities > 0 ? test_random_index(random, 6) : 0;
    observation->sights_truncated = test_random_index(random, 2) == 1;
    for (int i = 0; i < observation->sight_len; i++)
        observation->sights[i] = test_random_sight(random, entities);
    test_random_answers(random, observation, entities);
}

#endif
