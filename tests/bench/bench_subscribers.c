/** The cost of fifty subscribers to the pipeline: processes that read, one that never does, one that is killed. */
#include "protocol/links/subscriber.h"
#include "tests/bench/bench.h"
#include "tests/support/pipeline_work.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

enum { SUBSCRIBERS = 50, SILENT = 0, VICTIM = 1, IMAGES = 8, KILLED_AFTER_RUNS = 3, ENDPOINT_CAPACITY = 256 };

typedef struct {
    pipeline_work *pipeline;
    pov_publisher *heard, *unheard;
    pid_t children[SUBSCRIBERS];
    int runs;
} subscribers_work;

/* Subscribes, with little room for what it will not read. */
static void stay_silent(const char *endpoint)
{
    const int messages = 1;
    void *socket = zmq_socket(zmq_ctx_new(), ZMQ_SUB);
    POV_REQUIRE(socket && zmq_setsockopt(socket, ZMQ_RCVHWM, &messages, sizeof messages) == 0 &&
                zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0) == 0 && zmq_connect(socket, endpoint) == 0);
    for (;;)
        pause();
}

static void read_all(const char *endpoint)
{
    pov_subscriber *subscriber;
    bench_must(pov_subscriber_new(
        &subscriber, &(pov_subscriber_config){.endpoint = endpoint, .topic = POV_TOPIC_OBSERVATION}));
    for (;;) {
        const uint8_t *bytes;
        size_t length;
        pov_status status = pov_subscriber_next(subscriber, &bytes, &length, 1000);
        (void)status;
    }
}

/* In a process of its own: the endpoint comes down the pipe once there is one. */
static void subscribe(int endpoint_pipe, bool reads)
{
    char endpoint[ENDPOINT_CAPACITY] = "";
    if (read(endpoint_pipe, endpoint, sizeof endpoint) != sizeof endpoint)
        _exit(0);
    (reads ? read_all : stay_silent)(endpoint);
}

/* Before there are any threads: a forked process has none of them. */
static void start_subscribers(subscribers_work *work, int endpoint_pipe[2])
{
    POV_REQUIRE(pipe(endpoint_pipe) == 0);
    for (int i = 0; i < SUBSCRIBERS; i++) {
        work->children[i] = fork();
        POV_REQUIRE(work->children[i] >= 0);
        if (work->children[i] > 0)
            continue;
        close(endpoint_pipe[1]);
        subscribe(endpoint_pipe[0], i != SILENT);
    }
    close(endpoint_pipe[0]);
}

/* A local socket's buffer is small, and so is the queue: the silent one's overflows in a short run. */
static void open_publisher(pov_publisher **publisher, const char *name)
{
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    char endpoint[ENDPOINT_CAPACITY];
    snprintf(endpoint, sizeof endpoint, "ipc:///tmp/pov-bench-%d-%s", (int)getpid(), name);
    config.endpoint = endpoint;
    config.queue_capacity = 4;
    bench_must(pov_publisher_new(publisher, &config));
}

static void *prepare(void)
{
    subscribers_work *work = calloc(1, sizeof *work);
    int endpoint_pipe[2];
    POV_REQUIRE(work);
    start_subscribers(work, endpoint_pipe);
    work->pipeline = pipeline_work_new();
    open_publisher(&work->heard, "heard");
    open_publisher(&work->unheard, "unheard");
    char endpoint[ENDPOINT_CAPACITY] = "";
    snprintf(endpoint, sizeof endpoint, "%s", pov_publisher_endpoint(work->heard));
    for (int i = 0; i < SUBSCRIBERS; i++)
        POV_REQUIRE(write(endpoint_pipe[1], endpoint, sizeof endpoint) == sizeof endpoint);
    close(endpoint_pipe[1]);
    while (pov_publisher_statistics_of(work->heard).subscriptions < SUBSCRIBERS)
        pov_publisher_poll(work->heard);
    return work;
}

static void run(void *argument)
{
    subscribers_work *work = argument;
    if (++work->runs == KILLED_AFTER_RUNS)
        kill(work->children[VICTIM], SIGKILL);
    for (int i = 0; i < IMAGES; i++)
        pipeline_work_publish(work->pipeline, work->heard);
}

static void run_peer(void *argument)
{
    subscribers_work *work = argument;
    for (int i = 0; i < IMAGES; i++)
        pipeline_work_publish(work->pipeline, work->unheard);
}

static void finish(void *argument)
{
    subscribers_work *work = argument;
    pov_publisher_statistics wire = pov_publisher_statistics_of(work->heard);
    printf("%-12s %d images to %d subscribers, of whom %u are left: %llu messages sent, %llu lost\n", "",
           work->runs * IMAGES, SUBSCRIBERS, wire.subscriptions, (unsigned long long)wire.sent,
           (unsigned long long)wire.lost);
    for (int i = 0; i < SUBSCRIBERS; i++) {
        kill(work->children[i], SIGKILL);
        waitpid(work->children[i], NULL, 0);
    }
    pov_publisher_destroy(&work->heard);
    pov_publisher_destroy(&work->unheard);
    pipeline_work_destroy(&work->pipeline);
    free(work);
}

const pov_bench BENCH_SUBSCRIBERS = {
    .name = "subscribers",
    .what =
        "the pipeline's image with 50 subscribers in processes of their own, one silent, one killed midway",
    .unit = "image",
    .units_per_run = IMAGES,
    .prepare = prepare,
    .run = run,
    .peer_name = "the same with none",
    .run_peer = run_peer,
    .finish = finish,
};
