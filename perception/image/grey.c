#include "perception/image/grey.h"

#include "perception/image/clones.h"

#include <stddef.h>
#include <string.h>

POV_CLONES static void convert_row(uint8_t *restrict grey, const uint8_t *restrict rgb, int width_px)
{
    for (int x = 0; x < width_px; x++)
        grey[x] = pov_grey_of(&rgb[3 * x]);
}

void pov_grey_from_rgb(uint8_t *grey, const pov_image *image, pov_rectangle part)
{
    for (int y = part.y_px; y < part.y_px + part.height_px; y++, grey += part.width_px) {
        if (image->grey)
            memcpy(grey, image->grey + (ptrdiff_t)y * image->width_px + part.x_px, (size_t)part.width_px);
        else
            convert_row(grey, image->pixels + (ptrdiff_t)y * image->stride_bytes + 3 * (ptrdiff_t)part.x_px,
                        part.width_px);
    }
}
