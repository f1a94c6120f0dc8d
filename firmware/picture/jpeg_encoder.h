/** Images to JPEG in memory. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"

#include <stddef.h>

typedef struct pov_jpeg_encoder pov_jpeg_encoder;

/** quality: 1 to 100. */
POV_MUST_USE pov_status pov_jpeg_encoder_new(pov_jpeg_encoder **encoder, int quality);
void pov_jpeg_encoder_destroy(pov_jpeg_encoder **encoder);

/** Out: bytes, borrowed until the next call; the buffer grows with the largest image yet. */
POV_MUST_USE pov_status pov_jpeg_encoder_run(pov_jpeg_encoder *encoder, const unsigned char **bytes,
                                             size_t *len, const pov_image *image);
