#include "sim/bodies/catalogue_kit.h"

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
