/** What follows from an image's scene, as its station asks for it: relations, directions, who sees what. */
#ifndef POV_FIRMWARE_RUN_STATION_JUDGE_H
#define POV_FIRMWARE_RUN_STATION_JUDGE_H

#include "firmware/station/station.h"
#include "perception/observation/observation.h"

typedef struct pov_station_judge pov_station_judge;

/** The settings are borrowed. */
POV_MUST_USE pov_status pov_station_judge_new(pov_station_judge **judge, const pov_station_judging *settings);
void pov_station_judge_destroy(pov_station_judge **judge);

/** Each writes its part of the observation anew, from its scene. */

/** Of the pairs that the station names, else of all ordered ones; of the camera, which is a viewer only, of none. */
void pov_station_judge_relations(pov_station_judge *judge, pov_observation *observation);
/** Where things are for whoever sees or is spoken to and has a front, and in what order. */
void pov_station_judge_directions(const pov_station_judge *judge, pov_observation *observation);
/** Whether each viewer sees each thing but the camera. */
POV_MUST_USE pov_status pov_station_judge_sights(pov_station_judge *judge, pov_observation *observation);

#endif
