/** Colours by name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** sRGB. */
typedef struct {
    uint8_t red, green, blue;
} pov_colour;

/** Linear light of an sRGB channel, both in 0..1: IEC 61966-2-1. */
double pov_linear_of_srgb(double encoded);
/** "red", "blue", "basketball", ... or "#rrggbb"; false if unknown. */
bool pov_colour_from_name(pov_colour *colour, const char *name);
/** The known names, one string separated by ", ": for error messages. */
const char *pov_colour_names(void);
