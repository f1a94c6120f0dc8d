#include "protocol/links/responder.h"

#include "protocol/links/authenticator.h"
#include "protocol/links/endpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zmq.h>

enum {
    REQUESTS_AHEAD = 16,
    REPLIES_AHEAD = 16,
    BACKLOG = 64
}; /* for each peer; connections not yet taken. Chosen. */

struct pov_responder {
    void *context, *socket;
    pov_accept_guard *guard;
    pov_authenticator *authenticator; /* NULL: anyone */
    char endpoint[256];
};

static bool open_socket(pov_responder *responder)
{
    const int64_t bytes_max = POV_RESPONDER_BYTES_MAX;
    responder->context = zmq_ctx_new();
    responder->socket = responder->context ? zmq_socket(responder->context, ZMQ_ROUTER) : NULL;
    return responder->socket &&
           zmq_setsockopt(responder->socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof bytes_max) == 0 &&
           pov_socket_set(responder->socket, ZMQ_IPV6, 1) &&
           pov_socket_set(responder->socket, ZMQ_LINGER, 0) &&
           pov_socket_set(responder->socket, ZMQ_RCVHWM, REQUESTS_AHEAD) &&
           pov_socket_set(responder->socket, ZMQ_SNDHWM, REPLIES_AHEAD) &&
           pov_socket_set(responder->socket, ZMQ_BACKLOG, BACKLOG) &&
           pov_socket_set(responder->socket, ZMQ_TCP_KEEPALIVE, 1);
}

static pov_status open_responder(pov_responder *responder, const char *endpoint, const char *keys,
                                 int connections_max)
{
    if (!open_socket(responder))
        return pov_error("cannot open a ZeroMQ socket: %s", zmq_strerror(errno));
    if (keys) {
        POV_TRY(pov_authenticator_new(&responder->authenticator, responder->context, keys));
        POV_TRY(pov_authenticator_guard(responder->authenticator, responder->socket));
    }
    POV_TRY(pov_accept_guard_new(&responder->guard, connections_max));
    return pov_endpoint_bind(responder->socket, responder->guard, endpoint);
}

pov_status pov_responder_new(pov_responder **responder, const char *endpoint, const char *keys,
                             int connections_max)
{
    *responder = calloc(1, sizeof **responder);
    if (!*responder)
        return pov_error("out of memory");
    size_t length = sizeof(*responder)->endpoint;
    pov_status status = open_responder(*responder, endpoint, keys, connections_max);
    if (status.code == POV_OK &&
        zmq_getsockopt((*responder)->socket, ZMQ_LAST_ENDPOINT, (*responder)->endpoint, &length) != 0)
        snprintf((*responder)->endpoint, sizeof(*responder)->endpoint, "%s", endpoint);
    if (status.code != POV_OK)
        pov_responder_destroy(responder);
    return status;
}

void pov_responder_destroy(pov_responder **responder)
{
    if (!*responder)
        return;
    const char *path = pov_endpoint_path((*responder)->endpoint);
    pov_accept_guard_stop((*responder)->guard);
    if ((*responder)->socket)
        zmq_close((*responder)->socket);
    pov_authenticator_destroy(&(*responder)->authenticator);
    pov_socket_close((*responder)->context, NULL);
    pov_accept_guard_destroy(&(*responder)->guard);
    if ((*responder)->endpoint[0] != '\0' && path)
        unlink(path); /* libzmq leaves it */
    free(*responder);
    *responder = NULL;
}

const char *pov_responder_endpoint(const pov_responder *responder)
{
    return responder->endpoint;
}

/* A frame of the message; what does not fit is cut. Returns its whole length; -1: none came. */
static int receive_frame(void *socket, void *bytes, size_t capacity, bool *more)
{
    int length, has_more = 0;
    size_t size = sizeof has_more;
    do
        length = zmq_recv(socket, bytes, capacity, 0);
    while (length < 0 && errno == EINTR && *more);
    if (length >= 0)
        zmq_getsockopt(socket, ZMQ_RCVMORE, &has_more, &size);
    *more = has_more != 0;
    return length;
}

pov_status pov_responder_next(pov_responder *responder, pov_asked *asked, int timeout_ms)
{
    bool more = false;
    if (responder->authenticator)
        (void)pov_authenticator_poll(responder->authenticator);
    POV_REQUIRE(pov_socket_set(responder->socket, ZMQ_RCVTIMEO, timeout_ms));
    int length = receive_frame(responder->socket, asked->peer, sizeof asked->peer, &more);
    if (length < 0)
        return errno == EAGAIN || errno == EINTR ? pov_status_of(POV_TIMEOUT)
                                                 : pov_error("cannot receive: %s", zmq_strerror(errno));
    asked->peer_len = (size_t)length;
    asked->delimited = false;
    asked->length = 0;
    for (int frame = 0; more; frame++) { /* the last one is the request */
        length = receive_frame(responder->socket, asked->text, POV_RESPONDER_BYTES_MAX, &more);
        asked->delimited = asked->delimited || (frame == 0 && length == 0 && more);
        asked->length = length < 0                                 ? 0
                        : (size_t)length < POV_RESPONDER_BYTES_MAX ? (size_t)length
                                                                   : POV_RESPONDER_BYTES_MAX;
    }
    asked->text[asked->length] = '\0';
    return pov_ok();
}

void pov_responder_reply(pov_responder *responder, const pov_asked *asked, const char *text, size_t length)
{
    const int flags = ZMQ_DONTWAIT;
    if (zmq_send(responder->socket, asked->peer, asked->peer_len, flags | ZMQ_SNDMORE) < 0 ||
        (asked->delimited && zmq_send(responder->socket, "", 0, flags | ZMQ_SNDMORE) < 0))
        return;
    (void)zmq_send(responder->socket, text, length, flags);
}
