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

/* Exact fractions are asked for within 0.01; the nets are better. */
static const double tolerance = 0.005;

/* ---- exact fractions ---- */

/* Solid angle of a rectangle 2a x 2b seen from d over its middle: Khadjavi 1968. */
static double plate(double a, double b, double d)
{
    return 4 * atan(a * b / (d * sqrt(a * a + b * b + d * d)));
}

static void a_sphere_hides_a_lens_of_the_sphere_behind_it(void **state)
{
    (void)state;
    for (int i = 0; i <= 24; i++)
        for (int size = 0; size < 3; size++) {
            const double near_m = 1 + 0.3 * size, far_m = 3, separation = 0.02 * i, r_near = 0.1 + 0.1 * size;
            pov_scene_clear(&scene);
            const pov_id eye = eye_at_origin();
            const pov_id ball = test_add_sphere(&scene, "ball", toward(1.1, 0.3, far_m), 0.6);
            const pov_id front =
                test_add_sphere(&scene, "front", toward(1.1, 0.3 + separation, near_m), r_near);
            const double a = asin(0.6 / far_m), b = asin(r_near / near_m);
            const double hidden = cap_overlap(a, b, separation) / (2 * POV_PI * (1 - cos(a)));
            const pov_visibility seen = test_look(occlusion, &scene, eye, ball);
            assert_near(seen.fraction_visible, 1 - hidden, tolerance);
            assert_near(seen.fraction_hidden, hidden, tolerance);
            assert_near(seen.size_rad, 2 * a, 1e-3);
            if (hidden == 0)
                assert_int_equal(seen.occluder_len, 0);
            if (hidden > 0.003) {
                assert_int_equal(seen.occluders[0].id, front);
                assert_near(seen.occluders[0].share, hidden, tolerance);
            }
            assert_near(test_look(occlusion, &scene, eye, front).fraction_visible, 1, 0);
        }
}

static void a_wall_up_to_the_sight_line_hides_half(void **state)
{
    (void)state;
    const pov_id eye = eye_at_origin();
    const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){3, 0, 0}, 0.4);
    pov_entity pill = test_body("pill", POV_SHAPE_CAPSULE, (pov_vec3){3, 0, 2}, (pov_vec3){0.4, 0.4, 1.2});
    pov_entity crate = test_body("crate", POV_SHAPE_BOX, (pov_vec3){3, 0, -2}, (pov_vec3){0.4, 0.4, 1.2});
    const pov_id upright = test_add(&scene, &pill), box = test_add(&scene, &crate);
    test_add_box(&scene, "wall", (pov_vec3){1, 5, 0}, (pov_vec3){0.1, 10, 20});
    assert_near(test_look(occlusion, &scene, eye, ball).fraction_visible, 0.5, tolerance);
    assert_near(test_look(occlusion, &scene, eye, upright).fraction_visible, 0.5, tolerance);
    assert_near(test_look(occlusion, &scene, eye, box).fraction_visible, 0.5, tolerance);
}

static void through_a_hole_in_a_wall_one_sees_the_hole_s_share(void **state)
{
    (void)state;
    const double sizes[] = {0.05, 0.1, 0.2, 0.3};
    for (int i = 0; i < 4; i++) {
        const double a = sizes[i], b = 0.15;
        pov_scene_clear(&scene);
        const pov_id eye = eye_at_origin();
        const pov_id target = test_add_box(&scene, "board", (pov_vec3){2.1, 0, 0}, (pov_vec3){0.2, 2, 1});
        /* a wall 0.1 thick, its far side at x = 1, of four boxes that touch */
        test_add_box(&scene, "left", (pov_vec3){0.95, a + 2.5, 0}, (pov_vec3){0.1, 5, 10});
        test_add_box(&scene, "right", (pov_vec3){0.95, -a - 2.5, 0}, (pov_vec3){0.1, 5, 10});
        test_add_box(&scene, "above", (pov_vec3){0.95, 0, b + 2.5}, (pov_vec3){0.1, 2 * a, 5});
        test_add_box(&scene, "below", (pov_vec3){0.95, 0, -b - 2.5}, (pov_vec3){0.1, 2 * a, 5});
        const double exact = plate(a, b, 1) / plate(1, 0.5, 2);
        const pov_visibility seen = test_look(occlusion, &scene, eye, target);
        assert_near(seen.fraction_visible, exact, tolerance);
        double shares = 0;
        for (int k = 0; k < seen.occluder_len; k++)
            shares += seen.occluders[k].share;
        assert_int_equal(seen.occluder_len, 4);
        assert_near(shares, 1 - exact, tolerance);
    }
}

static void a_larger_box_hides_a_box_up_to_its_edge(void **state)
{
    (void)state;
    for (int i = -9; i <= 9; i++) {
        const double edge = 0.1 * i * 0.5; /* at x = 1; the target's face spans y = -1..1 at x = 2 */
        pov_scene_clear(&scene);
        const pov_id eye = eye_at_origin();
        const pov_id target = test_add_box(&scene, "board", (pov_vec3){2.1, 0, 0}, (pov_vec3){0.2, 2, 1});
        test_add_box(&scene, "screen", (pov_vec3){0.95, edge - 5, 0}, (pov_vec3){0.1, 10, 10});
        /* visible: y from 2 edge to 1, seen past the screen's far edge or (edge < 0) its near one */
        const double at = edge > 0 ? 2 * edge / 0.9 : 2 * edge;
        const double left = plate(1, 0.5, 2) / 2, cut = copysign(plate(fabs(at), 0.5, 2) / 2, at);
        const double exact = fmax(0, (left - cut) / (2 * left));
        assert_near(test_look(occlusion, &scene, eye, target).fraction_visible, at >= 1 ? 0 : exact,
                    tolerance);
    }
}

/* ---- causes ---- */

static void every_cause_is_told(void **state)
{
    (void)state;
    pov_field_of_view field = {.shape = POV_FIELD_CONE,
                               .half_horizontal_rad = 1,
                               .half_vertical_rad = 0.8,
                               .near_m = 0.3,
                               .far_m = 20};
    const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, field);
    const struct {
        pov_vec3 at_m;
        double radius_m;
        pov_cause cause;
    } cases[] = {
        {{2, 0, 0}, 0.2, POV_CAUSE_NONE},      {{1, 3, 0}, 0.2, POV_CAUSE_OUT_OF_VIEW},
        {{-2, 0.1, 0}, 0.2, POV_CAUSE_BEHIND}, {{0.15, 0.1, 0}, 0.05, POV_CAUSE_TOO_NEAR},
        {{30, 0, 0}, 0.5, POV_CAUSE_TOO_FAR},  {{10, -3, 0}, 0.005, POV_CAUSE_TOO_SMALL},
        {{4, -2, 0}, 0.2, POV_CAUSE_HIDDEN},
    };
    pov_id ids[sizeof cases / sizeof *cases];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char name[] = {(char)('a' + i), 0};
        ids[i] = test_add_sphere(&scene, name, cases[i].at_m, cases[i].radius_m);
    }
    const pov_id screen = test_add_sphere(&scene, "screen", (pov_vec3){2, -1, 0}, 0.3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pov_visibility seen = test_look(occlusion, &scene, eye, ids[i]);
        assert_int_equal(seen.cause, cases[i].cause);
        assert_int_equal(seen.sees.verdict, cases[i].cause == POV_CAUSE_NONE ? POV_TRUE : POV_FALSE);
        assert_near(seen.fraction_visible + seen.fraction_hidden + seen.fraction_out_of_view +
                        seen.fraction_out_of_range,
                    1, 1e-6);
        if (cases[i].cause == POV_CAUSE_HIDDEN) {
            assert_int_equal(seen.occluders[0].id, screen);
            assert_near(seen.occluders[0].share, 1, 0);
        }
    }
    for (int cause = 0; cause < POV_CAUSE_COUNT; cause++)
        assert_non_null(pov_cause_name(cause));
}

/* Whoever turns the head sees what the head faces, not what the body does. */
static void a_head_that_is_turned_looks_where_it_is_turned(void **state)
{
    (void)state;
    const pov_field_of_view field = {
        .shape = POV_FIELD_CONE, .half_horizontal_rad = 0.6, .half_vertical_rad = 0.6, .far_m = 20};
    pov_scene_clear(&scene);
    const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, field);
    const pov_id ahead = test_add_sphere(&scene, "ahead", (pov_vec3){2, 0, 0}, 0.1);
    const pov_id aside = test_add_sphere(&scene, "aside", (pov_vec3){0, 2, 0}, 0.1);
    assert_near(test_look(occlusion, &scene, eye, ahead).sees.p, 1, 1e-6);
    assert_near(test_look(occlusion, &scene, eye, aside).sees.p, 0, 1e-6);
    scene.entities[eye].head_heading = pov_heading_single(POV_PI / 2, 1e12);
    assert_near(test_look(occlusion, &scene, eye, ahead).sees.p, 0, 1e-6);
    assert_near(test_look(occlusion, &scene, eye, aside).sees.p, 1, 1e-6);
    scene.entities[eye].head_heading = pov_heading_single(POV_PI / 2, 4); /* some 29 degrees of deviation */
    const double p = test_look(occlusion, &scene, eye, aside).sees.p;
    assert_true(p > 0.5 && p < 0.9);
}

static void what_has_no_answer_is_undefined(void **state)
{
    (void)state;
    const pov_seeing seeing = POV_SEEING_DEFAULT;
    pov_field_of_view field = {
        .shape = POV_FIELD_CONE, .half_horizontal_rad = 1, .half_vertical_rad = 1, .far_m = INFINITY};
    const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, field);
    const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){2, 0, 0}, 0.2);
    const pov_id point = test_add_sphere(&scene, "point", (pov_vec3){2, 0, 0}, 0);
    const pov_id lost = test_add_sphere(&scene, "lost", (pov_vec3){2, 0, 0}, 0.2);
    const pov_id blank = test_add_eye(&scene, "blank", (pov_vec3){0, 0, 0}, 0, field);
    scene.entities[lost].placed = false;
    scene.entities[blank].heading.len = 0;
    const struct {
        pov_id viewer, target;
        pov_cause cause;
    } cases[] = {{eye, eye, POV_CAUSE_NOT_A_VIEWER}, {ball, eye, POV_CAUSE_NOT_A_VIEWER},
                 {eye, point, POV_CAUSE_NO_BODY},    {eye, lost, POV_CAUSE_NOT_PLACED},
                 {eye, blank, POV_CAUSE_NO_BODY},    {blank, ball, POV_CAUSE_UNKNOWN_GAZE}};
    assert_int_equal(pov_occlusion_update(occlusion, &scene).code, POV_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_visibility seen;
        assert_int_equal(pov_visibility_evaluate(occlusion, &seen, cases[i].viewer, cases[i].target, &seeing),
                         POV_UNDEFINED);
        assert_int_equal(seen.cause, cases[i].cause);
        assert_int_equal(seen.sees.verdict, POV_VERDICT_UNDEFINED);
        assert_true(isnan(seen.sees.p) && isnan(seen.fraction_visible));
    }
    /* wherever she looks, a wall is a wall */
    test_add_box(&scene, "wall", (pov_vec3){1, 0, 0}, (pov_vec3){0.1, 3, 3});
    const pov_visibility seen = test_look(occlusion, &scene, blank, ball);
    assert_int_equal(seen.sees.verdict, POV_FALSE);
    assert_int_equal(seen.cause, POV_CAUSE_HIDDEN);
}

/* ---- random worlds ---- */

static pov_rot random_rot(test_random *random)
{
    return pov_rot_exp(
        (pov_vec3){test_random_normal(random), test_random_normal(random), test_random_normal(random)});
}

static void random_world(test_random *random, int bodies)
{
    pov_scene_clear(&scene);
    pov_field_of_view field = {
        .shape = POV_FIELD_CONE, .half_horizontal_rad = 1.2, .half_vertical_rad = 0.9, .far_m = INFINITY};
    test_add_eye(&scene, "eye", (pov_vec3){-2, 0, 0}, test_random_between(random, -0.5, 0.5), field);
    for (int i = 0; i < bodies; i++) {
        const char name[] = {'b', (char)('a' + i), 0};
        pov_entity body =
            test_body(name, (pov_shape)(i % POV_SHAPE_MESH),
                      (pov_vec3){test_random_between(random, -1, 1), test_random_between(random, -1, 1),
                                 test_random_between(random, -1, 1)},
                      (pov_vec3){test_random_between(random, 0.2, 0.8), test_random_between(random, 0.2, 0.8),
                                 test_random_between(random, 0.5, 0.9)});
        body.R_table_box = random_rot(random);
        test_add(&scene, &body);
    }
}

static void turning_and_moving_the_world_changes_nothing(void **state)
{
    (void)state;
    test_random random = {11};
    for (int world = 0; world < 40; world++) {
        random_world(&random, 9);
        const pov_visibility before = test_look(occlusion, &scene, 0, 1);
        const double yaw = test_random_between(&random, -3, 3);
        const pov_transform T = {pov_rot_yaw(yaw), {test_random_between(&random, -30, 30), 2, 5}};
        for (int i = 0; i < scene.len; i++) {
            pov_entity *e = &scene.entities[i];
            e->position.mean_m = pov_transform_apply(T, e->position.mean_m);
            e->R_table_box = pov_rot_mul(T.R, e->R_table_box);
            for (int m = 0; m < e->heading.len; m++)
                e->heading.mode[m].yaw_rad += yaw;
        }
        const pov_visibility after = test_look(occlusion, &scene, 0, 1);
        assert_near(after.fraction_visible, before.fraction_visible, 0.002); /* a ray or two on an edge */
        assert_near(after.fraction_hidden, before.fraction_hidden, 0.002);
        assert_int_equal(after.sees.verdict, before.sees.verdict);
    }
}

static void one_more_body_never_shows_more(void **state)
{
    (void)state;
    test_random random = {12};
    for (int world = 0; world < 40; world++) {
        random_world(&random, 12);
        const int all = scene.len;
        double last = 1;
        for (scene.len = 2; scene.len <= all; scene.len++) {
            const double fraction = test_look(occlusion, &scene, 0, 1).fraction_visible;
            assert_true(fraction <= last);
            last = fraction;
        }
    }
}

static void the_order_of_entities_does_not_matter(void **state)
{
    (void)state;
    test_random random = {13};
    static pov_scene reversed;
    for (int world = 0; world < 40; world++) {
        random_world(&random, 9);
        pov_scene_clear(&reversed);
        for (int i = scene.len - 1; i >= 0; i--)
            test_add(&reversed, &scene.entities[i]);
        const int last = scene.len - 1;
        const pov_visibility a = test_look(occlusion, &scene, 0, 1),
                             b = test_look(occlusion, &reversed, last, last - 1);
        assert_near(b.fraction_visible, a.fraction_visible, 1e-12);
        assert_near(b.sees.p, a.sees.p, 0);
        assert_int_equal(a.occluder_len, b.occluder_len);
        for (int i = 0; i < a.occluder_len; i++)
            assert_int_equal(a.occluders[i].id, last - b.occluders[i].id);
    }
}

/* Mistakes of other systems: a wide box around a thin body says nothing of its share; a pixel is not a sight.
 */
static void a_sliver_is_not_seen_and_a_bounding_box_hides_nothing(void **state)
{
    (void)state;
    const pov_id eye = eye_at_origin();
    const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){3, 0, 0}, 0.3);
    /* a pole across the view: its axis-parallel bounding box would cover the ball, the pole covers a strip */
    pov_entity pole = test_body("pole", POV_SHAPE_CAPSULE, (pov_vec3){1.5, 0, 0}, (pov_vec3){0.02, 0.02, 2});
    pole.R_table_box = pov_rot_exp((pov_vec3){POV_PI / 4, 0, 0});
    test_add(&scene, &pole);
    pov_visibility seen = test_look(occlusion, &scene, eye, ball);
    const double half_angle = asin(0.3 / 3), strip = 2 * asin(0.01 / 1.5) * 2 * half_angle;
    assert_near(seen.fraction_hidden, strip / (2 * POV_PI * (1 - cos(half_angle))), tolerance);
    /* and of a ball all but a sliver of which is behind a wall, much more than a pixel shows; it is not seen
     */
    test_add_box(&scene, "wall", (pov_vec3){1, 5 - 0.08, 0}, (pov_vec3){1e-3, 10, 20});
    seen = test_look(occlusion, &scene, eye, ball);
    assert_true(seen.fraction_visible > 0.005 && seen.fraction_visible < 0.1);
    assert_int_equal(seen.sees.verdict, POV_FALSE);
}

/* Wherever in a closed body an eye is, the middle included, the body hides all that is outside and nothing that is inside. */
static void an_eye_within_a_body_sees_only_what_is_within(void **state)
{
    (void)state;
    static const float corners[8][3] = {{-0.5F, -0.5F, -0.5F}, {0.5F, -0.5F, -0.5F}, {0.5F, 0.5F, -0.5F},
                                        {-0.5F, 0.5F, -0.5F},  {-0.5F, -0.5F, 0.5F}, {0.5F, -0.5F, 0.5F},
                                        {0.5F, 0.5F, 0.5F},    {-0.5F, 0.5F, 0.5F}};
    static const uint32_t triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                              {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                              {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    const pov_mesh mesh = {8, 12, corners, triangles};
    const double off_m[] = {0, 1e-310, 1e-15, 1e-9, 1e-3, 0.1};
    for (int shape = 0; shape < POV_SHAPE_COUNT; shape++)
        for (size_t i = 0; i < 2 * sizeof off_m / sizeof *off_m; i++) {
            pov_scene_clear(&scene);
            const pov_id eye = eye_at_origin();
            for (size_t hulls = i % 2 ? POV_NEAR_MAX + 2 : 1; hulls > 0;
                 hulls--) { /* few: met one by one; many: by Embree */
                const char name[] = {'h', (char)('a' + hulls), '\0'};
                pov_entity hull =
                    test_body(name, (pov_shape)shape, (pov_vec3){off_m[i / 2], 0, 0}, (pov_vec3){1, 1, 1});
                hull.mesh = shape == POV_SHAPE_MESH ? &mesh : NULL;
                test_add(&scene, &hull);
            }
            const pov_id outside = test_add_sphere(&scene, "outside", (pov_vec3){3, 0.2, 0.1}, 0.3);
            const pov_id inside = test_add_sphere(&scene, "inside", (pov_vec3){-0.2, 0.1, 0.1}, 0.05);
            assert_near(test_look(occlusion, &scene, eye, outside).fraction_visible, 0, 0);
            assert_near(test_look(occlusion, &scene, eye, inside).fraction_visible, 1, 0);
        }
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        EACH(a_sphere_hides_a_lens_of_the_sphere_behind_it),
        EACH(a_wall_up_to_the_sight_line_hides_half),
        EACH(through_a_hole_in_a_wall_one_sees_the_hole_s_share),
        EACH(a_larger_box_hides_a_box_up_to_its_edge),
        EACH(every_cause_is_told),
        EACH(a_head_that_is_turned_looks_where_it_is_turned),
        EACH(what_has_no_answer_is_undefined),
        EACH(turning_and_moving_the_world_changes_nothing),
        EACH(one_more_body_never_shows_more),
        EACH(the_order_of_entities_does_not_matter),
        EACH(a_sliver_is_not_seen_and_a_bounding_box_hides_nothing),
        EACH(an_eye_within_a_body_sees_only_what_is_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
