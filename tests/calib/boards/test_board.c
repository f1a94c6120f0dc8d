#include "calib/boards/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_board parsed(const char *text)
{
    pov_board board;
    pov_status status = pov_board_parse(&board, text);
    assert_string_equal(status.message, "");
    return board;
}

static void texts_say_what_the_board_is(void **state)
{
    (void)state;
    pov_board board = parsed("charuco:8x7:25.4mm:19.05mm:DICT_5X5_250");
    assert_int_equal(board.kind, POV_BOARD_CHARUCO);
    assert_int_equal(board.columns, 8);
    assert_int_equal(board.rows, 7);
    assert_near(board.square_m, 0.0254, 1e-12);
    assert_near(board.marker_m, 0.01905, 1e-12);
    assert_int_equal(board.dictionary, POV_ARUCO_5X5_250);
    board = parsed("chessboard:10x7:1in");
    assert_int_equal(pov_board_point_count(&board), 9 * 6);
    assert_near(board.square_m, 0.0254, 1e-12);
    board = parsed("aprilgrid:6x5:8.8cm:26.4mm:tag25h9");
    assert_int_equal(pov_board_point_count(&board), 4 * 30);
    assert_near(board.square_m, 0.1144, 1e-12);
    assert_int_equal(board.family, POV_TAG25H9);
}

static void a_board_says_itself_again(void **state)
{
    (void)state;
    static const char *const texts[] = {"charuco:8x7:25.4mm:19.05mm:5X5_250", "chessboard:10x7:25mm",
                                        "aprilgrid:6x5:88mm:26.4mm:tag36h11"};
    for (int i = 0; i < 3; i++) {
        char text[POV_BOARD_TEXT_CAPACITY];
        pov_board board = parsed(texts[i]);
        pov_board_format(text, &board);
        assert_string_equal(text, texts[i]);
    }
}

static void what_is_wrong_with_a_text_is_said(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"charuco", "expected charuco:"},
        {"checker:8x8:25mm", "expected charuco:"},
        {"charuco:8:25mm:19mm:4X4_50", "'8' is not a size"},
        {"charuco:8x8:25:19mm:4X4_50", "write it with its unit"},
        {"charuco:8x8:19mm:25mm:4X4_50", "must be smaller than the square"},
        {"charuco:8x8:25mm:19mm:4X4_51", "no dictionary '4X4_51'"},
        {"charuco:11x10:25mm:19mm:4X4_50", "has 50 markers, the board needs 55"},
        {"chessboard:1x5:25mm", "too small or too large"},
        {"chessboard:99x99:25mm", "too small or too large"},
        {"chessboard:9x6:0mm", "between 0.1 mm and 10 m"},
        {"aprilgrid:6x6:88mm:26mm:tag99", "no tag family 'tag99'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_board board;
        pov_status status = pov_board_parse(&board, cases[i][0]);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, cases[i][1]));
        assert_int_equal(board.columns, 0);
    }
}

static pov_status parse_file(pov_board *board, const char *text)
{
    return pov_board_parse_file(board, "board.yaml", text, strlen(text));
}

static void kalibrs_files_are_read(void **state)
{
    (void)state;
    pov_board board;
    assert_int_equal(parse_file(&board, "target_type: 'aprilgrid'\ntagCols: 6\ntagRows: 5\ntagSize: 0.088\n"
                                        "tagSpacing: 0.3\n")
                         .code,
                     POV_OK);
    assert_int_equal(board.rows, 5);
    assert_near(board.square_m, 0.1144, 1e-12);
    assert_int_equal(parse_file(&board, "target_type: 'checkerboard'\ntargetCols: 6\ntargetRows: 7\n"
                                        "rowSpacingMeters: 0.06\ncolSpacingMeters: 0.06\n")
                         .code,
                     POV_OK);
    assert_int_equal(pov_board_point_count(&board), 6 * 7);
}

static void a_wrong_file_is_complained_of_by_line(void **state)
{
    (void)state;
    pov_board board;
    pov_status status = parse_file(&board, "\nboard: charuco:8\n");
    assert_non_null(strstr(status.message, "board.yaml:2: board"));
    status = parse_file(&board, "target_type: aprilgrid\ntagCols: 6\n");
    assert_non_null(strstr(status.message, "tagRows"));
    status = parse_file(&board, "target_type: aprilgrid\ntagCols: 6\ntagRows: 6\ntagSize: 0.004\n"
                                "tagSpacing: 0.02\n"); /* a text could not say 0.08 mm */
    assert_non_null(strstr(status.message, "board.yaml:5: tagSpacing: makes a gap of 0.08 mm"));
}

/* Every marker lies on a white square, no two on one, and ids run row by row. */
static void markers_are_on_white_squares(void **state)
{
    (void)state;
    for (int size = 0; size < 2 * 5 * 5; size++) {
        pov_board board = parsed("charuco:5x5:20mm:15mm:4X4_50");
        board.columns = 3 + size % 5;
        board.rows = 3 + size / 5 % 5;
        board.before_4_6 = size >= 25;
        int last = -1, white = board.before_4_6 && board.rows % 2 == 0 ? 0 : 1;
        for (int id = 0; id < pov_board_marker_count(&board); id++) {
            int column, row;
            pov_board_marker_square(&column, &row, &board, id);
            assert_in_range(column, 0, board.columns - 1);
            assert_in_range(row, 0, board.rows - 1);
            assert_int_equal((column + row) % 2, white);
            assert_true(row * board.columns + column > last);
            last = row * board.columns + column;
        }
    }
}

static void an_aprilgrids_first_tag_is_at_its_lower_left(void **state)
{
    (void)state;
    pov_board board = parsed("aprilgrid:3x2:50mm:15mm");
    pov_vec3 lower_left = pov_board_marker_corner(&board, 0, 0),
             upper_right = pov_board_marker_corner(&board, 5, 2);
    assert_near(lower_left.x, 0, 1e-12);
    assert_near(lower_left.y, 0.115, 1e-12);
    assert_near(upper_right.x, 0.18, 1e-12);
    assert_near(upper_right.y, 0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_say_what_the_board_is),
        cmocka_unit_test(a_board_says_itself_again),
        cmocka_unit_test(what_is_wrong_with_a_text_is_said),
        cmocka_unit_test(kalibrs_files_are_read),
        cmocka_unit_test(a_wrong_file_is_complained_of_by_line),
        cmocka_unit_test(markers_are_on_white_squares),
        cmocka_unit_test(an_aprilgrids_first_tag_is_at_its_lower_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
