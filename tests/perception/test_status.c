#include "perception/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_message_is_formatted(void **state)
{
    (void)state;
    const pov_status status = pov_error("%s:%d: no such key", "table.yaml", 7);
    assert_int_equal(status.code, POV_ERROR);
    assert_string_equal(status.message, "table.yaml:7: no such key");
    assert_string_equal(pov_ok().message, "");
}

/* "\xC3\xA4" is \u00e4, "\xE2\x82\xAC" the euro sign, "\xF0\x9F\x98\x80" a face. */
static void a_character_that_is_cut_shows_as_a_question_mark(void **state)
{
    (void)state;
    assert_string_equal(pov_error("'%.4s...'", "caf\xC3\xA9").message, "'caf?...'");
    assert_string_equal(pov_error("'%.5s...'", "caf\xC3\xA9").message, "'caf\xC3\xA9...'");
    for (int kept = 1; kept < 3; kept++)
        assert_string_equal(pov_error("<%.*s>", kept, "\xE2\x82\xAC").message, "<?>");
    for (int kept = 1; kept < 4; kept++)
        assert_string_equal(pov_error("<%.*s>", kept, "\xF0\x9F\x98\x80").message, "<?>");
    assert_string_equal(pov_error("<%s>", "\xF0\x9F\x98\x80").message, "<\xF0\x9F\x98\x80>");
}

static void a_message_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    char text[3 * POV_MESSAGE_CAPACITY + 1] = "";
    for (size_t i = 0; i + 3 < sizeof text; i += 3)
        memcpy(text + i, "\xE2\x82\xAC", 4);
    for (int before = 0; before < 3; before++) {
        const pov_status status = pov_error("%.*s%s", before, "ab", text);
        const size_t length = strlen(status.message), lead = before < 2 ? (size_t)before : 2;
        assert_true(length > POV_MESSAGE_CAPACITY - 4 && (length - lead) % 3 == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_formatted),
        cmocka_unit_test(a_character_that_is_cut_shows_as_a_question_mark),
        cmocka_unit_test(a_message_too_long_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
