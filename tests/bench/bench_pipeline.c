/** The whole path, from an image in memory to its judgments on the wire, against libapriltag alone on the image. */
#include "protocol/links/subscriber.h"
#include "tests/bench/bench.h"
#include "tests/support/pipeline_work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
    pipeline_work *pipeline;
    pov_publisher *publisher;
    pov_subscriber *subscriber;
    pthread_t listener;
    atomic_bool stop;
} wire_work;

static void *listen(void *argument)
{
    wire_work *work = argument;
    while (!atomic_load(&work->stop)) {
        const uint8_t *bytes;
        size_t length;
        pov_status status = pov_subscriber_next(work->subscriber, &bytes, &length, 50);
        (void)status;
    }
    return NULL;
}

static void open_wire(wire_work *work)
{
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = "tcp://127.0.0.1:*";
    bench_must(pov_publisher_new(&work->publisher, &config));
    bench_must(pov_subscriber_new(
        &work->subscriber, &(pov_subscriber_config){.endpoint = pov_publisher_endpoint(work->publisher),
                                                    .topic = POV_TOPIC_OBSERVATION}));
    POV_REQUIRE(pthread_create(&work->listener, NULL, listen, work) == 0);
    while (pov_publisher_statistics_of(work->publisher).subscriptions == 0)
        pov_publisher_poll(work->publisher);
}

static void *prepare(void)
{
    wire_work *work = calloc(1, sizeof *work);
    POV_REQUIRE(work);
    work->pipeline = pipeline_work_new();
    open_wire(work);
    return work;
}

static void run(void *argument)
{
    wire_work *work = argument;
    pipeline_work_publish(work->pipeline, work->publisher);
}

static void run_peer(void *argument)
{
    tag_work_detect(((wire_work *)argument)->pipeline->tags);
}

static void finish(void *argument)
{
    wire_work *work = argument;
    atomic_store(&work->stop, true);
    pthread_join(work->listener, NULL);
    pov_subscriber_destroy(&work->subscriber);
    pov_publisher_destroy(&work->publisher);
    pipeline_work_destroy(&work->pipeline);
    free(work);
}

const pov_bench BENCH_PIPELINE = {
    .name = "pipeline",
    .what = "image (1280x720, 12 tags, 2 balls) to judgments on the wire, all stages on one thread",
    .unit = "image",
    .units_per_run = 1,
    .prepare = prepare,
    .run = run,
    .peer_name = "libapriltag's full-resolution detection",
    .run_peer = run_peer,
    .finish = finish,
};
