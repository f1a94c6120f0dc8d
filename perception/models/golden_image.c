#include "perception/models/golden_image.h"

enum { SQUARE_PX = 8 };

static uint32_t mix(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

void pov_golden_image_fill(unsigned char *pixels, int width_px, int height_px, int seed)
{
    for (int y = 0; y < height_px; y++) {
        for (int x = 0; x < width_px; x++) {
            const uint32_t square = (uint32_t)(y / SQUARE_PX) << 16 | (uint32_t)(x / SQUARE_PX);
            for (uint32_t c = 0; c < 3; c++)
                *pixels++ = mix(square + mix((uint32_t)seed * 3 + c)) & 255;
        }
    }
}
