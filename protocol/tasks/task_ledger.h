/** Leases of tasks to workers, so that no task is lost if a worker dies, hangs or leaves. Pure.
 *
 *  A task waits, or is leased to a worker until a time; leases are renewed by the worker's reports, even late ones if nobody
 *  else was given the task. When one ends, the task waits again, before the others. Whoever answers first, even after its lease, has answered: later answers are not new. */
#ifndef POV_PROTOCOL_TASKS_TASK_LEDGER_H
#define POV_PROTOCOL_TASKS_TASK_LEDGER_H

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum { POV_TASK_IDENTITY_CAPACITY = 16 };

typedef struct {
    int task_max, worker_max;
    int64_t lease_ns;
    int lease_max; /* times that a task is given out before it is given up */
} pov_task_ledger_config;

typedef struct pov_task_ledger pov_task_ledger;

POV_MUST_USE pov_status pov_task_ledger_new(pov_task_ledger **ledger, const pov_task_ledger_config *config);
void pov_task_ledger_destroy(pov_task_ledger **ledger);

/** A slot for a new task; -1: all are taken, or the ticket is there already. A ticket is never used again: late answers
 *  would be taken for the new task's. */
int pov_task_ledger_put(pov_task_ledger *ledger, uint64_t ticket);

/** A worker's report. Its leases on the tickets it holds are renewed. Capacity 0: it leaves, its tasks wait again.
 *  `identity`: at most POV_TASK_IDENTITY_CAPACITY bytes. Beyond worker_max, newcomers are not noted. */
void pov_task_ledger_report(pov_task_ledger *ledger, const void *identity, size_t identity_len, int capacity,
                            const uint64_t *held, size_t held_len, int64_t now_ns);
/** A worker, by its index, that cannot be reached any more: its tasks wait again. */
void pov_task_ledger_lose(pov_task_ledger *ledger, int index);
/** Ends leases and forgets workers whose time is up. */
void pov_task_ledger_expire(pov_task_ledger *ledger, int64_t now_ns);

/** Leases the task that has waited longest to the worker with the largest share of its places free. False: no task
 *  waits or no worker has a place. */
bool pov_task_ledger_assign(pov_task_ledger *ledger, int *slot, int *index, int64_t now_ns);
/** True if this answers a task for the first time: its slot is free then. */
bool pov_task_ledger_answer(pov_task_ledger *ledger, int *slot, uint64_t ticket);
/** A task that was leased lease_max times for nothing; its slot is free then. False: there is none. */
bool pov_task_ledger_give_up(pov_task_ledger *ledger, int *slot, uint64_t *ticket);

const void *pov_task_ledger_identity(const pov_task_ledger *ledger, size_t *len, int index);

typedef struct {
    int waiting, leased, workers;
    int64_t answered, again,
        repeated; /* tasks answered; leases that came to nothing; answers that were not new */
} pov_task_counts;
pov_task_counts pov_task_ledger_counts(const pov_task_ledger *ledger);

#endif
