/** Does what has to stand on the table stand there? */
#pragma once

#include "compare/study/protocol.h"

/** Looks through the station's camera, and says what to move, until all that is wanted is right; with nothing wanted, it does not look.
 *  waits false, and with a camera that shows a simulated world or images taken before: one look.
 *  Returns: POV_ERROR naming each thing that is not right; POV_END: a stop was asked for. */
POV_MUST_USE pov_status pov_experiment_place(const pov_wanted_scene *wanted, const char *station_path,
                                             bool waits);
