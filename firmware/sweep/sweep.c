#include "firmware/sweep/sweep.h"

#include "compare/log/answer_log.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/comparison/asker.h"
#include "firmware/comparison/curve_places.h"
#include "firmware/comparison/run_config.h"
#include "firmware/picture/image_copy.h"
#include "firmware/sweep/sweep_adaptive.h"
#include "firmware/sweep/sweep_look.h"
#include "firmware/sweep/sweep_record.h"
#include "firmware/sweep/sweep_screen.h"
#include "firmware/sweep/sweep_stop.h"
#include "firmware/sweep/sweep_turning.h"
#include "perception/version.h"
#include "protocol/recording/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STILL_TIMEOUT_S = 20,
    COARSE_STOPS = 6,    /* of an adaptive sweep, before it chooses; chosen */
    PENDING_MAX = 20000, /* then the table waits for the answers */
    WAIT_MS = 200
};

/** The nearest image so far to the wanted angle that passes. */
typedef struct {
    pov_image_copy copy;
    pov_observation *observation;
    bool has_truth;
    pov_scene truth;
    double blur_px;
} kept_shot;

typedef struct {
    const pov_sweep_options *options;
    const pov_log_folder *folder;
    pov_sweep_look look;
    pov_sweep_record record;
    pov_comparison_queue *comparisons; /* outlives the asker */
    pov_asker *asker;
    pov_sweep_screen screen;
    int64_t model;
    int stop_len;       /* -1: a folder that does not say */
    int64_t first, end; /* the shard's stops */
    int wanted;         /* of them; -1: not known */
    pov_sweep_slip slip;
    pov_still still;
    bool told_end;       /* of asking */
    double home_phi_deg; /* phi with the table at 0, of an adaptive sweep; NaN: not known yet */

    /* while the table turns on */
    pov_turning turning;
    kept_shot kept;
    double *
        too_blurred_px; /* [stop_len] the least of the images that were too blurred for a stop; 0: none was */
    double off_max_deg, std_max_deg, blur_max_px;
} sweep;

/* ---- setting up ---- */

static pov_status start_asking(sweep *s)
{
    if (!s->options->vlm)
        return pov_ok();
    POV_TRY(pov_comparison_queue_new(&s->comparisons));
    const pov_asker_config config = {.log_path = s->folder->log_path,
                                     .folder = s->folder->path,
                                     .vlm = s->options->vlm,
                                     .recorder = s->options->recorder,
                                     .told = s->comparisons};
    POV_TRY(pov_asker_new(&s->asker, &config));
    s->model = pov_asker_model(s->asker);
    return pov_ok();
}

static bool turns_on(const sweep *s)
{
    return s->options->turning_deg_s > 0;
}

/* A stop between two of COMFORT's angles is asked and scored, but it is not a point of its curves. */
static void warn_of_stops_between(const sweep *s)
{
    int between = 0;
    for (int i = 0; i < s->stop_len; i++)
        between += i * 360 % (s->stop_len * POV_CURVE_STEP_DEG) != 0;
    if (between > 0 && s->options->asking.benchmark[POV_BENCHMARK_COMFORT] && !turns_on(s))
        pov_cli_warn("%d of %d stops lie between the angles of COMFORT's curves, which are %d degrees apart: "
                     "their answers "
                     "are in no table of its scores; take 36, 18, 12, 9 or fewer that divide 36",
                     between, s->stop_len, POV_CURVE_STEP_DEG);
}

static pov_status set_up(sweep *s)
{
    char *config;
    pov_station *station = s->options->station;
    s->look.station = station;
    s->look.dashboard = s->options->dashboard;
    s->look.recorder = s->options->recorder;
    s->look.publishes = !s->options->no_publish;
    s->look.tells = s->options->text != NULL;
    station->track = POV_TRACK_NEVER; /* the table turns between images: each stands for itself */
    POV_TRY(pov_sweep_look_begin(&s->look, s->options->by_hand));
    POV_TRY(pov_sweep_record_begin(&s->record, s->folder, &s->options->asking, &station->judge.judging,
                                   POV_SWEEP_STOP_MAX));
    s->record.kept.camera = &station->camera;
    const bool takes_all = pov_sweep_rig_kind(s->look.rig) == POV_RIG_FOLDER && !turns_on(s);
    s->stop_len = takes_all ? pov_sweep_rig_stops(s->look.rig) : s->options->angle_len;
    if (s->stop_len < 0 && s->options->shard.len > 0)
        return pov_error(
            "--shard: how many images there are is not known; name a folder or recording of them");
    pov_shard_range(&s->options->shard, &s->first, &s->end, s->stop_len);
    if (s->options->adaptive_deg > 0)
        s->stop_len = -1; /* as many as it takes */
    s->wanted = s->stop_len < 0 ? -1 : (int)(s->end - s->first);
    if (takes_all && s->options->shard.index + 1 >= s->options->shard.len)
        s->end = INT64_MAX; /* the last takes all that comes */
    POV_TRY(pov_run_config_write(&config, &(pov_run_config){.station_path = s->options->station_path,
                                                            .station = station,
                                                            .choice = &s->options->asking,
                                                            .angle_len = s->options->angle_len,
                                                            .by_hand = s->options->by_hand,
                                                            .turning = turns_on(s),
                                                            .adaptive = s->options->adaptive_deg > 0}));
    const bool is_drawn = pov_sweep_rig_kind(s->look.rig) == POV_RIG_SIMULATOR;
    const bool simulated = pov_sweep_rig_is_simulated(s->look.rig);
    const pov_sweep_kind kind = {.config = config, .simulated = simulated, .resume = s->options->resume};
    pov_status status = pov_sweep_record_take_up(&s->record, &kind);
    free(config);
    POV_THEN(status, pov_sweep_screen_start(&s->screen, s->options->text, s->options->dashboard,
                                            s->options->vlm ? &s->options->vlm->client : NULL));
    POV_THEN(status, pov_sweep_screen_read(&s->screen, s->record.kept.log));
    if (!takes_all && status.code == POV_OK)
        warn_of_stops_between(s);
    if (is_drawn && s->options->text)
        fprintf(s->options->text, "SIMULATED: no camera, the images are drawn (world '%s')\n",
                station->source.simulator.world);
    else if (simulated && s->options->text)
        fprintf(s->options->text,
                "SIMULATED: 'pov sim' has drawn these images; their truth is beside them\n");
    return status.code == POV_OK ? start_asking(s) : status;
}

static void tear_down(sweep *s)
{
    pov_asker_destroy(&s->asker);
    pov_comparison_queue_destroy(&s->comparisons);
    pov_sweep_screen_end(&s->screen);
    pov_sweep_look_end(&s->look);
    pov_sweep_record_end(&s->record);
    pov_image_copy_free(&s->kept.copy);
    free(s->kept.observation);
    free(s->too_blurred_px);
}

/* ---- one image ---- */

/* An image in which nothing moves any more. POV_END: asked to stop. */
static pov_status look_until_still(sweep *s, pov_image *image, int stop)
{
    static const int64_t timeout_ns = STILL_TIMEOUT_S * INT64_C(1000000000);
    const pov_still_rule rule = POV_STILL_RULE_DEFAULT;
    const int64_t start_ns = pov_clock_monotonic_ns();
    s->still.has_image = false;
    while (!pov_cli_stop_requested()) {
        const pov_status status = pov_sweep_look_once(&s->look, image, stop);
        if (status.code == POV_ERROR || status.code == POV_END)
            return status;
        if (pov_sweep_rig_kind(s->look.rig) != POV_RIG_MOTOR)
            return status;
        if (status.code == POV_OK &&
            pov_still_update(&s->still, s->look.observation, &s->options->station->camera, &rule))
            return status;
        if (pov_clock_monotonic_ns() - start_ns > timeout_ns)
            return pov_error(
                "stop %d: for %d s the camera has seen no two images alike, or none at all: does the "
                "table swing on, does something shake the camera, does it deliver images?",
                stop, STILL_TIMEOUT_S);
    }
    return pov_status_of(POV_END);
}

/* Writes what was judged last, its image and the questions to the log. */
static pov_status record_shot(sweep *s, const pov_sweep_shot *shot)
{
    POV_TRY(pov_sweep_look_record(&s->look, shot->image));
    pov_recorder_mark(s->options->recorder, "stop %d: %s", shot->stop, shot->image->name);
    pov_log_image entry;
    pov_image_asked asked;
    POV_TRY(pov_sweep_record_image(&s->record, &entry, &asked, shot));
    return pov_sweep_screen_stop(&s->screen, &entry, &asked, s->record.taken_len, s->wanted);
}

/* `turn_deg` NaN: nothing turned it. */
static pov_status record_image(sweep *s, const pov_image *image, int stop, double turn_deg)
{
    return record_shot(s, &(pov_sweep_shot){.image = image,
                                            .observation = s->look.observation,
                                            .truth = pov_sweep_rig_truth(s->look.rig),
                                            .stop = stop,
                                            .turn_deg = turn_deg,
                                            .wanted_deg = turn_deg});
}

/* ---- the screen, and waiting ---- */

/* Questions and answers since the last time. */
static void send_comparisons(sweep *s)
{
    uint8_t *bytes;
    size_t len;
    while (s->comparisons && pov_comparison_queue_take(s->comparisons, &bytes, &len)) {
        pov_sweep_look_compared(&s->look, bytes, len);
        pov_sweep_screen_take(&s->screen, bytes, len);
        free(bytes);
    }
}

static pov_status update_screen(sweep *s, bool last)
{
    pov_asked_model asked;
    if (s->asker)
        pov_asker_tell(s->asker, &asked);
    return pov_sweep_screen_update(
        &s->screen, s->record.kept.log,
        &(pov_screen_news){s->model, s->asker ? &asked : NULL,
                           s->asker ? pov_comparison_queue_words(s->comparisons) : NULL, last});
}

/* Redraws now and then; notices when asking has failed. */
static pov_status tend_screen(sweep *s)
{
    send_comparisons(s);
    POV_TRY(pov_sweep_look_tend(&s->look));
    if (s->asker) {
        const pov_status status = pov_asker_wait(s->asker, 0);
        if (status.code == POV_ERROR)
            return status;
        if (status.code == POV_END && !s->told_end) {
            pov_cli_warn("%s. The images are taken all the same", status.message);
            s->told_end = true;
        }
    }
    return update_screen(s, false);
}

static pov_status wait_for_room(sweep *s)
{
    pov_log_counts counts;
    POV_TRY(pov_answer_log_count(s->record.kept.log, &counts, s->model));
    while (s->asker && counts.questions - counts.answered > PENDING_MAX && !pov_cli_stop_requested()) {
        const pov_status status = pov_asker_wait(s->asker, WAIT_MS);
        if (status.code != POV_TIMEOUT)
            return status.code == POV_ERROR ? status : pov_ok();
        POV_TRY(tend_screen(s));
        POV_TRY(pov_answer_log_count(s->record.kept.log, &counts, s->model));
    }
    return pov_ok();
}

/* ---- rotations ---- */

static pov_status skip_image(const pov_status *status)
{
    pov_cli_warn("%s", status->message);
    return pov_ok();
}

/* Of a folder: damaged, or of another size. */
static pov_status leave_out(const pov_status *status)
{
    pov_cli_note_damage(status->message);
    return skip_image(status);
}

/* Nobody would see a simulated world turn that is there at once. */
static pov_status glide_to(sweep *s, int stop)
{
    const bool glides =
        pov_sweep_rig_kind(s->look.rig) == POV_RIG_SIMULATOR && !*s->options->station->turntable.device;
    const int64_t start_ns = pov_clock_monotonic_ns();
    pov_image image;
    double share;
    while (glides && stop > 0 && !pov_cli_stop_requested() &&
           (share = (double)(pov_clock_monotonic_ns() - start_ns) * 1e-9 / s->options->pace_s) < 1) {
        POV_TRY(pov_sweep_rig_turn(s->look.rig, 360 * POV_DEG * (stop - 1 + share) / s->stop_len));
        const pov_status status = pov_sweep_look_once(&s->look, &image, stop);
        if (status.code != POV_OK && status.code != POV_SKIPPED)
            return status;
        POV_TRY(tend_screen(s));
    }
    return pov_ok();
}

static pov_status turn_to_each(sweep *s)
{
    pov_image image;
    POV_TRY(pov_sweep_rig_home(s->look.rig));
    for (int stop = (int)s->first; stop < s->end && !pov_cli_stop_requested(); stop++) {
        const double turn_deg = 360.0 * stop / s->stop_len;
        if (s->record.taken[stop])
            continue;
        POV_TRY(wait_for_room(s));
        POV_TRY(glide_to(s, stop));
        POV_TRY(pov_sweep_rig_turn(s->look.rig, turn_deg * POV_DEG));
        pov_status status = look_until_still(s, &image, stop);
        POV_THEN(status, record_image(s, &image, stop, turn_deg));
        if (status.code == POV_OK)
            pov_sweep_slip_warn(&s->slip, turn_deg * POV_DEG, &s->look.observation->turntable);
        if (status.code == POV_SKIPPED)
            status = skip_image(&status);
        POV_TRY(status);
        POV_TRY(tend_screen(s));
    }
    return pov_ok();
}

static pov_status take_folder(sweep *s)
{
    pov_image image;
    pov_status status = pov_ok();
    for (int64_t place = 0; place < s->end && !pov_cli_stop_requested() && status.code == POV_OK;) {
        POV_TRY(wait_for_room(s));
        status = pov_sweep_rig_shoot(s->look.rig, &image, 0);
        const bool is_mine = status.code == POV_OK && place >= s->first;
        const int stop = (int)image.sequence;
        place += status.code == POV_OK || status.code == POV_SKIPPED;
        if (status.code == POV_OK && (!is_mine || (stop < POV_SWEEP_STOP_MAX && s->record.taken[stop])))
            continue;
        if (status.code == POV_OK && stop >= POV_SWEEP_STOP_MAX)
            return pov_error("more than %d images: sweep them in several folders", POV_SWEEP_STOP_MAX);
        POV_THEN(status, pov_sweep_look_judge(&s->look, &image));
        POV_THEN(status, record_image(s, &image, stop, NAN));
        if (status.code == POV_SKIPPED || status.code == POV_TIMEOUT)
            status = status.code == POV_SKIPPED ? leave_out(&status) : pov_ok();
        POV_THEN(status, tend_screen(s));
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
    const bool is_near =
        fabs(pov_curve_difference_deg(phi_deg, stop * step_deg)) * POV_DEG <= s->options->tolerance_rad;
    return is_near && !s->record.taken[stop] ? stop : -1;
}

/* A person turns: whatever stands still at an angle that is wanted is taken. */
static pov_status watch_hand(sweep *s)
{
    const pov_still_rule rule = POV_STILL_RULE_DEFAULT;
    pov_image image;
    while (s->record.taken_len < s->stop_len && !pov_cli_stop_requested()) {
        pov_status status = pov_sweep_look_once(&s->look, &image, 0);
        if (status.code == POV_SKIPPED)
            return pov_error("%s", status.message); /* so will be the next */
        if (status.code == POV_OK) {
            const double phi_deg =
                pov_choice_phi_rad(&s->look.observation->scene, &s->options->asking) / POV_DEG;
            const int stop = stop_at(s, phi_deg);
            const bool is_still =
                pov_still_update(&s->still, s->look.observation, &s->options->station->camera, &rule);
            pov_sweep_screen_hand(&s->screen, phi_deg, stop >= 0, s->record.taken_len, s->stop_len);
            if (stop >= 0 && is_still)
                status = record_shot(s, &(pov_sweep_shot){.image = &image,
                                                          .observation = s->look.observation,
                                                          .stop = stop,
                                                          .turn_deg = NAN,
                                                          .wanted_deg = 360.0 * stop / s->stop_len});
        }
        if (status.code != POV_OK && status.code != POV_TIMEOUT)
            return status.code == POV_END ? pov_ok() : status;
        POV_TRY(tend_screen(s));
    }
    return pov_ok();
}

/* ---- a table that turns on ---- */

static void swap_observations(sweep *s)
{
    pov_observation *judged = s->look.observation;
    s->look.observation = s->kept.observation;
    s->kept.observation = judged;
}

/* The image that was judged last. */
static void keep_shot(sweep *s, const pov_image *image, double blur_px)
{
    const pov_scene *truth = pov_sweep_rig_truth(s->look.rig);
    pov_image_copy_take(&s->kept.copy, image);
    swap_observations(s); /* the next image is judged in the other room */
    s->kept.has_truth = truth != NULL;
    if (truth)
        s->kept.truth = *truth;
    s->kept.blur_px = blur_px;
}

static pov_status record_kept(sweep *s, int stop)
{
    const double wanted_deg = 360.0 * stop / s->stop_len;
    const pov_scene *scene = &s->kept.observation->scene;
    const double phi_deg = pov_choice_phi_rad(scene, &s->options->asking) / POV_DEG,
                 std_deg = pov_choice_phi_std_rad(scene, &s->options->asking) / POV_DEG;
    s->off_max_deg = fmax(s->off_max_deg, fabs(pov_curve_difference_deg(phi_deg, wanted_deg)));
    s->std_max_deg = fmax(s->std_max_deg, std_deg);
    s->blur_max_px = fmax(s->blur_max_px, s->kept.blur_px);
    pov_sweep_screen_turning(&s->screen, std_deg, s->kept.blur_px);
    swap_observations(s); /* what is recorded is what was judged last */
    const pov_status status =
        record_shot(s, &(pov_sweep_shot){.image = &s->kept.copy.image,
                                         .observation = s->look.observation,
                                         .truth = s->kept.has_truth ? &s->kept.truth : NULL,
                                         .stop = stop,
                                         .turn_deg = NAN,
                                         .wanted_deg = wanted_deg});
    swap_observations(s);
    return status;
}

static pov_turning_rule rule_of(const sweep *s)
{
    const double told_s = pov_sweep_rig_exposure_s(s->look.rig);
    const pov_station_source *source = &s->options->station->source;
    const bool is_timeless = source->kind == POV_SOURCE_FOLDER && !pov_recording_is_one(source->folder);
    return (pov_turning_rule){.stop_len = s->stop_len,
                              .taken = s->record.taken,
                              .tolerance_deg = s->options->tolerance_rad / POV_DEG,
                              .exposure_s = s->options->exposure_s > 0 ? s->options->exposure_s : told_s,
                              .speed_deg_s = is_timeless ? s->options->turning_deg_s : NAN,
                              .blur_max_px = s->options->blur_max_px};
}

/* The next image of the turn. */
static pov_status take_passing(sweep *s)
{
    const pov_still_rule still = POV_STILL_RULE_DEFAULT;
    const pov_turning_rule rule = rule_of(s);
    pov_image image;
    POV_TRY(pov_sweep_look_once(&s->look, &image, 0));
    (void)pov_still_update(&s->still, s->look.observation, &s->options->station->camera, &still);
    const pov_turning_image passing = {
        .phi_deg = pov_choice_phi_rad(&s->look.observation->scene, &s->options->asking) / POV_DEG,
        .moved_px = s->still.moved_px,
        .time_ns = image.mid_exposure_ns};
    const pov_turning_choice choice = pov_turning_look(&s->turning, &rule, &passing);
    if (choice.too_blurred >= 0) {
        double *least_px = &s->too_blurred_px[choice.too_blurred];
        *least_px = *least_px > 0 ? fmin(*least_px, choice.blur_px) : choice.blur_px;
    }
    if (choice.taken >= 0)
        POV_TRY(record_kept(s, choice.taken));
    if (choice.keep)
        keep_shot(s, &image, choice.blur_px);
    return pov_ok();
}

/* Until the turn is over, all is taken, or images end (POV_END). */
static pov_status watch_turn(sweep *s)
{
    const pov_rig_kind kind = pov_sweep_rig_kind(s->look.rig);
    pov_status polled = pov_status_of(POV_TIMEOUT);
    while (polled.code == POV_TIMEOUT && s->record.taken_len < s->stop_len && !pov_cli_stop_requested()) {
        pov_status status = take_passing(s);
        if (status.code == POV_SKIPPED && kind != POV_RIG_FOLDER)
            return pov_error("%s", status.message); /* so will be the next */
        if (status.code == POV_SKIPPED)
            status = leave_out(&status);
        if (status.code != POV_OK && status.code != POV_TIMEOUT)
            return status;
        if (kind == POV_RIG_FOLDER || kind == POV_RIG_SIMULATOR) /* nothing passes meanwhile */
            POV_TRY(wait_for_room(s));
        POV_TRY(tend_screen(s));
        polled = pov_sweep_rig_poll(s->look.rig);
    }
    return polled.code == POV_TIMEOUT ? pov_ok() : polled;
}

static bool is_blurred_only(const sweep *s, int stop)
{
    return s->too_blurred_px && !s->record.taken[stop] && s->too_blurred_px[stop] > 0;
}

/* The stops that only images passed which were too blurred. */
static void tell_blurred(const sweep *s)
{
    char *list;
    size_t len;
    FILE *stream = open_memstream(&list, &len);
    POV_REQUIRE_MEMORY(stream);
    int count = 0;
    for (int stop = 0; stop < s->stop_len; stop++)
        if (is_blurred_only(s, stop))
            fprintf(stream, "%s%.0f deg (%.1f px)", count++ ? ", " : "", 360.0 * stop / s->stop_len,
                    s->too_blurred_px[stop]);
    fclose(stream);
    if (count > 0)
        pov_cli_warn("too blurred (--blur-max %g): %s. Turn more slowly, or expose for less time",
                     s->options->blur_max_px, list);
    free(list);
}

static void tell_turn(const sweep *s)
{
    char blur[160];
    if (isnan(rule_of(s).exposure_s) && isnan(s->turning.speed_px_s))
        snprintf(blur, sizeof blur, "the exposure is not known (--exposure), nor is the blur");
    else if (isnan(rule_of(s).exposure_s))
        snprintf(blur, sizeof blur,
                 "the exposure is not known (--exposure), nor is the blur: %.2f px for each millisecond",
                 1e-3 * s->turning.speed_px_s);
    else
        snprintf(blur, sizeof blur, "blurred by %.2f px at most", s->blur_max_px);
    if (s->options->text && s->record.taken_len > 0)
        fprintf(s->options->text,
                "%d of %d stops: at most %.2f deg from the wanted angles, deviations at most %.2f deg; %s\n",
                s->record.taken_len, s->stop_len, s->off_max_deg, s->std_max_deg, blur);
    tell_blurred(s);
}

/* Again and again, as long as a turn brings something new. */
static pov_status turn_through(sweep *s)
{
    const bool turns_once =
        pov_sweep_rig_kind(s->look.rig) == POV_RIG_FOLDER || pov_sweep_rig_kind(s->look.rig) == POV_RIG_HAND;
    int before;
    pov_status status = pov_ok();
    s->turning = (pov_turning){.stop = -1};
    s->kept.observation = pov_allocate(1, sizeof *s->kept.observation);
    s->too_blurred_px = pov_allocate((size_t)s->stop_len, sizeof *s->too_blurred_px);
    POV_TRY(pov_sweep_rig_home(s->look.rig));
    do {
        before = s->record.taken_len;
        POV_TRY(pov_sweep_rig_turn_on(s->look.rig, s->options->turning_deg_s * POV_DEG));
        status = watch_turn(s);
        POV_THEN(status, pov_sweep_rig_halt(s->look.rig));
        const int last = pov_turning_end(&s->turning);
        if (last >= 0 && (status.code == POV_OK || status.code == POV_END))
            POV_TRY(record_kept(s, last));
    } while (status.code == POV_OK && !turns_once && !pov_cli_stop_requested() &&
             s->record.taken_len > before && s->record.taken_len < s->stop_len);
    tell_turn(s);
    return status.code == POV_END ? pov_ok() : status;
}

/* ---- adaptive ---- */

/* Only questions that have a place on a curve; of those, all, or those of the curves that are chosen. */
static bool wants_question(const void *context, const pov_log_question *question)
{
    const pov_adaptive_choice *choice = context;
    pov_answer_curve of;
    if (!question->columns || !pov_answer_curve_describe(&of, question->columns, question->language))
        return false;
    for (int i = 0; i < choice->len; i++)
        if (pov_answer_curve_asks_same(choice->curves[i], &of))
            return true;
    return choice->len == 0;
}

/* POV_END: asking has ended before. */
static pov_status wait_for_all(sweep *s)
{
    pov_log_counts counts = {.questions = 1};
    while (counts.questions > counts.answered) {
        const pov_status status = pov_asker_wait(s->asker, WAIT_MS / 4);
        if (status.code != POV_TIMEOUT)
            return status;
        POV_TRY(tend_screen(s));
        POV_TRY(pov_answer_log_count(s->record.kept.log, &counts, s->model));
        if (pov_cli_stop_requested())
            return pov_status_of(POV_END);
    }
    send_comparisons(s);
    return pov_ok();
}

/* turn_deg: of the table. */
static pov_status ask_at(sweep *s, int stop, double turn_deg, const pov_adaptive_choice *choice)
{
    pov_image image;
    POV_TRY(pov_sweep_rig_turn(s->look.rig, fmod(turn_deg + 360, 360) * POV_DEG));
    POV_TRY(look_until_still(s, &image, stop));
    if (isnan(s->home_phi_deg))
        s->home_phi_deg =
            pov_choice_phi_rad(&s->look.observation->scene, &s->options->asking) / POV_DEG - turn_deg;
    POV_TRY(record_shot(s, &(pov_sweep_shot){.image = &image,
                                             .observation = s->look.observation,
                                             .truth = pov_sweep_rig_truth(s->look.rig),
                                             .stop = stop,
                                             .turn_deg = turn_deg,
                                             .wanted_deg = NAN,
                                             .off_curves = true,
                                             .wants = wants_question,
                                             .context = choice}));
    return wait_for_all(s);
}

static void tell_flips(const sweep *s, const pov_adaptive_state *state)
{
    const char *model;
    pov_answer_curves *curves = pov_sweep_screen_curves(&s->screen, &model);
    FILE *stream = s->options->text;
    int asked = 0;
    for (int i = 0; i < curves->len && stream; i++) {
        pov_answer_curve *curve = &curves->curves[i];
        if (strcmp(curve->model, model) != 0)
            continue;
        const pov_flips *flips = pov_answer_curve_flips(curve);
        asked += curve->answer_len;
        fprintf(stream, "%s %s, %s %s: ", curve->prompt, curve->relation, curve->scene, curve->language);
        if (flips)
            fprintf(stream, "yes from %.1f +- %.1f to %.1f +- %.1f deg (%d answers)\n", flips->to_yes_deg,
                    flips->to_yes_std_deg, flips->to_no_deg, flips->to_no_std_deg, curve->answer_len);
        else
            fprintf(stream, "does not flip (%d answers)\n", curve->answer_len);
    }
    const int grid = POV_CURVE_SAMPLES * state->curves;
    if (stream && grid > 0)
        fprintf(stream,
                "%d questions at %d angles, %d fewer than a grid of %d angles asks (%.0f %% of %d): %d of %d "
                "curves are known to %g deg\n"
                "The questions were chosen by the answers: the papers' scores need a sweep without "
                "--adaptive\n",
                asked, s->record.taken_len, grid - asked, POV_CURVE_SAMPLES, 100.0 * asked / grid, grid,
                state->known, state->curves, s->options->adaptive_deg);
}

/* Of a sweep that is gone on with. */
static pov_status recall_home(sweep *s)
{
    pov_log_image image;
    const pov_status status = pov_answer_log_image(s->record.kept.log, &image, 0);
    if (status.code == POV_OK)
        s->home_phi_deg = image.phi_deg - image.turn_deg;
    return status.code == POV_ERROR ? status : pov_ok();
}

/* A coarse turn, then whatever tells most. */
static pov_status turn_adaptively(sweep *s)
{
    pov_adaptive_choice choice = {.len = 0};
    pov_adaptive_state state = {.curves = 0};
    const char *model;
    int stop = 0;
    pov_answer_curves *curves = pov_sweep_screen_curves(&s->screen, &model);
    POV_TRY(pov_sweep_rig_home(s->look.rig));
    for (; stop < COARSE_STOPS && !pov_cli_stop_requested(); stop++)
        if (!s->record.taken[stop])
            POV_TRY(ask_at(s, stop, 360.0 * stop / COARSE_STOPS, &choice));
    while (stop < POV_SWEEP_STOP_MAX && s->record.taken[stop])
        stop++;
    if (isnan(s->home_phi_deg))
        POV_TRY(recall_home(s));
    if (isnan(s->home_phi_deg))
        return pov_error("the referent was not found in the coarse turn: nothing can be chosen");
    pov_status status = wait_for_all(s);
    while (status.code == POV_OK && stop < POV_SWEEP_STOP_MAX && !pov_cli_stop_requested() &&
           pov_adaptive_next(&choice, &state, curves, model, s->options->adaptive_deg)) {
        status = ask_at(s, stop++, choice.phi_deg - s->home_phi_deg, &choice);
        free(choice.curves);
        choice.curves = NULL;
    }
    free(choice.curves);
    s->wanted = s->record.taken_len;
    if (status.code == POV_OK || status.code == POV_END)
        tell_flips(s, &state);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status rotate_table(sweep *s)
{
    const pov_rig_kind kind = pov_sweep_rig_kind(s->look.rig);
    const pov_status status = s->options->adaptive_deg > 0 ? turn_adaptively(s)
                              : turns_on(s)                ? turn_through(s)
                              : kind == POV_RIG_FOLDER     ? take_folder(s)
                              : kind == POV_RIG_HAND       ? watch_hand(s)
                                                           : turn_to_each(s);
    return status.code == POV_END && pov_cli_stop_requested() ? pov_ok() : status;
}

/* ---- the whole ---- */

static pov_status wait_for_answers(sweep *s, pov_status *asking)
{
    *asking = pov_ok();
    if (!s->asker)
        return pov_ok();
    pov_asker_finish(s->asker);
    POV_TRY(pov_sweep_screen_wait(&s->screen, s->record.kept.log, s->model));
    while (!pov_cli_stop_requested()) {
        const pov_status status = pov_asker_wait(s->asker, WAIT_MS);
        if (status.code == POV_END)
            *asking = status;
        if (status.code != POV_TIMEOUT)
            return status.code == POV_ERROR ? status : pov_ok();
        POV_TRY(tend_screen(s));
    }
    return pov_ok();
}

static void summarise_sweep(pov_sweep_summary *summary, sweep *s)
{
    pov_log_counts counts = {0};
    summary->taken = s->record.taken_len;
    summary->wanted = s->wanted;
    for (int stop = 0; stop < s->stop_len; stop++)
        summary->blurred += is_blurred_only(s, stop);
    if (s->record.kept.log && pov_answer_log_count(s->record.kept.log, &counts, s->model).code == POV_OK)
        summary->pending = counts.questions - counts.answered;
    summary->failed = counts.failed;
    summary->model = s->model;
}

pov_status pov_sweep_run(pov_sweep_summary *summary, const pov_log_folder *folder,
                         const pov_sweep_options *options)
{
    *summary = (pov_sweep_summary){.wanted = -1};
    sweep *s = calloc(1, sizeof *s);
    if (!s)
        return pov_error("sweep: out of memory");
    s->options = options;
    s->folder = folder;
    s->home_phi_deg = NAN;
    pov_status status = set_up(s);
    POV_THEN(status, rotate_table(s));
    POV_THEN(status, wait_for_answers(s, &summary->asking));
    send_comparisons(s);
    POV_THEN(status, update_screen(s, true));
    if (s->comparisons)
        pov_comparison_queue_stop(s->comparisons);
    pov_asker_destroy(&s->asker);
    send_comparisons(s);
    summarise_sweep(summary, s);
    tear_down(s);
    free(s);
    return status;
}
