/** Why an image shows none of the tags that it should: looked at once, when people are told of it. */
#pragma once

#include "perception/tags/tag_detector.h"
#include "perception/tags/tag_pose.h"

typedef enum {
    POV_TAGS_UNEXPLAINED,
    POV_TAGS_MIRRORED, /* left and right are swapped, as webcams do for their owners */
    POV_TAGS_INVERTED, /* black and white are swapped, by the print or the camera */
    POV_TAGS_MIRRORED_AND_INVERTED,
    POV_TAG_TROUBLE_COUNT
} pov_tag_trouble;

/** The tags that would be there. */
typedef struct {
    pov_tag_trouble trouble;
    int len; /* read if the image is so: of the map, or all of them if it is empty */
} pov_tag_diagnosis;

/** Searches the image mirrored, inverted, and both. Allocates a detector and two images. */
POV_MUST_USE pov_status pov_tag_diagnose(pov_tag_diagnosis *diagnosis, const pov_tag_detector_config *config,
                                         const pov_tag_map *map, const pov_image *image);

/** Mistakes in a tag map that would explain why its tags do not fit one another. */
typedef enum {
    POV_MAP_UNEXPLAINED,
    POV_MAP_ROTATIONS_TRANSPOSED, /* the inverse of R_table_tag was written */
    POV_MAP_POSITIONS_IN_MM,
    POV_MAP_EDGES_IN_MM,
    POV_MAP_MISTAKE_COUNT
} pov_map_mistake;

/** The mistake without which more of the tags fit, all but one of those that are mapped; POV_MAP_UNEXPLAINED if none is. Asks for two
 *  mapped tags at least. Some 100 KiB of stack; milliseconds. */
pov_map_mistake pov_tag_map_find_mistake(const pov_tag_map *map, const pov_tags *tags,
                                         const pov_camera *camera);
