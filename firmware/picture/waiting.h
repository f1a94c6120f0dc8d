/** Images and messages that wait for a thread that codes and sends them: copies, in buffers that grow and are kept. If as many wait as
 *  may, a new one replaces the oldest. The caller's lock guards a ring. */
#pragma once

#include "firmware/picture/jpeg_encoder.h"
#include "protocol/recording/recording.h"

enum { POV_WAITING_MAX = 64 }; /* messages: half a second at 30/s; chosen */

typedef struct {
    pov_recorded topic;
    int64_t now_ns;
    uint8_t *bytes;
    size_t len, capacity;
    bool is_pixels; /* rows of RGB without gaps */
    char severity[8];
    pov_recorded_image image;
    int camera; /* of the image: which of the station's, from 0 */
} pov_waiting;

typedef struct {
    pov_waiting items[POV_WAITING_MAX];
    int first, len, max;
    uint64_t lost;
} pov_waiting_ring;

void pov_waiting_free(pov_waiting_ring *ring);

/** The place of the newest, with room for `len` bytes. NULL: no memory; it is counted as lost. */
pov_waiting *pov_waiting_reserve(pov_waiting_ring *ring, size_t len);
/** Copies an image, as it was coded or as pixels. False: no memory. */
bool pov_waiting_add_image(pov_waiting_ring *ring, const pov_image *image);
/** Exchanges the oldest with one that is done with. False: none waits. */
bool pov_waiting_swap_first(pov_waiting_ring *ring, pov_waiting *with);

/** Sets image.bytes and image.len to the file that it came as, or to a JPEG of its pixels, borrowed from the encoder. */
POV_MUST_USE pov_status pov_waiting_code_image(pov_waiting *taken, pov_jpeg_encoder *encoder);
