#include "firmware/sweep/sweep.h"

#include "compare/answer_rows.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/station/pipeline.h"
#include "firmware/sweep/sweep_asker.h"
#include "firmware/sweep/sweep_rig.h"
#include "firmware/sweep/sweep_screen.h"
#include "firmware/sweep/sweep_still.h"
#include "protocol/json.h"
#include "protocol/vlm_truth.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STILL_TIMEOUT_S = 20,
    PENDING_MAX = 20000, /* then the table waits for the answers */
    WAIT_MS = 200
};

static const double deg = POV_PI / 180;
static const double off_curve_deg = 10; /* so far from its place on the curve, an image is at none */

typedef struct {
    const pov_sweep_options *options;
    const pov_sweep_folder *folder;
    pov_answer_log *log;
    pov_log_run run;
    pov_sweep_rig *rig;
    pov_station station; /* with the camera fitted to the images */
    pov_pipeline *pipeline;
    pov_observation *observation, *truth;
    pov_sweep_questions *questions;
    pov_sweep_asker *asker;
    pov_sweep_screen screen;
    int64_t model;
    int stop_len; /* -1: a folder that does not say */
    int taken_len;
    bool taken[POV_SWEEP_STOP_MAX];
    bool on_curve[POV_CURVE_SAMPLES]; /* places that an image has */
    bool has_base;
    double base_deg; /* the referent's azimuth when the table is at 0, a multiple of 10 */
    pov_still still;
} sweep;

static double wrapped_deg(double angle_deg)
{
    const double turned = fmod(angle_deg, 360);
    return turned < 0 ? turned + 360 : turned;
}

static double difference_deg(double a_deg, double b_deg)
{
    return pov_angle_wrap((a_deg - b_deg) * deg) / deg;
}

/* ---- setting up ---- */

static void remember(sweep *s, const pov_log_image *image)
{
    if (image->stop < 0 || image->stop >= POV_SWEEP_STOP_MAX)
        return;
    s->taken[image->stop] = true;
    s->taken_len++;
    if (isnan(image->curve_deg))
        return;
    s->on_curve[(int)lround(image->curve_deg / POV_CURVE_STEP_DEG) % POV_CURVE_SAMPLES] = true;
    if (!s->has_base && !isnan(image->turn_deg)) {
        s->has_base = true;
        s->base_deg = wrapped_deg(image->curve_deg - image->turn_deg);
    }
}

static pov_status take_up(sweep *s)
{
    pov_log_image image = {0};
    pov_status status;
    while ((status = pov_answer_log_image(s->log, &image, image.id)).code == POV_OK)
        remember(s, &image);
    return status.code == POV_END ? pov_ok() : status;
}

/* The run that the folder holds if it is this one; a new one if it holds none. */
static pov_status find_run(sweep *s, const char *config)
{
    pov_log_run last;
    char hash[POV_DIGEST_CAPACITY];
    const pov_status status = pov_answer_log_last_run(s->log, &last);
    pov_digest(hash, config, strlen(config));
    if (status.code == POV_ERROR)
        return status;
    if (status.code == POV_OK && !s->options->resume)
        return pov_error("%s: holds a sweep already; go on with it by --resume, or name another folder",
                         s->folder->path);
    if (status.code == POV_OK && strcmp(last.config_hash, hash) != 0)
        return pov_error(
            "%s: holds a sweep of another station or with other options: the images and questions would "
            "not fit together. Name another folder, or undo what changed ('pov compare' adds questions)",
            s->folder->path);
    s->run = (pov_log_run){.id = status.code == POV_OK ? last.id : 0,
                           .started_ns = pov_clock_unix_ns(),
                           .version = POV_VERSION,
                           .config = config,
                           .seed = s->options->asking.seed,
                           .simulated = pov_sweep_rig_kind(s->rig) == POV_RIG_SIMULATOR};
    return status.code == POV_OK ? take_up(s) : pov_answer_log_add_run(s->log, &s->run);
}

static pov_status start_asking(sweep *s)
{
    if (!s->options->vlm)
        return pov_ok();
    const pov_sweep_asker_config config = {.log_path = s->folder->log_path,
                                           .folder = s->folder->path,
                                           .vlm = s->options->vlm,
                                           .workers = s->options->workers};
    POV_TRY(pov_sweep_asker_new(&s->asker, &config));
    s->model = pov_sweep_asker_model(s->asker);
    return pov_ok();
}

static pov_status set_up(sweep *s)
{
    char *config;
    s->station = *s->options->station;
    s->observation = calloc(1, sizeof *s->observation);
    s->truth = calloc(1, sizeof *s->truth);
    if (!s->observation || !s->truth)
        return pov_error("sweep: out of memory");
    POV_TRY(pov_sweep_questions_new(&s->questions, &s->options->asking, &s->station.judging));
    POV_TRY(pov_sweep_rig_new(&s->rig, &s->station, s->options->by_hand));
    if (!s->station.size_from_images)
        POV_TRY(pov_pipeline_new(&s->pipeline, &s->station));
    POV_TRY(pov_answer_log_new(&s->log, s->folder->log_path, POV_LOG_MAY_CREATE));
    POV_TRY(pov_sweep_config_write(&config, s->options));
    const pov_status status = find_run(s, config);
    free(config);
    s->stop_len =
        pov_sweep_rig_kind(s->rig) == POV_RIG_FOLDER ? pov_sweep_rig_stops(s->rig) : s->options->angle_len;
    s->screen = pov_sweep_screen_start(s->options->text);
    if (s->run.simulated && s->options->text)
        fprintf(s->options->text, "SIMULATED: no camera, the images are drawn (world '%s')\n",
                s->station.source.simulator.world);
    return status.code == POV_OK ? start_asking(s) : status;
}

static void tear_down(sweep *s)
{
    pov_sweep_asker_destroy(&s->asker);
    pov_answer_log_destroy(&s->log);
    pov_pipeline_destroy(&s->pipeline);
    pov_sweep_rig_destroy(&s->rig);
    pov_sweep_questions_destroy(&s->questions);
    free(s->observation);
    free(s->truth);
}

/* ---- one image ---- */

/* A station that guesses its camera and names no size takes images of any. */
static pov_status fit_camera(sweep *s, const pov_image *image)
{
    pov_camera *camera = &s->station.camera;
    if (s->pipeline && (!s->station.size_from_images ||
                        (camera->width_px == image->width_px && camera->height_px == image->height_px)))
        return pov_ok();
    *camera = pov_station_guess_camera(&s->station, image->width_px, image->height_px);
    pov_pipeline_destroy(&s->pipeline);
    return pov_pipeline_new(&s->pipeline, &s->station);
}

static pov_status look(sweep *s, pov_image *image, int stop)
{
    POV_TRY(pov_sweep_rig_shoot(s->rig, image, stop));
    POV_TRY(fit_camera(s, image));
    return pov_pipeline_run(s->pipeline, s->observation, image);
}

/* An image in which nothing moves any more. POV_END: asked to stop. */
static pov_status look_until_still(sweep *s, pov_image *image, int stop)
{
    static const int64_t timeout_ns = STILL_TIMEOUT_S * INT64_C(1000000000);
    const pov_still_rule rule = POV_STILL_RULE_DEFAULT;
    const int64_t start_ns = pov_clock_monotonic_ns();
    s->still.has_image = false;
    while (!pov_cli_stop_requested()) {
        const pov_status status = look(s, image, stop);
        if (status.code == POV_ERROR || status.code == POV_END)
            return status;
        if (pov_sweep_rig_kind(s->rig) != POV_RIG_MOTOR)
            return status;
        if (status.code == POV_OK && pov_still_update(&s->still, s->observation, &s->station.camera, &rule))
            return status;
        if (pov_clock_monotonic_ns() - start_ns > timeout_ns)
            return pov_error(
                "stop %d: for %d s the camera has seen no two images alike, or none at all: does the "
                "table swing on, does something shake the camera, does it deliver images?",
                stop, STILL_TIMEOUT_S);
    }
    return pov_status_of(POV_END);
}

/* Where on a curve an image belongs: to the place that the turn gives it, or else to the nearest one that is free. */
static double place_on_curve(sweep *s, double turn_deg, double phi_deg)
{
    if (!s->has_base && !isnan(turn_deg) && !isnan(phi_deg)) {
        s->has_base = true;
        s->base_deg = wrapped_deg(POV_CURVE_STEP_DEG * round((phi_deg - turn_deg) / POV_CURVE_STEP_DEG));
    }
    const double place = isnan(turn_deg) ? phi_deg : s->has_base ? s->base_deg + turn_deg : NAN;
    if (isnan(place))
        return NAN;
    const int i = (int)lround(wrapped_deg(place) / POV_CURVE_STEP_DEG) % POV_CURVE_SAMPLES;
    const double curve_deg = i * (double)POV_CURVE_STEP_DEG;
    const bool is_off = !isnan(phi_deg) && fabs(difference_deg(phi_deg, curve_deg)) > off_curve_deg;
    if (s->on_curve[i] || is_off || (!isnan(turn_deg) && fabs(difference_deg(place, curve_deg)) > 1e-6))
        return NAN;
    s->on_curve[i] = true;
    return curve_deg;
}

static pov_status write_observation(char **text, const pov_observation *observation)
{
    size_t length;
    FILE *memory = open_memstream(text, &length);
    if (!memory)
        return pov_error("sweep: out of memory");
    const pov_status status = pov_json_write_observation(memory, observation);
    fclose(memory);
    return status;
}

static pov_status record_stored(sweep *s, const pov_stored_image *stored, const pov_log_image *taken)
{
    pov_log_image entry = *taken;
    const pov_scene *truth = pov_sweep_rig_truth(s->rig);
    char *evidence = NULL, *true_text = NULL, hash[32];
    pov_sweep_asked asked;
    const pov_sweep_world world = {
        .scene = &s->observation->scene,
        .truth = truth,
        .hash = truth ? pov_vlm_truth_hash(stored->bytes.data, stored->bytes.length) : 0};
    snprintf(hash, sizeof hash, "%016" PRIx64, s->observation->image.calibration_hash);
    POV_TRY(pov_sweep_questions_make(s->questions, &asked, &world));
    pov_status status = write_observation(&evidence, s->observation);
    if (status.code == POV_OK && truth) {
        s->truth->image = s->observation->image;
        s->truth->scene = *truth;
        status = write_observation(&true_text, s->truth);
    }
    entry.path = stored->path;
    entry.calibration_hash = hash;
    entry.evidence = evidence;
    entry.truth = true_text;
    memcpy(entry.sha256, stored->sha256, sizeof entry.sha256);
    if (status.code ==
        POV_OK) /* before the log has the questions: a simulated VLM knows what it will be asked */
        status = pov_sweep_append_truth(s->folder, asked.truth_lines);
    if (status.code == POV_OK)
        status = pov_answer_log_add_image(s->log, &entry, asked.questions, asked.len);
    if (status.code == POV_OK)
        pov_sweep_screen_stop(&s->screen, &entry, asked.len, s->taken_len + 1, s->stop_len);
    free(evidence);
    free(true_text);
    return status;
}

/* The image to its file, then what was judged of it and is to be asked to the log. `turn_deg` NaN: nothing turned it. */
static pov_status record(sweep *s, const pov_image *image, int stop, double turn_deg)
{
    const double phi_deg = pov_sweep_phi_rad(&s->observation->scene, &s->options->asking) / deg;
    pov_stored_image stored = {.bytes = {0}};
    pov_log_image entry = {.run = s->run.id,
                           .stop = stop,
                           .turn_deg = turn_deg,
                           .phi_deg = phi_deg,
                           .curve_deg = place_on_curve(s, turn_deg, phi_deg),
                           .name = image->name,
                           .capture_ns = image->mid_exposure_ns};
    pov_status status = pov_sweep_folder_store(s->folder, &stored, image, stop);
    if (status.code == POV_OK)
        status = record_stored(s, &stored, &entry);
    pov_bytes_free(&stored.bytes);
    if (status.code == POV_OK) {
        s->taken[stop] = true;
        s->taken_len++;
    }
    return status;
}

/* ---- the screen, and waiting ---- */

/* Redraws now and then; notices when asking has failed. */
static pov_status tend(sweep *s)
{
    if (s->asker) {
        const pov_status status = pov_sweep_asker_wait(s->asker, 0);
        if (status.code == POV_ERROR)
            return status;
    }
    return pov_sweep_screen_update(&s->screen, s->log, s->model, false);
}

static pov_status wait_for_room(sweep *s)
{
    pov_log_counts counts;
    POV_TRY(pov_answer_log_count(s->log, &counts, s->model));
    while (s->asker && counts.questions - counts.answered > PENDING_MAX && !pov_cli_stop_requested()) {
        const pov_status status = pov_sweep_asker_wait(s->asker, WAIT_MS);
        if (status.code != POV_TIMEOUT)
            return status.code == POV_ERROR ? status : pov_ok();
        POV_TRY(tend(s));
        POV_TRY(pov_answer_log_count(s->log, &counts, s->model));
    }
    return pov_ok();
}

/* ---- rotations ---- */

static pov_status skip(const pov_status *status)
{
    pov_cli_warn("%s", status->message);
    return pov_ok();
}

static pov_status turn_to_each(sweep *s)
{
    pov_image image;
    POV_TRY(pov_sweep_rig_home(s->rig));
    for (int stop = 0; stop < s->stop_len && !pov_cli_stop_requested(); stop++) {
        const double turn_deg = 360.0 * stop / s->stop_len;
        if (s->taken[stop])
            continue;
        POV_TRY(wait_for_room(s));
        POV_TRY(pov_sweep_rig_turn(s->rig, turn_deg * deg));
        pov_status status = look_until_still(s, &image, stop);
        if (status.code == POV_OK)
            status = record(s, &image, stop, turn_deg);
        if (status.code == POV_SKIPPED)
            status = skip(&status);
        POV_TRY(status);
        POV_TRY(tend(s));
    }
    return pov_ok();
}

static pov_status take_folder(sweep *s)
{
    pov_image image;
    pov_status status = pov_ok();
    while (!pov_cli_stop_requested() && status.code == POV_OK) {
        POV_TRY(wait_for_room(s));
        status = pov_sweep_rig_shoot(s->rig, &image, 0);
        const int stop = (int)image.sequence;
        if (status.code == POV_OK && stop < POV_SWEEP_STOP_MAX && s->taken[stop])
            continue;
        if (status.code == POV_OK && stop >= POV_SWEEP_STOP_MAX)
            return pov_error("more than %d images: sweep them in several folders", POV_SWEEP_STOP_MAX);
        if (status.code == POV_OK)
            status = fit_camera(s, &image);
        if (status.code == POV_OK)
            status = pov_pipeline_run(s->pipeline, s->observation, &image);
        if (status.code == POV_OK)
            status = record(s, &image, stop, NAN);
        if (status.code == POV_SKIPPED || status.code == POV_TIMEOUT)
            status = status.code == POV_SKIPPED ? skip(&status) : pov_ok();
        if (status.code == POV_OK)
            status = tend(s);
    }
    return status.code == POV_END ? pov_ok() : status;
}

/* The stop at which the table stands now; -1: none, or one that has been taken. */
static int stop_at(const sweep *s, double phi_deg)
{
    if (isnan(phi_deg))
        return -1;
    const double step_deg = 360.0 / s->stop_len;
    const int stop = (int)lround(phi_deg / step_deg) % s->stop_len;
    const bool is_near = fabs(difference_deg(phi_deg, stop * step_deg)) * deg <= s->options->tolerance_rad;
    return is_near && !s->taken[stop] ? stop : -1;
}

/* A person turns: whatever stands still at an angle that is wanted is taken. */
static pov_status watch_hand(sweep *s)
{
    const pov_still_rule rule = POV_STILL_RULE_DEFAULT;
    pov_image image;
    while (s->taken_len < s->stop_len && !pov_cli_stop_requested()) {
        pov_status status = look(s, &image, 0);
        if (status.code == POV_SKIPPED)
            return pov_error("%s", status.message); /* so will be the next */
        if (status.code == POV_OK) {
            const double phi_deg = pov_sweep_phi_rad(&s->observation->scene, &s->options->asking) / deg;
            const int stop = stop_at(s, phi_deg);
            const bool is_still = pov_still_update(&s->still, s->observation, &s->station.camera, &rule);
            pov_sweep_screen_hand(&s->screen, phi_deg, stop >= 0, s->taken_len, s->stop_len);
            if (stop >= 0 && is_still)
                status = record(s, &image, stop, NAN);
        }
        if (status.code != POV_OK && status.code != POV_TIMEOUT)
            return status.code == POV_END ? pov_ok() : status;
        POV_TRY(tend(s));
    }
    return pov_ok();
}

static pov_status rotate(sweep *s)
{
    pov_status status;
    switch (pov_sweep_rig_kind(s->rig)) {
    case POV_RIG_FOLDER:
        status = take_folder(s);
        break;
    case POV_RIG_HAND:
        status = watch_hand(s);
        break;
    default:
        status = turn_to_each(s);
    }
    return status.code == POV_END && pov_cli_stop_requested() ? pov_ok() : status;
}

/* ---- the whole ---- */

static pov_status wait_for_answers(sweep *s, pov_status *asking)
{
    *asking = pov_ok();
    if (!s->asker)
        return pov_ok();
    pov_sweep_asker_finish(s->asker);
    while (!pov_cli_stop_requested()) {
        const pov_status status = pov_sweep_asker_wait(s->asker, WAIT_MS);
        if (status.code == POV_END)
            *asking = status;
        if (status.code != POV_TIMEOUT)
            return status.code == POV_ERROR ? status : pov_ok();
        POV_TRY(tend(s));
    }
    return pov_ok();
}

static void summarise(pov_sweep_summary *summary, sweep *s)
{
    pov_log_counts counts = {0};
    summary->taken = s->taken_len;
    summary->wanted = s->stop_len;
    if (s->log && pov_answer_log_count(s->log, &counts, s->model).code == POV_OK)
        summary->pending = counts.questions - counts.answered;
    summary->failed = counts.failed;
}

pov_status pov_sweep_run(pov_sweep_summary *summary, const pov_sweep_folder *folder,
                         const pov_sweep_options *options)
{
    *summary = (pov_sweep_summary){.wanted = -1};
    sweep *s = calloc(1, sizeof *s);
    if (!s)
        return pov_error("sweep: out of memory");
    s->options = options;
    s->folder = folder;
    pov_status status = set_up(s);
    if (status.code == POV_OK)
        status = rotate(s);
    if (status.code == POV_OK)
        status = wait_for_answers(s, &summary->asking);
    if (status.code == POV_OK)
        status = pov_sweep_screen_update(&s->screen, s->log, s->model, true);
    pov_sweep_asker_destroy(&s->asker);
    summarise(summary, s);
    tear_down(s);
    free(s);
    return status;
}
