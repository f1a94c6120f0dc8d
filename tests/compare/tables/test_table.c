#include "compare/tables/cells.h"
#include "compare/tables/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5000, COLUMNS = 6 };

/* Columns of one text, of few, of several hundred, of a text each, of none, and of one that begins late. */
static void text_of(char text[40], int row, int column)
{
    const int kinds[COLUMNS] = {1, 7, 700, ROWS, 0, 1};
    text[0] = '\0';
    if (kinds[column] > 0 && !(column == 5 && row < 3000))
        snprintf(text, 40, "%d of %d", row * 7919 % kinds[column], column);
}

static void cells_come_back_as_they_were_put(void **state)
{
    (void)state;
    char text[40];
    pov_cells *cells = pov_cells_new();
    for (int row = 0; row < ROWS; row++) {
        pov_cells_add_row(cells);
        for (int column = 0; column < COLUMNS; column++) {
            uint32_t number;
            text_of(text, row, column);
            assert_true(pov_cells_keep(cells, &number, text, strlen(text)));
            pov_cells_put(cells, column, number);
        }
    }
    assert_int_equal(pov_cells_rows(cells), ROWS);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            text_of(text, row, column);
            assert_string_equal(pov_cells_text(cells, pov_cells_at(cells, row, column)), text);
        }
    pov_cells_destroy(&cells);
}

static void a_text_is_kept_once(void **state)
{
    (void)state;
    pov_cells *cells = pov_cells_new();
    uint32_t first, again, other, none;
    assert_true(pov_cells_keep(cells, &first, "left", 4));
    assert_true(pov_cells_keep(cells, &other, "lef", 3));
    assert_true(pov_cells_keep(cells, &again, "left of", 4));
    assert_true(pov_cells_keep(cells, &none, "", 0));
    assert_int_equal(first, again);
    assert_int_not_equal(first, other);
    assert_int_equal(none, 0);
    pov_cells_destroy(&cells);
}

static pov_table *parse(const char *name, const char *text)
{
    pov_table *table;
    assert_string_equal(pov_table_parse(&table, name, text, strlen(text)).message, "");
    return table;
}

static void what_is_put_equals_what_is_parsed(void **state)
{
    (void)state;
    static const double numbers[] = {0, 0.1, 1.0 / 3, -2.5e-9, 360, 0.28456169146812427, 1e300};
    pov_table *put = pov_table_new("t");
    char text[400] = "";
    for (int i = 0; i < 7; i++) {
        int model = -1, p = -1;
        pov_table_add_row(put);
        assert_int_equal(pov_table_put_text(put, &model, "model", i < 5 ? "m" : "other").code, POV_OK);
        assert_int_equal(pov_table_put_number(put, &p, "p", numbers[i]).code, POV_OK);
        snprintf(text + strlen(text), sizeof text - strlen(text), "{\"model\":\"%s\",\"p\":%.17g}\n",
                 i < 5 ? "m" : "other", numbers[i]);
    }
    pov_table *parsed = parse("t", text);
    for (int row = 0; row < 7; row++) {
        double a, b;
        assert_string_equal(pov_table_cell(put, row, 0), pov_table_cell(parsed, row, 0));
        assert_int_equal(pov_cell_number(&a, put, row, 1, -1e301, 1e301).code, POV_OK);
        assert_int_equal(pov_cell_number(&b, parsed, row, 1, -1e301, 1e301).code, POV_OK);
        assert_true(a == b || (a - b) / b < 3e-16);
        assert_int_equal(pov_table_line(put, row), pov_table_line(parsed, row));
    }
    int column = 0;
    assert_int_equal(pov_table_put_text(put, &column, "model", "twice").code, POV_ERROR);
    pov_table_destroy(&put);
    pov_table_destroy(&parsed);
}

static void tables_are_put_together_by_columns_names(void **state)
{
    (void)state;
    static const char *const paths[] = {"image", NULL};
    pov_table *a = parse("x/a.csv", "model,image\nm,1.png\n"),
              *b = parse("y/b.csv", "image,extra\n1.png,e\n/2.png,\n");
    assert_string_equal(pov_table_append(a, b, paths).message, "");
    static const char *const expected[3][3] = {
        {"m", "x/1.png", ""}, {"", "y/1.png", "e"}, {"", "/2.png", ""}};
    assert_int_equal(pov_table_len(a), 3);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            assert_string_equal(pov_table_cell(a, row, column), expected[row][column]);
    assert_int_equal(pov_table_sources(a), 2);
    assert_string_equal(pov_table_source(a, pov_table_row_source(a, 2)), "y/b.csv");
    assert_int_equal(pov_table_line(a, 2), 3);
    pov_table_destroy(&b);
    pov_table_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_come_back_as_they_were_put),
        cmocka_unit_test(a_text_is_kept_once),
        cmocka_unit_test(what_is_put_equals_what_is_parsed),
        cmocka_unit_test(tables_are_put_together_by_columns_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
