/** The cost of keys (CURVE): messages of an observation's size from a publisher to one subscriber over TCP, against none. */
#include "protocol/links/keys.h"
#include "protocol/links/publisher.h"
#include "protocol/links/subscriber.h"
#include "tests/bench/bench.h"
#include "tests/support/pipeline_work.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 32, BYTES = 24000 };

typedef struct {
    pov_publisher *publisher;
    pov_subscriber *subscriber;
} link_pair;

typedef struct {
    char folder[32];
    link_pair with_keys, plain;
    uint8_t message[BYTES];
} keys_work;

static void open_pair(link_pair *pair, const char *keys)
{
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = "tcp://127.0.0.1:*";
    config.keys = keys;
    bench_must(pov_publisher_new(&pair->publisher, &config));
    bench_must(pov_subscriber_new(
        &pair->subscriber, &(pov_subscriber_config){.endpoint = pov_publisher_endpoint(pair->publisher),
                                                    .topic = "",
                                                    .keys = keys}));
    for (; pov_publisher_statistics_of(pair->publisher).subscriptions == 0; poll(NULL, 0, 1))
        pov_publisher_poll(pair->publisher);
}

static void *prepare(void)
{
    keys_work *work = calloc(1, sizeof *work);
    pov_key own;
    POV_REQUIRE(work);
    strcpy(work->folder, "/tmp/pov-bench-XXXXXX");
    POV_REQUIRE(mkdtemp(work->folder));
    bench_must(pov_key_make(&own, work->folder, "bench"));
    bench_must(pov_peer_allow(&own, work->folder));
    open_pair(&work->with_keys, work->folder);
    open_pair(&work->plain, NULL);
    return work;
}

static void send_all(const keys_work *work, const link_pair *pair)
{
    const uint8_t *bytes;
    size_t length;
    for (int i = 0; i < MESSAGES; i++)
        pov_publisher_publish(pair->publisher, "observation", work->message, sizeof work->message);
    for (int got = 0; got < MESSAGES;) {
        pov_publisher_poll(pair->publisher);
        got += pov_subscriber_next(pair->subscriber, &bytes, &length, 1).code == POV_OK;
    }
}

static void run(void *argument)
{
    const keys_work *work = argument;
    send_all(work, &work->with_keys);
}

static void run_peer(void *argument)
{
    const keys_work *work = argument;
    send_all(work, &work->plain);
}

static void close_pair(link_pair *pair)
{
    pov_subscriber_destroy(&pair->subscriber);
    pov_publisher_destroy(&pair->publisher);
}

static void finish(void *argument)
{
    keys_work *work = argument;
    char command[64];
    close_pair(&work->with_keys);
    close_pair(&work->plain);
    snprintf(command, sizeof command, "rm -r '%s'", work->folder);
    POV_REQUIRE(system(command) == 0);
    free(work);
}

const pov_bench BENCH_KEYS = {
    .name = "keys",
    .what = "messages of 24 kB to one subscriber with keys (CURVE)",
    .unit = "message",
    .units_per_run = MESSAGES,
    .prepare = prepare,
    .run = run,
    .peer_name = "without keys",
    .run_peer = run_peer,
    .finish = finish,
};
