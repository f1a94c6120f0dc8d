#include "config/files/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* RFC 4648, section 10, and the two digits it leaves out. */
static void the_standard_s_examples_come_out(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xFB\xFF\xBF", "+/+/"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[16];
        const size_t len = strlen(pairs[i][0]);
        pov_base64_write(text, (const unsigned char *)pairs[i][0], len);
        assert_string_equal(text, pairs[i][1]);
        assert_int_equal(pov_base64_len(len), strlen(text));
        unsigned char bytes[16];
        assert_int_equal(pov_base64_read(bytes, text), len);
        assert_memory_equal(bytes, pairs[i][0], len);
    }
}

static void other_text_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"Zg", "Zm9v!", "Zm9*", "Zm8", "Z"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        unsigned char bytes[16];
        assert_true(pov_base64_read(bytes, texts[i]) == SIZE_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_standard_s_examples_come_out),
                                       cmocka_unit_test(other_text_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
