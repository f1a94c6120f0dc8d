#include "firmware/cli.h"
#include "firmware/descriptors.h"
#include "firmware/keys/door.h"
#include "firmware/outputs/sink.h"

#include <stdio.h>

enum { DRAIN_MS = 2000 };

static bool wants_topic(const void *sink, pov_recorded topic)
{
    (void)sink;
    (void)topic;
    return true;
}

static void publish_message(void *sink, pov_recorded topic, const uint8_t *bytes, size_t len,
                            int64_t capture_ns)
{
    (void)capture_ns;
    pov_publisher_publish(sink, pov_recorded_topic(topic), bytes, len);
}

static bool wants_views(const void *sink)
{
    return pov_publisher_wants(sink, POV_TOPIC_CAMERA);
}

static void publish_view(void *sink, const char *topic, const uint8_t *bytes, size_t len)
{
    pov_publisher_publish(sink, topic, bytes, len);
}

static void serve_subscribers(void *sink)
{
    pov_publisher_poll(sink);
}

static void drain_queues(void *sink)
{
    (void)pov_publisher_drain(sink, DRAIN_MS);
}

/* Peers whose keys cannot be read may not connect, and do not learn why. */
static bool take_news(void *sink, char text[POV_NEWS_CAPACITY])
{
    const char *news = pov_publisher_news(sink);
    if (news)
        snprintf(text, POV_NEWS_CAPACITY, "publish: skipped keys of peers: %s", news);
    return news != NULL;
}

static void close_publisher(void *sink)
{
    pov_publisher *publisher = sink;
    pov_publisher_destroy(&publisher);
}

static const pov_sink_functions publisher_functions = {.wants = wants_topic,
                                                       .message = publish_message,
                                                       .wants_views = wants_views,
                                                       .view = publish_view,
                                                       .poll = serve_subscribers,
                                                       .news = take_news,
                                                       .finish = drain_queues,
                                                       .destroy = close_publisher};

pov_status pov_sink_open_publisher(pov_sink *sink, const pov_outputs_config *config)
{
    pov_publisher *publisher = NULL;
    if (!config->publish)
        return pov_ok();
    const pov_station_publishing *publish = &config->station->publish;
    pov_publisher_config wire = POV_PUBLISHER_DEFAULT;
    pov_door door;
    POV_TRY(pov_door_choose(&door, &(pov_door_config){.endpoint = publish->endpoint,
                                                      .keys = publish->keys,
                                                      .insecure = publish->insecure}));
    wire.endpoint = publish->endpoint;
    wire.queue_capacity = publish->queue_capacity;
    wire.connections_max = pov_descriptors_for_wire();
    wire.keys = door.keys[0] ? door.keys : NULL;
    const pov_status status = pov_publisher_new(&publisher, &wire);
    if (status.code == POV_OK && config->tells)
        fprintf(stderr, "publishes on %s to %s\n", pov_publisher_endpoint(publisher), door.who);
    *sink = (pov_sink){&publisher_functions, publisher};
    if (status.code == POV_OK)
        return status;
    if (config->must_publish)
        return pov_error("%.400s; --no-publish does without", status.message);
    pov_cli_warn("%s; nothing is published", status.message);
    return pov_ok();
}

pov_publisher_statistics pov_sink_publisher_statistics(const pov_sink *sink)
{
    return sink->self ? pov_publisher_statistics_of(sink->self) : (pov_publisher_statistics){0};
}
