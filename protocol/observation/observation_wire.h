/** Between pov_observation and the structs that protobuf-c generates; inside protocol/ only. */
#pragma once

#include "perception/observation/observation.h"
#include "perception/status.h"
#include "pov.pb-c.h"

/** Room for one observation as generated structs. */
typedef struct pov_packer pov_packer;

POV_MUST_USE pov_status pov_packer_new(pov_packer **packer);
void pov_packer_destroy(pov_packer **packer);

/** The observation, which pov_observation_check has passed, as a generated struct that points into `packer` and
 *  `observation`; valid until either changes. */
Pov__Observation *pov_packer_pack(pov_packer *packer, const pov_observation *observation);

/** Checks lengths, enums and indices of what came in, fills `observation`; its numbers are yet to be checked.
 */
POV_MUST_USE pov_status pov_observation_unpack(pov_observation *observation, const Pov__Observation *wire);
