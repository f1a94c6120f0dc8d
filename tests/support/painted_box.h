/** A box with eight colours on a grey table, drawn by a ray caster of its own: portraits of it, and images with it. */
#pragma once

#include "perception/appearance/portrait.h"
#include "perception/geometry/camera.h"
#include "perception/image/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAINTED_PORTRAITS = 24, PAINTED_WIDTH_PX = 480, PAINTED_HEIGHT_PX = 360 };

static const pov_vec3 painted_box_m = {0.1, 0.06, 0.07};
static const double painted_elevation_rad = 40 * POV_PI / 180, painted_distance_m = 0.8;

/* A screen before it, upright, across the table's x axis; none: width_m 0. And light against that of the portraits. */
typedef struct {
    double screen_x_m, screen_y_m, screen_width_m, gain, offset;
} painted_scene;

/* Distance along a ray to the box about (0, 0, height / 2); INFINITY: it misses. Out: the point. */
static inline double painted_hit(pov_vec3 *point_m, pov_vec3 eye_m, pov_vec3 along)
{
    const double eye[3] = {eye_m.x, eye_m.y, eye_m.z - painted_box_m.z / 2};
    const double by[3] = {along.x, along.y, along.z},
                 size[3] = {painted_box_m.x, painted_box_m.y, painted_box_m.z};
    double near = -INFINITY, far = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double a = (-size[i] / 2 - eye[i]) / by[i], b = (size[i] / 2 - eye[i]) / by[i];
        near = fmax(near, fmin(a, b));
        far = fmin(far, fmax(a, b));
    }
    if (!(near < far) || near < 0)
        return INFINITY;
    *point_m = pov_vec3_add(eye_m, pov_vec3_scale(along, near));
    return near;
}

/* How much it looks like itself turned by half a turn: 0 .. 1. */
static double painted_likeness = 0;

/* One colour an octant. */
static inline void painted_colour(double rgb[3], pov_vec3 p)
{
    static const double colours[8][3] = {{200, 40, 40},  {40, 180, 60},  {40, 60, 200},  {220, 200, 40},
                                         {200, 60, 200}, {60, 200, 210}, {240, 140, 40}, {120, 70, 30}};
    const int octant = (p.x > 0) + 2 * (p.y > 0) + 4 * (p.z > painted_box_m.z / 2);
    for (int c = 0; c < 3; c++)
        rgb[c] = (1 - 0.5 * painted_likeness) * colours[octant][c] +
                 0.5 * painted_likeness * colours[octant ^ 3][c];
}

static inline pov_portraits *painted_portraits(void)
{
    pov_portraits *all = calloc(1, sizeof *all);
    *all = (pov_portraits){.len = PAINTED_PORTRAITS,
                           .height_m = painted_box_m.z,
                           .scatter = 6,
                           .widening_place = 1,
                           .widening_yaw = 1,
                           .symmetry = 1,
                           .has_front = true};
    all->radius_m = 0.5 * pov_vec3_norm(painted_box_m);
    for (int k = 0; k < PAINTED_PORTRAITS; k++) {
        pov_portrait *p = &all->portraits[k];
        const double azimuth_rad = -k * 2 * POV_PI / PAINTED_PORTRAITS;
        p->angle_rad = -azimuth_rad;
        p->eye_m = (pov_vec3){painted_distance_m * cos(painted_elevation_rad) * cos(azimuth_rad),
                              painted_distance_m * cos(painted_elevation_rad) * sin(azimuth_rad),
                              painted_distance_m * sin(painted_elevation_rad) + painted_box_m.z / 2};
        const pov_portrait_window window = pov_portrait_window_of(p->eye_m, all->radius_m, all->height_m);
        for (int i = 0; i < POV_PORTRAIT_AREA; i++) {
            const pov_vec3 at_m = pov_portrait_place(&window, i % POV_PORTRAIT_SIDE, i / POV_PORTRAIT_SIDE);
            const pov_vec3 sight_m = pov_vec3_sub(at_m, p->eye_m);
            pov_vec3 point_m;
            double rgb[3];
            const double far_m = painted_hit(&point_m, p->eye_m, pov_vec3_unit(sight_m));
            if (isinf(far_m))
                continue;
            painted_colour(rgb, point_m);
            const double depth = (far_m - pov_vec3_norm(sight_m)) / all->radius_m;
            p->depth[i] = (uint8_t)lround(1 + (0.5 * (depth + 1)) * POV_PORTRAIT_DEPTHS);
            for (int c = 0; c < 3; c++)
                p->colour[i][c] = (uint8_t)rgb[c];
        }
    }
    return all;
}

static inline pov_camera painted_camera(void)
{
    return (pov_camera){.width_px = PAINTED_WIDTH_PX,
                        .height_px = PAINTED_HEIGHT_PX,
                        .fx_px = 700,
                        .fy_px = 700,
                        .cx_px = PAINTED_WIDTH_PX / 2.0 - 0.5,
                        .cy_px = PAINTED_HEIGHT_PX / 2.0 - 0.5};
}

/* Looks along -x down at the table's origin. */
static inline pov_transform painted_T_table_camera(void)
{
    const double c = cos(painted_elevation_rad), s = sin(painted_elevation_rad);
    return (pov_transform){{{{0, s, -c}, {1, 0, 0}, {0, -c, -s}}},
                           {painted_distance_m * c, 0, painted_distance_m * s + painted_box_m.z / 2}};
}

/* The mean of 3 x 3 rays a pixel. `pixels`: 3 bytes a pixel. */
static inline pov_image painted_image(uint8_t *pixels, double x_m, double y_m, double yaw_rad,
                                      painted_scene scene)
{
    const pov_transform T = painted_T_table_camera();
    const pov_camera camera = painted_camera();
    const pov_rot R_box_table = pov_rot_yaw(-yaw_rad);
    for (int i = 0; i < PAINTED_WIDTH_PX * PAINTED_HEIGHT_PX; i++) {
        double sum[3] = {0};
        for (int k = 0; k < 9; k++) {
            const double u = i % PAINTED_WIDTH_PX + (k % 3 - 1) / 3.0 - camera.cx_px;
            const double v = i / PAINTED_WIDTH_PX + (k / 3 - 1) / 3.0 - camera.cy_px;
            const pov_vec3 along =
                pov_vec3_unit(pov_rot_apply(T.R, (pov_vec3){u / camera.fx_px, v / camera.fy_px, 1}));
            const pov_vec3 eye_m = pov_rot_apply(R_box_table, pov_vec3_sub(T.t_m, (pov_vec3){x_m, y_m, 0}));
            const double to_screen_m = (scene.screen_x_m - T.t_m.x) / along.x;
            const pov_vec3 on_screen_m = pov_vec3_add(T.t_m, pov_vec3_scale(along, to_screen_m));
            pov_vec3 point_m;
            double rgb[3] = {90, 92, 96};
            if (!isinf(painted_hit(&point_m, eye_m, pov_rot_apply(R_box_table, along))))
                painted_colour(rgb, point_m);
            if (fabs(on_screen_m.y - scene.screen_y_m) < scene.screen_width_m / 2 && on_screen_m.z > 0 &&
                on_screen_m.z < 0.2)
                rgb[0] = rgb[1] = rgb[2] = 235;
            for (int c = 0; c < 3; c++)
                sum[c] += rgb[c] / 9;
        }
        for (int c = 0; c < 3; c++)
            pixels[3 * i + c] = (uint8_t)lround(fmin(255, fmax(0, scene.gain * sum[c] + scene.offset)));
    }
    return (pov_image){.pixels = pixels,
                       .width_px = PAINTED_WIDTH_PX,
                       .height_px = PAINTED_HEIGHT_PX,
                       .stride_bytes = 3 * PAINTED_WIDTH_PX};
}
