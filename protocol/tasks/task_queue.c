#include "protocol/tasks/task_queue.h"

#include "protocol/links/endpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum { HEARTBEAT_MS = 1000, HEARTBEAT_TIMEOUT_MS = 5000 };

/** On the wire a task has a serial number of its own: callers use tickets again, answers may come late, and workers may
 *  hold tasks of an earlier process. So it begins at the session. */
typedef struct {
    uint64_t ticket;
    uint8_t *bytes; /* the task, encoded */
    size_t len;
} encoded;

struct pov_task_queue {
    pov_task_queue_config config;
    void *context, *socket;
    char endpoint[256];
    bool has_path;
    pov_task_ledger *ledger;
    encoded *tasks; /* by slot */
    uint64_t next_serial;
    pov_task_message message; /* the answer that is lent */
};

/* ---- coming and going ---- */

/* MANDATORY: sending to a worker that is gone, or that does not read, fails instead of dropping the task. */
static bool open_socket(pov_task_queue *queue)
{
    const int64_t bytes_max = POV_TASK_BYTES_MAX;
    queue->context = zmq_ctx_new();
    queue->socket = queue->context ? zmq_socket(queue->context, ZMQ_ROUTER) : NULL;
    return queue->socket && pov_socket_set(queue->socket, ZMQ_ROUTER_MANDATORY, 1) &&
           pov_socket_set(queue->socket, ZMQ_LINGER, 0) && pov_socket_set(queue->socket, ZMQ_IPV6, 1) &&
           pov_socket_set(queue->socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS) &&
           pov_socket_set(queue->socket, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS) &&
           zmq_setsockopt(queue->socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof bytes_max) == 0;
}

static pov_status open_queue(pov_task_queue *queue)
{
    POV_TRY(pov_task_ledger_new(&queue->ledger, &queue->config.ledger));
    queue->tasks = calloc((size_t)queue->config.ledger.task_max, sizeof *queue->tasks);
    if (!queue->tasks)
        return pov_error("out of memory for %d tasks", queue->config.ledger.task_max);
    if (!open_socket(queue))
        return pov_error("cannot open a ZeroMQ socket: %s", zmq_strerror(zmq_errno()));
    POV_TRY(pov_endpoint_bind(queue->socket, queue->config.endpoint));
    queue->has_path = pov_endpoint_path(queue->config.endpoint) != NULL;
    size_t size = sizeof queue->endpoint;
    POV_REQUIRE(zmq_getsockopt(queue->socket, ZMQ_LAST_ENDPOINT, queue->endpoint, &size) == 0);
    return pov_ok();
}

pov_status pov_task_queue_new(pov_task_queue **queue, const pov_task_queue_config *config)
{
    *queue = calloc(1, sizeof **queue);
    if (!*queue)
        return pov_error("out of memory for a queue of tasks");
    (*queue)->config = *config;
    (*queue)->next_serial = config->session;
    const pov_status status = open_queue(*queue);
    if (status.code != POV_OK)
        pov_task_queue_destroy(queue);
    return status;
}

void pov_task_queue_destroy(pov_task_queue **queue)
{
    pov_task_queue *q = *queue;
    if (!q)
        return;
    if (q->has_path)
        unlink(pov_endpoint_path(q->endpoint));
    pov_socket_close(q->context, q->socket);
    for (int i = 0; q->tasks && i < q->config.ledger.task_max; i++)
        free(q->tasks[i].bytes);
    free(q->tasks);
    pov_task_message_free(&q->message);
    pov_task_ledger_destroy(&q->ledger);
    free(q);
    *queue = NULL;
}

const char *pov_task_queue_endpoint(const pov_task_queue *queue)
{
    return queue->endpoint;
}

pov_task_counts pov_task_queue_counts(const pov_task_queue *queue)
{
    return pov_task_ledger_counts(queue->ledger);
}

/* ---- tasks out ---- */

pov_status pov_task_queue_put(pov_task_queue *queue, const pov_task *task)
{
    pov_task_message message = {.kind = POV_TASK_MESSAGE_TASK, .task = *task};
    message.task.session = queue->config.session;
    message.task.ticket = queue->next_serial;
    const int slot = pov_task_ledger_put(queue->ledger, message.task.ticket);
    if (slot < 0)
        return pov_status_of(POV_TIMEOUT);
    queue->next_serial++;
    encoded *e = &queue->tasks[slot];
    e->ticket = task->ticket;
    free(e->bytes);
    e->bytes = pov_task_message_encode(&e->len, &message);
    if (e->bytes)
        return pov_ok();
    int freed;
    pov_task_ledger_answer(queue->ledger, &freed, message.task.ticket);
    return pov_error("out of memory for a task");
}

static int send_frame(void *socket, const void *bytes, size_t len, int flags)
{
    int result;
    do {
        result = zmq_send(socket, bytes, len, flags | ZMQ_DONTWAIT);
    } while (result < 0 && errno == EINTR);
    return result;
}

/** A worker that cannot be sent to is lost: it reports again if it lives. */
static void give_out(pov_task_queue *queue, int64_t now_ns)
{
    for (int slot, worker; pov_task_ledger_assign(queue->ledger, &slot, &worker, now_ns);) {
        size_t len;
        const void *identity = pov_task_ledger_identity(queue->ledger, &len, worker);
        if (send_frame(queue->socket, identity, len, ZMQ_SNDMORE) < 0 ||
            send_frame(queue->socket, queue->tasks[slot].bytes, queue->tasks[slot].len, 0) < 0)
            pov_task_ledger_lose(queue->ledger, worker);
    }
}

/* ---- answers in ---- */

/** True if the message is an answer that counts; it is then lent. */
static bool take_message(pov_task_queue *queue, zmq_msg_t *identity, zmq_msg_t *body, int64_t now_ns)
{
    int slot;
    pov_task_message *message = &queue->message;
    pov_task_message_free(message);
    if (pov_task_message_decode(message, zmq_msg_data(body), zmq_msg_size(body), true).code != POV_OK)
        return false;
    if (message->kind == POV_TASK_MESSAGE_ANSWER) {
        const bool counts = message->answer.session == queue->config.session &&
                            pov_task_ledger_answer(queue->ledger, &slot, message->answer.ticket);
        if (counts)
            message->answer.ticket = queue->tasks[slot].ticket;
        return counts;
    }
    const pov_task_presence *presence = &message->presence;
    pov_task_ledger_report(queue->ledger, zmq_msg_data(identity), zmq_msg_size(identity), presence->capacity,
                           presence->held, presence->held_len, now_ns);
    return false;
}

/** An identity and one more frame; a message with another number of frames is not from a worker. */
static bool receive_message(pov_task_queue *queue, bool *counts, int64_t now_ns)
{
    zmq_msg_t frames[2], rest;
    int len = 0;
    zmq_msg_init(&frames[0]);
    zmq_msg_init(&frames[1]);
    zmq_msg_init(&rest);
    bool more = zmq_msg_recv(&frames[0], queue->socket, ZMQ_DONTWAIT) >= 0;
    const bool received = more;
    while (more) {
        zmq_msg_t *last = len == 0 ? &frames[0] : len == 1 ? &frames[1] : &rest;
        len++;
        more = zmq_msg_more(last) && zmq_msg_recv(len == 1 ? &frames[1] : &rest, queue->socket, 0) >= 0;
    }
    *counts = len == 2 && take_message(queue, &frames[0], &frames[1], now_ns);
    zmq_msg_close(&frames[0]);
    zmq_msg_close(&frames[1]);
    zmq_msg_close(&rest);
    return received;
}

static bool take_given_up(pov_task_queue *queue, pov_task_answer *answer)
{
    int slot;
    uint64_t serial;
    if (!pov_task_ledger_give_up(queue->ledger, &slot, &serial))
        return false;
    *answer = (pov_task_answer){.session = queue->config.session,
                                .ticket = queue->tasks[slot].ticket,
                                .outcome = "unreachable",
                                .cause = "many workers took this question, and none came back with an answer",
                                .server = "",
                                .model = "",
                                .body = ""};
    return true;
}

pov_status pov_task_queue_next(pov_task_queue *queue, pov_task_answer *answer, int64_t now_ns, int wait_ms)
{
    zmq_pollitem_t item = {.socket = queue->socket, .events = ZMQ_POLLIN};
    for (int turn = 0; turn < 2; turn++) {
        for (bool counts; receive_message(queue, &counts, now_ns);)
            if (counts) {
                *answer = queue->message.answer;
                return pov_ok();
            }
        pov_task_ledger_expire(queue->ledger, now_ns);
        if (take_given_up(queue, answer))
            return pov_ok();
        give_out(queue, now_ns);
        const pov_task_counts counts = pov_task_ledger_counts(queue->ledger);
        if (counts.waiting + counts.leased == 0)
            return pov_status_of(POV_END);
        if (turn == 0)
            zmq_poll(&item, 1, wait_ms);
    }
    return pov_status_of(POV_TIMEOUT);
}
