/** Where the things of a study's scene are in the image, for the experimenter's page: an outline each, and where it belongs. Pure. */
#pragma once

#include "compare/study/protocol.h"
#include "perception/geometry/camera.h"
#include "perception/observation/observation.h"

struct cJSON;

/** A list of {"id", "box_px": [left, top, right, bottom], "to_px": [x, y]}, in px from the image's top left corner. box_px is null where the
 *  camera does not see the thing; to_px where it may be anywhere, or the place is out of the image. wanted NULL: no scene is wanted.
 *  The caller deletes it. */
struct cJSON *pov_study_marks_json(const pov_observation *observation, const pov_camera *camera,
                                   const pov_wanted_scene *wanted);
