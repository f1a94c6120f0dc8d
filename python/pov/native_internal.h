/** Shared by the parts of libpov_python. */
#pragma once

#include "perception/visibility/visibility.h"
#include "python/pov/native.h"

#include <stdint.h>

/** Facts of an image beside its scene, for replies. */
typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY]; /* "": the scene is of no image */
    uint32_t sequence;
    int64_t capture_ns;
    uint64_t calibration_hash;
} pov_native_image;

struct pov_native_scene {
    pov_scene scene;
    pov_native_image image;
    int judgment_len, judgment_capacity;
    pov_native_judgment *judgments;
    int sight_len, sight_capacity; /* of what was asked last */
    pov_native_sight *sights;
    pov_visibility *seen; /* as a station judged them, or NULL */
    int seen_len;
    struct pov_native_run *run; /* of judging */
};

/** Copies the message, and gives the code. */
int pov_native_tell(char *message, pov_status status);

void pov_native_judgment_of(pov_native_judgment *to, const pov_judgment *from);
void pov_native_sight_of(pov_native_sight *to, const pov_visibility *from);
