#include "sim/bodies/catalogue_internal.h"

#include <math.h>
#include <string.h>

/** Tapes over each other's edges: four walls, a floor, flaps standing open. */
void pov_body_box(pov_body *body)
{
    const pov_brush card = paint(body, body->colour, 0),
                    inner = paint(body, pov_shade(body->colour, 0.75), 0), tape = paint(body, 0xD8C08A, 0.4);
    const double x = 0.19, y = 0.15, high = 0.24, thick = 0.006;
    box(at(inner, 0, 0, thick / 2), 2 * x, 2 * y, thick, 0);
    for (int side = -1; side <= 1; side += 2) {
        box(at(card, side * x, 0, high / 2), thick, 2 * y, high, 0);
        box(at(card, 0, side * y, high / 2), 2 * x, thick, high, 0);
        box(at(tape, side * (x + 0.0035), 0, high * 0.62), 0.001, 0.05, high * 0.76, 0);
        box(at(pitched(at(card, side * x, 0, high), side * 35), 0, 0, 0.055), thick, 2 * y - 0.01, 0.11, 0);
        box(at(rolled(at(card, 0, side * y, high), -side * 62), 0, 0, 0.05), 2 * x - 0.01, thick, 0.10, 0);
    }
}

void pov_body_container(pov_body *body)
{
    const pov_brush plastic = paint(body, body->colour, 0.4),
                    dark = paint(body, pov_shade(body->colour, 0.6), 0.3);
    const double x = 0.19, y = 0.135, high = 0.23;
    box(at(dark, 0, 0, 0.006), 2 * x, 2 * y, 0.012, 0.003);
    for (int side = -1; side <= 1; side += 2) {
        box(at(plastic, side * x, 0, high / 2), 0.01, 2 * y, high, 0);
        box(at(plastic, 0, side * y, high / 2), 2 * x, 0.01, high, 0);
        box(at(plastic, side * (x + 0.008), 0, high), 0.026, 2 * y + 0.042, 0.018, 0.006);
        box(at(plastic, 0, side * (y + 0.008), high), 2 * x, 0.026, 0.018, 0.006);
        box(at(dark, side * (x + 0.006), 0, high * 0.74), 0.006, 0.11, 0.03, 0);
        for (int i = -2; i <= 2; i++) {
            box(at(plastic, side * (x + 0.006), i * 0.055, high * 0.33), 0.01, 0.014, high * 0.5, 0);
            box(at(plastic, i * 0.075, side * (y + 0.006), high / 2), 0.014, 0.01, high * 0.86, 0);
        }
    }
}

void pov_body_pen(pov_body *body)
{
    const pov_brush ink = paint(body, body->colour, 0.6), steel = paint(body, POV_CHROME, 0.8),
                    white = paint(body, 0xEEEEEA, 0.5);
    const pov_brush along = pitched(at(ink, 0, 0, 0.006), 90);
    pov_brush tip = along, barrel = along;
    tip.material = steel.material, barrel.material = white.material;
    LATHE(barrel, 16, {0, -0.02}, {0.0048, -0.02}, {0.0048, 0.060}, {0, 0.060});
    LATHE(tip, 16, {0, 0.058}, {0.0048, 0.058}, {0.0022, 0.072}, {0.0008, 0.0745}, {0, 0.075});
    LATHE(along, 16, {0, -0.075}, {0.0045, -0.0745}, {0.0058, -0.073}, {0.0058, -0.012}, {0, -0.012});
    LATHE(along, 16, {0, 0.045}, {0.0052, 0.045}, {0.0052, 0.058}, {0, 0.058});
    box(at(steel, -0.052, 0.0065, 0.0075), 0.042, 0.002, 0.0035, 0.0008);
}

void pov_body_book(pov_body *body)
{
    const pov_brush cover = paint(body, body->colour, 0.3), pages = paint(body, 0xF2EAD6, 0),
                    gold = paint(body, 0xE0BC5A, 0.6);
    box(at(cover, 0, 0, 0.0015), 0.15, 0.22, 0.003, 0.001);
    box(at(cover, 0, 0, 0.0305), 0.15, 0.22, 0.003, 0.001);
    LOFT(cover, SQUARE, {{-0.0725, -0.11, 0.016}, {0.004, 0.0158}},
         {{-0.0725, 0.11, 0.016}, {0.004, 0.0158}});
    box(at(pages, 0.0, 0, 0.016), 0.140, 0.212, 0.0265, 0);
    for (int i = 0; i < 5; i++)
        box(at(paint(body, 0xC8BC9C, 0), 0.0005, 0, 0.006 + 0.005 * i), 0.140, 0.2125, 0.0006, 0);
    box(at(gold, 0.035, 0, 0.0322), 0.012, 0.15, 0.0006, 0);
    box(at(gold, 0.012, 0, 0.0322), 0.012, 0.11, 0.0006, 0);
    box(at(gold, -0.045, 0, 0.0322), 0.005, 0.07, 0.0006, 0);
    for (int side = -1; side <= 1; side += 2) {
        box(at(gold, side * 0.064, 0, 0.0322), 0.0015, 0.20, 0.0005, 0);
        box(at(gold, 0, side * 0.10, 0.0322), 0.1295, 0.0015, 0.0005, 0);
    }
}

/** Keys in rows on a board that lies in x and y; the space bar nearest to the front. */
static void keys(pov_brush key, pov_vec2 size_m, double high_m, int rows, int columns)
{
    const double dx = size_m.x / rows, dy = size_m.y / columns;
    for (int row = 0; row < rows; row++) {
        const double x = size_m.x / 2 - dx * (row + 0.5);
        for (int i = 0; i < columns; i++) {
            const double y = size_m.y / 2 - dy * (i + 0.5);
            const bool under_bar = row == 0 && i >= columns / 4 && i < columns * 5 / 8;
            if (!under_bar)
                box(at(key, x, y, 0), dx * 0.84, dy * 0.84, high_m, 0);
        }
    }
    const int from = columns / 4, to = columns * 5 / 8;
    box(at(key, size_m.x / 2 - dx * 0.5, size_m.y / 2 - dy * (from + to) * 0.5, 0), dx * 0.84,
        dy * (to - from) - dy * 0.16, high_m, 0);
}

void pov_body_keyboard(pov_body *body)
{
    const pov_brush shell = paint(body, body->colour, 0.2);
    const bool dark = (body->colour & 0xFF) < 0x80;
    const pov_brush key = paint(body, pov_shade(body->colour, dark ? 2.2 : 0.82), 0.2);
    const pov_brush slope = pitched(at(shell, 0, 0, 0.010), 4);
    box(slope, 0.15, 0.44, 0.014, 0.004);
    pov_brush cap = at(slope, -0.004, 0.055, 0.009);
    cap.material = key.material;
    keys(cap, (pov_vec2){0.125, 0.31}, 0.008, 5, 15);
    pov_brush pad = at(slope, -0.004, -0.165, 0.009);
    pad.material = key.material;
    for (int row = 0; row < 5; row++) {
        for (int i = 0; i < 4; i++)
            box(at(pad, 0.05 - 0.025 * row, 0.0315 - 0.021 * i, 0), 0.021, 0.0175, 0.008, 0);
    }
}

/** The picture on a screen: windows on a blue ground, upright when seen from +x. */
static pov_brush screen(pov_body *body)
{
    enum { WIDTH = 64, HEIGHT = 40 };
    uint8_t pixels[3 * WIDTH * HEIGHT];
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
    const pov_texture texture = {.width_px = WIDTH, .height_px = HEIGHT, .pixels = pixels};
    return pov_brush_textured(body->model, &texture, 0xFFFFFF, 0.3);
}

void pov_body_laptop(pov_body *body)
{
    const pov_brush shell = paint(body, body->colour, 0.5), black = paint(body, 0x1A1A1C, 0.3),
                    picture = screen(body);
    const pov_brush lid = pitched(at(shell, -0.115, 0, 0.016), -18);
    box(at(shell, 0.0, 0, 0.009), 0.235, 0.34, 0.016, 0.005);
    box(at(paint(body, 0x303236, 0.2), -0.025, 0, 0.0171), 0.109, 0.304, 0.001, 0);
    keys(at(black, -0.025, 0, 0.0175), (pov_vec2){0.105, 0.30}, 0.004, 5, 14);
    box(at(paint(body, pov_shade(body->colour, 0.85), 0.4), 0.075, 0, 0.0172), 0.06, 0.10, 0.001, 0);
    box(at(lid, -0.002, 0, 0.115), 0.008, 0.34, 0.23, 0.003);
    pov_brush bezel = at(lid, 0.0022, 0, 0.115), glass = at(lid, 0.0032, 0, 0.118);
    bezel.material = black.material, glass.material = picture.material;
    box(bezel, 0.001, 0.326, 0.215, 0);
    box(glass, 0.001, 0.306, 0.188, 0);
    pov_brush hinge = at(lid, 0, 0, 0);
    hinge.material = black.material;
    pov_shape_rod(hinge, V3(0, -0.12, 0), V3(0, 0.12, 0), 0.006);
}

void pov_body_monitor(pov_body *body)
{
    const pov_brush shell = paint(body, body->colour, 0.4),
                    stand = paint(body, pov_shade(body->colour, 1.5), 0.5), picture = screen(body);
    box(at(shell, 0, 0, 0.29), 0.045, 0.56, 0.34, 0.012);
    box(at(shell, -0.03, 0, 0.28), 0.04, 0.32, 0.20, 0.015);
    box(at(picture, 0.0218, 0, 0.296), 0.003, 0.53, 0.30, 0);
    LOFT(stand, LEVEL, {{-0.045, 0, 0.01}, {0.04, 0.014}}, {{-0.045, 0, 0.20}, {0.032, 0.012}},
         {{-0.035, 0, 0.27}, {0.032, 0.012}});
    LOFT(stand, LEVEL, {{0, 0, 0}, {0.12, 0.10}}, {{0, 0, 0.008}, {0.12, 0.10}},
         {{-0.005, 0, 0.014}, {0.10, 0.08}});
    box(at(paint(body, 0x38D058, 0), 0.0225, -0.25, 0.131), 0.002, 0.012, 0.004, 0);
}

void pov_body_phone(pov_body *body)
{
    const pov_brush shell = paint(body, body->colour, 0.6), glass = paint(body, 0x1E4F9A, 0.9),
                    steel = paint(body, POV_CHROME, 0.7);
    static const uint32_t icons[] = {0xE84A3A, 0x48B858, 0xF0B428, 0x48A0E8, 0xF4F4F4, 0xB058D0};
    LOFT(steel, ((pov_loft){.sides = 32, .steps = 1, .squareness = 9}), {{0, 0, 0.001}, {0.035, 0.073}},
         {{0, 0, 0.0025}, {0.0362, 0.0748}}, {{0, 0, 0.0065}, {0.0362, 0.0748}},
         {{0, 0, 0.008}, {0.035, 0.073}});
    LOFT(shell, ((pov_loft){.sides = 32, .steps = 1, .squareness = 9}), {{0, 0, 0.004}, {0.0345, 0.0725}},
         {{0, 0, 0.0085}, {0.0345, 0.0725}});
    box(at(glass, 0.001, 0, 0.0086), 0.128, 0.063, 0.0006, 0);
    for (int row = 0; row < 5; row++) {
        for (int i = 0; i < 4; i++)
            box(at(paint(body, icons[(row * 4 + i * 7) % LEN(icons)], 0.2), 0.050 - 0.020 * row,
                   0.0225 - 0.015 * i, 0.0089),
                0.0115, 0.0105, 0.0004, 0);
    }
    box(at(paint(body, 0x9FB8D8, 0.2), -0.052, 0, 0.0089), 0.013, 0.056, 0.0003, 0);
    box(at(steel, 0.069, 0, 0.0087), 0.0015, 0.014, 0.0004, 0);
}

/* ---- toys ---- */

static void ball(pov_brush brush)
{
    brush.sides = 48;
    ellipsoid(brush, 0.12, 0.12, 0.12);
}

void pov_body_ball(pov_body *body)
{
    ball(paint(body, body->colour, 0.35));
}

/** Darkness of a place, 0..1: the seams are two great circles, and on either side a circle about the third axis. */
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
