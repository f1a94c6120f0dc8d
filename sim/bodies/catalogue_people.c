#include "sim/bodies/catalogue_kit.h"

#include <math.h>

/** Measures in a body of height 1.7 m; everything scales with it but the head, which a child's does not. */
typedef struct {
    uint32_t skin, hair, top, bottom, shoes;
    double shoulder_m, hip_m, waist_m, chest_m, limb; /* half widths; how thick arms and legs are */
    double head;                                      /* size */
    bool long_hair, short_trousers, sleeves;
} person;

static void face(pov_body *body, const person *who, double z_m)
{
    const double s = who->head;
    const pov_brush skin = paint(body, who->skin, 0.1), detail = small(skin),
                    white = small(paint(body, 0xFFFFFF, 0.4)), brow = paint(body, who->hair, 0);
    SKIN(skin, 0.006, 0.0195 * s,
         {{-0.005, 0, z_m + 0.035 * s}, {0, 0, z_m + 0.032 * s}, 0.080 * s, 0.080 * s, false},
         {{0.014 * s, 0, z_m + 0.01 * s}, {0.026 * s, 0, z_m - 0.060 * s}, 0.072 * s, 0.052 * s, false},
         {{-0.01, 0, z_m - 0.20 * s}, {-0.005, 0, z_m - 0.05 * s}, 0.048 * s, 0.044 * s, false});
    ellipsoid(pitched(at(detail, 0.091 * s, 0, z_m - 0.012 * s), -20), 0.013 * s, 0.011 * s, 0.021 * s);
    TUBE(paint(body, 0xA8443C, 0.2), 0.0055 * s, {0.072 * s, -0.026 * s, z_m - 0.046 * s},
         {0.083 * s, 0, z_m - 0.054 * s}, {0.072 * s, 0.026 * s, z_m - 0.046 * s});
    for (int side = -1; side <= 1; side += 2) {
        ellipsoid(at(white, 0.078 * s, side * 0.031 * s, z_m + 0.014 * s), 0.009 * s, 0.016 * s, 0.0115 * s);
        ellipsoid(at(small(paint(body, 0x241A14, 0.7)), 0.0845 * s, side * 0.030 * s, z_m + 0.014 * s),
                  0.005 * s, 0.0085 * s, 0.0095 * s);
        TUBE(brow, 0.0038 * s, {0.083 * s, side * 0.014 * s, z_m + 0.036 * s},
             {0.082 * s, side * 0.032 * s, z_m + 0.042 * s}, {0.071 * s, side * 0.050 * s, z_m + 0.034 * s});
        ellipsoid(at(detail, 0, side * 0.084 * s, z_m), 0.016 * s, 0.008 * s, 0.026 * s);
    }
}

static void hair(pov_body *body, const person *who, double z_m)
{
    const double s = who->head;
    const pov_brush strands = paint(body, who->hair, 0.25);
    if (who->long_hair)
        SKIN(strands, 0.010, 0.0225 * s,
             {{-0.018 * s, 0, z_m + 0.055 * s}, {-0.018 * s, 0, z_m + 0.04 * s}, 0.088 * s, 0.088 * s, false},
             {{-0.05 * s, 0, z_m}, {-0.075 * s, 0, z_m - 0.20 * s}, 0.065 * s, 0.052 * s, false},
             {{-0.075 * s, 0.02, z_m - 0.20 * s},
              {-0.085 * s, 0.01, z_m - 0.34 * s},
              0.05 * s,
              0.02 * s,
              true},
             {{-0.02 * s, 0.078 * s, z_m + 0.03 * s},
              {-0.035 * s, 0.082 * s, z_m - 0.16 * s},
              0.022 * s,
              0.022 * s,
              true});
    else
        SKIN(strands, 0.008, 0.0205 * s,
             {{-0.012 * s, 0, z_m + 0.062 * s}, {-0.02 * s, 0, z_m + 0.04 * s}, 0.080 * s, 0.084 * s, false},
             {{-0.03 * s, 0, z_m + 0.03 * s}, {-0.038 * s, 0, z_m - 0.02 * s}, 0.066 * s, 0.056 * s, false},
             {{0.045 * s, 0.02 * s, z_m + 0.085 * s},
              {0.04 * s, -0.04 * s, z_m + 0.09 * s},
              0.028 * s,
              0.03 * s,
              false});
}

static void torso(pov_body *body, const person *who)
{
    const pov_brush cloth = paint(body, who->top, 0.05);
    const double chest = who->chest_m, waist = who->waist_m, bust = who->long_hair ? 0.066 : 0.05;
    SKIN(cloth, 0.022, 0.040, {{0, who->shoulder_m - 0.055, 1.365}, {0, 0.02, 1.37}, 0.055, 0.060, true},
         {{0.0, 0.06, 1.27}, {0, 0.03, 1.14}, chest, waist, true},
         {{0, 0.03, 1.12}, {0, 0.045, 0.98}, waist, 0.092, true},
         {{0.05, 0.065, 1.26}, {0.052, 0.065, 1.258}, bust, bust, true});
    const double depth = fmax(chest - 0.02, 0.05 + bust - 0.04);
    PLATE(yawed(pitched(at(paint(body, who->skin, 0.1), depth, 0, 1.33), -24), 90), 0.05, {-0.055, 0.09},
          {0.055, 0.09}, {0.03, 0.035}, {0, 0}, {-0.03, 0.035});
}

#define LIMB ((pov_loft){.sides = 12, .steps = 2, .squareness = 2.3, .level = true})
#define SHOE ((pov_loft){.sides = 12, .steps = 2, .squareness = 3})

static void leg(pov_body *body, const person *who, double y_m)
{
    const double t = who->limb;
    const pov_brush cloth = paint(body, who->bottom, 0.05), skin = paint(body, who->skin, 0.1);
    if (who->short_trousers) {
        LOFT(cloth, LIMB, {{0, y_m * 0.85, 0.90}, {0.088 * t, 0.095 * t}},
             {{0, y_m, 0.78}, {0.086 * t, 0.090 * t}}, {{0.005, y_m, 0.50}, {0.080 * t, 0.082 * t}});
        LOFT(skin, LIMB, {{0.01, y_m, 0.58}, {0.06 * t, 0.064 * t}},
             {{0.01, y_m, 0.46}, {0.056 * t, 0.060 * t}}, {{-0.012, y_m, 0.33}, {0.055 * t, 0.060 * t}},
             {{-0.012, y_m, 0.10}, {0.036 * t, 0.038 * t}}, {{-0.01, y_m, 0.05}, {0.038 * t, 0.044 * t}});
    } else {
        LOFT(cloth, LIMB, {{0, y_m * 0.85, 0.90}, {0.088 * t, 0.095 * t}},
             {{0, y_m, 0.78}, {0.086 * t, 0.090 * t}}, {{0.012, y_m, 0.50}, {0.062 * t, 0.066 * t}},
             {{-0.008, y_m, 0.34}, {0.062 * t, 0.066 * t}}, {{-0.010, y_m, 0.07}, {0.052 * t, 0.058 * t}});
    }
}

static void legs(pov_body *body, const person *who)
{
    const pov_brush cloth = paint(body, who->bottom, 0.05), leather = paint(body, who->shoes, 0.3),
                    belt = paint(body, 0x2A1C14, 0.4);
    const double y = who->hip_m * 0.60, hip = who->hip_m;
    LOFT(cloth, LIMB, {{0, 0, 0.80}, {hip * 0.55, 0.05}}, {{-0.005, 0, 0.86}, {hip * 1.02, 0.112}},
         {{-0.008, 0, 0.93}, {hip * 1.03, 0.122}}, {{0, 0, 1.00}, {hip * 0.96, 0.112}});
    LOFT(belt, LIMB, {{0, 0, 0.975}, {hip * 1.0, 0.122}}, {{0, 0, 1.01}, {hip * 0.98, 0.120}});
    for (int side = -1; side <= 1; side += 2) {
        leg(body, who, side * y);
        LOFT(leather, SHOE, {{-0.075, side * y, 0.04}, {0.02, 0.03}},
             {{-0.05, side * y, 0.046}, {0.040, 0.046}}, {{0.02, side * (y + 0.005), 0.044}, {0.046, 0.044}},
             {{0.12, side * (y + 0.012), 0.032}, {0.050, 0.032}},
             {{0.175, side * (y + 0.014), 0.024}, {0.034, 0.022}},
             {{0.19, side * (y + 0.014), 0.02}, {0, 0}});
    }
}

/** Elbows bent: the hands are held out in front, which shows from afar where that is. */
static void arms(pov_body *body, const person *who)
{
    const pov_brush skin = paint(body, who->skin, 0.1), cloth = paint(body, who->top, 0.05);
    const double t = who->limb, y = who->shoulder_m;
    for (int side = -1; side <= 1; side += 2) {
        LOFT(skin, PIPE, {{0, side * (y - 0.035), 1.39}, {0.03 * t, 0.03 * t}},
             {{0, side * (y - 0.01), 1.34}, {0.048 * t, 0.05 * t}},
             {{-0.02, side * (y + 0.035), 1.19}, {0.041 * t, 0.041 * t}},
             {{-0.005, side * (y + 0.045), 1.09}, {0.040 * t, 0.038 * t}},
             {{0.065, side * (y + 0.045), 1.01}, {0.039 * t, 0.037 * t}},
             {{0.20, side * (y + 0.02), 0.995}, {0.026 * t, 0.026 * t}},
             {{0.21, side * (y + 0.02), 0.995}, {0, 0}});
        SKIN(skin, 0.006, 0.022,
             {{0.205, side * (y + 0.018), 1.0}, {0.29, side * (y - 0.005), 1.0}, 0.030, 0.023, false},
             {{0.22, side * (y + 0.005), 1.015}, {0.265, side * (y - 0.035), 1.03}, 0.015, 0.012, false});
        if (who->sleeves)
            LOFT(cloth, PIPE, {{0, side * (y - 0.06), 1.40}, {0.03, 0.03}},
                 {{0, side * (y - 0.015), 1.355}, {0.058 * t, 0.060 * t}},
                 {{-0.008, side * (y + 0.010), 1.27}, {0.060 * t, 0.060 * t}},
                 {{-0.014, side * (y + 0.022), 1.18}, {0.060 * t, 0.060 * t}});
    }
}

static void whole_person(pov_body *body, const person *who)
{
    const double head_z_m = 1.45 + 0.125 * who->head;
    legs(body, who);
    torso(body, who);
    arms(body, who);
    face(body, who, head_z_m);
    hair(body, who, head_z_m);
}

static const uint32_t SKINS[] = {0xD8A884, 0x8A5A3C, 0xE8C0A0, 0x5A3A28, 0xB88458};
static const uint32_t HAIRS[] = {0x3A241A, 0x1A1614, 0x8A5A2E, 0xC89A50, 0x5E3220};
static const uint32_t TROUSERS[] = {0x2A3A58, 0x2E2E32, 0x6B5A44, 0x4A4E54};

static person someone(pov_body *body)
{
    return (person){
        .skin = pov_body_pick(body, SKINS, LEN(SKINS)),
        .hair = pov_body_pick(body, HAIRS, LEN(HAIRS)),
        .bottom = pov_body_pick(body, TROUSERS, LEN(TROUSERS)),
        .top = body->colour,
        .shoes = 0x2A2220,
        .limb = pov_body_vary(body, 0.94, 1.06),
        .head = 1.1,
    };
}

void pov_body_woman(pov_body *body)
{
    person woman = someone(body);
    woman.shoulder_m = 0.175, woman.hip_m = 0.165, woman.waist_m = 0.088, woman.chest_m = 0.098;
    woman.limb *= 0.9;
    woman.long_hair = true;
    whole_person(body, &woman);
}

void pov_body_man(pov_body *body)
{
    person man = someone(body);
    man.shoulder_m = 0.225, man.hip_m = 0.155, man.waist_m = 0.105, man.chest_m = 0.118;
    man.limb *= 1.12;
    man.sleeves = true;
    whole_person(body, &man);
}

void pov_body_child(pov_body *body)
{
    person child = someone(body);
    child.shoulder_m = 0.20, child.hip_m = 0.17, child.waist_m = 0.12, child.chest_m = 0.115;
    child.limb *= 1.15;
    child.head = 1.5;
    child.sleeves = child.short_trousers = true;
    child.shoes = 0xC83A34;
    whole_person(body, &child);
}
