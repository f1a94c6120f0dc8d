/** An object as it was seen from all around at a station: in each portrait the colour of what shows, and how far away it
 *  is. So it is known how it looks from any place of the camera near those.
 *
 *  The object's frame: origin on what it stands on, under the middle of its box; z up; x points at the camera when the
 *  table's angle is 0. Angles are the table's, counter-clockwise from above. */
#pragma once

#include "perception/geometry/geom.h"

#include <stdint.h>

enum {
    POV_PORTRAIT_SIDE = 40,
    POV_PORTRAIT_AREA = POV_PORTRAIT_SIDE * POV_PORTRAIT_SIDE,
    POV_PORTRAIT_MIN = 8,
    POV_PORTRAIT_MAX = 72,
    POV_PORTRAIT_DEPTHS = 254
};

/** A picture through a square window at the object's middle that faces the camera. The window's side is that of the
 *  object's radius by pov_portrait_window. */
typedef struct {
    double angle_rad;
    pov_vec3 eye_m;                       /* the camera, in the object's frame */
    uint8_t colour[POV_PORTRAIT_AREA][3]; /* sRGB, rows top to bottom */
    uint8_t depth[POV_PORTRAIT_AREA];     /* 0: not the object; see pov_portrait_point */
} pov_portrait;

/** 0.7 MB: not for the stack. */
typedef struct {
    int len;                   /* 0: the object was enrolled from images alone, and has no size */
    double radius_m, height_m; /* of the ball about its middle that holds it; of its box */
    double scatter; /* levels, root mean square: what a portrait leaves unexplained in a good picture */
    double widening_place, widening_yaw; /* how much wider errors are than what single pixels would say */
    double error_m, error_rad; /* found in its own images with the portrait at hand left out: medians */
    int symmetry;              /* as in pov_appearance_data */
    bool has_front;
    double front_rad;
    pov_portrait portraits[POV_PORTRAIT_MAX]; /* in order of angle */
} pov_portraits;

/** The window of a portrait: its middle, and the steps from pixel to pixel. */
typedef struct {
    pov_vec3 middle_m, right_m, down_m;
} pov_portrait_window;
pov_portrait_window pov_portrait_window_of(pov_vec3 eye_m, double radius_m, double height_m);

/** A place in the window: pixels from its top left one's centre. */
pov_vec3 pov_portrait_place(const pov_portrait_window *window, double column, double row);

/** The point of the object that pixel i shows, in its frame. Depths 1 .. 255 lie evenly along the pixel's ray, from a radius
 *  before the window to a radius behind. */
pov_vec3 pov_portrait_point(const pov_portrait *portrait, const pov_portrait_window *window, double radius_m,
                            int i);
