#include "perception/scene/imagined_viewer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perception/geometry/linalg.h"
#include "perception/visibility/visibility.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

static pov_scene scene, before;

static pov_id add(const char *name, pov_vec3 centre_m, pov_vec3 size_m)
{
    pov_id id;
    pov_entity entity = pov_entity_named(name, name);
    entity.placed = true;
    entity.position.mean_m = centre_m;
    entity.size_m = size_m;
    assert_int_equal(pov_scene_add(&scene, &id, &entity).code, POV_OK);
    return id;
}

static pov_id add_person(pov_vec3 centre_m)
{
    const pov_id id = add("ann", centre_m, (pov_vec3){0.3, 0.5, 1.7});
    pov_entity *person = &scene.entities[id];
    person->addressee = person->can_see = true;
    person->heading = pov_heading_single(1, 100);
    person->field = (pov_field_of_view){.shape = POV_FIELD_CONE,
                                        .half_horizontal_rad = 80 * POV_DEG,
                                        .half_vertical_rad = 60 * POV_DEG,
                                        .far_m = INFINITY,
                                        .eye_m = {0.1, 0, 0.7}};
    return id;
}

static void a_viewer_stands_at_one_thing_and_faces_another(void **state)
{
    (void)state;
    pov_scene_clear(&scene);
    const pov_id stove = add("stove", (pov_vec3){1, 2, 0.45}, (pov_vec3){0.6, 0.6, 0.9});
    const pov_id tv = add("tv", (pov_vec3){1, 5, 1}, (pov_vec3){0.1, 1.2, 0.7});
    const pov_id ann = add_person((pov_vec3){-3, 0, 0.85});
    assert_int_equal(pov_scene_imagine(&scene, ann, stove, tv).code, POV_OK);
    const pov_entity *e = &scene.entities[ann];
    assert_near(e->position.mean_m.x, 1, 1e-12);
    assert_near(e->position.mean_m.y, 2, 1e-12);
    assert_near(e->position.mean_m.z, 0.85, 1e-12);
    assert_int_equal(e->heading.len, 1);
    assert_near(e->heading.mode[0].yaw_rad, POV_PI / 2, 1e-12);
    assert_true(e->is_imagined && e->imagined_at == stove && e->imagined_facing == tv);
}

/* The stove is as high as the eye: from its middle nothing could be seen. */
static void the_body_that_one_stands_at_does_not_hide_the_world(void **state)
{
    (void)state;
    const pov_seeing seeing = POV_SEEING_DEFAULT;
    pov_occlusion *occlusion;
    pov_visibility look;
    pov_scene_clear(&scene);
    const pov_id fridge = add("fridge", (pov_vec3){0, 0, 0.9}, (pov_vec3){0.6, 0.6, 1.8});
    const pov_id tv = add("tv", (pov_vec3){3, 3, 1.5}, (pov_vec3){0.3, 0.3, 0.3});
    const pov_id ann = add_person((pov_vec3){-3, 0, 0.85});
    assert_int_equal(pov_scene_imagine(&scene, ann, fridge, tv).code, POV_OK);
    assert_int_equal(pov_occlusion_new(&occlusion).code, POV_OK);
    assert_int_equal(pov_occlusion_update(occlusion, &scene).code, POV_OK);
    assert_int_equal(pov_visibility_evaluate(occlusion, &look, ann, tv, &seeing), POV_OK);
    assert_near(look.fraction_visible, 1, 0.01);
    pov_occlusion_destroy(&occlusion);
}

/* The camera looks level, toward what it faces. */
static void the_camera_may_be_imagined_elsewhere(void **state)
{
    (void)state;
    pov_scene_clear(&scene);
    const pov_pose pose = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -3, 1.5}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    assert_int_equal(pov_scene_add_camera(&scene, &pose).code, POV_OK);
    const pov_id car = add("car", (pov_vec3){2, 0, 0.1}, (pov_vec3){0.1, 0.1, 0.1});
    const pov_id cup = add("cup", (pov_vec3){0, 0, 0.1}, (pov_vec3){0.1, 0.1, 0.1});
    assert_int_equal(pov_scene_imagine(&scene, scene.camera, car, cup).code, POV_OK);
    const pov_entity *e = &scene.entities[scene.camera];
    assert_near(e->position.mean_m.x, 2, 1e-12);
    assert_near(e->position.mean_m.z, 1.5, 1e-12);
    assert_near(fabs(e->heading.mode[0].yaw_rad), POV_PI, 1e-12);
    const pov_vec3 axis = pov_rot_apply(e->R_table_box, (pov_vec3){0, 0, 1});
    assert_near(axis.x, -1, 1e-12);
    assert_near(axis.z, 0, 1e-12);
}

/* Method: the yaw's spread over draws of both ends, which share the camera's error. */
static void the_heading_is_as_unsure_as_both_ends(void **state)
{
    (void)state;
    pov_scene_clear(&scene);
    pov_pose pose = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -3, 1.5}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    pose.cov[2][2] = 0.03 * 0.03; /* the yaw of all, about the table's origin */
    pose.cov[3][3] = 0.02 * 0.02; /* moves both: no turn */
    assert_int_equal(pov_scene_add_camera(&scene, &pose).code, POV_OK);
    const pov_id car = add("car", (pov_vec3){1, 0.5, 0}, (pov_vec3){0.1, 0.1, 0.1});
    const pov_id cup = add("cup", (pov_vec3){-0.2, 1.3, 0}, (pov_vec3){0.1, 0.1, 0.1});
    const pov_id ann = add_person((pov_vec3){0, 4, 0.8});
    for (pov_id id = car; id <= cup; id++) {
        pov_position *p = &scene.entities[id].position;
        p->own_cov_m2[0][0] = id == car ? 0.03 * 0.03 : 0.01 * 0.01;
        p->own_cov_m2[1][1] = 0.02 * 0.02;
        p->per_camera_pose[0][2] = -p->mean_m.y; /* rotation about z */
        p->per_camera_pose[1][2] = p->mean_m.x;
        p->per_camera_pose[0][3] = 1;
    }
    assert_int_equal(pov_scene_imagine(&scene, ann, car, cup).code, POV_OK);
    test_random random = {7};
    double sum = 0, square = 0;
    enum { DRAWS = 200000 };
    for (int i = 0; i < DRAWS; i++) {
        const double turn = 0.03 * test_random_normal(&random), shift = 0.02 * test_random_normal(&random);
        const double ax = 1 - 0.5 * turn + shift + 0.03 * test_random_normal(&random);
        const double ay = 0.5 + turn + 0.02 * test_random_normal(&random);
        const double bx = -0.2 - 1.3 * turn + shift + 0.01 * test_random_normal(&random);
        const double by = 1.3 - 0.2 * turn + 0.02 * test_random_normal(&random);
        const double yaw = atan2(by - ay, bx - ax);
        sum += yaw / DRAWS;
        square += yaw * yaw / DRAWS;
    }
    const double std = sqrt(square - sum * sum), kappa = scene.entities[ann].heading.mode[0].kappa;
    assert_near(1 / sqrt(kappa), std, 0.03 * std);
    /* turned with the camera, it is 0.03; the rest is its own */
    assert_near(pov_heading_own_variance(&scene, ann), std * std - 0.03 * 0.03, 0.05 * std * std);
}

static void an_observer_is_a_person_without_a_body(void **state)
{
    (void)state;
    pov_id observer;
    pov_scene_clear(&scene);
    const pov_id car = add("car", (pov_vec3){1, 0, 0}, (pov_vec3){0.1, 0.1, 0.1});
    const pov_id cup = add("cup", (pov_vec3){0, 0, 0}, (pov_vec3){0.1, 0.1, 0.1});
    assert_int_equal(pov_scene_imagine_observer(&scene, &observer, "observer", car, cup).code, POV_OK);
    assert_int_equal(observer, 2);
    assert_true(scene.entities[observer].addressee && !scene.entities[observer].can_see);
    assert_near(scene.entities[observer].size_m.x, 0, 0);
}

static void what_cannot_be_imagined_is_refused_and_nothing_moves(void **state)
{
    (void)state;
    pov_id observer;
    pov_scene_clear(&scene);
    const pov_id car = add("car", (pov_vec3){1, 0, 0}, (pov_vec3){0.1, 0.1, 0.1});
    const pov_id lid = add("lid", (pov_vec3){1, 0, 0.3}, (pov_vec3){0.1, 0.1, 0.1});
    const pov_id lost = add("lost", (pov_vec3){0, 0, 0}, (pov_vec3){0.1, 0.1, 0.1});
    const pov_id ann = add_person((pov_vec3){0, 4, 0.8});
    scene.entities[lost].placed = false;
    before = scene;
    const pov_id wrong[][2] = {{car, car}, {car, lid}, {car, lost}, {lost, car}, {ann, car}, {car, ann}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(pov_scene_imagine(&scene, ann, wrong[i][0], wrong[i][1]).code, POV_ERROR);
        assert_memory_equal(&scene, &before, sizeof scene);
    }
    assert_int_equal(pov_scene_imagine_observer(&scene, &observer, "observer", car, lid).code, POV_ERROR);
    assert_int_equal(scene.len, before.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_viewer_stands_at_one_thing_and_faces_another),
        cmocka_unit_test(the_body_that_one_stands_at_does_not_hide_the_world),
        cmocka_unit_test(the_camera_may_be_imagined_elsewhere),
        cmocka_unit_test(the_heading_is_as_unsure_as_both_ends),
        cmocka_unit_test(an_observer_is_a_person_without_a_body),
        cmocka_unit_test(what_cannot_be_imagined_is_refused_and_nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
