#include "sim/bodies/catalogue_internal.h"

#include <math.h>

static void four_legs(pov_brush wood, pov_vec2 half_m, double thick_m, double height_m)
{
    for (int side = -1; side <= 1; side += 2) {
        box(at(wood, half_m.x, side * half_m.y, height_m / 2), thick_m, thick_m, height_m, thick_m * 0.15);
        box(at(wood, -half_m.x, side * half_m.y, height_m / 2), thick_m, thick_m, height_m, thick_m * 0.15);
    }
}

void pov_body_chair(pov_body *body)
{
    const pov_brush wood = paint(body, body->colour, 0.25);
    const double tall = pov_body_vary(body, 0.86, 0.98);
    box(at(wood, 0.02, 0, 0.445), 0.45, 0.45, 0.045, 0.018);
    for (int side = -1; side <= 1; side += 2) {
        box(at(wood, 0.20, side * 0.19, 0.22), 0.04, 0.04, 0.44, 0.008);
        LOFT(wood, SQUARE, {{-0.22, side * 0.19, 0}, {0.02, 0.02}},
             {{-0.19, side * 0.19, 0.44}, {0.021, 0.021}}, {{-0.25, side * 0.19, tall}, {0.018, 0.018}});
        box(at(wood, 0, side * 0.19, 0.18), 0.40, 0.022, 0.03, 0.005);
    }
    for (int i = 0; i < 3; i++) {
        const double z = 0.58 + (tall - 0.64) / 2 * i;
        box(pitched(at(wood, -0.19 - 0.06 * (z - 0.44) / (tall - 0.44), 0, z), -7), 0.022, 0.36,
            i == 2 ? 0.10 : 0.06, 0.009);
    }
    box(at(wood, 0.20, 0, 0.30), 0.022, 0.36, 0.03, 0.005);
}

void pov_body_bench(pov_body *body)
{
    const pov_brush wood = paint(body, body->colour, 0.2), iron = paint(body, 0x2A2C2E, 0.4);
    for (int i = 0; i < 4; i++)
        box(at(wood, 0.20 - 0.115 * i, 0, 0.43 - 0.008 * i), 0.095, 1.50, 0.03, 0.01);
    for (int i = 0; i < 3; i++)
        box(pitched(at(wood, -0.225 - 0.035 * i, 0, 0.55 + 0.125 * i), -15), 0.03, 1.50, 0.10, 0.01);
    for (int side = -1; side <= 1; side += 2) {
        const double y = side * 0.62;
        TUBE(iron, 0.024, {0.24, y, 0.02}, {0.20, y, 0.22}, {0.21, y, 0.40}, {0.0, y, 0.40},
             {-0.18, y, 0.395}, {-0.26, y, 0.58}, {-0.32, y, 0.83});
        TUBE(iron, 0.024, {-0.28, y, 0.02}, {-0.20, y, 0.20}, {-0.17, y, 0.40});
        TUBE(iron, 0.020, {0.22, y, 0.40}, {0.26, y, 0.56}, {0.18, y, 0.64}, {-0.05, y, 0.645},
             {-0.27, y, 0.65});
        box(at(iron, 0.24, y, 0.012), 0.10, 0.06, 0.024, 0.008);
        box(at(iron, -0.28, y, 0.012), 0.10, 0.06, 0.024, 0.008);
    }
}

void pov_body_sofa(pov_body *body)
{
    const pov_brush cloth = paint(body, body->colour, 0.03),
                    seat = paint(body, pov_shade(body->colour, 1.12), 0.03),
                    wood = paint(body, 0x4A3020, 0.3);
    const int cushions = pov_body_vary(body, 2, 4) > 2.9 ? 3 : 2;
    box(at(cloth, 0, 0, 0.24), 0.90, 1.90, 0.26, 0.05);
    box(pitched(at(cloth, -0.36, 0, 0.52), -6), 0.20, 1.80, 0.64, 0.08);
    for (int side = -1; side <= 1; side += 2) {
        box(at(cloth, 0.01, side * 0.91, 0.36), 0.90, 0.20, 0.50, 0.08);
        for (int end = -1; end <= 1; end += 2)
            box(at(wood, end * 0.38, side * 0.90, 0.055), 0.06, 0.06, 0.11, 0.01);
    }
    for (int i = 0; i < cushions; i++) {
        const double width = 1.62 / cushions, y = (i - (cushions - 1) / 2.0) * width;
        box(at(seat, 0.09, y, 0.43), 0.74, width - 0.015, 0.17, 0.06);
        box(pitched(at(seat, -0.22, y, 0.66), -12), 0.20, width - 0.02, 0.44, 0.09);
    }
}

void pov_body_bed(pov_body *body)
{
    const pov_brush wood = paint(body, 0x8A5A32, 0.3), linen = paint(body, 0xF4F2EC, 0.02),
                    blanket = paint(body, body->colour, 0.02);
    box(at(wood, -1.02, 0, 0.52), 0.06, 1.50, 0.86, 0.025);
    box(at(wood, 1.02, 0, 0.30), 0.05, 1.50, 0.42, 0.02);
    for (int side = -1; side <= 1; side += 2) {
        box(at(wood, 0, side * 0.72, 0.26), 2.0, 0.04, 0.20, 0.01);
        box(at(linen, -0.74, side * 0.36, 0.60), 0.42, 0.60, 0.15, 0.07);
    }
    four_legs(wood, (pov_vec2){1.02, 0.70}, 0.06, 0.2);
    box(at(linen, 0, 0, 0.42), 1.96, 1.40, 0.24, 0.07);
    box(at(blanket, 0.25, 0, 0.445), 1.48, 1.44, 0.25, 0.07);
    box(at(linen, -0.44, 0, 0.455), 0.20, 1.445, 0.25, 0.07);
}

void pov_body_wardrobe(pov_body *body)
{
    const pov_brush wood = paint(body, body->colour, 0.25),
                    panel = paint(body, pov_shade(body->colour, 1.15), 0.25), gap = paint(body, 0x2A1C12, 0);
    const pov_brush brass = paint(body, 0xD0A848, 0.8);
    box(at(wood, 0, 0, 1.00), 0.56, 1.16, 1.88, 0.01);
    box(at(wood, 0.01, 0, 1.97), 0.60, 1.20, 0.06, 0.015);
    box(at(wood, 0.01, 0, 0.04), 0.58, 1.18, 0.08, 0.01);
    box(at(gap, 0.272, 0, 1.01), 0.03, 1.10, 1.80, 0);
    for (int side = -1; side <= 1; side += 2) {
        box(at(panel, 0.285, side * 0.276, 1.20), 0.03, 0.536, 1.42, 0.008);
        box(at(wood, 0.298, side * 0.276, 1.52), 0.014, 0.40, 0.62, 0.006);
        box(at(wood, 0.298, side * 0.276, 0.82), 0.014, 0.40, 0.52, 0.006);
        box(at(panel, 0.285, side * 0.276, 0.29), 0.03, 0.536, 0.34, 0.008);
        pov_shape_rod(brass, V3(0.325, side * 0.045, 1.08), V3(0.325, side * 0.045, 1.24), 0.011);
        ellipsoid(at(brass, 0.318, side * 0.276, 0.29), 0.02, 0.024, 0.024);
    }
}

void pov_body_desk(pov_body *body)
{
    const pov_brush wood = paint(body, body->colour, 0.25),
                    drawer = paint(body, pov_shade(body->colour, 1.15), 0.25),
                    dark = paint(body, pov_shade(body->colour, 0.5), 0.1);
    const pov_brush brass = paint(body, POV_CHROME, 0.8);
    box(at(wood, 0, 0, 0.73), 0.70, 1.40, 0.04, 0.01);
    for (int side = -1; side <= 1; side += 2) {
        box(at(wood, -0.02, side * 0.48, 0.36), 0.60, 0.40, 0.70, 0.008);
        box(at(dark, 0.276, side * 0.48, 0.36), 0.012, 0.37, 0.66, 0);
        for (int i = 0; i < 3; i++) {
            box(at(drawer, 0.285, side * 0.48, 0.13 + 0.225 * i), 0.02, 0.36, 0.20, 0.006);
            pov_shape_rod(brass, V3(0.31, side * 0.48 - 0.05, 0.16 + 0.225 * i),
                          V3(0.31, side * 0.48 + 0.05, 0.16 + 0.225 * i), 0.008);
        }
    }
    box(at(wood, -0.28, 0, 0.45), 0.02, 0.60, 0.50, 0);
    box(at(drawer, 0.27, 0, 0.66), 0.02, 0.54, 0.09, 0.006);
}

void pov_body_table(pov_body *body)
{
    const pov_brush wood = paint(body, body->colour, 0.3);
    box(at(wood, 0, 0, 0.72), 0.90, 1.40, 0.04, 0.012);
    four_legs(wood, (pov_vec2){0.38, 0.63}, pov_body_vary(body, 0.05, 0.08), 0.71);
    for (int side = -1; side <= 1; side += 2) {
        box(at(wood, side * 0.38, 0, 0.655), 0.025, 1.22, 0.09, 0.004);
        box(at(wood, 0, side * 0.63, 0.655), 0.72, 0.025, 0.09, 0.004);
    }
}

void pov_body_lamp(pov_body *body)
{
    const pov_brush shade = paint(body, body->colour, 0), base = paint(body, 0x6B4A2E, 0.6),
                    brass = paint(body, 0xC8A050, 0.8);
    LATHE(base, 28, {0, 0}, {0.09, 0}, {0.092, 0.012}, {0.05, 0.03}, {0.035, 0.05}, {0.06, 0.11},
          {0.07, 0.16}, {0.05, 0.22}, {0.022, 0.26}, {0, 0.26});
    LATHE(brass, 16, {0, 0.25}, {0.01, 0.25}, {0.01, 0.40}, {0.02, 0.41}, {0, 0.41});
    ellipsoid(at(paint(body, 0xFFF6D8, 0), 0, 0, 0.41), 0.032, 0.032, 0.045);
    LATHE(shade, 32, {0.152, 0.30}, {0.16, 0.30}, {0.10, 0.56}, {0.094, 0.56}, {0.152, 0.30});
    LATHE(brass, 16, {0, 0.545}, {0.014, 0.545}, {0.014, 0.555}, {0, 0.56});
    for (int i = 0; i < 3; i++)
        box(yawed(at(brass, 0, 0, 0.548), 60 * i), 0.19, 0.006, 0.006, 0);
}

static void leaf(pov_brush green, double length_m, double lift, double droop)
{
    const double l = length_m;
    LOFT(green, ((pov_loft){.sides = 8, .steps = 2, .squareness = 2}), {{0, 0, 0}, {l * 0.02, l * 0.012}},
         {{l * 0.25, 0, l * lift * 0.4}, {l * 0.06, l * 0.010}},
         {{l * 0.60, 0, l * lift * 0.8}, {l * 0.15, l * 0.010}},
         {{l * 0.88, 0, l * (lift * 0.95 - droop * 0.4)}, {l * 0.08, l * 0.008}},
         {{l, 0, l * (lift - droop)}, {0, 0}});
}

void pov_body_plant(pov_body *body)
{
    const pov_brush pot = paint(body, 0xB8603A, 0.1), soil = paint(body, 0x3A2618, 0),
                    stem = paint(body, 0x4F7A34, 0.1);
    const pov_brush leaves[2] = {paint(body, body->colour, 0.3),
                                 paint(body, pov_shade(body->colour, 1.25), 0.3)};
    LATHE(pot, 28, {0, 0}, {0.10, 0}, {0.135, 0.20}, {0.155, 0.20}, {0.158, 0.25}, {0.140, 0.25},
          {0.135, 0.22}, {0, 0.22});
    LATHE(soil, 20, {0, 0.215}, {0.137, 0.215}, {0.12, 0.235}, {0, 0.24});
    pov_shape_rod(stem, V3(0, 0, 0.22), V3(0.01, 0, 0.50), 0.012);
    for (int i = 0; i < 18; i++) {
        const double turn = 137.5 * i + pov_body_vary(body, -15, 15), height = 0.26 + 0.015 * i,
                     steep = 0.3 + 0.085 * i;
        leaf(yawed(at(leaves[i % 2], 0, 0, height), turn), 0.30 / sqrt(1 + 0.35 * steep * steep), steep,
             0.35);
    }
}

/* ---- tableware and fruit ---- */

void pov_body_goblet(pov_body *body)
{
    const pov_brush gold = paint(body, body->colour, 0.9), jewel = paint(body, 0xB01830, 0.9);
    LATHE(gold, 32, {0, 0}, {0.036, 0}, {0.037, 0.004}, {0.022, 0.012}, {0.008, 0.022}, {0.007, 0.04},
          {0.013, 0.048}, {0.007, 0.056}, {0.007, 0.078}, {0.020, 0.088}, {0.036, 0.102}, {0.044, 0.125},
          {0.045, 0.17}, {0.0425, 0.17}, {0.041, 0.126}, {0.033, 0.107}, {0.018, 0.095}, {0, 0.092});
    for (int i = 0; i < 6; i++)
        ellipsoid(at(yawed(jewel, 60 * i), 0.0445, 0, 0.14), 0.003, 0.006, 0.008);
}

static void handle(pov_brush clay, double y_m, double low_m, double high_m, double radius_m)
{
    const double high = high_m - low_m, out = 0.62 * high;
    TUBE(clay, radius_m, {0, y_m, high_m}, {0, y_m + 0.6 * out, high_m},
         {0, y_m + 0.95 * out, high_m - 0.22 * high}, {0, y_m + out, high_m - 0.5 * high},
         {0, y_m + 0.7 * out, low_m + 0.15 * high}, {0, y_m, low_m});
}

void pov_body_cup(pov_body *body)
{
    const pov_brush china = paint(body, body->colour, 0.7), tea = paint(body, 0x8A4A1E, 0.5),
                    rim = paint(body, 0x2F5FA0, 0.6);
    LATHE(china, 36, {0, 0}, {0.04, 0}, {0.068, 0.010}, {0.070, 0.014}, {0.066, 0.014}, {0.04, 0.006},
          {0, 0.006});
    LATHE(rim, 36, {0.066, 0.0135}, {0.0705, 0.0135}, {0.0705, 0.0155}, {0.066, 0.0155}, {0.066, 0.0135});
    LATHE(china, 32, {0, 0.008}, {0.020, 0.008}, {0.022, 0.014}, {0.034, 0.026}, {0.041, 0.048},
          {0.043, 0.075}, {0.040, 0.075}, {0.038, 0.048}, {0.031, 0.028}, {0, 0.022});
    LATHE(tea, 28, {0, 0.055}, {0.0392, 0.055}, {0.0392, 0.062}, {0, 0.062});
    handle(china, 0.037, 0.030, 0.064, 0.0035);
}

void pov_body_mug(pov_body *body)
{
    const pov_brush clay = paint(body, body->colour, 0.6), coffee = paint(body, 0x3A2010, 0.5);
    LATHE(clay, 36, {0, 0}, {0.037, 0}, {0.040, 0.004}, {0.041, 0.093}, {0.0395, 0.095}, {0.037, 0.093},
          {0.036, 0.010}, {0, 0.008});
    LATHE(coffee, 28, {0, 0.070}, {0.0366, 0.070}, {0.0366, 0.078}, {0, 0.078});
    handle(clay, 0.038, 0.020, 0.078, 0.0055);
}

void pov_body_bottle(pov_body *body)
{
    const pov_brush glass = paint(body, body->colour, 0.9), label = paint(body, 0xEFE6CC, 0.05),
                    foil = paint(body, 0x8A1E2A, 0.4);
    LATHE(glass, 32, {0, 0}, {0.034, 0}, {0.0375, 0.004}, {0.0375, 0.175}, {0.034, 0.195}, {0.020, 0.220},
          {0.0145, 0.235}, {0.0135, 0.285}, {0, 0.285});
    LATHE(label, 32, {0.03, 0.06}, {0.0382, 0.06}, {0.0382, 0.145}, {0.03, 0.145}, {0.03, 0.06});
    LATHE(foil, 24, {0, 0.245}, {0.0155, 0.245}, {0.0148, 0.288}, {0.0165, 0.288}, {0.0165, 0.30}, {0, 0.30});
    box(yawed(at(foil, 0, 0, 0.105), 0), 0.077, 0.03, 0.012, 0);
}

void pov_body_bowl(pov_body *body)
{
    const pov_brush clay = paint(body, body->colour, 0.6);
    LATHE(clay, 40, {0, 0}, {0.036, 0}, {0.036, 0.006}, {0.056, 0.020}, {0.073, 0.045}, {0.080, 0.070},
          {0.0765, 0.070}, {0.069, 0.046}, {0.052, 0.024}, {0.03, 0.012}, {0, 0.010});
    LATHE(paint(body, 0xF4F2EA, 0.6), 40, {0.0765, 0.066}, {0.0802, 0.066}, {0.0805, 0.0705}, {0.076, 0.0705},
          {0.0765, 0.066});
}

void pov_body_plate(pov_body *body)
{
    const pov_brush china = paint(body, body->colour, 0.7), ring = paint(body, 0x2F5FA0, 0.6);
    LATHE(china, 48, {0, 0}, {0.075, 0}, {0.085, 0.008}, {0.128, 0.021}, {0.130, 0.025}, {0.127, 0.0245},
          {0.086, 0.013}, {0.076, 0.006}, {0, 0.005});
    LATHE(ring, 48, {0.112, 0.018}, {0.120, 0.0205}, {0.120, 0.0236}, {0.112, 0.0214}, {0.112, 0.018});
    LATHE(ring, 48, {0.080, 0.005}, {0.0835, 0.008}, {0.0835, 0.0128}, {0.080, 0.0103}, {0.080, 0.005});
}

void pov_body_vase(pov_body *body)
{
    const pov_brush clay = paint(body, body->colour, 0.7), band = paint(body, 0xF0E8D0, 0.6);
    LATHE(clay, 36, {0, 0}, {0.042, 0}, {0.045, 0.006}, {0.060, 0.06}, {0.074, 0.13}, {0.070, 0.19},
          {0.045, 0.235}, {0.034, 0.26}, {0.038, 0.285}, {0.050, 0.30}, {0.046, 0.30}, {0.034, 0.284},
          {0.029, 0.26}, {0.029, 0.20}, {0, 0.19});
    LATHE(band, 36, {0.06, 0.115}, {0.0725, 0.115}, {0.0752, 0.13}, {0.0752, 0.142}, {0.06, 0.142},
          {0.06, 0.115});
    LATHE(band, 36, {0.05, 0.078}, {0.0655, 0.078}, {0.0675, 0.088}, {0.05, 0.088}, {0.05, 0.078});
}

void pov_body_apple(pov_body *body)
{
    const pov_brush peel = paint(body, body->colour, 0.6);
    enum { ROWS = 25 };
    pov_vec2 profile[ROWS];
    for (int i = 0; i < ROWS; i++) {
        /* A cardioid about the core, a little narrower below. */
        const double angle = POV_PI * (i / (ROWS - 1.0) - 0.5), squeeze = 1 + 0.10 * sin(angle);
        const double inward = 1 - 0.42 * pow(fabs(sin(angle)), 12);
        profile[i] = (pov_vec2){i == 0 || i == ROWS - 1 ? 0 : 0.04 * cos(angle) * squeeze,
                                0.038 * sin(angle) * inward};
    }
    pov_shape_lathe(peel, profile, ROWS, 32);
    TUBE(paint(body, 0x5A3A1E, 0.1), 0.0022, {0, 0, 0.02}, {0.001, 0, 0.035}, {0.006, 0, 0.048});
    LOFT(paint(body, 0x4F8F2E, 0.3), ROUND, {{0.002, 0, 0.038}, {0.001, 0.001}},
         {{0.004, 0.012, 0.046}, {0.0085, 0.001}}, {{0.004, 0.026, 0.046}, {0, 0}});
}

void pov_body_banana(pov_body *body)
{
    const pov_brush peel = paint(body, body->colour, 0.3), tip = paint(body, 0x4A3A1E, 0.1);
    pov_ring rings[9];
    static const double thick[9] = {0.005, 0.010, 0.016, 0.018, 0.018, 0.017, 0.0135, 0.007, 0.0045};
    for (int i = 0; i < 9; i++) {
        const double angle = POV_PI * (0.06 + 0.76 * i / 8) - POV_PI * 0.44;
        rings[i] = (pov_ring){{0.10 * cos(angle), 0.10 * sin(angle), 0.018}, {thick[i], thick[i]}};
    }
    pov_shape_loft(peel, rings, 9, (pov_loft){.sides = 10, .steps = 3, .squareness = 2});
    const pov_vec3 start = rings[0].centre_m, end = rings[8].centre_m;
    ellipsoid(at(tip, start.x, start.y, start.z), 0.006, 0.006, 0.006);
    pov_shape_rod(peel, end, V3(end.x - 0.008, end.y + 0.012, end.z + 0.002), 0.0045);
    ellipsoid(at(tip, end.x - 0.009, end.y + 0.014, end.z + 0.002), 0.0055, 0.0055, 0.0055);
}
