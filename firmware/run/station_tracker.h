/** Tracking at a station: its camera held still, its turntable's angle, its entities over time. */
#ifndef POV_FIRMWARE_RUN_STATION_TRACKER_H
#define POV_FIRMWARE_RUN_STATION_TRACKER_H

#include "perception/cast/cast.h"
#include "perception/cast/disc.h"
#include "perception/observation/observation.h"

typedef struct pov_station_tracker pov_station_tracker;

/** disc: of the turntable; borrowed. */
POV_MUST_USE pov_status pov_station_tracker_new(pov_station_tracker **tracker, const pov_cast *cast,
                                                const pov_disc *disc);
void pov_station_tracker_destroy(pov_station_tracker **tracker);

/** First: puts the better pose into the header while the camera stands still. */
void pov_station_tracker_hold_camera(pov_station_tracker *tracker, pov_image_header *header);
/** Then: the scene's entities become what they were before; findings->ball_entity follows them. renamed[i]: what entity i
 *  has become, POV_ID_NONE if there were enough of its kind. */
void pov_station_tracker_run(pov_station_tracker *tracker, pov_observation *observation,
                             pov_id renamed[POV_ENTITY_MAX], pov_findings *findings);

#endif
