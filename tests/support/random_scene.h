/** Scenes full of random, well-formed values: whatever the types can hold. */
#pragma once

#include "perception/scene/scene.h"
#include "tests/support/random.h"
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

static inline void test_random_track(test_random *random, pov_entity *entity)
{
    entity->has_velocity = test_random_index(random, 2) == 1;
    if (entity->has_velocity) {
        entity->velocity_m_s = test_random_vec3(random, -1, 1);
        test_random_cov(random, &entity->velocity_cov_m2_s2[0][0], 3);
        entity->has_turn_rate = test_random_index(random, 2) == 1;
    }
    if (entity->has_turn_rate) {
        entity->turn_rate_rad_s = test_random_between(random, -9, 9);
        entity->turn_rate_std_rad_s = test_random_between(random, 0, 1);
    }
    if (test_random_index(random, 2) == 1)
        entity->track = (pov_entity_track){
            .tracked = true,
            .lost = test_random_index(random, 2) == 1,
            .age_s = test_random_between(random, 0, 1e6),
            .hidden_s = test_random_between(random, 0, 20),
            .other_p = test_random_between(random, 0, 1),
            .motion = (pov_motion_model)test_random_index(random, POV_MOTION_COUNT),
        };
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
    test_random_track(&(test_random){random->state + 1}, &entity);
    test_random ties = {random->state + 2};
    entity.heading.len = test_random_index(random, POV_HEADING_MODES_MAX + 1);
    for (int i = 0; i < entity.heading.len; i++)
        entity.heading.mode[i] =
            (pov_heading_mode){1.0 / entity.heading.len, test_random_between(random, -POV_PI, POV_PI),
                               exp(test_random_between(random, -5, 20))};
    if (entity.heading.len > 0) {
        test_random_numbers(&ties, entity.heading_ties.per_camera_pose, 6);
        test_random_numbers(&ties, entity.heading_ties.with_position_m, 3);
    }
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
