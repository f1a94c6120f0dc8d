/** What stands in place of an image of a camera in another process. */
#pragma once

#include "perception/observation/observation.h"

/** `view` of such an image. */
typedef struct {
    const pov_observation *observation; /* of that camera alone; its times are the other machine's */
    bool is_foreign; /* its tag map differs from this station's: its places are not this table's */
    char trouble[POV_TROUBLE_CAPACITY]; /* "": none */
    double clock_offset_s, clock_std_s; /* NaN: not known */
} pov_remote_view;

/** What a view's map says against this one. Pure.
 *  Returns: the tag that is farthest from where this map has it, and farther than both may be off; NULL: none.
 *  Out: compared: tags that both maps have; off_m: how far that tag's corner is off. */
const pov_observed_tag *pov_remote_map_differs(const pov_observation *view, const pov_tag_map *map,
                                               int *compared, double *off_m);
