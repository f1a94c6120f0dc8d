/** Visibility in a scene, as text and as JSON. */
#pragma once

#include "perception/visibility/visibility.h"

#include <stdio.h>

struct cJSON;

/** A line for each viewer and thing: "woman sees ball   yes 1.000   92 % of it", or why not; nothing without viewers.
 *  POV_ERROR: Embree fails. */
POV_MUST_USE pov_status pov_judge_print_visibility(FILE *stream, const pov_scene *scene);
/** The same as elements of a JSON list. */
POV_MUST_USE pov_status pov_judge_print_visibility_json(FILE *stream, const pov_scene *scene);

/** "yes 1.000     92 % of it", "no  0.000      0 % of it; hidden; wall hides 100 %", without the line's end. */
void pov_judge_describe_sight(FILE *stream, const pov_scene *scene, const pov_visibility *visibility);
/** One look as an object: viewer, target, p, verdict, fraction_visible, cause, occluders. */
struct cJSON *pov_judge_sight_object(const pov_scene *scene, const pov_visibility *visibility);
