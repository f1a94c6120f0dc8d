/** The positions of things for a viewer (level 2 of visual perspective taking): sides about its own heading, and how the whole
 *  layout looks from there. On the ground projection, between centres; table frame. Pure.
 *
 *  A camera's heading and what it sees err together; that is taken into account. */
#pragma once

#include "perception/relations/relation.h"

/** Counter-clockwise from the viewer's front. A two-part side lies within 22.5 degrees of its diagonal. */
typedef enum {
    POV_SIDE_FRONT,
    POV_SIDE_FRONT_LEFT,
    POV_SIDE_LEFT,
    POV_SIDE_BACK_LEFT,
    POV_SIDE_BACK,
    POV_SIDE_BACK_RIGHT,
    POV_SIDE_RIGHT,
    POV_SIDE_FRONT_RIGHT,
    POV_SIDE_COUNT,
    POV_SIDE_UNDEFINED = POV_SIDE_COUNT
} pov_side;

/** "front", "front-left", ...; "undefined". */
const char *pov_side_name(pov_side value);

typedef struct {
    double bearing_rad;       /* of the target about the heading, ccw, at the likeliest heading; (-pi, pi] */
    double p[POV_SIDE_COUNT]; /* of each side; sum 1 */
    double p_quarter[POV_SIDE_COUNT /
                     2];    /* of front, left, back, right, when asked for one word: 90 degrees each */
    pov_side side, quarter; /* the likeliest of each */
    pov_verdict
        verdict; /* on `side`: POV_TRUE, or POV_ABSTAIN if its p is within the margin of 0.5 or below */
} pov_side_judgment;

/** On which side of a viewer a target is.
 *  Returns: POV_OK; POV_UNDEFINED (numbers NaN) if one is not placed, they are the same or coincide on the ground within
 *           their noise, or the viewer has no heading.
 *  In:      abstain_margin in [0, 0.5).
 *  Method:  bearing.h; within 1e-3. No allocation. */
pov_code pov_layout_side(pov_side_judgment *judgment, const pov_scene *scene, pov_id viewer, pov_id target,
                         double abstain_margin);

/** One entity in an order, and how sure it is that the next does not belong before it. */
typedef struct {
    pov_id id;
    double bearing_rad, distance_m;
    double p_swapped;  /* probability that the next and this one are the other way round; 0 for the last */
    bool is_uncertain; /* p_swapped is more than the abstention margin allows: 0.5 - margin */
} pov_place;

typedef struct {
    int len;
    pov_place places[POV_ENTITY_MAX];
} pov_order;

/** The things of the layout. */
typedef struct {
    double
        half_angle_rad; /* at most this far from the heading; pi: all around, from behind-left to behind-right */
    const bool *shown;     /* by id, e.g. what is seen; NULL: all that is placed, but the camera */
    double abstain_margin; /* in [0, 0.5) */
} pov_layout;
/** Things ahead; abstains unless P >= 0.95 or <= 0.05. */
#define POV_LAYOUT_DEFAULT                                                                                   \
    {                                                                                                        \
        .half_angle_rad = POV_PI / 2, .shown = NULL, .abstain_margin = 0.45                                  \
    }

/** From left to right, as the viewer would list it. Equal bearings: by name.
 *  Returns: POV_OK; POV_UNDEFINED (len 0) if the viewer is not placed or has no heading.
 *  Method:  p_swapped by the signs of the cross and the dot product of the two sight lines: expectation.h. The heading's
 *           error turns all alike and matters only to what is at the border, which is judged at the likeliest heading. */
pov_code pov_layout_left_to_right(pov_order *order, const pov_scene *scene, pov_id viewer,
                                  const pov_layout *layout);

/** From nearest to farthest. Returns as above.
 *  Method:  |a| < |b| iff (a - b) . (a + b) < 0: expectation.h. */
pov_code pov_layout_near_to_far(pov_order *order, const pov_scene *scene, pov_id viewer,
                                const pov_layout *layout);
