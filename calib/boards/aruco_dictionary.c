#include "calib/boards/aruco_dictionary.h"

#include "perception/status.h"

#include <assert.h>
#include <strings.h>

static const struct {
    const char *name;
    int count, cells;
} dictionaries[] = {
    [POV_ARUCO_4X4_50] = {"4X4_50", 50, 6},
    [POV_ARUCO_4X4_100] = {"4X4_100", 100, 6},
    [POV_ARUCO_4X4_250] = {"4X4_250", 250, 6},
    [POV_ARUCO_4X4_1000] = {"4X4_1000", 1000, 6},
    [POV_ARUCO_5X5_50] = {"5X5_50", 50, 7},
    [POV_ARUCO_5X5_100] = {"5X5_100", 100, 7},
    [POV_ARUCO_5X5_250] = {"5X5_250", 250, 7},
    [POV_ARUCO_5X5_1000] = {"5X5_1000", 1000, 7},
    [POV_ARUCO_6X6_50] = {"6X6_50", 50, 8},
    [POV_ARUCO_6X6_100] = {"6X6_100", 100, 8},
    [POV_ARUCO_6X6_250] = {"6X6_250", 250, 8},
    [POV_ARUCO_6X6_1000] = {"6X6_1000", 1000, 8},
    [POV_ARUCO_7X7_50] = {"7X7_50", 50, 9},
    [POV_ARUCO_7X7_100] = {"7X7_100", 100, 9},
    [POV_ARUCO_7X7_250] = {"7X7_250", 250, 9},
    [POV_ARUCO_7X7_1000] = {"7X7_1000", 1000, 9},
    [POV_ARUCO_ORIGINAL] = {"ARUCO_ORIGINAL", 1024, 7},
    [POV_ARUCO_APRILTAG_16H5] = {"APRILTAG_16h5", 30, 6},
    [POV_ARUCO_APRILTAG_25H9] = {"APRILTAG_25h9", 35, 7},
    [POV_ARUCO_APRILTAG_36H10] = {"APRILTAG_36h10", 2320, 8},
    [POV_ARUCO_APRILTAG_36H11] = {"APRILTAG_36h11", 587, 8},
};
static_assert(sizeof dictionaries / sizeof *dictionaries == POV_ARUCO_DICTIONARY_COUNT,
              "a row for each dictionary");

const char *pov_aruco_dictionary_name(pov_aruco_dictionary dictionary)
{
    POV_REQUIRE((unsigned)dictionary < POV_ARUCO_DICTIONARY_COUNT);
    return dictionaries[dictionary].name;
}

bool pov_aruco_dictionary_from_name(pov_aruco_dictionary *dictionary, const char *name)
{
    if (strncasecmp(name, "DICT_", 5) == 0)
        name += 5;
    for (int i = 0; i < POV_ARUCO_DICTIONARY_COUNT; i++)
        if (strcasecmp(name, dictionaries[i].name) == 0) {
            *dictionary = (pov_aruco_dictionary)i;
            return true;
        }
    return false;
}

int pov_aruco_dictionary_count(pov_aruco_dictionary dictionary)
{
    POV_REQUIRE((unsigned)dictionary < POV_ARUCO_DICTIONARY_COUNT);
    return dictionaries[dictionary].count;
}

int pov_aruco_dictionary_cells(pov_aruco_dictionary dictionary)
{
    POV_REQUIRE((unsigned)dictionary < POV_ARUCO_DICTIONARY_COUNT);
    return dictionaries[dictionary].cells;
}
