/** Publishes messages to any number of ZeroMQ SUB sockets, plain ones or with keys (CURVE). Each subscription has a bounded queue of its
 * own: a slow subscriber loses its oldest messages, is told how many, and never holds up the caller. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *endpoint; /* "tcp://127.0.0.1:5570", "ipc:///run/pov", "tcp://127.0.0.1:*" */
    int queue_capacity;   /* messages kept for each slow subscription */
    int subscriptions_max;
    int connections_max; /* at most half of them from one address; further ones are closed */
    const char
        *keys; /* folder of keys (keys.h): only peers with an allowed key; NULL: anyone who can connect */
} pov_publisher_config;
#define POV_PUBLISHER_DEFAULT                                                                                \
    {                                                                                                        \
        .endpoint = "tcp://127.0.0.1:5570", .queue_capacity = 64, .subscriptions_max = 256,                  \
        .connections_max = 512                                                                               \
    }

typedef struct {
    uint32_t subscriptions;
    int waiting;         /* messages in the longest queue */
    uint64_t sent, lost; /* over all subscriptions, gone ones included */
    uint64_t
        refused; /* subscriptions beyond subscriptions_max, connections beyond connections_max or cut off for their requests,
                    and keys that are not allowed */
} pov_publisher_statistics;

typedef struct pov_publisher pov_publisher;

/** Binds. Errors: endpoint malformed, in use, or not permitted; keys missing or unreadable. One owning thread. */
POV_MUST_USE pov_status pov_publisher_new(pov_publisher **publisher, const pov_publisher_config *config);
/** Closes at once; pov_publisher_drain first if what is queued still matters. */
void pov_publisher_destroy(pov_publisher **publisher);

/** The endpoint as bound (with the port chosen for "*"). */
const char *pov_publisher_endpoint(const pov_publisher *publisher);

/** Queues a message for every subscription whose topic is a prefix of `topic`, and sends what can be sent.
 * Never blocks, never allocates in proportion to slow subscribers. */
void pov_publisher_publish(pov_publisher *publisher, const char *topic, const uint8_t *bytes, size_t length);
/** Does a subscription name a topic that begins so? One to all topics does not count. */
bool pov_publisher_wants(const pov_publisher *publisher, const char *topic);
/** Sends what can be sent now, and takes in new and gone subscriptions. With keys, handshakes wait for this call, and a peer
 * whose key has been removed is cut off by it. */
void pov_publisher_poll(pov_publisher *publisher);
/** Sends until all queues are empty, no subscriber takes anything more, or timeout_ms have passed. Returns the messages left. */
uint64_t pov_publisher_drain(pov_publisher *publisher, int timeout_ms);

/** What has become wrong with the peers' keys since the last call: a text that names files; NULL: nothing new. */
const char *pov_publisher_news(pov_publisher *publisher);

pov_publisher_statistics pov_publisher_statistics_of(const pov_publisher *publisher);
