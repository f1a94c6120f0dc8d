#include "protocol/links/backlog.h"

#include <stdlib.h>
#include <string.h>
#include <zmq.h>

/* Slow subscriptions to different topics share no messages: room for the queues of that many to be full at
 * once. */
enum { MESSAGES_PER_CAPACITY = 4 };

struct pov_backlog_message {
    zmq_msg_t payload; /* shared with libzmq by reference */
    char topic[POV_TOPIC_CAPACITY];
    uint64_t order;
    int references; /* 0: free */
};

typedef struct {
    pov_backlog_message **ring;
    int head, len;
    uint64_t lost;
} queue;

struct pov_backlog {
    queue *queues;
    int queue_len, capacity;
    pov_backlog_message **rings; /* of all queues, in one piece */
    pov_backlog_message *messages;
    pov_backlog_message **unused;
    int message_len, unused_len;
    size_t bytes;
    uint64_t next_order, lost_ever;
};

static bool allocate_queues(pov_backlog *backlog)
{
    size_t queues = (size_t)backlog->queue_len, capacity = (size_t)backlog->capacity;
    backlog->message_len = backlog->unused_len = backlog->capacity * MESSAGES_PER_CAPACITY;
    backlog->queues = calloc(queues, sizeof *backlog->queues);
    backlog->rings = calloc(queues * capacity, sizeof *backlog->rings);
    backlog->messages = calloc((size_t)backlog->message_len, sizeof *backlog->messages);
    backlog->unused = calloc((size_t)backlog->message_len, sizeof *backlog->unused);
    if (backlog->queues == NULL || backlog->rings == NULL || backlog->messages == NULL ||
        backlog->unused == NULL)
        return false;
    for (size_t i = 0; i < queues; i++)
        backlog->queues[i].ring = backlog->rings + i * capacity;
    for (int i = 0; i < backlog->message_len; i++)
        backlog->unused[i] = &backlog->messages[i];
    return true;
}

pov_status pov_backlog_new(pov_backlog **backlog, int queues, int capacity)
{
    POV_REQUIRE(queues > 0 && capacity > 0);
    *backlog = calloc(1, sizeof **backlog);
    if (*backlog != NULL) {
        (*backlog)->queue_len = queues;
        (*backlog)->capacity = capacity;
        if (allocate_queues(*backlog))
            return pov_ok();
    }
    pov_backlog_destroy(backlog);
    return pov_error("out of memory for %d subscriptions with %d messages each", queues, capacity);
}

void pov_backlog_destroy(pov_backlog **backlog)
{
    if (*backlog == NULL)
        return;
    for (int i = 0; (*backlog)->queues != NULL && i < (*backlog)->queue_len; i++)
        pov_backlog_clear(*backlog, i);
    free((*backlog)->queues);
    free((*backlog)->rings);
    free((*backlog)->messages);
    free((*backlog)->unused);
    free(*backlog);
    *backlog = NULL;
}

void pov_backlog_release(pov_backlog *backlog, pov_backlog_message *message)
{
    if (--message->references > 0)
        return;
    backlog->bytes -= zmq_msg_size(&message->payload);
    zmq_msg_close(&message->payload);
    backlog->unused[backlog->unused_len++] = message;
}

pov_backlog_message *pov_backlog_oldest(const pov_backlog *backlog, int index)
{
    const queue *q = &backlog->queues[index];
    return q->len > 0 ? q->ring[q->head] : NULL;
}

static void drop_oldest(pov_backlog *backlog, queue *q)
{
    pov_backlog_message *message = q->ring[q->head];
    q->head = (q->head + 1) % backlog->capacity;
    q->len--;
    pov_backlog_release(backlog, message);
}

static void lose_oldest(pov_backlog *backlog, queue *q)
{
    drop_oldest(backlog, q);
    q->lost++;
    backlog->lost_ever++;
}

/* Queues are in order, so whoever still holds the oldest message of all holds it at the head. */
static void lose_oldest_everywhere(pov_backlog *backlog)
{
    pov_backlog_message *oldest = NULL;
    for (int i = 0; i < backlog->message_len; i++) {
        pov_backlog_message *candidate = &backlog->messages[i];
        if (candidate->references > 0 && (oldest == NULL || candidate->order < oldest->order))
            oldest = candidate;
    }
    for (int i = 0; i < backlog->queue_len; i++)
        if (pov_backlog_oldest(backlog, i) == oldest)
            lose_oldest(backlog, &backlog->queues[i]);
}

pov_backlog_message *pov_backlog_add(pov_backlog *backlog, const char *topic, const uint8_t *bytes,
                                     size_t length)
{
    POV_REQUIRE(strlen(topic) < POV_TOPIC_CAPACITY && length <= POV_BACKLOG_BYTES_MAX);
    while (backlog->unused_len == 0 || backlog->bytes + length > POV_BACKLOG_BYTES_MAX)
        lose_oldest_everywhere(backlog);
    pov_backlog_message *message = backlog->unused[backlog->unused_len - 1];
    if (zmq_msg_init_size(&message->payload, length) != 0)
        return NULL;
    backlog->unused_len--;
    backlog->bytes += length;
    memcpy(zmq_msg_data(&message->payload), bytes, length);
    strcpy(message->topic, topic);
    message->order = backlog->next_order++;
    message->references = 1;
    return message;
}

const char *pov_backlog_topic(const pov_backlog_message *message)
{
    return message->topic;
}

zmq_msg_t *pov_backlog_payload(pov_backlog_message *message)
{
    return &message->payload;
}

void pov_backlog_push(pov_backlog *backlog, int index, pov_backlog_message *message)
{
    queue *q = &backlog->queues[index];
    if (q->len == backlog->capacity)
        lose_oldest(backlog, q);
    q->ring[(q->head + q->len++) % backlog->capacity] = message;
    message->references++;
}

void pov_backlog_lose(pov_backlog *backlog, int index)
{
    backlog->queues[index].lost++;
    backlog->lost_ever++;
}

void pov_backlog_pop(pov_backlog *backlog, int index)
{
    drop_oldest(backlog, &backlog->queues[index]);
    backlog->queues[index].lost = 0;
}

void pov_backlog_clear(pov_backlog *backlog, int index)
{
    queue *q = &backlog->queues[index];
    while (q->len > 0)
        drop_oldest(backlog, q);
    q->lost = 0;
}

int pov_backlog_length(const pov_backlog *backlog, int index)
{
    return backlog->queues[index].len;
}

uint64_t pov_backlog_lost(const pov_backlog *backlog, int index)
{
    return backlog->queues[index].lost;
}

uint64_t pov_backlog_lost_ever(const pov_backlog *backlog)
{
    return backlog->lost_ever;
}
