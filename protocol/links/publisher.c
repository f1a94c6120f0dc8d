/* How one XPUB socket serves each subscription on its own:
 *
 * A PUB socket drops the newest message for a full subscriber and tells nobody. XPUB with ZMQ_XPUB_MANUAL
 * lets us choose what a subscriber's pipe really matches: for a subscription to T that is T + US + number +
 * US, unique. A message for it has that as the start of its first frame, so that it goes into this pipe only,
 * and still passes the subscriber's own filter for T. With ZMQ_XPUB_NODROP a send into a full pipe fails with
 * EAGAIN: the message then waits in the subscription's own ring.
 *
 * XPUB does not say whose subscriptions ended when a peer goes. A subscription message carries its
 * connection's file descriptor (ZMQ_SRCFD); the socket monitor reports descriptors as they are accepted and
 * closed, each before anything that follows from it. So the monitor is read after a subscription has come and
 * before it is noted: a close that is then known belongs to an earlier connection, or this one has ended
 * already.
 *
 * A hostile peer may send requests without pause, or connect without end. libzmq reads requests into a queue without bound, and
 * keeps each topic that was asked for until its connection ends. So accept_guard.h bounds the requests that wait, each poll takes in
 * all of them, a connection or key has credit for so many, and a connection that asks for much that it does not get is cut
 * off. libzmq cannot close one connection of a bound socket; shutting down its descriptor does. */
#include "protocol/links/publisher.h"

#include "protocol/links/authenticator.h"
#include "protocol/links/backlog.h"
#include "protocol/links/endpoint.h"
#include "protocol/links/keys.h"
#include "protocol/observation/message.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#define SEPARATOR "\x1f"

enum {
    /* Messages that libzmq holds for a subscriber, beyond recall; the rest wait where the oldest can be
       dropped. */
    PIPE_CAPACITY = 8,
    PREFIX_CAPACITY = POV_TOPIC_CAPACITY + 32,
    DESCRIPTORS_MAX = 65536,
    SETTLE_MS = 50,
    STEP_MS = 10,     /* of draining; chosen: few, as each lasts longer on a busy machine */
    STALLED_MS = 300, /* more than TCP's first retransmission takes, 200 ms (RTO_MIN of Linux) */
    /* Requests in a connection's pipe; chosen: libzmq hands on all of a pipe at once. */
    REQUEST_PIPE_CAPACITY = 64,
    /* Of requests that wait, as pov_zmtp_frame_cost counts; chosen: 900 short ones of a connection, 3,600 in all. When connections
       end, libzmq adds as many that take their topics back. */
    WAITING_MAX_BYTES = 64 << 10,
    WAITING_MAX_BYTES_IN_ALL = 256 << 10,
    /* More than can wait: a millisecond or two. */
    REQUESTS_A_POLL = 16384,
    /* A peer's credit of requests; each message published adds one, up to as many again. Chosen: a subscriber has a few topics. */
    REQUESTS_BURST = 1000,
    /* Chosen: more than there are topics, so that no peer takes the room of others. */
    TOPICS_A_PEER = 32,
    /* Of a connection's topics that were refused; libzmq keeps up to 50 bytes for each byte of them. Chosen: 200 short ones. */
    REFUSED_BYTES_MAX = 16 << 10,
    REFUSED_COST = 64,
    /* A peer that says nothing of ZeroMQ for so long is not a subscriber. */
    HANDSHAKE_MS = 5000
};

/** How many requests a peer may still make. */
typedef struct {
    int64_t requests;
    uint64_t published_before; /* messages, when it was last counted */
} credit;

typedef struct {
    bool open, cut_off;
    credit credit;
    size_t refused_bytes;
} connection;

/** A peer with a key has one credit for all its connections, and keeps it when they end. */
typedef struct {
    char name[POV_PEER_NAME_CAPACITY];
    credit credit;
} keyed_credit;

typedef struct {
    int descriptor; /* of the connection it came by */
    int queue;      /* in the backlog */
    char topic[POV_TOPIC_CAPACITY];
    char prefix[PREFIX_CAPACITY];      /* topic + US + number + US */
    char peer[POV_PEER_NAME_CAPACITY]; /* whose key it was admitted with */
} subscription;

struct pov_publisher {
    void *context, *socket, *monitor;
    pov_authenticator *authenticator; /* NULL: anyone */
    char endpoint[256];
    bool has_path;                           /* a socket file, ours to remove: libzmq leaves it */
    connection connections[DESCRIPTORS_MAX]; /* by descriptor */
    pov_accept_guard *guard;
    pov_backlog *backlog;
    subscription
        *subscriptions; /* all subscriptions_max of them have a queue; the first subscription_len are taken */
    int subscription_len, subscriptions_max;
    int kept_of_key_max; /* connections of one key that no other connection replaces */
    int keyed_len;
    keyed_credit *keyed;
    uint64_t next_number, published, sent, refused;
};

/* -------- sending -------- */

/* libzmq may report a signal that came while it looked for commands; nothing has been sent then. */
static int send_frame(void *socket, zmq_msg_t *frame, int flags)
{
    int result;
    do {
        result = zmq_msg_send(frame, socket, flags | ZMQ_DONTWAIT);
    } while (result < 0 && errno == EINTR);
    return result;
}

static bool send_address(void *socket, const subscription *sub, const char *topic)
{
    size_t prefix_length = strlen(sub->prefix), topic_length = strlen(topic);
    zmq_msg_t frame;
    if (zmq_msg_init_size(&frame, prefix_length + topic_length) != 0)
        return false;
    memcpy(zmq_msg_data(&frame), sub->prefix, prefix_length);
    memcpy((char *)zmq_msg_data(&frame) + prefix_length, topic, topic_length);
    bool sent = send_frame(socket, &frame, ZMQ_SNDMORE) >= 0;
    zmq_msg_close(&frame);
    return sent;
}

/* The bytes of the message itself; only where something was lost, a copy that says so. */
static bool make_payload(zmq_msg_t *payload, zmq_msg_t *shared, uint64_t lost)
{
    if (lost == 0)
        return zmq_msg_init(payload) == 0 && zmq_msg_copy(payload, shared) == 0;
    uint8_t suffix[POV_LOST_BYTES_MAX];
    size_t length = zmq_msg_size(shared), suffix_length = pov_message_encode_lost(suffix, lost);
    if (zmq_msg_init_size(payload, length + suffix_length) != 0)
        return false;
    memcpy(zmq_msg_data(payload), zmq_msg_data(shared), length);
    memcpy((uint8_t *)zmq_msg_data(payload) + length, suffix, suffix_length);
    return true;
}

/* False if the subscriber's pipe is full. A pipe that took the first frame takes the second: libzmq counts
 * whole messages. */
static bool send_message(pov_publisher *publisher, const subscription *sub, pov_backlog_message *message)
{
    if (!send_address(publisher->socket, sub, pov_backlog_topic(message)))
        return false;
    zmq_msg_t payload;
    if (!make_payload(&payload, pov_backlog_payload(message),
                      pov_backlog_lost(publisher->backlog, sub->queue)))
        zmq_msg_init(&payload); /* out of memory: what follows an address must still come, if only empty */
    POV_REQUIRE(send_frame(publisher->socket, &payload, 0) >= 0);
    zmq_msg_close(&payload);
    return true;
}

static void flush_queue(pov_publisher *publisher, const subscription *sub)
{
    pov_backlog_message *message;
    while ((message = pov_backlog_oldest(publisher->backlog, sub->queue)) != NULL) {
        if (!send_message(publisher, sub, message))
            return;
        pov_backlog_pop(publisher->backlog, sub->queue);
        publisher->sent++;
    }
}

static bool wants_topic(const subscription *sub, const char *topic)
{
    return strncmp(sub->topic, topic, strlen(sub->topic)) == 0;
}

static void queue_message(pov_publisher *publisher, const subscription *sub, pov_backlog_message *message)
{
    if (message == NULL) {
        pov_backlog_lose(publisher->backlog, sub->queue);
        return;
    }
    pov_backlog_push(publisher->backlog, sub->queue, message);
    if (pov_backlog_length(publisher->backlog, sub->queue) == 1) /* else the pipe has just been found full */
        flush_queue(publisher, sub);
}

bool pov_publisher_wants(const pov_publisher *publisher, const char *topic)
{
    for (int i = 0; i < publisher->subscription_len; i++)
        if (strncmp(publisher->subscriptions[i].topic, topic, strlen(topic)) == 0)
            return true;
    return false;
}

void pov_publisher_publish(pov_publisher *publisher, const char *topic, const uint8_t *bytes, size_t length)
{
    pov_publisher_poll(publisher);
    publisher->published++;
    if (publisher->subscription_len == 0)
        return;
    pov_backlog_message *message = pov_backlog_add(publisher->backlog, topic, bytes, length);
    for (int i = 0; i < publisher->subscription_len; i++)
        if (wants_topic(&publisher->subscriptions[i], topic))
            queue_message(publisher, &publisher->subscriptions[i], message);
    if (message != NULL)
        pov_backlog_release(publisher->backlog, message);
}

/* -------- who listens -------- */

/* The last one takes its place; it leaves its queue to the next that comes. */
static void remove_subscription(pov_publisher *publisher, int index)
{
    subscription gone = publisher->subscriptions[index];
    int last = --publisher->subscription_len;
    pov_backlog_clear(publisher->backlog, gone.queue);
    publisher->subscriptions[index] = publisher->subscriptions[last];
    publisher->subscriptions[last] = gone;
}

static int find_subscription(const pov_publisher *publisher, int descriptor, const char *topic)
{
    for (int i = 0; i < publisher->subscription_len; i++) {
        const subscription *sub = &publisher->subscriptions[i];
        if (sub->descriptor == descriptor && strcmp(sub->topic, topic) == 0)
            return i;
    }
    return -1;
}

static void remove_connection(pov_publisher *publisher, int descriptor)
{
    for (int i = publisher->subscription_len - 1; i >= 0; i--)
        if (publisher->subscriptions[i].descriptor == descriptor)
            remove_subscription(publisher, i);
}

static bool is_trackable(int descriptor)
{
    return descriptor >= 0 && descriptor < DESCRIPTORS_MAX;
}

static void cut_off(pov_publisher *publisher, int descriptor)
{
    publisher->refused++;
    publisher->connections[descriptor].cut_off = true;
    remove_connection(publisher, descriptor);
    shutdown(descriptor, SHUT_RDWR);
}

/* First frame of an event: uint16 number, uint32 value (here, a descriptor), in the machine's byte order. */
static void take_event(pov_publisher *publisher, zmq_msg_t *frame)
{
    uint16_t event;
    int32_t descriptor;
    if (zmq_msg_size(frame) < sizeof event + sizeof descriptor)
        return; /* the second frame: the endpoint */
    memcpy(&event, zmq_msg_data(frame), sizeof event);
    memcpy(&descriptor, (char *)zmq_msg_data(frame) + sizeof event, sizeof descriptor);
    if (!is_trackable(descriptor))
        return;
    publisher->connections[descriptor] =
        (connection){.open = event == ZMQ_EVENT_ACCEPTED,
                     .credit = {.requests = REQUESTS_BURST, .published_before = publisher->published}};
    remove_connection(publisher, descriptor);
}

static void take_events(pov_publisher *publisher)
{
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    while (zmq_msg_recv(&frame, publisher->monitor, ZMQ_DONTWAIT) >= 0)
        if (zmq_msg_more(&frame))
            take_event(publisher, &frame);
    zmq_msg_close(&frame);
}

/* Is it one of this peer's: with a key of all its connections, else of this one? */
static bool is_subscription_of(const subscription *sub, int descriptor, const char *peer)
{
    return *peer ? strcmp(sub->peer, peer) == 0 : sub->descriptor == descriptor;
}

static int count_subscriptions(const pov_publisher *publisher, int descriptor, const char *peer)
{
    int len = 0;
    for (int i = 0; i < publisher->subscription_len; i++)
        len += is_subscription_of(&publisher->subscriptions[i], descriptor, peer);
    return len;
}

/* Cuts a connection off that has asked for much that it does not get. */
static void refuse_topic(pov_publisher *publisher, int descriptor, size_t bytes)
{
    publisher->refused++;
    if (!is_trackable(descriptor) || !publisher->connections[descriptor].open)
        return;
    size_t *refused = &publisher->connections[descriptor].refused_bytes;
    *refused += bytes + REFUSED_COST;
    if (*refused > REFUSED_BYTES_MAX)
        cut_off(publisher, descriptor);
}

static void add_subscription(pov_publisher *publisher, int descriptor, const char *topic, const char *peer)
{
    if (publisher->subscription_len == publisher->subscriptions_max ||
        count_subscriptions(publisher, descriptor, peer) >= TOPICS_A_PEER) {
        refuse_topic(publisher, descriptor, strlen(topic));
        return;
    }
    subscription *sub = &publisher->subscriptions[publisher->subscription_len++];
    sub->descriptor = descriptor;
    strcpy(sub->topic, topic);
    snprintf(sub->peer, sizeof sub->peer, "%s", peer);
    snprintf(sub->prefix, sizeof sub->prefix, "%s" SEPARATOR "%" PRIx64 SEPARATOR, topic,
             publisher->next_number++);
    if (!*peer || count_subscriptions(publisher, descriptor, peer) <= publisher->kept_of_key_max)
        pov_accept_guard_keep(publisher->guard, descriptor);
}

static void add_subscriber(pov_publisher *publisher, int descriptor, const char *topic, const char *peer)
{
    if (!is_trackable(descriptor) || strstr(topic, SEPARATOR) != NULL) {
        refuse_topic(publisher, descriptor, strlen(topic));
        return;
    }
    if (!publisher->connections[descriptor].open)
        return; /* has gone again already */
    if (find_subscription(publisher, descriptor, topic) < 0)
        add_subscription(publisher, descriptor, topic, peer);
    int index = find_subscription(publisher, descriptor, topic);
    if (index < 0)
        return;
    const char *prefix = publisher->subscriptions[index].prefix;
    POV_REQUIRE(zmq_setsockopt(publisher->socket, ZMQ_SUBSCRIBE, prefix, strlen(prefix)) == 0);
}

static void remove_subscriber(pov_publisher *publisher, int descriptor, const char *topic)
{
    int index = find_subscription(publisher, descriptor, topic);
    if (index < 0)
        return;
    const char *prefix = publisher->subscriptions[index].prefix;
    POV_REQUIRE(zmq_setsockopt(publisher->socket, ZMQ_UNSUBSCRIBE, prefix, strlen(prefix)) == 0);
    remove_subscription(publisher, index);
}

/* NULL: out of memory. */
static credit *find_credit_of_key(pov_publisher *publisher, const char *peer)
{
    for (int i = 0; i < publisher->keyed_len; i++)
        if (strcmp(publisher->keyed[i].name, peer) == 0)
            return &publisher->keyed[i].credit;
    keyed_credit *more = realloc(publisher->keyed, (size_t)(publisher->keyed_len + 1) * sizeof *more);
    if (!more)
        return NULL;
    publisher->keyed = more;
    keyed_credit *made = &more[publisher->keyed_len++];
    *made = (keyed_credit){.credit = {.requests = REQUESTS_BURST, .published_before = publisher->published}};
    snprintf(made->name, sizeof made->name, "%s", peer);
    return &made->credit;
}

static bool spend(credit *left, uint64_t published)
{
    const int64_t more = left->requests + (int64_t)(published - left->published_before);
    left->requests = more < REQUESTS_BURST ? more : REQUESTS_BURST;
    left->published_before = published;
    return left->requests > 0 && left->requests-- > 0;
}

/* False: the connection is cut off, now or already: its peer has used up its credit. */
static bool pay_request(pov_publisher *publisher, int descriptor, const char *peer)
{
    if (!is_trackable(descriptor))
        return true;
    connection *c = &publisher->connections[descriptor];
    credit *left = *peer ? find_credit_of_key(publisher, peer) : &c->credit;
    if (c->open && !c->cut_off && (!left || !spend(left, publisher->published)))
        cut_off(publisher, descriptor);
    return !c->cut_off;
}

/* One byte, 1 or 0, then the topic: https://rfc.zeromq.org/spec/29, "The PUB, SUB, XPUB, and XSUB Socket
 * Types". */
static void take_request(pov_publisher *publisher, zmq_msg_t *request)
{
    const char *bytes = zmq_msg_data(request);
    size_t size = zmq_msg_size(request);
    char topic[POV_TOPIC_CAPACITY];
    int descriptor = zmq_msg_get(request, ZMQ_SRCFD); /* -1 where libzmq speaks for a connection that ended */
    const char *user = zmq_msg_gets(request, "User-Id"), *peer = publisher->authenticator && user ? user : "";
    pov_accept_guard_take(publisher->guard, descriptor, size);
    if (!pay_request(publisher, descriptor, peer))
        return;
    if (size == 0 || (bytes[0] != 0 && bytes[0] != 1))
        return; /* not a subscription but some message upstream */
    if (size > sizeof topic || memchr(bytes + 1, '\0', size - 1) != NULL) {
        if (bytes[0] == 1)
            refuse_topic(publisher, descriptor, size); /* a prefix of no topic */
        return;
    }
    memcpy(topic, bytes + 1, size - 1);
    topic[size - 1] = '\0';
    if (bytes[0] == 1)
        add_subscriber(publisher, descriptor, topic, peer);
    else
        remove_subscriber(publisher, descriptor, topic);
}

static void take_requests(pov_publisher *publisher)
{
    zmq_msg_t request;
    int left = REQUESTS_A_POLL;
    zmq_msg_init(&request);
    for (; left > 0 && zmq_msg_recv(&request, publisher->socket, ZMQ_DONTWAIT) >= 0; left--) {
        take_events(publisher);
        take_request(publisher, &request);
    }
    if (left > 0)
        pov_accept_guard_drained(publisher->guard);
    zmq_msg_close(&request);
    take_events(publisher);
}

/* Cuts off the peers whose keys have been removed. */
static void review_peers(pov_publisher *publisher)
{
    for (int i = publisher->subscription_len - 1; i >= 0; i--)
        if (i < publisher->subscription_len &&
            !pov_authenticator_allows(publisher->authenticator, publisher->subscriptions[i].peer))
            cut_off(publisher, publisher->subscriptions[i].descriptor);
}

void pov_publisher_poll(pov_publisher *publisher)
{
    take_requests(publisher);
    if (publisher->authenticator && pov_authenticator_poll(publisher->authenticator))
        review_peers(publisher);
    for (int i = 0; i < publisher->subscription_len; i++)
        flush_queue(publisher, &publisher->subscriptions[i]);
}

const char *pov_publisher_news(pov_publisher *publisher)
{
    return publisher->authenticator ? pov_authenticator_news(publisher->authenticator) : NULL;
}

static uint64_t waiting(const pov_publisher *publisher)
{
    uint64_t sum = 0;
    for (int i = 0; i < publisher->subscription_len; i++)
        sum += (uint64_t)pov_backlog_length(publisher->backlog, publisher->subscriptions[i].queue);
    return sum;
}

/* What waits here, and the bytes that the kernel has and no subscriber has acknowledged: only less, until it is nothing. */
static uint64_t count_undelivered(const pov_publisher *publisher)
{
    uint64_t sum = waiting(publisher);
    for (int i = 0; i < publisher->subscription_len; i++) {
        int unsent = 0;
        if (ioctl(publisher->subscriptions[i].descriptor, SIOCOUTQ, &unsent) == 0 && unsent > 0)
            sum += (uint64_t)unsent;
    }
    return sum;
}

/* A socket that closes sends what waits in its pipes, but not the bytes that its connection has already taken from
 * them and the kernel had no room for. So the kernel must stay empty for a while: then there are none. Subscribers that take
 * nothing are not waited for. */
uint64_t pov_publisher_drain(pov_publisher *publisher, int timeout_ms)
{
    int left_ms = timeout_ms;
    uint64_t there = UINT64_MAX;
    for (int still_ms = 0; left_ms > 0; left_ms -= STEP_MS, poll(NULL, 0, STEP_MS)) {
        pov_publisher_poll(publisher);
        const uint64_t before = there;
        there = count_undelivered(publisher);
        still_ms = there == before ? still_ms + STEP_MS : 0;
        if (publisher->subscription_len == 0 || still_ms >= (there > 0 ? STALLED_MS : SETTLE_MS))
            break;
    }
    /* When the socket closes, libzmq sends the messages that it holds for the rest of the time. */
    const int linger_ms = there > 0 || left_ms < 0 ? 0 : left_ms;
    zmq_setsockopt(publisher->socket, ZMQ_LINGER, &linger_ms, sizeof linger_ms);
    return waiting(publisher);
}

static int longest_queue(const pov_publisher *publisher)
{
    int longest = 0;
    for (int i = 0; i < publisher->subscription_len; i++) {
        const int length = pov_backlog_length(publisher->backlog, publisher->subscriptions[i].queue);
        longest = length > longest ? length : longest;
    }
    return longest;
}

pov_publisher_statistics pov_publisher_statistics_of(const pov_publisher *publisher)
{
    return (pov_publisher_statistics){
        .subscriptions = (uint32_t)publisher->subscription_len,
        .waiting = longest_queue(publisher),
        .sent = publisher->sent,
        .lost = pov_backlog_lost_ever(publisher->backlog),
        .refused = publisher->refused + pov_accept_guard_refused(publisher->guard) +
                   (publisher->authenticator ? pov_authenticator_refused(publisher->authenticator) : 0),
    };
}

const char *pov_publisher_endpoint(const pov_publisher *publisher)
{
    return publisher->endpoint;
}

/* -------- coming and going -------- */

/* Half-open connections end by TCP's keep-alive, which the peer's kernel answers. ZeroMQ's own heartbeats,
 * and TCP_USER_TIMEOUT, would also cut off a subscriber that merely does not read. */
static bool set_options(void *socket)
{
    int64_t request_bytes_max = 1024; /* CURVE's INITIATE takes 257 and the metadata */
    return pov_socket_set(socket, ZMQ_XPUB_MANUAL, 1) && pov_socket_set(socket, ZMQ_XPUB_NODROP, 1) &&
           pov_socket_set(socket, ZMQ_SNDHWM, PIPE_CAPACITY) &&
           pov_socket_set(socket, ZMQ_RCVHWM, REQUEST_PIPE_CAPACITY) &&
           pov_socket_set(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS) && pov_socket_set(socket, ZMQ_LINGER, 0) &&
           pov_socket_set(socket, ZMQ_IPV6, 1) && pov_socket_set(socket, ZMQ_BACKLOG, 256) &&
           pov_socket_set(socket, ZMQ_TCP_KEEPALIVE, 1) &&
           pov_socket_set(socket, ZMQ_TCP_KEEPALIVE_IDLE, 10) &&
           pov_socket_set(socket, ZMQ_TCP_KEEPALIVE_INTVL, 5) &&
           pov_socket_set(socket, ZMQ_TCP_KEEPALIVE_CNT, 3) &&
           zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &request_bytes_max, sizeof request_bytes_max) == 0;
}

/* No bound on the events that wait for us: libzmq's thread would stop at it, and closing would then never
 * end. */
static bool open_sockets(pov_publisher *publisher)
{
    static const char address[] = "inproc://monitor";
    publisher->context = zmq_ctx_new();
    if (publisher->context == NULL)
        return false;
    publisher->socket = zmq_socket(publisher->context, ZMQ_XPUB);
    publisher->monitor = zmq_socket(publisher->context, ZMQ_PAIR);
    return publisher->socket != NULL && publisher->monitor != NULL && set_options(publisher->socket) &&
           pov_socket_set(publisher->monitor, ZMQ_RCVHWM, 0) &&
           pov_socket_set(publisher->monitor, ZMQ_LINGER, 0) &&
           zmq_socket_monitor(publisher->socket, address, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED) == 0 &&
           zmq_connect(publisher->monitor, address) == 0;
}

static pov_status open_publisher(pov_publisher *publisher, const pov_publisher_config *config)
{
    POV_TRY(pov_backlog_new(&publisher->backlog, config->subscriptions_max, config->queue_capacity));
    publisher->subscriptions = calloc((size_t)config->subscriptions_max, sizeof *publisher->subscriptions);
    if (publisher->subscriptions == NULL)
        return pov_error("out of memory for %d subscriptions", config->subscriptions_max);
    publisher->subscriptions_max = config->subscriptions_max;
    publisher->kept_of_key_max = config->connections_max / 4; /* half of those of an address */
    for (int i = 0; i < config->subscriptions_max; i++)
        publisher->subscriptions[i].queue = i;
    if (!open_sockets(publisher))
        return pov_error("cannot open a ZeroMQ socket: %s", zmq_strerror(zmq_errno()));
    if (config->keys) {
        POV_TRY(pov_authenticator_new(&publisher->authenticator, publisher->context, config->keys));
        POV_TRY(pov_authenticator_guard(publisher->authenticator, publisher->socket));
    }
    POV_TRY(pov_accept_guard_new(
        &publisher->guard, &(pov_accept_guard_config){.connections_max = config->connections_max,
                                                      .waiting_max_bytes = WAITING_MAX_BYTES,
                                                      .waiting_max_bytes_in_all = WAITING_MAX_BYTES_IN_ALL}));
    POV_TRY(pov_endpoint_bind(publisher->socket, publisher->guard, config->endpoint, "publish on"));
    publisher->has_path = pov_endpoint_path(config->endpoint) != NULL;
    size_t size = sizeof publisher->endpoint;
    POV_REQUIRE(zmq_getsockopt(publisher->socket, ZMQ_LAST_ENDPOINT, publisher->endpoint, &size) == 0);
    return pov_ok();
}

pov_status pov_publisher_new(pov_publisher **publisher, const pov_publisher_config *config)
{
    *publisher = calloc(1, sizeof **publisher);
    if (*publisher == NULL)
        return pov_error("out of memory for a publisher");
    pov_status status = open_publisher(*publisher, config);
    if (status.code != POV_OK)
        pov_publisher_destroy(publisher);
    return status;
}

void pov_publisher_destroy(pov_publisher **publisher)
{
    if (*publisher == NULL)
        return;
    if ((*publisher)->has_path)
        unlink(pov_endpoint_path((*publisher)->endpoint));
    pov_accept_guard_stop((*publisher)->guard);
    if ((*publisher)->socket != NULL)
        zmq_close((*publisher)->socket); /* first: it tells the monitor */
    pov_authenticator_destroy(&(*publisher)->authenticator);
    pov_socket_close((*publisher)->context, (*publisher)->monitor);
    pov_accept_guard_destroy(&(*publisher)->guard);
    pov_backlog_destroy(&(*publisher)->backlog);
    free((*publisher)->subscriptions);
    free((*publisher)->keyed);
    free(*publisher);
    *publisher = NULL;
}
