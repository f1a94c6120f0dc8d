#include "firmware/doctor/station_look.h"

#include "firmware/clock.h"
#include "firmware/run/observation_warnings.h"
#include "firmware/run/pipeline.h"
#include "firmware/run/station_runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WAIT_MS = 10000, TOLD_IMAGES = 20, TOLD_MS = 6000 };

typedef struct {
    pov_station_look *look;
    pov_station *station; /* as judged here: image by image */
    pov_pipeline *pipeline;
    pov_observation *observation;
} looker;

/* ---- balls that are not found ---- */

static bool is_missing_ball(const looker *l, int member)
{
    return l->station->cast.members[member].found_by == &pov_found_by_ball && l->look->found[member] == 0 &&
           l->look->disc_px[member] == 0;
}

/* The radius of a ball that looks as large as this one, and touches the table: its centre is as far along the ray as its radius is
 * high. NaN, if it would not. */
static double radius_on_table_m(const pov_ball *ball, double radius_m, const pov_pose *T_table_camera)
{
    const double distance_m = pov_vec3_norm(ball->pos_camera_m), sine = radius_m / distance_m;
    const pov_vec3 ray = pov_rot_apply(T_table_camera->T.R, pov_vec3_unit(ball->pos_camera_m));
    const double far_m = T_table_camera->T.t_m.z / (sine - ray.z);
    return far_m > 0 ? sine * far_m : NAN;
}

static void note_disc(looker *l, int member, const pov_balls *balls, const pov_pose *T_table_camera)
{
    const pov_cast_member *wanted = &l->station->cast.members[member];
    const pov_ball_kind *kind = &l->station->finders.balls.kinds[wanted->kind];
    for (int i = 0; i < balls->len && l->look->disc_px[member] == 0; i++) {
        const pov_ball *ball = &balls->balls[i];
        if (ball->kind != wanted->kind)
            continue;
        const double sine = kind->radius_m / pov_vec3_norm(ball->pos_camera_m);
        l->look->disc_px[member] = sine < 1 ? l->station->camera.fx_px * sine / sqrt(1 - sine * sine) : 0;
        l->look->disc_radius_m[member] = T_table_camera && kind->has_height
                                             ? radius_on_table_m(ball, kind->radius_m, T_table_camera)
                                             : NAN;
    }
}

/* Without the camera's pose a disc of the colour is found, whatever the height it would have. */
static pov_status look_for_discs(looker *l, const pov_image *image, const pov_pose *T_table_camera)
{
    pov_ball_detector *detector;
    pov_balls balls;
    bool is_any_missing = false;
    for (int i = 0; i < l->station->cast.len; i++)
        is_any_missing |= is_missing_ball(l, i);
    if (!is_any_missing)
        return pov_ok();
    POV_TRY(pov_ball_detector_new(&detector, &l->station->finders.balls, &l->station->camera));
    const pov_status status = pov_ball_detector_run(detector, &balls, image, NULL, NULL);
    pov_ball_detector_destroy(&detector);
    for (int i = 0; status.code == POV_OK && i < l->station->cast.len; i++)
        if (is_missing_ball(l, i))
            note_disc(l, i, &balls, T_table_camera);
    return status;
}

/* ---- tags ---- */

static pov_status look_at_tags(looker *l, const pov_image *image, const pov_findings *findings)
{
    const pov_tag_settings *tags = &l->station->finders.tags;
    pov_station_look *look = l->look;
    const bool shows_tags = pov_observation_shows_tags(l->observation, tags->map.len);
    if (!tags->is_wanted)
        return pov_ok();
    look->tagged += shows_tags;
    look->given = pov_pipeline_given_offset(l->pipeline);
    look->doubt = *pov_pipeline_map_doubt(l->pipeline);
    if (shows_tags && tags->map.len > 0 && look->mistake == POV_MAP_UNEXPLAINED)
        look->mistake = pov_tag_map_find_mistake(&tags->map, &findings->tags, &l->station->camera);
    if (look->tagged > 0 || look->diagnosis.trouble != POV_TAGS_UNEXPLAINED)
        return pov_ok();
    return pov_tag_diagnose(&look->diagnosis, &tags->detector, &tags->map, image);
}

/* ---- images ---- */

static pov_status look_at_image(looker *l, const pov_image *image)
{
    POV_TRY(pov_pipeline_run(l->pipeline, l->observation, image));
    const pov_findings *findings = pov_pipeline_findings(l->pipeline);
    const pov_pose *T_table_camera = l->station->place.is_given  ? &l->station->place.T_table_camera
                                     : findings->has_camera_pose ? &findings->camera_pose.T_table_camera
                                                                 : NULL;
    l->look->images++;
    pov_cast_count_seen(l->look->found, &l->station->cast, &l->observation->scene);
    POV_TRY(look_at_tags(l, image, findings));
    return look_for_discs(l, image, T_table_camera);
}

/* A guessed camera of no size becomes that of the first image. */
static pov_status open_pipeline(looker *l, const pov_image *image)
{
    if (l->pipeline)
        return pov_ok();
    if (l->station->calibration.size_from_images)
        l->station->camera = pov_station_guess_camera(l->station, image->width_px, image->height_px);
    return pov_pipeline_new(&l->pipeline, l->station);
}

static pov_status look_at_source(looker *l, pov_image_source *source, int image_max)
{
    for (int i = 0; i < image_max; i++) {
        pov_image image;
        pov_status status = pov_image_source_next(source, &image, WAIT_MS);
        if (status.code == POV_SKIPPED)
            continue;
        if (status.code != POV_OK)
            return status.code == POV_ERROR ? status : pov_ok();
        POV_TRY(open_pipeline(l, &image));
        status = look_at_image(l, &image);
        if (status.code == POV_ERROR)
            return status;
    }
    return pov_ok();
}

pov_status pov_station_look_at(pov_station_look *look, const pov_station *station, int image_max)
{
    pov_image_source *source = NULL;
    *look = (pov_station_look){0};
    if (pov_source_is_camera(station->source.kind) ||
        (station->source.kind == POV_SOURCE_FOLDER && !*station->source.folder))
        return pov_status_of(POV_TIMEOUT);
    looker l = {.look = look,
                .station = pov_allocate(1, sizeof *l.station),
                .observation = pov_allocate(1, sizeof *l.observation)};
    *l.station = *station;
    l.station->source.rate_hz = l.station->source.simulator.rate_hz = 0;
    l.station->source.live = l.station->source.loop = false;
    l.station->track = POV_TRACK_NEVER;
    l.station->finders.networks.in_background = false;
    pov_status status = pov_station_open_source(&source, &l.station->source).code == POV_OK
                            ? pov_ok()
                            : pov_status_of(POV_TIMEOUT); /* the check of the images says why */
    POV_THEN(status, look_at_source(&l, source, image_max));
    pov_image_source_destroy(&source);
    pov_pipeline_destroy(&l.pipeline);
    free(l.observation);
    free(l.station);
    return status.code == POV_OK && look->images == 0 ? pov_status_of(POV_TIMEOUT) : status;
}

/* ---- what transforms tell ---- */

static pov_status look_at_told(pov_told_look *look, looker *l, pov_image_source *source,
                               pov_ros2_hearer *hearer)
{
    const int64_t end_ns = pov_clock_monotonic_ns() + TOLD_MS * INT64_C(1000000);
    while (look->images < TOLD_IMAGES && pov_clock_monotonic_ns() < end_ns) {
        pov_image image;
        pov_heard heard;
        pov_status status = pov_image_source_next(source, &image, 100);
        if (status.code == POV_SKIPPED || status.code == POV_TIMEOUT)
            continue;
        if (status.code != POV_OK)
            return status.code == POV_ERROR ? status : pov_ok();
        POV_TRY(open_pipeline(l, &image));
        pov_ros2_hearer_tell(hearer, &heard, image.mid_exposure_ns);
        pov_pipeline_tell(l->pipeline, &heard);
        status = pov_pipeline_run(l->pipeline, l->observation, &image);
        if (status.code == POV_ERROR)
            return status;
        look->images++;
        look->told += heard.has_camera;
        if (heard.has_camera)
            look->camera_m = heard.T_table_camera.T.t_m;
        else
            snprintf(look->why, sizeof look->why, "%s", heard.camera_why);
        look->offset = pov_pipeline_told_offset(l->pipeline);
    }
    look->frames = pov_ros2_hearer_frames(hearer);
    return pov_ok();
}

pov_status pov_station_look_told(pov_told_look *look, const pov_station *station)
{
    pov_image_source *source = NULL;
    pov_ros2_hearer *hearer = NULL;
    *look = (pov_told_look){.images = 0};
    looker l = {.station = pov_allocate(1, sizeof *l.station),
                .observation = pov_allocate(1, sizeof *l.observation)};
    *l.station = *station;
    l.station->track = POV_TRACK_NEVER;
    pov_status status =
        pov_ros2_hearer_new(&hearer, &(pov_ros2_hearer_config){.settings = &l.station->ros2,
                                                               .camera = &l.station->place.tf,
                                                               .things = &l.station->finders.heard});
    POV_THEN(status, pov_station_open_source(&source, &l.station->source));
    POV_THEN(status, look_at_told(look, &l, source, hearer));
    pov_image_source_destroy(&source);
    pov_ros2_hearer_destroy(&hearer);
    pov_pipeline_destroy(&l.pipeline);
    free(l.observation);
    free(l.station);
    return status;
}
