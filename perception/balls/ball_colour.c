#include "perception/balls/ball_colour.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Paints as cameras see them, lit well but not fully. */
static const struct {
    const char *name;
    pov_colour colour;
} NAMED[] = {
    {"red", {200, 35, 30}},     {"orange", {240, 130, 20}},    {"yellow", {225, 195, 20}},
    {"green", {30, 150, 50}},   {"cyan", {0, 170, 200}},       {"blue", {45, 90, 180}},
    {"purple", {120, 50, 160}}, {"magenta", {200, 40, 140}},   {"pink", {235, 120, 170}},
    {"brown", {110, 65, 35}},   {"basketball", {120, 60, 35}}, {"white", {235, 235, 235}},
    {"grey", {128, 128, 128}},  {"black", {25, 25, 25}},
};
#define NAMED_LEN ((int)(sizeof NAMED / sizeof NAMED[0]))

static bool colour_from_hex(pov_colour *colour, const char *digits)
{
    unsigned red, green, blue;
    if (strlen(digits) != 6 || strspn(digits, "0123456789abcdefABCDEF") != 6 ||
        sscanf(digits, "%2x%2x%2x", &red, &green, &blue) != 3)
        return false;
    *colour = (pov_colour){(uint8_t)red, (uint8_t)green, (uint8_t)blue};
    return true;
}

bool pov_colour_from_name(pov_colour *colour, const char *name)
{
    *colour = (pov_colour){0};
    if (name[0] == '#')
        return colour_from_hex(colour, name + 1);
    for (int i = 0; i < NAMED_LEN; i++)
        if (strcasecmp(NAMED[i].name, name) == 0) {
            *colour = NAMED[i].colour;
            return true;
        }
    return false;
}

const char *pov_colour_names(void)
{
    return "red, orange, yellow, green, cyan, blue, purple, magenta, pink, brown, basketball, white, grey, "
           "black";
}

/* IEC 61966-2-1. */
static double linear_of(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

pov_tint pov_tint_of_linear(const double rgb[3])
{
    double l = cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
    double m = cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
    double s = cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
    double lightness = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    double a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    double b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
    return (pov_tint){lightness, lightness > 0 ? hypot(a, b) / lightness : 0, atan2(b, a)};
}

pov_tint pov_tint_of(pov_colour colour)
{
    const double rgb[3] = {linear_of(colour.red / 255.0), linear_of(colour.green / 255.0),
                           linear_of(colour.blue / 255.0)};
    return pov_tint_of_linear(rgb);
}

bool pov_colour_has_hue(pov_colour colour)
{
    return pov_tint_of(colour).purity >= 0.06;
}

/* Hue wanders by some 15 degrees with the light's colour, the camera and the paint (named blues most); purity
 * halves in haze, highlights and inter-reflection, and lightness spans shade to glare. Beyond the edges
 * counts 1 and more. */
double pov_tint_distance(const pov_tint *tint, const pov_tint *named)
{
    double hue = fabs(pov_angle_wrap(tint->hue_rad - named->hue_rad)) / (26 * POV_PI / 180);
    double light = log(tint->lightness / named->lightness);
    light = light < 0 ? light / log(0.3) : light / log(1.7);
    double pale = tint->purity < 0.35 * named->purity ? 10 : 0;
    return hypot(hypot(hue, 0.6 * light), light > 1 ? 10 : pale);
}

/* Near black, a step of 8 bits turns the hue: nothing to tell there. */
static bool is_too_dark(const double rgb[3])
{
    return fmax(rgb[0], fmax(rgb[1], rgb[2])) < 0.006;
}

/* The kinds a tint is near to and has at least a share of the purity of, less those that another kind describes clearly
 * better. */
static uint16_t kinds_of(const pov_tint *tint, const pov_tint *named, int kind_len, double purity_share)
{
    double distance[POV_BALL_KIND_MAX], nearest = HUGE_VAL;
    for (int k = 0; k < kind_len; k++) {
        distance[k] = pov_tint_distance(tint, &named[k]);
        nearest = fmin(nearest, distance[k]);
    }
    uint16_t kinds = 0;
    for (int k = 0; k < kind_len; k++)
        if (distance[k] <= 1 && distance[k] <= nearest + 0.25 &&
            tint->purity >= purity_share * named[k].purity)
            kinds |= (uint16_t)(1u << k);
    return kinds;
}

void pov_colour_table_fill(pov_colour_table *table, const pov_ball_kind *kinds, int kind_len)
{
    enum { SIDE = 1 << POV_COLOUR_TABLE_BITS, STEP = 256 / SIDE };
    pov_tint named[POV_BALL_KIND_MAX];
    double center[SIDE];
    for (int k = 0; k < kind_len; k++)
        named[k] = pov_tint_of(kinds[k].colour);
    for (int i = 0; i < 256; i++)
        table->linear[i] = (float)linear_of(i / 255.0);
    for (int i = 0; i < SIDE; i++)
        center[i] = linear_of((i * STEP + (STEP - 1) / 2.0) / 255.0);
    for (int i = 0; i < POV_COLOUR_TABLE_SIZE; i++) {
        const double rgb[3] = {center[i / (SIDE * SIDE)], center[i / SIDE % SIDE], center[i % SIDE]};
        pov_tint tint = pov_tint_of_linear(rgb);
        table->kinds[i] = is_too_dark(rgb) ? 0 : kinds_of(&tint, named, kind_len, 0);
        table->vivid[i] = is_too_dark(rgb) ? 0 : kinds_of(&tint, named, kind_len, 0.65);
    }
}
