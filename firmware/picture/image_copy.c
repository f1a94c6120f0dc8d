#include "firmware/picture/image_copy.h"

#include "perception/status.h"

#include <stdlib.h>

void pov_image_copy_take(pov_image_copy *copy, const pov_image *image)
{
    const size_t row = 3 * (size_t)image->width_px, needed = row * (size_t)image->height_px;
    if (needed > copy->capacity) {
        free(copy->pixels);
        copy->pixels = malloc(needed);
        POV_REQUIRE_MEMORY(copy->pixels);
        copy->capacity = needed;
    }
    for (int y = 0; y < image->height_px; y++)
        memcpy(copy->pixels + (size_t)y * row, image->pixels + (size_t)y * (size_t)image->stride_bytes, row);
    copy->image = *image;
    copy->image.pixels = copy->pixels;
    copy->image.stride_bytes = (int)row;
    copy->image.grey = copy->image.coded = NULL;
    copy->image.prepared = NULL;
    copy->image.coded_len = 0;
}

void pov_image_copy_free(pov_image_copy *copy)
{
    free(copy->pixels);
    *copy = (pov_image_copy){.pixels = NULL};
}
