#include "config/yaml/yaml_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/yaml.h"

static void assert_accepted(const char *text)
{
    pov_yaml_file *file = test_yaml(text);
    pov_yaml_close(&file);
}

static void assert_refused_bytes(const char *text, size_t length, const char *message)
{
    pov_yaml_file *file = (pov_yaml_file *)&length;
    pov_status status = pov_yaml_parse(&file, "s.yaml", text, length);
    assert_int_equal(status.code, POV_ERROR);
    assert_string_equal(status.message, message);
    assert_null(file);
}

static void assert_refused(const char *text, const char *message)
{
    assert_refused_bytes(text, strlen(text), message);
}

static void assert_refused_with(const char *text, const char *part)
{
    pov_yaml_file *file = NULL;
    pov_status status = pov_yaml_parse(&file, "s.yaml", text, strlen(text));
    assert_int_equal(status.code, POV_ERROR);
    if (!strstr(status.message, part))
        assert_string_equal(status.message, part);
}

static void a_byte_order_mark_and_windows_lines_are_accepted(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("\xEF\xBB\xBF"
                                    "name: r\xC3\xB6t\r\nn: 1\r\n");
    const char *name = NULL;
    pov_yaml_string(&name, pov_yaml_get(pov_yaml_root(file), "name"));
    assert_string_equal(name, "r\xC3\xB6t");
    assert_int_equal(pov_yaml_line(pov_yaml_get(pov_yaml_root(file), "n")), 2);
    assert_finishes(file, "");
}

static void files_that_opencv_writes_are_accepted(void **state)
{
    (void)state;
    pov_yaml_file *file =
        test_yaml("%YAML:1.0\n---\nwidth: 640\n"
                  "K: !!opencv-matrix\n   rows: 1\n   cols: 2\n   dt: d\n   data: [ 1., 2.e+00 ]\n");
    pov_yaml_node matrix = pov_yaml_get(pov_yaml_root(file), "K");
    double data[2] = {0};
    int width_px = 0;
    pov_yaml_integer(&width_px, pov_yaml_get(pov_yaml_root(file), "width"), 1, 1000);
    pov_yaml_numbers(data, pov_yaml_get(matrix, "data"), 2, -9, 9);
    (void)pov_yaml_get(matrix, "rows");
    (void)pov_yaml_get(matrix, "cols");
    (void)pov_yaml_get(matrix, "dt");
    assert_true(width_px == 640 && data[0] == 1 && data[1] == 2);
    assert_int_equal(pov_yaml_line(matrix), 4);
    assert_finishes(file, "");
}

static void duplicate_keys_are_named_with_both_lines(void **state)
{
    (void)state;
    assert_refused("a: 1\nb: 2\na: 3\n", "s.yaml:3: a: given twice, first on line 1; remove one");
    assert_refused("c:\n  - {x: 1}\n  - x: 1\n    y: 2\n    x: 3\n",
                   "s.yaml:5: c[1].x: given twice, first on line 3; remove one");
    assert_accepted("a: {x: 1}\nb: {x: 1}\n");
}

static void broken_yaml_is_named_with_its_line(void **state)
{
    (void)state;
    assert_refused(
        "a: 1\nb: [1, 2\nc: 3\n",
        "s.yaml:3: not YAML: did not find expected ',' or ']' (while parsing a flow sequence from line 2); "
        "check the indentation, colons, brackets and quotes there");
    assert_refused(
        "a: 1\nb:\n\t- 1\n",
        "s.yaml:3: not YAML: found character that cannot start any token; indent with spaces, not tabs");
    assert_refused_with("a: \"open\nb: 2\n",
                        "s.yaml:3: not YAML: found unexpected end of stream (while scanning a "
                        "quoted scalar from line 1)");
    assert_refused_with("a: 1\n  b: 2\n",
                        "s.yaml:2: not YAML: mapping values are not allowed in this context");
}

static void aliases_documents_and_odd_keys_are_refused(void **state)
{
    (void)state;
    assert_refused("a: &x 1\nb: *x\n", "s.yaml:2: alias *x; aliases are not taken, repeat the value");
    assert_refused("a: 1\n---\nb: 1\n", "s.yaml:2: a second document starts here; keep one per file");
    assert_refused("a: 1\n? [1, 2]\n: 3\n",
                   "s.yaml:2: a list or mapping used as a key; write a plain word before the ':'");
    assert_refused("a: \"x\\0y\"\n", "s.yaml:1: text with a zero byte in it; remove the \\0");
}

static void tags_that_change_a_value_are_refused(void **state)
{
    (void)state;
    assert_refused("a: 1\nb: !!binary aGVsbG8=\n", "s.yaml:2: the tag tag:yaml.org,2002:binary is not taken "
                                                   "here; write the value itself, without a tag");
    assert_refused_with("a: !!set {x}\n", "s.yaml:1: the tag");
    assert_refused_with("a: !!python/object:os.system [1]\n", "s.yaml:1: the tag");
    assert_refused_with("a: !local 1\n", "s.yaml:1: the tag !local");
    assert_refused_with("a: !!float \"1\"\n", "s.yaml:1: the tag");
    assert_accepted("a: !!float 1\nb: !!str text\nc: !!seq [1]\nd: !!map {e: !!int 3}\n");
}

static void a_top_without_keys_is_refused(void **state)
{
    (void)state;
    static const char *const empty[] = {"", "\n\n", "# only a comment\n", "---\n", "%YAML:1.0\n---\n"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        assert_refused(empty[i], "s.yaml:1: has no content; expected keys, as in \"key: value\"");
    assert_refused("- a\n- b\n", "s.yaml:1: expected keys, as in \"key: value\"");
    assert_refused("\n\nhello", "s.yaml:3: expected keys, as in \"key: value\"");
}

static void bytes_that_are_not_utf_8_are_named_with_their_line(void **state)
{
    (void)state;
    assert_refused_with("a: 1\nb: r\xF6t\n", "s.yaml:2: not text in UTF-8 (");
    assert_refused_with("\xEF\xBB\xBF\n\nb: \xFFz\n", "s.yaml:3: not text in UTF-8 (");
    assert_refused_with("a: 1\nb: \x01\n",
                        "s.yaml:2: not text in UTF-8 (control characters are not allowed)");
    static const char utf16[] = "\xFF\xFE"
                                "a\0:\0 \0b\0\n";
    assert_refused_bytes(utf16, sizeof utf16,
                         "s.yaml:1: not text in UTF-8 (invalid leading UTF-8 octet); save it as UTF-8");
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char text[2 * POV_YAML_DEPTH_MAX + 20];
    for (int extra = 0; extra <= 1; extra++) {
        int depth = POV_YAML_DEPTH_MAX - 1 + extra; /* the top mapping is the first level */
        strcpy(text, "a: ");
        memset(text + 3, '[', (size_t)depth);
        memset(text + 3 + depth, ']', (size_t)depth);
        text[3 + 2 * depth] = '\0';
        if (extra)
            assert_refused(text, "s.yaml:1: nested deeper than 32 levels; is it the right file?");
        else
            assert_accepted(text);
    }
}

/* A reader that is quadratic in any of these would run into the test's time limit. */
static void megabytes_of_anything_are_refused(void **state)
{
    (void)state;
    static const char *const units[] = {"[",   "{",   "- ", "? ",  "a,",   "[a,",   "\"",          "'",
                                        "&a ", "!t ", "\n", "a: ", "a:\n", "#\n",   "%a\n",        ":",
                                        "|\n", "{a",  "]",  "a",   " ",    "? a\n", "\xE2\x80\xA8"};
    size_t length = 4 << 20;
    char *text = malloc(length);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i]);
        for (size_t at = 0; at < length; at++)
            text[at] = units[i][at % unit];
        pov_yaml_file *file = NULL;
        pov_status status = pov_yaml_parse(&file, "s.yaml", text, length);
        assert_int_equal(status.code, POV_ERROR);
        assert_null(file);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_order_mark_and_windows_lines_are_accepted),
        cmocka_unit_test(files_that_opencv_writes_are_accepted),
        cmocka_unit_test(duplicate_keys_are_named_with_both_lines),
        cmocka_unit_test(broken_yaml_is_named_with_its_line),
        cmocka_unit_test(aliases_documents_and_odd_keys_are_refused),
        cmocka_unit_test(tags_that_change_a_value_are_refused),
        cmocka_unit_test(a_top_without_keys_is_refused),
        cmocka_unit_test(bytes_that_are_not_utf_8_are_named_with_their_line),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(megabytes_of_anything_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
