#include "perception/image/grey.h"

#include <stddef.h>

void pov_grey_from_rgb(uint8_t *grey, const pov_image *image, int x_px, int y_px, int width_px, int height_px)
{
    for (int y = 0; y < height_px; y++) {
        const uint8_t *rgb =
            image->pixels + (ptrdiff_t)(y_px + y) * image->stride_bytes + 3 * (ptrdiff_t)x_px;
        uint8_t *row = grey + (ptrdiff_t)y * width_px;

        for (int x = 0; x < width_px; x++)
            row[x] = pov_grey_of(&rgb[3 * x]);
    }
}
