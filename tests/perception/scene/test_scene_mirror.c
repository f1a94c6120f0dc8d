/* The oracle is the picture: a point of the reflected world is where the mirrored picture shows it; and Monte-Carlo for what errors do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/random.h"
#include "perception/scene/scene_mirror.h"
#include "tests/support/comfort_scene.h"
#include "tests/support/near.h"

#include <string.h>

/* Where a camera at an entity's pose sees a point, in units of its focal length. */
static void project(double at[2], const pov_scene *scene, pov_vec3 p)
{
    const pov_entity *camera = &scene->entities[scene->camera];
    const pov_vec3 seen =
        pov_rot_apply(pov_rot_transpose(camera->R_table_box), pov_vec3_sub(p, camera->position.mean_m));
    at[0] = seen.x / seen.z;
    at[1] = seen.y / seen.z;
}

static void a_scene(pov_scene *scene, pov_vec3 eye, pov_vec3 up)
{
    pov_id id;
    comfort_scene(scene, 37, 291);
    scene->len = 3;
    const pov_pose camera = pov_pose_exact(pov_transform_look_at(eye, (pov_vec3){0.3, -0.2, 0.4}, up));
    assert_int_equal(pov_scene_add_camera(scene, &camera).code, POV_OK);
    (void)id;
    for (int i = 0; i < 3; i++)
        scene->entities[i].size_m = (pov_vec3){1 + i, 0.5, 0.7};
    scene->entities[RELATUM].R_table_box = pov_rot_yaw(scene->entities[RELATUM].heading.mode[0].yaw_rad);
}

static void the_reflected_worlds_picture_is_the_mirrored_picture(void **state)
{
    (void)state;
    const pov_vec3 eyes[] = {{8, 0, 4}, {-3, 5, 2}, {0.3, -0.2, 9}, {4, 4, 7}},
                   ups[] = {{0, 0, 1}, {0, 0.2, 1}, {1, 1, 0}, {1, -1, 0}};
    for (int c = 0; c < 4; c++) {
        static pov_scene scene;
        pov_mirrored_scene mirrored;
        a_scene(&scene, eyes[c], ups[c]);
        pov_scene_mirror(&mirrored, &scene);
        assert_true(pov_rot_is_valid(mirrored.scene.entities[CAMERA].R_table_box, 1e-9));
        for (int i = 0; i < 3; i++) {
            const pov_entity *was = &scene.entities[i], *is = &mirrored.scene.entities[i];
            double at[2], expected[2];
            assert_true(pov_rot_is_valid(is->R_table_box, 1e-9));
            assert_near(is->position.mean_m.z, was->position.mean_m.z, 1e-9);
            for (int k = 0; k < 8; k++) { /* the box's corners: its left is its right now */
                const pov_vec3 corner = {(k & 1 ? 1 : -1) * was->size_m.x / 2,
                                         (k & 2 ? 1 : -1) * was->size_m.y / 2,
                                         (k & 4 ? 1 : -1) * was->size_m.z / 2},
                               other = {corner.x, -corner.y, corner.z};
                project(expected, &scene,
                        pov_vec3_add(was->position.mean_m, pov_rot_apply(was->R_table_box, corner)));
                project(at, &mirrored.scene,
                        pov_vec3_add(is->position.mean_m, pov_rot_apply(is->R_table_box, other)));
                assert_near(at[0], -expected[0], 1e-9);
                assert_near(at[1], expected[1], 1e-9);
            }
            for (int m = 0; m < was->heading.len; m++) { /* a step ahead */
                const double a = was->heading.mode[m].yaw_rad, b = is->heading.mode[m].yaw_rad;
                project(expected, &scene, pov_vec3_add(was->position.mean_m, (pov_vec3){cos(a), sin(a), 0}));
                project(at, &mirrored.scene,
                        pov_vec3_add(is->position.mean_m, (pov_vec3){cos(b), sin(b), 0}));
                assert_near(at[0], -expected[0], 1e-9);
                assert_near(at[1], expected[1], 1e-9);
            }
        }
        pov_mirrored_scene_free(&mirrored);
    }
}

/* perspective x convention x relation x 36 angles */
static void left_and_right_swap_in_every_frame_and_nothing_else_does(void **state)
{
    (void)state;
    static const pov_relation swapped[] = {[POV_LEFT_OF] = POV_RIGHT_OF,
                                           [POV_RIGHT_OF] = POV_LEFT_OF,
                                           [POV_IN_FRONT_OF] = POV_IN_FRONT_OF,
                                           [POV_BEHIND] = POV_BEHIND};
    const pov_judging judging = POV_JUDGING_DEFAULT;
    for (int angle = 0; angle < 36; angle++) {
        static pov_scene scene;
        pov_mirrored_scene mirrored;
        comfort_scene(&scene, 10 * angle + 3, 7 * angle);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                scene.entities[i].position.own_cov_m2[k][k] = 0.02 * (k + 1);
        scene.entities[WOMAN].heading = pov_heading_single(70 * deg, 20);
        pov_scene_mirror(&mirrored, &scene);
        for (int p = 0; p < 3; p++)
            for (int c = 0; c < POV_CONVENTION_COUNT; c++)
                for (int r = POV_LEFT_OF; r <= POV_BEHIND; r++) {
                    const pov_perspective perspective = p == 0   ? POV_EGOCENTRIC
                                                        : p == 1 ? POV_ADDRESSEE
                                                                 : POV_INTRINSIC;
                    const pov_convention convention =
                        perspective == POV_INTRINSIC ? POV_NO_CONVENTION : (pov_convention)c;
                    const pov_query query = comfort_query((pov_relation)r, perspective, convention),
                                    other = comfort_query(swapped[r], perspective, convention);
                    pov_judgment was, is;
                    assert_int_equal(pov_relation_evaluate(&was, &scene, &query, &judging), POV_OK);
                    assert_int_equal(pov_relation_evaluate(&is, &mirrored.scene, &other, &judging), POV_OK);
                    assert_near(is.belief.p, was.belief.p, 1e-6);
                }
        pov_mirrored_scene_free(&mirrored);
    }
}

static double draw(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += pov_random_fraction(pov_random_next(state));
    return sum;
}

/* Errors of the camera's pose move what is seen through it: in the reflected world they move the reflection. */
static void what_the_camera_pose_does_is_reflected(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_mirrored_scene mirrored;
    a_scene(&scene, (pov_vec3){-3, 5, 2}, (pov_vec3){0, 0, 1});
    uint64_t lot = 7;
    pov_entity *car = &scene.entities[RELATUM];
    double root[6][6];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            root[i][k] = 0.01 * draw(&lot);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int l = 0; l < 6; l++)
                scene.camera_pose_cov[i][k] += root[i][l] * root[k][l];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            car->position.per_camera_pose[i][k] = draw(&lot);
    pov_scene_mirror(&mirrored, &scene);
    double was[3][3], is[3][3];
    pov_scene_position_cov(&scene, was, &car->position);
    pov_scene_position_cov(&mirrored.scene, is, &mirrored.scene.entities[RELATUM].position);
    /* Of any level direction, and of up: the variance along it is that along its reflection. */
    for (int i = 0; i < 36; i++) {
        const double a = 10 * i * deg;
        const pov_vec3 ahead = {cos(a), sin(a), 0.3}, origin = scene.entities[CAMERA].position.mean_m;
        pov_scene probe = scene;
        probe.entities[0].position.mean_m = pov_vec3_add(origin, ahead);
        pov_mirrored_scene reflected;
        pov_scene_mirror(&reflected, &probe);
        const pov_vec3 to = pov_vec3_sub(reflected.scene.entities[0].position.mean_m, origin);
        const double u[3] = {ahead.x, ahead.y, ahead.z}, v[3] = {to.x, to.y, to.z};
        double before = 0, after = 0;
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) {
                before += u[k] * was[k][l] * u[l];
                after += v[k] * is[k][l] * v[l];
            }
        assert_near(after, before, 1e-9);
        pov_mirrored_scene_free(&reflected);
    }
    pov_mirrored_scene_free(&mirrored);
}

static void a_body_is_turned_over_and_twice_is_as_before(void **state)
{
    (void)state;
    static const float vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    static const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const pov_mesh mesh = {4, 4, vertices, triangles};
    static pov_scene scene;
    pov_mirrored_scene once, twice;
    a_scene(&scene, (pov_vec3){8, 1, 4}, (pov_vec3){0, 0, 1});
    scene.entities[RELATUM].shape = POV_SHAPE_MESH;
    scene.entities[RELATUM].mesh = &mesh;
    pov_scene_mirror(&once, &scene);
    pov_scene_mirror(&twice, &once.scene);
    const pov_mesh *other = once.scene.entities[RELATUM].mesh, *same = twice.scene.entities[RELATUM].mesh;
    double volume = 0; /* positive: its triangles look outward */
    for (int i = 0; i < 4; i++) {
        pov_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            const float *v = other->vertices_m[other->triangles[i][k]];
            p[k] = (pov_vec3){v[0], v[1], v[2]};
        }
        volume += pov_vec3_dot(p[0], pov_vec3_cross(p[1], p[2])) / 6;
    }
    assert_near(volume, 1, 1e-9);
    assert_near(other->vertices_m[2][1], -2, 0);
    assert_memory_equal(same->vertices_m, vertices, sizeof vertices);
    for (int i = 0; i < 4; i++) {
        const pov_entity *a = &scene.entities[i], *b = &twice.scene.entities[i];
        assert_near(pov_vec3_norm(pov_vec3_sub(a->position.mean_m, b->position.mean_m)), 0, 1e-9);
        assert_near(a->heading.len ? pov_angle_wrap(a->heading.mode[0].yaw_rad - b->heading.mode[0].yaw_rad)
                                   : 0,
                    0, 1e-9);
    }
    pov_mirrored_scene_free(&twice);
    pov_mirrored_scene_free(&once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reflected_worlds_picture_is_the_mirrored_picture),
        cmocka_unit_test(left_and_right_swap_in_every_frame_and_nothing_else_does),
        cmocka_unit_test(what_the_camera_pose_does_is_reflected),
        cmocka_unit_test(a_body_is_turned_over_and_twice_is_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
