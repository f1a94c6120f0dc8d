/** FoREST's frames of reference (Premsri & Kordjamshidi 2025): what an expression said in one perspective is in the
 *  other, derived by placing the scene and judging it (perception/relations/relation.h). Pure.
 *
 *  The camera's words are relative, reflected as in English; the relatum's are intrinsic. External: the referent is
 *  outside the relatum; internal: in a region of it. */
#pragma once

#include "perception/relations/relation.h"

/** The side that a relatum turns to the camera; left and right are the camera's. */
typedef enum {
    POV_FACES_TOWARD,
    POV_FACES_LEFT,
    POV_FACES_AWAY,
    POV_FACES_RIGHT,
    POV_FACING_COUNT
} pov_facing;

/** The perspective a question is asked in. */
typedef enum { POV_ASK_CAMERA, POV_ASK_RELATUM, POV_ASK_COUNT } pov_asked;

/** FoREST's classes ER, EI, II, IR. */
typedef enum {
    POV_EXTERNAL_RELATIVE,
    POV_EXTERNAL_INTRINSIC,
    POV_INTERNAL_INTRINSIC,
    POV_INTERNAL_RELATIVE,
    POV_FOREST_FRAME_COUNT
} pov_forest_frame;

/** The kinds of relatum: cow (front), car (front, container), box (container), pen (neither). */
typedef struct {
    bool has_front, is_container;
} pov_relatum_case;

/** True if an expression about such a relatum can be meant in a frame: intrinsic needs a front, internal a container. */
bool pov_forest_frame_applies(pov_forest_frame frame, pov_relatum_case relatum);

/** "The referent is `relation` (POV_LEFT_OF ... POV_BEHIND) of the relatum", meant in `frame`, asked in `asked`.
 *  Returns: POV_OK; POV_UNDEFINED where the relatum's own words are needed and it has no front (facing NULL).
 *  Out:     answer: the relation in the perspective asked; unchanged if that is the one it was meant in. */
pov_code pov_forest_convert(pov_relation *answer, pov_relation relation, pov_forest_frame frame,
                            pov_asked asked, const pov_facing *facing);

/** FoREST's bins of the angle from "toward the camera", clockwise from above (its [-40, 40], [40, 140], [140, 220],
 *  [220, 320] degrees for front, left, back, right): P of each for a relatum in a scene, its heading and positions
 *  uncertain. POV_UNDEFINED (p NaN) without a front, a position, or the camera's. */
pov_code pov_facing_in_scene(double p[POV_FACING_COUNT], const pov_scene *scene, pov_id relatum);

/** Stable names: "toward"; "external_relative"; "cow". */
const char *pov_facing_name(pov_facing value);
const char *pov_forest_frame_name(pov_forest_frame value);
const char *pov_relatum_case_name(pov_relatum_case relatum);
