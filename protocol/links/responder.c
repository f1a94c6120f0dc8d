#include "protocol/links/responder.h"

#include "protocol/links/authenticator.h"
#include "protocol/links/endpoint.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum {
    REQUESTS_AHEAD = 2, /* for each peer; the next ones wait in the kernel. Chosen. */
    REPLIES_AHEAD = 16, /* for each peer; chosen */
    BACKLOG = 64,       /* connections not yet taken; chosen */
    HANDSHAKE_MS = 5000,
    /* More than the requests ahead, one that is coming and what libzmq reads at once. */
    WAITING_MAX_BYTES = 6 * (POV_RESPONDER_BYTES_MAX + 1024),
    /* A connection that is replaced ends when all that libzmq has read of it is taken: a few short questions. Chosen. */
    READ_MAX_BYTES = 64,
    GONE_AT_ONCE_MAX =
        1024 /* requests of peers that have gone, until the caller is asked whether it ends; chosen */
};

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
           pov_socket_set(responder->socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS) &&
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
    POV_TRY(pov_accept_guard_new(&responder->guard,
                                 &(pov_accept_guard_config){.connections_max = connections_max,

                                                            .waiting_max_bytes = WAITING_MAX_BYTES,
                                                            .read_max_bytes = READ_MAX_BYTES}));
    return pov_endpoint_bind(responder->socket, responder->guard, endpoint, "answer questions on");
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

/* POV_TIMEOUT: none waits. */
static pov_status receive_frame(zmq_msg_t *frame, void *socket, int flags)
{
    int length;
    do
        length = zmq_msg_recv(frame, socket, flags);
    while (length < 0 && errno == EINTR && flags == ZMQ_DONTWAIT);
    if (length >= 0)
        return pov_ok();
    return errno == EAGAIN || errno == EINTR ? pov_status_of(POV_TIMEOUT)
                                             : pov_error("cannot receive: %s", zmq_strerror(errno));
}

static size_t copy_frame(void *bytes, size_t capacity, zmq_msg_t *frame)
{
    const size_t size = zmq_msg_size(frame), length = size < capacity ? size : capacity;
    memcpy(bytes, zmq_msg_data(frame), length);
    return length;
}

/* The frames after the peer's identity; the last one is the request. Out: descriptor: of the connection. */
static pov_status receive_rest(pov_responder *responder, pov_asked *asked, int *descriptor, zmq_msg_t *frame)
{
    for (int i = 0; zmq_msg_more(frame); i++) {
        POV_TRY(receive_frame(frame, responder->socket, ZMQ_DONTWAIT));
        *descriptor = zmq_msg_get(frame, ZMQ_SRCFD);
        pov_accept_guard_take(responder->guard, *descriptor, zmq_msg_size(frame));
        const size_t size = zmq_msg_size(frame);
        const bool more = zmq_msg_more(frame);
        if (i == 0 && size > 0 && size <= sizeof asked->number && more)
            asked->number_len = copy_frame(asked->number, sizeof asked->number, frame);
        asked->delimited = asked->delimited || (i <= (asked->number_len > 0) && size == 0 && more);
        asked->length = copy_frame(asked->text, POV_RESPONDER_BYTES_MAX, frame);
    }
    asked->text[asked->length] = '\0';
    return pov_ok();
}

static pov_status receive_request(pov_responder *responder, pov_asked *asked, int *descriptor)
{
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    asked->delimited = false;
    asked->number_len = 0;
    asked->length = 0;
    *descriptor = -1;
    pov_status status = receive_frame(&frame, responder->socket, 0);
    if (status.code == POV_OK) {
        asked->peer_len = copy_frame(asked->peer, sizeof asked->peer, &frame);
        status = receive_rest(responder, asked, descriptor, &frame);
    }
    zmq_msg_close(&frame);
    return status;
}

/* A request that nobody waits for any more would keep others waiting, and libzmq from closing its connection. */
static bool has_gone(int descriptor)
{
    struct pollfd peer = {.fd = descriptor, .events = POLLRDHUP};
    return descriptor >= 0 && poll(&peer, 1, 0) == 1 && peer.revents != 0;
}

pov_status pov_responder_next(pov_responder *responder, pov_asked *asked, int timeout_ms)
{
    int descriptor = -1;
    if (responder->authenticator)
        (void)pov_authenticator_poll(responder->authenticator);
    POV_REQUIRE(pov_socket_set(responder->socket, ZMQ_RCVTIMEO, timeout_ms));
    for (int i = 0; i < GONE_AT_ONCE_MAX; i++) {
        const pov_status status = receive_request(responder, asked, &descriptor);
        if (status.code == POV_OK && has_gone(descriptor))
            continue;
        pov_accept_guard_drained(responder->guard);
        return status;
    }
    return pov_status_of(POV_TIMEOUT);
}

const char *pov_responder_news(pov_responder *responder)
{
    return responder->authenticator ? pov_authenticator_news(responder->authenticator) : NULL;
}

void pov_responder_reply(pov_responder *responder, const pov_asked *asked, const char *text, size_t length)
{
    const int flags = ZMQ_DONTWAIT;
    const bool is_numbered = asked->delimited && asked->number_len > 0;
    if (zmq_send(responder->socket, asked->peer, asked->peer_len, flags | ZMQ_SNDMORE) < 0 ||
        (is_numbered &&
         zmq_send(responder->socket, asked->number, asked->number_len, flags | ZMQ_SNDMORE) < 0) ||
        (asked->delimited && zmq_send(responder->socket, "", 0, flags | ZMQ_SNDMORE) < 0))
        return;
    (void)zmq_send(responder->socket, text, length, flags);
}
