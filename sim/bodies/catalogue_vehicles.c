#include "sim/bodies/catalogue_internal.h"

#include <math.h>

/** About the y axis, its middle at the brush. */
static void wheel(pov_body *body, pov_brush place, double radius_m, double width_m)
{
    const double r = radius_m, w = width_m / 2;
    const pov_brush tyre = rolled(place, 90);
    pov_brush rim = tyre;
    rim.material = paint(body, POV_CHROME, 0.6).material;
    LATHE(tyre, 20, {0, -w * 0.75}, {r * 0.60, -w * 0.8}, {r * 0.92, -w}, {r, -w * 0.7}, {r, w * 0.7},
          {r * 0.92, w}, {r * 0.60, w * 0.8}, {0, w * 0.75});
    LATHE(rim, 20, {r * 0.56, -w * 0.7}, {r * 0.58, -w * 0.94}, {r * 0.66, -w * 0.95}, {r * 0.66, w * 0.95},
          {r * 0.58, w * 0.94}, {r * 0.56, w * 0.7}, {r * 0.56, -w * 0.7});
    for (int i = 0; i < 5; i++) {
        const pov_brush spoke = pov_brush_turned(rim, V3(0, 0, 2 * POV_PI * i / 5));
        box(at(spoke, r * 0.30, 0, 0), r * 0.62, r * 0.17, w * 1.84, 0);
    }
}

static void four_wheels(pov_body *body, double front_x_m, double back_x_m, double y_m, double radius_m)
{
    const pov_brush rubber = paint(body, 0x1A1A1C, 0.15);
    for (int side = -1; side <= 1; side += 2) {
        wheel(body, at(rubber, front_x_m, side * y_m, radius_m), radius_m, radius_m * 0.68);
        wheel(body, at(rubber, back_x_m, side * y_m, radius_m), radius_m, radius_m * 0.68);
    }
}

#define PILLAR ((pov_loft){.sides = 8, .steps = 2, .squareness = 2})
#define SEAM   ((pov_loft){.sides = 4, .steps = 1, .squareness = 2})

static void car_cabin(pov_brush shell, pov_brush glass)
{
    LOFT(glass, LEVEL, {{-0.30, 0, 0.88}, {0.80, 1.32}}, {{-0.38, 0, 1.14}, {0.735, 0.99}},
         {{-0.45, 0, 1.36}, {0.62, 0.66}});
    LOFT(shell, LEVEL, {{-0.45, 0, 1.335}, {0.655, 0.71}}, {{-0.45, 0, 1.375}, {0.645, 0.70}},
         {{-0.45, 0, 1.41}, {0.56, 0.60}}, {{-0.45, 0, 1.42}, {0.40, 0.42}});
    for (int side = -1; side <= 1; side += 2) {
        LOFT(shell, PILLAR, {{0.90, side * 0.70, 0.86}, {0.042, 0.042}},
             {{0.49, side * 0.645, 1.14}, {0.042, 0.042}}, {{0.15, side * 0.56, 1.34}, {0.042, 0.042}});
        LOFT(shell, PILLAR, {{-1.50, side * 0.70, 0.86}, {0.055, 0.055}},
             {{-1.25, side * 0.645, 1.14}, {0.055, 0.055}}, {{-1.04, side * 0.56, 1.34}, {0.055, 0.055}});
        LOFT(shell, PILLAR, {{-0.42, side * 0.80, 0.86}, {0.038, 0.038}},
             {{-0.43, side * 0.735, 1.14}, {0.038, 0.038}}, {{-0.45, side * 0.63, 1.34}, {0.038, 0.038}});
    }
}

static void car_shell(pov_brush shell)
{
    LOFT(shell, ((pov_loft){.sides = 24, .steps = 2, .squareness = 4}), {{-2.25, 0, 0.67}, {0.76, 0.24}},
         {{-2.21, 0, 0.66}, {0.82, 0.30}}, {{-1.95, 0, 0.64}, {0.88, 0.36}}, {{-1.0, 0, 0.60}, {0.90, 0.39}},
         {{0.0, 0, 0.58}, {0.90, 0.385}}, {{0.9, 0, 0.57}, {0.90, 0.375}}, {{1.6, 0, 0.545}, {0.88, 0.325}},
         {{2.05, 0, 0.525}, {0.84, 0.27}}, {{2.20, 0, 0.52}, {0.80, 0.235}}, {{2.25, 0, 0.52}, {0.74, 0.20}});
}

static void car_trim(pov_body *body, pov_brush shell)
{
    const pov_brush black = paint(body, 0x18181A, 0.4), lamp = small(paint(body, 0xFDFBE8, 0.9)),
                    chrome = paint(body, POV_CHROME, 0.8);
    const pov_brush red = paint(body, 0xC01818, 0.6), amber = small(paint(body, 0xF09020, 0.6));
    box(at(black, 2.24, 0, 0.575), 0.05, 0.62, 0.13, 0);
    box(at(black, 2.235, 0, 0.375), 0.05, 1.10, 0.07, 0);
    box(at(chrome, 2.26, 0, 0.575), 0.03, 0.10, 0.09, 0);
    box(at(paint(body, POV_WHITE, 0.2), 2.255, 0, 0.45), 0.03, 0.46, 0.10, 0);
    box(at(paint(body, POV_WHITE, 0.2), -2.25, 0, 0.62), 0.03, 0.46, 0.10, 0);
    for (int side = -1; side <= 1; side += 2) {
        box(at(black, 2.235, side * 0.535, 0.585), 0.05, 0.36, 0.15, 0);
        ellipsoid(at(lamp, 2.255, side * 0.46, 0.585), 0.03, 0.085, 0.062);
        ellipsoid(at(lamp, 2.255, side * 0.63, 0.585), 0.03, 0.06, 0.055);
        ellipsoid(at(amber, 1.98, side * 0.80, 0.60), 0.07, 0.04, 0.04);
        box(at(red, -2.235, side * 0.56, 0.76), 0.05, 0.30, 0.14, 0);
        ellipsoid(at(small(shell), 0.68, side * 0.90, 0.96), 0.08, 0.10, 0.07);
        for (int door = 0; door < 3; door++) {
            const double x = 0.62 - 1.02 * door;
            LOFT(black, SEAM, {{x, side * 0.875, 0.33}, {0.010, 0.010}},
                 {{x, side * 0.899, 0.55}, {0.010, 0.010}}, {{x, side * 0.893, 0.72}, {0.010, 0.010}},
                 {{x, side * 0.83, 0.87}, {0.010, 0.010}});
        }
        box(at(chrome, -0.22, side * 0.895, 0.76), 0.16, 0.03, 0.03, 0);
        box(at(chrome, -1.18, side * 0.893, 0.76), 0.16, 0.03, 0.03, 0);
        LATHE(rolled(at(black, 1.38, side * 0.62, 0.34), 90), 24, {0, -0.285}, {0.40, -0.285}, {0.40, 0.285},
              {0, 0.285});
        LATHE(rolled(at(black, -1.34, side * 0.62, 0.34), 90), 24, {0, -0.285}, {0.40, -0.285}, {0.40, 0.285},
              {0, 0.285});
    }
}

void pov_body_car(pov_body *body)
{
    const pov_brush shell = paint(body, body->colour, 0.7), glass = paint(body, 0x1E2428, 0.95);
    car_shell(shell);
    car_cabin(shell, glass);
    car_trim(body, shell);
    four_wheels(body, 1.38, -1.34, 0.81, 0.33);
}

static void lights_front(pov_body *body, double x_m, double y_m, double z_m, double radius_m)
{
    const pov_brush lamp = small(paint(body, 0xFDFBE0, 0.9)), chrome = small(paint(body, POV_CHROME, 0.7));
    for (int side = -1; side <= 1; side += 2) {
        ellipsoid(at(chrome, x_m, side * y_m, z_m), radius_m * 0.5, radius_m * 1.25, radius_m * 1.25);
        ellipsoid(at(lamp, x_m + radius_m * 0.2, side * y_m, z_m), radius_m * 0.5, radius_m, radius_m);
    }
}

static void lights_back(pov_body *body, double x_m, double y_m, double z_m)
{
    for (int side = -1; side <= 1; side += 2)
        box(at(paint(body, 0xC01818, 0.6), x_m, side * y_m, z_m), 0.08, 0.18, 0.32, 0.03);
}

void pov_body_bus(pov_body *body)
{
    const pov_brush shell = paint(body, body->colour, 0.5), glass = paint(body, 0x222A30, 0.95),
                    black = paint(body, 0x1A1A1C, 0.2);
    const pov_brush white = paint(body, POV_WHITE, 0.4);
    box(at(shell, 0, 0, 1.55), 9.0, 2.40, 2.40, 0.25);
    box(at(white, -0.1, 0, 2.80), 8.4, 2.0, 0.22, 0.10);
    box(at(glass, 4.40, 0, 1.92), 0.26, 2.10, 1.10, 0.12);
    box(at(black, 4.42, 0, 2.58), 0.20, 1.60, 0.24, 0.05);
    box(at(paint(body, 0xF8B820, 0), 4.46, 0, 2.58), 0.14, 1.10, 0.10, 0.02);
    box(at(glass, -4.42, 0, 2.05), 0.20, 1.90, 0.75, 0.09);
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < 6; i++)
            box(at(glass, 2.6 - 1.18 * i, side * 1.17, 2.05), 1.04, 0.10, 0.80, 0);
        box(at(white, -0.3, side * 1.19, 1.28), 7.2, 0.05, 0.12, 0);
        box(at(black, 4.45, side * 1.20, 2.15), 0.30, 0.22, 0.40, 0.08);
    }
    for (int i = 0; i < 2; i++)
        box(at(glass, 3.55 + 0.46 * i, -1.17, 1.55), 0.42, 0.10, 1.80, 0);
    box(at(glass, 3.78, 1.17, 2.05), 0.85, 0.10, 0.80, 0);
    box(at(black, 0, 0, 0.50), 8.6, 2.3, 0.40, 0.08);
    box(at(black, 4.42, 0, 0.62), 0.28, 2.36, 0.22, 0.06);
    lights_front(body, 4.47, 0.88, 0.98, 0.13);
    box(at(black, 4.46, 0, 1.02), 0.12, 1.1, 0.22, 0.03);
    lights_back(body, -4.48, 0.98, 1.0);
    four_wheels(body, 2.75, -2.6, 1.02, 0.50);
}

void pov_body_truck(pov_body *body)
{
    const pov_brush cab = paint(body, body->colour, 0.6), glass = paint(body, 0x222A30, 0.95),
                    black = paint(body, 0x1A1A1C, 0.2);
    const pov_brush cargo = paint(body, 0xE6E4DE, 0.2), chrome = paint(body, POV_CHROME, 0.7);
    box(at(cargo, -1.0, 0, 2.05), 5.0, 2.45, 2.30, 0.05);
    for (int side = -1; side <= 1; side += 2)
        box(at(cab, -1.0, side * 1.22, 1.25), 4.9, 0.03, 0.18, 0);
    LOFT(cab, LEVEL, {{2.55, 0, 0.55}, {1.16, 0.92}}, {{2.56, 0, 0.8}, {1.18, 0.93}},
         {{2.54, 0, 1.5}, {1.17, 0.92}}, {{2.40, 0, 2.3}, {1.08, 0.76}}, {{2.36, 0, 2.52}, {0.95, 0.62}});
    box(pitched(at(glass, 3.20, 0, 1.92), -13), 0.24, 1.84, 0.74, 0.10);
    for (int side = -1; side <= 1; side += 2) {
        box(rolled(at(glass, 2.55, side * 1.085, 1.92), side * 5), 0.95, 0.16, 0.62, 0.06);
        box(at(black, 3.22, side * 1.28, 1.85), 0.12, 0.16, 0.42, 0.05);
        box(at(black, 3.2, side * 1.15, 2.01), 0.04, 0.25, 0.04, 0);
        LOFT(black, SEAM, {{2.0, side * 1.17, 0.75}, {0.012, 0.012}},
             {{2.0, side * 1.175, 1.2}, {0.012, 0.012}}, {{2.0, side * 1.16, 1.6}, {0.012, 0.012}});
        box(at(chrome, 2.15, side * 1.18, 1.40), 0.20, 0.04, 0.05, 0);
    }
    for (int i = 0; i < 4; i++)
        box(at(i % 2 ? black : chrome, 3.44, 0, 1.36 - 0.10 * i), 0.10, 1.3, 0.08, 0.02);
    box(at(chrome, 3.42, 0, 0.62), 0.24, 2.36, 0.26, 0.07);
    lights_front(body, 3.46, 0.88, 1.00, 0.15);
    box(at(black, 0, 0, 0.72), 6.6, 0.9, 0.30, 0.04);
    lights_back(body, -3.48, 1.0, 0.78);
    four_wheels(body, 2.55, -2.0, 0.98, 0.50);
}

static void bicycle_wheel(pov_brush tyre, pov_brush steel, double x_m)
{
    const pov_brush rubber = rolled(at(tyre, x_m, 0, 0.34), 90), metal = rolled(at(steel, x_m, 0, 0.34), 90);
    LATHE(rubber, 32, {0.312, 0}, {0.318, -0.014}, {0.332, -0.016}, {0.34, 0}, {0.332, 0.016}, {0.318, 0.014},
          {0.312, 0});
    LATHE(metal, 32, {0.296, -0.010}, {0.314, -0.012}, {0.314, 0.012}, {0.296, 0.010}, {0.296, -0.010});
    LATHE(metal, 12, {0, -0.045}, {0.022, -0.045}, {0.022, 0.045}, {0, 0.045});
    for (int i = 0; i < 12; i++)
        box(pov_brush_turned(metal, V3(0, 0, POV_PI * i / 12)), 0.60, 0.004, 0.004, 0);
}

static void bicycle_frame(pov_brush frame)
{
    const pov_vec3 crank = {-0.08, 0, 0.29}, head_low = {0.40, 0, 0.66}, head_high = {0.355, 0, 0.80},
                   seat = {-0.22, 0, 0.80};
    pov_shape_rod(frame, crank, head_low, 0.022);
    pov_shape_rod(frame, crank, seat, 0.018);
    pov_shape_rod(frame, V3(-0.21, 0, 0.76), V3(0.36, 0, 0.79), 0.019);
    pov_shape_rod(frame, head_low, head_high, 0.025);
    for (int side = -1; side <= 1; side += 2) {
        pov_shape_rod(frame, V3(-0.08, side * 0.03, 0.29), V3(-0.53, side * 0.055, 0.34), 0.011);
        pov_shape_rod(frame, V3(-0.21, side * 0.02, 0.76), V3(-0.53, side * 0.055, 0.34), 0.009);
        TUBE(frame, 0.013, {0.40, side * 0.045, 0.66}, {0.455, side * 0.05, 0.50}, {0.53, side * 0.05, 0.34});
    }
    box(at(frame, 0.40, 0, 0.665), 0.05, 0.11, 0.04, 0.015);
}

void pov_body_bicycle(pov_body *body)
{
    const pov_brush frame = paint(body, body->colour, 0.6), black = paint(body, 0x1C1C1E, 0.3),
                    steel = paint(body, POV_CHROME, 0.7);
    bicycle_wheel(black, steel, 0.53);
    bicycle_wheel(black, steel, -0.53);
    bicycle_frame(frame);
    pov_shape_rod(steel, V3(-0.22, 0, 0.80), V3(-0.245, 0, 0.91), 0.014);
    LOFT(black, ROUND, {{-0.39, 0, 0.935}, {0.05, 0.02}}, {{-0.35, 0, 0.94}, {0.085, 0.035}},
         {{-0.24, 0, 0.93}, {0.06, 0.03}}, {{-0.10, 0, 0.925}, {0.022, 0.02}}, {{-0.08, 0, 0.92}, {0, 0}});
    pov_shape_rod(steel, V3(0.355, 0, 0.80), V3(0.335, 0, 0.93), 0.014);
    pov_shape_rod(steel, V3(0.335, 0, 0.93), V3(0.40, 0, 0.96), 0.016);
    TUBE(steel, 0.012, {0.22, -0.28, 1.00}, {0.34, -0.20, 0.985}, {0.40, 0, 0.96}, {0.34, 0.20, 0.985},
         {0.22, 0.28, 1.00});
    for (int side = -1; side <= 1; side += 2) {
        pov_shape_rod(black, V3(0.20, side * 0.285, 1.002), V3(0.28, side * 0.25, 0.997), 0.019);
        pov_shape_rod(steel, V3(-0.08, side * 0.07, 0.29),
                      V3(-0.08 + side * 0.15, side * 0.085, 0.29 - side * 0.08), 0.010);
        box(at(black, -0.08 + side * 0.15, side * 0.13, 0.29 - side * 0.08), 0.09, 0.09, 0.025, 0.008);
    }
    LATHE(rolled(at(steel, -0.08, -0.05, 0.29), 90), 24, {0, -0.004}, {0.095, -0.004}, {0.095, 0.004},
          {0, 0.004});
    LATHE(rolled(at(steel, -0.53, -0.05, 0.34), 90), 16, {0, -0.01}, {0.04, -0.01}, {0.04, 0.01}, {0, 0.01});
    pov_shape_rod(black, V3(-0.09, -0.05, 0.385), V3(-0.53, -0.05, 0.38), 0.005);
    pov_shape_rod(black, V3(-0.09, -0.05, 0.195), V3(-0.53, -0.05, 0.30), 0.005);
    LATHE(pitched(at(black, 0.41, 0, 0.90), 90), 16, {0, -0.03}, {0.03, -0.03}, {0.045, 0.025}, {0, 0.025});
    ellipsoid(at(paint(body, 0xFFF8D0, 0.9), 0.435, 0, 0.90), 0.012, 0.04, 0.04);
    ellipsoid(at(paint(body, 0xC01818, 0.7), -0.29, 0, 0.84), 0.015, 0.025, 0.025);
}
