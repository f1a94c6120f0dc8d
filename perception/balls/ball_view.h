/** An image as the search for balls and the fits see it: labelled by colour, in linear light, with masks. */
#ifndef POV_PERCEPTION_BALLS_BALL_VIEW_H
#define POV_PERCEPTION_BALLS_BALL_VIEW_H

#include "perception/balls/ball_colour.h"
#include "perception/balls/ball_detector.h"

typedef struct {
    const pov_image *image;
    const uint16_t *labels; /* bit k: the pixel may belong to kind k; rows of width_px */
    const pov_colour_table *table;
    const pov_camera *camera;
    const pov_ball_detector_config *config;
} pov_ball_view;

/** Linear light, each channel in [0, 1]. */
typedef struct {
    double rgb[3];
} pov_light;

double pov_light_distance(const pov_light *a, const pov_light *b);

/** Bilinear; false if the pixel is masked or outside the image. */
bool pov_ball_view_sample(const pov_ball_view *view, pov_light *light, pov_vec2 pixel);

/** Label at the nearest pixel; false outside the image. */
bool pov_ball_view_is_kind(const pov_ball_view *view, int kind, pov_vec2 pixel);

/** Whether the nearest pixel is masked or outside the image. */
bool pov_ball_view_is_hidden(const pov_ball_view *view, pov_vec2 pixel);

#endif
