#include "firmware/station/station_lens.h"

#include <math.h>

pov_status pov_station_lens_open(pov_station_lens *lens, const pov_station *station)
{
    return station->trust.covariance.len > 0
               ? pov_lens_doubt_new(&lens->doubt, &station->camera, &station->trust.covariance)
               : pov_ok();
}

void pov_station_lens_close(pov_station_lens *lens)
{
    pov_lens_doubt_destroy(&lens->doubt);
}

/* A camera that was measured to one percent may be off by one percent. */
static double focal_std_share(const pov_station *station)
{
    const pov_lens_covariance *covariance = &station->trust.covariance;
    return covariance->len > 0 ? sqrt(covariance->cov[0][0]) / station->camera.fx_px : 0;
}

void pov_station_lens_watch(pov_station_lens *lens, pov_observation *observation, const pov_station *station,
                            const pov_findings *findings)
{
    observation->lens = (pov_lens_health){.known = false};
    if (!station->calibrated || observation->image.pose_source != POV_POSE_FROM_TAGS)
        return;
    pov_lens_watch_update(&lens->watch, &observation->lens, &station->camera, &findings->tags,
                          &station->tag_map, &findings->camera_pose);
    pov_lens_health_allow(&observation->lens, focal_std_share(station));
}

void pov_station_lens_look(pov_station_lens *lens, const pov_observation *observation,
                           const pov_station *station, const pov_findings *findings)
{
    const pov_pose_source source = observation->image.pose_source;
    const pov_lens_view view = {.cast = &station->cast,
                                .balls = &station->balls,
                                .map = source == POV_POSE_FROM_TAGS ? &station->tag_map : NULL,
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

void pov_station_lens_explain(const pov_station_lens *lens, pov_observation *observation,
                              const pov_station *station)
{
    if (lens->looked)
        pov_lens_doubt_explain(lens->doubt, observation->judgments, observation->judgment_len,
                               &station->judging);
}
