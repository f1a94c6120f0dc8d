#include "firmware/recording/export_ros2.h"

#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "perception/version.h"
#include "protocol/ros2/ros2_messages.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    pov_recording *recording;
    pov_mcap_writer *writer;
    pov_ros2_packer *packer;
    pov_codec *codec;
    pov_observation *observation;
    uint8_t *calibration; /* the newest; that of images before the first is the first */
    size_t calibration_len;
    uint64_t messages;
} exporter;

/* Adds the packed message; POV_SKIPPED: there was nothing to pack, or it is damaged, and says so. */
static pov_status add_message(exporter *self, const pov_mcap_message *message, pov_status packed)
{
    if (packed.code == POV_SKIPPED && *packed.message)
        pov_recording_note_damage(self->recording, message, &packed);
    if (packed.code == POV_SKIPPED)
        return pov_ok();
    POV_TRY(packed);
    self->messages++;
    return pov_mcap_writer_message(self->writer, message);
}

static void keep_calibration(exporter *self, const pov_mcap_message *message)
{
    uint8_t *copy = malloc(message->len + 1);
    POV_REQUIRE_MEMORY(copy);
    memcpy(copy, message->bytes, message->len);
    free(self->calibration);
    self->calibration = copy;
    self->calibration_len = message->len;
}

/* A camera_info of the image's own stamp goes with each image. */
static pov_status add_image(exporter *self, const pov_recorded_event *event)
{
    pov_mcap_message message = event->message;
    POV_TRY(add_message(self, &message, pov_ros2_image(self->packer, &message, &event->image)));
    message.is_coded = false;
    if (!self->calibration)
        return pov_ok();
    return add_message(self, &message,
                       pov_ros2_camera(self->packer, &message, self->calibration, self->calibration_len,
                                       event->image.capture_ns));
}

static pov_status add_wire(exporter *self, const pov_recorded_event *event)
{
    pov_message decoded = {.observation = self->observation};
    const pov_status status =
        pov_codec_decode(self->codec, &decoded, event->message.bytes, event->message.len);
    if (status.code != POV_OK) {
        pov_recording_note_damage(self->recording, &event->message, &status);
        return pov_ok();
    }
    for (pov_ros2_topic topic = 0; topic < POV_ROS2_COUNT; topic++) {
        pov_mcap_message message = event->message;
        if (pov_ros2_is_made_of(topic, event->topic))
            POV_TRY(add_message(self, &message, pov_ros2_pack(self->packer, &message, topic, &decoded)));
    }
    return pov_ok();
}

static pov_status add_event(exporter *self, const pov_recorded_event *event)
{
    switch (event->topic) {
    case POV_RECORDED_IMAGE:
        return add_image(self, event);
    case POV_RECORDED_CALIBRATION:
        keep_calibration(self, &event->message);
        return pov_ok();
    case POV_RECORDED_OBSERVATION:
    case POV_RECORDED_HEALTH:
    case POV_RECORDED_ASK:
    case POV_RECORDED_VLM:
        return add_wire(self, event);
    default: /* made of these, or for people */
        return pov_ok();
    }
}

static pov_status for_each_event(exporter *self, pov_status (*take)(exporter *, const pov_recorded_event *))
{
    while (!pov_cli_stop_requested()) {
        pov_recorded_event event;
        const pov_status status = pov_recording_next(self->recording, &event);
        if (status.code == POV_END)
            return pov_ok();
        if (status.code == POV_SKIPPED)
            continue;
        POV_TRY(status);
        POV_TRY(take(self, &event));
    }
    return pov_error("stopped; nothing was written");
}

/* POV_UNDEFINED ends the search. */
static pov_status find_calibration(exporter *self, const pov_recorded_event *event)
{
    if (event->topic != POV_RECORDED_CALIBRATION)
        return pov_ok();
    keep_calibration(self, &event->message);
    return pov_status_of(POV_UNDEFINED);
}

static pov_status open_all(exporter *self, const char *from, pov_write_file *file)
{
    const pov_mcap_sink sink = {file, pov_write_file_bytes};
    pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    config.profile = "ros2";
    config.library = "pov " POV_VERSION;
    POV_TRY(pov_recording_open(&self->recording, from));
    POV_TRY(pov_recording_check_camera(self->recording, "pov export --ros2"));
    const pov_status status = for_each_event(self, find_calibration);
    if (status.code != POV_OK && status.code != POV_UNDEFINED)
        return status;
    pov_recording_seek(self->recording, INT64_MIN);
    POV_TRY(pov_codec_new(&self->codec));
    POV_TRY(pov_ros2_packer_new(&self->packer, NULL));
    self->observation = calloc(1, sizeof *self->observation);
    POV_REQUIRE_MEMORY(self->observation);
    POV_TRY(pov_mcap_writer_new(&self->writer, &sink, &config));
    return pov_ros2_begin(self->writer);
}

static pov_status export_all(exporter *self, const char *from, pov_write_file *file)
{
    POV_TRY(open_all(self, from, file));
    POV_TRY(for_each_event(self, add_event));
    if (self->messages == 0)
        POV_TRY(pov_recording_damage(self->recording));
    if (self->messages == 0)
        return pov_error("%s: holds no image and no message of a station", from);
    return pov_mcap_writer_end(self->writer);
}

pov_status pov_export_ros2(const char *from, const char *to)
{
    exporter self = {.messages = 0};
    pov_write_file file;
    if (!pov_recording_is_one(from))
        return pov_error("%s: is not a recording (.mcap)", from);
    POV_TRY(pov_write_file_begin(&file, to));
    pov_status status = pov_write_file_end(&file, export_all(&self, from, &file));
    POV_THEN(status, pov_recording_damage(self.recording));
    pov_mcap_writer_destroy(&self.writer);
    pov_ros2_packer_destroy(&self.packer);
    pov_codec_destroy(&self.codec);
    pov_recording_close(&self.recording);
    free(self.observation);
    free(self.calibration);
    return status;
}
