/** The surface within a fitted outline: shading, holes, and the patch of the ball's colour in and around it. */
#pragma once

#include "perception/balls/ball_outline.h"

typedef struct {
    bool is_judged; /* false: too small, or too little of it shows */
    double
        hole; /* largest region that is not of the ball's colour and is enclosed by it: share of the disc */
    double
        glare; /* the same, of regions brighter than the ball: highlights, or holes before a bright floor */
    double
        relief; /* rms curvature of the shading: 0 for a flat, evenly lit surface; share of the mean light */
    double
        misfit; /* mean deviation of the light from the shading of any lit sphere; share of the mean light */
} pov_ball_surface;

pov_ball_surface pov_ball_surface_judge(const pov_ball_outline *w);

/** Areas by that of the whole disc. Below the ball, where its shadow and its mirror image may be, nothing counts. */
typedef struct {
    double inside; /* of the ball's colour and within the outline, by half a pixel at least */
    double
        spill; /* of the ball's colour and beyond it by more than a pixel: something else has that colour */
} pov_ball_patch;

/** `ball`: mean light of the ball's pixels within the outline. The edges of `w` say what lies around it. */
pov_ball_patch pov_ball_patch_judge(const pov_ball_outline *w, pov_light ball);
