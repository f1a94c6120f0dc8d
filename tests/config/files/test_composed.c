/* Which names are in Unicode's form NFC: pairs of the Unicode Character Database, by hand. */
#include "config/files/composed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_letter_and_its_accent_are_one_character(void **state)
{
    (void)state;
    static const char *const composed[] = {"",        "caf\u00e9", "\u1ec7", "\uac01",
                                           "q\u0301", "\u00c5",    "\u5143"};
    static const char *const others[] = {"cafe\u0301",
                                         "e\u0323\u0302",
                                         "\uac00\u11a8",
                                         "\u1100\u1161",
                                         "\u212b",
                                         "\u30ab\u3099",
                                         "\u0915\u093c\u0301\u212a",
                                         "\uf900"};
    for (size_t i = 0; i < sizeof composed / sizeof *composed; i++)
        assert_true(pov_utf8_is_composed(composed[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(pov_utf8_is_composed(others[i]));
}

static void what_shows_nothing_is_told(void **state)
{
    (void)state;
    static const char *const shown[] = {"", "ball 1", "\u0645\u06cc\u200c\u0634\u0648\u062f", "\u2764\ufe0f"};
    static const char *const hidden[] = {"a\u200b", "\u202e", "x\u2066y", "\ufeff", "a\u00adb", "\U000e0041"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_true(pov_utf8_is_visible(shown[i]));
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        assert_false(pov_utf8_is_visible(hidden[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_and_its_accent_are_one_character),
        cmocka_unit_test(what_shows_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
