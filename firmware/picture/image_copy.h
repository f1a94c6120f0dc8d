/** An image with pixels of its own, to be kept after its source's next call. */
#pragma once

#include "perception/image/image.h"

/** Start from {0}. */
typedef struct {
    pov_image image; /* without its coded form */
    uint8_t *pixels;
    size_t capacity;
} pov_image_copy;

void pov_image_copy_take(pov_image_copy *copy, const pov_image *image);
void pov_image_copy_free(pov_image_copy *copy);
