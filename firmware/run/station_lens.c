#include "firmware/run/station_lens.h"

#include <math.h>

pov_status pov_station_lens_open(pov_station_lens *lens, const pov_station_lens_config *config)
{
    lens->config = *config;
    return config->covariance->len > 0 ? pov_lens_doubt_new(&lens->doubt, config->camera, config->covariance)
                                       : pov_ok();
}

void pov_station_lens_close(pov_station_lens *lens)
{
    pov_lens_doubt_destroy(&lens->doubt);
}

/* A camera that was measured to one percent may be off by one percent. */
static double focal_std_share(const pov_station_lens_config *config)
{
    const pov_lens_covariance *covariance = config->covariance;
    return covariance->len > 0 ? sqrt(covariance->cov[0][0]) / config->camera->fx_px : 0;
}

void pov_station_lens_watch(pov_station_lens *lens, pov_observation *observation,
                            const pov_findings *findings)
{
    const pov_station_lens_config *config = &lens->config;
    observation->lens = (pov_lens_health){.known = false};
    if (!config->is_calibrated || observation->image.pose_source != POV_POSE_FROM_TAGS)
        return;
    pov_lens_watch_update(&lens->watch, &observation->lens, config->camera, &findings->tags, config->map,
                          &findings->camera_pose);
    pov_lens_health_allow(&observation->lens, focal_std_share(config));
}

void pov_station_lens_look(pov_station_lens *lens, const pov_observation *observation,
                           const pov_findings *findings)
{
    const pov_station_lens_config *config = &lens->config;
    const pov_pose_source source = observation->image.pose_source;
    const pov_lens_view view = {.cast = config->cast,
                                .balls = config->balls,
                                .map = source == POV_POSE_FROM_TAGS ? config->map : NULL,
                                .findings = findings,
                                .T_table_camera = &observation->image.T_table_camera};
    lens->looked = lens->doubt && (source == POV_POSE_FROM_TAGS || source == POV_POSE_GIVEN);
    if (lens->looked)
        pov_lens_doubt_look(lens->doubt, &observation->scene, &view);
}

void pov_station_lens_rename(pov_station_lens *lens, const pov_id renamed[POV_ENTITY_MAX])
{
    if (lens->looked)
        pov_lens_doubt_rename(lens->doubt, renamed);
}

void pov_station_lens_widen(pov_station_lens *lens, pov_observation *observation)
{
    if (lens->looked)
        pov_lens_doubt_widen(lens->doubt, &observation->scene, &observation->image.T_table_camera);
}

void pov_station_lens_explain(const pov_station_lens *lens, pov_observation *observation)
{
    if (lens->looked)
        pov_lens_doubt_explain(lens->doubt, observation->judgments, observation->judgment_len,
                               lens->config.judging);
}
