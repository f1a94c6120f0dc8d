#include "config/files/markup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_written(const char *text, const char *expected)
{
    char *written;
    size_t length;
    FILE *stream = open_memstream(&written, &length);
    pov_markup_text(stream, text);
    fclose(stream);
    assert_string_equal(written, expected);
    free(written);
}

static void what_markup_means_becomes_text(void **state)
{
    (void)state;
    assert_written("<script a=\"1\" b='2'>&amp;</script>",
                   "&lt;script a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;&lt;/script&gt;");
    assert_written("", "");
}

static void languages_pass_unchanged(void **state)
{
    (void)state;
    assert_written("θ links 左 слева يسار 🏀", "θ links 左 слева يسار 🏀");
}

static void control_characters_cannot_hide(void **state)
{
    (void)state;
    assert_written("a\tb\r\nc\x01\x1b\x7f", "a b  c???");
}

/* Unicode 15, Table 3-7: well-formed UTF-8. */
static void bytes_that_are_not_utf8_are_replaced_one_by_one(void **state)
{
    (void)state;
#define BAD "\xef\xbf\xbd"
    assert_written("\x80", BAD);
    assert_written("\xc0\xaf", BAD BAD);                 /* an overlong "/" */
    assert_written("\xe0\x9f\xbf", BAD BAD BAD);         /* overlong */
    assert_written("\xe0\xa0\x80", "\xe0\xa0\x80");      /* the first of three bytes */
    assert_written("\xed\x9f\xbf", "\xed\x9f\xbf");      /* the last before the surrogates */
    assert_written("\xed\xa0\x80", BAD BAD BAD);         /* a surrogate */
    assert_written("\xf0\x8f\xbf\xbf", BAD BAD BAD BAD); /* overlong */
    assert_written("\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd");
    assert_written("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* over U+10FFFF */
    assert_written("\xff<", BAD "&lt;");
    assert_written("\xe2\x82", BAD BAD);         /* cut off */
    assert_written("\xef\xbf\xbe", BAD BAD BAD); /* XML forbids U+FFFE */
    assert_written("\xef\xb7\x90", BAD BAD BAD); /* cairo stops at U+FDD0 */
    assert_written("\xf4\x8f\xbf\xbe", BAD BAD BAD BAD);
    assert_written("\xef\xb7\xb0", "\xef\xb7\xb0"); /* U+FDF0, a letter */
#undef BAD
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_markup_means_becomes_text),
                                       cmocka_unit_test(languages_pass_unchanged),
                                       cmocka_unit_test(control_characters_cannot_hide),
                                       cmocka_unit_test(bytes_that_are_not_utf8_are_replaced_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
