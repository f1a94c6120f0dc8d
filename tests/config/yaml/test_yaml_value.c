#include "config/yaml/yaml_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/yaml.h"

typedef void reader(pov_yaml_node value);

static void read_radius(pov_yaml_node value)
{
    double number = -7;
    pov_yaml_number(&number, value, 0, 100);
    assert_true(number == -7);
}

static void read_positive(pov_yaml_node value)
{
    double number = -7;
    pov_yaml_number(&number, value, 0, INFINITY);
    assert_true(number == -7);
}

static void read_integer(pov_yaml_node value)
{
    int number = -7;
    pov_yaml_integer(&number, value, 0, 586);
    assert_int_equal(number, -7);
}

static void read_bool(pov_yaml_node value)
{
    bool yes = true;
    pov_yaml_bool(&yes, value);
    assert_true(yes);
}

static void read_text(pov_yaml_node value)
{
    char text[8] = "same";
    pov_yaml_copy_string(text, sizeof text, value);
    assert_string_equal(text, "same");
}

static void read_family(pov_yaml_node value)
{
    static const char *const names[] = {"tag36h11", "tag25h9", "tag16h5"};
    int choice = -7;
    pov_yaml_choice(&choice, value, names, 3);
    assert_int_equal(choice, -7);
}

static void read_three(pov_yaml_node value)
{
    double numbers[3] = {-7, -7, -7};
    pov_yaml_numbers(numbers, value, 3, -10, 10);
    for (int i = 0; i < 3; i++)
        assert_true(numbers[i] == -7);
}

/* Reads cast[0].v of a file whose third line is `value`. */
static void assert_complains(reader *read, const char *value, const char *message)
{
    char text[400];
    snprintf(text, sizeof text, "# station\ncast:\n  - v: %s\n", value);
    pov_yaml_file *file = test_yaml(text);
    pov_yaml_node cast = pov_yaml_get(pov_yaml_root(file), "cast");
    read(pov_yaml_get(pov_yaml_at(cast, 0), "v"));
    assert_true(pov_yaml_failed(file));
    assert_finishes(file, message);
}

static void values_of_each_kind_are_read(void **state)
{
    (void)state;
    pov_yaml_file *file = test_yaml("name: comfort ball\n"
                                    "rate_hz: 2.5\n"
                                    "count: 36\n"
                                    "loop: true\n"
                                    "once: false\n"
                                    "family: tag25h9\n"
                                    "size_m: [1, -2.5e-1, .5]\n"
                                    "quoted: \"3\"\n");
    pov_yaml_node root = pov_yaml_root(file);
    static const char *const families[] = {"tag36h11", "tag25h9"};
    const char *name = NULL, *quoted = NULL;
    char copy[13];
    double rate_hz = 0, size_m[3];
    int count = 0, family = -1;
    bool loop = false, once = true;
    pov_yaml_string(&name, pov_yaml_get(root, "name"));
    pov_yaml_copy_string(copy, sizeof copy, pov_yaml_get(root, "name"));
    pov_yaml_number(&rate_hz, pov_yaml_get(root, "rate_hz"), 0, 100);
    pov_yaml_integer(&count, pov_yaml_get(root, "count"), 36, 36);
    pov_yaml_bool(&loop, pov_yaml_get(root, "loop"));
    pov_yaml_bool(&once, pov_yaml_get(root, "once"));
    pov_yaml_choice(&family, pov_yaml_get(root, "family"), families, 2);
    pov_yaml_numbers(size_m, pov_yaml_get(root, "size_m"), 3, -INFINITY, INFINITY);
    pov_yaml_string(&quoted, pov_yaml_get(root, "quoted"));
    assert_string_equal(name, "comfort ball");
    assert_string_equal(copy, "comfort ball");
    assert_string_equal(quoted, "3");
    assert_true(rate_hz == 2.5 && count == 36 && loop && !once && family == 1);
    assert_true(size_m[0] == 1 && size_m[1] == -0.25 && size_m[2] == 0.5);
    assert_finishes(file, "");
}

static void every_number_of_yaml_1_2_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double number;
    } cases[] = {{"0", 0},       {"-0", 0},     {"+1.5", 1.5},     {"1.", 1},
                 {".5", .5},     {"-.5", -.5},  {"1e3", 1000},     {"1.e+03", 1e3},
                 {"12E-1", 1.2}, {"0.07", .07}, {"6.25e-2", .0625}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[40];
        snprintf(text, sizeof text, "v: %s", cases[i].text);
        pov_yaml_file *file = test_yaml(text);
        double number = -7;
        pov_yaml_number(&number, pov_yaml_get(pov_yaml_root(file), "v"), -1e9, 1e9);
        assert_true(number == cases[i].number);
        assert_finishes(file, "");
    }
}

static void paths_are_relative_to_the_file_that_names_them(void **state)
{
    (void)state;
    static const struct {
        const char *file, *value, *path;
    } cases[] = {{"a/b/s.yaml", "cam.yaml", "a/b/cam.yaml"},
                 {"a/s.yaml", "../cam.yaml", "a/../cam.yaml"},
                 {"s.yaml", "cam.yaml", "cam.yaml"},
                 {"/s.yaml", "cam.yaml", "/cam.yaml"},
                 {"a/s.yaml", "/etc/cam.yaml", "/etc/cam.yaml"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[40], path[20] = "";
        snprintf(text, sizeof text, "p: %s", cases[i].value);
        pov_yaml_file *file = NULL;
        assert_int_equal(pov_yaml_parse(&file, cases[i].file, text, strlen(text)).code, POV_OK);
        assert_string_equal(pov_yaml_path(file), cases[i].file);
        pov_yaml_relative_path(path, sizeof path, pov_yaml_get(pov_yaml_root(file), "p"));
        assert_string_equal(path, cases[i].path);
        assert_finishes(file, "");
    }
    pov_yaml_file *file = test_yaml("p: a_name_that_is_too_long.yaml");
    char path[20] = "same";
    pov_yaml_relative_path(path, sizeof path, pov_yaml_get(pov_yaml_root(file), "p"));
    assert_string_equal(path, "same");
    assert_finishes(file, "s.yaml:1: p: the path is longer than 19 bytes");
}

#define NOT_RADIUS "s.yaml:3: cast[0].v: expected a number between 0 and 100, got "

static void a_wrong_number_is_named_with_line_key_and_an_example(void **state)
{
    (void)state;
    assert_complains(read_radius, "big", NOT_RADIUS "\"big\"; write e.g. v: 0.6");
    assert_complains(read_radius, "", NOT_RADIUS "nothing; write e.g. v: 0.6");
    assert_complains(read_radius, "\"3\"", NOT_RADIUS "the quoted text \"3\"; write e.g. v: 0.6");
    assert_complains(read_radius, "[1]", NOT_RADIUS "a list; write e.g. v: 0.6");
    assert_complains(read_radius, "{a: 1}", NOT_RADIUS "keys of its own; write e.g. v: 0.6");
    assert_complains(read_radius, "101", NOT_RADIUS "101");
    assert_complains(read_radius, "-1e-9", NOT_RADIUS "-1e-9");
    assert_complains(read_positive, "-1", "s.yaml:3: cast[0].v: expected a number of at least 0, got -1");
    static const char *const others[] = {"1,5", "0x10", "1e", "1 m", "1.2.3", "--1", ".", "e5", "1_000", "~"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char message[200];
        snprintf(message, sizeof message, NOT_RADIUS "\"%s\"; write e.g. v: 0.6", others[i]);
        assert_complains(read_radius, others[i], message);
    }
}

static void not_a_number_and_infinity_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {".nan", ".NaN", ".Inf",      "-.inf", "nan",
                                        "NaN",  "inf",  "-Infinity", "1e999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char message[200];
        snprintf(message, sizeof message,
                 "s.yaml:3: cast[0].v: expected a finite number between 0 and 100, got %s; write e.g. v: 0.6",
                 texts[i]);
        assert_complains(read_radius, texts[i], message);
    }
    assert_complains(
        read_three, "[1, .nan, 3]",
        "s.yaml:3: cast[0].v[1]: expected a finite number between -10 and 10, got .nan; write e.g. "
        "0.6");
}

#define NOT_WHOLE "s.yaml:3: cast[0].v: expected a whole number between 0 and 586, got "

static void a_wrong_whole_number_is_named(void **state)
{
    (void)state;
    assert_complains(read_integer, "3.0", NOT_WHOLE "3.0; write e.g. v: 1");
    assert_complains(read_integer, "three", NOT_WHOLE "\"three\"; write e.g. v: 1");
    assert_complains(read_integer, "587", NOT_WHOLE "587");
    assert_complains(read_integer, "99999999999999999999", NOT_WHOLE "99999999999999999999");
}

#define NOT_BOOL                                                                                             \
    "s.yaml:3: cast[0].v: expected true or false (yes, no, on and off are plain text in YAML 1.2), got "

static void only_true_and_false_are_booleans(void **state)
{
    (void)state;
    static const char *const texts[] = {"yes", "no", "on", "off", "y", "n", "True"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char message[250];
        snprintf(message, sizeof message, NOT_BOOL "\"%s\"; write e.g. v: true", texts[i]);
        assert_complains(read_bool, texts[i], message);
    }
    assert_complains(read_bool, "\"true\"", NOT_BOOL "the quoted text \"true\"; write e.g. v: true");
    assert_complains(read_bool, "1", NOT_BOOL "1; write e.g. v: true");
}

/* PyYAML and other readers of YAML 1.1 take 010 for 8. */
static void whole_numbers_with_a_leading_zero_are_refused(void **state)
{
    (void)state;
#define OCTAL " begins with a zero, which YAML 1.1 reads as octal and YAML 1.2 as decimal; write "
    assert_complains(read_radius, "010", "s.yaml:3: cast[0].v: 010" OCTAL "10 for the decimal number");
    assert_complains(read_integer, "-007", "s.yaml:3: cast[0].v: -007" OCTAL "-7 for the decimal number");
    assert_complains(read_three, "[1, 00, 2]", "s.yaml:3: cast[0].v[1]: 00" OCTAL "0 for the decimal number");
}

static void read_name(pov_yaml_node value)
{
    char name[32] = "unchanged";
    pov_yaml_copy_name(name, sizeof name, value);
}

/* The pairs are of the Unicode Standard's annex 15. */
static void names_that_look_like_others_are_refused(void **state)
{
    (void)state;
    static const char *const plain[] = {"caf\\u00e9", "ball", "\\u7403", "\\ud55c",
                                        "\\u06a9\\u062a\\u0627\\u0628\\u200c\\u0647\\u0627"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char text[80], name[32] = "";
        snprintf(text, sizeof text, "v: \"%s\"", plain[i]);
        pov_yaml_file *file = test_yaml(text);
        pov_yaml_copy_name(name, sizeof name, pov_yaml_get(pov_yaml_root(file), "v"));
        assert_true(*name);
        assert_finishes(file, "");
    }
    static const char *const decomposed[] = {"\"cafe\\u0301\"", "\"\\u1112\\u1161\\u11ab\"", "\"\\u212b\"",
                                             "\"a\\u0323\\u0302\"", "\"\\u30ab\\u3099\""};
    for (size_t i = 0; i < sizeof decomposed / sizeof *decomposed; i++)
        assert_complains(
            read_name, decomposed[i],
            "s.yaml:3: cast[0].v: has a letter whose accent is a character of its own (Unicode's form "
            "NFD), and looks like another name; type it again, in the form NFC");
    assert_complains(
        read_name, "\"a\\u200bb\"",
        "s.yaml:3: cast[0].v: has a character that shows nothing or turns the direction of writing; "
        "type it again, without pasting");
    assert_complains(read_name, "\"a\\u202eb\"",
                     "s.yaml:3: cast[0].v: has control characters; write printable text, e.g. ball_1");
}

static void text_that_is_missing_or_too_long_is_named(void **state)
{
    (void)state;
    assert_complains(read_text, "12345678", "s.yaml:3: cast[0].v: has 8 bytes; at most 7 fit, shorten it");
    assert_complains(read_text, "[a]",
                     "s.yaml:3: cast[0].v: expected text, got a list; write e.g. v: \"some text\"");
    assert_complains(read_text, "~",
                     "s.yaml:3: cast[0].v: expected text, got \"~\"; write e.g. v: \"some text\"");
    assert_complains(read_text, "",
                     "s.yaml:3: cast[0].v: expected text, got nothing; write e.g. v: \"some text\"");
}

static void a_wrong_choice_gets_the_list_and_the_nearest(void **state)
{
    (void)state;
    assert_complains(
        read_family, "tag36h12",
        "s.yaml:3: cast[0].v: expected one of tag36h11, tag25h9, tag16h5; got \"tag36h12\", did you "
        "mean \"tag36h11\"?");
    assert_complains(read_family, "aruco",
                     "s.yaml:3: cast[0].v: expected one of tag36h11, tag25h9, tag16h5; got \"aruco\"");
}

static void lists_of_the_wrong_length_are_named(void **state)
{
    (void)state;
    assert_complains(read_three, "[1, 2]", "s.yaml:3: cast[0].v: expected a list of 3 numbers, got 2");
    assert_complains(read_three, "1",
                     "s.yaml:3: cast[0].v: expected a list, as in [a, b] or lines that start with \"- \"");
    assert_complains(
        read_three, "[1, 2, far]",
        "s.yaml:3: cast[0].v[2]: expected a number between -10 and 10, got \"far\"; write e.g. 0.6");
}

static void long_and_unprintable_values_are_cut_in_messages(void **state)
{
    (void)state;
    assert_complains(read_radius, "\"a\\nb\\e[31m\"",
                     NOT_RADIUS "the quoted text \"a b [31m\"; write e.g. v: 0.6");
    char value[200] = "", expected[300]; /* two-byte letters: cut between letters, not within one */
    for (int i = 0; i < 60; i++)
        strcat(value, "\xC3\xA4");
    snprintf(expected, sizeof expected, NOT_RADIUS "\"%.56s...\"; write e.g. v: 0.6", value);
    assert_complains(read_radius, value, expected);
}

static void long_paths_and_keys_keep_the_telling_end(void **state)
{
    (void)state;
    enum { LEVELS = 30 };
    static const char key[] = "a_rather_long_key_of_many_letters";
    char name[400], text[4000] = "";
    memset(name, 'd', sizeof name);
    strcpy(name + sizeof name - 12, "/s.yaml");
    for (int i = 0; i < LEVELS; i++)
        strcat(strcat(strcat(text, "{"), key), ": ");
    strcat(text, "x");
    for (int i = 0; i < LEVELS; i++)
        strcat(text, "}");
    pov_yaml_file *file = NULL;
    assert_int_equal(pov_yaml_parse(&file, name, text, strlen(text)).code, POV_OK);
    pov_yaml_node node = pov_yaml_root(file);
    for (int i = 0; i < LEVELS; i++)
        node = pov_yaml_get(node, key);
    double ignored;
    pov_yaml_number(&ignored, node, 0, 100);
    pov_status status = pov_yaml_finish(file);
    assert_non_null(strstr(status.message, "dd/s.yaml:1: ....a_rather_long_key_of_many_letters.a_rather"));
    assert_non_null(strstr(status.message, "many_letters: expected a number between 0 and 100, got \"x\""));
    pov_yaml_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_each_kind_are_read),
        cmocka_unit_test(every_number_of_yaml_1_2_is_taken),
        cmocka_unit_test(paths_are_relative_to_the_file_that_names_them),
        cmocka_unit_test(a_wrong_number_is_named_with_line_key_and_an_example),
        cmocka_unit_test(not_a_number_and_infinity_are_refused),
        cmocka_unit_test(a_wrong_whole_number_is_named),
        cmocka_unit_test(only_true_and_false_are_booleans),
        cmocka_unit_test(whole_numbers_with_a_leading_zero_are_refused),
        cmocka_unit_test(names_that_look_like_others_are_refused),
        cmocka_unit_test(text_that_is_missing_or_too_long_is_named),
        cmocka_unit_test(a_wrong_choice_gets_the_list_and_the_nearest),
        cmocka_unit_test(lists_of_the_wrong_length_are_named),
        cmocka_unit_test(long_and_unprintable_values_are_cut_in_messages),
        cmocka_unit_test(long_paths_and_keys_keep_the_telling_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
