#include "calib/boards/aruco_dictionary.h"
#include "calib/boards/opencv_calib_shim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void names_are_known_in_any_case_with_and_without_their_prefix(void **state)
{
    (void)state;
    pov_aruco_dictionary dictionary;
    assert_true(pov_aruco_dictionary_from_name(&dictionary, "DICT_5X5_250"));
    assert_int_equal(dictionary, POV_ARUCO_5X5_250);
    assert_true(pov_aruco_dictionary_from_name(&dictionary, "4x4_1000"));
    assert_int_equal(dictionary, POV_ARUCO_4X4_1000);
    assert_false(pov_aruco_dictionary_from_name(&dictionary, "4X4_51"));
}

/* Rows of 4X4_50's marker 0 as anyone who drew it sees them. */
static void the_first_marker_of_4x4_has_its_published_cells(void **state)
{
    (void)state;
    static const char expected[] = "000000"
                                   "010110"
                                   "001010"
                                   "000110"
                                   "000100"
                                   "000000";
    uint8_t cells[POV_ARUCO_CELLS_MAX];
    assert_int_equal(pov_aruco_marker_bits(cells, POV_ARUCO_4X4_50, 0).code, POV_OK);
    for (int i = 0; i < 36; i++)
        assert_int_equal(cells[i], expected[i] - '0');
}

static void every_dictionary_draws_its_last_marker_within_a_black_border(void **state)
{
    (void)state;
    for (int d = 0; d < POV_ARUCO_DICTIONARY_COUNT; d++) {
        pov_aruco_dictionary dictionary = (pov_aruco_dictionary)d;
        int side = pov_aruco_dictionary_cells(dictionary), white = 0;
        uint8_t cells[POV_ARUCO_CELLS_MAX];
        assert_int_equal(
            pov_aruco_marker_bits(cells, dictionary, pov_aruco_dictionary_count(dictionary) - 1).code,
            POV_OK);
        for (int i = 0; i < side * side; i++) {
            int x = i % side, y = i / side;
            if (x == 0 || y == 0 || x == side - 1 || y == side - 1)
                assert_int_equal(cells[i], 0);
            white += cells[i];
        }
        assert_true(white > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_known_in_any_case_with_and_without_their_prefix),
        cmocka_unit_test(the_first_marker_of_4x4_has_its_published_cells),
        cmocka_unit_test(every_dictionary_draws_its_last_marker_within_a_black_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
