/** Finds a calibration board in an image, and its points to a few hundredths of a pixel. */
#pragma once

#include "calib/boards/board_view.h"
#include "perception/image/image.h"

typedef struct pov_board_finder pov_board_finder;

POV_MUST_USE pov_status pov_board_finder_new(pov_board_finder **finder, const pov_board *board);
void pov_board_finder_destroy(pov_board_finder **finder);

/** Returns: POV_OK; POV_UNDEFINED, with why not in words, if the board is not there or too little of it; POV_ERROR if
 *           OpenCV fails.
 *  Out:     view; len 0 unless POV_OK.
 *  Method:  ChArUco: markers, each inner corner predicted from the two markers that touch it, refined where its edges
 *           cross (Förstner); both of OpenCV's patterns are tried, and what the markers agree with is kept. Chessboards:
 *           cv::findChessboardCornersSB in the image, and with its light evened out; corners held against a smooth surface. */
POV_MUST_USE pov_status pov_board_finder_run(pov_board_finder *finder, pov_board_view *view,
                                             const pov_image *image);

/** A board like the finder's that fits the image better: where markers say so, other columns, another pattern or
 *  dictionary (slow: for a person who waits for advice); a chessboard of any size, the finder's own if it is that.
 *  Returns: POV_OK; POV_UNDEFINED if none fits. */
POV_MUST_USE pov_status pov_board_finder_suggest(pov_board_finder *finder, pov_board *board,
                                                 const pov_image *image);
