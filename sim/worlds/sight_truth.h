/** The share of a body that a viewer sees, counted: the body drawn from the eye with all that is there, and alone. */
#pragma once

#include "perception/visibility/visibility_field.h"
#include "sim/render/renderer.h"

enum { POV_INSTANCE_NONE = -1, POV_SIGHT_INSTANCE_MAX = 1024 };

typedef struct {
    const pov_instance *instances; /* as the renderer was given them, where they stand now */
    int instance_len;
    int viewer; /* index of the viewer's own body, which hides nothing; POV_INSTANCE_NONE: it has none */
    int target; /* index of an instance whose label is no other's */
    pov_gaze gaze;
    const pov_field_of_view *field; /* NULL: all around, without limit */
} pov_sight_question;

/** Out: fraction: share of the target's solid angle that is in the field, within its range and unhidden; NaN if the target
 *  shows nothing even alone.
 *  In:  renderer: to work with, after pov_renderer_set with the instances; where they are and its camera are others'
 *       afterwards.
 *  Returns: POV_ERROR if the renderer fails.
 *  Method: 128 x 128 rays about the target, weighted by the solid angle of each; about 0.002 off. */
POV_MUST_USE pov_status pov_sight_truth(pov_renderer *renderer, double *fraction,
                                        const pov_sight_question *question);
