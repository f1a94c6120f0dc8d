#include "perception/appearance/portrait.h"

enum { SIDE = POV_PORTRAIT_SIDE, RIM = 2 }; /* pixels beyond the object on each side */

pov_portrait_window pov_portrait_window_of(pov_vec3 eye_m, double radius_m, double height_m)
{
    const double pixel_m = 2 * radius_m / (SIDE - 2 * RIM);
    const pov_vec3 middle_m = {0, 0, 0.5 * height_m}, up = {0, 0, 1};
    const pov_vec3 ahead = pov_vec3_unit(pov_vec3_sub(middle_m, eye_m));
    const pov_vec3 right = pov_vec3_unit(pov_vec3_cross(ahead, up));
    return (pov_portrait_window){middle_m, pov_vec3_scale(right, pixel_m),
                                 pov_vec3_scale(pov_vec3_cross(ahead, right), pixel_m)};
}

pov_vec3 pov_portrait_place(const pov_portrait_window *window, double column, double row)
{
    const double middle = 0.5 * (SIDE - 1);
    return pov_vec3_add(window->middle_m, pov_vec3_add(pov_vec3_scale(window->right_m, column - middle),
                                                       pov_vec3_scale(window->down_m, row - middle)));
}

pov_vec3 pov_portrait_point(const pov_portrait *portrait, const pov_portrait_window *window, double radius_m,
                            int i)
{
    const int row = i / SIDE;
    const pov_vec3 place_m = pov_portrait_place(window, i % SIDE, row);
    const pov_vec3 along = pov_vec3_unit(pov_vec3_sub(place_m, portrait->eye_m));
    const double depth_m = radius_m * (2.0 * (portrait->depth[i] - 1) / POV_PORTRAIT_DEPTHS - 1);
    return pov_vec3_add(place_m, pov_vec3_scale(along, depth_m));
}
