#include "firmware/run/station_runner.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/progress.h"
#include "firmware/recording/black_box.h"
#include "firmware/run/camera_trouble.h"
#include "firmware/run/latency.h"
#include "firmware/run/observation_warnings.h"
#include "firmware/run/pace.h"
#include "firmware/run/pipeline.h"
#include "firmware/run/service.h"
#include "firmware/sources/ahead_source.h"
#include "firmware/sources/cameras_source.h"
#include "firmware/sources/recording_source.h"
#include "firmware/sources/remote_view.h"
#include "firmware/thread_priority.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_LOOKS_MIN = 3 }; /* images: one alone may be a stray */
enum { POLL_MS = 50 };
enum { WITNESS_IMAGES = 20 }; /* in which a camera has not yet seen a tag, before that is told; chosen */
static const int64_t health_period_ns = 1000000000;

/* One of the station's cameras. */
typedef struct {
    pov_station *station; /* of this camera; it may be fitted to the images */
    pov_pipeline *pipeline;
    pov_observation_warned warned;
    bool lens_warned; /* said that the calibration does not hold; until it does again */
    bool device_checked;
    bool people_warned; /* said how slow HOG is */
    bool told_warned;   /* said that the robot's transforms and the tags disagree */
    pov_pace pace;
    int late_running;     /* measurements in a row that were late */
    int64_t rate_told_ns; /* 0: not yet */
    uint64_t processed;
    pov_fusion_verdict verdict; /* of the other cameras, as it was told */
    bool is_remote;             /* a camera in another process: */
    double clock_offset_s, clock_std_s;
    char trouble[POV_TROUBLE_CAPACITY];
} eye;

typedef struct {
    const pov_station_run_config *config;
    int eye_len;
    eye eyes[POV_CAMERA_MAX];
    eye *at;                  /* of the image at hand */
    const eye *announced;     /* whose camera the outputs know; NULL: none */
    pov_scene_fusion *fusion; /* of several cameras; NULL: there is one */
    pov_cameras *cameras;     /* what becomes of each; NULL: there is one */
    pov_image_source *source;
    bool is_live; /* an image that is not judged in time is lost */
    pov_outputs *outputs;
    pov_black_box *black_box; /* NULL: all is recorded, or nothing */
    pov_observation *observation;
    pov_progress progress;
    bool is_timely; /* images are judged when they are taken: only then has their delay a meaning */
    pov_latency latency, age;
    int first_len; /* images at the start of a video */
    double first_max_s;
    uint64_t first_lost;
    uint64_t found[POV_CAST_MAX], located;     /* as in the summary */
    int64_t stage_ns[POV_STATION_STAGE_COUNT]; /* since the start */
    int64_t stage_ns_at_health[POV_STATION_STAGE_COUNT],
        stage_max_ns[POV_STATION_STAGE_COUNT]; /* of one image, since health was last said */
    pov_service service;
    pov_health health; /* as it was last said */
    int64_t start_ns, health_ns;
    uint64_t processed, processed_at_health;
} runner;

/* ---- setting up and tearing down ---- */

static void announce_camera(runner *run)
{
    if (run->announced == run->at ||
        run->at->is_remote) /* nothing is known of its lens here, and no image comes */
        return;
    run->announced = run->at;
    pov_outputs_camera(run->outputs, &run->at->station->camera, (int)(run->at - run->eyes));
}

static pov_status open_pipeline(runner *run)
{
    pov_pipeline_destroy(&run->at->pipeline);
    const int camera = (int)(run->at - run->eyes);
    if (run->fusion)
        pov_scene_fusion_forget(run->fusion, camera); /* it borrows the pipeline's bodies */
    pov_thread_goes_first();
    POV_TRY(pov_pipeline_new(&run->at->pipeline, run->at->station));
    if (run->fusion)
        pov_pipeline_join(run->at->pipeline, run->fusion, camera);
    run->announced = NULL;
    announce_camera(run);
    return pov_ok();
}

/* With a guessed camera and no size set, images of any size are accepted. */
static pov_status fit_camera(runner *run, const pov_image *image)
{
    pov_station *station = run->at->station;
    if (!station->calibration.size_from_images ||
        (station->camera.width_px == image->width_px && station->camera.height_px == image->height_px))
        return pov_ok();
    station->camera = pov_station_guess_camera(station, image->width_px, image->height_px);
    return open_pipeline(run);
}

/* Tags of the next image are looked for while the last one is judged, where a second processor can do so. */
static pov_status read_ahead(pov_image_source **source, const eye *of)
{
    const pov_ahead_work work = {.prepare = pov_pipeline_prepare,
                                 .finish = pov_pipeline_search_ahead,
                                 .context = of->pipeline,
                                 .result_bytes = pov_prepared_bytes(of->station)};
    const bool prepares = of->pipeline && pov_pace_prepares();
    pov_image_source *wrapped = *source;
    return pov_ahead_source_new(source, wrapped, pov_station_source_is_live(&of->station->source),
                                prepares ? &work : NULL);
}

/* Of several cameras, or of one in another process. */
static bool is_fused(const runner *run)
{
    return run->eye_len > 1 || run->eyes[0].is_remote;
}

/* Each camera is read on a thread of its own; one that hangs holds up no other. */
static pov_status open_sources(runner *run, pov_image_source **sources)
{
    pov_camera_feed feeds[POV_CAMERA_MAX];
    for (int i = 0; i < run->eye_len; i++) {
        const bool is_remote = run->eyes[i].is_remote; /* libzmq reads ahead */
        if ((run->config->reads_ahead || run->eye_len > 1) && !is_remote)
            POV_TRY(read_ahead(&sources[i], &run->eyes[i]));
        feeds[i] = (pov_camera_feed){run->eyes[i].station->cameras[i].id, sources[i], is_remote};
        run->is_live |= pov_station_source_is_live(&run->eyes[i].station->source);
    }
    if (is_fused(run))
        POV_TRY(pov_cameras_source_new(&run->source, &run->cameras, feeds, run->eye_len, run->is_live));
    else
        run->source = sources[0];
    for (int i = 0; i < run->eye_len; i++)
        sources[i] = NULL;
    return pov_ok();
}

/* The run's station is the first camera's; the others have copies. */
static void open_eyes(runner *run, pov_station *station)
{
    run->eye_len = station->camera_len > 1 ? station->camera_len : 1;
    run->at = &run->eyes[0];
    for (int i = 0; i < run->eye_len; i++) {
        eye *of = &run->eyes[i];
        of->station = i == 0 ? station : pov_allocate(1, sizeof *of->station);
        of->pace.cameras = run->eye_len;
        if (i > 0)
            *of->station = *station;
        if (run->eye_len > 1)
            pov_station_look_through(of->station, i);
        of->is_remote = of->station->source.kind == POV_SOURCE_STATION;
        of->clock_offset_s = of->clock_std_s = NAN;
    }
}

static pov_status set_up(runner *run)
{
    run->observation = calloc(1, sizeof *run->observation);
    if (!run->observation)
        return pov_error("run: out of memory");
    POV_TRY(pov_outputs_new(&run->outputs, &run->config->outputs));
    if (is_fused(run))
        run->fusion = pov_scene_fusion_new(&run->at->station->cast, run->eye_len);
    for (int i = run->eye_len - 1; i >= 0; i--) {
        run->at = &run->eyes[i];
        if (!run->at->station->calibration.size_from_images)
            POV_TRY(open_pipeline(run));
    }
    return pov_black_box_new(&run->black_box, run->config->outputs.recorder);
}

static void tear_down(runner *run)
{
    pov_image_source_destroy(&run->source); /* its thread uses the pipeline */
    pov_black_box_destroy(&run->black_box);
    pov_outputs_destroy(&run->outputs);
    free(run->observation);
    pov_scene_fusion_destroy(&run->fusion);
    for (int i = 0; i < run->eye_len; i++) {
        pov_pipeline_destroy(&run->eyes[i].pipeline);
        if (i > 0)
            free(run->eyes[i].station);
    }
}

/* Warnings of the outputs: of keys that cannot be read, of a recording that has no room. */
static void tell_news(runner *run)
{
    char text[POV_NEWS_CAPACITY];
    while (pov_outputs_news(run->outputs, text)) {
        pov_progress_clear(&run->progress);
        pov_cli_warn("%s", text);
    }
}

static void wait_for_subscribers(runner *run)
{
    while (run->config->outputs.publish && !pov_cli_stop_requested() &&
           (int)pov_outputs_wire_statistics(run->outputs).subscriptions < run->config->wait_subscribers) {
        pov_outputs_poll(run->outputs);
        tell_news(run);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

/* ---- health ---- */

static double took_s(const runner *run, double quantile)
{
    return run->latency.count > 0 ? pov_latency_quantile_s(&run->latency, quantile) : run->first_max_s;
}

static double latency_s(const runner *run, double quantile)
{
    return run->is_timely ? took_s(run, quantile) : NAN;
}

static pov_health health_now(const runner *run, int64_t now_ns)
{
    pov_image_source_statistics source = pov_image_source_statistics_of(run->source);
    const pov_publisher_statistics wire = pov_outputs_wire_statistics(run->outputs);
    return (pov_health){.now_ns = pov_clock_unix_ns(),
                        .images_processed = run->processed,
                        .images_skipped = source.skipped,
                        .images_lost = source.lost,
                        .camera_reconnects = source.reconnects,
                        .rate_hz = (double)(run->processed - run->processed_at_health) * 1e9 /
                                   (double)(now_ns - run->health_ns),
                        .latency_p50_s = latency_s(run, 0.5),
                        .latency_p99_s = latency_s(run, 0.99),
                        .subscribers = wire.subscriptions,
                        .messages_sent = wire.sent,
                        .messages_lost = wire.lost,
                        .refused = wire.refused,
                        .images_waiting = (uint32_t)source.waiting,
                        .tf_off_m = NAN,
                        .tf_off_rad = NAN,
                        .clock_error_s = pov_clock_error_s(),
                        .monotonic_offset_ns = pov_clock_unix_at_ns(CLOCK_MONOTONIC, 0),
                        .messages_waiting = (uint32_t)wire.waiting};
}

/* Of a camera whose pose the station file gives, and whose images are not used with it. */
static void tell_given_pose(pov_camera_health *camera, const eye *of)
{
    const pov_pose_offset off = of->pipeline ? pov_pipeline_given_offset(of->pipeline) : (pov_pose_offset){0};
    if (off.disagrees)
        pov_camera_given_text(camera->trouble, &off);
    else if (of->pipeline && pov_pipeline_waits_for_witness(of->pipeline))
        snprintf(camera->trouble, sizeof camera->trouble, "%s", pov_camera_unwitnessed);
    camera->left_out |= *camera->trouble != '\0';
}

/* Out: health->cameras: of a station whose cameras have ids. */
static void tell_cameras(pov_health *health, const runner *run)
{
    const pov_station_camera *of = run->at->station->cameras;
    health->camera_len = *of->id ? run->eye_len : 0;
    for (int i = 0; i < health->camera_len; i++) {
        pov_camera_health *camera = &health->cameras[i];
        *camera = (pov_camera_health){.images = run->eyes[i].processed,
                                      .moved_m = NAN,
                                      .turned_rad = NAN,
                                      .clock_offset_s = run->eyes[i].clock_offset_s,
                                      .clock_std_s = run->eyes[i].clock_std_s,
                                      .lost = health->images_lost};
        memcpy(camera->camera, of[i].id, sizeof camera->camera);
        if (!run->cameras)
            continue;
        const pov_camera_state state = pov_cameras_state(run->cameras, i);
        const pov_fusion_report report = pov_scene_fusion_report(run->fusion, i);
        camera->lost = state.lost;
        camera->left_out = state.is_gone || state.is_silent || report.left_out;
        camera->moved_m = report.moved_m;
        camera->turned_rad = report.turned_rad;
        if (*state.trouble)
            memcpy(camera->trouble, state.trouble, sizeof camera->trouble);
        else if (*run->eyes[i].trouble)
            memcpy(camera->trouble, run->eyes[i].trouble, sizeof camera->trouble);
        else if (!pov_camera_trouble_text(camera->trouble, &report, of[report.other].id))
            tell_given_pose(camera, &run->eyes[i]);
    }
}

/* Out: health->tf_...: of the robot's transforms and the tags. */
static void tell_transforms(pov_health *health, const runner *run)
{
    const pov_heard *heard = &pov_pipeline_findings(run->at->pipeline)->heard;
    const pov_pose_offset off = pov_pipeline_told_offset(run->at->pipeline);
    health->tf_off_m = off.is_known ? off.position_m : NAN;
    health->tf_off_rad = off.is_known ? off.rotation_rad : NAN;
    health->tf_disagrees = off.disagrees;
    if (run->at->station->place.tf.is_wanted && !heard->has_camera)
        snprintf(health->tf_missing, sizeof health->tf_missing, "%.*s", POV_MODEL_TEXT_CAPACITY - 1,
                 heard->camera_why);
}

/* Out: health->stages: of the images since the last time. */
static void tell_stages(pov_health *health, runner *run)
{
    const double images = (double)(run->processed - run->processed_at_health);
    health->stage_len = images > 0 ? POV_STATION_STAGE_COUNT : 0;
    for (int i = 0; i < health->stage_len; i++) {
        pov_stage_time *stage = &health->stages[i];
        snprintf(stage->name, sizeof stage->name, "%s", pov_station_stage_name(i));
        stage->mean_s = 1e-9 * (double)(run->stage_ns[i] - run->stage_ns_at_health[i]) / images;
        stage->max_s = 1e-9 * (double)run->stage_max_ns[i];
    }
    memcpy(run->stage_ns_at_health, run->stage_ns, sizeof run->stage_ns);
    memset(run->stage_max_ns, 0, sizeof run->stage_max_ns);
}

static pov_status publish_health(runner *run, int64_t period_ns)
{
    int64_t now_ns = pov_clock_monotonic_ns();
    if (now_ns - run->health_ns < period_ns)
        return pov_ok();
    run->health = health_now(run, now_ns);
    for (int i = 0; i < run->eye_len; i++)
        if (run->eyes[i].pipeline && run->health.moved_tag_len == 0)
            run->health.moved_tag_len =
                pov_pipeline_moved_tags(run->eyes[i].pipeline, run->health.moved_tags, POV_MOVED_TAG_MAX);
    tell_cameras(&run->health, run);
    if (run->at->pipeline)
        tell_transforms(&run->health, run);
    tell_stages(&run->health, run);
    if (run->config->live)
        pov_live_asking_tell(run->config->live, &run->health);
    run->health_ns = now_ns;
    run->processed_at_health = run->processed;
    pov_service_say(&run->service, &run->health, now_ns);
    return pov_outputs_health(run->outputs, &run->health);
}

/* why: NULL if the black box has no cause to keep anything. */
static void tell_kept(runner *run, const char *why)
{
    if (!why || !run->config->outputs.tells)
        return;
    pov_progress_clear(&run->progress);
    fprintf(stderr, "kept in a recording, with the seconds before and after: %s\n", why);
}

/* After the image was judged, and its warnings. */
static void watch_black_box(runner *run, bool lens_was_warned, bool map_was_warned)
{
    const pov_findings *found = pov_pipeline_findings(run->at->pipeline);
    char moved[64];
    if (!run->black_box)
        return;
    tell_kept(run, pov_black_box_look(run->black_box, run->observation, (int)(run->at - run->eyes)));
    if (found->has_moved_tag) {
        snprintf(moved, sizeof moved, "tag %d is not where the tag map says", found->moved_tag.id);
        tell_kept(run, pov_black_box_note(run->black_box, POV_RECORD_MOVED_TAG, moved));
    }
    if (run->at->lens_warned && !lens_was_warned)
        tell_kept(run, pov_black_box_note(run->black_box, POV_RECORD_DISAGREEMENT,
                                          "the tags contradict the camera's calibration"));
    if (run->at->warned.of_map && !map_was_warned)
        tell_kept(run, pov_black_box_note(run->black_box, POV_RECORD_DISAGREEMENT,
                                          "the tags contradict the tag map"));
}

/* ---- warnings ---- */

static void warn_of_stale_lens(runner *run)
{
    const pov_lens_health *lens = &run->observation->lens;
    const bool says_so = lens->stale && !run->at->lens_warned;
    run->at->lens_warned = lens->known ? lens->stale : run->at->lens_warned;
    if (!says_so)
        return;
    pov_progress_clear(&run->progress);
    pov_cli_warn(
        "%s: the camera's calibration does not hold: by the mapped tags its focal length is %+.2f +- %.2f %% "
        "off, and "
        "their corners are %.1f times as far off as expected. Were zoom or focus touched? Set them back, or "
        "run "
        "'pov calib camera' again; or is it another camera's calibration, or the tags' edge or places wrong?",
        run->observation->image.name, 100 * (lens->zoom - 1), 100 * lens->zoom_std, sqrt(lens->misfit));
}

/* HOG costs more than all else, and stands in for a network. */
static void warn_of_slow_people(runner *run)
{
    const pov_station *station = run->at->station;
    const double took_s = pov_pipeline_findings(run->at->pipeline)->people_s;
    if (run->at->people_warned || took_s == 0 || *station->finders.networks.people.network_class ||
        station->finders.networks.people.faces_by_network)
        return;
    run->at->people_warned = true;
    pov_progress_clear(&run->progress);
    pov_cli_warn("people are looked for with OpenCV's HOG, which took %.2f s of an image of %d x %d "
                 "here. " POV_PEOPLE_ADVICE,
                 took_s, station->camera.width_px, station->camera.height_px);
}

/* Warns of a camera whenever the others' verdict on it changes. */
static void warn_of_cameras(runner *run)
{
    char text[POV_TROUBLE_CAPACITY];
    for (int i = 0; run->fusion && i < run->eye_len; i++) {
        eye *of = &run->eyes[i];
        const pov_fusion_report report = pov_scene_fusion_report(run->fusion, i);
        const pov_fusion_verdict before = of->verdict;
        of->verdict = report.verdict;
        if (report.verdict == before)
            continue;
        const pov_station_camera *cameras = of->station->cameras;
        pov_progress_clear(&run->progress);
        if (pov_camera_trouble_text(text, &report, cameras[report.other].id))
            pov_cli_warn("camera %s %s", cameras[i].id, text);
        else if (run->config->outputs.tells)
            fprintf(stderr, "camera %s agrees with the others again\n", cameras[i].id);
    }
}

/* Once, when enough images agree. */
static void warn_of_map(runner *run, int looks_min)
{
    char text[POV_MESSAGE_CAPACITY];
    if (!run->at->pipeline)
        return;
    const pov_map_doubt *doubt = pov_pipeline_map_doubt(run->at->pipeline);
    if (run->at->warned.of_map || doubt->looks < looks_min)
        return;
    run->at->warned.of_map = pov_map_doubt_text(text, doubt);
    if (!run->at->warned.of_map)
        return;
    pov_progress_clear(&run->progress);
    pov_cli_warn("%s", text);
}

/* A camera's images are named after it. */
static void check_device(runner *run, const pov_image *image)
{
    char device[POV_CAMERA_NAME_CAPACITY];
    const char *of = run->at->station->calibration.trust.device;
    if (run->at->device_checked || !pov_source_is_camera(run->at->station->source.kind))
        return;
    run->at->device_checked = true;
    pov_calib_device_of(device, image->name);
    if (!*of || strcmp(of, device) == 0)
        return;
    pov_progress_clear(&run->progress);
    pov_cli_warn("%s was measured with the camera %s, but images come from %s: measure this one (pov calib "
                 "camera --camera "
                 "'%s'), or name its file as camera.calibration",
                 run->at->station->calibration.path, of, device, device);
}

/* ---- the rate ---- */

enum {
    LATE_RUNNING = 3
}; /* measurements in a row that are late, after the first, before it is said again; chosen */
static const int64_t rate_again_ns = 60000000000; /* between two warnings; chosen */

static void warn_of_rate(runner *run)
{
    char text[POV_MESSAGE_CAPACITY], advice[POV_MESSAGE_CAPACITY];
    const double images_hz = pov_pace_images_hz(&run->at->pace);
    pov_pace_text(text, &run->at->pace);
    pov_pace_advice(advice, &run->at->pace, run->at->station, images_hz);
    pov_progress_clear(&run->progress);
    pov_cli_warn(
        "images come at %.1f/s, but this station judges %s. Images are lost, or late. To keep up: %s",
        images_hz, text, advice);
}

static void tell_rate(runner *run)
{
    char text[POV_MESSAGE_CAPACITY];
    if (!run->config->outputs.tells)
        return;
    pov_pace_text(text, &run->at->pace);
    pov_progress_clear(&run->progress);
    fprintf(stderr, "this station judges %s; images come at %.1f/s\n", text,
            pov_pace_images_hz(&run->at->pace));
}

/* Reports a video's pace once at its start, and again whenever it falls behind. */
static void watch_pace(runner *run, const pov_image *image, const int64_t *stage_ns, int64_t now_ns)
{
    if (!pov_pipeline_is_video(run->at->pipeline) || run->at->station->source.is_recorded_video ||
        run->at->is_remote)
        return;
    pov_pace_add(&run->at->pace, image, stage_ns, true);
    if (!pov_pace_is_known(&run->at->pace))
        return;
    const bool is_first = run->at->rate_told_ns == 0, is_late = pov_pace_is_late(&run->at->pace);
    run->at->late_running = is_late ? run->at->late_running + 1 : 0;
    const bool again =
        run->at->late_running >= LATE_RUNNING && now_ns - run->at->rate_told_ns >= rate_again_ns;
    if (is_late && (is_first || again))
        warn_of_rate(run);
    else if (is_first)
        tell_rate(run);
    if (is_first || again)
        run->at->rate_told_ns = now_ns;
    pov_pace_restart(&run->at->pace);
}

/* The first images of a video are searched whole, or wait for that: they are told apart. */
static void note_latency(runner *run, int64_t latency_ns, int64_t age_ns)
{
    if (pov_pipeline_is_video(run->at->pipeline) && run->first_len < POV_PACE_FIRST) {
        run->first_len++;
        run->first_max_s = fmax(run->first_max_s, 1e-9 * (double)latency_ns);
        run->first_lost = pov_image_source_statistics_of(run->source).lost;
        return;
    }
    pov_latency_add(&run->latency, latency_ns);
    pov_latency_add(&run->age, age_ns);
}

/* Why no tag is seen is asked once: that takes three searches of the image. */
static void warn_of_image(runner *run, const pov_image *image)
{
    const pov_tag_settings *tags = &run->at->station->finders.tags;
    pov_tag_diagnosis diagnosis = {0};
    if (tags->is_wanted && !run->at->warned.of_absence &&
        !pov_observation_shows_tags(run->observation, tags->map.len) &&
        pov_tag_diagnose(&diagnosis, &tags->detector, &tags->map, image).code != POV_OK)
        diagnosis = (pov_tag_diagnosis){0};
    pov_observation_warn(&run->at->warned, run->observation, pov_pipeline_findings(run->at->pipeline),
                         run->at->station, &diagnosis);
}

/* What other nodes tell of the image's time. */
static void hear_others(runner *run, const pov_image *image)
{
    pov_heard heard;
    char text[POV_MESSAGE_CAPACITY];
    if (!run->config->hearer)
        return;
    pov_ros2_hearer_tell(run->config->hearer, &heard, image->mid_exposure_ns);
    pov_pipeline_tell(run->at->pipeline, &heard);
    while (pov_ros2_hearer_news(run->config->hearer, text)) {
        pov_progress_clear(&run->progress);
        pov_cli_warn("%s", text);
    }
}

/* What tags say of the poses that the station file gives. A tag that confirms one shows that no cables are swapped. */
static void check_given_pose(runner *run)
{
    const pov_pose_offset off = pov_pipeline_given_offset(run->at->pipeline);
    if (off.is_known && !off.disagrees)
        for (int i = 0; i < run->eye_len; i++)
            if (run->eyes[i].pipeline)
                pov_pipeline_confirm(run->eyes[i].pipeline);
    const bool waits =
                   run->at->processed >= WITNESS_IMAGES && pov_pipeline_waits_for_witness(run->at->pipeline),
               is_wrong = off.disagrees || waits, was_wrong = run->at->told_warned;
    run->at->told_warned = is_wrong;
    if (!is_wrong || was_wrong)
        return;
    char text[POV_TROUBLE_CAPACITY];
    pov_camera_given_text(text, &off);
    pov_progress_clear(&run->progress);
    pov_cli_warn("camera %s %s", run->at->station->cameras[run->at - run->eyes].id,
                 off.disagrees ? text : pov_camera_unwitnessed);
}

/* Once: a hand-eye calibration that is wrong stays so. */
static void warn_of_told_pose(runner *run)
{
    const pov_pose_offset off = pov_pipeline_told_offset(run->at->pipeline);
    if (run->at->station->place.is_given) {
        check_given_pose(run);
        return;
    }
    if (run->at->told_warned || !off.disagrees)
        return;
    run->at->told_warned = true;
    pov_progress_clear(&run->progress);
    pov_cli_warn(
        "the transforms of '%s' and the tags disagree by %.1f mm and %.2f deg about the camera's pose, more "
        "than "
        "both state of themselves: calibrate the camera on the robot (hand-eye) again, or correct where "
        "the table is (ros2.root) or the tag map",
        run->at->station->place.tf.frame, 1e3 * off.position_m, pov_degrees(off.rotation_rad));
}

/* Of a camera in another process: what its source knows of it. */
static void take_view(runner *run, const pov_remote_view *view)
{
    if (!view)
        return;
    run->at->clock_offset_s = view->clock_offset_s;
    run->at->clock_std_s = view->clock_std_s;
    memcpy(run->at->trouble, view->trouble, sizeof run->at->trouble);
    pov_scene_fusion_clock(run->fusion, (int)(run->at - run->eyes), view->clock_std_s);
}

/* To other stations, what this camera alone knows. */
static pov_status send_view(runner *run)
{
    const pov_observation *view = pov_pipeline_view(run->at->pipeline);
    return view ? pov_outputs_view(run->outputs, view) : pov_ok();
}

static pov_status process_image(runner *run, const pov_image *image)
{
    run->at = &run->eyes[image->camera];
    check_device(run, image);
    POV_TRY(fit_camera(run, image));
    announce_camera(run);
    take_view(run, image->view);
    const pov_prepared *prepared = image->prepared;
    const int64_t start_ns = pov_clock_monotonic_ns();
    hear_others(run, image);
    pov_pipeline_keep_view(run->at->pipeline, pov_outputs_wants_views(run->outputs));
    POV_TRY(pov_pipeline_run(run->at->pipeline, run->observation, image));
    pov_progress_clear(&run->progress);
    const bool lens_was_warned = run->at->lens_warned, map_was_warned = run->at->warned.of_map;
    if (image->pixels)
        warn_of_image(run, image);
    pov_cast_count_seen(run->found, &run->at->station->cast, &run->observation->scene);
    run->located += pov_observation_shows_map(run->observation);
    warn_of_map(run, MAP_LOOKS_MIN);
    warn_of_stale_lens(run);
    warn_of_cameras(run);
    warn_of_told_pose(run);
    warn_of_slow_people(run);
    int64_t judged_ns = pov_clock_monotonic_ns();
    POV_TRY(pov_outputs_send(run->outputs, run->observation));
    POV_TRY(send_view(run));
    int64_t sent_ns = pov_clock_monotonic_ns();
    note_latency(run, sent_ns - (prepared ? prepared->begun_ns : start_ns),
                 pov_clock_unix_ns() - image->mid_exposure_ns);
    run->processed++;
    run->at->processed++;
    POV_TRY(pov_outputs_show(run->outputs, &(pov_news){.image = image,
                                                       .observation = run->observation,
                                                       .findings = pov_pipeline_findings(run->at->pipeline),
                                                       .station = run->at->station,
                                                       .health = &run->health}));
    if (run->config->live && image->pixels)
        pov_live_asking_look(run->config->live, image, run->observation);
    const int64_t end_ns = pov_clock_monotonic_ns();
    pov_pipeline_tell_late(run->at->pipeline,
                           run->is_live && pov_image_source_statistics_of(run->source).late > 1);
    POV_TRY(pov_pipeline_remember(run->at->pipeline, image));
    int64_t stage_ns[POV_STATION_STAGE_COUNT];
    memcpy(stage_ns, pov_pipeline_stage_ns(run->at->pipeline), POV_STAGE_COUNT * sizeof *stage_ns);
    stage_ns[POV_STATION_SENDING] = sent_ns - judged_ns;
    stage_ns[POV_STATION_WRITING] = end_ns - sent_ns;
    for (int i = 0; i < POV_STATION_STAGE_COUNT; i++) {
        run->stage_ns[i] += stage_ns[i];
        if (stage_ns[i] > run->stage_max_ns[i])
            run->stage_max_ns[i] = stage_ns[i];
    }
    watch_black_box(run, lens_was_warned, map_was_warned);
    watch_pace(run, image, stage_ns, end_ns);
    pov_service_image(&run->service, end_ns);
    return pov_ok();
}

/* ---- the loop ---- */

static void warn_of_skip(runner *run, const pov_status *status)
{
    pov_progress_clear(&run->progress);
    pov_cli_warn("%s", status->message);
}

/* Questions and answers since the last time, and why there will be no more. */
static void tell_comparisons(runner *run)
{
    pov_live_asking *live = run->config->live;
    char text[POV_MESSAGE_CAPACITY];
    uint8_t *bytes;
    size_t len;
    while (live && pov_live_asking_take(live, &bytes, &len)) {
        pov_outputs_message(run->outputs, POV_RECORDED_VLM, bytes, len);
        pov_outputs_poll(run->outputs); /* they may come in a burst, longer than a subscriber's queue */
        free(bytes);
    }
    while (live && pov_live_asking_news(live, text)) {
        pov_progress_clear(&run->progress);
        pov_cli_warn("%s", text);
    }
}

/* What waits and is under way gets its answers, unless a stop is asked for. */
static pov_status wait_for_answers(runner *run)
{
    pov_live_asking *live = run->config->live;
    if (!live)
        return pov_ok();
    pov_live_asking_finish(live);
    if (pov_live_asking_is_busy(live) && !pov_cli_stop_requested() && run->config->outputs.tells)
        fputs("waiting for the answers that are still to come; Ctrl-C breaks them off\n", stderr);
    while (pov_live_asking_is_busy(live) && !pov_cli_stop_requested()) {
        tell_comparisons(run);
        pov_outputs_poll(run->outputs);
        POV_TRY(publish_health(run, health_period_ns));
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    tell_comparisons(run);
    return publish_health(run, 1); /* the last word on all that was asked */
}

static pov_status run_loop(runner *run, uint64_t *wrong_size)
{
    int64_t image_max = run->config->image_max;
    while (!pov_cli_stop_requested() && (image_max == 0 || (int64_t)run->processed < image_max)) {
        pov_image image;
        pov_status status = pov_image_source_next(run->source, &image, POLL_MS);
        if (status.code == POV_END)
            break;
        if (status.code == POV_OK) {
            pov_outputs_begin(run->outputs, &image);
            status = process_image(run, &image);
            *wrong_size += status.code == POV_SKIPPED;
            pov_outputs_end(run->outputs, &image);
        }
        if (status.code == POV_END) /* nobody reads the output any more */
            break;
        if (status.code == POV_SKIPPED)
            warn_of_skip(run, &status);
        else if (status.code != POV_OK && status.code != POV_TIMEOUT)
            return status;
        tell_comparisons(run);
        pov_outputs_poll(run->outputs);
        POV_TRY(publish_health(run, health_period_ns));
        tell_kept(run, pov_black_box_hear(run->black_box));
        tell_news(run);
        pov_progress_update(&run->progress, (int64_t)run->processed, pov_clock_monotonic_ns());
    }
    return pov_ok();
}

static void summarise_run(pov_station_summary *summary, const runner *run, uint64_t wrong_size)
{
    pov_image_source_statistics source = pov_image_source_statistics_of(run->source);
    *summary = (pov_station_summary){.processed = run->processed,
                                     .skipped = source.skipped + wrong_size,
                                     .lost = source.lost,
                                     .unannotated = pov_outputs_unannotated(run->outputs),
                                     .seconds = (double)(pov_clock_monotonic_ns() - run->start_ns) * 1e-9,
                                     .took_p50_s = took_s(run, 0.5),
                                     .took_p99_s = took_s(run, 0.99),
                                     .is_timely = run->is_timely,
                                     .age_p50_s = pov_latency_quantile_s(&run->age, 0.5),
                                     .age_p99_s = pov_latency_quantile_s(&run->age, 0.99),
                                     .first_len = run->first_len,
                                     .first_max_s = run->first_max_s,
                                     .first_lost = run->first_lost};
    memcpy(summary->stage_ns, run->stage_ns, sizeof summary->stage_ns);
    memcpy(summary->found, run->found, sizeof summary->found);
    summary->located = run->located;
    summary->sent = pov_outputs_wire_statistics(run->outputs).sent;
    summary->dropped = pov_outputs_wire_statistics(run->outputs).lost;
}

/* Cameras, and folders that are played as if they were one. The images of films and recordings, and files that are read as
 * fast as possible, were taken at some other time. */
static bool is_source_timely(const pov_station_source *source)
{
    return pov_station_source_is_live(source) || (source->kind == POV_SOURCE_FOLDER && source->rate_hz > 0 &&
                                                  !pov_recording_is_one(source->folder));
}

pov_status pov_station_run(pov_station_summary *summary, pov_station *station, pov_image_source **sources,
                           const pov_station_run_config *config)
{
    runner run = {.config = config, .is_timely = is_source_timely(&station->source)};
    uint64_t wrong_size = 0;
    open_eyes(&run, station);
    pov_status status = set_up(&run);
    if (status.code == POV_OK)
        wait_for_subscribers(&run);
    POV_THEN(status, open_sources(&run, sources));
    if (status.code == POV_OK) {
        run.start_ns = run.health_ns = pov_clock_monotonic_ns();
        run.service = pov_service_start(run.start_ns);
        run.progress = pov_progress_start(config->progress ? stderr : NULL, "images",
                                          pov_image_source_statistics_of(run.source).expected, run.start_ns);
        status = run_loop(&run, &wrong_size);
        POV_THEN(status, wait_for_answers(&run));
        for (int i = 0; i < run.eye_len; i++) {
            run.at = &run.eyes[i];
            warn_of_map(&run, 1); /* of fewer images, where there were no more */
        }
        pov_progress_finish(&run.progress, (int64_t)run.processed, pov_clock_monotonic_ns());
        pov_service_stopping();
        summarise_run(summary, &run, wrong_size);
        pov_outputs_finish(run.outputs);
    }
    for (int i = 0; i < run.eye_len; i++)
        pov_image_source_destroy(&sources[i]);
    tear_down(&run);
    return status;
}
