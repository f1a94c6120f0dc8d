/** The source of a question's scene: a file, a line that `pov run --json` printed, or a running station. */
#pragma once

#include "ask/talk/talk.h"
#include "firmware/keys/door.h"
#include "perception/status.h"

typedef struct pov_scene_source pov_scene_source;

typedef struct {
    const char *
        where; /* a YAML file; a .jsonl or .mcap file; a station's endpoint: tcp://robot:5570, ipc:///run/pov */
    const char *image;      /* of a .jsonl or .mcap file: the image of that name; "": the last */
    double at_s;            /* the image at so many seconds after the first; below 0: not asked for */
    double timeout_s;       /* how long a station may be silent */
    pov_door_client client; /* of a station */
} pov_scene_source_config;

POV_MUST_USE pov_status pov_scene_source_new(pov_scene_source **source,
                                             const pov_scene_source_config *config);
void pov_scene_source_destroy(pov_scene_source **source);

/** The scene to answer from, all but `judging`: a file's is always the same; a station's is the newest. POV_END: asked to stop.
 *  Borrowed until the next call. */
POV_MUST_USE pov_status pov_scene_source_next(pov_scene_source *source, pov_talk_about *about);
/** POV_ERROR: a recording is damaged, and some of its images were left out; the message names the place. */
POV_MUST_USE pov_status pov_scene_source_damage(const pov_scene_source *source);
