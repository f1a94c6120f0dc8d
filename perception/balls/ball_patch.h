/** What the pixels in and around a supposed outline say: whether the ball explains the patch of its colour there. */
#ifndef POV_PERCEPTION_BALLS_BALL_PATCH_H
#define POV_PERCEPTION_BALLS_BALL_PATCH_H

#include "perception/balls/ball_outline.h"

/** Areas by that of the whole disc. Below the ball, where its shadow and its mirror image may be, nothing counts. */
typedef struct {
    double inside; /* of the ball's colour and within the outline, by half a pixel at least */
    double
        spill; /* of the ball's colour and beyond it by more than a pixel: something else has that colour */
} pov_ball_patch;

/** `ball`: mean light of the ball's pixels within the outline. The edges of `w` say what lies around it. */
pov_ball_patch pov_ball_patch_judge(const pov_ball_outline *w, const pov_light *ball);

#endif
