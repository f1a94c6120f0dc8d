/** Differences of a viewer's and a target's true poses from the estimates: a deterministic set of equally
 * likely nodes for the errors' joint distribution. Pure. */
#pragma once

#include "perception/relations/expectation/heading_quantile.h"
#include "perception/visibility/body_doubt.h"

/** FACTORS: of the errors of viewer and target; COMMON: of what other bodies' errors follow from, given those; OWN_MAX: so many
 *  bodies have lattice components of their own. */
enum {
    POV_NOISE_FACTORS = 9,
    POV_NOISE_COMMON = 9,
    POV_NOISE_ALL = POV_NOISE_FACTORS + POV_NOISE_COMMON,
    POV_NOISE_OWN_MAX = 16,
    POV_NOISE_NORMALS = POV_NOISE_ALL + 3 * POV_NOISE_OWN_MAX,
    POV_NOISE_NODES = 256
};

/** Errors of viewer and target relative to the error of an occluder (POV_ID_NONE: to nothing): since
 * visibility does not change when all move alike, that is as if the occluder erred. The other bodies' errors relative to that
 * occluder's: occluder_noise.h. */
typedef struct {
    double factor[POV_NOISE_FACTORS]
                 [POV_NOISE_FACTORS]; /* (eye, target, rotation) errors = factor * normals */
    double common[POV_NOISE_COMMON]
                 [POV_NOISE_ALL];   /* (camera pose's, occluder's) errors = common * normals */
    bool has_column[POV_NOISE_ALL]; /* not zero */
    bool is_exact;                  /* factor is all zero */
} pov_noise;

/** True if the viewer's gaze errs in the nodes' rotation, for it goes with other errors, and not by its heading's kappa: the
 *  camera's, and a narrow heading that is tied. */
bool pov_noise_has_gaze(const pov_scene *scene, pov_id viewer);

/** depth: how far along the sight line the occluder is, 0 at the eye, 1 at the target. */
pov_noise pov_noise_of(const pov_scene *scene, pov_id viewer, pov_id target, pov_id occluder, double depth);

/** One possible world. */
typedef struct {
    pov_vec3 eye_shift_m, target_shift_m;
    pov_vec3 rotation_rad; /* of the viewer's gaze, where pov_noise_has_gaze: exp(rotation) R */
    double yaw_rad;        /* of the viewer's heading */
    pov_vec2 net_shift;    /* moves the rays' net, so that its errors do not add up over nodes */
    double body[POV_INSET_SLOTS * POV_INSET_DIMENSIONS]; /* shapes of doubtful bodies: body_doubt.h */
} pov_noise_node;

/** The nodes' errors in standard deviations, and their other components: the same for all noises. */
typedef struct {
    double normals[POV_NOISE_NODES][POV_NOISE_NORMALS]; /* the best first: those of factor's columns */
    pov_vec2 net_shift[POV_NOISE_NODES];
    double body[POV_NOISE_NODES][POV_INSET_SLOTS * POV_INSET_DIMENSIONS];
} pov_noise_points;

void pov_noise_points_fill(pov_noise_points *points);

/** Node `index` of POV_NOISE_NODES, which are equally likely. heading: NULL if the yaw does not matter.
 *  Method:  lattice.h, its best components for what matters most: the yaw, then how the occluder lies to the sight
 *           line, then where the target lies in the field, what doubtful bodies are like, last where other bodies are. */
pov_noise_node pov_noise_node_of(const pov_noise *noise, const pov_noise_points *points,
                                 const pov_heading_quantile *heading, int index);
