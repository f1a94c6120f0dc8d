#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/scene/scene.h"
#include "tests/support/near.h"

#include <math.h>
#include <string.h>

static void entities_are_found_by_name_and_names_are_unique(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_scene_clear(&scene);
    pov_entity cup = pov_entity_named("cup", "cup");
    pov_id id;
    assert_int_equal(pov_scene_find(&scene, "cup"), POV_ID_NONE);
    assert_int_equal(pov_scene_add(&scene, &id, &cup).code, POV_OK);
    assert_int_equal(pov_scene_find(&scene, "cup"), id);
    pov_status twice = pov_scene_add(&scene, &id, &cup);
    assert_int_equal(twice.code, POV_ERROR);
    assert_non_null(strstr(twice.message, "duplicate id 'cup'"));
    assert_int_equal(id, POV_ID_NONE);
}

static void a_full_scene_refuses_more(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_scene_clear(&scene);
    pov_id id;
    for (int i = 0; i < POV_ENTITY_MAX; i++) {
        char name[2] = {(char)('0' + i), 0};
        pov_entity entity = pov_entity_named(name, "thing");
        assert_int_equal(pov_scene_add(&scene, &id, &entity).code, POV_OK);
    }
    pov_entity more = pov_entity_named("more", "thing");
    assert_int_equal(pov_scene_add(&scene, &id, &more).code, POV_ERROR);
    assert_int_equal(scene.len, POV_ENTITY_MAX);
}

/* Reference values of A(kappa) = I1/I0: Abramowitz & Stegun 1964, table 9.8 (e^-x I0, e^-x I1). */
static void kappa_has_the_resultant_of_the_wrapped_normal(void **state)
{
    (void)state;
    const struct {
        double kappa, i0, i1;
    } table[] = {{1, 0.4657596, 0.2079104},
                 {2, 0.3085083, 0.2152693},
                 {5, 0.1835408, 0.1639723},
                 {10, 0.1278333, 0.1212627}};
    for (int i = 0; i < 4; i++) {
        double std_rad = sqrt(-2 * log(table[i].i1 / table[i].i0));
        assert_near(pov_kappa_from_std(std_rad) / table[i].kappa, 1, 0.02);
    }
    assert_near(pov_kappa_from_std(0.01), 1e4, 2);
    assert_near(pov_kappa_from_std(0), 1e12, 0);
    assert_true(pov_kappa_from_std(10) < 1e-6);
}

static double camera_yaw(pov_vec3 eye, pov_vec3 target, pov_vec3 up)
{
    static pov_scene scene;
    pov_scene_clear(&scene);
    pov_pose pose = pov_pose_exact(pov_transform_look_at(eye, target, up));
    assert_int_equal(pov_scene_add_camera(&scene, &pose).code, POV_OK);
    assert_int_equal(scene.entities[scene.camera].heading.len, 1);
    return scene.entities[scene.camera].heading.mode[0].yaw_rad;
}

static void a_camera_heads_where_it_looks_even_straight_down(void **state)
{
    (void)state;
    pov_vec3 z = {0, 0, 1}, y = {0, 1, 0};
    assert_near(camera_yaw((pov_vec3){0, 0, 1}, (pov_vec3){3, 3, 0}, z), POV_PI / 4, 1e-12);
    assert_near(camera_yaw((pov_vec3){0, 0, 9}, (pov_vec3){0, 1, 0}, z), POV_PI / 2, 1e-12);
    assert_near(camera_yaw((pov_vec3){0, 0, 9}, (pov_vec3){0, 0, 0}, y), POV_PI / 2, 1e-12);
    assert_near(camera_yaw((pov_vec3){0, 0, 0}, (pov_vec3){0, 1, 9}, z), POV_PI / 2, 1e-12);
}

/* However it is mounted: on its side, upside down. */
static void a_camera_heads_along_its_axis_whatever_its_roll(void **state)
{
    (void)state;
    static pov_scene scene;
    const double deg = POV_PI / 180;
    for (int tilt_deg = -75; tilt_deg <= 75; tilt_deg += 5)
        for (int roll_deg = 0; roll_deg < 360; roll_deg += 45) {
            const pov_vec3 axis = {cos(tilt_deg * deg) * cos(0.7), cos(tilt_deg * deg) * sin(0.7),
                                   -sin(tilt_deg * deg)};
            pov_pose pose = pov_pose_exact(pov_transform_look_at((pov_vec3){0}, axis, (pov_vec3){0, 0, 1}));
            pose.T.R = pov_rot_mul(pov_rot_exp(pov_vec3_scale(axis, roll_deg * deg)), pose.T.R);
            pov_scene_clear(&scene);
            assert_int_equal(pov_scene_add_camera(&scene, &pose).code, POV_OK);
            assert_near(scene.entities[scene.camera].heading.mode[0].yaw_rad, 0.7, 1e-9);
        }
}

static void a_cameras_heading_is_as_sure_as_its_pose(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_scene_clear(&scene);
    pov_pose pose =
        pov_pose_exact(pov_transform_look_at((pov_vec3){5, 0, 3}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    pose.cov[2][2] = 0.05 * 0.05; /* about the vertical */
    assert_int_equal(pov_scene_add_camera(&scene, &pose).code, POV_OK);
    assert_near(sqrt(1 / scene.entities[scene.camera].heading.mode[0].kappa), 0.05, 1e-4);
}

static void a_positions_covariance_is_its_own_and_what_the_camera_pose_adds(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_scene_clear(&scene);
    pov_position position = {.own_cov_m2 = {{4, 1, 0}, {1, 9, 0}, {0, 0, 1}}};
    position.per_camera_pose[0][0] = 2;
    position.per_camera_pose[1][3] = 1;
    scene.camera_pose_cov[0][0] = 3;
    scene.camera_pose_cov[3][3] = 5;
    scene.camera_pose_cov[0][3] = scene.camera_pose_cov[3][0] = 1;
    double cov[3][3];
    pov_scene_position_cov(&scene, cov, &position);
    const double expected[3][3] = {{16, 3, 0}, {3, 14, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(cov[i][j], expected[i][j], 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entities_are_found_by_name_and_names_are_unique),
        cmocka_unit_test(a_full_scene_refuses_more),
        cmocka_unit_test(kappa_has_the_resultant_of_the_wrapped_normal),
        cmocka_unit_test(a_camera_heads_where_it_looks_even_straight_down),
        cmocka_unit_test(a_camera_heads_along_its_axis_whatever_its_roll),
        cmocka_unit_test(a_cameras_heading_is_as_sure_as_its_pose),
        cmocka_unit_test(a_positions_covariance_is_its_own_and_what_the_camera_pose_adds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
