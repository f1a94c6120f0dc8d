/** The images of several cameras as one source, in the order of their exposures. One thread; what a camera's driver does is on the
 *  threads of the sources that it is given. */
#pragma once

#include "perception/image/image_source.h"

/** One camera: its id, borrowed, and its source. */
typedef struct {
    const char *id;
    pov_image_source *source;
    bool is_remote; /* of another process: no image of others waits for it */
} pov_camera_feed;

typedef struct pov_cameras pov_cameras;

/** Takes the sources, also on failure. Images carry the camera's number. Images of one time come in the order of the feeds. An image waits for an earlier one of another camera: of a
 *  live camera that still comes, a period and a tenth of a second at most, of others two seconds. A camera that is silent for three
 *  periods is not waited for. A camera that fails is told once (POV_SKIPPED), and so is one that is silent for two seconds, or comes
 *  back; POV_ERROR: all have failed; POV_END: none has more.
 *  Out: cameras: owned by the source. */
POV_MUST_USE pov_status pov_cameras_source_new(pov_image_source **source, pov_cameras **cameras,
                                               const pov_camera_feed *feeds, int len, bool live);

/** The state of a camera. */
typedef struct {
    bool is_gone, is_silent; /* it failed or ended; no image has come for two seconds */
    uint64_t delivered, lost;
    const char *trouble; /* of POV_TROUBLE_CAPACITY; "": none */
} pov_camera_state;
pov_camera_state pov_cameras_state(const pov_cameras *cameras, int camera);
