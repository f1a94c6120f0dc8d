#include "firmware/run/pipeline.h"

#include "firmware/clock.h"
#include "firmware/run/camera_place.h"
#include "firmware/run/station_judge.h"
#include "firmware/run/station_lens.h"
#include "firmware/run/station_tracker.h"
#include "perception/observation/observation.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pov_pipeline {
    const pov_station *station;
    bool is_video;
    pov_cast cast; /* the station's, with its bodies */
    pov_station_bodies *bodies;
    pov_finders *finders;
    pov_findings findings;
    pov_tag_watch watch; /* of the map's tags */
    pov_map_doubt map_doubt;
    pov_station_tracker *tracker; /* NULL: each image stands for itself */
    pov_station_lens lens;
    pov_field_of_view field; /* the camera's */
    pov_station_judge *judge;
    pov_observation *other; /* by the other pose, where two fit; NULL: the pose does not come from tags */
    int64_t stage_ns[POV_STAGE_COUNT], stage_begun_ns;
};

static bool is_video(const pov_station_source *source)
{
    if (source->kind == POV_SOURCE_SIMULATOR)
        return source->simulator.rate_hz > 0;
    return source->kind == POV_SOURCE_LIBCAMERA || source->rate_hz > 0;
}

static bool is_tracked(const pov_pipeline *pipeline)
{
    const pov_tracking track = pipeline->station->track;
    return track == POV_TRACK_ALWAYS || (track == POV_TRACK_IN_VIDEO && pipeline->is_video);
}

static pov_status open_lens(pov_pipeline *pipeline)
{
    const pov_station *station = pipeline->station;
    const pov_station_lens_config config = {.camera = &station->camera,
                                            .covariance = &station->calibration.trust.covariance,
                                            .is_calibrated = *station->calibration.path,
                                            .cast = &pipeline->cast,
                                            .balls = &station->finders.balls,
                                            .map = &station->finders.tags.map,
                                            .judging = &station->judge.judging};
    return pov_station_lens_open(&pipeline->lens, &config);
}

static pov_status make_stages(pov_pipeline *pipeline)
{
    const pov_station *station = pipeline->station;
    const pov_finder_place place = {
        .settings = &station->finders, .camera = &station->camera, .is_video = pipeline->is_video};
    POV_TRY(pov_station_bodies_new(&pipeline->bodies, &pipeline->cast, &station->bodies));
    POV_TRY(pov_finders_new(&pipeline->finders, &place));
    POV_TRY(pov_station_judge_new(&pipeline->judge, &station->judge));
    if (is_tracked(pipeline))
        POV_TRY(pov_station_tracker_new(&pipeline->tracker, &pipeline->cast, &station->turntable.disc));
    return open_lens(pipeline);
}

pov_status pov_pipeline_new(pov_pipeline **pipeline, const pov_station *station)
{
    pov_pipeline *p = *pipeline = calloc(1, sizeof *p);
    if (!p)
        return pov_error("pipeline: out of memory");
    p->station = station;
    p->is_video = is_video(&station->source);
    p->cast = station->cast;
    p->field = pov_camera_field(&station->camera);
    const bool may_be_ambiguous = station->finders.tags.map.len > 0;
    pov_status status = pov_ok();
    if (may_be_ambiguous && !(p->other = calloc(1, sizeof *p->other)))
        status = pov_error("pipeline: out of memory");
    if (status.code == POV_OK)
        status = make_stages(p);
    if (status.code != POV_OK)
        pov_pipeline_destroy(pipeline);
    return status;
}

void pov_pipeline_destroy(pov_pipeline **pipeline)
{
    if (!pipeline || !*pipeline)
        return;
    pov_finders_destroy(&(*pipeline)->finders);
    pov_station_tracker_destroy(&(*pipeline)->tracker);
    pov_station_lens_close(&(*pipeline)->lens);
    pov_station_bodies_destroy(&(*pipeline)->bodies);
    pov_station_judge_destroy(&(*pipeline)->judge);
    free((*pipeline)->other);
    free(*pipeline);
    *pipeline = NULL;
}

const char *pov_pipeline_stage_name(pov_pipeline_stage stage)
{
    static const char *const names[] = {"tags", "finding", "tracking", "relations", "who sees what"};
    static_assert(sizeof names / sizeof *names == POV_STAGE_COUNT, "one name a stage");
    return names[stage];
}

const int64_t *pov_pipeline_stage_ns(const pov_pipeline *pipeline)
{
    return pipeline->stage_ns;
}

static void end_stage(pov_pipeline *pipeline, pov_pipeline_stage stage)
{
    int64_t now_ns = pov_clock_monotonic_ns();
    pipeline->stage_ns[stage] += now_ns - pipeline->stage_begun_ns;
    pipeline->stage_begun_ns = now_ns;
}

const pov_findings *pov_pipeline_findings(const pov_pipeline *pipeline)
{
    return &pipeline->findings;
}

static pov_status check_size(const pov_camera *camera, const pov_image *image)
{
    if (image->width_px == camera->width_px && image->height_px == camera->height_px)
        return pov_ok();
    return pov_status_with(
        POV_SKIPPED,
        "%s: %d x %d pixels, but the calibration is for %d x %d; use images of that size, or "
        "calibrate at this one",
        image->name, image->width_px, image->height_px, camera->width_px, camera->height_px);
}

static void describe_image(pov_image_header *header, const pov_pipeline *pipeline, const pov_image *image)
{
    memset(header, 0, sizeof *header);
    snprintf(header->name, sizeof header->name, "%s", image->name);
    header->sequence = image->sequence;
    header->capture_ns = image->mid_exposure_ns;
    header->width_px = image->width_px;
    header->height_px = image->height_px;
    header->calibration_hash = pov_camera_hash(&pipeline->station->camera);
}

static void watch_tags(pov_pipeline *pipeline, pov_pose_source pose_source)
{
    const pov_station *station = pipeline->station;
    pov_findings *findings = &pipeline->findings;
    findings->has_moved_tag =
        pose_source == POV_POSE_FROM_TAGS &&
        pov_tag_watch_update(&pipeline->watch, &findings->moved_tag, &station->camera, &findings->tags,
                             &findings->camera_pose, &station->finders.tags.map);
}

int pov_pipeline_moved_tags(const pov_pipeline *pipeline, pov_moved_tag *list, int capacity)
{
    return pov_tag_watch_list(&pipeline->watch, list, &pipeline->station->finders.tags.map, capacity);
}

const pov_map_doubt *pov_pipeline_map_doubt(const pov_pipeline *pipeline)
{
    return &pipeline->map_doubt;
}

/* The camera's pose in the table frame, or NULL. Where it stands still, the better one of many images. */
static const pov_pose *locate_camera(pov_pipeline *pipeline, pov_image_header *header)
{
    const pov_station *station = pipeline->station;
    const pov_tag_map *map = &station->finders.tags.map;
    pov_map_doubt_look(&pipeline->map_doubt, &station->camera, &pipeline->findings.tags,
                       map); /* before tags are reconciled */
    const pov_pose *T_table_camera =
        pov_camera_place(&pipeline->findings, header, &station->place, &station->camera, map);
    watch_tags(pipeline, header->pose_source);
    if (pipeline->tracker)
        pov_station_tracker_hold_camera(pipeline->tracker, header);
    return T_table_camera;
}

static void read_turntable(pov_observation *observation, pov_pipeline *pipeline,
                           const pov_pose *T_table_camera)
{
    const pov_station *station = pipeline->station;
    pov_findings *findings = &pipeline->findings;
    pov_disc_reading *reading = &findings->turntable;
    observation->turntable = (pov_observed_turntable){.angle_rad = NAN, .std_rad = NAN};
    findings->has_turntable = station->turntable.measured && T_table_camera &&
                              pov_disc_read(reading, &station->turntable.disc, &station->camera,
                                            &findings->tags, T_table_camera) == POV_OK;
    if (findings->has_turntable)
        observation->turntable =
            (pov_observed_turntable){true, reading->angle_rad, reading->std_rad, reading->used_len};
}

/* A tag that fits a pose which is not good enough to be used is no more than seen; one that does not fit the turntable's
 * others has moved on it. */
static pov_tag_fate fate_of(const pov_pipeline *pipeline, int i, pov_pose_source pose_source)
{
    const pov_findings *findings = &pipeline->findings;
    const pov_tag *tag = &findings->tags.tags[i];
    if (findings->has_turntable &&
        pov_tag_map_find(&pipeline->station->turntable.disc.tags, tag->family, tag->id))
        return findings->turntable.used[i] ? POV_TAG_TURNS : POV_TAG_REJECTED;
    if (pipeline->station->finders.tags.map.len == 0)
        return POV_TAG_SEEN;
    pov_tag_fate fate = pipeline->findings.camera_pose.fate[i];
    const bool rests_on_tags = pose_source == POV_POSE_FROM_TAGS || pose_source == POV_POSE_AMBIGUOUS;
    return fate == POV_TAG_USED && !rests_on_tags ? POV_TAG_SEEN : fate;
}

static void report_tags(pov_observation *observation, const pov_pipeline *pipeline)
{
    const pov_tags *tags = &pipeline->findings.tags;
    observation->tag_len = tags->len;
    observation->tags_truncated = tags->truncated;
    for (int i = 0; i < tags->len; i++)
        observation->tags[i] =
            (pov_observed_tag){tags->tags[i], fate_of(pipeline, i, observation->image.pose_source)};
}

static void let_camera_see(pov_scene *scene, const pov_field_of_view *field)
{
    if (scene->camera == POV_ID_NONE)
        return;
    scene->entities[scene->camera].can_see = true;
    scene->entities[scene->camera].field = *field;
}

/* Images that two poses fit are left out of tracks, which hold one. */
static pov_status build_scene(pov_pipeline *pipeline, pov_observation *observation,
                              const pov_pose *T_table_camera)
{
    const pov_station *station = pipeline->station;
    pov_scene *scene = &observation->scene;
    POV_TRY(
        pov_cast_build_scene(&pipeline->cast, scene, &pipeline->findings, &station->camera, T_table_camera));
    pov_station_lens_look(&pipeline->lens, observation, &pipeline->findings);
    if (pipeline->tracker && observation->image.pose_source != POV_POSE_AMBIGUOUS) {
        pov_id renamed[POV_ENTITY_MAX];
        pov_station_tracker_run(pipeline->tracker, observation, renamed, &pipeline->findings);
        pov_station_lens_rename(&pipeline->lens, renamed);
    }
    pov_station_lens_widen(&pipeline->lens, observation);
    end_stage(pipeline, POV_STAGE_TRACKING);
    scene->has_north = station->has_north;
    scene->north_yaw_rad = station->north_yaw_rad;
    let_camera_see(scene, &pipeline->field);
    return pov_ok();
}

/* All that follows from a camera's pose. */
static pov_status judge_from(pov_pipeline *pipeline, pov_observation *observation, const pov_image *image,
                             const pov_pose *T_table_camera)
{
    const pov_finder_view view = {image, T_table_camera};
    if (!pipeline->is_video || observation->image.pose_source == POV_POSE_AMBIGUOUS)
        pov_finders_forget(pipeline->finders);
    POV_TRY(pov_finders_run(pipeline->finders, &pipeline->findings, POV_FINDS_BY_POSE, &view));
    end_stage(pipeline, POV_STAGE_FINDING);
    POV_TRY(build_scene(pipeline, observation, T_table_camera));
    pov_station_judge_relations(pipeline->judge, observation);
    pov_station_lens_explain(&pipeline->lens, observation);
    pov_station_judge_directions(pipeline->judge, observation);
    end_stage(pipeline, POV_STAGE_RELATIONS);
    POV_TRY(pov_station_judge_sights(pipeline->judge, observation));
    end_stage(pipeline, POV_STAGE_SIGHT);
    return pov_ok();
}

static pov_status judge_from_both(pov_pipeline *pipeline, pov_observation *observation,
                                  const pov_image *image)
{
    const pov_pose_candidate *candidates = observation->image.candidates;
    pipeline->other->image = observation->image;
    POV_TRY(judge_from(pipeline, pipeline->other, image, &candidates[1].T_table_camera));
    POV_TRY(judge_from(pipeline, observation, image, &candidates[0].T_table_camera));
    pov_observation_mix(observation, pipeline->other, candidates[0].probability);
    return build_scene(pipeline, observation, &observation->image.T_table_camera);
}

pov_status pov_pipeline_run(pov_pipeline *pipeline, pov_observation *observation, const pov_image *image)
{
    pov_findings *findings = &pipeline->findings;
    POV_TRY(check_size(&pipeline->station->camera, image));
    memset(pipeline->stage_ns, 0, sizeof pipeline->stage_ns);
    pipeline->stage_begun_ns = pov_clock_monotonic_ns();
    describe_image(&observation->image, pipeline, image);
    pov_finder_view view = {.image = image};
    POV_TRY(pov_finders_run(pipeline->finders, findings, POV_FINDS_FIRST, &view));
    const pov_pose *T_table_camera = locate_camera(pipeline, &observation->image);
    const bool is_ambiguous = observation->image.pose_source == POV_POSE_AMBIGUOUS;
    pov_station_lens_watch(&pipeline->lens, observation, findings);
    read_turntable(observation, pipeline, T_table_camera);
    report_tags(observation, pipeline);
    end_stage(pipeline, POV_STAGE_TAGS);
    view.T_table_camera = is_ambiguous ? NULL : T_table_camera; /* they remember one pose */
    POV_TRY(pov_finders_run(pipeline->finders, findings, POV_FINDS_ONCE, &view));
    return is_ambiguous ? judge_from_both(pipeline, observation, image)
                        : judge_from(pipeline, observation, image, T_table_camera);
}
