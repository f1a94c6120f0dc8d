#include "sim/bodies/catalogue_kit.h"

#include <math.h>
#include <string.h>

static void ball(pov_brush brush)
{
    brush.sides = 48;
    ellipsoid(brush, 0.12, 0.12, 0.12);
}

void pov_body_ball(pov_body *body)
{
    ball(paint(body, body->colour, 0.35));
}

/** How dark a place is, 0..1: the seams are two great circles, and on either side a circle about the third axis. */
static double seam(double longitude, double latitude)
{
    const double x = cos(latitude) * cos(longitude), y = cos(latitude) * sin(longitude), z = sin(latitude);
    const double off = fmin(fmin(fabs(x), fabs(z)), fabs(fabs(y) - 0.72) * 1.4);
    return fmin(1, fmax(0, (0.04 - off) / 0.02)); /* an edge as wide as a pixel: no stairs */
}

void pov_body_basketball(pov_body *body)
{
    enum { WIDTH = 256, HEIGHT = 128 };
    uint8_t pixels[3 * WIDTH * HEIGHT];
    for (int row = 0; row < HEIGHT; row++) {
        for (int column = 0; column < WIDTH; column++) {
            const double dark =
                seam(2 * POV_PI * (column + 0.5) / WIDTH, POV_PI * (0.5 - (row + 0.5) / HEIGHT));
            memset(&pixels[3 * (row * WIDTH + column)], (int)(0xFF - 0xD8 * dark), 3);
        }
    }
    const pov_texture texture = {.width_px = WIDTH, .height_px = HEIGHT, .pixels = pixels};
    ball(pov_brush_textured(body->model, &texture, body->colour, 0.15));
}

#define BEAK ((pov_loft){.sides = 14, .steps = 3, .squareness = 2.5})

void pov_body_rubber_duck(pov_body *body)
{
    const pov_brush rubber = paint(body, body->colour, 0.5), beak = paint(body, 0xE8541E, 0.5);
    SKIN(rubber, 0.004, 0.0041, {{-0.012, 0, 0.026}, {0.008, 0, 0.026}, 0.031, 0.032, false},
         {{-0.030, 0, 0.036}, {-0.052, 0, 0.054}, 0.018, 0.004, false},
         {{0.020, 0, 0.068}, {0.021, 0, 0.068}, 0.0255, 0.0255, false},
         {{-0.012, 0.030, 0.036}, {-0.030, 0.030, 0.042}, 0.010, 0.005, true});
    LOFT(beak, BEAK, {{0.040, 0, 0.066}, {0.012, 0.006}}, {{0.052, 0, 0.067}, {0.013, 0.0042}},
         {{0.059, 0, 0.070}, {0.011, 0.0025}}, {{0.062, 0, 0.071}, {0, 0}});
    LOFT(beak, BEAK, {{0.040, 0, 0.060}, {0.010, 0.005}}, {{0.050, 0, 0.058}, {0.011, 0.003}},
         {{0.056, 0, 0.058}, {0, 0}});
    for (int side = -1; side <= 1; side += 2) {
        ellipsoid(at(paint(body, 0xFFFFFF, 0.6), 0.0385, side * 0.0125, 0.077), 0.0052, 0.0058, 0.0072);
        pov_body_eye(body, V3(0.0420, side * 0.0130, 0.0775), 0.0036);
    }
}

void pov_body_teddy_bear(pov_body *body)
{
    const pov_brush fur = paint(body, body->colour, 0), pale = paint(body, pov_shade(body->colour, 1.4), 0);
    const pov_brush black = paint(body, POV_BLACK, 0.8);
    SKIN(fur, 0.008, 0.0150, {{0, 0, 0.095}, {0, 0, 0.13}, 0.082, 0.068, false},
         {{0.005, 0, 0.265}, {0.005, 0.0, 0.27}, 0.078, 0.078, false},
         {{-0.01, 0.062, 0.325}, {-0.008, 0.064, 0.328}, 0.030, 0.030, true},
         {{0.01, 0.065, 0.175}, {0.06, 0.125, 0.10}, 0.034, 0.032, true},
         {{0.03, 0.06, 0.045}, {0.12, 0.085, 0.045}, 0.045, 0.042, true});
    ellipsoid(at(pale, 0.072, 0, 0.252), 0.034, 0.040, 0.032);
    ellipsoid(at(pale, 0.030, 0, 0.10), 0.058, 0.055, 0.062);
    ellipsoid(at(black, 0.103, 0, 0.268), 0.010, 0.015, 0.010);
    TUBE(black, 0.0025, {0.104, 0, 0.262}, {0.107, 0, 0.25}, {0.103, 0.014, 0.24});
    TUBE(black, 0.0025, {0.107, 0, 0.25}, {0.103, -0.014, 0.24});
    for (int side = -1; side <= 1; side += 2) {
        pov_body_eye(body, V3(0.075, side * 0.03, 0.292), 0.0105);
        ellipsoid(at(pale, 0.014, side * 0.064, 0.324), 0.013, 0.017, 0.017);
        ellipsoid(at(pale, 0.153, side * 0.086, 0.045), 0.012, 0.028, 0.030);
    }
    ellipsoid(at(paint(body, 0xB8262E, 0.3), 0.07, 0, 0.192), 0.012, 0.012, 0.012);
    for (int side = -1; side <= 1; side += 2)
        ellipsoid(rolled(at(paint(body, 0xB8262E, 0.3), 0.068, side * 0.028, 0.192), side * 12), 0.010, 0.022,
                  0.016);
}
