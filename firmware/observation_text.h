/** An observation or health as people read it. */
#ifndef POV_FIRMWARE_OBSERVATION_TEXT_H
#define POV_FIRMWARE_OBSERVATION_TEXT_H

#include "perception/observation.h"

#include <stdio.h>

/** A block: the image, what became of the tags, a line for each entity, a line for each judgment that is true or abstains ("?"). */
void pov_text_observation(FILE *stream, const pov_observation *observation);
/** One line. */
void pov_text_health(FILE *stream, const pov_health *health);

#endif
