/** Colours as tones, in which light from elsewhere is a shift; and how common each tone is in an image. Private to object_*.c. */
#pragma once

#include "perception/image/image_pyramid.h"

enum {
    OBJECT_PALETTE_LIGHT = 18,
    OBJECT_PALETTE_HUE = 30,
    OBJECT_PALETTE_BINS = OBJECT_PALETTE_LIGHT * OBJECT_PALETTE_HUE * OBJECT_PALETTE_HUE
};

/* Mean logarithm of the channels; red against green; these two against blue. */
typedef struct {
    float of[3];
} object_tone;

typedef struct {
    float density;  /* in the image */
    float backdrop; /* 0 .. 1: how surely it is of what things stand on or before */
} object_palette_entry;

typedef struct {
    float log_of[1024]; /* of a quarter of a level each */
    object_palette_entry entries[OBJECT_PALETTE_BINS];
    float near[OBJECT_PALETTE_BINS], wide[OBJECT_PALETTE_BINS];
} object_palette;

static inline object_tone object_tone_from(float log_r, float log_g, float log_b)
{
    return (object_tone){
        {(log_r + log_g + log_b) * (1 / 3.0F), log_r - log_g, (log_r + log_g) * 0.5F - log_b}};
}

/* The entry of a tone. */
static inline int object_palette_bin(float light, float red_green, float blue)
{
    const float light_bins = 1 / 0.16F, hue_bins = 1 / 0.12F; /* a unit of tone; chosen */
    const float half = OBJECT_PALETTE_HUE / 2.0F, last = OBJECT_PALETTE_HUE - 1,
                lightest = OBJECT_PALETTE_LIGHT - 1;
    float l = light * light_bins, r = red_green * hue_bins + half, b = blue * hue_bins + half;
    l = l < 0 ? 0 : l > lightest ? lightest : l;
    r = r < 0 ? 0 : r > last ? last : r;
    b = b < 0 ? 0 : b > last ? last : b;
    return ((int)l * OBJECT_PALETTE_HUE + (int)r) * OBJECT_PALETTE_HUE + (int)b;
}

void pov_object_palette_init(object_palette *palette);
void pov_object_palette_set(object_palette *palette, const pov_image_pyramid *pyramid);

/* Levels 0 .. 255; the second in quarters of a level, and fast. */
object_tone pov_object_tone_of(const float rgb[3]);
static inline object_tone object_palette_tone(const object_palette *palette, const int quarters[3])
{
    return object_tone_from(palette->log_of[quarters[0]], palette->log_of[quarters[1]],
                            palette->log_of[quarters[2]]);
}
