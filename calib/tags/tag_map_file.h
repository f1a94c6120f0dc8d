/** Tag maps as files: which tag is where.
 *
 *  family: tag36h11            # of all tags that name none themselves
 *  edge_m: 0.08                # likewise; of the square between the detected corners
 *  tags:
 *    - id: 3
 *      position_m: [0.1, 0, 0] # of the tag's centre in the table frame
 *      rotation: [...]         # R_table_tag, three rows; or
 *      yaw_deg: 90             # a tag lying face up, its reading direction turned about z; or
 *      faces_deg: 180          # an upright tag whose printed face looks that way (about z from +x)
 *      position_std_m: 0.0005  # optional
 *      rotation_std_deg: 0.2   # optional
 *      panel: wall             # optional: on that panel, whose error all its tags share
 *      covariance: [...]       # instead of these: of (rotation in rad, position in m) in the table frame, as in
 *                              # pov_pose: the upper triangle's 21 numbers, row by row
 *  panels:                     # optional
 *    - {id: wall, position_std_m: 0.005, rotation_std_deg: 0.5}
 */
#pragma once

#include "config/yaml/yaml_file.h"
#include "perception/geometry/tag.h"
#include "perception/status.h"

#include <stddef.h>
#include <stdio.h>

/** Errors name file, line, key: unknown family, id outside the family, the same tag twice, no edge, ... On error the
 *  map is empty. */
POV_MUST_USE pov_status pov_tag_map_read(pov_tag_map *map, const char *path);
POV_MUST_USE pov_status pov_tag_map_parse(pov_tag_map *map, const char *name, const char *text,
                                          size_t length);

/** Reads tags from a part of a file: `family`, `edge_m` and `tags` of this mapping. Complaints go to its file. */
void pov_tag_map_read_tags(pov_tag_map *map, pov_yaml_node mapping);

/** `family`: a tag family's name. Leaves *family as it is if the node is absent. */
void pov_tag_family_read(int *family, pov_yaml_node node);

/** `covariance: [...]`: the upper triangle, row by row. */
void pov_tag_map_read_covariance(double cov[6][6], pov_yaml_node node);
void pov_tag_map_write_covariance(FILE *stream, const double cov[6][6]);
/** `rotation: [[...], [...], [...]]`: its rows. */
void pov_tag_map_write_rotation(FILE *stream, pov_rot R);

/** Writes a map as such a file; `about` says in a comment where its frame is. Uncertainty that is
 *  not alike in all directions is written as a covariance. */
void pov_tag_map_write(FILE *stream, const pov_tag_map *map, const char *about);
