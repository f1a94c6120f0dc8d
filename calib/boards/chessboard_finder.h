/** Finds chessboards that are whole in an image, in uneven light too. */
#ifndef POV_CALIB_BOARDS_CHESSBOARD_FINDER_H
#define POV_CALIB_BOARDS_CHESSBOARD_FINDER_H

#include "calib/boards/board_view.h"
#include "calib/boards/opencv_calib_shim.h"

/** Returns: POV_OK; POV_UNDEFINED if no setting of OpenCV's finder finds the board; POV_ERROR if OpenCV fails.
 *  Out:     view: the inner corners that fit their neighbours; a shadow's edge through a corner moves it. edge_px is left as it is.
 *  Method:  cv::findChessboardCornersSB in the image as it is, and with its light evened out, settings in turn; each corner
 *           refined in the image as it is (Förstner), and held against a smooth surface through its neighbours. */
POV_MUST_USE pov_status pov_chessboard_see(pov_board_view *view, const pov_grey *image,
                                           const pov_board *board);

/** Finds the size of the chessboard in the image: `board` itself, or another one that is whole in it. Looks at a small copy.
 *  Returns: POV_OK; POV_UNDEFINED if it shows none; POV_ERROR if OpenCV fails. */
POV_MUST_USE pov_status pov_chessboard_measure(pov_board *seen, const pov_grey *image,
                                               const pov_board *board);

#endif
