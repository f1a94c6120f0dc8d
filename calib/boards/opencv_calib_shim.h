/** A C interface to OpenCV's calib3d and aruco. It holds no logic and lets no exception through. Pixels: (0, 0) is
 *  the centre of the top-left pixel, as in OpenCV. Images are grey, 8 bits. */
#pragma once

#include "calib/boards/aruco_dictionary.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "perception/geometry/camera.h"
#include "perception/image/grey.h"

enum { POV_ARUCO_CELLS_MAX = 9 * 9 };

/** Corners clockwise from the marker's own upper left. */
typedef struct {
    int id;
    pov_vec2 corner_px[4];
} pov_aruco_marker;

/** Points of one view, and where they were seen. */
typedef struct {
    int len;
    const pov_vec3 *board_m;
    const pov_vec2 *pixel;
} pov_point_view;

/** A marker's cells, row by row from its top left, border included; 1 is white. pov_aruco_dictionary_cells() to a side.
 *  Needs: an id the dictionary holds. */
POV_MUST_USE pov_status pov_aruco_marker_bits(uint8_t cells[POV_ARUCO_CELLS_MAX],
                                              pov_aruco_dictionary dictionary, int id);

/** Out: the first `capacity` markers found, and how many they are. */
POV_MUST_USE pov_status pov_aruco_find(pov_aruco_marker *markers, int *len, const pov_grey *image,
                                       pov_aruco_dictionary dictionary, int capacity);

/** The way to look for a chessboard. */
typedef struct {
    int columns, rows; /* of inner corners */
    int light_tiles;   /* light is evened out in so many tiles a side (cv::CLAHE); 0: the image as it is */
    int longest_px;    /* in a copy that is reduced to this at most; 0: the image as it is */
    bool doubled;      /* in twice the resolution, for small squares */
    bool or_larger;    /* columns and rows are the least */
} pov_chessboard_search;

/** Out: inner corners, row by row; how many columns and rows of them, 0 if the board was not found, or has over `capacity`
 *  (cv::findChessboardCornersSBWithMeta). */
POV_MUST_USE pov_status pov_chessboard_find(pov_vec2 *corners, int shape[2], const pov_grey *image,
                                            const pov_chessboard_search *search, int capacity);

/** Calibrates a Brown-Conrady lens of 5 coefficients from scratch, in `steps` of descent (cv::calibrateCamera).
 *  In: camera's size. Out: the rest of it; T_camera_board of each view. */
POV_MUST_USE pov_status pov_opencv_calibrate(pov_camera *camera, pov_transform *T_camera_board,
                                             const pov_point_view *views, int view_count, int steps);

/** The two poses that a flat board may have, better first, by at least four points seen as directions: (x / z, y / z) in
 *  `view->pixel` (cv::solvePnPGeneric, IPPE: Collins & Bartoli 2014). */
POV_MUST_USE pov_status pov_opencv_solve_pose(pov_transform T_camera_board[2], const pov_point_view *view);

#ifdef __cplusplus
}
#endif
