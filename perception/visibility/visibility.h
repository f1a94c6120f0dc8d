/** Visibility (level 1 of visual perspective taking: Flavell et al. 1981): the share of a target that a
 * viewer has in its field of view and unhidden, why not, and the probability under the errors of poses and
 * gaze.
 *
 *  Shares are of the target's solid angle at the eye: its silhouette's, with nothing in the way and no limit
 * to the field. Frames: everything in the table frame; angles in radians, solid angles in steradians, ranges
 * in metres. */
#pragma once

#include "perception/relations/relation.h"
#include "perception/visibility/occlusion.h"
#include "perception/visibility/visibility_noise.h"

/** Why a viewer does not see a target. */
typedef enum {
    POV_CAUSE_NONE,        /* it is seen */
    POV_CAUSE_OUT_OF_VIEW, /* outside the field of view, ahead */
    POV_CAUSE_BEHIND,      /* outside the field of view, behind the viewer */
    POV_CAUSE_HIDDEN,      /* other bodies are in the way: occluders */
    POV_CAUSE_TOO_SMALL,   /* its visible part is below min_size_rad */
    POV_CAUSE_TOO_NEAR,
    POV_CAUSE_TOO_FAR,
    POV_CAUSE_UNKNOWN_GAZE, /* it depends on where the viewer looks, and nobody knows */
    POV_CAUSE_NOT_PLACED,   /* viewer's or target's position is unknown */
    POV_CAUSE_NOT_A_VIEWER, /* the viewer cannot see, or is asked about itself */
    POV_CAUSE_NO_BODY,      /* the target has no size */
    POV_CAUSE_COUNT
} pov_cause;

/** Thresholds of seeing, and how finely to look. */
typedef struct {
    double min_fraction;   /* of the target; so much is enough ... */
    double ample_size_rad; /* ... and a visible part this large is enough, whatever its share */
    double min_size_rad;   /* diameter of the disc as large as the visible part; below, nothing is seen */
    double abstain_margin; /* abstain when |P(sees) - 0.5| <= margin; in [0, 0.5) */
    int rays;              /* for fraction_visible */
    int rays_per_node;     /* for each of the quadrature's POV_NOISE_NODES poses */
} pov_seeing;

/** min_fraction: with over 80 % hidden, people label a body as wholly hidden (Dollar et al. 2012,
 * section 2.4). ample_size: 20 degrees, what the central retina covers (Polyak 1941): a wall at arm's length
 * is seen, however long. min_size: 5 arc minutes, the letter that the normal eye just names (Snellen 1862);
 * for a camera, set its detector's smallest width in pixels over the focal length. abstain_margin: P in
 * [0.05, 0.95] is no answer. */
#define POV_SEEING_DEFAULT                                                                                   \
    {                                                                                                        \
        .min_fraction = 0.2, .ample_size_rad = 20 * POV_PI / 180, .min_size_rad = 5 * POV_PI / (60 * 180),   \
        .abstain_margin = 0.45, .rays = 2048, .rays_per_node = 128                                           \
    }

enum { POV_OCCLUDERS_MAX = 8 };

/** A body that is the first to be met on the way to a share of the target that is in view. */
typedef struct {
    pov_id id;
    double share;
} pov_occluder;

typedef struct {
    pov_id viewer, target;
    pov_belief sees;          /* p: that the target counts as seen */
    double fraction_expected; /* mean of the visible fraction under the errors, of bodies' shapes, too */
    double
        fraction_visible; /* at the most likely poses and gaze, all bodies filling their boxes; with unknown gaze:
                                 fraction_expected */
    double size_rad;      /* diameter of the disc that has the target's whole solid angle */
    double fraction_out_of_view, fraction_hidden, fraction_out_of_range; /* with fraction_visible: sum 1 */
    pov_cause cause;  /* POV_CAUSE_NONE iff sees.verdict is POV_TRUE; else the likeliest */
    int occluder_len; /* those with the largest shares, largest first; equal ones by name */
    pov_occluder occluders[POV_OCCLUDERS_MAX];
} pov_visibility;

/** Judges one viewer and target of the scene given to pov_occlusion_update.
 *  Returns: POV_OK; POV_UNDEFINED (verdict undefined, numbers NaN, cause says why) if one is not placed, the
 * viewer cannot see or is the target, the target has no body, or the viewer has no heading and it matters.
 *  Method:  rays of nets over the silhouette (visibility_patch.h), stopped at other bodies (occlusion.h); the
 * viewer's own body hides nothing. Errors: a quadrature over positions, headings and the camera's rotation
 * (visibility_noise.h), each occluder with its own error (occluder_noise.h), and over what bodies of unknown shape may be
 * like (body_doubt.h); it ends early where the first nodes agree.
 *  Accuracy: fraction_visible within 0.005 with the default rays; P within 0.025 of the exact model, rms 0.005.
 *  No allocation. Cost: about rays + nodes * rays_per_node rays, 10 to 30 ns each; the nodes only where there is an
 * error, few where the answer is clear. */
pov_code pov_visibility_evaluate(const pov_occlusion *occlusion, pov_visibility *visibility, pov_id viewer,
                                 pov_id target, const pov_seeing *seeing);

/** "none", "out_of_view", "behind", "hidden", ... */
const char *pov_cause_name(pov_cause value);
