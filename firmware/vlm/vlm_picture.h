/** Images as a server gets them: smaller, as JPEG or PNG, as the section 'vlm' says. */
#pragma once

#include "compare/vlm/vlm_config.h"
#include "config/files/digest.h"

typedef struct {
    pov_vlm_image image;              /* borrowed until the next call, or from the stored bytes */
    char sha256[POV_DIGEST_CAPACITY]; /* of its bytes */
    int width_px, height_px, quality; /* quality 0: lossless */
} pov_vlm_sent;

typedef struct pov_vlm_picture pov_vlm_picture;

/** The options are copied. */
POV_MUST_USE pov_status pov_vlm_picture_new(pov_vlm_picture **picture, const pov_vlm_image_options *options);
void pov_vlm_picture_destroy(pov_vlm_picture **picture);
/** In: bytes: a stored PNG, which is sent as it is if the options want nothing else. */
POV_MUST_USE pov_status pov_vlm_picture_make(pov_vlm_picture *picture, pov_vlm_sent *sent,
                                             const uint8_t *bytes, size_t len);
