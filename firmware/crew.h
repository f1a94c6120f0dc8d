/** A few threads that share pieces of work (perception/tasks.h). */
#pragma once

#include "perception/status.h"
#include "perception/tasks.h"

typedef struct pov_crew pov_crew;

/** As many workers as there are processors, POV_WORKERS_MAX at most, the caller's own thread among them. workers 0: that; else
 *  so many. A thread that cannot be started is done without. */
POV_MUST_USE pov_status pov_crew_new(pov_crew **crew, int workers);
void pov_crew_destroy(pov_crew **crew);

/** NULL if the caller is alone. A call while another thread's is at work does its pieces one after another. */
const pov_workers *pov_crew_workers(const pov_crew *crew);
