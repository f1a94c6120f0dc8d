#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/random.h"
#include "perception/visibility/visibility_field.h"
#include "tests/support/near.h"
#include "tests/support/occlusion_fixture.h"
#include "tests/support/sphere_caps.h"
#include "tests/support/visible_scene.h"

#include <string.h>

/* Of fractions. */
static const double tolerance = 0.005;

static void the_field_s_border_through_a_sphere_s_centre_shows_half(void **state)
{
    (void)state;
    pov_field_of_view frustum = {
        .shape = POV_FIELD_FRUSTUM, .half_horizontal_rad = 0.6, .half_vertical_rad = 0.4, .far_m = INFINITY};
    const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 1, frustum);
    const pov_id beside = test_add_sphere(&scene, "beside", toward(1.6, 0, 2), 0.3);
    const pov_id above = test_add_sphere(&scene, "above", toward(1, 0.4, 2), 0.3);
    const pov_id inside = test_add_sphere(&scene, "inside", toward(0.8, -0.1, 2), 0.3);
    const pov_id corner = test_add_sphere(&scene, "corner", toward(1.6, atan(tan(0.4) * cos(0.6)), 40), 0.3);
    assert_near(test_look(occlusion, &scene, eye, beside).fraction_visible, 0.5, tolerance);
    assert_near(test_look(occlusion, &scene, eye, above).fraction_visible, 0.5, tolerance);
    assert_near(test_look(occlusion, &scene, eye, inside).fraction_visible, 1, 0);
    /* in the corner the borders' planes meet at an angle with cosine n1 . n2 = -sin h sin v: for a small
     * target */
    const double angle = POV_PI - acos(sin(0.6) * sin(0.4));
    assert_near(test_look(occlusion, &scene, eye, corner).fraction_visible, angle / (2 * POV_PI), tolerance);

    /* half-angle 90 degrees: a plane through the eye */
    pov_field_of_view half_space = {.shape = POV_FIELD_CONE,
                                    .half_horizontal_rad = POV_PI / 2,
                                    .half_vertical_rad = POV_PI / 2,
                                    .far_m = INFINITY};
    const pov_id other = test_add_eye(&scene, "other", (pov_vec3){0, 0, 0}, 1.6 - POV_PI / 2, half_space);
    const pov_visibility seen = test_look(occlusion, &scene, other, beside);
    assert_near(seen.fraction_visible, 0.5, tolerance);
    assert_near(seen.fraction_out_of_view, 0.5, tolerance);
}

/* A cone of vision that overlaps a ball's cap: the same lens as between two balls. */
static void a_round_field_and_a_sphere_share_a_lens(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        pov_scene_clear(&scene);
        pov_field_of_view cone = {
            .shape = POV_FIELD_CONE, .half_horizontal_rad = 0.7, .half_vertical_rad = 0.7, .far_m = INFINITY};
        const double off = 0.05 * i + 0.2, a = asin(0.5 / 2);
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, cone);
        const pov_id ball = test_add_sphere(&scene, "ball", toward(0, off, 2), 0.5);
        const double exact = cap_overlap(0.7, a, off) / (2 * POV_PI * (1 - cos(a)));
        assert_near(test_look(occlusion, &scene, eye, ball).fraction_visible, exact, tolerance);
    }
}

static void a_frustum_and_a_cone_of_the_same_half_angles_differ_by_their_corners(void **state)
{
    (void)state;
    const double h = 0.6, v = 0.4;
    pov_field_of_view field = {
        .shape = POV_FIELD_FRUSTUM, .half_horizontal_rad = h, .half_vertical_rad = v, .far_m = INFINITY};
    const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, field);
    const pov_id room = test_add_sphere(&scene, "room", (pov_vec3){0.1, 0.2, 0}, 3);
    /* of all directions: a pyramid has the solid angle 4 asin(sin h sin v) where h and v are its faces' angles */
    assert_near(test_look(occlusion, &scene, eye, room).fraction_visible,
                4 * asin(sin(h) * sin(v)) / (4 * POV_PI), tolerance);
    /* an ellipse in the plot of meridian and eccentricity e: the integral of sin e, over meridians 1 - cos e(m) */
    double cone = 0;
    enum { STEPS = 10000 };
    for (int i = 0; i < STEPS; i++) {
        const double m = 2 * POV_PI * (i + 0.5) / STEPS;
        cone += (1 - cos(1 / hypot(cos(m) / h, sin(m) / v))) * 2 * POV_PI / STEPS;
    }
    scene.entities[eye].field.shape = POV_FIELD_CONE;
    assert_near(test_look(occlusion, &scene, eye, room).fraction_visible, cone / (4 * POV_PI), tolerance);
}

/* A sphere's surface is at the distance F where (law of cosines) cos angle = (F^2 + d^2 - r^2) / (2 F d). */
static void range_limits_cut_a_sphere_by_its_surface_s_distance(void **state)
{
    (void)state;
    const double d = 2, r = 0.8, whole = 1 - sqrt(1 - r * r / (d * d)), tangent_m = sqrt(d * d - r * r);
    for (int i = 0; i <= 12; i++) {
        pov_field_of_view field = test_all_around();
        const double limit_m = d - r - 0.05 + (tangent_m - d + r + 0.1) * i / 12;
        const double cosine = (limit_m * limit_m + d * d - r * r) / (2 * limit_m * d);
        const double nearer = limit_m <= d - r ? 0 : limit_m >= tangent_m ? 1 : (1 - cosine) / whole;
        pov_scene_clear(&scene);
        field.far_m = limit_m;
        const pov_id short_sighted = test_add_eye(&scene, "short-sighted", (pov_vec3){0, 0, 0}, 0, field);
        field.far_m = INFINITY;
        field.near_m = limit_m;
        const pov_id long_sighted = test_add_eye(&scene, "long-sighted", (pov_vec3){0, 0, 0}, 0, field);
        const pov_id ball = test_add_sphere(&scene, "ball", toward(0.7, 0.4, d), r);
        const pov_visibility far = test_look(occlusion, &scene, short_sighted, ball);
        assert_near(far.fraction_visible, nearer, tolerance);
        assert_near(far.fraction_out_of_range, 1 - nearer, tolerance);
        assert_near(test_look(occlusion, &scene, long_sighted, ball).fraction_visible, 1 - nearer, tolerance);
    }
}

/* Oracle: whether each of many directions about the centre is in the field. */
static void a_field_has_all_or_none_of_a_circle_only_if_each_direction_says_so(void **state)
{
    enum { CASES = 2000, DIRECTIONS = 64 };
    uint64_t seed = 7;
    int decided = 0, clear = 0;
    (void)state;
    for (int i = 0; i < CASES; i++) {
        double u[5];
        for (int k = 0; k < 5; k++)
            u[k] = pov_random_fraction(pov_random_next(&seed));
        const pov_field_of_view field = {.shape = i % 2 ? POV_FIELD_FRUSTUM : POV_FIELD_CONE,
                                         .half_horizontal_rad = 0.3 + 1.1 * u[0],
                                         .half_vertical_rad = 0.3 + 1.1 * u[1],
                                         .far_m = INFINITY};
        const double radius = 0.3 * u[2], off = 2 * u[3], about = 2 * POV_PI * u[4];
        const pov_rot R = pov_rot_exp((pov_vec3){0, off * sin(about), off * cos(about)});
        const pov_field_overlap overlap =
            pov_field_overlap_of(&field, pov_rot_apply(R, (pov_vec3){2, 0, 0}), radius);
        int inside = 0;
        for (int k = 0; k < DIRECTIONS; k++) {
            const double turn = 2 * POV_PI * k / DIRECTIONS;
            const pov_vec3 rim = {cos(radius), sin(radius) * cos(turn), sin(radius) * sin(turn)};
            inside += pov_field_contains(&field, pov_rot_apply(R, rim));
        }
        assert_true(!overlap.all || inside == DIRECTIONS);
        assert_true(!overlap.none || inside == 0);
        if (field.shape == POV_FIELD_FRUSTUM && (inside == 0 || inside == DIRECTIONS)) {
            clear++;
            decided += overlap.all || overlap.none;
        }
    }
    assert_true(decided > 0.9 * clear);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        EACH(the_field_s_border_through_a_sphere_s_centre_shows_half),
        EACH(a_round_field_and_a_sphere_share_a_lens),
        EACH(a_frustum_and_a_cone_of_the_same_half_angles_differ_by_their_corners),
        EACH(a_field_has_all_or_none_of_a_circle_only_if_each_direction_says_so),
        EACH(range_limits_cut_a_sphere_by_its_surface_s_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
