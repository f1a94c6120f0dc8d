/** Where, across a ball's outline, the ball ends: one-dimensional edges to a fraction of a pixel. */
#ifndef POV_PERCEPTION_BALLS_BALL_EDGE_H
#define POV_PERCEPTION_BALLS_BALL_EDGE_H

#include "perception/balls/ball_view.h"

/** What lies across one point of a supposed outline. */
typedef enum {
    POV_EDGE_HIDDEN,  /* outside the image or masked: tells nothing */
    POV_EDGE_FOUND,   /* ball inside, something else outside, one clean step between */
    POV_EDGE_INSIDE,  /* ball on both sides: the ball would be larger */
    POV_EDGE_NO_BALL, /* no ball inside: hidden there, or none */
    POV_EDGE_UNCLEAR
} pov_edge_state;

typedef struct {
    pov_edge_state state;
    double offset_px; /* of the step, outward from the supposed outline */
    double width_px;  /* of the step: its height by its slope; sharp images have 1 to 1.5 */
    pov_light outside;
} pov_edge;

/** Coarse edge: where the labels end, nearest to the outline within `reach_px`. */
pov_edge pov_edge_from_labels(const pov_ball_view *view, int kind, pov_vec2 at, pov_vec2 outward,
                              double reach_px);
/** Fine edge: half way of the step from inside to outside colour, at most 2 scale_px away. `scale_px` fits the image's
 *  sharpness and the ball's size: 1 looks 5 px to each side. */
pov_edge pov_edge_from_light(const pov_ball_view *view, const pov_tint *ball, pov_vec2 at, pov_vec2 outward,
                             double scale_px);

enum { POV_EDGE_REACH = 2, POV_EDGE_WINDOW = 5 }; /* in units of scale_px */

#endif
