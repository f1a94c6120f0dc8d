#include "sim/bodies/catalogue_internal.h"

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

/* ---- minifigures ---- */

/* A toy figure in millimetres: square legs, a torso that narrows upward, a round head, hands like mittens. */
#define MM(x) ((x)*0.001)

typedef enum { SHORT_HAIR, LONG_HAIR, PONYTAIL, BUN, CAP, HELMET, CROWN, TALL_HAT } headdress;
typedef enum { NOTHING, BACKPACK, CAPE, SWORD, BAG, SCARF } accessory;

typedef struct {
    uint32_t skin, torso, arms, legs, hat;
    headdress head;
    accessory carries;
    bool beard, glasses, skirt;
} figure;

static const figure FIGURES[POV_MINIFIGURES] = {
    {0xF2C43D, 0xC8302A, 0xC8302A, 0x2B4F9E, 0x5A3418, SHORT_HAIR, NOTHING, false, false, false},
    {0xF2C43D, 0x2F7F4A, 0x2F7F4A, 0xD8C49A, 0x1C1A1A, LONG_HAIR, BAG, false, false, true},
    {0xD9A066, 0x2B2E34, 0xF0F0EC, 0x2B2E34, 0x1E1E22, TALL_HAT, NOTHING, true, false, false},
    {0xF2C43D, 0xF0F0EC, 0x3F8FC8, 0x3F8FC8, 0xC87A2A, PONYTAIL, BACKPACK, false, false, false},
    {0x8A5A36, 0xE88A1E, 0xE88A1E, 0x5A5F66, 0xE8C81E, HELMET, NOTHING, false, false, false},
    {0xF2C43D, 0x7A3F9A, 0x7A3F9A, 0x7A3F9A, 0xE0B428, CROWN, CAPE, false, false, true},
    {0xF2C43D, 0x8C9298, 0x6B7076, 0x4A4E54, 0x9AA0A6, HELMET, SWORD, true, false, false},
    {0xE8B890, 0xD85A8A, 0xD85A8A, 0xF0F0EC, 0xB8B4AC, BUN, SCARF, false, true, true},
    {0xF2C43D, 0x1F5F5A, 0xE8E4D8, 0x6B4226, 0x2FA0C0, CAP, NOTHING, false, true, false},
};

/** One of the nine, or beyond them a mixture of their looks. */
static figure look_of(pov_body *body)
{
    if (body->variant < POV_MINIFIGURES)
        return FIGURES[body->variant];
    figure parts[4];
    for (int i = 0; i < 4; i++)
        parts[i] = FIGURES[(int)pov_body_vary(body, 0, POV_MINIFIGURES - 0.001)];
    figure mixed = parts[0];
    mixed.torso = parts[1].torso, mixed.arms = parts[1].arms;
    mixed.legs = parts[2].legs, mixed.skirt = parts[2].skirt;
    mixed.hat = parts[3].hat, mixed.head = parts[3].head;
    return mixed;
}

static void lower_half(pov_body *body, const figure *who)
{
    const pov_brush cloth = paint(body, who->legs, 0.5), dark = paint(body, pov_shade(who->legs, 0.45), 0.5);
    if (who->skirt) {
        LOFT(cloth, SQUARE, {{0, 0, MM(1)}, {MM(9.5), MM(7.5)}}, {{0, 0, MM(2)}, {MM(9.6), MM(7.6)}},
             {{0, 0, MM(16)}, {MM(7.6), MM(5)}});
    } else {
        for (int side = -1; side <= 1; side += 2)
            box(at(cloth, 0, side * MM(4), MM(7.5)), MM(9), MM(7.6), MM(13), MM(1.2));
        box(at(cloth, 0, 0, MM(14.5)), MM(8.6), MM(15.6), MM(4), MM(1.2));
    }
    for (int side = -1; side <= 1; side += 2)
        box(at(dark, MM(2), side * MM(4), MM(1.6)), MM(13), MM(7), MM(3.2), MM(1.2));
}

static void upper_half(pov_body *body, const figure *who)
{
    const pov_brush cloth = paint(body, who->torso, 0.5), sleeve = paint(body, who->arms, 0.5),
                    skin = paint(body, who->skin, 0.4);
    LOFT(cloth, SQUARE, {{0, 0, MM(15.5)}, {MM(8.4), MM(4.8)}}, {{0, 0, MM(17)}, {MM(8.6), MM(5)}},
         {{0, 0, MM(28.5)}, {MM(6.4), MM(4.4)}}, {{0, 0, MM(30)}, {MM(5.2), MM(3.6)}});
    const pov_brush button =
        small(paint(body, pov_shade(who->torso, who->torso > 0xB00000 ? 0.45 : 1.8), 0.5));
    for (int i = 0; i < 3; i++)
        ellipsoid(at(button, MM(4.9 - 0.15 * i), 0, MM(19.5 + 3.6 * i)), MM(0.8), MM(0.9), MM(0.9));
    for (int side = -1; side <= 1; side += 2) {
        LOFT(sleeve, PIPE, {{0, side * MM(6), MM(28.6)}, {MM(2), MM(2)}},
             {{0, side * MM(8.2), MM(27.2)}, {MM(2.7), MM(2.8)}},
             {{MM(0.5), side * MM(10.4), MM(23)}, {MM(2.5), MM(2.6)}},
             {{MM(5.5), side * MM(11), MM(19.4)}, {MM(2.2), MM(2.2)}});
        ellipsoid(at(skin, MM(7.4), side * MM(11), MM(18.6)), MM(2.8), MM(2.1), MM(2.6));
        ellipsoid(at(small(skin), MM(8.6), side * MM(9.2), MM(19.6)), MM(1.4), MM(1.2), MM(1.2));
    }
}

static void head_of(pov_body *body, const figure *who)
{
    const pov_brush skin = paint(body, who->skin, 0.4), ink = small(paint(body, 0x1A1210, 0.4));
    LATHE(skin, 20, {0, MM(29.5)}, {MM(3.4), MM(29.5)}, {MM(3.4), MM(30.6)}, {MM(5), MM(30.9)},
          {MM(6), MM(32)}, {MM(6.2), MM(34)}, {MM(6.2), MM(38)}, {MM(5.8), MM(39.8)}, {MM(4.4), MM(41)},
          {0, MM(41.2)});
    for (int side = -1; side <= 1; side += 2) {
        ellipsoid(at(ink, MM(5.85), side * MM(2.3), MM(37)), MM(0.6), MM(0.85), MM(1.15));
        ellipsoid(at(small(paint(body, 0xFFFFFF, 0)), MM(6.42), side * MM(2.1), MM(37.5)), MM(0.12), MM(0.25),
                  MM(0.3));
        pov_shape_rod(ink, V3(MM(6.05), side * MM(1.4), MM(39)), V3(MM(5.5), side * MM(3.2), MM(39.2)),
                      MM(0.3));
    }
    TUBE(ink, MM(0.4), {MM(5.6), MM(-2.7), MM(34.2)}, {MM(6.1), MM(-1.3), MM(33.2)}, {MM(6.2), 0, MM(32.9)},
         {MM(6.1), MM(1.3), MM(33.2)}, {MM(5.6), MM(2.7), MM(34.2)});
    if (who->glasses) {
        for (int side = -1; side <= 1; side += 2)
            LATHE(pitched(at(ink, MM(6.3), side * MM(2.4), MM(37)), 90), 16, {MM(1.7), MM(-0.3)},
                  {MM(2.2), MM(-0.3)}, {MM(2.2), MM(0.3)}, {MM(1.7), MM(0.3)}, {MM(1.7), MM(-0.3)});
        pov_shape_rod(ink, V3(MM(6.6), MM(-0.6), MM(37.3)), V3(MM(6.6), MM(0.6), MM(37.3)), MM(0.3));
    }
    if (who->beard)
        SKIN(paint(body, pov_shade(who->hat, 0.6), 0.3), MM(0.4), MM(0.75),
             {{MM(4.4), MM(0.5), MM(31.6)}, {MM(3.4), MM(4), MM(33.4)}, MM(2.1), MM(1.6), true},
             {{MM(2.8), MM(4.6), MM(33.6)}, {MM(1.8), MM(5.2), MM(36.5)}, MM(1.5), MM(1.2), true});
}

static void locks(pov_body *body, const figure *who)
{
    const pov_brush hair = paint(body, who->hat, 0.4);
    SKIN(hair, MM(0.6), MM(1.3), {{MM(-0.8), 0, MM(39.6)}, {MM(-1.2), 0, MM(38)}, MM(6.2), MM(6.4), false},
         {{MM(-2), MM(3.4), MM(37)}, {MM(-2.4), MM(3.6), MM(34.5)}, MM(3.6), MM(2.6), true},
         {{MM(4.2), MM(1.5), MM(41.2)}, {MM(3.2), MM(4.2), MM(40.5)}, MM(1.8), MM(1.8), true});
    if (who->head == LONG_HAIR)
        SKIN(hair, MM(0.6), MM(1.3),
             {{MM(-3), MM(2.6), MM(37)}, {MM(-4), MM(4), MM(25)}, MM(4.4), MM(3), true},
             {{MM(-0.5), MM(5.6), MM(38)}, {MM(-0.5), MM(6.6), MM(27)}, MM(1.9), MM(1.8), true});
    if (who->head == PONYTAIL)
        LOFT(hair, PIPE, {{MM(-5.5), 0, MM(41)}, {MM(1.6), MM(1.6)}},
             {{MM(-9), 0, MM(41.5)}, {MM(2.4), MM(2.4)}}, {{MM(-11), 0, MM(37)}, {MM(2.6), MM(2.6)}},
             {{MM(-10.5), 0, MM(30)}, {0, 0}});
    if (who->head == BUN)
        ellipsoid(at(hair, MM(-4), 0, MM(45.6)), MM(3.6), MM(3.6), MM(3.2));
}

static void hat_of(pov_body *body, const figure *who)
{
    const pov_brush felt = paint(body, who->hat, 0.5);
    if (who->head == CAP) {
        LATHE(at(felt, 0, 0, MM(39.4)), 20, {0, 0}, {MM(6.8), 0}, {MM(6.7), MM(2)}, {MM(5.4), MM(4.6)},
              {MM(2.8), MM(6)}, {0, MM(6.4)});
        LOFT(felt, SQUARE, {{MM(4), 0, MM(40.4)}, {MM(6), MM(0.7)}}, {{MM(9), 0, MM(40.2)}, {MM(5), MM(0.6)}},
             {{MM(12), 0, MM(39.8)}, {MM(3), MM(0.5)}});
    } else if (who->head == HELMET) {
        LATHE(at(felt, MM(-0.4), 0, MM(39.4)), 20, {0, 0}, {MM(8.6), 0}, {MM(8.6), MM(0.8)},
              {MM(7.3), MM(1.2)}, {MM(6.9), MM(3.6)}, {MM(5), MM(6.4)}, {MM(2.6), MM(7.4)}, {0, MM(7.7)});
        box(at(felt, MM(-0.4), 0, MM(46)), MM(13), MM(2), MM(3), MM(0.9));
    } else if (who->head == TALL_HAT) {
        LATHE(at(felt, 0, 0, MM(39.2)), 20, {0, 0}, {MM(9), 0}, {MM(9), MM(0.9)}, {MM(5.9), MM(1)},
              {MM(6.3), MM(9)}, {0, MM(9)});
        LATHE(at(paint(body, 0xB82A2A, 0.4), 0, 0, MM(40.2)), 20, {MM(5), 0}, {MM(6.1), 0},
              {MM(6.15), MM(1.8)}, {MM(5), MM(1.8)}, {MM(5), 0});
    } else if (who->head == CROWN) {
        LATHE(at(felt, 0, 0, MM(39)), 20, {MM(5.4), 0}, {MM(6.5), 0}, {MM(6.7), MM(2.6)}, {MM(5.6), MM(2.6)},
              {MM(5.4), 0});
        for (int i = 0; i < 8; i++)
            LOFT(yawed(at(felt, 0, 0, MM(41)), 45 * i), PIPE, {{MM(6.1), 0, 0}, {MM(1.8), MM(0.6)}},
                 {{MM(6.5), 0, MM(4)}, {0, 0}});
        SKIN(paint(body, 0x5A3418, 0.3), MM(0.6), MM(1.2),
             {{MM(-2.4), 0, MM(38)}, {MM(-3.4), 0, MM(30)}, MM(5.4), MM(4.6), false});
    }
}

static void carried(pov_body *body, const figure *who)
{
    const pov_brush steel = paint(body, 0xB4BAC0, 0.8), leather = paint(body, 0x6B4226, 0.3),
                    red = paint(body, 0xB02430, 0.3);
    if (who->carries == BACKPACK) {
        box(at(red, MM(-7), 0, MM(23)), MM(5.5), MM(12), MM(11), MM(1.6));
        for (int side = -1; side <= 1; side += 2)
            TUBE(red, MM(0.8), {MM(-5), side * MM(4), MM(28)}, {0, side * MM(4.2), MM(30)},
                 {MM(4.8), side * MM(4.2), MM(26)}, {MM(5), side * MM(4.6), MM(20)});
    } else if (who->carries == CAPE) {
        LOFT(red, SQUARE, {{MM(-5), 0, MM(29.5)}, {MM(6), MM(0.6)}},
             {{MM(-7), 0, MM(18)}, {MM(8.5), MM(0.6)}}, {{MM(-9.5), 0, MM(3)}, {MM(10.5), MM(0.6)}});
    } else if (who->carries == SWORD) {
        LOFT(steel, SQUARE, {{MM(8), MM(-11), MM(22)}, {MM(0.5), MM(1.3)}},
             {{MM(8), MM(-11), MM(40)}, {MM(0.5), MM(1.1)}}, {{MM(8), MM(-11), MM(44)}, {0, 0}});
        box(at(leather, MM(8), MM(-11), MM(22)), MM(7), MM(1.6), MM(1.5), MM(0.5));
        pov_shape_rod(leather, V3(MM(8), MM(-11), MM(14.5)), V3(MM(8), MM(-11), MM(21)), MM(0.9));
    } else if (who->carries == BAG) {
        box(at(leather, MM(7.6), MM(12), MM(11)), MM(8), MM(4), MM(6.5), MM(1.2));
        TUBE(leather, MM(0.5), {MM(4.8), MM(12), MM(14)}, {MM(7.4), MM(12), MM(17.5)},
             {MM(10.4), MM(12), MM(14)});
    } else if (who->carries == SCARF) {
        LATHE(at(red, 0, 0, MM(30.6)), 20, {MM(3), MM(-1)}, {MM(6), MM(-1)}, {MM(6.2), MM(0.6)},
              {MM(5), MM(1.4)}, {MM(3), MM(1.2)}, {MM(3), MM(-1)});
        box(at(red, MM(5.2), MM(2.4), MM(26)), MM(1.2), MM(3), MM(9), MM(0.5));
    }
}

void pov_body_minifigure(pov_body *body)
{
    const figure who = look_of(body);
    lower_half(body, &who);
    upper_half(body, &who);
    head_of(body, &who);
    if (who.head == SHORT_HAIR || who.head == LONG_HAIR || who.head == PONYTAIL || who.head == BUN)
        locks(body, &who);
    hat_of(body, &who);
    carried(body, &who);
}
