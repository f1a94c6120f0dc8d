/* Messages of recordings and stations, and what they hold. */
#include "protocol/library/link.h"

#include "protocol/links/subscriber.h"
#include "protocol/observation/json.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(POVLINK_SCENE == (int)POV_RECORDED_SCENE && POVLINK_HEALTH == (int)POV_RECORDED_HEALTH &&
                   POVLINK_ASK == (int)POV_RECORDED_ASK && POVLINK_IMAGE == (int)POV_RECORDED_IMAGE &&
                   POVLINK_LOG == (int)POV_RECORDED_LOG && POVLINK_MARKER == (int)POV_RECORDED_MARKER &&
                   POVLINK_VLM == (int)POV_RECORDED_VLM && POVLINK_OTHER >= (int)POV_RECORDED_COUNT,
               "as povlink.h says");
_Static_assert(POV_MESSAGE_OBSERVATION == 0 && POV_MESSAGE_HEALTH == 1 && POV_MESSAGE_EXCHANGE == 2 &&
                   POV_MESSAGE_COMPARISON == 3,
               "as povlink.h says");

/* -------- sources -------- */

struct povlink_source {
    pov_recording *recording; /* either */
    pov_subscriber *subscriber;
    pov_recorded_event recorded; /* the last; its image's name is lent */
};

static pov_status give(povlink_source **source, pov_status status)
{
    if (status.code != POV_OK)
        povlink_source_destroy(source);
    return status;
}

pov_status povlink_recording_open(povlink_source **source, const char *path)
{
    POV_REQUIRE(source && path);
    *source = calloc(1, sizeof **source);
    return give(source,
                *source ? pov_recording_open(&(*source)->recording, path) : pov_error("out of memory"));
}

pov_status povlink_station_open(povlink_source **source, const povlink_address *address, const char *topic)
{
    POV_REQUIRE(source && address && address->endpoint && topic);
    const pov_subscriber_config config = {
        .endpoint = address->endpoint, .topic = topic, .keys = address->keys, .server = address->server};
    *source = calloc(1, sizeof **source);
    return give(source,
                *source ? pov_subscriber_new(&(*source)->subscriber, &config) : pov_error("out of memory"));
}

void povlink_source_destroy(povlink_source **source)
{
    POV_REQUIRE(source);
    if (!*source)
        return;
    pov_recording_close(&(*source)->recording);
    pov_subscriber_destroy(&(*source)->subscriber);
    free(*source);
    *source = NULL;
}

static pov_status require_recording(const povlink_source *source)
{
    return source->recording
               ? pov_ok()
               : pov_error("the source is a station; only recordings have contents and a beginning");
}

pov_status povlink_recording_contents(povlink_source *source, povlink_contents *contents)
{
    POV_REQUIRE(source && contents);
    *contents = (povlink_contents){.trouble = ""};
    POV_TRY(require_recording(source));
    const pov_mcap_contents *c = pov_mcap_reader_contents(pov_recording_reader(source->recording));
    *contents = (povlink_contents){.messages = c->messages,
                                   .first_ns = c->first_ns,
                                   .last_ns = c->last_ns,
                                   .is_indexed = c->is_indexed,
                                   .trouble = c->trouble};
    for (int i = 0; i < c->channel_len; i++) {
        const pov_recorded topic = pov_recorded_find(c->channels[i].topic);
        contents->observations += topic == POV_RECORDED_OBSERVATION ? c->channel_messages[i] : 0;
        contents->images += topic == POV_RECORDED_IMAGE ? c->channel_messages[i] : 0;
    }
    return pov_ok();
}

pov_status povlink_recording_seek(povlink_source *source, int64_t log_ns)
{
    POV_REQUIRE(source);
    POV_TRY(require_recording(source));
    pov_recording_seek(source->recording, log_ns);
    return pov_ok();
}

static int topic_of(const pov_recorded_event *recorded)
{
    return recorded->topic == POV_RECORDED_COUNT ? POVLINK_OTHER : (int)recorded->topic;
}

static pov_status next_recorded(povlink_source *source, povlink_event *event, unsigned topics)
{
    pov_recorded_event *recorded = &source->recorded;
    do
        POV_TRY(pov_recording_next(source->recording, recorded));
    while (!(topics >> topic_of(recorded) & 1));
    const bool is_image = recorded->topic == POV_RECORDED_IMAGE,
               is_line = recorded->topic == POV_RECORDED_LOG || recorded->topic == POV_RECORDED_MARKER;
    *event = (povlink_event){.topic = topic_of(recorded),
                             .log_ns = recorded->message.log_ns,
                             .bytes = is_image ? recorded->image.bytes : recorded->message.bytes,
                             .len = is_image ? recorded->image.len : recorded->message.len,
                             .name = is_image ? recorded->image.name : "",
                             .capture_ns = is_image ? recorded->image.capture_ns : 0,
                             .text = is_line ? recorded->text : NULL,
                             .severity = is_line ? recorded->severity : NULL};
    return pov_ok();
}

pov_status povlink_source_next(povlink_source *source, povlink_event *event, unsigned topics, int timeout_ms)
{
    POV_REQUIRE(source && event);
    *event = (povlink_event){.topic = POVLINK_OTHER, .name = ""};
    if (source->recording)
        return next_recorded(source, event, topics);
    if (timeout_ms < 0)
        return pov_error("timeout_ms: %d is less than 0", timeout_ms);
    pov_status status = pov_subscriber_next(source->subscriber, &event->bytes, &event->len, timeout_ms);
    if (status.code == POV_SKIPPED) /* only of a recording there is more to expect */
        status.code = POV_ERROR;
    return status;
}

/* -------- messages unpacked -------- */

struct povlink_decoder {
    pov_codec *codec;
    bool holds;
    pov_message message;
    char *line;
    pov_observation observation;
};

pov_status povlink_decoder_new(povlink_decoder **decoder)
{
    POV_REQUIRE(decoder);
    *decoder = calloc(1, sizeof **decoder);
    pov_status status = *decoder ? pov_codec_new(&(*decoder)->codec) : pov_error("out of memory");
    if (status.code != POV_OK)
        povlink_decoder_destroy(decoder);
    return status;
}

void povlink_decoder_destroy(povlink_decoder **decoder)
{
    POV_REQUIRE(decoder);
    if (!*decoder)
        return;
    pov_codec_destroy(&(*decoder)->codec);
    free((*decoder)->line);
    free(*decoder);
    *decoder = NULL;
}

pov_status povlink_decode(povlink_decoder *self, povlink_decoded *decoded, const uint8_t *bytes, size_t len)
{
    POV_REQUIRE(self && decoded && (bytes || len == 0));
    const pov_observation *o = &self->observation;
    self->message.observation = &self->observation;
    const pov_status status = pov_codec_decode(self->codec, &self->message, bytes, len);
    self->holds = status.code == POV_OK;
    const bool is_observation = self->holds && self->message.kind == POV_MESSAGE_OBSERVATION;
    *decoded = (povlink_decoded){.kind = (int)self->message.kind,
                                 .lost = self->message.lost,
                                 .image = is_observation ? o->image.name : "",
                                 .sequence = is_observation ? o->image.sequence : 0,
                                 .capture_ns = is_observation ? o->image.capture_ns : 0,
                                 .width_px = is_observation ? o->image.width_px : 0,
                                 .height_px = is_observation ? o->image.height_px : 0,
                                 .judgments = is_observation ? o->judgment_len : 0,
                                 .visibilities = is_observation ? o->sight_len : 0};
    return status;
}

static pov_status write_json(FILE *stream, const povlink_decoder *self)
{
    const pov_message *m = &self->message;
    switch (m->kind) {
    case POV_MESSAGE_OBSERVATION:
        return pov_json_write_observation(stream, &self->observation);
    case POV_MESSAGE_HEALTH:
        return pov_json_write_health(stream, &m->health);
    case POV_MESSAGE_EXCHANGE:
        return pov_json_write_exchange(stream, &m->exchange);
    case POV_MESSAGE_COMPARISON:
        return pov_json_write_comparison(stream, &m->comparison);
    }
    return pov_error("a message of kind %d has no JSON", (int)m->kind);
}

pov_status povlink_decoded_json(povlink_decoder *self, const char **line)
{
    POV_REQUIRE(self && line);
    size_t len = 0;
    *line = "";
    free(self->line);
    self->line = NULL;
    if (!self->holds)
        return pov_error("the decoder holds no message: povlink_decode gives it one");
    FILE *stream = open_memstream(&self->line, &len);
    if (!stream)
        return pov_error("out of memory");
    pov_status status = write_json(stream, self);
    if (fclose(stream) != 0 && status.code == POV_OK)
        status = pov_error("out of memory");
    if (status.code == POV_OK)
        *line = self->line;
    return status;
}

static pov_status require_observation(const povlink_decoder *self)
{
    return self->holds && self->message.kind == POV_MESSAGE_OBSERVATION
               ? pov_ok()
               : pov_error("the decoder holds no observation: povlink_decode gives it one");
}

static pov_status fill_scene(pov_public_scene *scene, const pov_observation *o)
{
    const pov_image_header *image = &o->image;
    scene->seen = malloc(((size_t)o->sight_len + 1) * sizeof *scene->seen);
    if (!scene->seen)
        return pov_error("out of memory");
    scene->inside = o->scene;
    scene->image = (pov_library_image){.sequence = image->sequence,
                                       .capture_ns = image->capture_ns,
                                       .calibration_hash = image->calibration_hash};
    strcpy(scene->image.name, image->name);
    scene->seen_len = o->sight_len;
    memcpy(scene->seen, o->sights, (size_t)o->sight_len * sizeof *scene->seen);
    pov_scene_mark_viewers(&scene->inside, scene->seen, scene->seen_len);
    return pov_ok();
}

pov_status povlink_decoded_scene(povlink_decoder *self, pov_public_scene **scene)
{
    POV_REQUIRE(self && scene);
    *scene = NULL;
    POV_TRY(require_observation(self));
    POV_TRY(pov_scene_new(scene));
    const pov_status status = fill_scene(pov_library_inside(*scene), &self->observation);
    if (status.code != POV_OK)
        pov_scene_destroy(scene);
    return status;
}

pov_status povlink_decoded_judgments(const povlink_decoder *self, pov_judgments *judgments)
{
    POV_REQUIRE(self && judgments && (judgments->list || judgments->capacity <= 0));
    judgments->len = 0;
    POV_TRY(require_observation(self));
    for (; judgments->len < self->observation.judgment_len; judgments->len++)
        if (judgments->len < judgments->capacity)
            pov_library_judgment(&judgments->list[judgments->len],
                                 &self->observation.judgments[judgments->len]);
    return pov_ok();
}

pov_status povlink_decoded_visibilities(const povlink_decoder *self, pov_visibilities *visibilities)
{
    POV_REQUIRE(self && visibilities && (visibilities->list || visibilities->capacity <= 0));
    visibilities->len = 0;
    POV_TRY(require_observation(self));
    for (; visibilities->len < self->observation.sight_len; visibilities->len++)
        if (visibilities->len < visibilities->capacity)
            pov_library_visibility(&visibilities->list[visibilities->len],
                                   &self->observation.sights[visibilities->len]);
    return pov_ok();
}
