/** The scene of one moment, and what was judged of it: a dialogue asks for the same pair more than once. */
#pragma once

#include "perception/relations/relation.h"
#include "perception/status.h"
#include "perception/visibility/visibility.h"

typedef struct pov_moment pov_moment;

POV_MUST_USE pov_status pov_moment_new(pov_moment **moment);
void pov_moment_destroy(pov_moment **moment);

/** Begins with a scene and with what a station judged of who sees what. Forgets what was judged, unless all is as it was. Copies.
 *  POV_ERROR: Embree fails, out of memory. */
POV_MUST_USE pov_status pov_moment_start(pov_moment *moment, const pov_scene *scene,
                                         const pov_judging *judging, const pov_visibility *known,
                                         int known_len);
const pov_scene *pov_moment_scene(const pov_moment *moment);
/** Goes on with a scene that is not so, judged as before; nothing that a station judged counts for it. Copies.
 *  POV_ERROR: Embree fails. */
POV_MUST_USE pov_status pov_moment_imagine(pov_moment *moment, const pov_scene *scene);

/** pov_relation_evaluate of this scene, with the first acceptance of `judging`. Graded relations are judged as a station does
 *  (relation_panel.h): P within 0.015. */
pov_code pov_moment_relation(pov_moment *m, pov_judgment *judgment, const pov_query *asked);
/** `judged` things are now judged one after another: of more than eight, graded relations within 0.04. */
void pov_moment_hurry(pov_moment *moment, int judged);
/** As the station judged it, else pov_visibility_evaluate with the usual thresholds. */
pov_code pov_moment_look(pov_moment *moment, pov_visibility *visibility, pov_id viewer, pov_id target);
