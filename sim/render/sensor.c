#include "sim/render/sensor.h"

#include "perception/geometry/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

/* ---- random numbers that depend on nothing but their arguments ---- */

/* Electrons; above, the normal distribution of the same variance stands in for Poisson's. Chosen. */
static const double POISSON_BELOW_E = 30;

uint64_t pov_noise_bits(uint64_t stream, uint64_t index)
{
    return pov_random_mix(pov_random_mix(stream + POV_RANDOM_STEP) ^ (index * POV_RANDOM_STEP));
}

/** In (0, 1). */
static double uniform_from_bits(uint32_t bits)
{
    return ((double)bits + 0.5) * 0x1p-32;
}

/** Quantile of the standard normal: Wichura 1988, AS 241, PPND7 (seven digits). */
static double normal_quantile(double p)
{
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * (((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
               (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
    }
    double r = sqrt(-log(q < 0 ? p : 1 - p)), z;
    if (r <= 5) {
        r -= 1.6;
        z = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) /
            ((0.12021132975 * r + 0.73700164250) * r + 1);
    } else {
        r -= 5;
        z = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150) /
            ((0.012258202635 * r + 0.24197894225) * r + 1);
    }
    return q < 0 ? -z : z;
}

static double poisson_quantile(double p, double mean)
{
    enum { COUNT_MAX = 200 };
    double term = exp(-mean), sum = term;
    int count = 0;
    while (p > sum && count < COUNT_MAX) {
        term *= mean / ++count;
        sum += term;
    }
    return count;
}

/* Electrons counted where `mean_e` are expected, with the error of reading them. Below 30, Poisson's distribution exactly;
 * above, the normal one of that variance. */
static double draw_electrons(uint64_t bits, double mean_e, double read_std_e)
{
    const double first = uniform_from_bits((uint32_t)bits);
    if (mean_e >= POISSON_BELOW_E)
        return mean_e + sqrt(mean_e + read_std_e * read_std_e) * normal_quantile(first);
    const double read_e =
        read_std_e > 0 ? read_std_e * normal_quantile(uniform_from_bits((uint32_t)(bits >> 32))) : 0;
    return poisson_quantile(first, mean_e) + read_e;
}

/* ---- */

/* ---- defocus: each pixel becomes the mean over the disc that a lens makes of a point ---- */

enum {
    STEPS_PER_PX = 8,
    REACH = POV_SENSOR_BLUR_MAX_PX,
    SIDE = 2 * REACH + 1,
    RADII = STEPS_PER_PX * POV_SENSOR_BLUR_MAX_PX + 1
};

typedef struct {
    float weights[RADII][SIDE][SIDE];
    int reach[RADII];
} disc_blur;

/** Share of a pixel that a disc about the origin covers. */
static double disc_coverage(int x, int y, double radius)
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
static void make_disc(disc_blur *blur, int step)
{
    const double wanted = step / (double)STEPS_PER_PX;
    const double radius = sqrt(fmax(0, wanted * wanted - 1.0 / 3));
    double sum = 0;
    blur->reach[step] = (int)ceil(radius - 0.5);
    for (int y = -blur->reach[step]; y <= blur->reach[step]; y++)
        for (int x = -blur->reach[step]; x <= blur->reach[step]; x++)
            sum += blur->weights[step][y + REACH][x + REACH] = (float)disc_coverage(x, y, radius);
    for (int i = 0; i < SIDE * SIDE && sum > 0; i++)
        blur->weights[step][i / SIDE][i % SIDE] /= (float)sum;
}

static pov_status make_blur(disc_blur **blur)
{
    *blur = pov_allocate(1, sizeof **blur);
    for (int step = 0; step < RADII; step++)
        make_disc(*blur, step);
    return pov_ok();
}

static void free_blur(disc_blur **blur)
{
    free(*blur);
    *blur = NULL;
}

static int clamped(int value, int len)
{
    return value < 0 ? 0 : value >= len ? len - 1 : value;
}

/* The mean of light about pixel (x, y) over a disc; beyond the image its edge goes on. */
static void gather_blur(const disc_blur *blur, float mean[3], const float (*light)[3], const int size_px[2],
                        const int at_px[2], double radius_px)
{
    const int step = (int)lrint(fmin(radius_px, POV_SENSOR_BLUR_MAX_PX) * STEPS_PER_PX);
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

/* ---- */

enum { SRGB_STEPS = 4096 };

struct pov_sensor {
    pov_sensor_config config;
    int size_px[2]; /* width, height */
    disc_blur *blur;
    float srgb[SRGB_STEPS + 2]; /* 255 times the encoded value, by light */
    tjhandle compressor, expander;
    unsigned char *jpeg;
};

/* ---- configuration ---- */

pov_status pov_sensor_preset(pov_sensor_config *config, const char *name)
{
    const uint64_t seed = config->seed;
    *config = POV_SENSOR_DEFAULT;
    config->seed = seed;
    if (strcmp(name, "clean") == 0)
        return pov_ok();
    config->full_well_e = 5000;
    config->exposure = 0.1;
    config->gain = 8;
    config->shot_noise = true;
    config->read_noise_e = 4;
    config->vignetting = 0.25;
    config->jpeg_quality = 90;
    if (strcmp(name, "noisy") == 0)
        return pov_ok();
    config->defocus_px = 1.75;
    if (strcmp(name, "blurred") == 0)
        return pov_ok();
    return pov_error("sensor: there is no preset '%s'; there are clean, noisy, blurred", name);
}

typedef struct {
    const char *name;
    double value, low, high;
} bounded_number;

static pov_status check_config(const pov_sensor_config *c)
{
    const bounded_number numbers[] = {
        {"defocus_px", c->defocus_px, 0, POV_SENSOR_BLUR_MAX_PX},
        {"aperture_m", c->aperture_m, 0, 1},
        {"focus_m", c->focus_m, c->aperture_m > 0 ? 1e-3 : 0, 1e6},
        {"focal_px", c->focal_px, c->aperture_m > 0 ? 1 : 0, 1e6},
        {"vignetting", c->vignetting, 0, 1},
        {"full_well_e", c->full_well_e, 1, 1e9},
        {"exposure", c->exposure, 0, 1e3},
        {"gain", c->gain, 0, 1e3},
        {"read_noise_e", c->read_noise_e, 0, 1e6},
        {"white_balance[0]", c->white_balance[0], 0, 100},
        {"white_balance[1]", c->white_balance[1], 0, 100},
        {"white_balance[2]", c->white_balance[2], 0, 100},
        {"jpeg_quality", c->jpeg_quality, 0, 100},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!(numbers[i].value >= numbers[i].low && numbers[i].value <= numbers[i].high))
            return pov_error("sensor: %s is %g; it must be from %g to %g", numbers[i].name, numbers[i].value,
                             numbers[i].low, numbers[i].high);
    return pov_ok();
}

static double encoded_srgb(double linear)
{
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static bool make_jpeg(pov_sensor *sensor)
{
    sensor->compressor = tjInitCompress();
    sensor->expander = tjInitDecompress();
    sensor->jpeg = tjAlloc((int)tjBufSize(sensor->size_px[0], sensor->size_px[1], TJSAMP_420));
    return sensor->compressor && sensor->expander && sensor->jpeg;
}

pov_status pov_sensor_new(pov_sensor **sensor, const pov_sensor_config *config, int width_px, int height_px)
{
    POV_REQUIRE(width_px > 0 && height_px > 0);
    *sensor = NULL;
    pov_status status = check_config(config);
    if (status.code != POV_OK)
        return status;
    pov_sensor *s = *sensor = pov_allocate(1, sizeof **sensor);
    s->config = *config;
    s->size_px[0] = width_px;
    s->size_px[1] = height_px;
    for (int i = 0; i <= SRGB_STEPS + 1; i++)
        s->srgb[i] = (float)(255 * encoded_srgb(fmin(1, i / (double)SRGB_STEPS)));
    status = make_blur(&s->blur);
    if (status.code == POV_OK && config->jpeg_quality > 0 && !make_jpeg(s))
        status = pov_error("out of memory for a sensor's JPEG of %d x %d pixels", width_px, height_px);
    if (status.code != POV_OK)
        pov_sensor_destroy(sensor);
    return status;
}

void pov_sensor_destroy(pov_sensor **sensor)
{
    pov_sensor *s = *sensor;
    if (!s)
        return;
    if (s->compressor)
        tjDestroy(s->compressor);
    if (s->expander)
        tjDestroy(s->expander);
    tjFree(s->jpeg);
    free_blur(&s->blur);
    free(s);
    *sensor = NULL;
}

/* ---- optics ---- */

static double blur_radius_px(const pov_sensor_config *c, const float *depth_m, size_t pixel)
{
    if (c->aperture_m <= 0 || !depth_m)
        return c->defocus_px;
    const double nearness = 1 / (double)depth_m[pixel]; /* 0 where there is nothing */
    return c->defocus_px + c->focal_px / 2 * c->aperture_m * fabs(nearness - 1 / c->focus_m);
}

static double vignette_at(const pov_sensor *sensor, int x, int y)
{
    const double half_x = (sensor->size_px[0] - 1) / 2.0, half_y = (sensor->size_px[1] - 1) / 2.0;
    const double corner2 = fmax(1, half_x * half_x + half_y * half_y);
    const double r2 = (x - half_x) * (x - half_x) + (y - half_y) * (y - half_y);
    return 1 - sensor->config.vignetting * r2 / corner2;
}

/* ---- photosites ---- */

static uint8_t encode_srgb(const pov_sensor *sensor, double value)
{
    const double at = fmin(fmax(value, 0), 1) * SRGB_STEPS;
    const int step = (int)at;
    const double share = at - step;
    return (uint8_t)(sensor->srgb[step] + share * (sensor->srgb[step + 1] - sensor->srgb[step]) + 0.5);
}

static double expose_electrons(const pov_sensor_config *c, double light, uint64_t stream, uint64_t index)
{
    const double mean_e = fmax(light, 0) * c->exposure * c->full_well_e;
    if (c->shot_noise)
        return draw_electrons(pov_noise_bits(stream, index), mean_e, c->read_noise_e);
    if (c->read_noise_e > 0)
        return mean_e + draw_electrons(pov_noise_bits(stream, index), 0, c->read_noise_e);
    return mean_e;
}

static void expose_pixel(const pov_sensor *sensor, uint8_t rgb[3], const float light[3], double kept,
                         const uint64_t stream_and_pixel[2])
{
    const pov_sensor_config *c = &sensor->config;
    for (int k = 0; k < 3; k++) {
        const double e =
            expose_electrons(c, light[k] * kept, stream_and_pixel[0], 3 * stream_and_pixel[1] + (uint64_t)k);
        rgb[k] = encode_srgb(sensor, fmin(e / c->full_well_e, 1) * c->gain * c->white_balance[k]);
    }
}

static pov_status through_jpeg(const pov_sensor *sensor, uint8_t *rgb)
{
    const int width = sensor->size_px[0], height = sensor->size_px[1];
    unsigned long size = tjBufSize(width, height, TJSAMP_420);
    unsigned char *jpeg = sensor->jpeg;
    if (tjCompress2(sensor->compressor, rgb, width, 0, height, TJPF_RGB, &jpeg, &size, TJSAMP_420,
                    sensor->config.jpeg_quality, TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT) != 0)
        return pov_error("sensor: libjpeg-turbo cannot encode: %s", tjGetErrorStr2(sensor->compressor));
    if (tjDecompress2(sensor->expander, jpeg, size, rgb, width, 0, height, TJPF_RGB, TJFLAG_ACCURATEDCT) != 0)
        return pov_error("sensor: libjpeg-turbo cannot decode: %s", tjGetErrorStr2(sensor->expander));
    return pov_ok();
}

pov_status pov_sensor_expose(pov_sensor *sensor, uint8_t *rgb, const float (*light)[3], const float *depth_m,
                             uint32_t sequence)
{
    const int width = sensor->size_px[0], height = sensor->size_px[1];
    const uint64_t stream = pov_noise_bits(sensor->config.seed, sequence);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const size_t pixel = (size_t)y * (size_t)width + (size_t)x;
            const double radius_px = blur_radius_px(&sensor->config, depth_m, pixel);
            float blurred[3];
            gather_blur(sensor->blur, blurred, light, sensor->size_px, (int[2]){x, y}, radius_px);
            expose_pixel(sensor, &rgb[3 * pixel], blurred, vignette_at(sensor, x, y),
                         (uint64_t[2]){stream, pixel});
        }
    return sensor->config.jpeg_quality > 0 ? through_jpeg(sensor, rgb) : pov_ok();
}
