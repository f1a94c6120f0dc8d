#include "sim/bodies/patterns.h"

#include "perception/geometry/geom.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Dark patches on a light hide, as wide as the texture is long in metres. */
static void draw_hide(uint8_t *pixels)
{
    enum { WIDTH = 96, HEIGHT = 64, PATCHES = 7 };
    static const double patches[PATCHES][3] = {{12, 20, 13}, {34, 30, 11}, {50, 18, 9}, {64, 33, 9},
                                               {84, 14, 14}, {22, 48, 8},  {95, 40, 8}};
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            double dark = 0;
            for (int k = 0; k < PATCHES; k++) {
                const double dx = x - patches[k][0], dy = 1.25 * (y - patches[k][1]), turn = atan2(dy, dx);
                const double edge =
                    patches[k][2] * (1 + 0.18 * sin(3 * turn + k) + 0.10 * sin(5 * turn + 2 * k));
                dark = fmax(dark, fmin(1, edge + 0.5 - hypot(dx, dy)));
            }
            memset(&pixels[3 * (y * WIDTH + x)], (int)(0xFF - 0xDF * dark), 3);
        }
    }
}

static void draw_tabby(uint8_t *pixels)
{
    enum { WIDTH = 64, HEIGHT = 8 };
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const bool stripe = i % WIDTH % 7 < 2 && i / WIDTH < 6;
        for (int c = 0; c < 3; c++)
            pixels[3 * i + c] = stripe ? 0x90 : 0xFF;
    }
}

/* The picture on a screen: windows on a blue ground, upright when seen from +x. */
static void draw_screen(uint8_t *pixels)
{
    enum { WIDTH = 64, HEIGHT = 40 };
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int x = i % WIDTH, y = i / WIDTH;
        uint32_t rgb = y >= HEIGHT - 3 ? 0x1C2A48 : 0x2F6FC0 + (uint32_t)(y * 0x000101);
        if (x > 6 && x < 38 && y > 4 && y < 28)
            rgb = y < 8 ? 0x38445A : (y % 3 == 0 && x > 9 && x < 16 + (y * 7) % 20) ? 0x606870 : 0xF4F6F8;
        if (x > 42 && x < 58 && y > 10 && y < 32)
            rgb = y < 14 ? 0x38445A : y > 24 - (x * 5) % 9 ? 0x48A868 : 0xE8F0E4;
        for (int c = 0; c < 3; c++)
            pixels[3 * i + c] = (uint8_t)(rgb >> (16 - 8 * c));
    }
}

/* Darkness of a place, 0..1: the seams are two great circles, and on either side a circle about the third axis. */
static double seam(double longitude, double latitude)
{
    const double x = cos(latitude) * cos(longitude), y = cos(latitude) * sin(longitude), z = sin(latitude);
    const double off = fmin(fmin(fabs(x), fabs(z)), fabs(fabs(y) - 0.72) * 1.4);
    return fmin(1, fmax(0, (0.04 - off) / 0.02)); /* an edge as wide as a pixel: no stairs */
}

static void draw_seams(uint8_t *pixels)
{
    enum { WIDTH = 256, HEIGHT = 128 };
    for (int row = 0; row < HEIGHT; row++) {
        for (int column = 0; column < WIDTH; column++) {
            const double dark =
                seam(2 * POV_PI * (column + 0.5) / WIDTH, POV_PI * (0.5 - (row + 0.5) / HEIGHT));
            memset(&pixels[3 * (row * WIDTH + column)], (int)(0xFF - 0xD8 * dark), 3);
        }
    }
}

const pov_pattern POV_PATTERNS[POV_PATTERN_COUNT] = {{"HIDE", 96, 64, draw_hide},
                                                     {"TABBY", 64, 8, draw_tabby},
                                                     {"SCREEN", 64, 40, draw_screen},
                                                     {"SEAMS", 256, 128, draw_seams}};
