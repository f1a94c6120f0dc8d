/** Why questions of a log have no answer, or none that can be scored. */
#pragma once

#include "compare/log/answer_log.h"

/** Warns of a model's commonest causes on stderr, one a line; says nothing where there are none. */
POV_MUST_USE pov_status pov_answer_causes_warn(pov_answer_log *log, int64_t model);
