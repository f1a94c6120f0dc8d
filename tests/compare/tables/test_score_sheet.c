#include "compare/tables/score_sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static pov_sheet *filled(void)
{
    pov_sheet *sheet;
    const pov_estimate known = {0.12345, 0.1, 0.15, 7}, alone = {1, NAN, NAN, 1}, none = {NAN, NAN, NAN, 0};
    const double numbers[] = {1, NAN, 0.5};
    sheet = pov_sheet_new();
    pov_sheet_add_table(sheet, "first", "The first");
    for (int i = 0; i < 40; i++) {
        pov_sheet_add_row(sheet);
        pov_sheet_add_text(sheet, "name", i == 1 ? "a \"b\"" : "x");
        pov_sheet_add_text(sheet, "nothing", "");
        pov_sheet_add_count(sheet, "count", i);
        pov_sheet_add_share(sheet, "share", i == 2 ? NAN : 0.25);
        pov_sheet_add_estimate(sheet, "estimate", i == 0 ? &known : i == 1 ? &alone : &none);
        pov_sheet_add_numbers(sheet, "numbers", numbers, 3);
    }
    pov_sheet_add_table(sheet, "empty", "Nothing in it");
    return sheet;
}

static char *written(const pov_sheet *sheet, bool json)
{
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    pov_sheet_write(sheet, stream, json);
    fclose(stream);
    return text;
}

static void programs_get_all_digits_and_null_for_unknown(void **state)
{
    (void)state;
    pov_sheet *sheet = filled();
    char *text = written(sheet, true);
    assert_non_null(strstr(text, "{\"first\":[{\"name\":\"x\",\"nothing\":\"\",\"count\":0,\"share\":0.25,"
                                 "\"estimate\":{\"mean\":0.12345,\"low\":0.1,\"high\":0.15,\"n\":7},"
                                 "\"numbers\":[1,null,0.5]},{\"name\":\"a \\\"b\\\"\""));
    assert_non_null(strstr(text, "\"count\":2,\"share\":null,\"estimate\":{\"mean\":null"));
    assert_non_null(strstr(text, "\"empty\":[]}"));
    free(text);
    pov_sheet_destroy(&sheet);
}

static void people_get_percent_with_intervals_below_and_no_empty_columns(void **state)
{
    (void)state;
    pov_sheet *sheet = filled();
    char *text = written(sheet, false);
    const char *expected = "\nThe first; 95 % bootstrap intervals\n"
                           "name   count  share    estimate\n"
                           "x          0   25.0        12.3\n"
                           "                     10.0..15.0\n"
                           "a \"b\"      1   25.0       100.0\n"
                           "x          2      -           -\n";
    assert_memory_equal(text, expected, strlen(expected));
    assert_non_null(strstr(text, "\nNothing in it\n"));
    free(text);
    pov_sheet_destroy(&sheet);
    assert_null(sheet);
}

static void tables_and_columns_are_found_by_key(void **state)
{
    (void)state;
    pov_sheet *sheet = filled();
    const pov_sheet_table *table = pov_sheet_find(sheet, "first");
    assert_int_equal(table->len, 40);
    assert_int_equal(pov_sheet_column_of(table, "share"), 3);
    assert_int_equal(pov_sheet_column_of(table, "other"), -1);
    assert_null(pov_sheet_find(sheet, "other"));
    assert_string_equal(pov_sheet_words_of(table, 0, 4).interval, "10.0..15.0");
    pov_sheet_destroy(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_get_all_digits_and_null_for_unknown),
        cmocka_unit_test(people_get_percent_with_intervals_below_and_no_empty_columns),
        cmocka_unit_test(tables_and_columns_are_found_by_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
