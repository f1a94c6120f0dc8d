#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/occlusion_fixture.h"
#include "tests/support/random.h"
#include "tests/support/sphere_caps.h"
#include "tests/support/visible_scene.h"

#include <string.h>

/* Of fractions. */
static const double tolerance = 0.005;

/* Does a ray from the origin pass within r of the segment from p to q? By search along the segment. */
static bool ray_meets_capsule(pov_vec3 direction, pov_vec3 p, pov_vec3 q, double r)
{
    double best = INFINITY, low = 0, high = 1;
    for (int i = 0; i < 60; i++) { /* the distance to a line is convex along a segment */
        const double s[2] = {low + (high - low) / 3, high - (high - low) / 3};
        double distance[2];
        for (int k = 0; k < 2; k++) {
            pov_vec3 point = pov_vec3_add(p, pov_vec3_scale(pov_vec3_sub(q, p), s[k]));
            distance[k] = pov_vec3_norm(pov_vec3_cross(point, direction));
        }
        best = fmin(best, fmin(distance[0], distance[1]));
        *(distance[0] < distance[1] ? &high : &low) = distance[0] < distance[1] ? s[1] : s[0];
    }
    return best <= r;
}

static void a_capsule_is_as_large_as_random_rays_say(void **state)
{
    (void)state;
    test_random random = {3};
    const pov_id eye = eye_at_origin();
    pov_entity pill =
        test_body("pill", POV_SHAPE_CAPSULE, (pov_vec3){1.5, 0.2, 0.3}, (pov_vec3){0.5, 0.5, 1.4});
    pill.R_table_box = pov_rot_exp((pov_vec3){0.5, 0.7, -0.2});
    const pov_id target = test_add(&scene, &pill);
    const pov_vec3 half = pov_rot_apply(pill.R_table_box, (pov_vec3){0, 0, 0.45});
    const pov_vec3 p = pov_vec3_add(pill.position.mean_m, half), q = pov_vec3_sub(pill.position.mean_m, half);
    int hits = 0;
    enum { DRAWS = 100000 };
    for (int i = 0; i < DRAWS; i++) { /* uniform over the half-sphere ahead */
        const double x = test_random_between(&random, 0, 1),
                     phi = test_random_between(&random, 0, 2 * POV_PI);
        const double s = sqrt(1 - x * x);
        hits += ray_meets_capsule((pov_vec3){x, s * cos(phi), s * sin(phi)}, p, q, 0.25);
    }
    const double solid_angle = 2 * POV_PI * hits / DRAWS;
    const double size = test_look(occlusion, &scene, eye, target).size_rad;
    assert_near(2 * POV_PI * (1 - cos(size / 2)), solid_angle, 0.015 * solid_angle);
}

/* ---- meshes ---- */

enum { RINGS = 48, SECTORS = 96 };
static float globe_vertices[(RINGS + 1) * SECTORS][3];
static uint32_t globe_triangles[2 * RINGS * SECTORS][3];

static pov_mesh globe(double radius)
{
    for (int i = 0; i <= RINGS; i++)
        for (int j = 0; j < SECTORS; j++) {
            const double polar = POV_PI * i / RINGS, azimuth = 2 * POV_PI * j / SECTORS;
            float *v = globe_vertices[i * SECTORS + j];
            v[0] = (float)(radius * sin(polar) * cos(azimuth));
            v[1] = (float)(radius * sin(polar) * sin(azimuth));
            v[2] = (float)(radius * cos(polar));
        }
    for (uint32_t i = 0, n = 0; i < RINGS; i++)
        for (uint32_t j = 0; j < SECTORS; j++) {
            const uint32_t a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS, c = a + SECTORS,
                           d = b + SECTORS;
            memcpy(globe_triangles[n++], (uint32_t[]){a, c, b}, sizeof globe_triangles[0]);
            memcpy(globe_triangles[n++], (uint32_t[]){b, c, d}, sizeof globe_triangles[0]);
        }
    return (pov_mesh){(RINGS + 1) * SECTORS, 2 * RINGS * SECTORS, (const float(*)[3])globe_vertices,
                      (const uint32_t(*)[3])globe_triangles};
}

static const float cube_vertices[8][3] = {{-0.1F, -0.2F, -0.3F}, {0.1F, -0.2F, -0.3F}, {-0.1F, 0.2F, -0.3F},
                                          {0.1F, 0.2F, -0.3F},   {-0.1F, -0.2F, 0.3F}, {0.1F, -0.2F, 0.3F},
                                          {-0.1F, 0.2F, 0.3F},   {0.1F, 0.2F, 0.3F}};
static const uint32_t cube_triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                               {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                               {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static void a_mesh_is_seen_and_hides_like_the_same_primitive(void **state)
{
    (void)state;
    const pov_mesh cube = {8, 12, cube_vertices, cube_triangles}, ball = globe(0.3);
    const pov_entity shapes[2][2] = {
        {test_body("body", POV_SHAPE_BOX, toward(0.2, 0.1, 3), (pov_vec3){0.2, 0.4, 0.6}),
         test_body("body", POV_SHAPE_MESH, toward(0.2, 0.1, 3), (pov_vec3){0.2, 0.4, 0.6})},
        {test_body("body", POV_SHAPE_SPHERE, toward(0.2, 0.1, 3), (pov_vec3){0.6, 0.6, 0.6}),
         test_body("body", POV_SHAPE_MESH, toward(0.2, 0.1, 3), (pov_vec3){0.6, 0.6, 0.6})}};
    for (int shape = 0; shape < 2; shape++) {
        pov_visibility as_target[2], as_occluder[2];
        for (int is_mesh = 0; is_mesh < 2; is_mesh++) {
            pov_scene_clear(&scene);
            pov_entity body = shapes[shape][is_mesh];
            body.mesh = !is_mesh ? NULL : shape == 0 ? &cube : &ball;
            body.R_table_box = pov_rot_exp((pov_vec3){0.3, -0.4, 0.9});
            const pov_id eye = eye_at_origin(), target = test_add(&scene, &body);
            test_add_sphere(&scene, "front", toward(0.25, 0.12, 1.5), 0.1);
            const pov_id back = test_add_sphere(&scene, "back", toward(0.18, 0.15, 6), 0.9);
            as_target[is_mesh] = test_look(occlusion, &scene, eye, target);
            as_occluder[is_mesh] = test_look(occlusion, &scene, eye, back);
        }
        assert_near(as_target[1].fraction_visible, as_target[0].fraction_visible, 0.01);
        assert_near(as_target[1].size_rad, as_target[0].size_rad, 0.01 * as_target[0].size_rad);
        assert_near(as_occluder[1].fraction_visible, as_occluder[0].fraction_visible, tolerance);
        assert_in_range(as_target[0].fraction_visible * 100, 10, 90);
    }
}

/* A capsule without a tube and a mesh like a ball hide, and are hidden, as spheres are: by the lens of two caps. */
static void every_shape_of_a_ball_hides_and_is_hidden_by_the_same_lens(void **state)
{
    (void)state;
    const pov_shape shapes[] = {POV_SHAPE_SPHERE, POV_SHAPE_CAPSULE, POV_SHAPE_MESH};
    const pov_mesh mesh = globe(0.3);
    const double far_m = 3, near_m = 1.5, a = asin(0.3 / far_m), b = asin(0.3 / near_m);
    for (int pair = 0; pair < 9; pair++)
        for (int i = 0; i < 8; i++) {
            const double separation = 0.04 * i;
            pov_entity target =
                test_body("target", shapes[pair / 3], toward(0.4, 0.2, far_m), (pov_vec3){0.6, 0.6, 0.6});
            pov_entity front = test_body("front", shapes[pair % 3], toward(0.4, 0.2 + separation, near_m),
                                         (pov_vec3){0.6, 0.6, 0.6});
            target.mesh = target.shape == POV_SHAPE_MESH ? &mesh : NULL;
            front.mesh = front.shape == POV_SHAPE_MESH ? &mesh : NULL;
            pov_scene_clear(&scene);
            const pov_id eye = eye_at_origin(), id = test_add(&scene, &target);
            test_add(&scene, &front);
            const double exact = 1 - cap_overlap(a, b, separation) / (2 * POV_PI * (1 - cos(a)));
            assert_near(test_look(occlusion, &scene, eye, id).fraction_visible, exact, 0.01);
        }
}

/* Many bodies near one another take another way than few: the same to the eye. */
static void bodies_that_hide_nothing_change_nothing(void **state)
{
    (void)state;
    test_random random = {4};
    for (int i = 0; i < 30; i++) {
        pov_scene_clear(&scene);
        const pov_id eye = eye_at_origin();
        pov_entity box = test_body("target", POV_SHAPE_BOX, (pov_vec3){3, 0, 0}, (pov_vec3){1, 1, 1});
        box.R_table_box = pov_rot_exp((pov_vec3){0.1 * i, 0.2, 0});
        const pov_id target = test_add(&scene, &box);
        test_add_sphere(&scene, "front", (pov_vec3){1.5, 0.3, 0.02 * i}, 0.25);
        test_add_box(&scene, "side", (pov_vec3){1.5, -0.3, 0.02 * i}, (pov_vec3){0.2, 0.3, 0.3});
        const double few = test_look(occlusion, &scene, eye, target).fraction_visible;
        for (int k = 0; k < 40; k++) { /* inside the two */
            const char name[] = {'b', (char)('0' + k / 10), (char)('0' + k % 10), 0};
            const pov_vec3 off = {test_random_between(&random, -0.05, 0.05), k % 2 ? 0.3 : -0.3, 0.02 * i};
            test_add_sphere(&scene, name, pov_vec3_add((pov_vec3){1.5, 0, 0}, off), 0.05);
        }
        assert_near(test_look(occlusion, &scene, eye, target).fraction_visible, few, 1e-6);
    }
}

/* From an eye almost in the plane of a side, or on it: nothing but numbers, and the sum is the exact solid angle. */
static void a_box_seen_edge_on_loses_nothing(void **state)
{
    (void)state;
    const double off[] = {0, 1e-12, 1e-9, 3e-8, 1e-7, 1e-6, 2.3e-5, 1e-4, 1e-3, 1e-2};
    for (int sign = -1; sign <= 1; sign += 2)
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < 10; j++) {
                pov_scene_clear(&scene);
                const pov_vec3 eye_m = {1.3, 0.2 + sign * off[i], 0.3 + sign * off[j]};
                const pov_id eye = test_add_eye(&scene, "eye", eye_m, 0, test_all_around());
                const pov_id box =
                    test_add_box(&scene, "box", (pov_vec3){0, 0, 0}, (pov_vec3){0.8, 0.4, 0.6});
                const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){0.9, 0.3, 0.4}, 0.05);
                const pov_visibility seen = test_look(occlusion, &scene, eye, box);
                assert_near(seen.fraction_visible + seen.fraction_hidden, 1, 1e-6);
                assert_true(seen.fraction_hidden < 0.1);
                assert_near(test_look(occlusion, &scene, eye, ball).fraction_visible, 1, 0);
            }
    /* on the box itself, inward and outward */
    for (int i = 0; i < 10; i++) {
        scene.entities[0].position.mean_m = (pov_vec3){0.4 - off[i], 0.05, 0.02};
        (void)test_look(occlusion, &scene, 0, 1);
        scene.entities[0].position.mean_m.x = 0.4 + off[i];
        const pov_visibility seen = test_look(occlusion, &scene, 0, 1);
        assert_near(seen.fraction_visible + seen.fraction_hidden, 1, 1e-6);
    }
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        EACH(a_capsule_is_as_large_as_random_rays_say),
        EACH(a_mesh_is_seen_and_hides_like_the_same_primitive),
        EACH(every_shape_of_a_ball_hides_and_is_hidden_by_the_same_lens),
        EACH(bodies_that_hide_nothing_change_nothing),
        EACH(a_box_seen_edge_on_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
