/** How much of a body a viewer sees, counted: the body drawn from the eye with all that is there, and alone. */
#ifndef POV_SIM_SIGHT_TRUTH_H
#define POV_SIM_SIGHT_TRUTH_H

#include "perception/visibility_field.h"
#include "sim/renderer.h"

typedef struct {
    const pov_instance *instances; /* without the viewer's own body */
    int instance_len;
    int target; /* index of an instance whose label is no other's */
    pov_gaze gaze;
    const pov_field_of_view *field; /* NULL: all around, as far as one likes */
} pov_sight_question;

/** Out: fraction: share of the target's solid angle that is in the field, within its range and unhidden; NaN if the target
 *  shows nothing even alone.
 *  In:  renderer: to work with; its instances and camera are other ones afterwards.
 *  Returns: POV_ERROR if the renderer fails.
 *  Method: 128 x 128 rays about the target, weighted by the solid angle of each; about 0.002 off. */
POV_MUST_USE pov_status pov_sight_truth(pov_renderer *renderer, double *fraction,
                                        const pov_sight_question *question);

#endif
