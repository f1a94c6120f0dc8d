/** A live camera that may be unplugged and come back, as an image source: the part that cameras of all backends share. */
#pragma once

#include "perception/image/image_source.h"

/** A backend's camera. Deadlines are of the monotonic clock. */
typedef struct {
    /** Opens the camera, or goes on opening it. *found: whether it is there at all.
     *  Returns: POV_OK; POV_TIMEOUT: it takes longer, call again; POV_ERROR: nothing is left open. */
    pov_status (*open)(void *camera, bool *found, int64_t deadline_ns);
    /** The next image, without a name. Its sequence counts from 0 since the camera was opened; a gap is a lost image.
     *  Returns: POV_OK; POV_TIMEOUT; POV_SKIPPED: an image with a sequence that cannot be used, and why; POV_END: the
     *           camera is gone; the message goes on after its id: "was unplugged". */
    pov_status (*take)(void *camera, pov_image *image, int64_t deadline_ns);
    void (*close)(void *camera);
    const char *(*id)(const void *camera); /* begins its images' names */
    /** Why no image has come since it was opened first, as POV_ERROR; NULL: what is true of any camera. */
    pov_status (*explain_silence)(void *camera);
    void (*destroy)(void *camera); /* it is closed */
} pov_plugged_camera;

/** Opens the camera and takes ownership of it, also on failure.
 *  Once it is gone, next() returns POV_SKIPPED once, then POV_TIMEOUT until it is back; then POV_SKIPPED once more, and
 *  images again, numbered on without a gap. */
POV_MUST_USE pov_status pov_plugged_source_new(pov_image_source **source, const pov_plugged_camera *kind,
                                               void *camera);
