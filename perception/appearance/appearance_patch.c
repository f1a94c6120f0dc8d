#include "perception/appearance/appearance_patch.h"

#include "perception/geometry/ranked.h"
#include "perception/image/grey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INNER = POV_PATCH_INNER, SIDE = POV_PATCH_SIDE, LEVELS = 256, TAPS = 3 };

static const float smooth[2 * TAPS + 1] = {0.0044F, 0.0540F, 0.2420F, 0.3991F, 0.2420F, 0.0540F, 0.0044F};

static int grey_at(const pov_image *image, int x, int y)
{
    return pov_grey_of(image->pixels + (size_t)y * (size_t)image->stride_bytes + 3 * (size_t)x);
}

pov_patch_square pov_patch_square_whole(const pov_image *image)
{
    const double side = fmax(image->width_px, image->height_px);
    return (pov_patch_square){0.5 * (image->width_px - side) - 0.5, 0.5 * (image->height_px - side) - 0.5,
                              side};
}

static float border_median(const pov_image *image)
{
    int count[LEVELS] = {0}, total = 0, level = 0;
    for (int x = 0; x < image->width_px; x++) {
        count[grey_at(image, x, 0)]++;
        count[grey_at(image, x, image->height_px - 1)]++;
    }
    for (int y = 1; y < image->height_px - 1; y++) {
        count[grey_at(image, 0, y)]++;
        count[grey_at(image, image->width_px - 1, y)]++;
    }
    const int half = image->width_px + image->height_px - 2;
    while (level < LEVELS - 1 && (total += count[level]) <= half)
        level++;
    return (float)level;
}

/* The share of pixel i that lies in [from, to). */
static double share_of(int i, double from, double to)
{
    return fmax(0, fmin(i + 0.5, to) - fmax(i - 0.5, from));
}

/* Mean light of a rectangle; what lies beyond the image has the light `beyond`. */
static float mean_light(const pov_image *image, double x0, double y0, double side, float beyond)
{
    double sum = 0, area = 0;
    const int left = (int)fmax(0, floor(x0 + 0.5)), top = (int)fmax(0, floor(y0 + 0.5));
    const int right = (int)fmin(image->width_px - 1, ceil(x0 + side)),
              bottom = (int)fmin(image->height_px - 1, ceil(y0 + side));
    for (int y = top; y <= bottom; y++) {
        const double high = share_of(y, y0, y0 + side);
        for (int x = left; x <= right && high > 0; x++) {
            const double share = high * share_of(x, x0, x0 + side);
            sum += share > 0 ? share * grey_at(image, x, y) : 0;
            area += share;
        }
    }
    return (float)((sum + fmax(0, side * side - area) * (double)beyond) / (side * side));
}

static float bilinear(const pov_image *image, double x, double y, float beyond)
{
    const int left = (int)floor(x), top = (int)floor(y);
    float corner[4];
    for (int i = 0; i < 4; i++) {
        const int cx = left + (i & 1), cy = top + (i >> 1);
        const bool inside = cx >= 0 && cy >= 0 && cx < image->width_px && cy < image->height_px;
        corner[i] = inside ? (float)grey_at(image, cx, cy) : beyond;
    }
    const float u = (float)(x - left), v = (float)(y - top);
    return (1 - v) * ((1 - u) * corner[0] + u * corner[1]) + v * ((1 - u) * corner[2] + u * corner[3]);
}

static void smooth_along(float *out, const float *in, int step, int across)
{
    for (int line = 0; line < SIDE; line++)
        for (int i = 0; i < SIDE; i++) {
            float sum = 0;
            for (int k = -TAPS; k <= TAPS; k++) {
                const int at = i + k < 0 ? 0 : i + k >= SIDE ? SIDE - 1 : i + k;
                sum += smooth[k + TAPS] * in[line * across + at * step];
            }
            out[line * across + i * step] = sum;
        }
}

void pov_patch_smooth(pov_patch *patch)
{
    float row[POV_PATCH_AREA];
    smooth_along(row, patch->light, 1, SIDE);
    smooth_along(patch->light, row, SIDE, 1);
}

void pov_patch_cut(pov_patch *patch, const pov_image *image, pov_patch_square square)
{
    const float beyond = border_median(image);
    const double pixel = square.side_px / INNER;
    for (int i = 0; i < POV_PATCH_AREA; i++) {
        const double x = square.x_px + (i % SIDE - POV_PATCH_MARGIN) * pixel;
        const int down = i / SIDE;
        const double y = square.y_px + (down - POV_PATCH_MARGIN) * pixel;
        patch->light[i] = pixel >= 1 ? mean_light(image, x, y, pixel, beyond)
                                     : bilinear(image, x + 0.5 * pixel, y + 0.5 * pixel, beyond);
    }
    pov_patch_smooth(patch);
}

void pov_patch_rim(const pov_patch *patch, double *median, double *spread)
{
    double rim[4 * SIDE];
    int len = 0;
    for (int i = 0; i < SIDE; i++) {
        rim[len++] = (double)patch->light[i];
        rim[len++] = (double)patch->light[(SIDE - 1) * SIDE + i];
        rim[len++] = (double)patch->light[i * SIDE];
        rim[len++] = (double)patch->light[i * SIDE + SIDE - 1];
    }
    *median = pov_ranked(rim, len, len / 2);
    for (int i = 0; i < len; i++)
        rim[i] = fabs(rim[i] - *median);
    *spread = pov_ranked(rim, len, len / 2);
}

/* ---- moved and stretched ---- */

enum { CUBIC_TAPS = 4 };

/* The pixels and weights that each column (or row) is the sum of; slopes are by the place in the patch. */
typedef struct {
    int index[CUBIC_TAPS][SIDE];
    float weight[CUBIC_TAPS][SIDE], slope[CUBIC_TAPS][SIDE];
} taps;

static void find_keys_weights(float weight[CUBIC_TAPS], float slope[CUBIC_TAPS], float t)
{
    const float s = 1 - t;
    weight[0] = -0.5F * t * s * s;
    weight[1] = 1 + t * t * (1.5F * t - 2.5F);
    weight[2] = 1 + s * s * (1.5F * s - 2.5F);
    weight[3] = -0.5F * s * t * t;
    slope[0] = -0.5F * s * (s - 2 * t);
    slope[1] = t * (4.5F * t - 5);
    slope[2] = -s * (4.5F * s - 5);
    slope[3] = 0.5F * t * (t - 2 * s);
}

static void fill_taps(taps *t, double from_px, double step)
{
    for (int i = 0; i < SIDE; i++) {
        float weight[CUBIC_TAPS], slope[CUBIC_TAPS];
        const double at = fmin(fmax(from_px + step * (i - POV_PATCH_CENTRE), -SIDE), 2 * SIDE),
                     whole = floor(at);
        find_keys_weights(weight, slope, (float)(at - whole));
        for (int k = 0; k < CUBIC_TAPS; k++) {
            const int index = (int)whole - 1 + k;
            t->index[k][i] = index < 0 ? 0 : index >= SIDE ? SIDE - 1 : index;
            t->weight[k][i] = weight[k];
            t->slope[k][i] = slope[k];
        }
    }
}

void pov_patch_resample(pov_patch_resampled *resampled, const float *light, pov_patch_place from)
{
    taps x, y;
    float along[SIDE][SIDE], slope[SIDE][SIDE];
    fill_taps(&x, from.x_px, from.x_step);
    fill_taps(&y, from.y_px, from.y_step);
    for (int row = 0; row < SIDE; row++)
        for (int i = 0; i < SIDE; i++) {
            float value = 0, by_x = 0;
            for (int k = 0; k < CUBIC_TAPS; k++) {
                const float here = light[row * SIDE + x.index[k][i]];
                value += x.weight[k][i] * here;
                by_x += x.slope[k][i] * here;
            }
            along[row][i] = value;
            slope[row][i] = by_x;
        }
    memset(resampled, 0, sizeof *resampled);
    for (int row = 0; row < SIDE; row++)
        for (int k = 0; k < CUBIC_TAPS; k++) {
            const float weight = y.weight[k][row], by = y.slope[k][row];
            const float *value = along[y.index[k][row]], *by_x = slope[y.index[k][row]];
            float *out = resampled->light + row * SIDE, *out_x = resampled->by_x + row * SIDE,
                  *out_y = resampled->by_y + row * SIDE;
            for (int i = 0; i < SIDE; i++) {
                out[i] += weight * value[i];
                out_x[i] += weight * by_x[i];
                out_y[i] += by * value[i];
            }
        }
}

void pov_patch_halve(float half[POV_PATCH_HALF_AREA], const float *light)
{
    for (int i = 0; i < POV_PATCH_HALF_AREA; i++) {
        const float *p = light + 2 * (i / POV_PATCH_HALF_SIDE) * SIDE + 2 * (i % POV_PATCH_HALF_SIDE);
        half[i] = 0.25F * (p[0] + p[1] + p[SIDE] + p[SIDE + 1]);
    }
}
