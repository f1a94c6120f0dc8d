#include "protocol/links/subscriber.h"

#include "protocol/links/authenticator.h"
#include "protocol/links/endpoint.h"
#include "protocol/observation/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum {
    MESSAGES_AHEAD = 64,
    WAITING_MAX_BYTES = 2 * POV_MESSAGE_BYTES_MAX + 4096, /* and their addresses */
    BROKEN_HANDSHAKES_MAX = 3                             /* chosen: a publisher that restarts breaks one */
};

struct pov_subscriber {
    void *context, *socket, *monitor;
    pov_relay *relay;
    zmq_msg_t message;
    bool has_keys;
    int broken_handshakes; /* without a reason that libzmq tells */
};

#define MONITOR "inproc://monitor"

static bool open_sockets(pov_subscriber *subscriber, const char *topic)
{
    subscriber->context = zmq_ctx_new();
    if (subscriber->context == NULL)
        return false;
    subscriber->socket = zmq_socket(subscriber->context, ZMQ_SUB);
    subscriber->monitor = zmq_socket(subscriber->context, ZMQ_PAIR);
    const int64_t bytes_max = POV_MESSAGE_BYTES_MAX; /* libzmq ends the connection of who announces more */
    return subscriber->socket != NULL && subscriber->monitor != NULL &&
           zmq_socket_monitor(subscriber->socket, MONITOR,
                              ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                  ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL) == 0 &&
           zmq_connect(subscriber->monitor, MONITOR) == 0 &&
           pov_socket_set(subscriber->monitor, ZMQ_LINGER, 0) &&
           zmq_setsockopt(subscriber->socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof bytes_max) == 0 &&
           pov_socket_set(subscriber->socket, ZMQ_RCVHWM, MESSAGES_AHEAD) &&
           pov_socket_set(subscriber->socket, ZMQ_LINGER, 0) &&
           zmq_setsockopt(subscriber->socket, ZMQ_SUBSCRIBE, topic, strlen(topic)) == 0;
}

static pov_status open_subscriber(pov_subscriber *subscriber, const pov_subscriber_config *config)
{
    if (!open_sockets(subscriber, config->topic))
        return pov_error("cannot open a ZeroMQ socket: %s", zmq_strerror(zmq_errno()));
    subscriber->has_keys = config->keys != NULL;
    if (config->keys)
        POV_TRY(pov_authenticate_to(subscriber->socket, config->keys, config->server));
    return pov_endpoint_connect(subscriber->socket, &subscriber->relay, config->endpoint, WAITING_MAX_BYTES);
}

pov_status pov_subscriber_new(pov_subscriber **subscriber, const pov_subscriber_config *config)
{
    *subscriber = calloc(1, sizeof **subscriber);
    if (*subscriber == NULL)
        return pov_error("out of memory for a subscriber");
    zmq_msg_init(&(*subscriber)->message);
    pov_status status = open_subscriber(*subscriber, config);
    if (status.code != POV_OK)
        pov_subscriber_destroy(subscriber);
    return status;
}

void pov_subscriber_destroy(pov_subscriber **subscriber)
{
    if (*subscriber == NULL)
        return;
    zmq_msg_close(&(*subscriber)->message);
    if ((*subscriber)->monitor)
        zmq_close((*subscriber)->monitor);
    pov_socket_close((*subscriber)->context, (*subscriber)->socket);
    pov_relay_destroy(&(*subscriber)->relay);
    free(*subscriber);
    *subscriber = NULL;
}

double pov_subscriber_round_trip_s(const pov_subscriber *subscriber)
{
    return pov_relay_round_trip_s(subscriber->relay);
}

/* Why the publisher, if it answers, does not let us in. An event: uint16 number, uint32 value, in the machine's byte order. */
static pov_status explain_silence(pov_subscriber *subscriber)
{
    uint8_t event[6];
    uint16_t number;
    do { /* the second frame of an event is the endpoint */
        if (zmq_recv(subscriber->monitor, event, sizeof event, ZMQ_DONTWAIT) < 0)
            return pov_status_of(POV_TIMEOUT);
        memcpy(&number, event, sizeof number);
        zmq_recv(subscriber->monitor, NULL, 0, ZMQ_DONTWAIT);
    } while (number == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL &&
             (!subscriber->has_keys || ++subscriber->broken_handshakes < BROKEN_HANDSHAKES_MAX));
    if (number == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL)
        return pov_error(
            "the publisher ends the connection while keys are exchanged: its key is not the one that this "
            "machine "
            "knows; take a new copy of its self.key ('pov keys remove NAME', 'pov keys allow FILE')");
    if (number == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
        return pov_error("the publisher does not allow this machine's key: run 'pov keys allow FILE' there, "
                         "with a copy of the "
                         "self.key that 'pov keys show' names here");
    return pov_error(
        "the publisher and this program do not agree about keys: one of them uses CURVE keys, the other none "
        "(--server NAME uses them here), or it is no ZeroMQ publisher");
}

static pov_status skip_endless(void)
{
    pov_status status = pov_error(
        "the publisher sent more than %d bytes that are no message, and was cut off", POV_MESSAGE_BYTES_MAX);
    status.code = POV_SKIPPED;
    return status;
}

/* The last frame of the next message: the ones before it are its address. */
static pov_status receive_frame(pov_subscriber *subscriber)
{
    do {
        if (zmq_msg_recv(&subscriber->message, subscriber->socket, 0) < 0) {
            if (errno == EAGAIN && pov_relay_drained(subscriber->relay))
                return skip_endless();
            if (errno == EAGAIN || errno == EINTR)
                return explain_silence(subscriber);
            return pov_error("cannot receive: %s", zmq_strerror(errno));
        }
        pov_relay_take(subscriber->relay, zmq_msg_size(&subscriber->message));
    } while (zmq_msg_more(&subscriber->message));
    subscriber->broken_handshakes = 0;
    return pov_ok();
}

pov_status pov_subscriber_next(pov_subscriber *subscriber, const uint8_t **bytes, size_t *length,
                               int timeout_ms)
{
    *bytes = NULL;
    *length = 0;
    POV_REQUIRE(pov_socket_set(subscriber->socket, ZMQ_RCVTIMEO, timeout_ms));
    POV_TRY(receive_frame(subscriber));
    *bytes = zmq_msg_data(&subscriber->message);
    *length = zmq_msg_size(&subscriber->message);
    return pov_ok();
}
