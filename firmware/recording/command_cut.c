#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "firmware/picture/face_blur.h"
#include "firmware/picture/image_file.h"
#include "firmware/picture/jpeg_encoder.h"
#include "firmware/recording/moment.h"
#include "perception/version.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JPEG_QUALITY = 90 };      /* of blurred images; as recordings have; chosen */
static const double END_S = 1e9; /* after every recording's end */

typedef enum { IMAGES_KEPT, IMAGES_BLURRED, IMAGES_LEFT_OUT } image_policy;
POV_NAMES(policy_names, "keep", "blur", "none")

typedef struct {
    double from_s, to_s;
    int images;
    const char *camera; /* NULL: all */
    bool no_files;
} cut_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_TAKEN(cut_options, from_s, "from", "[HH:]MM:SS", pov_moment_take,
              "begin so long after the recording's beginning"),
    POV_TAKEN(cut_options, to_s, "to", "[HH:]MM:SS", pov_moment_take,
              "end so long after the recording's beginning"),
    POV_CHOICE(cut_options, images, "images", "HOW", policy_names,
               "blur: faces become squares of their mean colours, where OpenCV's cascades find them (look at "
               "the result)"),
    POV_TEXT(cut_options, camera, "camera", "ID",
             "of a recording of several cameras: this one's images and judgments"),
    POV_FLAG(cut_options, no_files, "no-files", "leave out the attached files and where they were"),
    POV_OPTIONS_END,
};

const pov_command pov_command_cut = {
    .name = "cut",
    .summary = "a part of a recording, for sharing",
    .run = run,
    .usage = "FILE.mcap OUT.mcap [OPTIONS]",
    .about = "Writes a part of a recording to a new file: some of its time, with faces blurred, or without "
             "images or files. Messages "
             "keep their bytes and times. An image and what was judged of it go by the time of the image's "
             "capture, other messages by the time they were recorded. If a recording is damaged, its sound "
             "chunks are kept.",
    .options = option_table,
    .words = {.min = 2, .max = 2, .wanted = "expected a recording and the file to write"},
    .examples = "pov cut monday.mcap clip.mcap --from 1:30 --to 2:00\n"
                "pov cut monday.mcap shared.mcap --images blur --no-files",
    .exits = "0 done; 1 a file cannot be read or written, nothing is left, or something of the recording is "
             "damaged and left out",
};

typedef struct {
    pov_recording *recording;
    pov_mcap_writer *writer;
    pov_recording_packer *packer;
    pov_image_file *decoder;
    pov_face_blur *blur;
    pov_jpeg_encoder *jpeg;
    pov_codec *codec; /* of a part of the time */
    pov_observation *observation;
    bool has_image_clock;
    int64_t recorded_after_ns; /* from the first image's capture until it was recorded */
    const cut_options *options;
    bool is_camera; /* the last image was of the wanted camera */
    uint64_t messages, images, faces, unknown;
} cutter;

/* The wanted camera's channel is there. */
static pov_status check_camera(const cutter *self, const pov_mcap_contents *contents)
{
    char id[POV_IMAGE_NAME_CAPACITY], cameras[256] = "";
    for (int i = 0; self->options->camera && i < contents->channel_len; i++) {
        const bool is_image =
            pov_recorded_find_camera(id, contents->channels[i].topic) == POV_RECORDED_IMAGE && *id;
        if (is_image && strcmp(id, self->options->camera) == 0)
            return pov_ok();
        const size_t len = strlen(cameras);
        if (is_image)
            snprintf(cameras + len, sizeof cameras - len, "%s'%.40s'", *cameras ? ", " : "", id);
    }
    return !self->options->camera ? pov_ok()
           : *cameras             ? pov_error("--camera: '%s' is not a camera of the recording, which has %s",
                                              self->options->camera, cameras)
                      : pov_error("--camera: the recording is of one camera only: leave this out");
}

/* Another camera's channels would make it a recording of several. */
static bool is_kept(const cutter *self, const pov_mcap_channel *channel)
{
    char id[POV_IMAGE_NAME_CAPACITY];
    (void)pov_recorded_find_camera(id, channel->topic);
    return !self->options->camera || !*id || strcmp(id, self->options->camera) == 0;
}

static pov_status copy_channels(cutter *self, const pov_mcap_contents *contents)
{
    for (int i = 0; i < contents->schema_len; i++)
        POV_TRY(pov_mcap_writer_schema(self->writer, &contents->schemas[i]));
    for (int i = 0; i < contents->channel_len; i++)
        if (is_kept(self, &contents->channels[i]))
            POV_TRY(pov_mcap_writer_channel(self->writer, &contents->channels[i]));
    return pov_ok();
}

/* The session's own words, without the station's path if files stay away. */
static pov_status copy_session(cutter *self, pov_mcap_reader *reader)
{
    static const char *const keys[] = {"version", "schema_version", "started", "source",
                                       "video",   "images",         "coding",  "station"};
    enum { KEYS = sizeof keys / sizeof *keys };
    pov_mcap_pair pairs[KEYS + 1];
    char *values[KEYS] = {NULL};
    int len = 0;
    pov_status status = pov_ok();
    for (int i = 0; i < KEYS - self->options->no_files && status.code == POV_OK; i++) {
        const char *value;
        status = pov_mcap_reader_metadata(reader, &value, POV_RECORDING_SESSION, keys[i]);
        values[i] = strdup(value);
        POV_REQUIRE_MEMORY(values[i]);
        if (*value)
            pairs[len++] = (pov_mcap_pair){keys[i], values[i]};
    }
    pairs[len++] = (pov_mcap_pair){"cut", policy_names(self->options->images)};
    POV_THEN(status, pov_mcap_writer_metadata(self->writer, POV_RECORDING_SESSION, pairs, len));
    for (int i = 0; i < KEYS; i++)
        free(values[i]);
    return status;
}

static pov_status copy_files(cutter *self, pov_mcap_reader *reader)
{
    pov_mcap_attachment attachment;
    for (int i = 0; i < pov_mcap_reader_contents(reader)->attachment_len && !self->options->no_files; i++) {
        POV_TRY(pov_mcap_reader_attachment(reader, &attachment, i));
        POV_TRY(pov_mcap_writer_attachment(self->writer, &attachment));
    }
    return pov_ok();
}

/* An image that cannot be decoded is left out: nobody knows who is in it. */
static pov_status blur_image(cutter *self, pov_recorded_event *event)
{
    pov_image image, blurred;
    int faces;
    POV_TRY(pov_image_file_decode(self->decoder, &image, event->image.name, event->image.bytes,
                                  event->image.len));
    POV_TRY(pov_face_blur_run(self->blur, &blurred, &faces, &image));
    POV_TRY(pov_jpeg_encoder_run(self->jpeg, &event->image.bytes, &event->image.len, &blurred));
    self->faces += (uint64_t)faces;
    const uint16_t channel = event->message.channel;
    POV_TRY(pov_recording_pack_image(self->packer, &event->message, &event->image,
                                     &(pov_recorded_camera){*event->camera != '\0', event->camera}));
    event->message.channel = channel;
    return pov_ok();
}

/* Another program's message may hold an image of any form. */
static pov_status copy_event(cutter *self, pov_recorded_event *event)
{
    const bool is_image = event->topic == POV_RECORDED_IMAGE;
    const image_policy policy = (image_policy)self->options->images;
    if (policy == IMAGES_LEFT_OUT && (is_image || event->topic == POV_RECORDED_HEADER))
        return pov_ok();
    if (policy != IMAGES_KEPT && event->topic == POV_RECORDED_COUNT) {
        self->unknown++;
        return pov_ok();
    }
    if (policy == IMAGES_BLURRED && is_image) {
        const pov_status status = blur_image(self, event);
        if (status.code != POV_OK) {
            pov_recording_note_damage(self->recording, &event->message, &status);
            return pov_ok();
        }
    }
    self->messages++;
    self->images += is_image;
    event->message.is_coded = is_image;
    return pov_mcap_writer_message(self->writer, &event->message);
}

/* When the image was captured that a message is of. POV_UNDEFINED: it is of none. */
static pov_status find_capture(cutter *self, int64_t *capture_ns, const pov_recorded_event *event)
{
    switch (event->topic) {
    case POV_RECORDED_IMAGE:
        *capture_ns = event->image.capture_ns;
        return pov_ok();
    case POV_RECORDED_HEADER:
    case POV_RECORDED_TRANSFORMS:
    case POV_RECORDED_THINGS:
    case POV_RECORDED_ANNOTATIONS:
        *capture_ns = event->message.publish_ns;
        return pov_ok();
    case POV_RECORDED_OBSERVATION:
    case POV_RECORDED_SCENE: {
        pov_message message = {.observation = self->observation};
        POV_TRY(pov_codec_decode(self->codec, &message, event->message.bytes, event->message.len));
        *capture_ns = self->observation->image.capture_ns;
        return message.kind == POV_MESSAGE_OBSERVATION ? pov_ok() : pov_status_of(POV_UNDEFINED);
    }
    default:
        return pov_status_of(POV_UNDEFINED);
    }
}

/* An image is recorded before what is judged of it, seconds later under load: by capture both are on one side of a cut. */
static double seconds_of(cutter *self, const pov_recorded_event *event, int64_t first_ns)
{
    int64_t capture_ns = 0;
    const pov_status status = find_capture(self, &capture_ns, event);
    if (status.code == POV_OK && !self->has_image_clock) {
        self->has_image_clock = true;
        self->recorded_after_ns = event->message.log_ns - capture_ns;
    }
    const int64_t at_ns =
        status.code == POV_OK ? capture_ns + self->recorded_after_ns : event->message.log_ns;
    return 1e-9 * ((double)at_ns - (double)first_ns);
}

/* Whether a message is of the wanted camera, or of none. What shows an observation in Foxglove follows its image. */
static bool is_of_camera(cutter *self, const pov_recorded_event *event)
{
    const char *wanted = self->options->camera;
    if (!wanted)
        return true;
    if (event->topic == POV_RECORDED_IMAGE)
        self->is_camera = strcmp(event->camera, wanted) == 0;
    if (*event->camera)
        return strcmp(event->camera, wanted) == 0;
    if (event->topic == POV_RECORDED_TRANSFORMS || event->topic == POV_RECORDED_THINGS)
        return self->is_camera;
    pov_message message = {.observation = self->observation};
    return (event->topic != POV_RECORDED_OBSERVATION && event->topic != POV_RECORDED_SCENE) ||
           pov_codec_decode(self->codec, &message, event->message.bytes, event->message.len).code != POV_OK ||
           message.kind != POV_MESSAGE_OBSERVATION || strcmp(self->observation->image.camera, wanted) == 0;
}

static bool is_wanted(cutter *self, const pov_recorded_event *event, int64_t first_ns)
{
    if (!self->codec)
        return true;
    if (!is_of_camera(self, event))
        return false;
    const double at_s = seconds_of(self, event, first_ns);
    return at_s >= self->options->from_s && at_s <= self->options->to_s;
}

static pov_status copy_messages(cutter *self, pov_mcap_reader *reader)
{
    const int64_t first_ns = pov_mcap_reader_contents(reader)->first_ns;
    while (!pov_cli_stop_requested()) {
        pov_recorded_event event;
        const pov_status status = pov_recording_next(self->recording, &event);
        if (status.code == POV_END)
            return pov_ok();
        if (status.code == POV_SKIPPED)
            continue;
        POV_TRY(status);
        if (is_wanted(self, &event, first_ns))
            POV_TRY(copy_event(self, &event));
    }
    return pov_error("stopped; nothing was written");
}

static pov_status open_tools(cutter *self, pov_write_file *file)
{
    const pov_mcap_sink sink = {file, pov_write_file_bytes};
    pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    config.library = "pov " POV_VERSION;
    POV_TRY(pov_mcap_writer_new(&self->writer, &sink, &config));
    if (self->options->from_s > 0 || self->options->to_s < END_S || self->options->camera) {
        POV_TRY(pov_codec_new(&self->codec));
        self->observation = calloc(1, sizeof *self->observation);
        POV_REQUIRE_MEMORY(self->observation);
    }
    if (self->options->images != IMAGES_BLURRED)
        return pov_ok();
    POV_TRY(pov_recording_packer_new(&self->packer));
    POV_TRY(pov_image_file_new(&self->decoder));
    POV_TRY(pov_jpeg_encoder_new(&self->jpeg, JPEG_QUALITY));
    return pov_face_blur_new(&self->blur);
}

static pov_status cut_recording(cutter *self)
{
    pov_mcap_reader *reader = pov_recording_reader(self->recording);
    POV_TRY(check_camera(self, pov_mcap_reader_contents(reader)));
    POV_TRY(copy_channels(self, pov_mcap_reader_contents(reader)));
    POV_TRY(copy_session(self, reader));
    POV_TRY(copy_files(self, reader));
    POV_TRY(copy_messages(self, reader));
    POV_TRY(pov_mcap_writer_end(self->writer));
    if (self->messages == 0)
        POV_TRY(pov_recording_damage(self->recording));
    if (self->messages == 0 && self->unknown > 0)
        return pov_error("all messages are of other programs and may hold images of any form: only --images "
                         "keep takes them");
    return self->messages ? pov_ok() : pov_error("no message is left; see --from and --to");
}

static void close_tools(cutter *self)
{
    pov_mcap_writer_destroy(&self->writer);
    pov_codec_destroy(&self->codec);
    free(self->observation);
    pov_recording_packer_destroy(&self->packer);
    pov_image_file_destroy(&self->decoder);
    if (self->jpeg)
        pov_jpeg_encoder_destroy(&self->jpeg);
    if (self->blur)
        pov_face_blur_destroy(&self->blur);
    pov_recording_close(&self->recording);
}

static int run(int argc, char **argv)
{
    cut_options options = {.to_s = END_S};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_cut, argc, argv));
    pov_cli_catch_signals();
    cutter self = {.options = &options};
    pov_write_file file;
    pov_status status = pov_recording_open(&self.recording, words.word[0]);
    POV_THEN(status, pov_write_file_begin(&file, words.word[1]));
    if (status.code == POV_OK) {
        status = open_tools(&self, &file);
        POV_THEN(status, cut_recording(&self));
        status = pov_write_file_end(&file, status);
    }
    const pov_status damage = status.code == POV_OK ? pov_recording_damage(self.recording) : pov_ok();
    close_tools(&self);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    printf("%s: %" PRIu64 " messages, %" PRIu64 " images", words.word[1], self.messages, self.images);
    if (options.images == IMAGES_BLURRED)
        printf(", %" PRIu64 " faces blurred", self.faces);
    if (self.unknown > 0)
        printf("; %" PRIu64 " messages of other programs left out, as they may hold images", self.unknown);
    putchar('\n');
    return pov_cli_exit(damage);
}
