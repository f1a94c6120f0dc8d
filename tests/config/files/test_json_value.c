#include "config/files/json_value.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *printed(cJSON *item, void (*print)(FILE *, cJSON *))
{
    char *text;
    size_t len;
    FILE *stream = open_memstream(&text, &len);
    print(stream, item);
    fclose(stream);
    return text;
}

static void any_text_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const texts[] = {"",         "plain", "\"quoted\\\"", "tab\tline\nbell\a",
                                        "\x01\x1f", "Bär 球"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cJSON *object = cJSON_CreateObject();
        pov_json_add_text(object, "text", texts[i]);
        char *text = printed(object, pov_json_print);
        cJSON *back = cJSON_Parse(text);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(back, "text")), texts[i]);
        cJSON_Delete(back);
        free(text);
    }
}

static void a_zero_in_a_text_does_not_end_it(void **state)
{
    (void)state;
    static const struct {
        const char *json, *key, *text;
    } cases[] = {
        {"{\"a\": \"yes\\u0000 no\"}", "a", "yes\xef\xbf\xbd no"},
        {"{\"a\": \"\\u0000\\u0000\"}", "a", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"{\"a\": \"C:\\\\u0000\"}", "a", "C:\\u0000"},      /* an escaped backslash, then letters */
        {"{\"a\": \"\\\\\\u0000\"}", "a", "\\\xef\xbf\xbd"}, /* an escaped backslash, then a zero */
        {"{\"a\": \"\\ud83d\\ude00\\u00001\"}", "a",
         "😀\xef\xbf\xbd"
         "1"},
        {"{\"a\\u0000b\": \"x\"}",
         "a\xef\xbf\xbd"
         "b",
         "x"}, /* in a key */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cJSON *object = pov_json_parse_text(cases[i].json);
        assert_string_equal(pov_json_text_of(object, cases[i].key), cases[i].text);
        cJSON_Delete(object);
    }
    static const char raw[] = "{\"a\": \"yes\0 no\"}", more[] = "[1] and [\"\\u0000\"]";
    assert_null(pov_json_parse(raw, sizeof raw - 1));
    const char *stopped;
    cJSON *first = pov_json_parse_begin(more, strlen(more), &stopped);
    assert_true(cJSON_IsArray(first) && stopped == more + 3);
    cJSON_Delete(first);
    assert_null(pov_json_parse_begin("[\"\\u0000", 8, &stopped));
}

static void numbers_are_as_short_as_their_digits_and_null_if_there_is_none(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {{0.1 + 0.2, 4, "0.3"}, {-0.00004, 4, "0"}, {2.0 / 3, 2, "0.67"}, {1234.5, 0, "1235"},
                 {-1234.4, 0, "-1234"}, {NAN, 3, "null"},   {INFINITY, 0, "null"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = printed(pov_json_rounded(cases[i].value, cases[i].digits), pov_json_print);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

static void a_line_ends_and_elements_have_commas_between_them(void **state)
{
    (void)state;
    char *text = printed(cJSON_CreateArray(), pov_json_print_line);
    assert_string_equal(text, "[]\n");
    free(text);
    size_t len;
    FILE *stream = open_memstream(&text, &len);
    bool first = true;
    for (int i = 0; i < 3; i++)
        pov_json_print_element(stream, pov_json_number(i), &first);
    fclose(stream);
    assert_string_equal(text, "0,1,2");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_comes_back_as_it_was),
        cmocka_unit_test(a_zero_in_a_text_does_not_end_it),
        cmocka_unit_test(numbers_are_as_short_as_their_digits_and_null_if_there_is_none),
        cmocka_unit_test(a_line_ends_and_elements_have_commas_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
