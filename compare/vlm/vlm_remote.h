/** Questions that go to workers (protocol/tasks/task_queue.h) instead of to a client of one's own, with the same questions and the
 *  same results. Pure. */
#ifndef POV_COMPARE_VLM_VLM_REMOTE_H
#define POV_COMPARE_VLM_VLM_REMOTE_H

#include "compare/vlm/vlm_result.h"
#include "protocol/tasks/task_message.h"

/** Borrows all that the question borrows. */
pov_task pov_vlm_remote_task(uint64_t ticket, const pov_vlm_question *question);

/** Reads an answer as the client would have: a worker's word that a body is an answer is not relied on. `endpoint` is -1;
 *  the body is borrowed. */
void pov_vlm_remote_result(pov_vlm_result *result, const pov_task_answer *answer);

#endif
