/** Scenes of six entities of several classes with errors of their own and shared ones, with fronts, velocities, a viewer and a camera. */
#pragma once

#include "perception/scene/scene.h"
#include "tests/support/random_situation.h"

#include <math.h>
#include <string.h>

enum { TEST_THING, TEST_PLACE, TEST_OTHER, TEST_THIRD, TEST_WOMAN, TEST_CAMERA };

static inline pov_entity test_random_entity(test_random *random, const char *name, double noise_m)
{
    static const char *const classes[] = {"thing", "thing", "basket", "chair", "table", "bed"};
    pov_entity entity = pov_entity_named(name, classes[test_random_u64(random) % 6]);
    pov_vec3 size = test_random_vector(random, 0.2);
    entity.placed = true;
    entity.position.mean_m = test_random_vector(random, 0.4);
    entity.size_m = (pov_vec3){0.1 + fabs(size.x), 0.1 + fabs(size.y), 0.1 + fabs(size.z)};
    entity.R_table_box = pov_rot_exp(test_random_vector(random, 2));
    for (int i = 0; i < 3; i++) {
        entity.position.own_cov_m2[i][i] = noise_m * noise_m;
        for (int k = 0; k < 6; k++)
            entity.position.per_camera_pose[i][k] = test_random_between(random, -1, 1);
    }
    entity.has_velocity = test_random_u64(random) % 2;
    if (entity.has_velocity)
        entity.velocity_m_s = test_random_vector(random, 0.3);
    for (int i = 0; i < 3 && entity.has_velocity; i++) /* correlated on the ground */
        for (int j = 0; j < 3; j++)
            entity.velocity_cov_m2_s2[i][j] = (i == j ? 4 : i + j == 1 ? 2 : 0) * noise_m * noise_m;
    return entity;
}

/* One, or two of opposite directions. */
static inline pov_heading test_random_heading(test_random *random)
{
    double yaw_rad = test_random_between(random, -3, 3), share = test_random_between(random, 0.3, 0.9);
    double kappa = exp(test_random_between(random, 0, 7));
    pov_heading heading = pov_heading_single(yaw_rad, kappa);
    if (test_random_u64(random) % 2) {
        heading.len = 2;
        heading.mode[0].weight = share;
        heading.mode[1] = (pov_heading_mode){1 - share, pov_angle_wrap(yaw_rad + POV_PI), kappa};
    }
    return heading;
}

static inline void test_noisy_scene(pov_scene *scene, test_random *random)
{
    static const char *const names[] = {"thing", "place", "other", "third", "woman", "camera"};
    double noise_m = exp(test_random_between(random, log(0.002), log(0.08)));
    pov_scene_clear(scene);
    for (int i = 0; i <= TEST_CAMERA; i++) {
        pov_entity entity = test_random_entity(random, names[i], noise_m);
        if (i >= TEST_WOMAN)
            entity.position.mean_m =
                pov_vec3_add(entity.position.mean_m, (pov_vec3){i == TEST_WOMAN ? -2 : 2, 0.5, 0});
        if (i >= TEST_WOMAN || test_random_u64(random) % 2)
            entity.heading = test_random_heading(random);
        entity.addressee = i == TEST_WOMAN;
        POV_REQUIRE(pov_scene_add(scene, &(pov_id){0}, &entity).code == POV_OK);
    }
    scene->camera = TEST_CAMERA;
    for (int k = 0; k < 6; k++)
        scene->camera_pose_cov[k][k] = noise_m * noise_m / 4;
    scene->has_north = true;
    scene->north_yaw_rad = test_random_between(random, -3, 3);
}

/* The same scene, as if nothing in it were uncertain. */
static inline pov_scene test_made_exact(const pov_scene *scene)
{
    pov_scene exact = *scene;
    memset(exact.camera_pose_cov, 0, sizeof exact.camera_pose_cov);
    for (int i = 0; i < exact.len; i++) {
        memset(exact.entities[i].position.own_cov_m2, 0, sizeof exact.entities[i].position.own_cov_m2);
        memset(exact.entities[i].velocity_cov_m2_s2, 0, sizeof exact.entities[i].velocity_cov_m2_s2);
    }
    return exact;
}
