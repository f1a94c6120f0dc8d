/* Appearance over angle against bodies rendered at known angles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perception/appearance/appearance_trial.h"
#include "sim/bodies/shapes.h"
#include "tests/support/near.h"
#include "tests/support/turned_body.h"

#include <string.h>

enum { VIEWS = 36, ASKED = 30 };
static const double deg = POV_PI / 180;

typedef struct {
    test_body body;
    pov_appearance_data data;
    pov_trial trial;
    pov_appearance *appearance;
} enrolled;

static void cut(pov_patch *patch, test_body *body, double angle_rad, const test_disturbance *how)
{
    const pov_image image = test_body_image(body, angle_rad, how);
    pov_patch_cut(patch, &image, pov_patch_square_whole(&image));
}

static enrolled *enrol(test_body body)
{
    const test_disturbance camera_noise = {{0, 0}, 1, 1, 1};
    enrolled *e = calloc(1, sizeof *e);
    pov_view *views = calloc(VIEWS, sizeof *views);
    assert_non_null(e);
    assert_non_null(views);
    e->body = body;
    for (int i = 0; i < VIEWS; i++) {
        views[i].angle_rad = i * 2 * POV_PI / VIEWS;
        cut(&views[i].patch, &e->body, views[i].angle_rad, &camera_noise);
    }
    assert_int_equal(pov_appearance_learn(&e->data, views, VIEWS).code, POV_OK);
    assert_int_equal(pov_appearance_try(&e->data, &e->trial, views).code, POV_OK);
    e->appearance = pov_appearance_new(&e->data);
    free(views);
    return e;
}

static void release(enrolled *e)
{
    pov_appearance_destroy(&e->appearance);
    test_body_free(&e->body);
    free(e);
}

static pov_likeness ask(enrolled *e, test_body *body, double angle_rad, const test_disturbance *how)
{
    pov_patch patch;
    pov_likeness likeness;
    cut(&patch, body, angle_rad, how);
    pov_appearance_match(e->appearance, &likeness, &patch);
    return likeness;
}

typedef struct {
    double mean_deg, worst_deg, within;
} tally;

static tally ask_around(enrolled *e, bool disturbed)
{
    tally t = {0};
    test_random random = {7};
    for (int i = 0; i < ASKED; i++) {
        const double angle = (i + test_random_between(&random, 0.2, 0.8)) * 2 * POV_PI / ASKED;
        const double px = TEST_BODY_SIDE_PX / 32.0; /* disturbances are in pixels of 32 a side */
        const test_disturbance how = {
            {test_random_between(&random, -2, 2) * px, test_random_between(&random, -2, 2) * px},
            test_random_between(&random, 0.95, 1.05),
            test_random_between(&random, 0.8, 1.2),
            5};
        const pov_likeness likeness = ask(e, &e->body, angle, disturbed ? &how : NULL);
        assert_true(likeness.view.len > 0);
        const double error = fabs(remainder(likeness.view.mode[0].yaw_rad - angle, 2 * POV_PI));
        t.mean_deg += error / deg / ASKED;
        t.worst_deg = fmax(t.worst_deg, error / deg);
        t.within += (error * sqrt(likeness.view.mode[0].kappa) <= 2) / (double)ASKED;
    }
    return t;
}

static void angles_between_the_views_are_told(void **state)
{
    (void)state;
    static const char *const names[] = {"rubber duck", "car"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enrolled *e = enrol(test_body_named(names[i]));
        const tally plain = ask_around(e, false), disturbed = ask_around(e, true);
        assert_int_equal(e->data.symmetry, 1);
        assert_true(plain.mean_deg <= 0.6 && plain.worst_deg <= 4);
        assert_true(disturbed.mean_deg <= 1.2);
        assert_true(plain.within >= 0.93 && disturbed.within >= 0.93);
        assert_in_range(e->data.expected_error_rad / deg * 100, plain.mean_deg * 50, 200);
        release(e);
    }
}

static test_body brick(double length_m, double width_m, bool marked)
{
    pov_model *model;
    model = pov_model_new();
    pov_shape_box(pov_brush_new(model, 0xc0a080, 0), (pov_vec3){length_m, width_m, 0.08}, 0.002);
    const pov_brush dark = pov_brush_new(model, 0x302020, 0);
    for (int side = -1; side <= 1; side += 2) /* the same on both ends */
        pov_shape_box(pov_brush_at(dark, (pov_vec3){side * 0.5 * length_m, 0, 0}),
                      (pov_vec3){0.004, 0.3 * width_m, 0.04}, 0);
    if (marked)
        pov_shape_box(pov_brush_at(dark, (pov_vec3){0, 0.5 * width_m, 0}),
                      (pov_vec3){0.3 * length_m, 0.004, 0.04}, 0);
    return test_body_new(model);
}

static double weight_near(const pov_heading *view, double angle_rad)
{
    double weight = 0;
    for (int i = 0; i < view->len; i++)
        if (fabs(remainder(view->mode[i].yaw_rad - angle_rad, 2 * POV_PI)) < 5 * deg)
            weight += view->mode[i].weight;
    return weight;
}

static void what_looks_alike_from_two_sides_has_two_even_modes(void **state)
{
    (void)state;
    enrolled *e = enrol(brick(0.16, 0.10, false));
    assert_int_equal(e->data.symmetry, 2);
    for (int angle_deg = 3; angle_deg < 360; angle_deg += 23) {
        const pov_likeness likeness = ask(e, &e->body, angle_deg * deg, NULL);
        assert_near(weight_near(&likeness.view, angle_deg * deg), 0.5, 0.2);
        assert_near(weight_near(&likeness.view, (angle_deg + 180) * deg), 0.5, 0.2);
    }
    release(e);
}

static void a_mark_on_one_side_tells_the_two_apart(void **state)
{
    (void)state;
    enrolled *e = enrol(brick(0.16, 0.10, true));
    assert_int_equal(e->data.symmetry, 1);
    for (int i = 0; i < 2; i++) { /* seen, or seen not to be there */
        const double angle = i * POV_PI - 93 * deg;
        const pov_likeness likeness = ask(e, &e->body, angle, NULL);
        assert_true(weight_near(&likeness.view, angle) > 0.9);
    }
    release(e);
}

static test_body plain_bottle(void)
{
    static const pov_vec2 profile_m[] = {{0, 0},       {0.03, 0},    {0.03, 0.1},
                                         {0.01, 0.13}, {0.01, 0.17}, {0, 0.17}};
    pov_model *model;
    model = pov_model_new();
    pov_shape_lathe(pov_brush_new(model, 0x407050, 0.2), profile_m, 6, 96);
    pov_model_fit(model, (pov_vec3){0.06, 0.06, 0.17});
    return test_body_new(model);
}

static void a_square_brick_has_four_sides_and_a_bottle_no_front(void **state)
{
    (void)state;
    pov_model *model;
    model = pov_model_new();
    pov_shape_box(pov_brush_new(model, 0xc0a080, 0), (pov_vec3){0.1, 0.1, 0.1}, 0.002);
    enrolled *e = enrol(test_body_new(model));
    assert_int_equal(e->data.symmetry, 4);
    release(e);
    e = enrol(plain_bottle());
    assert_int_equal(e->data.symmetry, POV_SYMMETRY_ALL);
    assert_true(isnan(e->data.expected_error_rad));
    const pov_likeness likeness = ask(e, &e->body, 1, NULL);
    assert_int_equal(likeness.view.len, 0);
    assert_true(likeness.p_object > 0.9);
    release(e);
}

static void other_things_are_not_taken_for_it(void **state)
{
    (void)state;
    static const char *const others[] = {"car", "teddy bear", "mug", "laptop", "bottle"};
    enrolled *e = enrol(test_body_named("rubber duck"));
    int taken = 0;
    for (int i = 0; i < 12; i++)
        taken += ask(e, &e->body, (30 * i + 5) * deg, NULL).p_object > 0.5;
    assert_int_equal(taken, 12);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        test_body other = test_body_named(others[k]);
        for (int i = 0; i < 12; i++) {
            assert_true(ask(e, &other, 30 * i * deg, NULL).p_object < 0.5);
        }
        test_body_free(&other);
    }
    release(e);
}

static void what_cannot_be_learnt_is_said(void **state)
{
    (void)state;
    pov_view *views = calloc(POV_VIEW_MIN, sizeof *views);
    pov_appearance_data *data = malloc(sizeof *data);
    assert_non_null(views);
    assert_non_null(data);
    pov_status status = pov_appearance_learn(data, views, POV_VIEW_MIN - 1);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "7 views"));
    status = pov_appearance_learn(data, views, POV_VIEW_MIN);
    assert_non_null(strstr(status.message, "same angle"));
    for (int i = 0; i < POV_VIEW_MIN; i++)
        views[i].angle_rad = 0.7 * i;
    status = pov_appearance_learn(data, views, POV_VIEW_MIN);
    assert_non_null(strstr(status.message, "blank"));
    free(views);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_between_the_views_are_told),
        cmocka_unit_test(what_looks_alike_from_two_sides_has_two_even_modes),
        cmocka_unit_test(a_mark_on_one_side_tells_the_two_apart),
        cmocka_unit_test(a_square_brick_has_four_sides_and_a_bottle_no_front),
        cmocka_unit_test(other_things_are_not_taken_for_it),
        cmocka_unit_test(what_cannot_be_learnt_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
