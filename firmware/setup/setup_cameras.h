/** The cameras that a set-up can use, each with a small picture of what it sees: those that are plugged in, and the simulated lab. A camera
 *  may take seconds to open: a thread of its own looks through one at a time; all functions are for one thread, which never waits but in
 *  `_release` and `_free`. */
#pragma once

#include "firmware/libcamera/libcamera_source.h"
#include "perception/image/image_source.h"
#include "perception/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *source; /* the answer to the step's "source" */
    char id[POV_LIBCAMERA_ID_CAPACITY];
    char title[96], words[300];
    char *picture; /* a data URI; NULL: not yet, or it gives none, as the words say */
    bool is_tried;
} pov_setup_camera;

enum { POV_SETUP_CAMERAS_MAX = POV_LIBCAMERA_CAMERAS_MAX + 1 };

typedef struct pov_setup_look pov_setup_look; /* the thread, and what it found */

typedef struct {
    int len;
    pov_setup_camera list[POV_SETUP_CAMERAS_MAX]; /* the simulated lab is the last one */
    int64_t listed_ns;                            /* 0: never */
    pov_setup_look *look;                         /* NULL: no thread runs */
    pov_status (*open)(pov_image_source **source,
                       const pov_setup_camera *camera); /* NULL: as they are opened */
} pov_setup_cameras;

/** Takes what the thread has found, or starts it: to list them, every few seconds again, or to look through the next one that has no
 *  picture yet. Never waits. */
void pov_setup_cameras_look(pov_setup_cameras *cameras);
/** Waits until the thread has closed its camera, so that another source may open it: an image's time at most, once the camera is open. */
void pov_setup_cameras_release(pov_setup_cameras *cameras);
void pov_setup_cameras_free(pov_setup_cameras *cameras);
