#include "perception/objects/object_palette.h"

#include "perception/image/clones.h"

#include <math.h>
#include <string.h>

enum {
    LIGHT = OBJECT_PALETTE_LIGHT,
    HUE = OBJECT_PALETTE_HUE,
    BINS = OBJECT_PALETTE_BINS,
    LEVEL = 3,
    FAR = 4
};

static const float dark = 16;                        /* levels below which logarithms flatten */
static const float bin_size = 0.16F * 0.12F * 0.12F; /* in tones */
static const float wide_share = 0.1F, least_density = 1e-3F;
static const float backdrop_share = 0.3F; /* of the most common tone's density: half sure */

static float log_above_dark(float level)
{
    return logf((level + dark) / dark);
}

object_tone pov_object_tone_of(const float rgb[3])
{
    return object_tone_from(log_above_dark(rgb[0]), log_above_dark(rgb[1]), log_above_dark(rgb[2]));
}

void pov_object_palette_init(object_palette *palette)
{
    for (int i = 0; i < 1024; i++)
        palette->log_of[i] = log_above_dark((float)i / 4);
}

/* Along one axis by 1 : 2 : 1, `count` rows of `len` bins; what would leave stays. */
static inline void blur_rows(float *bins, int count, int len)
{
    float before[HUE * HUE];
    memcpy(before, bins, (size_t)len * sizeof *bins);
    for (int i = 0; i < count; i++) {
        float *here = bins + i * len;
        const float *after = i + 1 < count ? here + len : here;
        for (int k = 0; k < len; k++) {
            const float blurred = (before[k] + 2 * here[k] + after[k]) / 4;
            before[k] = here[k];
            here[k] = blurred;
        }
    }
}

static inline void blur_line(float line[HUE])
{
    float wide[HUE + 2];
    memcpy(wide + 1, line, HUE * sizeof *line);
    wide[0] = line[0];
    wide[HUE + 1] = line[HUE - 1];
    for (int i = 0; i < HUE; i++)
        line[i] = (wide[i] + 2 * wide[i + 1] + wide[i + 2]) / 4;
}

POV_CLONES static void blur_bins(float *bins)
{
    blur_rows(bins, LIGHT, HUE * HUE);
    for (int l = 0; l < LIGHT; l++)
        blur_rows(bins + l * HUE * HUE, HUE, HUE);
    for (int i = 0; i < LIGHT * HUE; i++)
        blur_line(bins + i * HUE);
}

/* A table is large and of few tones; what stands on it takes up little of the image, and has many. */
static void find_backdrop(object_palette *palette)
{
    float most = 0;
    for (int i = 0; i < BINS; i++)
        most = fmaxf(most, palette->near[i]);
    const float half = backdrop_share * most;
    for (int i = 0; i < BINS; i++) {
        const float common = palette->near[i] * palette->near[i];
        palette->entries[i].backdrop = common / (common + half * half);
    }
}

void pov_object_palette_set(object_palette *palette, const pov_image_pyramid *pyramid)
{
    const pov_pyramid_level *level = &pyramid->levels[LEVEL];
    const float one = 1 / ((float)(level->width_px * level->height_px) * bin_size);
    memset(palette->near, 0, sizeof palette->near);
    for (int y = 0; y < level->height_px; y++)
        for (int x = 0; x < level->width_px; x++) {
            const uint8_t *pixel = level->pixels + y * level->stride_bytes + 3 * x;
            const object_tone tone =
                object_palette_tone(palette, (const int[3]){4 * pixel[0], 4 * pixel[1], 4 * pixel[2]});
            palette->near[object_palette_bin(tone.of[0], tone.of[1], tone.of[2])] += one;
        }
    blur_bins(palette->near);
    find_backdrop(palette);
    memcpy(palette->wide, palette->near, sizeof palette->wide);
    for (int i = 0; i < FAR; i++)
        blur_bins(palette->wide);
    for (int i = 0; i < BINS; i++)
        palette->entries[i].density =
            (1 - wide_share) * palette->near[i] + wide_share * palette->wide[i] + least_density;
}
