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

static const float dark = 16;                            /* levels below which logarithms flatten */
static const float light_step = 0.16F, hue_step = 0.12F; /* of a bin */
static const float wide_share = 0.1F, least_density = 1e-3F;
static const float backdrop_share = 0.3F; /* of the most common tone's density: half sure */

static object_tone tone_from(const float log_of[3])
{
    return (object_tone){{(log_of[0] + log_of[1] + log_of[2]) / 3, log_of[0] - log_of[1],
                          (log_of[0] + log_of[1]) / 2 - log_of[2]}};
}

static float log_above_dark(float level)
{
    return logf((level + dark) / dark);
}

object_tone object_tone_of(const float rgb[3])
{
    return tone_from(
        (const float[3]){log_above_dark(rgb[0]), log_above_dark(rgb[1]), log_above_dark(rgb[2])});
}

object_tone object_palette_tone(const object_palette *palette, const float rgb[3])
{
    float log_of[3];
    for (int c = 0; c < 3; c++)
        log_of[c] = palette->log_of[(int)(4 * rgb[c]) & 1023];
    return tone_from(log_of);
}

void object_palette_init(object_palette *palette)
{
    for (int i = 0; i < 1024; i++)
        palette->log_of[i] = log_above_dark((float)i / 4);
}

static int bin_at(float value, int count)
{
    return value < 0 ? 0 : value < (float)count ? (int)value : count - 1;
}

static int bin_of(const object_tone *tone)
{
    return (bin_at(tone->of[0] / light_step, LIGHT) * HUE +
            bin_at(tone->of[1] / hue_step + HUE / 2.0F, HUE)) *
               HUE +
           bin_at(tone->of[2] / hue_step + HUE / 2.0F, HUE);
}

float object_palette_density(const object_palette *palette, const object_tone *tone)
{
    return palette->density[bin_of(tone)];
}

float object_palette_backdrop(const object_palette *palette, const object_tone *tone)
{
    return palette->backdrop[bin_of(tone)];
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
        palette->backdrop[i] = common / (common + half * half);
    }
}

void object_palette_set(object_palette *palette, const pov_image_pyramid *pyramid)
{
    const pov_pyramid_level *level = &pyramid->levels[LEVEL];
    const float one = 1 / ((float)(level->width_px * level->height_px) * light_step * hue_step * hue_step);
    memset(palette->near, 0, sizeof palette->near);
    for (int y = 0; y < level->height_px; y++)
        for (int x = 0; x < level->width_px; x++) {
            const uint8_t *pixel = level->pixels + y * level->stride_bytes + 3 * x;
            const object_tone tone =
                object_palette_tone(palette, (const float[3]){pixel[0], pixel[1], pixel[2]});
            palette->near[bin_of(&tone)] += one;
        }
    blur_bins(palette->near);
    find_backdrop(palette);
    memcpy(palette->wide, palette->near, sizeof palette->wide);
    for (int i = 0; i < FAR; i++)
        blur_bins(palette->wide);
    for (int i = 0; i < BINS; i++)
        palette->density[i] =
            (1 - wide_share) * palette->near[i] + wide_share * palette->wide[i] + least_density;
}
