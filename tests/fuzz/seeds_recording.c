/* Writes small recordings with a message of each topic: seeds_recording tests/fuzz/corpus/recording. Descriptors are left out: they
 * are 4 kB and more, and the reader does not use them. */
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *name, *schema;
    pov_mcap_compression compression;
} seed;

static pov_status append_file(void *context, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, context) == len ? pov_ok() : pov_error("cannot be written");
}

static void check(pov_status status)
{
    if (status.code == POV_OK)
        return;
    fprintf(stderr, "%s\n", status.message);
    exit(1);
}

static const char *schema_of(pov_recorded topic)
{
    return topic <= POV_RECORDED_ASK           ? "pov.Envelope"
           : topic == POV_RECORDED_HEADER      ? "pov.ImageHeader"
           : topic == POV_RECORDED_IMAGE       ? "foxglove.CompressedImage"
           : topic == POV_RECORDED_CALIBRATION ? "foxglove.CameraCalibration"
                                               : "foxglove.Log";
}

static void write_messages(pov_mcap_writer *writer)
{
    static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xD9};
    pov_recording_packer *packer;
    pov_codec *codec;
    pov_mcap_message message = {.log_ns = 1000, .publish_ns = 1000};
    const pov_recorded_image image = {
        .name = "camera/1", .sequence = 1, .capture_ns = 900, .bytes = jpeg, .len = sizeof jpeg};
    const pov_camera camera = {.width_px = 640, .height_px = 480, .fx_px = 500, .fy_px = 500};
    check(pov_recording_packer_new(&packer));
    check(pov_codec_new(&codec));
    check(pov_recording_pack_header(packer, &message, &image, &pov_recorded_only_camera));
    check(pov_mcap_writer_message(writer, &message));
    check(pov_recording_pack_image(packer, &message, &image, &pov_recorded_only_camera));
    check(pov_mcap_writer_message(writer, &message));
    check(pov_recording_pack_calibration(packer, &message, &camera, &pov_recorded_only_camera, 1000));
    check(pov_mcap_writer_message(writer, &message));
    for (pov_recorded topic = POV_RECORDED_LOG; topic <= POV_RECORDED_MARKER; topic++) {
        check(pov_recording_pack_line(packer, &message, topic, "warning", "the lamp is out"));
        check(pov_mcap_writer_message(writer, &message));
    }
    check(pov_codec_encode_exchange(codec, &message.bytes, &message.len, &(pov_exchange){"anna", "{}"}));
    message.channel = POV_RECORDED_ASK + 1;
    check(pov_mcap_writer_message(writer, &message));
    check(pov_codec_encode_health(codec, &message.bytes, &message.len,
                                  &(pov_health){.now_ns = 1000, .images_processed = 3}));
    message.channel = POV_RECORDED_HEALTH + 1;
    check(pov_mcap_writer_message(writer, &message));
    pov_codec_destroy(&codec);
    pov_recording_packer_destroy(&packer);
}

static void write_seed(const char *folder, const seed *of)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, of->name);
    FILE *file = fopen(path, "wb");
    if (!file)
        exit(1);
    pov_mcap_writer *writer;
    pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    const pov_mcap_sink sink = {file, append_file};
    config.compression = of->compression;
    check(pov_mcap_writer_new(&writer, &sink, &config));
    for (int i = 0; i < POV_RECORDED_COUNT; i++) {
        const char *name = of->schema ? of->schema : schema_of((pov_recorded)i);
        const uint16_t id = (uint16_t)(i + 1);
        check(
            pov_mcap_writer_schema(writer, &(pov_mcap_schema){id, name, "protobuf", (const uint8_t *)"", 0}));
        check(
            pov_mcap_writer_channel(writer, &(pov_mcap_channel){.id = id,
                                                                .schema = id,
                                                                .topic = pov_recorded_topic((pov_recorded)i),
                                                                .encoding = "protobuf"}));
    }
    write_messages(writer);
    check(pov_mcap_writer_end(writer));
    pov_mcap_writer_destroy(&writer);
    fclose(file);
}

int main(int argc, char **argv)
{
    /* wrong_schema: each message claims to be an image. */
    static const seed seeds[] = {{"plain", NULL, POV_MCAP_PLAIN},
                                 {"zstd", NULL, POV_MCAP_ZSTD},
                                 {"wrong_schema", "foxglove.CompressedImage", POV_MCAP_PLAIN}};
    for (size_t i = 0; argc == 2 && i < sizeof seeds / sizeof *seeds; i++)
        write_seed(argv[1], &seeds[i]);
    return argc == 2 ? 0 : 2;
}
