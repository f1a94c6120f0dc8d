/** The judgments that a station asks for: relations, directions, visibility. */
#pragma once

#include "firmware/station/station.h"
#include "perception/observation/observation.h"

typedef struct pov_station_judge pov_station_judge;

/** The settings are borrowed. */
POV_MUST_USE pov_status pov_station_judge_new(pov_station_judge **judge, const pov_station_judging *settings,
                                              const pov_workers *workers);
void pov_station_judge_destroy(pov_station_judge **judge);

/** Each writes its part of the observation again, from its scene. */

/** Judges the pairs that the station names, else all ordered pairs. The camera is a viewer only: no pair contains
 *  it. */
void pov_station_judge_relations(pov_station_judge *judge, pov_observation *observation);
/** For every viewer or addressee with a front: the direction of each entity, and their order. */
void pov_station_judge_directions(const pov_station_judge *judge, pov_observation *observation);
/** Whether each viewer sees each thing but the camera. */
POV_MUST_USE pov_status pov_station_judge_sights(pov_station_judge *judge, pov_observation *observation);
