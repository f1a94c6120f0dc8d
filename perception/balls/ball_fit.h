/** Fits the outline of a sphere to its image: position, covariance, evidence. */
#pragma once

#include "perception/balls/ball_outline.h"
#include "perception/balls/ball_search.h"
#include "perception/balls/ball_surface.h"

typedef struct {
    pov_vec3 center_camera_m;
    double information[3][3]; /* of the outline alone, per m^2, camera frame */
    double cov_m2[3][3];      /* with the height, where known; camera frame */
    pov_vec2 middle_px;       /* of the outline */
    double radius_px, rms_px;
    double arc; /* share of the outline with a clear edge where it should be */
    double
        agreement; /* the same, an edge counting the less the farther it is off the outline of a true sphere */
    double
        rim; /* of the outline above the shadow, where the ball shows inside, the share with such an edge */
    double arc_open; /* share of the outline that is in the image and not masked or behind a known ball */
    double leak;     /* share of the outline with ball-like colour on both sides */
    double fill;     /* of the disc's open part, share that is ball-coloured */
    double
        contradiction; /* likewise, share that looks like what surrounds the ball: there is no ball there */
    pov_ball_patch patch;
    pov_ball_surface surface; /* only of fits made again */
    double tint_distance;     /* of its colour from the named one, see pov_tint_distance */
} pov_ball_fit;

/** Start from a circle in the image; false if no ball there can be fitted. */
bool pov_ball_fit_circle(pov_ball_fit *fit, const pov_ball_view *view, const pov_ball_prior *prior,
                         const pov_ball_guess *circle);
/** Start from where the ball is expected, its radius in the image and centre given by *fit; false if none is there. */
bool pov_ball_fit_near(pov_ball_fit *fit, const pov_ball_view *view, const pov_ball_prior *prior);
/** Again, from where an earlier fit ended, with more known about what is in front. is_close: that fit began at the ball of the
 *  last image, so that only near edges need be looked for. */
bool pov_ball_fit_again(pov_ball_fit *fit, const pov_ball_view *view, const pov_ball_prior *prior,
                        bool is_close);
