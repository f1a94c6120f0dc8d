/** Questions and answers between a device and its workers, as bytes (protocol/vlm.proto) and back. */
#ifndef POV_PROTOCOL_TASKS_TASK_MESSAGE_H
#define POV_PROTOCOL_TASKS_TASK_MESSAGE_H

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
    POV_TASK_SCHEMA_VERSION = 1,
    POV_TASK_BYTES_MAX = 64 << 20,
    POV_TASK_CAPACITY_MAX = 1024, /* questions that a worker takes at a time */
    POV_TASK_TOKEN_MAX = 65536,
    POV_TASK_LIKELY_MAX = 20
};

/** All texts and bytes are borrowed. */
typedef struct {
    uint64_t session, ticket;
    const char *prompt;
    const char *system; /* NULL: none */
    const uint8_t *image;
    size_t image_len; /* 0: none */
    const char *media_type;
    int token_max, likely_wanted;
} pov_task;

typedef struct {
    uint64_t session, ticket;
    const char *outcome, *cause, *server, *model;
    int attempts, http_status;
    int64_t latency_ns;
    double cost;
    const char *body; /* NUL-terminated when it was decoded */
    size_t body_len;
} pov_task_answer;

typedef struct {
    const char *name;
    int capacity;
    const uint64_t *held;
    size_t held_len;
} pov_task_presence;

/** One of three kinds of messages. */
typedef struct {
    enum { POV_TASK_MESSAGE_TASK, POV_TASK_MESSAGE_ANSWER, POV_TASK_MESSAGE_PRESENCE } kind;
    pov_task task;
    pov_task_answer answer;
    pov_task_presence presence;
    void *memory; /* that the borrowed parts live in */
} pov_task_message;

/** The bytes are the caller's to free(); NULL: out of memory. */
uint8_t *pov_task_message_encode(size_t *len, const pov_task_message *message);

/** Decodes untrusted bytes, in memory bounded by twice their number; who sent them decides what they may be.
 *  Returns: POV_ERROR saying what is wrong; the message is then empty. Else pov_task_message_free it. */
POV_MUST_USE pov_status pov_task_message_decode(pov_task_message *message, const uint8_t *bytes, size_t len,
                                                bool from_worker);
void pov_task_message_free(pov_task_message *message);

#endif
