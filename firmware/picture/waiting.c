#include "firmware/picture/waiting.h"

#include <stdlib.h>
#include <string.h>

void pov_waiting_free(pov_waiting_ring *ring)
{
    for (int i = 0; i < POV_WAITING_MAX; i++)
        free(ring->items[i].bytes);
}

pov_waiting *pov_waiting_reserve(pov_waiting_ring *ring, size_t len)
{
    if (ring->len == ring->max) {
        ring->first = (ring->first + 1) % ring->max;
        ring->len--;
        ring->lost++;
    }
    pov_waiting *made = &ring->items[(ring->first + ring->len) % ring->max];
    if (!made->bytes || len > made->capacity) {
        uint8_t *grown = realloc(made->bytes, len + 1);
        if (!grown) {
            ring->lost++;
            return NULL;
        }
        made->bytes = grown;
        made->capacity = len + 1;
    }
    made->len = len;
    ring->len++;
    return made;
}

bool pov_waiting_add_image(pov_waiting_ring *ring, const pov_image *image)
{
    const size_t row = 3 * (size_t)image->width_px;
    pov_waiting *to =
        pov_waiting_reserve(ring, image->coded ? image->coded_len : row * (size_t)image->height_px);
    if (!to)
        return false;
    to->is_pixels = !image->coded;
    to->topic = POV_RECORDED_IMAGE;
    to->now_ns = image->mid_exposure_ns;
    to->camera = image->camera;
    to->image = (pov_recorded_image){.sequence = image->sequence,
                                     .capture_ns = image->mid_exposure_ns,
                                     .width_px = image->width_px,
                                     .height_px = image->height_px};
    memcpy(to->image.name, image->name, sizeof to->image.name);
    if (image->coded)
        memcpy(to->bytes, image->coded, image->coded_len);
    else
        for (int y = 0; y < image->height_px; y++)
            memcpy(to->bytes + (size_t)y * row, image->pixels + (ptrdiff_t)y * image->stride_bytes, row);
    return true;
}

bool pov_waiting_swap_first(pov_waiting_ring *ring, pov_waiting *with)
{
    if (ring->len == 0)
        return false;
    const pov_waiting taken = ring->items[ring->first];
    ring->items[ring->first] = *with;
    *with = taken;
    ring->first = (ring->first + 1) % ring->max;
    ring->len--;
    return true;
}

pov_status pov_waiting_code_image(pov_waiting *taken, pov_jpeg_encoder *encoder)
{
    pov_recorded_image *image = &taken->image;
    image->bytes = taken->bytes;
    image->len = taken->len;
    const pov_image pixels = {.pixels = taken->bytes,
                              .width_px = image->width_px,
                              .height_px = image->height_px,
                              .stride_bytes = 3 * image->width_px};
    return taken->is_pixels ? pov_jpeg_encoder_run(encoder, &image->bytes, &image->len, &pixels) : pov_ok();
}
