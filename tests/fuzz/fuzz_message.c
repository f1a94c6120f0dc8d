/* Any bytes: decoded or refused; what is decoded encodes, and comes back the same. */
#include "protocol/observation/json.h"
#include "protocol/observation/message.h"
#include "tests/fuzz/formats/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    return fuzz_mutate_protobuf(bytes, length, capacity, seed);
}

static void encode(pov_codec *codec, const uint8_t **bytes, size_t *length, const pov_message *message)
{
    pov_status status = message->kind == POV_MESSAGE_EXCHANGE
                            ? pov_codec_encode_exchange(codec, bytes, length, &message->exchange)
                        : message->kind == POV_MESSAGE_HEALTH
                            ? pov_codec_encode_health(codec, bytes, length, &message->health)
                            : pov_codec_encode_observation(codec, bytes, length, message->observation);
    POV_REQUIRE(status.code == POV_OK);
}

static void write_json(FILE *stream, const pov_message *message)
{
    pov_status status =
        message->kind == POV_MESSAGE_EXCHANGE ? pov_json_write_exchange(stream, &message->exchange)
        : message->kind == POV_MESSAGE_HEALTH ? pov_json_write_health(stream, &message->health)
                                              : pov_json_write_observation(stream, message->observation);
    POV_REQUIRE(status.code == POV_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pov_codec *codec;
    static pov_observation observation;
    static FILE *nowhere;
    static uint8_t first[1 << 20];
    if (codec == NULL) {
        POV_REQUIRE(pov_codec_new(&codec).code == POV_OK);
        nowhere = fopen("/dev/null", "w");
    }
    pov_message message = {.observation = &observation};
    if (pov_codec_decode(codec, &message, data, size).code != POV_OK) {
        POV_REQUIRE(observation.scene.len == 0 && observation.judgment_len == 0);
        return 0;
    }
    write_json(nowhere, &message);
    const uint8_t *bytes;
    size_t first_length, length;
    encode(codec, &bytes, &first_length, &message);
    memcpy(first, bytes, first_length);
    POV_REQUIRE(pov_codec_decode(codec, &message, first, first_length).code == POV_OK);
    encode(codec, &bytes, &length, &message);
    POV_REQUIRE(length == first_length && memcmp(bytes, first, length) == 0);
    return 0;
}
