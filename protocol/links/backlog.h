/** Messages that wait for slow subscriptions: one bounded queue each, the messages themselves shared by all
 * queues. A queue that is full loses its oldest message and counts it; so does every queue that holds the
 * oldest message of all when together they hold too much. Inside protocol/ only. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

struct zmq_msg_t;

enum {
    POV_TOPIC_CAPACITY = 64,
    POV_BACKLOG_BYTES_MAX = 64 << 20 /* of all waiting messages together */
};

typedef struct pov_backlog pov_backlog;
typedef struct pov_backlog_message pov_backlog_message;

/** Room for `queues` queues, numbered from 0, of `capacity` messages each. */
POV_MUST_USE pov_status pov_backlog_new(pov_backlog **backlog, int queues, int capacity);
void pov_backlog_destroy(pov_backlog **backlog);

/** Takes in a message, with one reference for the caller to release. NULL if memory ran out. */
pov_backlog_message *pov_backlog_add(pov_backlog *backlog, const char *topic, const uint8_t *bytes,
                                     size_t length);
void pov_backlog_release(pov_backlog *backlog, pov_backlog_message *message);
const char *pov_backlog_topic(const pov_backlog_message *message);
struct zmq_msg_t *pov_backlog_payload(pov_backlog_message *message);

void pov_backlog_push(pov_backlog *backlog, int index, pov_backlog_message *message);
/** Counts a message that never got as far as the queue. */
void pov_backlog_lose(pov_backlog *backlog, int index);
/** The one to send next, or NULL. */
pov_backlog_message *pov_backlog_oldest(const pov_backlog *backlog, int index);
/** The oldest went out, and with it the news of what was lost before it. */
void pov_backlog_pop(pov_backlog *backlog, int index);
/** Forgets all that waits and was lost: the queue has a new owner. */
void pov_backlog_clear(pov_backlog *backlog, int index);

int pov_backlog_length(const pov_backlog *backlog, int index);
/** Lost since the last pop, and by all queues ever. */
uint64_t pov_backlog_lost(const pov_backlog *backlog, int index);
uint64_t pov_backlog_lost_ever(const pov_backlog *backlog);
