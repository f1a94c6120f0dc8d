/** The corners of a calibration board in one image. Plain data. */
#pragma once

#include "calib/boards/board.h"

/** Points of the board and where they were seen. */
typedef struct {
    int len;
    double edge_px; /* how wide the edges between black and white are, median: about 2 in a sharp image */
    pov_vec3 board_m[POV_BOARD_POINT_MAX];
    pov_vec2 pixel[POV_BOARD_POINT_MAX];
} pov_board_view;
