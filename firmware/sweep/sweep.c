#include "firmware/sweep/sweep.h"

#include "compare/log/answer_log.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/comparison/asker.h"
#include "firmware/comparison/curve_places.h"
#include "firmware/comparison/run_config.h"
#include "firmware/sweep/sweep_look.h"
#include "firmware/sweep/sweep_record.h"
#include "firmware/sweep/sweep_screen.h"
#include "firmware/sweep/sweep_stop.h"
#include "perception/version.h"

#include <math.h>
#include <stdlib.h>

enum {
    STILL_TIMEOUT_S = 20,
    PENDING_MAX = 20000, /* then the table waits for the answers */
    WAIT_MS = 200
};

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
    bool told_end; /* of asking */
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
    s->stop_len = pov_sweep_rig_kind(s->look.rig) == POV_RIG_FOLDER ? pov_sweep_rig_stops(s->look.rig)
                                                                    : s->options->angle_len;
    if (s->stop_len < 0 && s->options->shard.len > 0)
        return pov_error(
            "--shard: how many images there are is not known; name a folder or recording of them");
    pov_shard_range(&s->options->shard, &s->first, &s->end, s->stop_len);
    s->wanted = s->stop_len < 0 ? -1 : (int)(s->end - s->first);
    if (pov_sweep_rig_kind(s->look.rig) == POV_RIG_FOLDER &&
        s->options->shard.index + 1 >= s->options->shard.len)
        s->end = INT64_MAX; /* the last takes all that comes */
    POV_TRY(pov_run_config_write(&config, &(pov_run_config){.station_path = s->options->station_path,
                                                            .station = station,
                                                            .choice = &s->options->asking,
                                                            .angle_len = s->options->angle_len,
                                                            .by_hand = s->options->by_hand}));
    const bool is_drawn = pov_sweep_rig_kind(s->look.rig) == POV_RIG_SIMULATOR;
    const bool simulated = pov_sweep_rig_is_simulated(s->look.rig);
    const pov_sweep_kind kind = {.config = config, .simulated = simulated, .resume = s->options->resume};
    const pov_status status = pov_sweep_record_take_up(&s->record, &kind);
    free(config);
    s->screen = pov_sweep_screen_start(s->options->text, s->options->dashboard,
                                       s->options->vlm ? &s->options->vlm->client : NULL);
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
    pov_sweep_look_end(&s->look);
    pov_sweep_record_end(&s->record);
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

/* Writes the image's judgments and questions to the log. `turn_deg` NaN: nothing turned it. */
static pov_status record_image(sweep *s, const pov_image *image, int stop, double turn_deg)
{
    const pov_sweep_shot shot = {.image = image,
                                 .observation = s->look.observation,
                                 .truth = pov_sweep_rig_truth(s->look.rig),
                                 .stop = stop,
                                 .turn_deg = turn_deg};
    POV_TRY(pov_sweep_look_record(&s->look, image));
    pov_recorder_mark(s->options->recorder, "stop %d: %s", stop, image->name);
    pov_log_image entry;
    int question_len;
    POV_TRY(pov_sweep_record_image(&s->record, &entry, &question_len, &shot));
    pov_sweep_screen_stop(&s->screen, &entry, question_len, s->record.taken_len, s->wanted);
    return pov_ok();
}

/* ---- the screen, and waiting ---- */

/* Questions and answers since the last time. */
static void send_comparisons(sweep *s)
{
    uint8_t *bytes;
    size_t len;
    while (s->comparisons && pov_comparison_queue_take(s->comparisons, &bytes, &len)) {
        pov_sweep_look_compared(&s->look, bytes, len);
        free(bytes);
    }
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
    return pov_sweep_screen_update(&s->screen, s->record.kept.log, s->model, false);
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
                status = record_image(s, &image, stop, NAN);
        }
        if (status.code != POV_OK && status.code != POV_TIMEOUT)
            return status.code == POV_END ? pov_ok() : status;
        POV_TRY(tend_screen(s));
    }
    return pov_ok();
}

static pov_status rotate_table(sweep *s)
{
    pov_status status;
    switch (pov_sweep_rig_kind(s->look.rig)) {
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
    pov_status status = set_up(s);
    POV_THEN(status, rotate_table(s));
    POV_THEN(status, wait_for_answers(s, &summary->asking));
    send_comparisons(s);
    POV_THEN(status, pov_sweep_screen_update(&s->screen, s->record.kept.log, s->model, true));
    if (s->comparisons)
        pov_comparison_queue_stop(s->comparisons);
    pov_asker_destroy(&s->asker);
    send_comparisons(s);
    summarise_sweep(summary, s);
    tear_down(s);
    free(s);
    return status;
}
