#include "calib/boards/board.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* An accepted board has its points, and prints as it was read. */
static void check(pov_status status, const pov_board *board)
{
    char text[POV_BOARD_TEXT_CAPACITY];
    pov_board again;
    if (status.code != POV_OK) {
        if (board->columns != 0 || !status.message[0])
            abort();
        return;
    }
    int len = pov_board_point_count(board);
    if (len < 1 || len > POV_BOARD_POINT_MAX || !isfinite(pov_board_point(board, len - 1).x))
        abort();
    pov_board_format(text, board);
    if (pov_board_parse(&again, text).code != POV_OK || again.columns != board->columns ||
        again.kind != board->kind)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_board board;
    char text[256];
    check(pov_board_parse_file(&board, "board.yaml", (const char *)bytes, length), &board);
    size_t cut = length < sizeof text - 1 ? length : sizeof text - 1;
    memcpy(text, bytes, cut);
    text[cut] = '\0';
    check(pov_board_parse(&board, text), &board);
    return 0;
}
