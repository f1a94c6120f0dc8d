#include "config/files/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_any_length_is_whole(void **state)
{
    pov_text text = {0};
    char *wanted = calloc(1, 300001);
    (void)state;
    assert_string_equal(pov_text_of(&text), "");
    for (int i = 0; i < 100000; i++) {
        pov_text_add(&text, "%03d", i % 1000);
        wanted[3 * i] = (char)('0' + i / 100 % 10);
        wanted[3 * i + 1] = (char)('0' + i / 10 % 10);
        wanted[3 * i + 2] = (char)('0' + i % 10);
    }
    assert_int_equal(text.len, 300000);
    assert_string_equal(pov_text_of(&text), wanted);
    for (size_t len = 1; len < 300; len++) { /* each capacity's edge */
        pov_text_set(&text, "%.*s", (int)len, wanted);
        assert_int_equal(text.len, len);
        assert_int_equal(strlen(pov_text_of(&text)), len);
        assert_memory_equal(pov_text_of(&text), wanted, len);
    }
    char *taken = pov_text_take(&text);
    assert_int_equal(strlen(taken), 299);
    assert_string_equal(pov_text_of(&text), "");
    free(taken);
    taken = pov_text_take(&text);
    assert_string_equal(taken, "");
    free(taken);
    free(wanted);
}

static void test_bytes_may_be_zero(void **state)
{
    pov_text text = {0};
    (void)state;
    pov_text_add_bytes(&text, "", 0);
    pov_text_add_bytes(&text, "a\0b", 3);
    assert_int_equal(text.len, 3);
    assert_memory_equal(pov_text_of(&text), "a\0b", 4);
    pov_text_clear(&text);
    assert_int_equal(text.len, 0);
    assert_string_equal(pov_text_of(&text), "");
    pov_text_free(&text);
    pov_text_free(&text);
    char *made = pov_text_new("%d of %s", 3, "four");
    assert_string_equal(made, "3 of four");
    free(made);
}

static void test_a_place_tells_what_does_not_fit(void **state)
{
    char place[6] = "x";
    (void)state;
    assert_true(pov_text_fits(place, sizeof place, "12345"));
    assert_string_equal(place, "12345");
    assert_false(pov_text_fits(place, sizeof place, "123456"));
    assert_string_equal(place, "");
    assert_true(pov_text_fits_as(place, sizeof place, "%d", 12345));
    assert_false(pov_text_fits_as(place, sizeof place, "%d", 123456));
    assert_string_equal(place, "");
    assert_true(pov_text_fits(place, 1, ""));
    assert_false(pov_text_fits(place, 1, "1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_length_is_whole),
                                       cmocka_unit_test(test_bytes_may_be_zero),
                                       cmocka_unit_test(test_a_place_tells_what_does_not_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
