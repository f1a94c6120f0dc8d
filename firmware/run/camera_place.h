/** Where the camera of a station is in an image, as its file says or by the tags of its map; and what it has in view. */
#ifndef POV_FIRMWARE_RUN_CAMERA_PLACE_H
#define POV_FIRMWARE_RUN_CAMERA_PLACE_H

#include "firmware/station/station.h"
#include "perception/observation/observation.h"

/** Returns: the header's pose, or NULL if none is known.
 *  Out:     findings: what the tags say of the pose; header: pose_source, T_table_camera, candidates.
 *  In:      findings->tags. */
const pov_pose *pov_camera_place(pov_findings *findings, pov_image_header *header,
                                 const pov_station_place *place, const pov_camera *camera,
                                 const pov_tag_map *map);

/** A frustum about the optical axis, or a cone for lenses as wide as a half-space. */
pov_field_of_view pov_camera_field(const pov_camera *camera);

#endif
