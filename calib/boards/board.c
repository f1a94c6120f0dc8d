#include "calib/boards/board.h"

static bool is_grid(const pov_board *board)
{
    return board->kind == POV_BOARD_APRILGRID;
}

int pov_board_point_count(const pov_board *board)
{
    return is_grid(board) ? 4 * board->columns * board->rows : (board->columns - 1) * (board->rows - 1);
}

pov_vec3 pov_board_point(const pov_board *board, int i)
{
    POV_REQUIRE(i >= 0 && i < pov_board_point_count(board));
    if (is_grid(board))
        return pov_board_marker_corner(board, i / 4, i % 4);
    int across = board->columns - 1, column = i % across, row = i / across;
    return (pov_vec3){(column + 1) * board->square_m, (row + 1) * board->square_m, 0};
}

int pov_board_marker_count(const pov_board *board)
{
    int squares = board->columns * board->rows;
    if (is_grid(board))
        return squares;
    if (board->kind == POV_BOARD_CHESSBOARD)
        return 0;
    /* Of an odd number of squares the upper left one's colour has one more: only if it bears a marker. */
    return squares / 2;
}

/* Is the upper left square white, and so bears marker 0? */
static bool starts_white(const pov_board *board)
{
    return board->before_4_6 && board->rows % 2 == 0;
}

void pov_board_marker_square(int *column, int *row, const pov_board *board, int id)
{
    POV_REQUIRE(id >= 0 && id < pov_board_marker_count(board));
    if (is_grid(board)) {
        *column = id % board->columns;
        *row = board->rows - 1 - id / board->columns;
        return;
    }
    /* Row by row: markers are on every second square, so that square 2 id or its neighbour bears it where a row is
     * odd or even. */
    int first = starts_white(board) ? 0 : 1;
    int in_two_rows = board->columns; /* markers of an even and an odd row together */
    int pair = id / in_two_rows, rest = id % in_two_rows;
    int in_even = (board->columns - first + 1) / 2;
    bool odd = rest >= in_even;
    *row = 2 * pair + odd;
    *column = odd ? 2 * (rest - in_even) + 1 - first : 2 * rest + first;
}

pov_vec3 pov_board_marker_corner(const pov_board *board, int id, int i)
{
    int column, row;
    pov_board_marker_square(&column, &row, board, id);
    /* pov_tag counts anticlockwise from the lower left; ArUco clockwise from the upper left. */
    bool right = i == 1 || i == 2, low = is_grid(board) ? i < 2 : i >= 2;
    double margin_m = is_grid(board) ? 0 : (board->square_m - board->marker_m) / 2;
    return (pov_vec3){column * board->square_m + margin_m + right * board->marker_m,
                      row * board->square_m + margin_m + low * board->marker_m, 0};
}
