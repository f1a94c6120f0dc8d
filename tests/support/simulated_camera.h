/** Random cameras, and what they see of a board: true projections plus noise, for tests of calibration. */
#pragma once

#include "calib/camera/camera_solver.h"
#include "tests/support/random.h"

#include <stddef.h>

enum { TEST_VIEW_MAX = 40, TEST_BOARD_SIDE = 9, TEST_POINT_MAX = TEST_BOARD_SIDE * TEST_BOARD_SIDE };

typedef struct {
    int len;
    pov_vec3 board_m[TEST_VIEW_MAX][TEST_POINT_MAX];
    pov_vec2 truth[TEST_VIEW_MAX][TEST_POINT_MAX], pixel[TEST_VIEW_MAX][TEST_POINT_MAX];
    pov_point_view views[TEST_VIEW_MAX];
    pov_transform T_camera_board[TEST_VIEW_MAX];
} test_views;

static inline pov_camera test_any_camera(test_random *r, pov_lens lens, int coefficients)
{
    static const double fisheye[] = {0.05, 0.02, 0.01, 0.005},
                        brown[] = {0.25, 0.08, 0.002, 0.002, 0.02, 0.3, 0.1, 0.02};
    const bool is_fisheye = lens == POV_LENS_EQUIDISTANT;
    pov_camera camera = {.lens = lens, .width_px = 1280, .height_px = 720};
    camera.fx_px = is_fisheye ? test_random_between(r, 320, 480) : test_random_between(r, 500, 1200);
    camera.fy_px = camera.fx_px * test_random_between(r, 0.99, 1.01);
    camera.cx_px = 639.5 + test_random_between(r, -25, 25);
    camera.cy_px = 359.5 + test_random_between(r, -25, 25);
    for (int i = 0; i < coefficients; i++) {
        double most = is_fisheye ? fisheye[i] : brown[i];
        camera.distortion[i] = test_random_between(r, -most, most);
    }
    return camera;
}

/* Lenses do not fold light back, neither in the image nor close beyond. */
static inline pov_camera test_random_camera(test_random *r, pov_lens lens, int coefficients)
{
    for (;;) {
        pov_camera camera = test_any_camera(r, lens, coefficients);
        int seen = 0;
        for (int corner = 0; corner < 4; corner++) {
            pov_vec2 pixel = {corner % 2 ? -300 : 1580, corner / 2 ? -170 : 890};
            pov_vec3 direction;
            seen += pov_camera_unproject(&camera, &direction, NULL, pixel) == POV_OK;
        }
        if (seen == 4)
            return camera;
    }
}

/* A board somewhere in view, turned up to 45 degrees about each axis. */
static inline pov_transform test_random_board(test_random *r, const pov_camera *camera)
{
    const double square_m = 0.03, half_m = square_m * (TEST_BOARD_SIDE - 1) / 2;
    pov_vec3 direction;
    pov_vec2 pixel = {test_random_between(r, 0.15, 0.85) * camera->width_px,
                      test_random_between(r, 0.15, 0.85) * camera->height_px};
    if (pov_camera_unproject(camera, &direction, NULL, pixel) != POV_OK)
        direction = (pov_vec3){0, 0, 1};
    double near_m = 2 * half_m * camera->fx_px / camera->height_px;
    pov_transform T = {
        .R = pov_rot_exp((pov_vec3){test_random_between(r, -0.8, 0.8), test_random_between(r, -0.8, 0.8),
                                    test_random_between(r, -3, 3)})};
    pov_vec3 middle = pov_rot_apply(T.R, (pov_vec3){half_m, half_m, 0});
    T.t_m = pov_vec3_sub(pov_vec3_scale(direction, near_m * test_random_between(r, 1.0, 1.8)), middle);
    return T;
}

static inline void test_views_make(test_views *all, test_random *r, const pov_camera *camera, int count)
{
    for (all->len = 0; all->len < count;) {
        int v = all->len, len = 0;
        all->T_camera_board[v] = test_random_board(r, camera);
        for (int i = 0; i < TEST_POINT_MAX; i++) {
            pov_vec3 point = {i % TEST_BOARD_SIDE * 0.03, i / TEST_BOARD_SIDE * 0.03, 0};
            pov_vec2 pixel;
            if (pov_camera_project(camera, &pixel, NULL,
                                   pov_transform_apply(all->T_camera_board[v], point)) != POV_OK ||
                !(pixel.x > 0 && pixel.y > 0 && pixel.x < camera->width_px && pixel.y < camera->height_px))
                continue;
            all->board_m[v][len] = point;
            all->truth[v][len++] = pixel;
        }
        if (len < TEST_POINT_MAX / 2)
            continue;
        all->views[v] = (pov_point_view){len, all->board_m[v], all->pixel[v]};
        all->len++;
    }
}

static inline void test_views_add_noise(test_views *all, test_random *r, double noise_px)
{
    for (int v = 0; v < all->len; v++)
        for (int i = 0; i < all->views[v].len; i++) {
            all->pixel[v][i].x = all->truth[v][i].x + noise_px * test_random_normal(r);
            all->pixel[v][i].y = all->truth[v][i].y + noise_px * test_random_normal(r);
        }
}
