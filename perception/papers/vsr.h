/** Decides whether a caption of VSR is true, and in which frame of reference (Liu, Emerson & Collier 2023, section 3.2: "true
 *  from either the intrinsic or the relative frame"). */
#pragma once

#include "perception/relations/relation.h"

typedef enum {
    POV_VSR_NEITHER,        /* false in every frame that applies */
    POV_VSR_RELATIVE_ONLY,  /* true for the viewer, not by the relatum's own front */
    POV_VSR_INTRINSIC_ONLY, /* by the relatum's own front, not for the viewer */
    POV_VSR_BOTH,           /* in both; relations that need no frame, too */
    POV_VSR_UNDEFINED       /* no frame applies, or geometry cannot decide */
} pov_vsr_frames;

typedef struct {
    pov_belief relative; /* the viewer's axes, reflected, by its sight line; undefined if they do not apply */
    pov_belief intrinsic;  /* the relatum's axes; undefined if it has no front */
    double p_true;         /* of the two the larger: the least that "either" can be; NaN if undefined */
    pov_vsr_frames frames; /* by truth above 0.5, the means taken; see the beliefs' verdicts for doubt */
} pov_vsr_judgment;

/** Judges "the referent (is) relation the relatum" as VSR's validators did. A relation that needs no frame has the same
 *  belief in both.
 *  Returns: POV_OK; POV_UNDEFINED if both beliefs are (frames POV_VSR_UNDEFINED, p_true NaN).
 *  In:      caption: relation, referent, relata; viewer: whose picture it is, or POV_ID_NONE for the scene's camera. Its
 *           perspective, convention and axis are not looked at. */
pov_code pov_vsr_judge(pov_vsr_judgment *judgment, const pov_scene *scene, const pov_query *caption,
                       const pov_judging *judging);
