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
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_standard_s_examples_come_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
