/** One look of a viewer at a target in one possible world: the target's solid angle, sorted by what becomes of it. Pure. */
#pragma once

#include "perception/visibility/occlusion.h"
#include "perception/visibility/visibility_field.h"

/** A viewer and its target: the same in all possible worlds. */
typedef struct {
    const pov_occlusion *occlusion;
    const pov_scene *scene; /* the occlusion's */
    pov_id viewer, target;
    pov_field_of_view field;
} pov_looker;

/** The thing at which the viewer is imagined: one looks out of its place, and it hides nothing. POV_ID_NONE. */
static inline pov_id pov_looker_stands_at(const pov_looker *who)
{
    const pov_entity *viewer = &who->scene->entities[who->viewer];
    return viewer->is_imagined ? viewer->imagined_at : POV_ID_NONE;
}

/** A body that cannot come in between. */
static inline bool pov_looker_ignores(const pov_looker *who, pov_id id)
{
    return id == who->viewer || id == who->target || id == pov_looker_stands_at(who);
}

/** One possible world, and how finely to look at it. */
typedef struct {
    pov_gaze gaze;
    pov_vec3 target_shift_m;
    const pov_vec3 *shifts_m; /* of other bodies, by id; NULL: they are where the scene has them */
    const pov_inset *insets;  /* the bodies' shapes, by id; NULL: as the scene has them */
    pov_vec2 net_shift;       /* of the rays' net: visibility_patch.h */
    int rays;
    bool asks_who; /* fills hidden_by; dearer */
    double
        filled; /* share of its patches that the target fills, from another look: saves rays here; 0: unknown */
} pov_look;

/** The outcome of a direction toward the target: the first that holds, from the last to the first. */
typedef enum {
    POV_OUTCOME_VISIBLE,
    POV_OUTCOME_HIDDEN,
    POV_OUTCOME_TOO_NEAR,
    POV_OUTCOME_TOO_FAR,
    POV_OUTCOME_OUT_AHEAD, /* outside the field, ahead of the viewer */
    POV_OUTCOME_BEHIND,
    POV_OUTCOME_COUNT
} pov_outcome;

/** Solid angles in steradians. */
typedef struct {
    double whole, by_outcome[POV_OUTCOME_COUNT]; /* by_outcome sums to whole */
    double filled; /* the whole as a share of the target's patches: visibility_patch.h */
    double hidden_by[POV_ENTITY_MAX];
} pov_tally;

/** Radius of a ball about the body's position that holds it. */
double pov_body_reach_m(const pov_looker *who, pov_id id);

/** The target has a body. Cost: no rays where the target, a box or a ball, is clear of all other bodies and well inside the
 *  field. */
pov_tally pov_look_at(const pov_looker *who, const pov_look *how);
