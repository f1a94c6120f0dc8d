/** The device's side of questions that workers on other machines answer (protocol/vlm.proto): any number of workers come
 *  and go; a worker that dies, hangs or is cut off loses nothing; each task gets exactly one answer. One owning thread. */
#ifndef POV_PROTOCOL_TASKS_TASK_QUEUE_H
#define POV_PROTOCOL_TASKS_TASK_QUEUE_H

#include "protocol/tasks/task_ledger.h"
#include "protocol/tasks/task_message.h"

typedef struct {
    const char *endpoint; /* "tcp://0.0.0.0:5571" */
    pov_task_ledger_config ledger;
    uint64_t session; /* another for each process: answers to earlier ones' tasks are dropped */
} pov_task_queue_config;
#define POV_TASK_QUEUE_DEFAULT                                                                               \
    ((pov_task_queue_config){                                                                                \
        .endpoint = "tcp://127.0.0.1:5571",                                                                  \
        .ledger = {.task_max = 256, .worker_max = 64, .lease_ns = INT64_C(4000000000), .lease_max = 20}})

typedef struct pov_task_queue pov_task_queue;

/** Binds. Errors: endpoint malformed, in use, or not permitted. */
POV_MUST_USE pov_status pov_task_queue_new(pov_task_queue **queue, const pov_task_queue_config *config);
void pov_task_queue_destroy(pov_task_queue **queue);
/** The endpoint as bound (with the port chosen for "*"). */
const char *pov_task_queue_endpoint(const pov_task_queue *queue);

/** Takes in a task; its session is set here, the rest is copied. Its ticket comes back with its answer.
 *  Returns: POV_TIMEOUT: the queue is full; fetch an answer, then put again. */
POV_MUST_USE pov_status pov_task_queue_put(pov_task_queue *queue, const pov_task *task);

/** Works until an answer is there, or `wait_ms` passed. A task given up after lease_max workers is answered with outcome
 *  "unreachable".
 *  Returns: POV_OK with an answer, borrowed until the next call; POV_TIMEOUT: none yet (call again with the time it is
 *           then); POV_END: there are no tasks. */
POV_MUST_USE pov_status pov_task_queue_next(pov_task_queue *queue, pov_task_answer *answer, int64_t now_ns,
                                            int wait_ms);

pov_task_counts pov_task_queue_counts(const pov_task_queue *queue);

#endif
