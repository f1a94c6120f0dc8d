#include "config/files/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static pov_csv csv;

/* The rows of a text, fields with "|" between and rows with "/"; or the error. */
static const char *rows_of(const char *text, bool commented)
{
    static char rows[400];
    rows[0] = '\0';
    pov_status status = pov_csv_begin(&csv, "a.csv", text, strlen(text), commented);
    while (status.code == POV_OK && (status = pov_csv_next(&csv)).code == POV_OK)
        for (int i = 0; i < csv.len; i++) {
            strcat(rows, i > 0 ? "|" : rows[0] ? "/" : "");
            strcat(rows, csv.fields[i]);
        }
    pov_csv_end(&csv);
    return status.code == POV_END ? rows : strcpy(rows, status.message);
}

static void fields_are_as_rfc_4180_says(void **state)
{
    (void)state;
    assert_string_equal(rows_of("a,b\r\n1, 2 \n\"x, y\",\"say \"\"no\"\"\"\n\"two\nlines\",\n", false),
                        "a|b/1|2/x, y|say \"no\"/two\nlines|");
    assert_string_equal(rows_of("\xef\xbb\xbf# a comment\n\na;b,c;d\n1;2;3", false), "a|b,c|d/1|2|3");
    assert_string_equal(rows_of("a\tb\n\t\n", false), "a|b/|");
    assert_string_equal(rows_of("", false), "");
}

static void comments_are_skipped_where_they_are_allowed(void **state)
{
    (void)state;
    assert_string_equal(rows_of("a,b\n#1,2\n", false), "a|b/#1|2");
    assert_string_equal(rows_of("a,b\n#1,2\n3,4\n", true), "a|b/3|4");
}

static void errors_name_file_and_line(void **state)
{
    (void)state;
    assert_string_equal(rows_of("a\n\"b\n", false), "a.csv:2: a quote is opened and not closed");
    assert_non_null(strstr(rows_of("a\nb\n\"c\" d\n", false), "a.csv:3: text after a closing quote"));
    assert_int_equal(pov_csv_check_text("a.csv", "a\0b", 3).code, POV_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_as_rfc_4180_says),
        cmocka_unit_test(comments_are_skipped_where_they_are_allowed),
        cmocka_unit_test(errors_name_file_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
