#include "perception/image/grey.h"

#include <stddef.h>

void pov_grey_from_rgb(uint8_t *grey, const pov_image *image, pov_rectangle part)
{
    for (int y = 0; y < part.height_px; y++) {
        const uint8_t *rgb =
            image->pixels + (ptrdiff_t)(part.y_px + y) * image->stride_bytes + 3 * (ptrdiff_t)part.x_px;
        uint8_t *row = grey + (ptrdiff_t)y * part.width_px;

        for (int x = 0; x < part.width_px; x++)
            row[x] = pov_grey_of(&rgb[3 * x]);
    }
}
