/** Checks that an observation is well-formed: the encoder sends, and the decoder delivers, no other.
 */
#pragma once

#include "perception/observation/observation.h"
#include "perception/status.h"

/** POV_ERROR names the entity, judgment or field, and what is wrong with it. Lists and enums must be in their
 * bounds already. */
POV_MUST_USE pov_status pov_observation_check(const pov_observation *observation);
/** True if rate and latencies are not negative where they are known. */
bool pov_health_is_valid(const pov_health *health);
