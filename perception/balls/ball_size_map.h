/** Apparent size of a ball of known height over the image: with the camera's pose, its place in the image gives its distance. */
#pragma once

#include "perception/geometry/camera.h"

typedef struct pov_ball_size_map pov_ball_size_map;

POV_MUST_USE pov_status pov_ball_size_map_new(pov_ball_size_map **map, const pov_camera *camera);
void pov_ball_size_map_destroy(pov_ball_size_map **map);

/** Sets the map up for balls whose centres are at this height. */
void pov_ball_size_map_set(pov_ball_size_map *map, const pov_transform *T_table_camera, double height_m,
                           double radius_m);

/** Radius in the image of a ball centred at a pixel, interpolated; 0 where such a ball cannot be. The pixel
 * may lie outside the image by less than a node's spacing. */
double pov_ball_size_map_radius_px(pov_ball_size_map *map, double x_px, double y_px);

/** The place, in the camera frame, of a ball's centre seen along a direction. False: the ray does not come
 * there. */
bool pov_ball_center_at_height(pov_vec3 *center_camera_m, const pov_transform *T_table_camera,
                               pov_vec3 direction, double height_m);
