#include "firmware/outputs/sink.h"

static bool wants_topic(const void *sink, pov_recorded topic)
{
    return pov_ros2_station_wants(sink, topic);
}

static void note_camera(void *sink, const pov_camera *camera)
{
    pov_ros2_station_camera(sink, camera);
}

static void send_message(void *sink, pov_recorded topic, const uint8_t *bytes, size_t len, int64_t capture_ns)
{
    pov_ros2_station_message(sink, topic, bytes, len, capture_ns);
}

static void send_image(void *sink, const pov_image *image)
{
    pov_ros2_station_image(sink, image);
}

static const pov_sink_functions ros2_functions = {
    .wants = wants_topic, .camera = note_camera, .message = send_message, .end = send_image};

pov_status pov_sink_open_ros2(pov_sink *sink, const pov_outputs_config *config)
{
    *sink = (pov_sink){&ros2_functions, config->ros2};
    return pov_ok();
}
