/** Small images of printed tags, drawn by cutting each pixel's ray with the tag's plane. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/image/image.h"
#include "tests/support/random.h"
#include "tests/support/srgb.h"

#include <apriltag/common/image_u8.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 240, GROUND = 110, BLACK = 30, WHITE = 220 };

/** An image of SIDE_PX squared, grey values at work. */
typedef struct {
    double grey[SIDE_PX][SIDE_PX];
    uint8_t rgb[SIDE_PX * SIDE_PX * 3];
} test_canvas;

/** libapriltag's drawing of a tag; image_u8_destroy is in a library of its own. */
static inline void test_print_destroy(image_u8_t *print)
{
    free(print->buf);
    free(print);
}

/** A printed tag: libapriltag's own drawing, and where it is seen from: a pinhole of focal length f_px. */
typedef struct {
    const image_u8_t *print;
    int cells; /* of the square whose corners are reported */
    double edge_m, f_px, cx_px, cy_px, blur_px;
    pov_transform T_camera_tag, T_tag_camera;
} test_sight;

/** Grey value at a point of the image, or -1 beside the print: the ray is cut with the tag's plane. */
static inline double test_canvas_look(const test_sight *s, double x_px, double y_px)
{
    pov_vec3 ray = {(x_px - s->cx_px) / s->f_px, (y_px - s->cy_px) / s->f_px, 1};
    pov_vec3 dir = pov_rot_apply(s->T_tag_camera.R, ray), eye = s->T_tag_camera.t_m;
    double reach = -eye.z / dir.z, cell = s->edge_m / s->cells;
    double u = (eye.x + reach * dir.x) / cell, v = (eye.y + reach * dir.y) / cell;
    int column = (int)floor(u + 0.5 * s->print->width), row = (int)floor(0.5 * s->print->height - v);

    if (column < 0 || row < 0 || column >= s->print->width || row >= s->print->height)
        return -1;
    return s->print->buf[row * s->print->stride + column] ? WHITE : BLACK;
}

/** Gaussian blur of light by sampling 13 x 13 points within three standard deviations (the pixel's own area included).
 */
static inline void test_canvas_draw(test_canvas *c, test_sight *s)
{
    s->T_tag_camera = pov_transform_inverse(s->T_camera_tag);
    for (int y = 0; y < SIDE_PX; y++) {
        for (int x = 0; x < SIDE_PX; x++) {
            double sum = 0, weights = 0;
            if (test_canvas_look(s, x, y) < 0 && test_canvas_look(s, x - 3, y) < 0 &&
                test_canvas_look(s, x + 3, y) < 0 && test_canvas_look(s, x, y - 3) < 0 &&
                test_canvas_look(s, x, y + 3) < 0)
                continue;
            for (int i = -6; i <= 6; i++) {
                for (int j = -6; j <= 6; j++) {
                    double weight = exp(-0.125 * (i * i + j * j));
                    double value = test_canvas_look(s, x + 0.5 * i * s->blur_px, y + 0.5 * j * s->blur_px);
                    sum += weight * test_light_of_grey(value < 0 ? c->grey[y][x] : value);
                    weights += weight;
                }
            }
            c->grey[y][x] = test_grey_of_light(sum / weights);
        }
    }
}

static inline void test_canvas_clear(test_canvas *c, double grey)
{
    for (int i = 0; i < SIDE_PX * SIDE_PX; i++)
        c->grey[i / SIDE_PX][i % SIDE_PX] = grey;
}

static inline pov_image test_canvas_shoot(test_canvas *c, double noise, test_random *random)
{
    for (int i = 0; i < SIDE_PX * SIDE_PX; i++) {
        double value =
            c->grey[i / SIDE_PX][i % SIDE_PX] + (noise > 0 ? noise * test_random_normal(random) : 0);
        memset(&c->rgb[3 * i], (int)fmin(fmax(value + 0.5, 0), 255), 3);
    }
    return (pov_image){
        .pixels = c->rgb, .width_px = SIDE_PX, .height_px = SIDE_PX, .stride_bytes = 3 * SIDE_PX};
}

/** Places a tag without blur, `cell` pixels a bit. */
static inline void test_canvas_stamp(test_canvas *c, const image_u8_t *print, int x0, int y0, int cell)
{
    for (int y = 0; y < cell * print->height; y++)
        for (int x = 0; x < cell * print->width; x++)
            c->grey[y0 + y][x0 + x] = print->buf[y / cell * print->stride + x / cell] ? WHITE : BLACK;
}
