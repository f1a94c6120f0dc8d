#include "compare/vlm/vlm_secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char key[] = "sk-live-0123456789abcdef";

#define ASSERT_SHOWS(LITERAL) assert_true(pov_vlm_shows_secret(LITERAL, sizeof(LITERAL) - 1, key))

/* Base64 by the coreutils program. */
static void the_key_is_found_in_every_form(void **state)
{
    (void)state;
    ASSERT_SHOWS("Bearer sk-live-0123456789abcdef");
    ASSERT_SHOWS("{}\0sk-live-0123456789abcdef");
    ASSERT_SHOWS("\\u0073\\u006B-live-0123456789abcdef");
    ASSERT_SHOWS("\\x73k\\-live\\u002d0123456789abcdef");
    ASSERT_SHOWS("sk%2Dlive%2d0123456789abcdef");
    ASSERT_SHOWS("&#115;k-live&#x2d;0123456789abcdef");
    ASSERT_SHOWS("\\\\u0073k-live-0123456789abcdef");
    ASSERT_SHOWS("%2573k-live-0123456789abcdef");
    ASSERT_SHOWS("c2stbGl2ZS0wMTIzNDU2Nzg5YWJjZGVm");
    ASSERT_SHOWS("QmVhcmVyIHNrLWxpdmUtMDEyMzQ1Njc4OWFiY2RlZiE=");
    ASSERT_SHOWS("eHgsc2stbGl2ZS0wMTIzNDU2Nzg5YWJjZGVmISE=");
    ASSERT_SHOWS("eCxzay1saXZlLTAxMjM0NTY3ODlhYmNkZWYhISE=");
}

/* Swapped case, and base64 and hexadecimal digits of a part, by the coreutils programs. */
static void most_of_the_key_shows_it_in_letters_of_any_case(void **state)
{
    (void)state;
    ASSERT_SHOWS("key sk-live-0123456789ab is wrong");
    ASSERT_SHOWS("sk-live-0123456789abcde");
    ASSERT_SHOWS("live-0123456789abcdef");
    ASSERT_SHOWS("SK-LIVE-0123456789ABCDEF");
    ASSERT_SHOWS("Sk-LiVe-0123456789aBcDeF");
    ASSERT_SHOWS("{\"e\": \"SK\\u002dLIVE\\u002d0123456789AB\"}");
    ASSERT_SHOWS("c2stbGl2ZS0wMTIzNDU2Nzg5YWI=");
    ASSERT_SHOWS("C2STBGL2ZS0WMTIZNDU2NZG5YWI=");
    ASSERT_SHOWS("736b2d6c6976652d303132333435363738396162");
    ASSERT_SHOWS("fedcba9876543210-evil-ks");
    assert_false(pov_vlm_shows_secret("sk-live-***cdef", 15, key)); /* as servers write it */
}

static void other_text_is_not_taken_for_the_key(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",  "sk-live-", "0123456789", "{\"text\": \"The ball is to the left. \\u00e9 100 % &#x;\"}",
        "%", "\\",       "&#",         "\\u00",
        "%4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(pov_vlm_shows_secret(texts[i], strlen(texts[i]), key));
    assert_false(pov_vlm_shows_secret("left", 4, "lef"));
    assert_false(pov_vlm_shows_secret("left", 4, ""));
}

static void the_key_is_blanked_wherever_it_stands(void **state)
{
    (void)state;
    char text[] = "a sk-live-0123456789abcdef\0sk-live-0123456789abcdef";
    pov_vlm_blank_secret(text, sizeof text - 1, key);
    assert_memory_equal(text, "a ************************\0************************", sizeof text);
    char part[] = "not SK-live-0123456789ab, but sk-live-0123.";
    pov_vlm_blank_secret(part, sizeof part - 1, key);
    assert_string_equal(part, "not ********************, but ************.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_is_found_in_every_form),
        cmocka_unit_test(most_of_the_key_shows_it_in_letters_of_any_case),
        cmocka_unit_test(other_text_is_not_taken_for_the_key),
        cmocka_unit_test(the_key_is_blanked_wherever_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
