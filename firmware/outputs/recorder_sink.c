#include "firmware/outputs/sink.h"

#include <stdlib.h>

typedef struct {
    pov_recorder *recorder;      /* borrowed */
    const pov_image *unrecorded; /* the image at hand, until the recording has it */
} recorder_sink;

static bool wants_topic(const void *sink, pov_recorded topic)
{
    (void)sink;
    (void)topic;
    return true;
}

static void note_camera(void *sink, const pov_camera *camera, int index)
{
    pov_recorder_camera(((recorder_sink *)sink)->recorder, camera, index);
}

static void begin_image(void *sink, const pov_image *image)
{
    ((recorder_sink *)sink)->unrecorded = image;
}

static void record_image(void *sink, const pov_image *image)
{
    recorder_sink *self = sink;
    (void)image;
    if (self->unrecorded)
        pov_recorder_image(self->recorder, self->unrecorded);
    self->unrecorded = NULL;
}

/* The image before what was judged of it: a recording that is cut short holds no observation without its image. */
static void record_message(void *sink, pov_recorded topic, const uint8_t *bytes, size_t len,
                           int64_t capture_ns)
{
    (void)capture_ns;
    record_image(sink, NULL);
    pov_recorder_message(((recorder_sink *)sink)->recorder, topic, bytes, len);
}

static bool take_news(void *sink, char text[POV_NEWS_CAPACITY])
{
    return pov_recorder_news(((recorder_sink *)sink)->recorder, text);
}

static const pov_sink_functions recorder_functions = {.news = take_news,
                                                      .wants = wants_topic,
                                                      .camera = note_camera,
                                                      .begin = begin_image,
                                                      .message = record_message,
                                                      .end = record_image,
                                                      .destroy = free};

pov_status pov_sink_open_recorder(pov_sink *sink, const pov_outputs_config *config)
{
    if (!config->recorder)
        return pov_ok();
    recorder_sink *self = pov_allocate(1, sizeof *self);
    self->recorder = config->recorder;
    *sink = (pov_sink){&recorder_functions, self};
    return pov_ok();
}
