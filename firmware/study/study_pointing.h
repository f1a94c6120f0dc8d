/** The thing that a participant points at, in a scene as it was judged. Pure. */
#pragma once

#include "perception/scene/scene.h"
#include "perception/status.h"

/** Finds the one thing that the addressee's hand (or, without an addressee, the only hand that points) is likelier at than not.
 *  Out: pick: its id, the scene's; reading: JSON with each thing's probability, the caller's to free().
 *  Returns: POV_UNDEFINED, with what to do: no hand points, at nothing surely, or at several things. */
POV_MUST_USE pov_status pov_study_pointed(const char **pick, char **reading, const pov_scene *scene);
