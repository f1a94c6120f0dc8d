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
    static const char *const plain[] = {"", "ball 1", "Käfer", "球", "\xc2\xa0", "~"};
    static const char *const others[] = {"\x1b[2J",           "a\tb",     "a\n",  "\x7f",
                                         "\xc2\x9b\x33\x31m", "\xc2\x80", "\xff", "\xc2"};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_not_plain),
        cmocka_unit_test(printing_keeps_lines_and_tabs_and_replaces_other_controls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
