#include "perception/appearance/appearance_internal.h"

#include <math.h>
#include <string.h>

enum { SIDE = POV_PATCH_SIDE, TAPS = 4 };

/* Which pixels each column (or row) is made of, and with what weights; slopes are by the place in the patch. */
typedef struct {
    int index[TAPS][SIDE];
    float weight[TAPS][SIDE], slope[TAPS][SIDE];
} taps;

static void keys(float weight[TAPS], float slope[TAPS], float t)
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

static void prepare(taps *t, double from_px, double step)
{
    for (int i = 0; i < SIDE; i++) {
        float weight[TAPS], slope[TAPS];
        const double at = fmin(fmax(from_px + step * (i - PATCH_CENTRE), -SIDE), 2 * SIDE), whole = floor(at);
        keys(weight, slope, (float)(at - whole));
        for (int k = 0; k < TAPS; k++) {
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
    prepare(&x, from.x_px, from.x_step);
    prepare(&y, from.y_px, from.y_step);
    for (int row = 0; row < SIDE; row++)
        for (int i = 0; i < SIDE; i++) {
            float value = 0, by_x = 0;
            for (int k = 0; k < TAPS; k++) {
                const float here = light[row * SIDE + x.index[k][i]];
                value += x.weight[k][i] * here;
                by_x += x.slope[k][i] * here;
            }
            along[row][i] = value;
            slope[row][i] = by_x;
        }
    memset(resampled, 0, sizeof *resampled);
    for (int row = 0; row < SIDE; row++)
        for (int k = 0; k < TAPS; k++) {
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

void pov_patch_halve(float half[COARSE_AREA], const float *light)
{
    for (int i = 0; i < COARSE_AREA; i++) {
        const float *p = light + 2 * (i / COARSE_SIDE) * SIDE + 2 * (i % COARSE_SIDE);
        half[i] = 0.25F * (p[0] + p[1] + p[SIDE] + p[SIDE + 1]);
    }
}
