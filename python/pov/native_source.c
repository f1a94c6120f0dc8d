/* Recordings, stations and dialogues as numbers and text. */
#include "python/pov/native_internal.h"

#include "ask/talk/talk.h"
#include "config/files/json_value.h"
#include "protocol/links/requester.h"
#include "protocol/links/subscriber.h"
#include "protocol/observation/json.h"
#include "protocol/recording/recording.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(POV_RECORDED_ASK == 3 && POV_RECORDED_IMAGE == 5 && POV_RECORDED_LOG == 10 &&
                   POV_RECORDED_MARKER == 11 && POV_RECORDED_VLM == 12 && POV_RECORDED_COUNT == 13,
               "as native.h says");
_Static_assert(POV_MESSAGE_OBSERVATION == 0 && POV_MESSAGE_HEALTH == 1 && POV_MESSAGE_EXCHANGE == 2,
               "as native.h says");

/* -------- text that a stream is printed to -------- */

typedef struct {
    char *text;
    size_t len;
} printed;

static FILE *open_text(printed *to)
{
    free(to->text);
    *to = (printed){0};
    return open_memstream(&to->text, &to->len);
}

/* -------- dialogues -------- */

struct pov_native_talk {
    pov_talk *talk;
    printed reply;
};

int pov_native_talk_new(pov_native_talk **talk, char *message)
{
    *talk = calloc(1, sizeof **talk);
    pov_status status = *talk ? pov_talk_new(&(*talk)->talk) : pov_error("out of memory");
    if (status.code != POV_OK) {
        free(*talk);
        *talk = NULL;
    }
    return pov_native_tell(message, status);
}

void pov_native_talk_destroy(pov_native_talk *self)
{
    if (!self)
        return;
    pov_talk_destroy(&self->talk);
    free(self->reply.text);
    free(self);
}

static pov_status hear(pov_native_talk *self, const pov_talk_about *about, const char *utterance)
{
    pov_talk_reply reply;
    if (about->speaker && pov_scene_find(about->scene, about->speaker) == POV_ID_NONE)
        return pov_error("nobody called \"%.40s\" is in the scene", about->speaker);
    FILE *stream = open_text(&self->reply);
    if (!stream)
        return pov_error("out of memory");
    const pov_status status = pov_talk_hear(self->talk, &reply, about, utterance);
    if (status.code == POV_OK) {
        pov_json_print(stream, reply.json);
        reply.json = NULL;
        pov_talk_reply_clear(&reply);
    }
    return fclose(stream) == 0 || status.code != POV_OK ? status : pov_error("out of memory");
}

int pov_native_talk_ask(pov_native_talk *self, const char **reply, pov_native_scene *scene,
                        const char *speaker, const char *utterance, char *message)
{
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    const pov_native_image *image = &scene->image;
    const pov_talk_about about = {.scene = &scene->scene,
                                  .judging = &judging,
                                  .sights = scene->seen,
                                  .sight_len = scene->seen_len,
                                  .speaker = *speaker ? speaker : NULL,
                                  .image = *image->name ? image->name : NULL,
                                  .sequence = image->sequence,
                                  .capture_ns = image->capture_ns,
                                  .calibration_hash = image->calibration_hash};
    const pov_status status = hear(self, &about, utterance);
    *reply = self->reply.text;
    return pov_native_tell(message, status);
}

struct pov_native_asker {
    pov_requester *requester;
};

int pov_native_asker_new(pov_native_asker **asker, const char *endpoint, const char *keys, const char *server,
                         char *message)
{
    const pov_subscriber_config config = {.endpoint = endpoint, .keys = keys, .server = server};
    *asker = calloc(1, sizeof **asker);
    pov_status status =
        *asker ? pov_requester_new(&(*asker)->requester, &config) : pov_error("out of memory");
    if (status.code != POV_OK) {
        free(*asker);
        *asker = NULL;
    }
    return pov_native_tell(message, status);
}

void pov_native_asker_destroy(pov_native_asker *self)
{
    if (self)
        pov_requester_destroy(&self->requester);
    free(self);
}

int pov_native_asker_ask(pov_native_asker *self, const char **reply, const char *request, int timeout_ms,
                         char *message)
{
    return pov_native_tell(message, pov_requester_ask(self->requester, reply, request, timeout_ms));
}

/* -------- messages of recordings and stations -------- */

struct pov_native_source {
    pov_recording *recording; /* either */
    pov_subscriber *subscriber;
};

static int made(pov_native_source **source, pov_status status, char *message)
{
    if (status.code != POV_OK) {
        free(*source);
        *source = NULL;
    }
    return pov_native_tell(message, status);
}

int pov_native_recording_open(pov_native_source **source, const char *path, char *message)
{
    *source = calloc(1, sizeof **source);
    return made(source,
                *source ? pov_recording_open(&(*source)->recording, path) : pov_error("out of memory"),
                message);
}

int pov_native_station_open(pov_native_source **source, const char *endpoint, const char *topic,
                            const char *keys, const char *server, char *message)
{
    const pov_subscriber_config config = {
        .endpoint = endpoint, .topic = topic, .keys = keys, .server = server};
    *source = calloc(1, sizeof **source);
    return made(source,
                *source ? pov_subscriber_new(&(*source)->subscriber, &config) : pov_error("out of memory"),
                message);
}

void pov_native_source_close(pov_native_source *self)
{
    if (!self)
        return;
    pov_recording_close(&self->recording);
    pov_subscriber_destroy(&self->subscriber);
    free(self);
}

void pov_native_recording_contents(pov_native_source *self, pov_native_contents *contents)
{
    const pov_mcap_contents *c = pov_mcap_reader_contents(pov_recording_reader(self->recording));
    *contents = (pov_native_contents){.messages = c->messages,
                                      .first_ns = c->first_ns,
                                      .last_ns = c->last_ns,
                                      .indexed = c->is_indexed,
                                      .trouble = c->trouble};
    for (int i = 0; i < c->channel_len; i++) {
        const pov_recorded topic = pov_recorded_find(c->channels[i].topic);
        contents->observations += topic == POV_RECORDED_OBSERVATION ? c->channel_messages[i] : 0;
        contents->images += topic == POV_RECORDED_IMAGE ? c->channel_messages[i] : 0;
    }
}

void pov_native_recording_seek(pov_native_source *self, int64_t log_ns)
{
    pov_mcap_reader_seek(pov_recording_reader(self->recording), log_ns);
}

static pov_status next_recorded(pov_native_source *self, pov_native_event *event, unsigned topics)
{
    pov_recorded_event recorded;
    do
        POV_TRY(pov_recording_next(self->recording, &recorded));
    while (!(topics >> recorded.topic & 1));
    const bool is_image = recorded.topic == POV_RECORDED_IMAGE,
               is_line = recorded.topic == POV_RECORDED_LOG || recorded.topic == POV_RECORDED_MARKER;
    *event = (pov_native_event){.topic = (int)recorded.topic,
                                .log_ns = recorded.message.log_ns,
                                .bytes = is_image ? recorded.image.bytes : recorded.message.bytes,
                                .len = is_image ? recorded.image.len : recorded.message.len,
                                .name = is_image ? recorded.image.name : "",
                                .capture_ns = is_image ? recorded.image.capture_ns : 0,
                                .text = is_line ? recorded.text : NULL,
                                .severity = is_line ? recorded.severity : NULL};
    return pov_ok();
}

int pov_native_source_next(pov_native_source *self, pov_native_event *event, unsigned topics, int timeout_ms,
                           char *message)
{
    *event = (pov_native_event){.topic = POV_RECORDED_COUNT};
    pov_status status = self->recording
                            ? next_recorded(self, event, topics)
                            : pov_subscriber_next(self->subscriber, &event->bytes, &event->len, timeout_ms);
    if (!self->recording && status.code == POV_SKIPPED) /* only of a recording there is more to expect */
        status.code = POV_ERROR;
    return pov_native_tell(message, status);
}

/* -------- messages unpacked -------- */

struct pov_native_decoder {
    pov_codec *codec;
    pov_message message;
    printed line;
    pov_observation observation;
};

int pov_native_decoder_new(pov_native_decoder **decoder, char *message)
{
    *decoder = calloc(1, sizeof **decoder);
    pov_status status = *decoder ? pov_codec_new(&(*decoder)->codec) : pov_error("out of memory");
    if (status.code != POV_OK) {
        free(*decoder);
        *decoder = NULL;
    }
    return pov_native_tell(message, status);
}

void pov_native_decoder_destroy(pov_native_decoder *self)
{
    if (!self)
        return;
    pov_codec_destroy(&self->codec);
    free(self->line.text);
    free(self);
}

int pov_native_decode(pov_native_decoder *self, pov_native_decoded *decoded, const uint8_t *bytes, size_t len,
                      char *message)
{
    const pov_observation *o = &self->observation;
    self->message.observation = &self->observation;
    const pov_status status = pov_codec_decode(self->codec, &self->message, bytes, len);
    const bool is_observation = status.code == POV_OK && self->message.kind == POV_MESSAGE_OBSERVATION;
    *decoded = (pov_native_decoded){.kind = (int)self->message.kind,
                                    .lost = self->message.lost,
                                    .image = is_observation ? o->image.name : "",
                                    .sequence = is_observation ? o->image.sequence : 0,
                                    .capture_ns = is_observation ? o->image.capture_ns : 0,
                                    .width_px = is_observation ? o->image.width_px : 0,
                                    .height_px = is_observation ? o->image.height_px : 0,
                                    .judgments = is_observation ? o->judgment_len : 0,
                                    .sights = is_observation ? o->sight_len : 0};
    return pov_native_tell(message, status);
}

int pov_native_decoded_json(pov_native_decoder *self, const char **line, char *message)
{
    FILE *stream = open_text(&self->line);
    pov_status status = pov_error("out of memory");
    if (stream) {
        const pov_message *m = &self->message;
        status = m->kind == POV_MESSAGE_OBSERVATION ? pov_json_write_observation(stream, &self->observation)
                 : m->kind == POV_MESSAGE_HEALTH    ? pov_json_write_health(stream, &m->health)
                                                    : pov_json_write_exchange(stream, &m->exchange);
        if (fclose(stream) != 0 && status.code == POV_OK)
            status = pov_error("out of memory");
    }
    *line = self->line.text;
    return pov_native_tell(message, status);
}

int pov_native_decoded_scene(pov_native_decoder *self, pov_native_scene **scene, char *message)
{
    const pov_observation *o = &self->observation;
    const pov_image_header *image = &o->image;
    pov_native_scene *copy = calloc(1, sizeof *copy);
    pov_visibility *seen = malloc(((size_t)o->sight_len + 1) * sizeof *seen);
    *scene = copy;
    if (!copy || !seen) {
        free(copy);
        free(seen);
        *scene = NULL;
        return pov_native_tell(message, pov_error("out of memory"));
    }
    copy->scene = o->scene;
    copy->image = (pov_native_image){.sequence = image->sequence,
                                     .capture_ns = image->capture_ns,
                                     .calibration_hash = image->calibration_hash};
    strcpy(copy->image.name, image->name);
    copy->seen = seen;
    copy->seen_len = o->sight_len;
    memcpy(seen, o->sights, (size_t)o->sight_len * sizeof *seen);
    pov_scene_mark_viewers(&copy->scene, copy->seen, copy->seen_len);
    return pov_native_tell(message, pov_ok());
}

void pov_native_decoded_judgments(const pov_native_decoder *self, pov_native_judgment *judgments)
{
    for (int i = 0; i < self->observation.judgment_len; i++)
        pov_native_judgment_of(&judgments[i], &self->observation.judgments[i]);
}

void pov_native_decoded_sights(const pov_native_decoder *self, pov_native_sight *sights)
{
    for (int i = 0; i < self->observation.sight_len; i++)
        pov_native_sight_of(&sights[i], &self->observation.sights[i]);
}
