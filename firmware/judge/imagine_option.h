/** --imagine AT:FACING: a hypothetical viewer for commands that judge a scene. */
#pragma once

#include "perception/scene/scene.h"

/** Adds the viewer that "stove:tv" describes, with the id "observer"; NULL or "": none. POV_ERROR names what the scene does not have. */
POV_MUST_USE pov_status pov_imagine_option_apply(pov_scene *scene, const char *text);
