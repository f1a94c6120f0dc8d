#include "sim/bodies/catalogue_internal.h"

#include <math.h>
#include <string.h>

/** A leg below the body: down along x offsets at the heights of the joints, `side` of the middle. */
typedef struct {
    double x_m, y_m, z_m, radius_m;
} joint;

static void leg(pov_brush brush, const joint joints[], int len, int side)
{
    pov_ring rings[8];
    for (int i = 0; i < len; i++)
        rings[i] = (pov_ring){{joints[i].x_m, side * joints[i].y_m, joints[i].z_m},
                              {joints[i].radius_m, joints[i].radius_m * 1.15}};
    pov_shape_loft(brush, rings, len, PIPE);
}
#define LEG(brush, side, ...) leg(brush, (const joint[]){__VA_ARGS__}, LEN(((joint[]){__VA_ARGS__})), side)

static void hoof(pov_brush horn, double x_m, double y_m, double radius_m)
{
    LATHE(at(horn, x_m, y_m, 0), 14, {0, 0}, {radius_m * 1.15, 0}, {radius_m * 0.85, radius_m * 1.5},
          {0, radius_m * 1.5});
}

static void horse_hair(pov_brush hair)
{
    LOFT(hair, ROUND, {{1.10, 0, 1.70}, {0.02, 0.01}}, {{1.02, 0, 1.80}, {0.045, 0.06}},
         {{0.86, 0, 1.72}, {0.05, 0.09}}, {{0.68, 0, 1.50}, {0.05, 0.10}}, {{0.48, 0, 1.32}, {0.03, 0.05}},
         {{0.40, 0, 1.27}, {0, 0}});
    LOFT(hair, ROUND, {{-0.74, 0, 1.24}, {0.04, 0.04}}, {{-0.90, 0, 1.20}, {0.055, 0.055}},
         {{-0.99, 0, 0.95}, {0.08, 0.08}}, {{-1.00, 0, 0.62}, {0.06, 0.07}}, {{-0.98, 0, 0.42}, {0, 0}});
}

static void horse_head(pov_body *body, pov_brush coat)
{
    SKIN(coat, 0.012, 0.034, {{0.95, 0, 1.68}, {1.04, 0, 1.65}, 0.115, 0.11, false},
         {{1.04, 0, 1.64}, {1.30, 0, 1.40}, 0.10, 0.07, false},
         {{1.30, 0, 1.395}, {1.32, 0, 1.37}, 0.075, 0.07, false});
    for (int side = -1; side <= 1; side += 2) {
        pov_body_eye(body, V3(1.10, side * 0.088, 1.655), 0.026);
        ellipsoid(pitched(at(paint(body, 0x2A1A14, 0.1), 1.375, side * 0.032, 1.395), 40), 0.012, 0.012,
                  0.02);
        LOFT(coat, PIPE, {{0.95, side * 0.07, 1.74}, {0.035, 0.02}},
             {{0.96, side * 0.085, 1.84}, {0.035, 0.02}}, {{0.98, side * 0.085, 1.93}, {0, 0}});
    }
}

static void horse_legs(pov_brush coat, pov_brush horn)
{
    for (int side = -1; side <= 1; side += 2) {
        LEG(coat, side, {0.47, 0.14, 0.95, 0.10}, {0.48, 0.14, 0.70, 0.068}, {0.49, 0.14, 0.50, 0.055},
            {0.49, 0.14, 0.32, 0.038}, {0.49, 0.14, 0.15, 0.045}, {0.52, 0.14, 0.06, 0.045});
        hoof(horn, 0.53, side * 0.14, 0.055);
        LEG(coat, side, {-0.56, 0.14, 0.95, 0.14}, {-0.60, 0.14, 0.72, 0.085}, {-0.71, 0.14, 0.53, 0.058},
            {-0.70, 0.14, 0.34, 0.04}, {-0.67, 0.14, 0.15, 0.046}, {-0.64, 0.14, 0.06, 0.046});
        hoof(horn, -0.63, side * 0.14, 0.056);
    }
}

void pov_body_horse(pov_body *body)
{
    const pov_brush coat = paint(body, body->colour, 0.15);
    const double belly = pov_body_vary(body, 0.25, 0.29);
    SKIN(coat, 0.05, 0.066, {{-0.50, 0, 1.10}, {0.40, 0, 1.08}, belly, 0.25, false},
         {{-0.62, 0, 1.17}, {-0.45, 0, 1.17}, 0.20, 0.20, false},
         {{-0.60, 0.11, 1.08}, {-0.58, 0.13, 0.85}, 0.17, 0.10, true},
         {{0.44, 0, 1.08}, {0.50, 0, 1.12}, 0.22, 0.20, false},
         {{0.45, 0.12, 1.02}, {0.47, 0.13, 0.85}, 0.12, 0.08, true},
         {{0.52, 0, 1.20}, {0.95, 0, 1.66}, 0.19, 0.105, false});
    horse_head(body, coat);
    horse_legs(coat, paint(body, 0x2A2220, 0.3));
    horse_hair(paint(body, pov_shade(body->colour, 0.3), 0.1));
}

/** Dark patches on a light hide, as wide as the texture is long in metres. */
static pov_brush patched(pov_body *body)
{
    enum { WIDTH = 96, HEIGHT = 64, PATCHES = 7 };
    static const double patches[PATCHES][3] = {{12, 20, 13}, {34, 30, 11}, {50, 18, 9}, {64, 33, 9},
                                               {84, 14, 14}, {22, 48, 8},  {95, 40, 8}};
    uint8_t pixels[3 * WIDTH * HEIGHT];
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
    const pov_texture texture = {.width_px = WIDTH, .height_px = HEIGHT, .pixels = pixels};
    return pov_brush_textured(body->model, &texture, body->colour, 0.1);
}

static void cow_head(pov_body *body, pov_brush hide)
{
    const pov_brush pink = paint(body, 0xD8A090, 0.2), ivory = paint(body, 0xD8CDB0, 0.3);
    SKIN(hide, 0.012, 0.041, {{0.98, 0, 1.32}, {1.06, 0, 1.30}, 0.14, 0.13, false},
         {{1.06, 0, 1.27}, {1.30, 0, 1.08}, 0.115, 0.085, false});
    SKIN(pink, 0.01, 0.034, {{1.31, 0.03, 1.06}, {1.325, 0.03, 1.03}, 0.085, 0.08, true});
    for (int side = -1; side <= 1; side += 2) {
        pov_body_eye(body, V3(1.12, side * 0.112, 1.31), 0.027);
        ellipsoid(at(paint(body, 0x4A2A26, 0), 1.395, side * 0.045, 1.07), 0.012, 0.016, 0.012);
        LOFT(ivory, PIPE, {{0.98, side * 0.08, 1.42}, {0.035, 0.035}},
             {{1.00, side * 0.20, 1.48}, {0.03, 0.03}}, {{1.04, side * 0.25, 1.60}, {0, 0}});
        LOFT(paint(body, 0x2A2626, 0.1), PIPE, {{0.94, side * 0.12, 1.38}, {0.02, 0.03}},
             {{0.92, side * 0.24, 1.37}, {0.025, 0.065}}, {{0.91, side * 0.34, 1.32}, {0, 0}});
    }
}

static void cow_legs(pov_brush coat, pov_brush horn)
{
    for (int side = -1; side <= 1; side += 2) {
        LEG(coat, side, {0.55, 0.20, 0.80, 0.12}, {0.56, 0.20, 0.55, 0.075}, {0.57, 0.20, 0.40, 0.065},
            {0.57, 0.20, 0.22, 0.05}, {0.58, 0.20, 0.05, 0.058});
        hoof(horn, 0.59, side * 0.20, 0.065);
        LEG(coat, side, {-0.62, 0.20, 0.85, 0.15}, {-0.66, 0.20, 0.62, 0.10}, {-0.74, 0.20, 0.45, 0.07},
            {-0.71, 0.20, 0.25, 0.052}, {-0.69, 0.20, 0.05, 0.06});
        hoof(horn, -0.68, side * 0.20, 0.067);
    }
}

void pov_body_cow(pov_body *body)
{
    const pov_brush hide = patched(body), plain = paint(body, body->colour, 0.1);
    SKIN(hide, 0.05, 0.075, {{-0.55, 0, 0.98}, {0.45, 0, 0.96}, 0.36, 0.34, false},
         {{-0.70, 0.10, 1.15}, {-0.50, 0.10, 1.15}, 0.17, 0.17, true},
         {{-0.62, 0.16, 0.95}, {-0.62, 0.19, 0.75}, 0.20, 0.13, true},
         {{0.55, 0.13, 0.95}, {0.55, 0.17, 0.75}, 0.20, 0.12, true},
         {{0.60, 0, 1.05}, {0.98, 0, 1.28}, 0.25, 0.14, false});
    cow_head(body, plain);
    cow_legs(plain, paint(body, 0x2E2824, 0.3));
    ellipsoid(at(paint(body, 0xE0A898, 0.2), -0.42, 0, 0.62), 0.17, 0.15, 0.12);
    TUBE(plain, 0.022, {-0.88, 0, 1.20}, {-1.00, 0, 1.10}, {-1.02, 0, 0.80}, {-1.01, 0, 0.60});
    ellipsoid(at(paint(body, 0x2A2626, 0.1), -1.01, 0, 0.52), 0.045, 0.045, 0.12);
}

static void dog_head(pov_body *body, pov_brush coat)
{
    const pov_brush ear = paint(body, pov_shade(body->colour, 0.6), 0.1), dark = paint(body, POV_BLACK, 0.6);
    SKIN(coat, 0.008, 0.0165, {{0.36, 0, 0.575}, {0.385, 0, 0.57}, 0.078, 0.075, false},
         {{0.42, 0, 0.545}, {0.51, 0, 0.53}, 0.052, 0.038, false});
    ellipsoid(at(dark, 0.552, 0, 0.548), 0.018, 0.024, 0.018);
    TUBE(dark, 0.004, {0.545, 0, 0.53}, {0.535, 0, 0.512}, {0.50, 0, 0.495});
    for (int side = -1; side <= 1; side += 2) {
        pov_body_eye(body, V3(0.435, side * 0.042, 0.595), 0.0135);
        LOFT(ear, ROUND, {{0.355, side * 0.055, 0.635}, {0.015, 0.02}},
             {{0.36, side * 0.088, 0.61}, {0.014, 0.04}}, {{0.37, side * 0.098, 0.54}, {0.014, 0.045}},
             {{0.375, side * 0.096, 0.49}, {0, 0}});
    }
}

void pov_body_dog(pov_body *body)
{
    const pov_brush coat = paint(body, body->colour, 0.1);
    const double chest = pov_body_vary(body, 0.105, 0.125);
    SKIN(coat, 0.022, 0.028, {{-0.24, 0, 0.40}, {0.02, 0, 0.40}, 0.088, 0.10, false},
         {{0.08, 0, 0.385}, {0.18, 0, 0.40}, chest, chest, false},
         {{-0.26, 0.045, 0.37}, {-0.25, 0.065, 0.27}, 0.075, 0.045, true},
         {{0.18, 0.06, 0.36}, {0.18, 0.065, 0.27}, 0.06, 0.04, true},
         {{0.22, 0, 0.44}, {0.35, 0, 0.56}, 0.085, 0.068, false});
    dog_head(body, coat);
    for (int side = -1; side <= 1; side += 2) {
        LEG(coat, side, {0.18, 0.07, 0.34, 0.05}, {0.18, 0.07, 0.22, 0.036}, {0.185, 0.07, 0.10, 0.028},
            {0.19, 0.07, 0.03, 0.03});
        LEG(coat, side, {-0.25, 0.06, 0.38, 0.03}, {-0.25, 0.068, 0.32, 0.056}, {-0.25, 0.07, 0.24, 0.042},
            {-0.30, 0.07, 0.14, 0.028}, {-0.285, 0.07, 0.03, 0.028});
        ellipsoid(at(coat, 0.205, side * 0.07, 0.022), 0.048, 0.034, 0.022);
        ellipsoid(at(coat, -0.265, side * 0.07, 0.022), 0.048, 0.034, 0.022);
    }
    LOFT(coat, PIPE, {{-0.30, 0, 0.44}, {0.03, 0.03}}, {{-0.38, 0, 0.50}, {0.026, 0.026}},
         {{-0.43, 0, 0.58}, {0.02, 0.02}}, {{-0.44, 0, 0.66}, {0, 0}});
    LATHE(pitched(at(paint(body, 0xB82222, 0.3), 0.285, 0, 0.50), 42), 24, {0.076, -0.011}, {0.082, -0.012},
          {0.082, 0.012}, {0.076, 0.011}, {0.076, -0.011});
}

static pov_brush tabby(pov_body *body)
{
    enum { WIDTH = 64, HEIGHT = 8 };
    uint8_t pixels[3 * WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const bool stripe = i % WIDTH % 7 < 2 && i / WIDTH < 6;
        for (int c = 0; c < 3; c++)
            pixels[3 * i + c] = stripe ? 0x90 : 0xFF;
    }
    const pov_texture texture = {.width_px = WIDTH, .height_px = HEIGHT, .pixels = pixels};
    return pov_brush_textured(body->model, &texture, body->colour, 0.1);
}

static void cat_head(pov_body *body, pov_brush coat)
{
    const pov_brush pink = paint(body, 0xD88A80, 0.3), green = paint(body, 0x9FC440, 0.8);
    const pov_brush white = paint(body, POV_WHITE, 0.1), black = paint(body, POV_BLACK, 0.8);
    ellipsoid(at(coat, 0.20, 0, 0.315), 0.062, 0.066, 0.056);
    for (int side = -1; side <= 1; side += 2) {
        ellipsoid(at(white, 0.252, side * 0.014, 0.295), 0.019, 0.018, 0.014);
        ellipsoid(at(green, 0.244, side * 0.027, 0.327), 0.013, 0.013, 0.014);
        ellipsoid(at(black, 0.2535, side * 0.0285, 0.327), 0.005, 0.0035, 0.010);
        LOFT(coat, PIPE, {{0.195, side * 0.036, 0.345}, {0.028, 0.014}},
             {{0.195, side * 0.044, 0.38}, {0.015, 0.008}}, {{0.195, side * 0.048, 0.41}, {0, 0}});
        LOFT(pink, PIPE, {{0.207, side * 0.037, 0.352}, {0.015, 0.006}},
             {{0.203, side * 0.044, 0.378}, {0.008, 0.004}}, {{0.20, side * 0.047, 0.395}, {0, 0}});
        for (int k = -1; k <= 1; k++)
            pov_shape_rod(white, V3(0.26, side * 0.02, 0.294 + 0.004 * k),
                          V3(0.265, side * 0.075, 0.292 + 0.014 * k), 0.001);
    }
    ellipsoid(at(pink, 0.268, 0, 0.305), 0.006, 0.008, 0.005);
}

void pov_body_cat(pov_body *body)
{
    const pov_brush coat = tabby(body), plain = paint(body, body->colour, 0.1),
                    white = paint(body, POV_WHITE, 0.1);
    SKIN(coat, 0.014, 0.0155,
         {{-0.14, 0, 0.215}, {0.10, 0, 0.215}, pov_body_vary(body, 0.055, 0.07), 0.058, false},
         {{-0.15, 0.03, 0.20}, {-0.14, 0.038, 0.14}, 0.05, 0.03, true},
         {{0.115, 0.032, 0.20}, {0.115, 0.035, 0.14}, 0.04, 0.024, true},
         {{0.12, 0, 0.235}, {0.19, 0, 0.30}, 0.052, 0.046, false});
    cat_head(body, plain);
    for (int side = -1; side <= 1; side += 2) {
        LEG(plain, side, {0.115, 0.037, 0.18, 0.028}, {0.115, 0.037, 0.11, 0.020},
            {0.118, 0.037, 0.02, 0.018});
        LEG(plain, side, {-0.14, 0.04, 0.19, 0.038}, {-0.14, 0.04, 0.13, 0.024}, {-0.165, 0.04, 0.08, 0.018},
            {-0.155, 0.04, 0.02, 0.018});
        ellipsoid(at(white, 0.127, side * 0.037, 0.014), 0.028, 0.021, 0.014);
        ellipsoid(at(white, -0.143, side * 0.04, 0.014), 0.028, 0.021, 0.014);
    }
    LOFT(coat, PIPE, {{-0.18, 0, 0.23}, {0.022, 0.022}}, {{-0.25, 0, 0.25}, {0.018, 0.018}},
         {{-0.28, 0, 0.33}, {0.017, 0.017}}, {{-0.265, 0, 0.41}, {0.016, 0.016}},
         {{-0.29, 0, 0.455}, {0.01, 0.01}}, {{-0.31, 0, 0.46}, {0, 0}});
}

static void bat_wing(pov_brush skin, pov_brush bone, int side)
{
    /* The outline in (x, z) of a plate turned so that its x is outward along y. */
    const pov_brush wing = yawed(at(skin, 0, side * 0.03, 0), side * 90);
    PLATE(wing, 0.006, {0, 0.05}, {0, 0.17}, {0.06, 0.20}, {0.11, 0.285}, {0.17, 0.265}, {0.23, 0.22},
          {0.28, 0.14}, {0.285, 0.06}, {0.255, 0.09}, {0.225, 0.095}, {0.20, 0.07}, {0.175, 0.025},
          {0.155, 0.07}, {0.13, 0.085}, {0.105, 0.065}, {0.085, 0.02}, {0.065, 0.06}, {0.045, 0.075},
          {0.02, 0.065});
    const double tips[3][2] = {{0.285, 0.062}, {0.176, 0.027}, {0.086, 0.022}};
    for (int i = 0; i < 3; i++)
        pov_shape_rod(bone, V3(0.002, side * 0.14, 0.28), V3(0.002, side * (0.03 + tips[i][0]), tips[i][1]),
                      0.0035);
    pov_shape_rod(bone, V3(0.002, side * 0.03, 0.16), V3(0.002, side * 0.14, 0.28), 0.006);
}

void pov_body_bat(pov_body *body)
{
    const pov_brush fur = paint(body, body->colour, 0.05),
                    bone = paint(body, pov_shade(body->colour, 0.75), 0.2);
    const pov_brush skin = paint(body, pov_shade(body->colour, 1.25), 0.2), pink = paint(body, 0xB87A6A, 0.2);
    const pov_brush white = paint(body, POV_WHITE, 0.5);
    SKIN(fur, 0.008, 0.0105, {{0, 0, 0.07}, {0.005, 0, 0.145}, 0.032, 0.044, false},
         {{0.015, 0, 0.21}, {0.017, 0, 0.212}, 0.044, 0.044, false},
         {{0.05, 0, 0.20}, {0.056, 0, 0.199}, 0.018, 0.016, false});
    for (int side = -1; side <= 1; side += 2) {
        bat_wing(skin, bone, side);
        ellipsoid(at(white, 0.05, side * 0.02, 0.226), 0.011, 0.011, 0.012);
        ellipsoid(at(paint(body, POV_BLACK, 0.9), 0.0575, side * 0.0215, 0.226), 0.005, 0.006, 0.007);
        LOFT(fur, PIPE, {{0.01, side * 0.025, 0.235}, {0.022, 0.012}},
             {{0.01, side * 0.04, 0.275}, {0.018, 0.009}}, {{0.012, side * 0.05, 0.31}, {0, 0}});
        LOFT(pink, PIPE, {{0.021, side * 0.026, 0.24}, {0.012, 0.006}},
             {{0.018, side * 0.04, 0.275}, {0.010, 0.004}}, {{0.015, side * 0.047, 0.298}, {0, 0}});
        LATHE(rolled(at(white, 0.062, side * 0.007, 0.187), 180), 8, {0, 0}, {0.003, 0}, {0, 0.012});
        TUBE(bone, 0.005, {0.005, side * 0.015, 0.05}, {0.012, side * 0.016, 0.025},
             {0.03, side * 0.018, 0.012});
    }
    ellipsoid(at(pink, 0.07, 0, 0.206), 0.008, 0.010, 0.007);
}
