/** What of OpenCV's calib3d and aruco has no C interface, behind one: it adapts, decides nothing, and lets no exception
 *  through. Pixels: (0, 0) is the centre of the top-left pixel, as in OpenCV. Images are grey, 8 bits. */
#ifndef POV_CALIB_OPENCV_CALIB_SHIM_H
#define POV_CALIB_OPENCV_CALIB_SHIM_H

#include "calib/aruco_dictionary.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "perception/status.h"

enum { POV_ARUCO_CELLS_MAX = 9 * 9 };

/** A marker's cells, row by row from its top left, border included; 1 is white. pov_aruco_dictionary_cells() to a side.
 *  Needs: an id the dictionary holds. */
POV_MUST_USE pov_status pov_aruco_marker_bits(uint8_t cells[POV_ARUCO_CELLS_MAX],
                                              pov_aruco_dictionary dictionary, int id);

#ifdef __cplusplus
}
#endif

#endif
