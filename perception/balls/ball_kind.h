/** The balls to look for. */
#pragma once

#include "perception/image/colour.h"
#include "perception/image/image.h"
#include "perception/tasks.h"

enum { POV_BALL_MAX = 32, POV_BALL_KIND_MAX = 16, POV_MASK_MAX = 8 };

/** A kind of ball to look for. */
typedef struct {
    pov_colour colour; /* of the diffusely lit surface; only its hue, purity and rough lightness matter */
    double radius_m;
    int max_count;
    bool has_height; /* centre height above the table is known: rests on it, or on a stand */
    double height_m, height_std_m;
    double
        radius_std_m; /* of the radius and of the distance from round; 0: POV_BALL_RADIUS_STD of the radius */
    double edge_std_share; /* systematic error of edges in the image, by their width; 0: POV_BALL_EDGE_STD */
} pov_ball_kind;

#define POV_BALL_RADIUS_STD 0.01 /* toys and sports balls */
#define POV_BALL_EDGE_STD   0.1  /* cameras that sharpen, haze, light from above */

typedef struct {
    int kind_len;
    pov_ball_kind kinds[POV_BALL_KIND_MAX];
    int mask_len;
    pov_rectangle masks[POV_MASK_MAX]; /* nothing is detected there: a burnt-in label, the robot's own arm */
    const pov_workers *workers;        /* fit balls side by side; NULL: one after another */
} pov_ball_detector_config;
