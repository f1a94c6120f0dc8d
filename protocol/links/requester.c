#include "protocol/links/requester.h"

#include "protocol/links/authenticator.h"
#include "protocol/links/endpoint.h"
#include "protocol/observation/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum {
    WAITING_MAX_BYTES = 2 * POV_EXCHANGE_BYTES_MAX + 4096,
    LATE_MAX =
        1000 /* replies that came too late, before a request; chosen: a responder that sends more does not answer */
};

struct pov_requester {
    void *context, *socket;
    pov_relay *relay;
    char *reply;
};

static bool open_socket(pov_requester *requester)
{
    const int64_t bytes_max = POV_EXCHANGE_BYTES_MAX;
    requester->context = zmq_ctx_new();
    requester->socket = requester->context ? zmq_socket(requester->context, ZMQ_DEALER) : NULL;
    return requester->socket &&
           zmq_setsockopt(requester->socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof bytes_max) == 0 &&
           pov_socket_set(requester->socket, ZMQ_LINGER, 0) &&
           pov_socket_set(requester->socket, ZMQ_IMMEDIATE, 1); /* who is not there gets no request later */
}

static pov_status open_requester(pov_requester *requester, const pov_subscriber_config *config)
{
    if (!open_socket(requester))
        return pov_error("cannot open a ZeroMQ socket: %s", zmq_strerror(errno));
    if (config->keys)
        POV_TRY(pov_authenticate_to(requester->socket, config->keys, config->server));
    return pov_endpoint_connect(requester->socket, &requester->relay, config->endpoint, WAITING_MAX_BYTES);
}

pov_status pov_requester_new(pov_requester **requester, const pov_subscriber_config *config)
{
    *requester = calloc(1, sizeof **requester);
    if (!*requester)
        return pov_error("out of memory");
    const pov_status status = open_requester(*requester, config);
    if (status.code != POV_OK)
        pov_requester_destroy(requester);
    return status;
}

void pov_requester_destroy(pov_requester **requester)
{
    if (!*requester)
        return;
    pov_socket_close((*requester)->context, (*requester)->socket);
    pov_relay_destroy(&(*requester)->relay);
    free((*requester)->reply);
    free(*requester);
    *requester = NULL;
}

static pov_status wait_for_reply(pov_requester *requester)
{
    zmq_msg_t message;
    zmq_msg_init(&message);
    pov_status status;
    const bool came = zmq_msg_recv(&message, requester->socket, 0) >= 0;
    const int error = errno;
    if (came)
        pov_relay_take(requester->relay, zmq_msg_size(&message));
    if (!came && error == EAGAIN && pov_relay_drained(requester->relay))
        status = pov_error("what answers there sent more than %d bytes as one reply, and was cut off",
                           POV_EXCHANGE_BYTES_MAX);
    else if (!came)
        status = error == EAGAIN || error == EINTR ? pov_status_of(POV_TIMEOUT)
                                                   : pov_error("cannot receive: %s", zmq_strerror(error));
    else {
        free(requester->reply);
        requester->reply = strndup(zmq_msg_data(&message), zmq_msg_size(&message));
        status = requester->reply ? pov_ok() : pov_error("out of memory");
    }
    zmq_msg_close(&message);
    return status;
}

pov_status pov_requester_ask(pov_requester *requester, const char **reply, const char *request,
                             int timeout_ms)
{
    POV_REQUIRE(pov_socket_set(requester->socket, ZMQ_RCVTIMEO, 0));
    for (int i = 0; i < LATE_MAX && wait_for_reply(requester).code == POV_OK; i++)
        continue;
    POV_REQUIRE(pov_socket_set(requester->socket, ZMQ_SNDTIMEO, timeout_ms));
    POV_REQUIRE(pov_socket_set(requester->socket, ZMQ_RCVTIMEO, timeout_ms));
    if (zmq_send(requester->socket, request, strlen(request), 0) < 0)
        return errno == EAGAIN || errno == EINTR ? pov_status_of(POV_TIMEOUT)
                                                 : pov_error("cannot send: %s", zmq_strerror(errno));
    POV_TRY(wait_for_reply(requester));
    *reply = requester->reply;
    return pov_ok();
}
