/** A few threads that share pieces of work (perception/tasks.h). */
#pragma once

#include "perception/status.h"
#include "perception/tasks.h"

typedef struct pov_thread_pool pov_thread_pool;

/** As many workers as there are processors, POV_WORKERS_MAX at most, the caller's own thread among them. workers 0: that; else
 *  so many. A thread that cannot be started is done without. */
POV_MUST_USE pov_status pov_thread_pool_new(pov_thread_pool **pool, int workers);
void pov_thread_pool_destroy(pov_thread_pool **pool);

/** NULL if the caller is alone. A call while another thread's is at work does its pieces one after another. */
const pov_workers *pov_thread_pool_workers(const pov_thread_pool *pool);
