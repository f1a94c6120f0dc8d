#include "firmware/ask/ask_server.h"
#include "firmware/clock.h"
#include "firmware/outputs/sink.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    HEAR_MS = 100,
    FIRST_IMAGE_MS = 2000 /* a question may come before the image that it is about; chosen */
};

/* Questions come as messages; a thread answers them, and the replies go out as every exchange does. */
typedef struct {
    pov_ros2_station *station; /* borrowed */
    pov_ask_server *asked;
    atomic_bool stops, has_scene;
    pthread_t thread;
    bool has_thread;
} ros2_sink;

static bool wants_topic(const void *sink, pov_recorded topic)
{
    return pov_ros2_station_wants(((const ros2_sink *)sink)->station, topic);
}

static void note_camera(void *sink, const pov_camera *camera, int index)
{
    pov_ros2_station_camera(((ros2_sink *)sink)->station, camera, index);
}

static void send_message(void *sink, pov_recorded topic, const uint8_t *bytes, size_t len, int64_t capture_ns)
{
    pov_ros2_station_message(((ros2_sink *)sink)->station, topic, bytes, len, capture_ns);
}

static void send_image(void *sink, const pov_image *image)
{
    pov_ros2_station_image(((ros2_sink *)sink)->station, image);
}

static pov_status show_scene(void *sink, const pov_news *news)
{
    ros2_sink *self = sink;
    self->has_scene = pov_ros2_station_is_asked(self->station);
    if (self->has_scene)
        pov_ask_server_show(self->asked, news->observation);
    return pov_ok();
}

static void wait_for_scene(const ros2_sink *self)
{
    const struct timespec step = {.tv_nsec = 20000000};
    const int64_t deadline_ns = pov_clock_monotonic_ns() + FIRST_IMAGE_MS * INT64_C(1000000);
    while (!self->has_scene && !self->stops && pov_clock_monotonic_ns() < deadline_ns)
        nanosleep(&step, NULL);
}

static void *answer_all(void *argument)
{
    ros2_sink *self = argument;
    while (!self->stops) {
        char *question = pov_ros2_station_hear(self->station, HEAR_MS), *reply = NULL;
        if (!question)
            continue;
        wait_for_scene(self);
        if (!self->stops && pov_ask_server_ask(self->asked, &reply, "ros2", question).code == POV_OK)
            free(reply); /* it is taken as an exchange, too */
        free(question);
    }
    return NULL;
}

static bool take_exchange(void *sink, char speaker[POV_NAME_CAPACITY], char **reply)
{
    return pov_ask_server_take(((ros2_sink *)sink)->asked, speaker, reply);
}

static void close_sink(void *sink)
{
    ros2_sink *self = sink;
    self->stops = true;
    if (self->asked)
        pov_ask_server_stop(self->asked);
    if (self->has_thread)
        pthread_join(self->thread, NULL);
    pov_ask_server_destroy(&self->asked);
    free(self);
}

static const pov_sink_functions ros2_functions = {.wants = wants_topic,
                                                  .camera = note_camera,
                                                  .message = send_message,
                                                  .end = send_image,
                                                  .show = show_scene,
                                                  .take = take_exchange,
                                                  .destroy = close_sink};

pov_status pov_sink_open_ros2(pov_sink *sink, const pov_outputs_config *config)
{
    if (!config->ros2)
        return pov_ok();
    ros2_sink *self = pov_allocate(1, sizeof *self);
    self->station = config->ros2;
    *sink = (pov_sink){&ros2_functions, self};
    POV_TRY(pov_ask_server_new(
        &self->asked, &(pov_ask_server_config){.stale_after_s = config->station->ask.stale_after_s}));
    self->has_thread = pthread_create(&self->thread, NULL, answer_all, self) == 0;
    return self->has_thread ? pov_ok() : pov_error("no thread for questions of ROS 2");
}
