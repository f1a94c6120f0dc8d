#include "firmware/run/pipeline.h"

#include "firmware/clock.h"
#include "firmware/run/image_turns.h"
#include "firmware/run/station_judge.h"
#include "firmware/sources/remote_view.h"
#include "firmware/station/station.h"
#include "firmware/thread_pool.h"
#include "perception/cast/cast.h"
#include "perception/cast/disc.h"
#include "perception/cast/scene_tracker.h"
#include "perception/image/grey.h"
#include "perception/lens/lens_doubt.h"
#include "perception/lens/lens_watch.h"
#include "perception/observation/observation.h"
#include "perception/tags/pose_doubt.h"
#include "perception/tags/tag_fit.h"
#include "perception/tags/tag_reconcile.h"
#include "perception/tracking/pose_hold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pov_pipeline {
    const pov_station *station;
    bool is_video, is_remote; /* is_remote: its images are another station's views */
    pov_cast cast;            /* the station's, with its bodies */
    pov_station_bodies *bodies;
    pov_thread_pool *pool; /* shares the work of finders and judgments */
    pov_finders *finders;
    pov_findings findings;
    pov_tag_watch watch; /* of the map's tags */
    pov_map_doubt map_doubt;
    pov_pose_doubt told_doubt; /* of the camera's pose that the robot or the station file tells */
    pov_field_of_view field;   /* the camera's */
    pov_lens_watch lens_watch;
    pov_lens_doubt *lens_doubt; /* NULL: the calibration has no covariance */
    bool doubts_lens;           /* of the current image */
    bool is_confirmed;          /* a tag has shown that the cameras are not swapped */
    pov_scene_fusion *fusion;   /* of several cameras; NULL: there is one */
    int fusion_camera;
    pov_scene_tracker *tracker; /* NULL: each image stands for itself */
    pov_pose_hold camera_hold;
    bool camera_still;
    double disc_radius_m;
    pov_station_judge *judge;
    bool keeps_view;
    pov_observation *view;  /* before the other cameras are heard; NULL: not wanted yet */
    pov_observation *other; /* by the other pose, where two fit; NULL: the pose does not come from tags */
    uint8_t *grey;          /* of the current image, for all stages; room for one of the camera's size */
    int64_t stage_ns[POV_STAGE_COUNT], stage_begun_ns;
    pov_findings *ahead; /* of the next image, while it is prepared; NULL: none was */
    int64_t searched_ahead_ns;
    pov_image_turns turns;
    bool was_prepared; /* the current image; */
    bool is_late;      /* images wait */
    bool may_remember; /* it was judged by one pose, if any: */
    bool has_searched_pose;
    pov_pose searched_pose;
};

bool pov_pipeline_video_source(const pov_station_source *source)
{
    if (source->kind == POV_SOURCE_SIMULATOR)
        return source->simulator.rate_hz > 0;
    return pov_source_is_camera(source->kind) || source->rate_hz > 0 || source->is_recorded_video;
}

static bool is_tracked(const pov_pipeline *pipeline)
{
    const pov_tracking track = pipeline->station->track;
    return track == POV_TRACK_ALWAYS || (track == POV_TRACK_IN_VIDEO && pipeline->is_video);
}

/* ---- the camera's pose ---- */

/* Below this probability, the mirrored pose of a single or flat set of tags is judged as well; chosen. */
static const double pose_probability_min = 0.95;

static pov_pose unknown_pose(void)
{
    pov_pose pose;
    double *number = (double *)&pose;
    for (size_t i = 0; i < sizeof pose / sizeof *number; i++)
        number[i] = NAN;
    return pose;
}

/* Chooses, of two poses that fit the tags, the one nearer to what is told. */
static void doubt_told_pose(pov_pipeline *pipeline, const pov_camera_pose *by_tags, const pov_pose *told)
{
    const pov_pose *nearest = &by_tags->T_table_camera, *other = &by_tags->alternative_T_table_camera;
    double off[6], off_other[6];
    pov_transform_minus(off, nearest->T, told->T);
    pov_transform_minus(off_other, other->T, told->T);
    if (by_tags->has_alternative &&
        hypot(hypot(off_other[0], off_other[1]), off_other[2]) < hypot(hypot(off[0], off[1]), off[2]))
        nearest = other;
    pov_pose_doubt_look(&pipeline->told_doubt, nearest, told);
}

static bool estimate_pose(pov_pipeline *pipeline)
{
    pov_findings *findings = &pipeline->findings;
    const pov_camera *camera = &pipeline->station->camera;
    const pov_tag_map *map = &pipeline->station->finders.tags.map;
    pov_camera_pose *pose = &findings->camera_pose;
    findings->prior_is_refuted = false;
    if (map->len == 0)
        return false;
    const pov_code found = pov_camera_pose_estimate(pose, camera, &findings->tags, map);
    pov_map_doubt_look(&pipeline->map_doubt, camera, &findings->tags, map,
                       pose); /* before tags are reconciled */
    if (!pov_camera_pose_reconcile(pose, &findings->tags, camera, map) && found != POV_OK)
        return false;
    pov_camera_prior prior = pipeline->station->place.prior;
    prior.has_pose = findings->heard.has_camera;
    prior.T_table_camera = findings->heard.T_table_camera;
    const pov_camera_pose by_tags = *pose;
    findings->prior_is_refuted = !pov_camera_prior_apply(pose, &prior);
    if (prior.has_pose)
        doubt_told_pose(pipeline, &by_tags, &prior.T_table_camera);
    else if (pipeline->station->place.is_given)
        doubt_told_pose(pipeline, &by_tags, &pipeline->station->place.T_table_camera);
    return true;
}

/* The mirrored pose uses the same tags. If the two poses use different tags, the tags contradict one another. */
static bool is_mirrored(const pov_findings *findings)
{
    const pov_camera_pose *pose = &findings->camera_pose;
    for (int i = 0; i < findings->tags.len; i++)
        if ((pose->outcome[i] == POV_TAG_USED) != (pose->alternative_outcome[i] == POV_TAG_USED))
            return false;
    return true;
}

static void list_candidates(pov_image_header *header, const pov_camera_pose *pose)
{
    header->candidates[0] = (pov_pose_candidate){pose->probability, pose->T_table_camera};
    header->candidates[1] = (pov_pose_candidate){1 - pose->probability, pose->alternative_T_table_camera};
    header->candidate_len = pose->has_alternative ? 2 : 0;
}

/* Tag maps and given poses are often stated to be exact: what differs by less than this is no contradiction; chosen. */
static pov_pose_offset find_given_offset(const pov_pipeline *pipeline)
{
    static const double least_m = 0.01, least_rad = 1 * POV_DEG;
    pov_pose_offset off = pov_pose_doubt_verdict(&pipeline->told_doubt);
    off.disagrees &= off.position_m > least_m || off.rotation_rad > least_rad;
    return off;
}

/* A given pose that the tags contradict is another camera's, or was; one that could be another's unnoticed wants a tag that confirms it. */
static bool holds_given_pose(const pov_pipeline *pipeline)
{
    return !find_given_offset(pipeline).disagrees && !pov_pipeline_waits_for_witness(pipeline);
}

/* Out: header: pose_source, T_table_camera, candidates. Returns: the header's pose, or NULL if none is known. */
static const pov_pose *place_camera(pov_pipeline *pipeline, pov_image_header *header)
{
    const pov_station_place *place = &pipeline->station->place;
    pov_findings *findings = &pipeline->findings;
    const pov_camera_pose *pose = &findings->camera_pose;
    findings->has_camera_pose = estimate_pose(pipeline);
    header->pose_source = POV_POSE_UNKNOWN;
    header->T_table_camera = unknown_pose();
    if (findings->has_camera_pose)
        list_candidates(header, pose);
    if (place->is_given) {
        if (!holds_given_pose(pipeline))
            return NULL;
        header->pose_source = POV_POSE_GIVEN;
        header->T_table_camera = place->T_table_camera;
    } else if (findings->has_camera_pose && pose->probability >= pose_probability_min) {
        header->pose_source = POV_POSE_FROM_TAGS;
        header->T_table_camera = pose->T_table_camera;
    } else if (findings->has_camera_pose && is_mirrored(findings)) {
        header->pose_source = POV_POSE_AMBIGUOUS;
        header->T_table_camera = pov_pose_reaching(header->candidates);
    }
    if (header->pose_source == POV_POSE_UNKNOWN && findings->heard.has_camera) {
        header->pose_source = POV_POSE_TOLD;
        header->T_table_camera = findings->heard.T_table_camera;
    }
    return header->pose_source == POV_POSE_UNKNOWN ? NULL : &header->T_table_camera;
}

/* Half the angle between the directions of two pixels. */
static double half_angle_rad(const pov_camera *camera, pov_vec2 from_px, pov_vec2 to_px)
{
    pov_vec3 from, to;
    if (pov_camera_unproject(camera, &from, NULL, from_px) != POV_OK ||
        pov_camera_unproject(camera, &to, NULL, to_px) != POV_OK)
        return POV_PI / 2;
    return 0.5 * atan2(pov_vec3_norm(pov_vec3_cross(from, to)), pov_vec3_dot(from, to));
}

/* A frustum about the optical axis, or a cone for lenses as wide as a half-space. */
static pov_field_of_view find_camera_field(const pov_camera *camera)
{
    static const double widest_frustum_rad = 85 * POV_PI / 180; /* half angle; tan() stays below 12; chosen */
    double right_px = camera->width_px - 0.5, bottom_px = camera->height_px - 0.5;
    pov_field_of_view field = {.shape = POV_FIELD_FRUSTUM,
                               .half_horizontal_rad = half_angle_rad(camera, (pov_vec2){-0.5, camera->cy_px},
                                                                     (pov_vec2){right_px, camera->cy_px}),
                               .half_vertical_rad = half_angle_rad(camera, (pov_vec2){camera->cx_px, -0.5},
                                                                   (pov_vec2){camera->cx_px, bottom_px}),
                               .far_m = INFINITY};
    if (field.half_horizontal_rad > widest_frustum_rad || field.half_vertical_rad > widest_frustum_rad)
        field.shape = POV_FIELD_CONE;
    return field;
}

/* ---- setting up ---- */

/* Things on the disc stand within its outermost tags or not far beyond. */
static double find_disc_radius_m(const pov_disc *disc)
{
    double radius_m = 0;
    for (int i = 0; i < disc->tags.len; i++) {
        const pov_vec3 at_m = disc->tags.tags[i].T_table_tag.T.t_m;
        radius_m = fmax(radius_m, hypot(at_m.x, at_m.y) + disc->tags.tags[i].edge_m);
    }
    return radius_m;
}

static pov_status make_stages(pov_pipeline *pipeline)
{
    const pov_station *station = pipeline->station;
    POV_TRY(pov_thread_pool_new(&pipeline->pool, pipeline->is_remote ? 1 : 0));
    const pov_workers *workers = pov_thread_pool_workers(pipeline->pool);
    const pov_finder_place place = {.settings = &station->finders,
                                    .camera = &station->camera,
                                    .is_video = pipeline->is_video,
                                    .workers = workers};
    POV_TRY(pov_station_bodies_new(&pipeline->bodies, &pipeline->cast, &station->bodies));
    POV_TRY(pov_station_judge_new(&pipeline->judge, &station->judge, workers));
    if (pipeline->is_remote)
        return pov_ok();
    POV_TRY(pov_finders_new(&pipeline->finders, &place));
    if (is_tracked(pipeline))
        POV_TRY(pov_scene_tracker_new(&pipeline->tracker, &pipeline->cast));
    pipeline->disc_radius_m = find_disc_radius_m(&station->turntable.disc);
    const pov_lens_covariance *covariance = &station->calibration.trust.covariance;
    if (covariance->len > 0)
        pipeline->lens_doubt = pov_lens_doubt_new(&station->camera, covariance);
    return pov_ok();
}

pov_status pov_pipeline_new(pov_pipeline **pipeline, const pov_station *station)
{
    pov_pipeline *p = *pipeline = calloc(1, sizeof *p);
    if (!p)
        return pov_error("pipeline: out of memory");
    p->station = station;
    p->is_video = pov_pipeline_video_source(&station->source);
    p->cast = station->cast;
    if (station->place.tf.is_wanted)
        snprintf(p->findings.heard.camera_why, sizeof p->findings.heard.camera_why,
                 "only 'pov run' and 'pov doctor' hear transforms");
    p->is_remote = station->source.kind == POV_SOURCE_STATION;
    if (!p->is_remote)
        p->field = find_camera_field(&station->camera);
    pov_image_turns_open(&p->turns);
    const bool may_be_ambiguous = station->finders.tags.map.len > 0 && !p->is_remote;
    pov_status status = pov_ok();
    if (!p->is_remote)
        p->grey = malloc((size_t)station->camera.width_px * (size_t)station->camera.height_px);
    if ((!p->grey && !p->is_remote) || (may_be_ambiguous && !(p->other = calloc(1, sizeof *p->other))))
        status = pov_error("pipeline: out of memory");
    POV_THEN(status, make_stages(p));
    if (status.code != POV_OK)
        pov_pipeline_destroy(pipeline);
    return status;
}

void pov_pipeline_tell(pov_pipeline *pipeline, const pov_heard *heard)
{
    pipeline->findings.heard = *heard;
}

bool pov_pipeline_waits_for_witness(const pov_pipeline *pipeline)
{
    return pipeline->station->place.needs_witness && !pipeline->is_confirmed;
}

void pov_pipeline_confirm(pov_pipeline *pipeline)
{
    pipeline->is_confirmed = true;
}

static pov_pose_offset no_offset(void)
{
    return (pov_pose_offset){.position_m = NAN, .rotation_rad = NAN};
}

pov_pose_offset pov_pipeline_told_offset(const pov_pipeline *pipeline)
{
    return pipeline->station->place.is_given ? no_offset() : pov_pose_doubt_verdict(&pipeline->told_doubt);
}

pov_pose_offset pov_pipeline_given_offset(const pov_pipeline *pipeline)
{
    return pipeline->station->place.is_given ? find_given_offset(pipeline) : no_offset();
}

bool pov_pipeline_seat(pov_pipeline *pipeline, const char *name, const pov_vec3 *at_m, bool has_height,
                       const double *front_rad)
{
    for (int i = 0; i < pipeline->cast.len; i++) {
        pov_cast_member *member = &pipeline->cast.members[i];
        pov_entity *entity = &member->entity;
        if (member->found_by || strcmp(entity->name, name) != 0)
            continue;
        if (at_m)
            entity->position.mean_m =
                (pov_vec3){at_m->x, at_m->y, has_height ? at_m->z : entity->position.mean_m.z};
        if (front_rad) {
            const pov_heading_mode *mode = pov_heading_heaviest(&entity->heading);
            entity->heading = pov_heading_single(*front_rad, mode ? mode->kappa : pov_kappa_from_std(0.05));
            entity->R_table_box = pov_rot_yaw(*front_rad);
        }
        return true;
    }
    return false;
}

void pov_pipeline_unseat(pov_pipeline *pipeline)
{
    for (int i = 0; i < pipeline->cast.len; i++) {
        const pov_entity *surveyed = &pipeline->station->cast.members[i].entity;
        pov_entity *entity = &pipeline->cast.members[i].entity;
        if (pipeline->cast.members[i].found_by)
            continue;
        entity->position = surveyed->position;
        entity->heading = surveyed->heading;
        entity->R_table_box = surveyed->R_table_box;
    }
}

void pov_pipeline_join(pov_pipeline *pipeline, pov_scene_fusion *fusion, int camera)
{
    pipeline->fusion = fusion;
    pipeline->fusion_camera = camera;
    if (pipeline->is_remote)
        pov_scene_fusion_fix(fusion, camera);
    if (pipeline->station->place.is_given)
        pov_scene_fusion_hold(fusion, camera);
}

void pov_pipeline_destroy(pov_pipeline **pipeline)
{
    if (!pipeline || !*pipeline)
        return;
    pov_thread_pool_destroy(&(*pipeline)->pool);
    pov_finders_destroy(&(*pipeline)->finders);
    pov_scene_tracker_destroy(&(*pipeline)->tracker);
    pov_lens_doubt_destroy(&(*pipeline)->lens_doubt);
    pov_station_bodies_destroy(&(*pipeline)->bodies);
    pov_station_judge_destroy(&(*pipeline)->judge);
    pov_image_turns_close(&(*pipeline)->turns);
    free((*pipeline)->view);
    free((*pipeline)->other);
    free((*pipeline)->ahead);
    free((*pipeline)->grey);
    free(*pipeline);
    *pipeline = NULL;
}

POV_ENUM_NAMES(pov_pipeline_stage_name, pov_pipeline_stage, POV_STAGE_COUNT, "tags", "finding", "tracking",
               "relations", "who sees what", "searching on")

bool pov_pipeline_is_video(const pov_pipeline *pipeline)
{
    return pipeline->is_video;
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
    const pov_station *station = pipeline->station;
    memset(header, 0, sizeof *header);
    snprintf(header->name, sizeof header->name, "%s", image->name);
    snprintf(header->camera, sizeof header->camera, "%s", station->cameras[station->camera_index].id);
    header->sequence = image->sequence;
    header->capture_ns = image->mid_exposure_ns;
    header->width_px = image->width_px;
    header->height_px = image->height_px;
    header->calibration_hash = pov_camera_hash(&station->camera);
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

/* The better pose of many images, while the camera stands still. */
static void hold_camera(pov_pipeline *pipeline, pov_image_header *header)
{
    pipeline->camera_still = header->pose_source == POV_POSE_GIVEN;
    if (header->pose_source == POV_POSE_FROM_TAGS)
        pipeline->camera_still =
            pov_pose_hold_update(&pipeline->camera_hold, &header->T_table_camera, header->capture_ns);
}

/* The camera's pose in the table frame, or NULL. While the camera stands still, the mean of many images. */
static const pov_pose *locate_camera(pov_pipeline *pipeline, pov_image_header *header)
{
    const pov_pose *T_table_camera = place_camera(pipeline, header);
    watch_tags(pipeline, header->pose_source);
    if (pipeline->tracker)
        hold_camera(pipeline, header);
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

/* A tag that fits a pose too uncertain to be used is only seen. A tag that does not fit the turntable's others has
 * moved on it. */
static pov_tag_outcome outcome_of(const pov_pipeline *pipeline, int i, pov_pose_source pose_source)
{
    const pov_findings *findings = &pipeline->findings;
    const pov_tag *tag = &findings->tags.tags[i];
    if (findings->has_turntable &&
        pov_tag_map_find(&pipeline->station->turntable.disc.tags, tag->family, tag->id))
        return findings->turntable.used[i] ? POV_TAG_TURNS : POV_TAG_REJECTED;
    if (pipeline->station->finders.tags.map.len == 0)
        return POV_TAG_SEEN;
    pov_tag_outcome outcome = pipeline->findings.camera_pose.outcome[i];
    const bool rests_on_tags = pose_source == POV_POSE_FROM_TAGS || pose_source == POV_POSE_AMBIGUOUS;
    return outcome == POV_TAG_USED && !rests_on_tags ? POV_TAG_SEEN : outcome;
}

static double residual_px(const pov_pipeline *pipeline, const pov_tag *tag, const pov_image_header *header)
{
    const pov_station *station = pipeline->station;
    const pov_tag_sighting sighting = {
        .tag = tag, .entry = pov_tag_map_find(&station->finders.tags.map, tag->family, tag->id)};
    return sighting.entry && header->pose_source != POV_POSE_UNKNOWN
               ? pov_tag_residual_px(&station->camera, &sighting, header->T_table_camera.T)
               : NAN;
}

static void report_tags(pov_observation *observation, const pov_pipeline *pipeline)
{
    const pov_tags *tags = &pipeline->findings.tags;
    observation->tag_len = tags->len;
    observation->tags_truncated = tags->truncated;
    for (int i = 0; i < tags->len; i++)
        observation->tags[i] =
            (pov_observed_tag){.tag = tags->tags[i],
                               .outcome = outcome_of(pipeline, i, observation->image.pose_source),
                               .residual_px = residual_px(pipeline, &tags->tags[i], &observation->image)};
}

/* ---- the lens ---- */

/* A focal length that was measured to one percent may be off by one percent. */
static double focal_std_share(const pov_station *station)
{
    const pov_lens_covariance *covariance = &station->calibration.trust.covariance;
    return covariance->len > 0 ? sqrt(covariance->cov[0][0]) / station->camera.fx_px : 0;
}

/* Out: observation->lens: whether the calibration still holds. */
static void watch_lens(pov_pipeline *pipeline, pov_observation *observation)
{
    const pov_station *station = pipeline->station;
    observation->lens = (pov_lens_health){.known = false};
    if (!*station->calibration.path || observation->image.pose_source != POV_POSE_FROM_TAGS)
        return;
    pov_lens_watch_update(&pipeline->lens_watch, &observation->lens, &station->camera,
                          &pipeline->findings.tags, &station->finders.tags.map,
                          &pipeline->findings.camera_pose);
    pov_lens_health_allow(&observation->lens, focal_std_share(station));
}

/* The scene by each lens that may be the true one. */
static void look_through_lenses(pov_pipeline *pipeline, const pov_observation *observation)
{
    const pov_station *station = pipeline->station;
    const pov_pose_source source = observation->image.pose_source;
    const pov_lens_view view = {.cast = &pipeline->cast,
                                .balls = &station->finders.balls,
                                .map = source == POV_POSE_FROM_TAGS ? &station->finders.tags.map : NULL,
                                .findings = &pipeline->findings,
                                .T_table_camera = &observation->image.T_table_camera};
    pipeline->doubts_lens = pipeline->lens_doubt && (source == POV_POSE_FROM_TAGS ||
                                                     source == POV_POSE_GIVEN || source == POV_POSE_TOLD);
    if (pipeline->doubts_lens)
        pov_lens_doubt_look(pipeline->lens_doubt, &observation->scene, &view);
}

/* ---- tracks ---- */

static pov_table_angle find_table_angle(const pov_pipeline *pipeline)
{
    const pov_pose *T_table_disc = &pipeline->station->turntable.disc.T_table_disc;
    const pov_disc_reading *reading = &pipeline->findings.turntable;
    return (pov_table_angle){.centre_m = {T_table_disc->T.t_m.x, T_table_disc->T.t_m.y},
                             .radius_m = pipeline->disc_radius_m,
                             .centre_std_m = sqrt(T_table_disc->cov[3][3] + T_table_disc->cov[4][4]),
                             .angle_rad = reading->angle_rad,
                             .angle_std_rad = reading->std_rad};
}

static void rename_balls(pov_pipeline *pipeline, const pov_id renamed[POV_ENTITY_MAX])
{
    pov_id *of_ball = pipeline->findings.ball_entity;
    for (int i = 0; i < POV_BALL_MAX; i++)
        if (of_ball[i] != POV_ID_NONE)
            of_ball[i] = renamed[of_ball[i]];
}

static void forget_pose(pov_image_header *header)
{
    header->pose_source = POV_POSE_UNKNOWN;
    header->T_table_camera = unknown_pose();
    header->candidate_len = 0;
}

/* The scene becomes that of all cameras. The explanation of doubts by the lens knows one camera only. */
static void fuse_scene(pov_pipeline *pipeline, pov_observation *observation)
{
    pov_id renamed[POV_ENTITY_MAX];
    pov_image_header *header = &observation->image;
    pov_pose *T_table_camera = header->pose_source == POV_POSE_UNKNOWN ? NULL : &header->T_table_camera;
    const bool takes_part = pov_scene_fusion_run(pipeline->fusion, &observation->scene, T_table_camera,
                                                 renamed, pipeline->fusion_camera, header->capture_ns);
    rename_balls(pipeline, renamed);
    pipeline->doubts_lens = false;
    if (!takes_part)
        forget_pose(header);
}

/* The scene's entities take the ids of their tracks; ball_entity and the lens's scenes follow. */
static void track_scene(pov_pipeline *pipeline, pov_observation *observation)
{
    pov_id renamed[POV_ENTITY_MAX];
    pov_table_angle table;
    pov_scene_moment moment = {.now_ns = observation->image.capture_ns,
                               .camera_still = pipeline->camera_still};
    if (pipeline->findings.has_turntable) {
        table = find_table_angle(pipeline);
        moment.table = &table;
    }
    pov_scene_tracker_run(pipeline->tracker, &observation->scene, renamed, &moment);
    rename_balls(pipeline, renamed);
    if (pipeline->doubts_lens)
        pov_lens_doubt_rename(pipeline->lens_doubt, renamed);
}

/* ---- scene and judgments ---- */

static void let_camera_see(pov_scene *scene, const pov_field_of_view *field)
{
    if (scene->camera == POV_ID_NONE)
        return;
    scene->entities[scene->camera].can_see = true;
    scene->entities[scene->camera].field = *field;
}

/* So that another station can tell whether it has the same map. */
static void note_map_corners(pov_observed_tag *tag, const pov_tag_map *map)
{
    const pov_tag_map_entry *entry = pov_tag_map_find(map, tag->tag.family, tag->tag.id);
    tag->is_mapped = entry != NULL;
    for (int i = 0; entry && i < 4; i++)
        tag->map_corner_m[i] = pov_transform_apply(entry->T_table_tag.T, pov_tag_corner(entry->edge_m, i));
}

/* What this camera alone knows, for other stations. */
static void keep_view(pov_pipeline *pipeline, const pov_observation *observation)
{
    pov_observation *view = pipeline->view;
    view->image = observation->image;
    view->tag_len = observation->tag_len;
    view->tags_truncated = observation->tags_truncated;
    memcpy(view->tags, observation->tags, (size_t)observation->tag_len * sizeof *view->tags);
    for (int i = 0; i < view->tag_len; i++)
        note_map_corners(&view->tags[i], &pipeline->station->finders.tags.map);
    view->turntable = observation->turntable;
    view->lens = observation->lens;
    view->scene = observation->scene;
    view->scene.has_north = pipeline->station->has_north;
    view->scene.north_yaw_rad = pipeline->station->north_yaw_rad;
    let_camera_see(&view->scene, &pipeline->field);
}

void pov_pipeline_keep_view(pov_pipeline *pipeline, bool keeps)
{
    pipeline->keeps_view = keeps && !pipeline->is_remote;
    if (pipeline->keeps_view && !pipeline->view)
        pipeline->view = pov_allocate(1, sizeof *pipeline->view);
}

const pov_observation *pov_pipeline_view(const pov_pipeline *pipeline)
{
    return pipeline->keeps_view ? pipeline->view : NULL;
}

/* The tracks hold one pose: images that two poses fit do not update them. */
static pov_status build_scene(pov_pipeline *pipeline, pov_observation *observation,
                              const pov_pose *T_table_camera)
{
    const pov_station *station = pipeline->station;
    pov_scene *scene = &observation->scene;
    POV_TRY(
        pov_cast_build_scene(&pipeline->cast, scene, &pipeline->findings, &station->camera, T_table_camera));
    look_through_lenses(pipeline, observation);
    if (pipeline->tracker && observation->image.pose_source != POV_POSE_AMBIGUOUS)
        track_scene(pipeline, observation);
    if (pipeline->doubts_lens)
        pov_lens_doubt_widen(pipeline->lens_doubt, scene, &observation->image.T_table_camera);
    if (pipeline->keeps_view)
        keep_view(pipeline, observation);
    if (pipeline->fusion && observation->image.pose_source != POV_POSE_AMBIGUOUS)
        fuse_scene(pipeline, observation);
    end_stage(pipeline, POV_STAGE_TRACKING);
    scene->has_north = station->has_north;
    scene->north_yaw_rad = station->north_yaw_rad;
    let_camera_see(scene, &pipeline->field);
    return pov_ok();
}

static pov_status judge_scene(pov_pipeline *pipeline, pov_observation *observation)
{
    pov_station_judge_relations(pipeline->judge, observation);
    if (pipeline->doubts_lens)
        pov_lens_doubt_explain(pipeline->lens_doubt, observation->judgments, observation->judgment_len,
                               &pipeline->station->judge.judging);
    pov_station_judge_directions(pipeline->judge, observation);
    end_stage(pipeline, POV_STAGE_RELATIONS);
    POV_TRY(pov_station_judge_sights(pipeline->judge, observation));
    end_stage(pipeline, POV_STAGE_SIGHT);
    return pov_ok();
}

/* Finders that need the pose, scene and judgments. */
static pov_status judge_from(pov_pipeline *pipeline, pov_observation *observation, const pov_image *image,
                             const pov_pose *T_table_camera)
{
    if (observation->image.pose_source == POV_POSE_AMBIGUOUS)
        pov_finders_forget_places(pipeline->finders);
    POV_TRY(
        pov_finders_run(pipeline->finders, &pipeline->findings, POV_FINDS_BY_POSE, image, T_table_camera));
    end_stage(pipeline, POV_STAGE_FINDING);
    POV_TRY(build_scene(pipeline, observation, T_table_camera));
    return judge_scene(pipeline, observation);
}

/* ---- a camera in another process ---- */

/* Two poses that fit are one too many to carry over: what such a view saw is nowhere, and the scene is the others'. */
static bool is_view_placed(const pov_remote_view *view)
{
    const pov_pose_source source = view->observation->image.pose_source;
    return !view->is_foreign && view->observation->scene.camera != POV_ID_NONE &&
           (source == POV_POSE_GIVEN || source == POV_POSE_FROM_TAGS || source == POV_POSE_TOLD);
}

static void describe_view(pov_observation *observation, const pov_pipeline *pipeline, const pov_image *image)
{
    const pov_remote_view *view = image->view;
    const pov_observation *theirs = view->observation;
    pov_image_header *header = &observation->image;
    *header = theirs->image;
    memcpy(header->camera, pipeline->station->cameras[pipeline->station->camera_index].id,
           sizeof header->camera);
    header->capture_ns = image->mid_exposure_ns;
    observation->tag_len = theirs->tag_len;
    observation->tags_truncated = theirs->tags_truncated;
    memcpy(observation->tags, theirs->tags, (size_t)theirs->tag_len * sizeof *theirs->tags);
    for (int i = 0; i < observation->tag_len; i++)
        observation->tags[i].is_mapped = false; /* the other map's corners are not handed on */
    observation->turntable = theirs->turntable;
    observation->lens = theirs->lens;
}

/* Its own process has found and followed the things. */
static pov_status judge_view(pov_pipeline *pipeline, pov_observation *observation, const pov_image *image)
{
    const pov_remote_view *view = image->view;
    const pov_scene *theirs = &view->observation->scene;
    pov_scene *scene = &observation->scene;
    pov_cast_difference difference; /* the source tells it */
    memset(pipeline->stage_ns, 0, sizeof pipeline->stage_ns);
    pipeline->stage_begun_ns = pov_clock_monotonic_ns();
    describe_view(observation, pipeline, image);
    POV_TRY(pov_cast_adopt(&pipeline->cast, scene, &difference, theirs,
                           is_view_placed(view) ? &view->observation->image.T_table_camera : NULL));
    if (scene->camera == POV_ID_NONE)
        forget_pose(&observation->image);
    fuse_scene(pipeline, observation);
    scene->has_north = pipeline->station->has_north;
    scene->north_yaw_rad = pipeline->station->north_yaw_rad;
    if (theirs->camera != POV_ID_NONE && theirs->entities[theirs->camera].can_see)
        let_camera_see(scene, &theirs->entities[theirs->camera].field);
    end_stage(pipeline, POV_STAGE_TRACKING);
    return judge_scene(pipeline, observation);
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

enum { GREY_PARTS = 4 };

typedef struct {
    uint8_t *grey;
    const pov_image *image;
} greying;

static void grey_part(void *context, int part, int worker)
{
    const greying *of = context;
    const int width_px = of->image->width_px, top = of->image->height_px * part / GREY_PARTS,
              end = of->image->height_px * (part + 1) / GREY_PARTS;
    (void)worker;
    pov_grey_from_rgb(of->grey + (size_t)top * (size_t)width_px, of->image,
                      (pov_rectangle){0, top, width_px, end - top});
}

static void make_grey(const pov_pipeline *pipeline, uint8_t *grey, pov_image *image)
{
    if (image->grey)
        return;
    pov_tasks_run(pov_thread_pool_workers(pipeline->pool), grey_part, &(greying){grey, image}, GREY_PARTS);
    image->grey = grey;
}

size_t pov_prepared_bytes(const pov_station *station)
{
    return sizeof(pov_prepared) + (size_t)station->camera.width_px * (size_t)station->camera.height_px;
}

pov_status pov_pipeline_prepare(void *of, void *result, pov_image *image)
{
    pov_pipeline *pipeline = of;
    pov_prepared *prepared = result;
    *prepared =
        (pov_prepared){.begun_ns = pov_clock_monotonic_ns(), .searched_ns = pipeline->searched_ahead_ns};
    pov_image_turns_begin(&pipeline->turns, prepared->begun_ns);
    if (!pipeline->ahead && !(pipeline->ahead = calloc(1, sizeof *pipeline->ahead)))
        return pov_error("pipeline: out of memory");
    if (check_size(&pipeline->station->camera, image).code != POV_OK)
        return pov_ok(); /* pov_pipeline_run says so */
    make_grey(pipeline, prepared->grey, image);
    POV_TRY(pov_finders_run(pipeline->finders, pipeline->ahead, POV_FINDS_FIRST, image, NULL));
    prepared->is_done = true;
    prepared->tags = pipeline->ahead->tags;
    prepared->took_ns = pov_clock_monotonic_ns() - prepared->begun_ns;
    return pov_ok();
}

pov_status pov_pipeline_search_ahead(void *of, const pov_image *image)
{
    pov_pipeline *pipeline = of;
    pov_image_turns_wait(&pipeline->turns);
    const int64_t begun_ns = pov_clock_monotonic_ns();
    if (check_size(&pipeline->station->camera, image).code == POV_OK)
        POV_TRY(pov_finders_remember(pipeline->finders, POV_FINDS_FIRST, image, NULL, false));
    pipeline->searched_ahead_ns = pov_clock_monotonic_ns() - begun_ns;
    pov_image_turns_searched(&pipeline->turns);
    return pov_ok();
}

static pov_status find_first(pov_pipeline *pipeline, const pov_image *image)
{
    const pov_prepared *prepared = image->prepared;
    pipeline->was_prepared = prepared && prepared->is_done;
    if (!pipeline->was_prepared)
        return pov_finders_run(pipeline->finders, &pipeline->findings, POV_FINDS_FIRST, image, NULL);
    pipeline->findings.tags = prepared->tags;
    pipeline->stage_ns[POV_STAGE_TAGS] += prepared->took_ns;
    pipeline->stage_ns[POV_STAGE_SEARCH] += prepared->searched_ns;
    return pov_ok();
}

static pov_status judge_image(pov_pipeline *pipeline, pov_observation *observation, const pov_image *coloured)
{
    pov_image with_grey = *coloured, *image = &with_grey;
    pov_findings *findings = &pipeline->findings;
    pipeline->may_remember = false;
    POV_TRY(check_size(&pipeline->station->camera, image));
    memset(pipeline->stage_ns, 0, sizeof pipeline->stage_ns);
    pipeline->stage_begun_ns = pov_clock_monotonic_ns();
    describe_image(&observation->image, pipeline, image);
    make_grey(pipeline, pipeline->grey, image);
    POV_TRY(find_first(pipeline, image));
    const pov_pose *T_table_camera = locate_camera(pipeline, &observation->image);
    const bool is_ambiguous = observation->image.pose_source == POV_POSE_AMBIGUOUS;
    watch_lens(pipeline, observation);
    read_turntable(observation, pipeline, T_table_camera);
    report_tags(observation, pipeline);
    end_stage(pipeline, POV_STAGE_TAGS);
    POV_TRY(pov_finders_run(pipeline->finders, findings, POV_FINDS_ONCE, image,
                            is_ambiguous ? NULL : T_table_camera)); /* they remember one pose */
    if (is_ambiguous)
        return judge_from_both(pipeline, observation, image);
    pipeline->has_searched_pose = T_table_camera != NULL;
    if (T_table_camera)
        pipeline->searched_pose = *T_table_camera; /* before other cameras correct it */
    POV_TRY(judge_from(pipeline, observation, image, T_table_camera));
    pipeline->may_remember = true;
    return pov_ok();
}

pov_status pov_pipeline_run(pov_pipeline *pipeline, pov_observation *observation, const pov_image *image)
{
    const pov_prepared *prepared = image->prepared;
    if (image->view)
        return judge_view(pipeline, observation, image);
    const pov_status status = judge_image(pipeline, observation, image);
    if (prepared)
        pov_image_turns_judged(&pipeline->turns, prepared->begun_ns);
    return status;
}

void pov_pipeline_tell_late(pov_pipeline *pipeline, bool is_late)
{
    pipeline->is_late = is_late;
}

pov_status pov_pipeline_remember(pov_pipeline *pipeline, const pov_image *coloured)
{
    if (coloured->view)
        return pov_ok();
    pov_image with_grey = *coloured;
    with_grey.grey = coloured->grey ? coloured->grey : pipeline->grey;
    pipeline->stage_begun_ns = pov_clock_monotonic_ns();
    if (!pipeline->was_prepared)
        POV_TRY(pov_finders_remember(pipeline->finders, POV_FINDS_FIRST, &with_grey, NULL, false));
    POV_TRY(pov_finders_remember(pipeline->finders, POV_FINDS_ONCE, &with_grey, NULL, pipeline->is_late));
    if (pipeline->may_remember)
        POV_TRY(pov_finders_remember(pipeline->finders, POV_FINDS_BY_POSE, &with_grey,
                                     pipeline->has_searched_pose ? &pipeline->searched_pose : NULL,
                                     pipeline->is_late));
    end_stage(pipeline, POV_STAGE_SEARCH);
    return pov_ok();
}
