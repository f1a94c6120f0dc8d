#include "firmware/outputs/outputs.h"

#include "firmware/clock.h"
#include "firmware/outputs/sink.h"

#include <stdio.h>
#include <stdlib.h>

/* In this order each message, image and observation reaches them: the wire first, as a recording may take its time. */
enum { PUBLISHER, ASK, RECORDER, FOXGLOVE, ROS2, DASHBOARD, ANNOTATED, LINES, SINKS };
static pov_status (*const open_sink[SINKS])(pov_sink *sink, const pov_outputs_config *config) = {
    [PUBLISHER] = pov_sink_open_publisher, [ASK] = pov_sink_open_ask,
    [RECORDER] = pov_sink_open_recorder,   [FOXGLOVE] = pov_sink_open_foxglove,
    [ROS2] = pov_sink_open_ros2,           [DASHBOARD] = pov_sink_open_dashboard,
    [ANNOTATED] = pov_sink_open_annotated, [LINES] = pov_sink_open_lines,
};

struct pov_outputs {
    pov_codec *codec;
    int64_t capture_ns; /* of the newest observation */
    pov_sink sinks[SINKS];
};

/* Calls a function of every sink that has it. */
#define CALL_SINKS(outputs, function, ...)                                                                   \
    do {                                                                                                     \
        for (int sink = 0; sink < SINKS; sink++)                                                             \
            if ((outputs)->sinks[sink].self && (outputs)->sinks[sink].functions->function)                   \
                (outputs)->sinks[sink].functions->function((outputs)->sinks[sink].self, __VA_ARGS__);        \
    } while (0)

pov_status pov_outputs_new(pov_outputs **outputs, const pov_outputs_config *config)
{
    pov_outputs *self = *outputs = pov_allocate(1, sizeof *self);
    pov_status status = pov_codec_new(&self->codec);
    for (int i = 0; i < SINKS; i++)
        POV_THEN(status, open_sink[i](&self->sinks[i], config));
    if (status.code != POV_OK)
        pov_outputs_destroy(outputs);
    return status;
}

void pov_outputs_destroy(pov_outputs **outputs)
{
    pov_outputs *self = *outputs;
    if (self == NULL)
        return;
    for (int i = SINKS - 1; i >= 0; i--)
        if (self->sinks[i].self && self->sinks[i].functions->destroy)
            self->sinks[i].functions->destroy(self->sinks[i].self);
    pov_codec_destroy(&self->codec);
    free(self);
    *outputs = NULL;
}

void pov_outputs_camera(pov_outputs *outputs, const pov_camera *camera, int index)
{
    CALL_SINKS(outputs, camera, camera, index);
}

void pov_outputs_begin(pov_outputs *outputs, const pov_image *image)
{
    if (image->pixels)
        CALL_SINKS(outputs, begin, image);
}

static bool is_wanted(const pov_outputs *outputs, pov_recorded topic)
{
    for (int i = 0; i < SINKS; i++) {
        const pov_sink *sink = &outputs->sinks[i];
        if (sink->self && sink->functions->wants && sink->functions->wants(sink->self, topic))
            return true;
    }
    return false;
}

static void send_message(pov_outputs *outputs, pov_recorded topic, const uint8_t *bytes, size_t len)
{
    CALL_SINKS(outputs, message, topic, bytes, len, outputs->capture_ns);
}

pov_status pov_outputs_send(pov_outputs *outputs, const pov_observation *observation)
{
    outputs->capture_ns = observation->image.capture_ns;
    if (!is_wanted(outputs, POV_RECORDED_OBSERVATION) && !is_wanted(outputs, POV_RECORDED_SCENE))
        return pov_ok();
    const uint8_t *bytes;
    size_t len;
    POV_TRY(pov_codec_encode_observation(outputs->codec, &bytes, &len, observation));
    send_message(outputs, POV_RECORDED_OBSERVATION, bytes, len);
    pov_codec_encode_scene(outputs->codec, &bytes, &len);
    send_message(outputs, POV_RECORDED_SCENE, bytes, len);
    return pov_ok();
}

bool pov_outputs_wants_views(const pov_outputs *outputs)
{
    for (int i = 0; i < SINKS; i++) {
        const pov_sink *sink = &outputs->sinks[i];
        if (sink->self && sink->functions->wants_views && sink->functions->wants_views(sink->self))
            return true;
    }
    return false;
}

pov_status pov_outputs_view(pov_outputs *outputs, const pov_observation *view)
{
    const uint8_t *bytes;
    size_t len;
    char topic[sizeof POV_TOPIC_CAMERA + POV_NAME_CAPACITY + 1];
    snprintf(topic, sizeof topic, POV_TOPIC_CAMERA "%s/", view->image.camera);
    POV_TRY(pov_codec_encode_view(outputs->codec, &bytes, &len, view, pov_clock_unix_ns()));
    CALL_SINKS(outputs, view, topic, bytes, len);
    return pov_ok();
}

pov_status pov_outputs_show(pov_outputs *outputs, const pov_news *news)
{
    for (int i = 0; i < SINKS; i++)
        if (outputs->sinks[i].self && outputs->sinks[i].functions->show)
            POV_TRY(outputs->sinks[i].functions->show(outputs->sinks[i].self, news));
    return pov_ok();
}

void pov_outputs_end(pov_outputs *outputs, const pov_image *image)
{
    if (image->pixels)
        CALL_SINKS(outputs, end, image);
}

pov_status pov_outputs_health(pov_outputs *outputs, const pov_health *health)
{
    const uint8_t *bytes;
    size_t len;
    if (!is_wanted(outputs, POV_RECORDED_HEALTH))
        return pov_ok();
    POV_TRY(pov_codec_encode_health(outputs->codec, &bytes, &len, health));
    send_message(outputs, POV_RECORDED_HEALTH, bytes, len);
    return pov_ok();
}

void pov_outputs_exchange(pov_outputs *outputs, const pov_exchange *exchange)
{
    const uint8_t *bytes;
    size_t len;
    if (pov_codec_encode_exchange(outputs->codec, &bytes, &len, exchange).code == POV_OK)
        send_message(outputs, POV_RECORDED_ASK, bytes, len);
}

void pov_outputs_message(pov_outputs *outputs, pov_recorded topic, const uint8_t *bytes, size_t len)
{
    send_message(outputs, topic, bytes, len);
}

/* All that was said since, so that a robot may act on it. */
static void send_exchanges(pov_outputs *outputs, const pov_sink *sink)
{
    char speaker[POV_NAME_CAPACITY], *reply;
    while (sink->functions->take(sink->self, speaker, &reply)) {
        pov_outputs_exchange(outputs, &(pov_exchange){speaker, reply});
        free(reply);
    }
}

void pov_outputs_poll(pov_outputs *outputs)
{
    for (int i = 0; i < SINKS; i++) {
        const pov_sink *sink = &outputs->sinks[i];
        if (sink->self && sink->functions->take)
            send_exchanges(outputs, sink);
    }
    for (int i = 0; i < SINKS; i++)
        if (outputs->sinks[i].self && outputs->sinks[i].functions->poll)
            outputs->sinks[i].functions->poll(outputs->sinks[i].self);
}

bool pov_outputs_news(pov_outputs *outputs, char text[POV_NEWS_CAPACITY])
{
    for (int i = 0; i < SINKS; i++) {
        const pov_sink *sink = &outputs->sinks[i];
        if (sink->self && sink->functions->news && sink->functions->news(sink->self, text))
            return true;
    }
    return false;
}

void pov_outputs_finish(pov_outputs *outputs)
{
    for (int i = 0; i < SINKS; i++)
        if (outputs->sinks[i].self && outputs->sinks[i].functions->finish)
            outputs->sinks[i].functions->finish(outputs->sinks[i].self);
}

pov_publisher_statistics pov_outputs_wire_statistics(const pov_outputs *outputs)
{
    return pov_sink_publisher_statistics(&outputs->sinks[PUBLISHER]);
}

uint64_t pov_outputs_unannotated(const pov_outputs *outputs)
{
    return pov_sink_annotated_lost(&outputs->sinks[ANNOTATED]);
}
