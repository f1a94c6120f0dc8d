#include "config/files/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void control_characters_are_not_plain(void **state)
{
    (void)state;
    static const char *const plain[] = {"", "ball 1", "Käfer", "球", "\xc2\xa0", "~", "\xe2\x80\x8f"};
    static const char *const others[] = {"\x1b[2J",
                                         "a\tb",
                                         "a\n",
                                         "\x7f",
                                         "\xc2\x9b\x33\x31m",
                                         "\xc2\x80",
                                         "\xff",
                                         "\xc2",
                                         "a\xe2\x80\xaetxt.b" /* U+202E */,
                                         "\xe2\x81\xa7" /* U+2067 */};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_true(pov_utf8_is_plain(plain[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(pov_utf8_is_plain(others[i]));
}

static void printing_keeps_lines_and_tabs_and_replaces_other_controls(void **state)
{
    (void)state;
    char *text;
    size_t len;
    FILE *stream = open_memstream(&text, &len);
    pov_utf8_print(stream, "Käfer\t1\n\x1b[2J\xc2\x9b"
                           "0m\xff\x07!");
    fclose(stream);
    assert_string_equal(text, "Käfer\t1\n?[2J?0m?"
                              "?!");
    free(text);
}

/* By the Unicode Character Database; İ has i as its small letter, others are one for one. */
static void a_text_too_long_is_shown_without_its_middle(void **state)
{
    (void)state;
    char out[64], long_text[3100] = "";
    pov_utf8_shorten(out, sizeof out, "It is on the left.");
    assert_string_equal(out, "It is on the left.");
    for (int i = 0; i < 1000; i++)
        strcat(long_text, i == 0 ? "<左" : "左");
    strcpy(long_text + strlen(long_text) - 3, "end");
    pov_utf8_shorten(out, sizeof out, long_text);
    assert_true(strlen(out) < sizeof out && pov_utf8_is_valid(out));
    assert_non_null(strstr(out, "左 … 左"));
    assert_string_equal(out + strlen(out) - 6, "左end");
    assert_int_equal(out[0], '<');
    for (size_t capacity = 1; capacity < 64; capacity++) {
        memset(out, 'x', sizeof out);
        pov_utf8_shorten(out, capacity, long_text);
        assert_true(strlen(out) < capacity && pov_utf8_is_valid(out));
    }
}

static void letters_have_small_ones_and_capitals(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"A", "a"}, {"Ä", "ä"}, {"Ø", "ø"}, {"Č", "č"}, {"Ł", "ł"},
                                           {"Ž", "ž"}, {"Ş", "ş"}, {"Ơ", "ơ"}, {"Ế", "ế"}, {"Ά", "ά"},
                                           {"Ώ", "ώ"}, {"Σ", "σ"}, {"Ж", "ж"}, {"Ё", "ё"}, {"Я", "я"},
                                           {"Ґ", "ґ"}, {"Є", "є"}, {"Ị", "ị"}};
    static const char *const same[] = {"1", "ß", "×", "÷", "球", "ب", "가", "ı", "~"};
    char out[5] = "";
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        out[pov_utf8_small(out, pairs[i][0])] = '\0';
        assert_string_equal(out, pairs[i][1]);
        out[pov_utf8_capital(out, pairs[i][1])] = '\0';
        assert_string_equal(out, pairs[i][0]);
        out[pov_utf8_small(out, pairs[i][1])] = '\0';
        assert_string_equal(out, pairs[i][1]);
    }
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        out[pov_utf8_small(out, same[i])] = '\0';
        assert_string_equal(out, same[i]);
        out[pov_utf8_capital(out, same[i])] = '\0';
        assert_string_equal(out, same[i]);
    }
    out[pov_utf8_small(out, "İ")] = '\0';
    assert_string_equal(out, "i");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_not_plain),
        cmocka_unit_test(a_text_too_long_is_shown_without_its_middle),
        cmocka_unit_test(letters_have_small_ones_and_capitals),
        cmocka_unit_test(printing_keeps_lines_and_tabs_and_replaces_other_controls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
