#include "sim/render/sensor_blur.h"

#include <math.h>
#include <stdlib.h>

enum {
    REACH = POV_SENSOR_BLUR_MAX_PX,
    SIDE = 2 * REACH + 1,
    RADII = POV_BLUR_STEPS_PER_PX * POV_SENSOR_BLUR_MAX_PX + 1
};

struct pov_blur {
    float weights[RADII][SIDE][SIDE];
    int reach[RADII];
};

/** Share of a pixel that a disc about the origin covers. */
static double coverage(int x, int y, double radius)
{
    enum { N = 16 };
    int inside = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            inside += hypot(x - 0.5 + (i + 0.5) / N, y - 0.5 + (j + 0.5) / N) <= radius;
    return inside / (double)(N * N);
}

/** A disc seen by pixels is as wide as one whose variance, r^2 / 4 along each axis, is larger by a pixel's own, 1 / 12:
 *  the light is a mean over pixels already, so that this part is left out. */
static void make_disc(pov_blur *blur, int step)
{
    const double wanted = step / (double)POV_BLUR_STEPS_PER_PX;
    const double radius = sqrt(fmax(0, wanted * wanted - 1.0 / 3));
    double sum = 0;
    blur->reach[step] = (int)ceil(radius - 0.5);
    for (int y = -blur->reach[step]; y <= blur->reach[step]; y++)
        for (int x = -blur->reach[step]; x <= blur->reach[step]; x++)
            sum += blur->weights[step][y + REACH][x + REACH] = (float)coverage(x, y, radius);
    for (int i = 0; i < SIDE * SIDE && sum > 0; i++)
        blur->weights[step][i / SIDE][i % SIDE] /= (float)sum;
}

pov_status pov_blur_new(pov_blur **blur)
{
    *blur = calloc(1, sizeof **blur);
    if (!*blur)
        return pov_error("out of memory for the sensor's blur");
    for (int step = 0; step < RADII; step++)
        make_disc(*blur, step);
    return pov_ok();
}

void pov_blur_destroy(pov_blur **blur)
{
    free(*blur);
    *blur = NULL;
}

static int clamped(int value, int len)
{
    return value < 0 ? 0 : value >= len ? len - 1 : value;
}

void pov_blur_gather(const pov_blur *blur, float mean[3], const float (*light)[3], const int size_px[2],
                     const int at_px[2], double radius_px)
{
    const int step = (int)lrint(fmin(radius_px, POV_SENSOR_BLUR_MAX_PX) * POV_BLUR_STEPS_PER_PX);
    const int reach = blur->reach[step];
    const float *here = light[(size_t)at_px[1] * (size_t)size_px[0] + (size_t)at_px[0]];
    for (int k = 0; k < 3; k++)
        mean[k] = reach > 0 ? 0 : here[k];
    for (int y = -reach; y <= reach && reach > 0; y++) {
        const float(*row)[3] = &light[(size_t)clamped(at_px[1] + y, size_px[1]) * (size_t)size_px[0]];
        for (int x = -reach; x <= reach; x++) {
            const float weight = blur->weights[step][y + REACH][x + REACH];
            const float *from = row[clamped(at_px[0] + x, size_px[0])];
            for (int k = 0; k < 3; k++)
                mean[k] += weight * from[k];
        }
    }
}
