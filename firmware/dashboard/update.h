/** One update of the page: what was found in an image and follows from it, as JSON that is as short as the page needs. */
#pragma once

#include "firmware/dashboard/snapshot.h"

#include <stdio.h>

struct cJSON;

/** The state that does not belong to an image. */
typedef struct {
    bool sweeps;                            /* a sweep is shown, or will be */
    bool simulated;                         /* so will the first image be; later ones tell themselves */
    const char *step;                       /* what is being done, in words; "": nothing to say */
    uint64_t sweep_version, bodies_version; /* of the parts that are fetched separately */
    uint64_t picture_id;                    /* the same as before: the same picture again */
    bool has_report;
} pov_update_frame;

/** docs/DASHBOARD.md says what is in it. Entities are named by their index in `entities`. */
void pov_update_write(FILE *stream, const pov_snapshot *snapshot, const pov_update_frame *frame);
/** "#rrggbb" as an item of JSON. */
struct cJSON *pov_update_colour(pov_colour colour);
