#include "config/files/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static void csv_is_quoted_where_it_must_be(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"", ""},
                                           {"plain \xc3\xa9", "plain \xc3\xa9"},
                                           {"a,b", "\"a,b\""},
                                           {"a;b", "\"a;b\""},
                                           {"a\nb", "\"a\nb\""},
                                           {"\"", "\"\"\"\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        pov_csv_write(stream, cases[i][0]);
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

/* As a spreadsheet judges a cell: LibreOffice and Excel take it for a formula by its first character. */
static void formulas_are_written_as_text_and_read_back(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"=1+1", "'=1+1"},
        {"@SUM(1)", "'@SUM(1)"},
        {"+49 30", "'+49 30"},
        {"-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"},
        {"=HYPERLINK(\"http://a\",1)", "\"'=HYPERLINK(\"\"http://a\"\",1)\""},
        {"\t=1", "\"'\t=1\""},
        {"'=1", "''=1"},
        {"''-3", "'''-3"},
        {"-3", "-3"},
        {"+0.25", "+0.25"},
        {"-1.5e-3", "-1.5e-3"},
        {"-inf", "-inf"},
        {"-", "-"},
        {"'tis", "'tis"},
        {"a=1", "a=1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        pov_csv_write(stream, cases[i][0]);
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, cases[i][1]);
        assert_int_equal(pov_csv_begin(&csv, "a.csv", text, length, false).code, POV_OK);
        assert_int_equal(pov_csv_next(&csv).code, POV_OK);
        assert_int_equal(csv.len, 1);
        assert_string_equal(csv.fields[0], cases[i][0]);
        pov_csv_end(&csv);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_are_as_rfc_4180_says),
                                       cmocka_unit_test(comments_are_skipped_where_they_are_allowed),
                                       cmocka_unit_test(errors_name_file_and_line),
                                       cmocka_unit_test(csv_is_quoted_where_it_must_be),
                                       cmocka_unit_test(formulas_are_written_as_text_and_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
