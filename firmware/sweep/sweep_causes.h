/** Why questions have no answer, or none that can be scored, told to who waits for them. */
#ifndef POV_FIRMWARE_SWEEP_SWEEP_CAUSES_H
#define POV_FIRMWARE_SWEEP_SWEEP_CAUSES_H

#include "compare/log/answer_log.h"

/** Warns of the commonest causes on stderr, one a line; says nothing where there are none. */
POV_MUST_USE pov_status pov_sweep_causes_warn(pov_answer_log *log, int64_t model);

#endif
