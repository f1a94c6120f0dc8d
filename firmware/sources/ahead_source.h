/** Reads and decodes the next image on a thread of its own while the caller is at work on the last one. */
#ifndef POV_FIRMWARE_SOURCES_AHEAD_SOURCE_H
#define POV_FIRMWARE_SOURCES_AHEAD_SOURCE_H

#include "perception/image/image_source.h"

/** Wraps a source and takes ownership of it, also on failure. `live`: where the caller is late, an image that waits gives
 *  way to a newer one and counts as lost; otherwise every image is delivered. Images, their order and what is said of
 *  skipped ones are the wrapped source's. */
POV_MUST_USE pov_status pov_ahead_source_new(pov_image_source **source, pov_image_source *wrapped, bool live);

#endif
