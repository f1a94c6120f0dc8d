#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/visible_scene.h"

static pov_occlusion *occlusion;

static int set_up(void **state)
{
    (void)state;
    return pov_occlusion_new(&occlusion).code == POV_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pov_occlusion_destroy(&occlusion);
    return 0;
}

/* A cube of 0.1 m, 10 m from an eye that looks at its face, and before it a flat screen that covers its left part up to a
 * share q of its width. Each may be doubtful. */
static pov_visibility look_past_a_screen(double q, double target_doubt, double screen_doubt,
                                         double screen_width_m)
{
    pov_scene scene;
    pov_scene_clear(&scene);
    const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, test_all_around());
    const pov_id cube = test_add_box(&scene, "cube", (pov_vec3){10.05, 0, 0}, (pov_vec3){0.1, 0.1, 0.1});
    const double edge_m = 0.05 - 0.1 * q; /* left is +y: covered is y above this, at the cube's face */
    const pov_id screen =
        test_add_box(&scene, "screen", (pov_vec3){9.95, edge_m * 9.95 / 10 + screen_width_m / 2, 0},
                     (pov_vec3){1e-4, screen_width_m, 2});
    scene.entities[cube].shape_doubt = target_doubt;
    scene.entities[screen].shape_doubt = screen_doubt;
    return test_look(occlusion, &scene, eye, cube);
}

/* By the definition: the cube's sides begin a and b of the width deeper, each even in [0, doubt]. */
static double p_of_even_sides(double q, double doubt, double enough)
{
    enum { STEPS = 400 };
    int seen = 0;
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            const double a = doubt * (i + 0.5) / STEPS, b = doubt * (j + 0.5) / STEPS;
            const double visible = fmax(0, 1 - b - fmax(q, a));
            seen += visible / (1 - a - b) >= enough;
        }
    return seen / (double)(STEPS * STEPS);
}

/* Three bodies in ten fill their boxes well. */
static double p_by_integration(double q, double doubt, double enough)
{
    return 0.3 * p_of_even_sides(q, 0.3 * doubt, enough) + 0.7 * p_of_even_sides(q, doubt, enough);
}

static void p_of_a_body_that_only_its_box_tells_is_the_share_of_possible_bodies(void **state)
{
    (void)state;
    for (int i = 0; i <= 10; i++) {
        const double q = 0.5 + 0.05 * i;
        assert_near(look_past_a_screen(q, 0.3, 0, 1).sees.p, p_by_integration(q, 0.3, 0.2), 0.04);
    }
}

static void a_screen_of_unknown_shape_may_end_before_its_box_does(void **state)
{
    (void)state;
    /* the edge is even in [0, 0.3] of 0.4 m nearer the middle, q even in [1, -0.2]; well filled: in [1, 0.64]. Seen if q <=
     * 0.8 */
    assert_near(look_past_a_screen(1, 0, 0.3, 0.4).sees.p, 0.7 * (1 / 1.2) + 0.3 * (0.16 / 0.36), 0.04);
    assert_near(look_past_a_screen(1.6, 0, 0.3, 0.4).sees.p, 0.7 * (0.4 / 1.2), 0.04);
    assert_int_equal(look_past_a_screen(3, 0, 0.3, 0.6).sees.verdict, POV_FALSE); /* far from any edge */
}

static void known_shapes_leave_no_doubt(void **state)
{
    (void)state;
    assert_near(look_past_a_screen(0.79, 0, 0, 1).sees.p, 1, 0);
    assert_near(look_past_a_screen(0.81, 0, 0, 1).sees.p, 0, 0);
}

static void what_is_in_plain_view_is_seen_whatever_its_shape(void **state)
{
    (void)state;
    const pov_visibility v = look_past_a_screen(-1, 0.3, 0.3, 0.4);
    assert_near(v.sees.p, 1, 0);
    assert_near(v.fraction_expected, 1, 0);
}

/* A mesh that is a box is seen as that box is. */
static void a_mesh_is_seen_as_the_box_that_it_is(void **state)
{
    (void)state;
    static const float corners[8][3] = {
        {-0.05F, -0.05F, -0.05F}, {0.05F, -0.05F, -0.05F}, {0.05F, 0.05F, -0.05F}, {-0.05F, 0.05F, -0.05F},
        {-0.05F, -0.05F, 0.05F},  {0.05F, -0.05F, 0.05F},  {0.05F, 0.05F, 0.05F},  {-0.05F, 0.05F, 0.05F}};
    static const uint32_t triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                              {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                              {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    const pov_mesh mesh = {8, 12, corners, triangles};
    for (int turn = 0; turn < 5; turn++) {
        double fraction[2];
        for (int is_mesh = 0; is_mesh < 2; is_mesh++) {
            pov_scene scene;
            pov_scene_clear(&scene);
            const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0.1}, 0, test_all_around());
            const pov_id cube =
                test_add_box(&scene, "cube", (pov_vec3){1, 0.2, 0}, (pov_vec3){0.1, 0.1, 0.1});
            const pov_id post =
                test_add_box(&scene, "post", (pov_vec3){0.8, 0.18, 0}, (pov_vec3){0.1, 0.1, 0.1});
            for (pov_id id = cube; id <= post; id++) {
                scene.entities[id].R_table_box = pov_rot_yaw(0.3 * turn * id);
                scene.entities[id].shape = is_mesh ? POV_SHAPE_MESH : POV_SHAPE_BOX;
                scene.entities[id].mesh = is_mesh ? &mesh : NULL;
            }
            for (int again = 0; again < 2; again++) /* a second image: the mesh is moved, not built */
                fraction[is_mesh] = test_look(occlusion, &scene, eye, cube).fraction_visible;
        }
        assert_near(fraction[1], fraction[0], 0.01);
        assert_true(fraction[0] > 0.05 && fraction[0] < 0.95);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_of_a_body_that_only_its_box_tells_is_the_share_of_possible_bodies),
        cmocka_unit_test(a_screen_of_unknown_shape_may_end_before_its_box_does),
        cmocka_unit_test(known_shapes_leave_no_doubt),
        cmocka_unit_test(what_is_in_plain_view_is_seen_whatever_its_shape),
        cmocka_unit_test(a_mesh_is_seen_as_the_box_that_it_is),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
