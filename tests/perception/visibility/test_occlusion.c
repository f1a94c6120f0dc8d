#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/occlusion_fixture.h"
#include "tests/support/visible_scene.h"

#include <string.h>

/* Of fractions. */
static const double tolerance = 0.005;

/* ---- bodies that touch, and eyes inside ---- */

static void nothing_leaks_between_boxes_that_touch(void **state)
{
    (void)state;
    for (int turn = 0; turn < 40; turn++) {
        pov_scene_clear(&scene);
        const pov_rot R = pov_rot_exp((pov_vec3){0.03 * turn, -0.02 * turn, 0.17 * turn});
        const pov_vec3 shift = {1.37 * turn, -0.71 * turn, 0.13 * turn};
        const pov_id eye = test_add_eye(&scene, "eye", shift, 0, test_all_around());
        pov_entity ball = test_body("ball", POV_SHAPE_SPHERE, (pov_vec3){2, 0, 0}, (pov_vec3){1, 1, 1});
        ball.position.mean_m = pov_vec3_add(shift, pov_rot_apply(R, ball.position.mean_m));
        const pov_id target = test_add(&scene, &ball);
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) { /* bricks; the sight line runs along their seams */
                const char name[] = {'b', (char)('0' + i), (char)('0' + j), 0};
                pov_entity brick =
                    test_body(name, POV_SHAPE_BOX, (pov_vec3){1, 0.3 * (i - 2) + 0.15, 0.3 * (j - 2) + 0.15},
                              (pov_vec3){0.1, 0.3, 0.3});
                brick.R_table_box = R;
                brick.position.mean_m = pov_vec3_add(shift, pov_rot_apply(R, brick.position.mean_m));
                test_add(&scene, &brick);
            }
        const pov_visibility seen = test_look(occlusion, &scene, eye, target);
        assert_near(seen.fraction_visible, 0, 0);
        assert_int_equal(seen.cause, POV_CAUSE_HIDDEN);
    }
}

static void what_stands_on_a_table_or_by_a_wall_is_all_there(void **state)
{
    (void)state;
    const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){2, 0.3, 0.7}, POV_PI, test_all_around());
    const pov_id cup = test_add_box(&scene, "cup", (pov_vec3){0, 0, 0.05}, (pov_vec3){0.1, 0.1, 0.1});
    test_add_box(&scene, "table", (pov_vec3){0, 0, -0.05}, (pov_vec3){3, 3, 0.1});
    test_add_box(&scene, "wall", (pov_vec3){-0.1, 0, 0.5}, (pov_vec3){0.1, 2, 1});
    test_add_box(&scene, "twin", (pov_vec3){0, -0.1, 0.05}, (pov_vec3){0.1, 0.1, 0.1});
    const pov_visibility seen = test_look(occlusion, &scene, eye, cup);
    assert_near(seen.fraction_visible, 1, 0);
    assert_int_equal(seen.sees.verdict, POV_TRUE);
    assert_int_equal(seen.cause, POV_CAUSE_NONE);
}

static void a_viewer_is_not_hidden_by_its_own_body(void **state)
{
    (void)state;
    const pov_shape shapes[] = {POV_SHAPE_BOX, POV_SHAPE_SPHERE, POV_SHAPE_CAPSULE};
    for (int i = 0; i < 3; i++) {
        pov_scene_clear(&scene);
        pov_entity person = test_body("person", shapes[i], (pov_vec3){0, 0, 0.9}, (pov_vec3){0.5, 0.5, 1.8});
        person.can_see = true;
        person.field = test_all_around();
        person.field.eye_m = (pov_vec3){0.1, 0, 0.1};
        const pov_id viewer = test_add(&scene, &person);
        const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){3, 0, 1}, 0.2);
        pov_visibility seen = test_look(occlusion, &scene, viewer, ball);
        assert_near(seen.fraction_visible, 1, 0);
        assert_int_equal(seen.occluder_len, 0);

        /* what she holds up inside her box does hide */
        const pov_id book = test_add_box(&scene, "book", (pov_vec3){0.2, 0, 1}, (pov_vec3){0.02, 0.2, 0.2});
        seen = test_look(occlusion, &scene, viewer, ball);
        assert_near(seen.fraction_visible, 0, 0);
        assert_int_equal(seen.occluders[0].id, book);

        /* and another's body around her hides what is outside of it, not what is in it */
        scene.entities[book].size_m = (pov_vec3){4, 4, 4};
        seen = test_look(occlusion, &scene, viewer, ball);
        assert_near(seen.fraction_visible, 0, 0);
        scene.entities[ball].position.mean_m.x = 1.5;
        assert_near(test_look(occlusion, &scene, viewer, ball).fraction_visible, 1, 0);
    }
}

static void a_target_around_the_eye_fills_the_whole_view(void **state)
{
    (void)state;
    pov_field_of_view cone = {
        .shape = POV_FIELD_CONE, .half_horizontal_rad = 1, .half_vertical_rad = 1, .far_m = INFINITY};
    const pov_shape shapes[] = {POV_SHAPE_BOX, POV_SHAPE_SPHERE, POV_SHAPE_CAPSULE};
    for (int i = 0; i < 3; i++) {
        pov_scene_clear(&scene);
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0.3, -0.2, 0.1}, 0.4, cone);
        pov_entity room = test_body("room", shapes[i], (pov_vec3){0, 0, 0}, (pov_vec3){4, 4, 6});
        const pov_id target = test_add(&scene, &room);
        pov_visibility seen = test_look(occlusion, &scene, eye, target);
        assert_near(seen.fraction_visible, (1 - cos(1)) / 2,
                    tolerance); /* the cone's share of all directions */
        assert_near(seen.size_rad, 2 * POV_PI, 1e-2);
        assert_int_equal(seen.sees.verdict, POV_TRUE);
        const double a = asin(0.5 / 1.2);
        test_add_sphere(&scene, "ball", pov_vec3_add((pov_vec3){0.3, -0.2, 0.1}, toward(0.4, 0, 1.2)), 0.5);
        seen = test_look(occlusion, &scene, eye, target);
        assert_near(seen.fraction_hidden, (1 - cos(a)) / 2, tolerance);
    }
}

/* ---- packets of rays through a mesh ---- */

/* What earlier calls left below the stack's end must not matter. */
static __attribute__((noinline)) void soil_the_stack(void)
{
    uint8_t waste[1 << 16];
    memset(waste, 0xa5, sizeof waste);
    __asm__ volatile("" : : "r"(waste) : "memory");
}

static void rays_to_all_sides_of_meshes_come_back(void **state)
{
    (void)state;
    static const float corners_m[3][3] = {{0, -5, -5}, {0, 15, -5}, {0, -5, 15}};
    static const uint32_t triangles[1][3] = {{0, 1, 2}};
    const pov_mesh mesh = {
        .vertices_m = corners_m, .triangles = triangles, .vertex_len = 3, .triangle_len = 1};
    for (int i = 0; i < 4; i++) { /* at x = 2, 1, 0 and -1 */
        const char name[] = {'w', (char)('0' + i), 0};
        pov_entity wall = test_body(name, POV_SHAPE_MESH, (pov_vec3){2 - i, 0, 0}, (pov_vec3){0.01, 10, 10});
        wall.mesh = &mesh;
        test_add(&scene, &wall);
    }
    assert_int_equal(pov_occlusion_update(occlusion, &scene).code, POV_OK);

    const pov_near_bodies too_many = {.len = POV_NEAR_MAX + 1};
    pov_ray_bundle bundle = {
        .near = &too_many, .eye_m = {1.5, 0, 0}, .ignored = {POV_ID_NONE, POV_ID_NONE, POV_ID_NONE}};
    bool hidden[POV_RAY_LANES];
    for (int i = 0; i < POV_RAY_LANES; i++) {
        bundle.direction[0][i] = i & 1 ? 1 : -1;
        bundle.direction[1][i] = i & 2 ? 0.1F : -0.1F;
        bundle.direction[2][i] = i & 4 ? 0.1F : -0.1F;
        bundle.reach_m[i] = i & 8 ? 1 : 0.4F;
        bundle.wanted[i] = true;
    }
    soil_the_stack();
    pov_occlusion_any(occlusion, hidden, &bundle);
    for (int i = 0; i < POV_RAY_LANES; i++)
        assert_int_equal(hidden[i], (i & 8) != 0); /* the next wall is half a metre away, either way */
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        EACH(nothing_leaks_between_boxes_that_touch), EACH(what_stands_on_a_table_or_by_a_wall_is_all_there),
        EACH(a_viewer_is_not_hidden_by_its_own_body), EACH(a_target_around_the_eye_fills_the_whole_view),
        EACH(rays_to_all_sides_of_meshes_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
