/** The cameras that a set-up can use, each with a small picture of what it sees: those that are plugged in, and the simulated lab.
 *  One thread; while nothing else has a camera open. */
#pragma once

#include "firmware/libcamera/libcamera_source.h"
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

typedef struct {
    int len;
    pov_setup_camera list[POV_SETUP_CAMERAS_MAX]; /* the simulated lab is the last one */
    int64_t listed_ns;                            /* 0: never */
} pov_setup_cameras;

/** Lists them, every few seconds again, or looks through the next one that has no picture yet. Takes at most some seconds. */
void pov_setup_cameras_look(pov_setup_cameras *cameras);
void pov_setup_cameras_free(pov_setup_cameras *cameras);
