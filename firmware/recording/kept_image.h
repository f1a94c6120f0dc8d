/** Which images a recording of changes keeps. */
#pragma once

#include "perception/image/image.h"

enum { POV_KEPT_CELLS_X = 32, POV_KEPT_CELLS_Y = 24 };

/** The image of a camera that was kept last. All zero: none. */
typedef struct {
    uint8_t cells[POV_KEPT_CELLS_Y][POV_KEPT_CELLS_X];
    bool is_there;
    int64_t at_ns;
} pov_kept_image;

/** Whether an image differs from the one kept last, or that is ten seconds old: it is then the one kept last. */
bool pov_kept_image_changes(pov_kept_image *kept, const pov_image *image);
