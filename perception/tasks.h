/** Pieces of work that do not depend on one another, so that several processors may share them. */
#pragma once

#include <stddef.h>

/** Does piece `index`. `worker`, 0 .. POV_WORKERS_MAX - 1, is at one piece at a time: scratch memory may be its own. The output
 *  of a piece must depend on neither worker nor order. */
typedef void pov_task(void *context, int index, int worker);

enum { POV_WORKERS_MAX = 4 };

/** Those who share the work; firmware/pool.h. */
typedef struct {
    void (*run)(void *self, pov_task *task, void *context, int len);
    void *self;
    int len;
} pov_workers;

/** How many they are. workers NULL: one. */
static inline int pov_workers_len(const pov_workers *workers)
{
    return workers ? workers->len : 1;
}

/** Does all pieces and returns. workers NULL: one after another. */
static inline void pov_tasks_run(const pov_workers *workers, pov_task *task, void *context, int len)
{
    if (workers && len > 1) {
        workers->run(workers->self, task, context, len);
        return;
    }
    for (int i = 0; i < len; i++)
        task(context, i, 0);
}
