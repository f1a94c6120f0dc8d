/** Reads, decodes and prepares the next image on a thread of its own while the caller is at work on the last one. */
#pragma once

#include "perception/image/image_source.h"

#include <stddef.h>

/** Done on the thread with each image, in their order. `result` comes along as image->prepared, and
 *  is as long of use as the pixels. It may hold image->grey, too. A failure takes the image's place. `finish`, which may be NULL, is done with the image once it
 *  is on its way; a failure ends the images. */
typedef struct {
    pov_status (*prepare)(void *context, void *result, pov_image *image);
    pov_status (*finish)(void *context, const pov_image *image);
    void *context;
    size_t result_bytes;
} pov_ahead_work;

/** Wraps a source and takes ownership of it, also on failure. `live`: a few images wait
 *  for a caller that is late; where there are more, or the caller stays late, the oldest give way to newer ones and count as
 *  lost. Otherwise every image is delivered. Images, their order and what is said of
 *  skipped ones are the wrapped source's. work NULL: none. */
POV_MUST_USE pov_status pov_ahead_source_new(pov_image_source **source, pov_image_source *wrapped, bool live,
                                             const pov_ahead_work *work);
