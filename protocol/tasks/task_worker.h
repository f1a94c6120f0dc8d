/** A worker's side of protocol/tasks/task_queue.h. The device may come later, go, and come again. One owning thread. */
#ifndef POV_PROTOCOL_TASKS_TASK_WORKER_H
#define POV_PROTOCOL_TASKS_TASK_WORKER_H

#include "protocol/tasks/task_message.h"

typedef struct {
    const char *endpoint; /* the device's */
    const char *name;     /* for people */
    int capacity;         /* tasks at a time, 1..POV_TASK_CAPACITY_MAX */
    int64_t report_ns;    /* between reports: well below the device's lease */
} pov_task_worker_config;
#define POV_TASK_WORKER_DEFAULT                                                                              \
    ((pov_task_worker_config){                                                                               \
        .endpoint = "tcp://127.0.0.1:5571", .name = "", .capacity = 4, .report_ns = INT64_C(1000000000)})

typedef struct pov_task_worker pov_task_worker;

POV_MUST_USE pov_status pov_task_worker_new(pov_task_worker **worker, const pov_task_worker_config *config);
/** Takes leave: the device gives what is held to others at once. */
void pov_task_worker_destroy(pov_task_worker **worker);

/** Reports if it is time, and waits for a task.
 *  Returns: POV_OK with a task, borrowed until the next call and held until it is answered; POV_TIMEOUT: none came. A message
 *           that is no task: POV_SKIPPED, saying why. */
POV_MUST_USE pov_status pov_task_worker_next(pov_task_worker *worker, pov_task *task, int64_t now_ns,
                                             int wait_ms);

/** Reports if it is time, without taking a task: for a worker that has no room. */
void pov_task_worker_report(pov_task_worker *worker, int64_t now_ns);

/** Sends an answer; the session is filled in from the task's ticket.
 *  Returns: POV_ERROR if out of memory. */
POV_MUST_USE pov_status pov_task_worker_answer(pov_task_worker *worker, const pov_task_answer *answer);

/** Takes no more tasks: the last taken goes back to the device, the others may be finished. */
void pov_task_worker_close(pov_task_worker *worker, uint64_t last_ticket);

int pov_task_worker_held(const pov_task_worker *worker);

#endif
