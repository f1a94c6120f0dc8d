/** Warnings about what an image leaves open: the camera's pose, the tags that it rests on, and what no message has room for. Printed once each. */
#pragma once

#include "perception/cast/cast.h"
#include "perception/observation/observation.h"
#include "perception/tags/camera_prior.h"
#include "perception/tags/tag_reconcile.h"

/** All false: nothing was said. */
typedef struct {
    bool of_absence, of_contradiction, of_ambiguity, of_prior, of_map, of_room;
} pov_observation_warned;

/** Warns on stderr of mapped tags of which none is seen, a tag that has moved, tags that contradict one another, a pose that is
 *  left open, a prior that no pose meets, and judgments that were left out. In: findings: of the same image; mapped_len: how many tags the map holds. */
void pov_observation_warn(pov_observation_warned *warned, const pov_observation *observation,
                          const pov_findings *findings, int mapped_len);

/** Out: how far off a map's tags are that calls itself exact, and what to do. False: the map is not in doubt. */
bool pov_map_doubt_text(char text[POV_MESSAGE_CAPACITY], const pov_map_doubt *doubt);
