/** Whether the lens calibration still holds, and how its uncertainty widens scenes and judgments. */
#ifndef POV_FIRMWARE_RUN_STATION_LENS_H
#define POV_FIRMWARE_RUN_STATION_LENS_H

#include "perception/lens/lens_doubt.h"
#include "perception/lens/lens_watch.h"
#include "perception/observation/observation.h"

/** Of the station; borrowed. */
typedef struct {
    const pov_camera *camera;
    const pov_lens_covariance *covariance; /* len 0: the calibration does not say how good it is */
    bool is_calibrated;                    /* not guessed */
    const pov_cast *cast;
    const pov_ball_detector_config *balls;
    const pov_tag_map *map;
    const pov_judging *judging;
} pov_station_lens_config;

/** Start from {0}. */
typedef struct {
    pov_station_lens_config config;
    pov_lens_watch watch;
    pov_lens_doubt *doubt; /* NULL: no covariance */
    bool looked;           /* at the current image */
} pov_station_lens;

POV_MUST_USE pov_status pov_station_lens_open(pov_station_lens *lens, const pov_station_lens_config *config);
void pov_station_lens_close(pov_station_lens *lens);

/** Out: observation->lens. */
void pov_station_lens_watch(pov_station_lens *lens, pov_observation *observation,
                            const pov_findings *findings);

/** Called in this order: look when the scene is built, rename when it is tracked, widen after that, explain when it is judged. */
void pov_station_lens_look(pov_station_lens *lens, const pov_observation *observation,
                           const pov_findings *findings);
void pov_station_lens_rename(pov_station_lens *lens, const pov_id renamed[POV_ENTITY_MAX]);
void pov_station_lens_widen(pov_station_lens *lens, pov_observation *observation);
void pov_station_lens_explain(const pov_station_lens *lens, pov_observation *observation);

#endif
