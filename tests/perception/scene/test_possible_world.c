#include "perception/scene/possible_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

/* Two things seen through one unsure camera; the second has a front. */
static void unsure_scene(pov_scene *scene)
{
    pov_scene_clear(scene);
    for (int i = 0; i < 2; i++) {
        pov_id id;
        pov_entity entity = pov_entity_named(i ? "b" : "a", "thing");
        entity.placed = true;
        entity.position.mean_m = (pov_vec3){i, 2, 3};
        entity.size_m = (pov_vec3){1, 2, 3};
        entity.position.own_cov_m2[0][0] = entity.position.own_cov_m2[1][1] = 0.04;
        entity.position.own_cov_m2[0][1] = entity.position.own_cov_m2[1][0] = 0.02;
        for (int k = 0; k < 3; k++)
            entity.position.per_camera_pose[k][3 + k] = 1;
        if (i)
            entity.heading = (pov_heading){2, {{0.75, 1, 100}, {0.25, 1 + POV_PI, 100}}};
        assert_int_equal(pov_scene_add(scene, &id, &entity).code, POV_OK);
    }
    for (int k = 3; k < 6; k++)
        scene->camera_pose_cov[k][k] = 0.09;
}

static void samples_have_the_means_and_covariances_they_should(void **state)
{
    (void)state;
    static pov_scene scene;
    static pov_world world;
    const pov_id ids[] = {0, 1};
    unsure_scene(&scene);
    int count = pov_world_count(&scene, ids, 2), flipped = 0;
    assert_int_equal(count, POV_WORLDS);
    double mean = 0, xx = 0, xy = 0, between = 0, across = 0;
    for (int i = 0; i < count; i++) {
        pov_world_sample(&world, &scene, ids, 2, i);
        double x = world.box[0].centre_m.x, y = world.box[0].centre_m.y - 2, x1 = world.box[1].centre_m.x - 1;
        mean += x / count;
        xx += x * x / count;
        xy += x * y / count;
        between += x * x1 / count;
        across += (x - x1) * (x - x1) / count;
        flipped += cos(world.yaw_rad[1] - 1) < 0;
        assert_true(isnan(world.yaw_rad[0]));
        assert_near(cos(world.yaw_rad[1] - 1 -
                        atan2(world.box[1].R_table_box.m[1][0], world.box[1].R_table_box.m[0][0])),
                    1, 1e-9); /* the box turns with its front */
    }
    assert_near(mean, 0, 1e-12); /* mirrored pairs */
    assert_near(xx, 0.13, 0.015);
    assert_near(xy, 0.02, 0.015);
    assert_near(between, 0.09, 0.015);
    assert_near(across, 0.08, 0.015);
    assert_near((double)flipped / count, 0.25, 0.04);
}

static void what_is_sure_is_one_world(void **state)
{
    (void)state;
    static pov_scene scene;
    static pov_world world;
    const pov_id ids[] = {1};
    unsure_scene(&scene);
    for (int k = 3; k < 6; k++)
        scene.camera_pose_cov[k][k] = 0;
    scene.entities[1].position.own_cov_m2[0][0] = scene.entities[1].position.own_cov_m2[1][1] = 0;
    assert_int_equal(pov_world_count(&scene, ids, 1), POV_WORLDS);
    scene.entities[1].heading = pov_heading_single(2, INFINITY);
    assert_int_equal(pov_world_count(&scene, ids, 1), 1);
    scene.entities[1].position.own_cov_m2[0][1] = scene.entities[1].position.own_cov_m2[1][0] = 0;
    pov_world_sample(&world, &scene, ids, 1, 0);
    assert_near(world.box[0].centre_m.x, 1, 0);
    assert_near(world.box[0].half_m.z, 1.5, 0);
    assert_near(world.yaw_rad[0], 2, 1e-12);
}

/* Mean resultant lengths I1/I0: Mardia & Jupp 2000, appendix 2.1. */
static void headings_spread_as_the_von_mises_does(void **state)
{
    (void)state;
    static const double kappas[] = {0, 0.5, 1, 2, 5, 20},
                        resultants[] = {0, 0.2425, 0.4464, 0.6978, 0.8934, 0.9747};
    static pov_scene scene;
    static pov_world world;
    const pov_id ids[] = {1};
    unsure_scene(&scene);
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        scene.entities[1].heading = pov_heading_single(2, kappas[i]);
        for (int k = 0; k < POV_WORLDS; k++) {
            pov_world_sample(&world, &scene, ids, 1, k);
            sum += cos(world.yaw_rad[0] - 2) / POV_WORLDS;
        }
        assert_near(sum, resultants[i], 0.045);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_the_means_and_covariances_they_should),
        cmocka_unit_test(what_is_sure_is_one_world),
        cmocka_unit_test(headings_spread_as_the_von_mises_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
