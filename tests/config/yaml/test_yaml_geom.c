#include "config/yaml/yaml_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Reads `v` of a one-line file as a rotation; returns what pov_yaml_finish says. */
static pov_status read_rotation(pov_rot *R, const char *text)
{
    pov_yaml_file *file = NULL;
    assert_int_equal(pov_yaml_parse(&file, "s.yaml", text, strlen(text)).code, POV_OK);
    pov_yaml_rotation(R, pov_yaml_get(pov_yaml_root(file), "v"));
    pov_status status = pov_yaml_finish(file);
    pov_yaml_close(&file);
    return status;
}

static void assert_no_rotation(const char *text, const char *message)
{
    pov_rot R = {{{5}}};
    pov_status status = read_rotation(&R, text);
    assert_string_equal(status.message, message);
    assert_true(R.m[0][0] == 5);
}

static void a_vector_is_three_numbers(void **state)
{
    (void)state;
    static const char text[] = "v: [1, 2, 3]\nw: [1, 2, 30]\n";
    pov_yaml_file *file = NULL;
    assert_int_equal(pov_yaml_parse(&file, "s.yaml", text, strlen(text)).code, POV_OK);
    pov_vec3 v = {0}, w = {7, 8, 9};
    pov_yaml_vec3(&v, pov_yaml_get(pov_yaml_root(file), "v"), -10, 10);
    assert_true(v.x == 1 && v.y == 2 && v.z == 3);
    pov_yaml_vec3(&w, pov_yaml_get(pov_yaml_root(file), "w"), -10, 10);
    assert_true(w.x == 7 && w.y == 8 && w.z == 9);
    assert_string_equal(pov_yaml_finish(file).message,
                        "s.yaml:2: w[2]: expected a number between -10 and 10, got 30");
    pov_yaml_close(&file);
}

static void a_rotation_is_three_rows_or_nine_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"v: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
                                        "v: [0, -1, 0, 1, 0, 0, 0, 0, 1]",
                                        "v:\n  - [0, -1, 0]\n  - [1, 0, 0]\n  - [0, 0, 1]\n"};
    static const double expected[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        pov_rot R = {{{0}}};
        assert_string_equal(read_rotation(&R, texts[i]).message, "");
        for (int k = 0; k < 9; k++)
            assert_true(fabs(R.m[k / 3][k % 3] - expected[k / 3][k % 3]) < 1e-12);
    }
}

static void few_digits_are_made_exact(void **state)
{
    (void)state;
    pov_rot R = {{{0}}}; /* 30 degrees about z, three digits */
    assert_string_equal(read_rotation(&R, "v: [[.866, -.5, 0], [.5, .866, 0], [0, 0, 1]]").message, "");
    assert_true(fabs(R.m[0][0] - cos(POV_PI / 6)) < 5e-4 && fabs(R.m[1][0] - 0.5) < 5e-4);
    for (int i = 0; i < 3; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += R.m[i][k] * R.m[i][k];
        assert_true(fabs(square - 1) < 1e-12);
    }
}

static void what_is_no_rotation_is_refused(void **state)
{
    (void)state;
    static const char message[] =
        "s.yaml:1: v: is not a rotation: its rows must be of length 1, at right angles, and "
        "right-handed, to within 0.001";
    assert_no_rotation("v: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]", message);
    assert_no_rotation("v: [[1, 0, 0], [0, 1.01, 0], [0, 0, 1]]", message);
    assert_no_rotation("v: [[0, 0, 0], [0, 0, 0], [0, 0, 0]]", message);
    assert_no_rotation("v: [1, 0, 0, 0]", "s.yaml:1: v: expected three rows of three numbers, got 4");
    assert_no_rotation("v: [[1, 0, 0], [0, 1], [0, 0, 1]]",
                       "s.yaml:1: v[1]: expected a list of 3 numbers, got 2");
    assert_no_rotation(
        "v: [[1, 0, 0], [0, .nan, 0], [0, 0, 1]]",
        "s.yaml:1: v[1][1]: expected a finite number between -2 and 2, got .nan; write e.g. 0.6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_is_three_numbers),
        cmocka_unit_test(a_rotation_is_three_rows_or_nine_numbers),
        cmocka_unit_test(few_digits_are_made_exact),
        cmocka_unit_test(what_is_no_rotation_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
