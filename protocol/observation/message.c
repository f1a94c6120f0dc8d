#include "protocol/observation/message.h"

#include "config/files/utf8.h"
#include "perception/version.h"
#include "pov.pb-c.h"
#include "protocol/observation/health_wire.h"
#include "protocol/observation/observation_check.h"
#include "protocol/observation/observation_wire.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    /* The largest observation, with all its lists full, takes about 1.5 MB: test_message.c. */
    /* Unpacking it takes about 8 MB; more than this is a hostile message. Untouched pages cost nothing. */
    ARENA_BYTES = 16 << 20,
    ARENA_ALIGNMENT = 16
};

/* Memory for protobuf-c to unpack into: handed out in a row, taken back all at once. */
typedef struct {
    uint8_t *bytes;
    size_t used;
} arena;

struct pov_codec {
    pov_packer *packer;
    Pov__Observation *observation; /* packed last */
    pov_health_packer *health_packer;
    uint8_t *bytes;
    arena arena;
};

static void *arena_allocate(void *data, size_t size)
{
    arena *memory = data;
    size_t room = ARENA_BYTES - memory->used;
    if (size > room || (size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT > room)
        return NULL;
    void *start = memory->bytes + memory->used;
    memory->used += (size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    return start;
}

static void arena_free(void *data, void *start)
{
    (void)data;
    (void)start;
}

pov_status pov_codec_new(pov_codec **codec)
{
    pov_codec *self = *codec = calloc(1, sizeof *self);
    if (self == NULL)
        return pov_error("out of memory for the message codec");
    self->bytes = malloc(POV_MESSAGE_BYTES_MAX);
    self->arena.bytes = malloc(ARENA_BYTES);
    pov_status status = pov_packer_new(&self->packer);
    POV_THEN(status, pov_health_packer_new(&self->health_packer));
    if (status.code == POV_OK && (self->bytes == NULL || self->arena.bytes == NULL))
        status = pov_error("out of memory for the message codec");
    if (status.code != POV_OK)
        pov_codec_destroy(codec);
    return status;
}

void pov_codec_destroy(pov_codec **codec)
{
    if (*codec == NULL)
        return;
    pov_packer_destroy(&(*codec)->packer);
    pov_health_packer_destroy(&(*codec)->health_packer);
    free((*codec)->bytes);
    free((*codec)->arena.bytes);
    free(*codec);
    *codec = NULL;
}

static void pack_envelope(pov_codec *codec, const uint8_t **bytes, size_t *length, Pov__Envelope *envelope)
{
    envelope->schema_version = POV_SCHEMA_VERSION;
    envelope->program_version = (char *)POV_VERSION; /* packing only reads */
    POV_REQUIRE(pov__envelope__get_packed_size(envelope) <= POV_MESSAGE_BYTES_MAX);
    *length = pov__envelope__pack(envelope, codec->bytes);
    *bytes = codec->bytes;
}

static void pack_observation(pov_codec *codec, const uint8_t **bytes, size_t *length,
                             Pov__Observation *observation)
{
    Pov__Envelope envelope = POV__ENVELOPE__INIT;
    envelope.content_case = POV__ENVELOPE__CONTENT_OBSERVATION;
    envelope.observation = observation;
    pack_envelope(codec, bytes, length, &envelope);
}

pov_status pov_codec_encode_observation(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                        const pov_observation *observation)
{
    *bytes = NULL;
    *length = 0;
    codec->observation = NULL;
    POV_TRY(pov_observation_check(observation));
    codec->observation = pov_packer_pack(codec->packer, observation);
    pack_observation(codec, bytes, length, codec->observation);
    return pov_ok();
}

void pov_codec_encode_scene(pov_codec *codec, const uint8_t **bytes, size_t *length)
{
    POV_REQUIRE(codec->observation);
    Pov__Observation scene = *codec->observation;
    scene.n_judgments = scene.n_relation_names = scene.n_visibility = scene.n_directions = scene.n_views = 0;
    pack_observation(codec, bytes, length, &scene);
}

static pov_status check_health(const pov_health *health)
{
    return pov_health_is_valid(health) ? pov_ok()
                                       : pov_error("health: rate or latency is negative or infinite");
}

pov_status pov_codec_encode_health(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                   const pov_health *health)
{
    *bytes = NULL;
    *length = 0;
    POV_TRY(check_health(health));
    Pov__Envelope envelope = POV__ENVELOPE__INIT;
    envelope.content_case = POV__ENVELOPE__CONTENT_HEALTH;
    envelope.health = pov_health_pack(codec->health_packer, health);
    pack_envelope(codec, bytes, length, &envelope);
    return pov_ok();
}

static pov_status check_exchange(const pov_exchange *exchange)
{
    return strlen(exchange->speaker) + strlen(exchange->reply) <= POV_EXCHANGE_BYTES_MAX &&
                   pov_utf8_is_plain(exchange->speaker) && pov_utf8_is_plain(exchange->reply)
               ? pov_ok()
               : pov_error("exchange: a text is too long, not UTF-8, or has control characters");
}

pov_status pov_codec_encode_exchange(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                     const pov_exchange *exchange)
{
    *bytes = NULL;
    *length = 0;
    POV_TRY(check_exchange(exchange));
    Pov__Envelope envelope = POV__ENVELOPE__INIT;
    Pov__Exchange content = POV__EXCHANGE__INIT;
    content.speaker = (char *)exchange->speaker;
    content.reply = (char *)exchange->reply;
    envelope.content_case = POV__ENVELOPE__CONTENT_EXCHANGE;
    envelope.exchange = &content;
    pack_envelope(codec, bytes, length, &envelope);
    return pov_ok();
}

size_t pov_message_encode_lost(uint8_t bytes[POV_LOST_BYTES_MAX], uint64_t lost)
{
    Pov__Envelope envelope = POV__ENVELOPE__INIT;
    envelope.lost = lost;
    POV_REQUIRE(pov__envelope__get_packed_size(&envelope) <= POV_LOST_BYTES_MAX);
    return pov__envelope__pack(&envelope, bytes);
}

static void clear_observation(pov_observation *observation)
{
    observation->image = (pov_image_header){.pose_source = POV_POSE_UNKNOWN};
    observation->scene.len = 0;
    observation->scene.camera = POV_ID_NONE;
    observation->tag_len = 0;
    observation->judgment_len = 0;
    observation->directed_len = 0;
    observation->sight_len = 0;
    observation->direction_len = 0;
    observation->view_len = 0;
}

static pov_status unpack_observation(pov_observation *observation, const Pov__Observation *wire)
{
    POV_REQUIRE(observation != NULL);
    POV_TRY(pov_observation_unpack(observation, wire));
    return pov_observation_check(observation);
}

static pov_status unpack_envelope(pov_message *message, const Pov__Envelope *envelope)
{
    if (envelope->schema_version == 0)
        return pov_error("not a message of pov: it has no schema version");
    if (envelope->schema_version != POV_SCHEMA_VERSION)
        return pov_error("the message has schema version %" PRIu32 ", this program (pov " POV_VERSION
                         ") reads version %d: %s pov %.32s",
                         envelope->schema_version, POV_SCHEMA_VERSION,
                         envelope->schema_version > POV_SCHEMA_VERSION ? "use its publisher's version,"
                                                                       : "update its publisher, which is",
                         envelope->program_version);
    message->lost = envelope->lost;
    switch (envelope->content_case) {
    case POV__ENVELOPE__CONTENT_OBSERVATION:
        message->kind = POV_MESSAGE_OBSERVATION;
        return unpack_observation(message->observation, envelope->observation);
    case POV__ENVELOPE__CONTENT_HEALTH:
        message->kind = POV_MESSAGE_HEALTH;
        POV_TRY(pov_health_unpack(&message->health, envelope->health));
        return check_health(&message->health);
    case POV__ENVELOPE__CONTENT_EXCHANGE:
        message->kind = POV_MESSAGE_EXCHANGE;
        message->exchange = (pov_exchange){envelope->exchange->speaker, envelope->exchange->reply};
        return check_exchange(&message->exchange);
    default:
        return pov_error("the message is neither an observation, nor health, nor an exchange");
    }
}

static pov_status unpack_bytes(pov_codec *codec, pov_message *message, const uint8_t *bytes, size_t length)
{
    if (length > POV_MESSAGE_BYTES_MAX)
        return pov_error("the message has %zu bytes; none of pov has more than %d", length,
                         POV_MESSAGE_BYTES_MAX);
    codec->arena.used = 0;
    ProtobufCAllocator allocator = {arena_allocate, arena_free, &codec->arena};
    Pov__Envelope *envelope = pov__envelope__unpack(&allocator, length, bytes);
    if (envelope == NULL)
        return pov_error("the message (%zu bytes) is not a protobuf Envelope of pov", length);
    return unpack_envelope(message, envelope);
}

pov_status pov_codec_decode(pov_codec *codec, pov_message *message, const uint8_t *bytes, size_t length)
{
    pov_status status = unpack_bytes(codec, message, bytes, length);
    if (status.code != POV_OK && message->observation != NULL)
        clear_observation(message->observation);
    return status;
}
