/** A hypothetical viewer: "if I stand at the stove, facing the TV, is the sofa on my left?" Pure. */
#pragma once

#include "perception/scene/scene.h"

/** Lets a viewer of the scene stand where `at` is, and face `facing`. A person's height stays. The body of `at` then hides nothing
 *  from the viewer (visibility.h).
 *  Returns: POV_ERROR naming who has no place, or that two of the three are one, or that `at` and `facing` are at one place seen from
 *           above; the scene is then as it was.
 *  Method:  the viewer's position has the errors of `at`, its heading those of both ends, to first order. As for any two entities,
 *           its own errors count as independent of theirs. */
POV_MUST_USE pov_status pov_scene_imagine(pov_scene *scene, pov_id viewer, pov_id at, pov_id facing);

/** Adds a viewer of that name who stands so: an addressee without a body, whose height and field of view are those of the scene's
 *  first person who can see; where there is none, it has no field of view. */
POV_MUST_USE pov_status pov_scene_imagine_observer(pov_scene *scene, pov_id *observer, const char *name,
                                                   pov_id at, pov_id facing);
