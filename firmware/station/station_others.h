/** What of an image is known to be no enrolled object: tags that lie where the station's map has them. */
#ifndef POV_FIRMWARE_STATION_OTHERS_H
#define POV_FIRMWARE_STATION_OTHERS_H

#include "firmware/station/station.h"
#include "perception/cast/cast.h"
#include "perception/objects/object_finder.h"

/** Takes the tags in an image that are where they should be, with the white about them. T_table_camera NULL: none. */
void pov_station_others_of(pov_object_others *others, const pov_tags *tags, const pov_station *station,
                           const pov_pose *T_table_camera);

/** Finds the enrolled objects of an image beside its tags, those among the findings. */
POV_MUST_USE pov_status pov_station_find_objects(pov_object_finder *finder, pov_findings *findings,
                                                 const pov_image *image, const pov_station *station,
                                                 const pov_pose *T_table_camera);

#endif
