/* Reads messages (length as four bytes, little endian, then an Envelope) from stdin. For each it prints the message encoded again, in
 * hexadecimal, and its line of JSON; all observations go into the MCAP file that is named. What is refused becomes a line
 * "refused: WHY". */
#include "protocol/observation/json.h"
#include "protocol/recording/recording.h"

#include <stdlib.h>

static pov_status write_bytes(void *context, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, context) == len ? pov_ok() : pov_error("cannot write the recording");
}

static pov_status encode(pov_codec *codec, const uint8_t **bytes, size_t *len, const pov_message *message)
{
    if (message->kind == POV_MESSAGE_HEALTH)
        return pov_codec_encode_health(codec, bytes, len, &message->health);
    if (message->kind == POV_MESSAGE_COMPARISON)
        return pov_codec_encode_comparison(codec, bytes, len, &message->comparison);
    return pov_codec_encode_observation(codec, bytes, len, message->observation);
}

static pov_status write_json(const pov_message *message)
{
    if (message->kind == POV_MESSAGE_HEALTH)
        return pov_json_write_health(stdout, &message->health);
    if (message->kind == POV_MESSAGE_COMPARISON)
        return pov_json_write_comparison(stdout, &message->comparison);
    return pov_json_write_observation(stdout, message->observation);
}

static pov_status echo(pov_codec *codec, pov_mcap_writer *writer, pov_message *message, const uint8_t *bytes,
                       size_t length)
{
    const uint8_t *again;
    size_t len;
    POV_TRY(encode(codec, &again, &len, message));
    for (size_t i = 0; i < len; i++)
        printf("%02x", again[i]);
    puts("");
    if (message->kind == POV_MESSAGE_OBSERVATION) {
        const pov_mcap_message recorded = {.channel = POV_RECORDED_OBSERVATION + 1,
                                           .log_ns = message->observation->image.capture_ns,
                                           .bytes = bytes,
                                           .len = length};
        POV_TRY(pov_mcap_writer_message(writer, &recorded));
    }
    return write_json(message);
}

static void end_if_failed(pov_status status)
{
    if (status.code == POV_OK)
        return;
    fprintf(stderr, "message_echo: %s\n", status.message);
    exit(1);
}

int main(int argc, char **argv)
{
    pov_codec *codec;
    pov_mcap_writer *writer;
    const pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (file == NULL)
        return 2;
    const pov_mcap_sink sink = {file, write_bytes};
    pov_observation *observation = calloc(1, sizeof *observation);
    uint8_t *bytes = malloc(POV_MESSAGE_BYTES_MAX);
    end_if_failed(pov_codec_new(&codec));
    end_if_failed(pov_mcap_writer_new(&writer, &sink, &config));
    end_if_failed(pov_recording_begin(writer, NULL, 0));
    for (uint32_t length; fread(&length, sizeof length, 1, stdin) == 1;) {
        if (length > POV_MESSAGE_BYTES_MAX || fread(bytes, 1, length, stdin) != length)
            return 2;
        pov_message message = {.observation = observation};
        pov_status status = pov_codec_decode(codec, &message, bytes, length);
        POV_THEN(status, echo(codec, writer, &message, bytes, length));
        if (status.code != POV_OK)
            printf("refused: %s\n", status.message);
    }
    end_if_failed(pov_mcap_writer_end(writer));
    pov_mcap_writer_destroy(&writer);
    pov_codec_destroy(&codec);
    free(observation);
    free(bytes);
    return fclose(file) == 0 ? 0 : 1;
}
