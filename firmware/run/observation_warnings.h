/** Warnings about what an image leaves open: the camera's pose, the tags that it rests on, and what no message has room for. Printed once each. */
#pragma once

#include "firmware/station/station.h"
#include "perception/cast/cast.h"
#include "perception/observation/observation.h"
#include "perception/tags/camera_prior.h"
#include "perception/tags/tag_diagnosis.h"
#include "perception/tags/tag_reconcile.h"

/** All false: nothing was said. */
typedef struct {
    bool of_absence, of_mistake, of_contradiction, of_ambiguity, of_prior, of_map, of_room, of_transform;
    int mistake_looks; /* images in which a mistake of the map was looked for */
} pov_observation_warned;

/** A mapped tag was seen, whether or not it fits the others. */
bool pov_observation_shows_map(const pov_observation *observation);

/** The same; where there is no map, any tag. */
bool pov_observation_shows_tags(const pov_observation *observation, int mapped_len);

/** Warns on stderr of mapped tags of which none is seen, a tag that has moved, tags that contradict one another, a pose that is
 *  left open, a prior that no pose meets, and judgments that were left out. In: findings: of the same image; diagnosis: of an image
 *  that shows none of the tags. */
void pov_observation_warn(pov_observation_warned *warned, const pov_observation *observation,
                          const pov_findings *findings, const pov_station *station,
                          const pov_tag_diagnosis *diagnosis);

/** What a diagnosis says, and how to mend it; false: it explains nothing. mapped_len: how many tags the map has; 0: there is none. */
bool pov_tag_diagnosis_text(char text[POV_MESSAGE_CAPACITY], const pov_tag_diagnosis *diagnosis,
                            int mapped_len);
/** The same of a map's mistake. */
bool pov_map_mistake_text(char text[POV_MESSAGE_CAPACITY], pov_map_mistake mistake);

/** Out: how far off a map's tags are that calls itself exact, and what to do. False: the map is not in doubt. */
bool pov_map_doubt_text(char text[POV_MESSAGE_CAPACITY], const pov_map_doubt *doubt);
