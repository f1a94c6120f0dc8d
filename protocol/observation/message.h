/** Observations and health as bytes on the wire (protocol/pov.proto), and back. */
#pragma once

#include "perception/observation/observation.h"
#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum { POV_SCHEMA_VERSION = 2 };

/** Topics: the first frame of every message. A subscription to a prefix gets all that begin with it. */
#define POV_TOPIC_OBSERVATION "observation" /* image header, scene and judgments of one image */
#define POV_TOPIC_SCENE       "scene"       /* image header and scene only */
#define POV_TOPIC_CAMERA                                                                                     \
    "camera/" /* and ID/: what that camera alone knows, without judgments; for other stations */
#define POV_TOPIC_HEALTH "health"
#define POV_TOPIC_ASK    "ask" /* what was said to the station, and its reply */
#define POV_TOPIC_VLM    "vlm" /* questions to a vision-language model, and its answers */

/** Encodes and decodes with buffers of its own, allocated once. One owning thread. */
typedef struct pov_codec pov_codec;

POV_MUST_USE pov_status pov_codec_new(pov_codec **codec);
void pov_codec_destroy(pov_codec **codec);

/** POV_ERROR names the field that is not well-formed, and what is wrong with it: the encoder sends, and the decoder delivers, no such
 *  observation. Lists and enums must be in their bounds already. */
POV_MUST_USE pov_status pov_observation_check(const pov_observation *observation);

/** Out: bytes, borrowed until the next call on this codec. Names that are not valid UTF-8 get '?' for each
 * bad byte. POV_ERROR names what is not well-formed: a number that is not finite, a covariance that is none,
 * an index out of range. */
POV_MUST_USE pov_status pov_codec_encode_observation(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                                     const pov_observation *observation);
/** The same without judgments, visibility, directions and views: of the observation that this codec has encoded last, which
 *  must not have changed since. */
void pov_codec_encode_scene(pov_codec *codec, const uint8_t **bytes, size_t *length);
/** What one camera alone knows (topic "camera"), and when it was handed over. */
POV_MUST_USE pov_status pov_codec_encode_view(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                              const pov_observation *observation, int64_t sent_ns);
POV_MUST_USE pov_status pov_codec_encode_health(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                                const pov_health *health);

/** Texts are borrowed. */
typedef struct {
    const char *speaker; /* id; "": nobody was named */
    const char *reply;   /* a line of JSON */
} pov_exchange;
/** POV_ERROR: a text is not UTF-8, has control characters, or is too long. */
POV_MUST_USE pov_status pov_codec_encode_exchange(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                                  const pov_exchange *exchange);

/** The geometry's answer to a question in one frame of reference. */
typedef struct {
    const char *frame, *answer;
    double p; /* of this answer; NaN: none */
    bool sure, asked;
} pov_compared_gold;

typedef enum {
    POV_COMPARISON_ASKED,
    POV_COMPARISON_ANSWERED,
    POV_COMPARISON_REFUSED,
    POV_COMPARISON_UNSCORED,
    POV_COMPARISON_FAILED,
    POV_COMPARISON_STATUS_COUNT
} pov_comparison_status;
/** "asked", "answered", "refused", "unscored", "failed". */
const char *pov_comparison_status_name(pov_comparison_status value);

typedef enum { POV_AGREEMENT_UNKNOWN, POV_AGREES, POV_DISAGREES, POV_AGREEMENT_COUNT } pov_agreement;
/** NULL; "yes", "no". */
const char *pov_agreement_name(pov_agreement value);

enum { POV_COMPARED_GOLD_MAX = 64 };

/** A question to a model about an image, held against that image's geometry: see Comparison in pov.proto. Texts are borrowed, and never
 *  NULL. */
typedef struct {
    const char *run, *key, *image_name, *image_sha256, *sent_sha256, *sent_format, *sent_detail;
    int sent_width_px, sent_height_px, sent_quality;
    const char *prompt, *system, *language, *paper, *columns, *form;
    const char *guided, *prompting, *system_name, *guidance, *truth, *order, *flip, *circular, *second_sha256;
    double curve_rad; /* NaN: none */
    const char *model, *server_model, *cause, *answer, *reading;
    int64_t question, capture_ns, asked_ns, latency_ns;
    bool is_answered; /* answered_ns is known */
    int64_t answered_ns;
    bool has_first_token; /* first_token_ns is known */
    int64_t first_token_ns;
    uint32_t image_sequence;
    double p, mass; /* NaN: none */
    const char *occasion;
    double angle_rad, moved_on_s, turned_on_rad; /* NaN: unknown, or no live run */
    pov_comparison_status status;
    pov_agreement agreement;
    bool simulated;
    int gold_len;
    pov_compared_gold golds[POV_COMPARED_GOLD_MAX];
} pov_comparison;
/** POV_ERROR: a text is not UTF-8 or too long, a number out of range. */
POV_MUST_USE pov_status pov_codec_encode_comparison(pov_codec *codec, const uint8_t **bytes, size_t *length,
                                                    const pov_comparison *comparison);

enum {
    POV_EXCHANGE_BYTES_MAX = 1 << 20,
    POV_MESSAGE_BYTES_MAX = 2 << 20, /* of any encoded message */
    POV_LOST_BYTES_MAX = 16
};
/** Bytes that, appended to an encoded message, say how many messages were lost before it. Returns their
 * number. */
size_t pov_message_encode_lost(uint8_t bytes[POV_LOST_BYTES_MAX], uint64_t lost);

/** The content of an envelope. `lost` messages were dropped for this subscriber just before this one. */
typedef struct {
    enum { POV_MESSAGE_OBSERVATION, POV_MESSAGE_HEALTH, POV_MESSAGE_EXCHANGE, POV_MESSAGE_COMPARISON } kind;
    uint64_t lost;
    int64_t sent_ns;              /* by the publisher's clock; 0: not told */
    pov_observation *observation; /* filled where kind says so; provided by the caller */
    pov_health health;
    pov_exchange exchange; /* its texts, and the comparison's, live until the codec decodes again */
    pov_comparison comparison;
} pov_message;

/** Decodes untrusted bytes: every index, length, enum and number is checked, and memory is bounded whatever
 * they say. POV_ERROR says what is wrong; the observation then has no entities and no judgments. */
POV_MUST_USE pov_status pov_codec_decode(pov_codec *codec, pov_message *message, const uint8_t *bytes,
                                         size_t length);
