/** The axis of a frame of reference. */
#pragma once

#include "perception/relations/relation.h"

/** The direction that a perspective measures angles from, at a relatum. */
typedef struct {
    pov_perspective perspective;
    pov_id viewer;
    pov_axis axis;              /* perspective, viewer, axis: as in pov_query */
    bool exists;                /* the viewer is placed, the front known */
    bool is_exact;              /* a sight line without noise */
    pov_vec2 dir;               /* along the mean; of length 1 */
    double yaw_rad;             /* of dir; in (-pi, pi] */
    double yaw_std_rad;         /* of a heading; of a sight line 0 */
    const pov_heading *heading; /* of a sight line NULL */
} pov_relatum_axis;
