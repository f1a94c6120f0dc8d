#include "firmware/outputs/sink.h"

static bool wants_topic(const void *sink, pov_recorded topic)
{
    return pov_foxglove_server_wants(sink, topic);
}

static void note_camera(void *sink, const pov_camera *camera, int index)
{
    pov_foxglove_server_camera(sink, camera, index);
}

static void send_message(void *sink, pov_recorded topic, const uint8_t *bytes, size_t len, int64_t capture_ns)
{
    pov_foxglove_server_message(sink, topic, bytes, len, capture_ns);
}

static void send_image(void *sink, const pov_image *image)
{
    pov_foxglove_server_image(sink, image);
}

static const pov_sink_functions foxglove_functions = {
    .wants = wants_topic, .camera = note_camera, .message = send_message, .end = send_image};

pov_status pov_sink_open_foxglove(pov_sink *sink, const pov_outputs_config *config)
{
    *sink = (pov_sink){&foxglove_functions, config->foxglove};
    return pov_ok();
}
