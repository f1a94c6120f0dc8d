/** What a station makes of its camera's calibration: whether it still holds, and what it leaves open. */
#ifndef POV_FIRMWARE_STATION_STATION_LENS_H
#define POV_FIRMWARE_STATION_STATION_LENS_H

#include "firmware/station/station.h"
#include "perception/lens/lens_doubt.h"
#include "perception/lens/lens_watch.h"
#include "perception/observation/observation.h"

/** Start from {0}. */
typedef struct {
    pov_lens_watch watch;
    pov_lens_doubt *doubt; /* NULL: the calibration does not say how good it is */
    bool looked;           /* at the present image */
} pov_station_lens;

POV_MUST_USE pov_status pov_station_lens_open(pov_station_lens *lens, const pov_station *station);
void pov_station_lens_close(pov_station_lens *lens);

/** Out: observation->lens. */
void pov_station_lens_watch(pov_station_lens *lens, pov_observation *observation, const pov_station *station,
                            const pov_findings *findings);

/** In this order, once the scene is built, before and after it is tracked, and once it is judged. */
void pov_station_lens_look(pov_station_lens *lens, const pov_observation *observation,
                           const pov_station *station, const pov_findings *findings);
void pov_station_lens_rename(pov_station_lens *lens, const pov_id renamed[POV_ENTITY_MAX]);
void pov_station_lens_widen(pov_station_lens *lens, pov_observation *observation);
void pov_station_lens_explain(const pov_station_lens *lens, pov_observation *observation,
                              const pov_station *station);

#endif
