#include "firmware/engines/gather.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/comparison/run_config.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "firmware/sweep/sweep.h"
#include "firmware/sweep/sweep_record.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const pov_gather_options *options;
    pov_sweep_record record;
    pov_observation *observation;
    int64_t first, end; /* the shard's images */
    pov_progress progress;
} gathering;

static pov_status take_up(gathering *g, const char *key, const char *value, int image_len)
{
    char *config;
    POV_TRY(pov_run_config_write_of(&config, key, value, image_len, &g->options->asking));
    const pov_sweep_kind kind = {.config = config, .simulated = strcmp(key, "world") == 0, .resume = true};
    const pov_status status = pov_sweep_record_take_up(&g->record, &kind);
    free(config);
    pov_shard_range(&g->options->shard, &g->first, &g->end, image_len);
    g->progress = pov_progress_start(stderr, "images", g->end - g->first, pov_clock_monotonic_ns());
    return status;
}

static pov_status record_image(gathering *g, const pov_image *image, const pov_scene *truth, int stop)
{
    const pov_sweep_shot shot = {.image = image,
                                 .observation = g->observation,
                                 .truth = truth,
                                 .stop = stop,
                                 .turn_deg = NAN,
                                 .wanted_deg = NAN};
    pov_log_image entry;
    pov_image_asked ignored;
    POV_TRY(pov_sweep_record_image(&g->record, &entry, &ignored, &shot));
    pov_progress_update(&g->progress, g->record.taken_len, pov_clock_monotonic_ns());
    return pov_ok();
}

/* ---- a world ---- */

/* All that decides about its images. */
static pov_status describe_world(char *text, size_t capacity, const pov_gather_options *options,
                                 const pov_world *world)
{
    char hash[POV_DIGEST_CAPACITY] = "";
    pov_bytes file = {0};
    if (strchr(options->source, '.')) {
        POV_TRY(pov_read_file(&file, options->source, POV_YAML_BYTES_MAX, "a world file"));
        pov_digest(hash, file.data, file.length);
        pov_bytes_free(&file);
    }
    snprintf(text, capacity, "%s%s%s, variant '%s', seed %" PRIu64 ", sensor %s, %d x %d", world->name,
             *hash ? ", file " : "", hash, world->variant, world->seed, world->sensor_preset,
             world->camera.lens.width_px, world->camera.lens.height_px);
    return pov_ok();
}

static void describe_image(pov_observation *observation, const pov_simulator_truth *truth,
                           const pov_image *image)
{
    memset(observation, 0, sizeof *observation);
    pov_image_header *header = &observation->image;
    snprintf(header->name, sizeof header->name, "%s", image->name);
    header->sequence = image->sequence;
    header->capture_ns = image->mid_exposure_ns;
    header->width_px = image->width_px;
    header->height_px = image->height_px;
    header->calibration_hash = pov_camera_hash(&truth->world->camera.lens);
    header->pose_source = POV_POSE_GIVEN;
    header->T_table_camera = (pov_pose){.T = pov_world_T_table_camera(truth->world)};
    observation->scene = *truth->scene;
}

static pov_status draw_world(gathering *g, pov_simulator *simulator)
{
    char text[1024];
    const pov_world *world = pov_simulator_truth_of(simulator).world;
    const int image_len = g->options->image_len > 0 ? g->options->image_len : world->image_len;
    POV_TRY(describe_world(text, sizeof text, g->options, world));
    POV_TRY(take_up(g, "world", text, image_len));
    for (int i = (int)g->first; i < g->end && !pov_cli_stop_requested(); i++) {
        pov_image image;
        if (g->record.taken[i])
            continue;
        POV_TRY(pov_simulator_take(simulator, &image, i));
        image.mid_exposure_ns = 0; /* the same each time that it is drawn */
        image.sequence = (uint32_t)i;
        const pov_simulator_truth truth = pov_simulator_truth_of(simulator);
        describe_image(g->observation, &truth, &image);
        POV_TRY(record_image(g, &image, truth.scene, i));
    }
    return pov_ok();
}

static pov_status gather_world(gathering *g)
{
    pov_simulator *simulator;
    pov_simulator_config config = g->options->world;
    config.world = g->options->source;
    POV_TRY(pov_simulator_new(&simulator, &config));
    const pov_status status = draw_world(g, simulator);
    pov_simulator_destroy(&simulator);
    return status;
}

/* ---- a recording ---- */

typedef struct {
    pov_recording *recording;
    pov_codec *codec;
    pov_image_file *decoder;
    pov_image image; /* the last, if has_image */
    bool has_image, has_observation;
} player;

static void take_image(player *p, const pov_recorded_event *event)
{
    const pov_recorded_image *image = &event->image;
    const pov_status status =
        pov_image_file_decode(p->decoder, &p->image, image->name, image->bytes, image->len);
    memcpy(p->image.name, image->name, sizeof p->image.name);
    p->image.mid_exposure_ns = image->capture_ns;
    p->image.sequence = image->sequence;
    p->has_image = status.code == POV_OK;
    if (!p->has_image)
        pov_recording_note_damage(p->recording, &event->message, &status);
}

/* An image and what was judged of it stand beside each other; one without the other is passed over. */
static pov_status take_event(gathering *g, player *p, const pov_recorded_event *event, int64_t *place)
{
    pov_message message = {.observation = g->observation};
    if (event->topic == POV_RECORDED_IMAGE)
        take_image(p, event);
    if (event->topic == POV_RECORDED_OBSERVATION) {
        const pov_status status =
            pov_codec_decode(p->codec, &message, event->message.bytes, event->message.len);
        p->has_observation = status.code == POV_OK;
        if (status.code != POV_OK)
            pov_recording_note_damage(p->recording, &event->message, &status);
    }
    if (!p->has_image || !p->has_observation || g->observation->image.sequence != p->image.sequence)
        return pov_ok();
    p->has_image = p->has_observation = false;
    const int64_t stop = (*place)++;
    return stop < g->first || stop >= g->end || g->record.taken[stop]
               ? pov_ok()
               : record_image(g, &p->image, NULL, (int)stop);
}

static pov_status play_recording(gathering *g, player *p)
{
    char hash[POV_DIGEST_CAPACITY];
    int64_t place = 0, image_len = 0;
    POV_TRY(pov_recording_open(&p->recording, g->options->source));
    POV_TRY(pov_recording_check_camera(p->recording, "pov export --dataset"));
    POV_TRY(pov_codec_new(&p->codec));
    POV_TRY(pov_image_file_new(&p->decoder));
    POV_TRY(pov_digest_file(hash, g->options->source));
    const pov_mcap_contents *contents = pov_mcap_reader_contents(pov_recording_reader(p->recording));
    for (int i = 0; i < contents->channel_len; i++)
        if (pov_recorded_find(contents->channels[i].topic) == POV_RECORDED_OBSERVATION)
            image_len += (int64_t)contents->channel_messages[i];
    if (image_len >= g->record.stop_max)
        return pov_error("%s: more than %d images; 'pov cut' makes parts", g->options->source,
                         g->record.stop_max);
    POV_TRY(take_up(g, "recording", hash, (int)image_len));
    while (!pov_cli_stop_requested()) {
        pov_recorded_event event;
        pov_status status = pov_recording_next(p->recording, &event);
        if (status.code == POV_OK)
            status = take_event(g, p, &event, &place);
        if (status.code == POV_END)
            break;
        if (status.code == POV_ERROR)
            return status;
    }
    pov_status damage = pov_recording_damage(p->recording);
    if (damage.code != POV_OK && place > 0)
        damage.code = POV_SKIPPED;
    return place > 0 || damage.code != POV_OK
               ? damage
               : pov_error("%s: holds no image with what was judged of it; 'pov sweep STATION.yaml --images "
                           "%s' judges its images again",
                           g->options->source, g->options->source);
}

static pov_status gather_recording(gathering *g)
{
    player p = {.has_image = false};
    const pov_status status = play_recording(g, &p);
    pov_image_file_destroy(&p.decoder);
    pov_codec_destroy(&p.codec);
    pov_recording_close(&p.recording);
    return status;
}

/* ---- the whole ---- */

pov_status pov_gather(const pov_log_folder *folder, const pov_gather_options *options)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    gathering g = {.options = options, .observation = calloc(1, sizeof *g.observation)};
    pov_status status = g.observation ? pov_sweep_record_begin(&g.record, folder, &options->asking, &judging,
                                                               POV_WORLD_IMAGE_MAX)
                                      : pov_error("%s: out of memory", folder->path);
    POV_THEN(status, pov_recording_is_one(options->source) ? gather_recording(&g) : gather_world(&g));
    pov_progress_clear(&g.progress);
    if ((status.code == POV_OK || status.code == POV_SKIPPED) && pov_cli_stop_requested())
        status = pov_error("stopped after %d images; the same command goes on", g.record.taken_len);
    pov_sweep_record_end(&g.record);
    free(g.observation);
    return status;
}
