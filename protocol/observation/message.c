#include "protocol/observation/message.h"

#include "config/files/utf8.h"
#include "perception/version.h"
#include "pov.pb-c.h"
#include "protocol/observation/fields_wire.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    /* The largest observation, with all its lists full, takes about 1.5 MB: test_message.c. */
    /* Unpacking it takes about 8 MB; more than this is a hostile message. Untouched pages cost nothing. */
    ARENA_BYTES = 16 << 20
};

struct pov_codec {
    pov_schema *schema;
    Pov__Observation *observation; /* packed last */
    uint8_t *bytes;
    pov_arena packed, unpacked;
};

static void *allocate_unpacked(void *data, size_t size)
{
    return pov_arena_allocate(data, size);
}

static void free_unpacked(void *data, void *start)
{
    (void)data;
    (void)start;
}

static pov_status make_arena(pov_arena *arena)
{
    *arena = (pov_arena){.bytes = malloc(ARENA_BYTES), .capacity = ARENA_BYTES};
    return arena->bytes != NULL ? pov_ok() : pov_error("out of memory for the message codec");
}

pov_status pov_codec_new(pov_codec **codec)
{
    pov_codec *self = *codec = calloc(1, sizeof *self);
    if (self == NULL)
        return pov_error("out of memory for the message codec");
    self->bytes = malloc(POV_MESSAGE_BYTES_MAX);
    pov_status status = self->bytes != NULL ? pov_ok() : pov_error("out of memory for the message codec");
    POV_THEN(status, make_arena(&self->packed));
    POV_THEN(status, make_arena(&self->unpacked));
    POV_THEN(status, pov_schema_new(&self->schema));
    if (status.code != POV_OK)
        pov_codec_destroy(codec);
    return status;
}

void pov_codec_destroy(pov_codec **codec)
{
    if (*codec == NULL)
        return;
    pov_schema_destroy(&(*codec)->schema);
    free((*codec)->packed.bytes);
    free((*codec)->unpacked.bytes);
    free((*codec)->bytes);
    free(*codec);
    *codec = NULL;
}

pov_status pov_observation_check(const pov_observation *observation)
{
    return pov_field_check(&pov_observation_record, observation, &observation->scene);
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
                             Pov__Observation *observation, int64_t sent_ns)
{
    Pov__Envelope envelope = POV__ENVELOPE__INIT;
    envelope.sent_ns = sent_ns;
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
    codec->packed.used = 0;
    codec->observation = (Pov__Observation *)pov_field_pack(
        codec->schema, &codec->packed, &pov_observation_record, observation, &observation->scene);
    pack_observation(codec, bytes, length, codec->observation, 0);
    return pov_ok();
}

static Pov__Observation without_judgments(const Pov__Observation *observation)
{
    Pov__Observation scene = *observation;
    scene.n_judgments = scene.n_relation_names = scene.n_visibility = scene.n_directions = scene.n_views = 0;
    return scene;
}

void pov_codec_encode_scene(pov_codec *codec, const uint8_t **bytes, size_t *length)
{
    POV_REQUIRE(codec->observation);
    Pov__Observation scene = without_judgments(codec->observation);
    pack_observation(codec, bytes, length, &scene, 0);
}

pov_status pov_codec_encode_view(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                 const pov_observation *observation, int64_t sent_ns)
{
    *bytes = NULL;
    *length = 0;
    POV_TRY(pov_observation_check(observation));
    codec->observation = NULL; /* its room is used again */
    codec->packed.used = 0;
    Pov__Observation view = without_judgments((Pov__Observation *)pov_field_pack(
        codec->schema, &codec->packed, &pov_observation_record, observation, &observation->scene));
    pack_observation(codec, bytes, length, &view, sent_ns);
    return pov_ok();
}

pov_status pov_codec_encode_health(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                   const pov_health *health)
{
    *bytes = NULL;
    *length = 0;
    POV_TRY(pov_field_check(&pov_health_record, health, NULL));
    codec->observation = NULL; /* its room is used again */
    codec->packed.used = 0;
    Pov__Envelope envelope = POV__ENVELOPE__INIT;
    envelope.content_case = POV__ENVELOPE__CONTENT_HEALTH;
    envelope.health =
        (Pov__Health *)pov_field_pack(codec->schema, &codec->packed, &pov_health_record, health, NULL);
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

pov_status pov_codec_encode_comparison(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                       const pov_comparison *comparison)
{
    *bytes = NULL;
    *length = 0;
    POV_TRY(pov_field_check(&pov_comparison_record, comparison, NULL));
    codec->observation = NULL; /* its room is used again */
    codec->packed.used = 0;
    Pov__Envelope envelope = POV__ENVELOPE__INIT;
    envelope.content_case = POV__ENVELOPE__CONTENT_COMPARISON;
    envelope.comparison = (Pov__Comparison *)pov_field_pack(codec->schema, &codec->packed,
                                                            &pov_comparison_record, comparison, NULL);
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

static pov_status unpack_observation(const pov_codec *codec, pov_observation *observation,
                                     const Pov__Observation *wire)
{
    POV_REQUIRE(observation != NULL);
    POV_TRY(pov_field_unpack(codec->schema, &pov_observation_record, observation, &wire->base,
                             &observation->scene));
    return pov_observation_check(observation);
}

static pov_status unpack_health(const pov_codec *codec, pov_health *health, const Pov__Health *wire)
{
    POV_TRY(pov_field_unpack(codec->schema, &pov_health_record, health, &wire->base, NULL));
    return pov_field_check(&pov_health_record, health, NULL);
}

static pov_status unpack_envelope(const pov_codec *codec, pov_message *message, const Pov__Envelope *envelope)
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
    message->sent_ns = envelope->sent_ns;
    switch (envelope->content_case) {
    case POV__ENVELOPE__CONTENT_OBSERVATION:
        message->kind = POV_MESSAGE_OBSERVATION;
        return unpack_observation(codec, message->observation, envelope->observation);
    case POV__ENVELOPE__CONTENT_HEALTH:
        message->kind = POV_MESSAGE_HEALTH;
        return unpack_health(codec, &message->health, envelope->health);
    case POV__ENVELOPE__CONTENT_EXCHANGE:
        message->kind = POV_MESSAGE_EXCHANGE;
        message->exchange = (pov_exchange){envelope->exchange->speaker, envelope->exchange->reply};
        return check_exchange(&message->exchange);
    case POV__ENVELOPE__CONTENT_COMPARISON:
        message->kind = POV_MESSAGE_COMPARISON;
        POV_TRY(pov_field_unpack(codec->schema, &pov_comparison_record, &message->comparison,
                                 &envelope->comparison->base, NULL));
        return pov_field_check(&pov_comparison_record, &message->comparison, NULL);
    default:
        return pov_error("the message is neither an observation, nor health, an exchange or a comparison");
    }
}

static pov_status unpack_bytes(pov_codec *codec, pov_message *message, const uint8_t *bytes, size_t length)
{
    if (length > POV_MESSAGE_BYTES_MAX)
        return pov_error("the message has %zu bytes; none of pov has more than %d", length,
                         POV_MESSAGE_BYTES_MAX);
    codec->unpacked.used = 0;
    ProtobufCAllocator allocator = {allocate_unpacked, free_unpacked, &codec->unpacked};
    Pov__Envelope *envelope = pov__envelope__unpack(&allocator, length, bytes);
    if (envelope == NULL)
        return pov_error("the message (%zu bytes) is not a protobuf Envelope of pov", length);
    return unpack_envelope(codec, message, envelope);
}

pov_status pov_codec_decode(pov_codec *codec, pov_message *message, const uint8_t *bytes, size_t length)
{
    pov_status status = unpack_bytes(codec, message, bytes, length);
    if (status.code != POV_OK && message->observation != NULL)
        clear_observation(message->observation);
    return status;
}
