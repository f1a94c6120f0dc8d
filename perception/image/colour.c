#include "perception/image/colour.h"

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

double pov_linear_of_srgb(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}
