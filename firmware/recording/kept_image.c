#include "firmware/recording/kept_image.h"

#include <stdlib.h>
#include <string.h>

enum { CELL_SAMPLES = 4 }; /* 16 samples a cell */
static const int64_t RESAMPLED_NS =
    10000000000; /* images: changed keeps one that often in any case; chosen */

/* Whether the image differs from the one kept last: the mean of 16 green samples, in any of 768 cells. */
bool pov_kept_image_changes(pov_kept_image *kept, const pov_image *image)
{
    enum { STEP = 6 }; /* of 255; the mean's noise is 1 at a sensor's noise of 4: chosen */
    uint8_t cells[POV_KEPT_CELLS_Y][POV_KEPT_CELLS_X];
    bool changed = !kept->is_there || image->mid_exposure_ns - kept->at_ns > RESAMPLED_NS;
    for (int y = 0; y < POV_KEPT_CELLS_Y; y++)
        for (int x = 0; x < POV_KEPT_CELLS_X; x++) {
            int sum = 0;
            for (int k = 0; k < CELL_SAMPLES * CELL_SAMPLES; k++) {
                const int column = ((x * CELL_SAMPLES + k % CELL_SAMPLES) * 2 + 1) * image->width_px /
                                   (2 * CELL_SAMPLES * POV_KEPT_CELLS_X);
                const int row = ((y * CELL_SAMPLES + k / CELL_SAMPLES) * 2 + 1) * image->height_px /
                                (2 * CELL_SAMPLES * POV_KEPT_CELLS_Y);
                sum += image->pixels[(ptrdiff_t)row * image->stride_bytes + 3 * column + 1];
            }
            cells[y][x] = (uint8_t)(sum / (CELL_SAMPLES * CELL_SAMPLES));
            changed |= abs(cells[y][x] - kept->cells[y][x]) > STEP;
        }
    if (changed) {
        memcpy(kept->cells, cells, sizeof cells);
        kept->is_there = true;
        kept->at_ns = image->mid_exposure_ns;
    }
    return changed;
}
