/** Colours as tones, in which light from elsewhere is a shift; and how common each tone is in an image. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_PALETTE_H
#define POV_PERCEPTION_OBJECTS_OBJECT_PALETTE_H

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
    float log_of[1024];                  /* of a quarter of a level each */
    float density[OBJECT_PALETTE_BINS];  /* in the image */
    float backdrop[OBJECT_PALETTE_BINS]; /* 0 .. 1: how surely it is of what things stand on or before */
    float near[OBJECT_PALETTE_BINS], wide[OBJECT_PALETTE_BINS];
} object_palette;

void object_palette_init(object_palette *palette);
void object_palette_set(object_palette *palette, const pov_image_pyramid *pyramid);

/* Levels 0 .. 255; the second to a quarter of a level, and fast. */
object_tone object_tone_of(const float rgb[3]);
object_tone object_palette_tone(const object_palette *palette, const float rgb[3]);
float object_palette_density(const object_palette *palette, const object_tone *tone);
float object_palette_backdrop(const object_palette *palette, const object_tone *tone);

#endif
