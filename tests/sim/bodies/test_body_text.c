/* The language of share/bodies/: values worked out by hand, and what is said of a mistake. */
#include "sim/bodies/body_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_status build(pov_model **model, const char *text, uint64_t variant)
{
    const pov_embedded_file files[] = {{"test.body", (const unsigned char *)text, strlen(text)},
                                       {NULL, (const unsigned char *)"", 0}};
    *model = pov_model_new();
    pov_body body = {.model = *model, .colour = 0x102030, .variant = variant, .random = variant};
    return pov_body_text_build(&body, files, "thing");
}

/* The text's box is as large as its three expressions say. */
static void assert_box(const char *text, double x_m, double y_m, double z_m)
{
    pov_model *model;
    pov_vec3 centre_m, size_m;
    const pov_status status = build(&model, text, 0);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    pov_model_bounds(model, &centre_m, &size_m);
    assert_near(size_m.x, x_m, 1e-6);
    assert_near(size_m.y, y_m, 1e-6);
    assert_near(size_m.z, z_m, 1e-6);
    pov_model_destroy(&model);
}

static void expressions_bind_as_in_c(void **state)
{
    (void)state;
    assert_box("def thing() { box(paint(0, 0), 1 + 2 * 3, (1 + 2) * 3, 8 - 4 - 2, 0); }", 7, 9, 2);
    assert_box(
        "def thing() { box(paint(0, 0), 7 % 4, 1 < 2 ? 5 : 6, 2 >= 3 || 1 == 1 && 4 <= 4 ? 2 : 3, 0); }", 3,
        5, 2);
    assert_box("def thing() { box(paint(0, 0), max(1, -2), sqrt(16) / 8, abs(-3), 0); }", 1, 0.5, 3);
    assert_box("def thing() { box(paint(0, 0), choose(1, 4, 5, 6), vary(2, 4), floor(2.9), 0); }", 5, 3, 2);
}

static void loops_and_choices_run_their_blocks(void **state)
{
    (void)state;
    assert_box("def thing() { sides s { box(at(paint(0, 0), s * 2, 0, 0), 1, 1, 1, 0); } }", 5, 1, 1);
    assert_box("def thing() { n = 0; repeat i 5 { n = n + i; } box(paint(0, 0), n, 1, 1, 0); }", 10, 1, 1);
    const char *choice =
        "def thing() { x = %d; if (x == 1) { y = 1; } else if (x == 2) { y = 2; } else { y = 3; }"
        " box(paint(0, 0), y, 1, 1, 0); }";
    for (int x = 1; x <= 3; x++) {
        char text[200];
        snprintf(text, sizeof text, choice, x);
        assert_box(text, x, 1, 1);
    }
}

static void a_function_sees_its_callers_variables_and_keeps_its_own(void **state)
{
    (void)state;
    assert_box("# a comment; with { signs\n"
               "def thing() { wide = 4; part(2); box(paint(0, 0), wide, 1, 1, 0); }\n"
               "def part(wide) { tall = 3; inner(); }\n"
               "def inner() { box(paint(0, 0), wide, 1, tall, 0); }\n",
               4, 1, 3);
}

static void a_unit_scales_lengths_but_not_angles(void **state)
{
    (void)state;
    assert_box("def thing() { unit = 0.001; box(yawed(paint(0, 0), 90), 20, 10, 5, 0); }", 0.010, 0.020,
               0.005);
}

static void points_are_given_to_the_next_part(void **state)
{
    (void)state;
    assert_box("def thing() { repeat i 2 { point(0, 0, i * 2 - 1); } tube(paint(0, 0), 0.5); }", 1, 1, 3);
}

static void the_variant_throws_the_dice(void **state)
{
    (void)state;
    double x_m[2];
    for (uint64_t variant = 1; variant <= 2; variant++) {
        pov_model *model;
        pov_vec3 centre_m, size_m;
        assert_int_equal(
            build(&model, "def thing() { box(paint(0, 0), vary(1, 2), 1, 1, 0); }", variant).code, POV_OK);
        pov_model_bounds(model, &centre_m, &size_m);
        x_m[variant - 1] = size_m.x;
        assert_true(size_m.x >= 1 && size_m.x <= 2);
        pov_model_destroy(&model);
    }
    assert_true(x_m[0] != x_m[1]);
}

static void a_mistake_is_named_with_its_line(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"def other() { }", "there is no 'thing'"},
        {"def thing() {\n  cube(1);\n}", "line 2: there is no 'cube'"},
        {"def thing() {\n\n  x = y + 1;\n}", "line 3: there is no variable 'y'"},
        {"def thing() { x = 1\n}", "line 2: ';' is missing"},
        {"def thing() { x = (1; }", "')' is missing"},
        {"def thing() { box(paint(0, 0), 1, 1, 1); }", "box takes 1 brushes and 4 numbers; here are 1 and 3"},
        {"def thing() { box(1, 1, 1, 1, 1); }", "box takes 1 brushes"},
        {"def thing() { lathe(paint(0, 0), 8, {0, 0}, {1}); }", "then more in groups"},
        {"def thing() { x = choose(3, 1, 2); }", "choose: no entry 3 of 2"},
        {"def thing() { part(); }\ndef part(x) { }", "'part' was given too few values"},
        {"def thing() { thing(); }", "calls itself too often"},
        {"def thing() { repeat i 1000 { point(1, 2, 3); } }", "more than 400 numbers in points"},
        {"def thing() { if (1) { x = 1; }", "is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_model *model;
        const pov_status status = build(&model, cases[i][0], 0);
        if (status.code != POV_ERROR || !strstr(status.message, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], status.message);
        pov_model_destroy(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_bind_as_in_c),
        cmocka_unit_test(loops_and_choices_run_their_blocks),
        cmocka_unit_test(a_function_sees_its_callers_variables_and_keeps_its_own),
        cmocka_unit_test(a_unit_scales_lengths_but_not_angles),
        cmocka_unit_test(points_are_given_to_the_next_part),
        cmocka_unit_test(the_variant_throws_the_dice),
        cmocka_unit_test(a_mistake_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
