/** One look of a viewer at a target in one possible world: the target's solid angle, sorted by what becomes of it. Pure. */
#ifndef POV_PERCEPTION_VISIBILITY_LOOK_H
#define POV_PERCEPTION_VISIBILITY_LOOK_H

#include "perception/occlusion.h"
#include "perception/visibility_field.h"

/** Who looks at what: the same in all possible worlds. */
typedef struct {
    const pov_occlusion *occlusion;
    const pov_scene *scene; /* the occlusion's */
    pov_id viewer, target;
    pov_field_of_view field;
} pov_looker;

/** One possible world, and how finely to look at it. Other bodies are where the scene has them. */
typedef struct {
    pov_gaze gaze;
    pov_vec3 target_shift_m;
    pov_vec2 net_shift; /* of the rays' net: visibility_patch.h */
    int rays;
    bool asks_who; /* fills hidden_by; dearer */
} pov_look;

/** Solid angles in steradians; all but `whole` and hidden_by add up to it. A direction counts for the first that
 *  holds: outside the field, out of range, hidden. */
typedef struct {
    double whole, visible, hidden, out_ahead, behind, too_near, too_far;
    double hidden_by[POV_ENTITY_MAX];
} pov_tally;

/** The target has a body. Cost: no rays where the target is clear of all other bodies and well inside the field. */
pov_tally pov_look_at(const pov_looker *who, const pov_look *how);

#endif
