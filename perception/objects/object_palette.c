#include "perception/objects/object_palette.h"

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

object_tone object_tone_of(const float rgb[3])
{
    return object_tone_from(log_above_dark(rgb[0]), log_above_dark(rgb[1]), log_above_dark(rgb[2]));
}

void object_palette_init(object_palette *palette)
{
    for (int i = 0; i < 1024; i++)
        palette->log_of[i] = log_above_dark((float)i / 4);
}

/* Each line of bins along an axis, by 1 : 2 : 1; what would leave stays. */
static void blur_line(float *line, int count, int stride)
{
    float before = line[0];
    for (int i = 0; i < count; i++) {
        const float here = line[i * stride], after = i + 1 < count ? line[(i + 1) * stride] : here;
        line[i * stride] = (before + 2 * here + after) / 4;
        before = here;
    }
}

static void blur_bins(float *bins)
{
    for (int i = 0; i < HUE * HUE; i++)
        blur_line(bins + i, LIGHT, HUE * HUE);
    for (int l = 0; l < LIGHT; l++)
        for (int i = 0; i < HUE; i++) {
            blur_line(bins + l * HUE * HUE + i, HUE, HUE);
            blur_line(bins + (l * HUE + i) * HUE, HUE, 1);
        }
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

void object_palette_set(object_palette *palette, const pov_image_pyramid *pyramid)
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
