#include "protocol/links/subscriber.h"

#include "protocol/links/endpoint.h"
#include "protocol/observation/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { MESSAGES_AHEAD = 64 };

struct pov_subscriber {
    void *context, *socket;
    zmq_msg_t message;
};

static bool open_socket(pov_subscriber *subscriber, const char *topic)
{
    subscriber->context = zmq_ctx_new();
    if (subscriber->context == NULL)
        return false;
    subscriber->socket = zmq_socket(subscriber->context, ZMQ_SUB);
    const int64_t bytes_max = POV_MESSAGE_BYTES_MAX; /* libzmq ends the connection of who announces more */
    return subscriber->socket != NULL &&
           zmq_setsockopt(subscriber->socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof bytes_max) == 0 &&
           pov_socket_set(subscriber->socket, ZMQ_IPV6, 1) &&
           pov_socket_set(subscriber->socket, ZMQ_RCVHWM, MESSAGES_AHEAD) &&
           pov_socket_set(subscriber->socket, ZMQ_LINGER, 0) &&
           pov_socket_set(subscriber->socket, ZMQ_TCP_KEEPALIVE, 1) &&
           pov_socket_set(subscriber->socket, ZMQ_TCP_KEEPALIVE_IDLE, 10) &&
           pov_socket_set(subscriber->socket, ZMQ_TCP_KEEPALIVE_INTVL, 5) &&
           zmq_setsockopt(subscriber->socket, ZMQ_SUBSCRIBE, topic, strlen(topic)) == 0;
}

pov_status pov_subscriber_new(pov_subscriber **subscriber, const char *endpoint, const char *topic)
{
    *subscriber = calloc(1, sizeof **subscriber);
    if (*subscriber == NULL)
        return pov_error("out of memory for a subscriber");
    zmq_msg_init(&(*subscriber)->message);
    pov_status status = open_socket(*subscriber, topic)
                            ? pov_endpoint_connect((*subscriber)->socket, endpoint)
                            : pov_error("cannot open a ZeroMQ socket: %s", zmq_strerror(zmq_errno()));
    if (status.code != POV_OK)
        pov_subscriber_destroy(subscriber);
    return status;
}

void pov_subscriber_destroy(pov_subscriber **subscriber)
{
    if (*subscriber == NULL)
        return;
    zmq_msg_close(&(*subscriber)->message);
    pov_socket_close((*subscriber)->context, (*subscriber)->socket);
    free(*subscriber);
    *subscriber = NULL;
}

/* The last frame of the next message: the ones before it are its address. */
static pov_status receive_frame(pov_subscriber *subscriber)
{
    do {
        if (zmq_msg_recv(&subscriber->message, subscriber->socket, 0) < 0) {
            if (errno == EAGAIN || errno == EINTR)
                return pov_status_of(POV_TIMEOUT);
            return pov_error("cannot receive: %s", zmq_strerror(errno));
        }
    } while (zmq_msg_more(&subscriber->message));
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
