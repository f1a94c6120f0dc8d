/** Health as generated structs, and back. */
#pragma once

#include "perception/observation/observation.h"
#include "pov.pb-c.h"

typedef struct pov_health_packer pov_health_packer;

POV_MUST_USE pov_status pov_health_packer_new(pov_health_packer **packer);
void pov_health_packer_destroy(pov_health_packer **packer);

/** Health as a generated struct that points into `packer`; valid until it is used again. */
Pov__Health *pov_health_pack(pov_health_packer *packer, const pov_health *health);
/** Errors name the field. */
POV_MUST_USE pov_status pov_health_unpack(pov_health *health, const Pov__Health *wire);
