/** All images of a source, with a progress bar for who waits. */
#pragma once

#include "perception/image/image_source.h"

typedef pov_status pov_image_visit(void *context, const pov_image *image);

/** Calls `visit` with each, until it or the source fails, or a stop is asked for. Skipped images are warned of. */
POV_MUST_USE pov_status pov_each_image(pov_image_source *source, pov_image_visit *visit, void *context);
