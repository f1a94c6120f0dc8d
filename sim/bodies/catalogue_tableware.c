#include "sim/bodies/catalogue_kit.h"

#include <math.h>

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
