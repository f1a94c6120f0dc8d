#include "protocol/tasks/task_worker.h"

#include "protocol/links/endpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum {
    HEARTBEAT_MS = 1000,
    HEARTBEAT_TIMEOUT_MS = 5000,
    RECONNECT_MS = 200,
    RECONNECT_MAX_MS = 2000,
    LEAVE_MS = 1000
};

struct pov_task_worker {
    pov_task_worker_config config;
    void *context, *socket;
    int64_t report_due_ns;
    bool closed;
    int held_len;
    uint64_t held[POV_TASK_CAPACITY_MAX], sessions[POV_TASK_CAPACITY_MAX];
    pov_task_message message; /* the task that is lent */
};

/* Messages to a device that is away are dropped, except the latest answers: when it is back it asks again. */
static bool open_socket(pov_task_worker *worker)
{
    const int64_t bytes_max = POV_TASK_BYTES_MAX;
    worker->context = zmq_ctx_new();
    worker->socket = worker->context ? zmq_socket(worker->context, ZMQ_DEALER) : NULL;
    return worker->socket && pov_socket_set(worker->socket, ZMQ_LINGER, LEAVE_MS) &&
           pov_socket_set(worker->socket, ZMQ_IPV6, 1) &&
           pov_socket_set(worker->socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS) &&
           pov_socket_set(worker->socket, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS) &&
           pov_socket_set(worker->socket, ZMQ_RECONNECT_IVL, RECONNECT_MS) &&
           pov_socket_set(worker->socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS) &&
           zmq_setsockopt(worker->socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof bytes_max) == 0;
}

pov_status pov_task_worker_new(pov_task_worker **worker, const pov_task_worker_config *config)
{
    POV_REQUIRE(config->capacity >= 1 && config->capacity <= POV_TASK_CAPACITY_MAX && config->report_ns > 0);
    *worker = calloc(1, sizeof **worker);
    if (!*worker)
        return pov_error("out of memory for a worker");
    (*worker)->config = *config;
    (*worker)->report_due_ns = INT64_MIN;
    const pov_status status = open_socket(*worker)
                                  ? pov_endpoint_connect((*worker)->socket, config->endpoint)
                                  : pov_error("cannot open a ZeroMQ socket: %s", zmq_strerror(zmq_errno()));
    if (status.code != POV_OK)
        pov_task_worker_destroy(worker);
    return status;
}

static bool send_message(pov_task_worker *worker, const pov_task_message *message)
{
    size_t len;
    uint8_t *bytes = pov_task_message_encode(&len, message);
    int result = -1;
    if (bytes)
        do {
            result = zmq_send(worker->socket, bytes, len, ZMQ_DONTWAIT);
        } while (result < 0 && errno == EINTR);
    free(bytes);
    return bytes != NULL;
}

static void send_presence(pov_task_worker *worker, int capacity)
{
    send_message(worker, &(pov_task_message){.kind = POV_TASK_MESSAGE_PRESENCE,
                                             .presence = {.name = worker->config.name,
                                                          .capacity = capacity,
                                                          .held = worker->held,
                                                          .held_len = (size_t)worker->held_len}});
}

void pov_task_worker_destroy(pov_task_worker **worker)
{
    pov_task_worker *w = *worker;
    if (!w)
        return;
    if (w->socket)
        send_presence(w, 0);
    pov_socket_close(w->context, w->socket);
    pov_task_message_free(&w->message);
    free(w);
    *worker = NULL;
}

void pov_task_worker_report(pov_task_worker *worker, int64_t now_ns)
{
    if (now_ns < worker->report_due_ns)
        return;
    worker->report_due_ns = now_ns + worker->config.report_ns;
    send_presence(worker, worker->closed ? worker->held_len : worker->config.capacity);
}

static bool is_held(const pov_task_worker *worker, uint64_t ticket)
{
    for (int i = 0; i < worker->held_len; i++)
        if (worker->held[i] == ticket)
            return true;
    return false;
}

static pov_status take_task(pov_task_worker *worker, pov_task *task, zmq_msg_t *frame)
{
    pov_task_message_free(&worker->message);
    const pov_status status =
        pov_task_message_decode(&worker->message, zmq_msg_data(frame), zmq_msg_size(frame), false);
    if (status.code != POV_OK)
        return pov_status_with(POV_SKIPPED, "%s: %s", worker->config.endpoint, status.message);
    *task = worker->message.task;
    if (is_held(worker, task->ticket) || worker->held_len == POV_TASK_CAPACITY_MAX)
        return pov_status_of(POV_TIMEOUT);
    worker->sessions[worker->held_len] = task->session;
    worker->held[worker->held_len++] = task->ticket;
    return pov_ok();
}

pov_status pov_task_worker_next(pov_task_worker *worker, pov_task *task, int64_t now_ns, int wait_ms)
{
    zmq_pollitem_t item = {.socket = worker->socket, .events = ZMQ_POLLIN};
    zmq_msg_t frame;
    pov_task_worker_report(worker, now_ns);
    if (zmq_poll(&item, 1, wait_ms) <= 0)
        return pov_status_of(POV_TIMEOUT);
    zmq_msg_init(&frame);
    pov_status status = pov_status_of(POV_TIMEOUT);
    if (zmq_msg_recv(&frame, worker->socket, ZMQ_DONTWAIT) >= 0)
        status = take_task(worker, task, &frame);
    while (zmq_msg_more(&frame) && zmq_msg_recv(&frame, worker->socket, 0) >= 0)
        continue;
    zmq_msg_close(&frame);
    return status;
}

/** Returns the session that the ticket is of. */
static uint64_t let_go(pov_task_worker *worker, uint64_t ticket)
{
    for (int i = 0; i < worker->held_len; i++)
        if (worker->held[i] == ticket) {
            const uint64_t session = worker->sessions[i];
            worker->held[i] = worker->held[--worker->held_len];
            worker->sessions[i] = worker->sessions[worker->held_len];
            return session;
        }
    return 0;
}

void pov_task_worker_close(pov_task_worker *worker, uint64_t last_ticket)
{
    let_go(worker, last_ticket);
    worker->closed = true;
    worker->report_due_ns = INT64_MIN;
}

pov_status pov_task_worker_answer(pov_task_worker *worker, const pov_task_answer *answer)
{
    pov_task_message message = {.kind = POV_TASK_MESSAGE_ANSWER, .answer = *answer};
    message.answer.session = let_go(worker, answer->ticket);
    return send_message(worker, &message) ? pov_ok() : pov_error("out of memory for an answer");
}

int pov_task_worker_held(const pov_task_worker *worker)
{
    return worker->held_len;
}
