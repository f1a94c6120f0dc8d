/** ArUco's dictionaries of markers, by OpenCV's names without "DICT_". */
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** OpenCV's numbers: they go to it as they are. */
typedef enum {
    POV_ARUCO_4X4_50,
    POV_ARUCO_4X4_100,
    POV_ARUCO_4X4_250,
    POV_ARUCO_4X4_1000,
    POV_ARUCO_5X5_50,
    POV_ARUCO_5X5_100,
    POV_ARUCO_5X5_250,
    POV_ARUCO_5X5_1000,
    POV_ARUCO_6X6_50,
    POV_ARUCO_6X6_100,
    POV_ARUCO_6X6_250,
    POV_ARUCO_6X6_1000,
    POV_ARUCO_7X7_50,
    POV_ARUCO_7X7_100,
    POV_ARUCO_7X7_250,
    POV_ARUCO_7X7_1000,
    POV_ARUCO_ORIGINAL,
    POV_ARUCO_APRILTAG_16H5,
    POV_ARUCO_APRILTAG_25H9,
    POV_ARUCO_APRILTAG_36H10,
    POV_ARUCO_APRILTAG_36H11,
    POV_ARUCO_DICTIONARY_COUNT
} pov_aruco_dictionary;

/** "4X4_50", ..., "ARUCO_ORIGINAL", "APRILTAG_36h11". */
const char *pov_aruco_dictionary_name(pov_aruco_dictionary dictionary);
/** Any case, with or without "DICT_". Returns false if there is none of that name. */
bool pov_aruco_dictionary_from_name(pov_aruco_dictionary *dictionary, const char *name);
/** Number of markers; ids are 0 .. count - 1. */
int pov_aruco_dictionary_count(pov_aruco_dictionary dictionary);
/** Cells along a marker's side, its black border of one cell included: 6 to 9. */
int pov_aruco_dictionary_cells(pov_aruco_dictionary dictionary);

#ifdef __cplusplus
}
#endif
