/** Observations and health as JSON: one object, one line. The names are stable; docs/JSON.md lists them. */
#pragma once

#include "protocol/observation/message.h"

#include <stdio.h>

/** Writes one line and flushes. POV_END if the stream's reader has gone, POV_ERROR if it cannot be written otherwise. Numbers that
 *  are unknown are null. */
POV_MUST_USE pov_status pov_json_write_observation(FILE *stream, const pov_observation *observation);
POV_MUST_USE pov_status pov_json_write_health(FILE *stream, const pov_health *health);
/** {"comparison": {...}}. */
POV_MUST_USE pov_status pov_json_write_comparison(FILE *stream, const pov_comparison *comparison);
/** An utterance, and the reply: {"exchange": {"speaker", "reply"}}. */
POV_MUST_USE pov_status pov_json_write_exchange(FILE *stream, const pov_exchange *exchange);
