#include "sim/render/sensor.h"

#include "sim/render/sensor_blur.h"
#include "sim/render/sensor_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

enum { SRGB_STEPS = 4096 };

struct pov_sensor {
    pov_sensor_config config;
    int size_px[2]; /* width, height */
    pov_blur *blur;
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

static pov_status check(const pov_sensor_config *c)
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
    pov_status status = check(config);
    if (status.code != POV_OK)
        return status;
    pov_sensor *s = *sensor = calloc(1, sizeof **sensor);
    if (!s)
        return pov_error("out of memory for a sensor");
    s->config = *config;
    s->size_px[0] = width_px;
    s->size_px[1] = height_px;
    for (int i = 0; i <= SRGB_STEPS + 1; i++)
        s->srgb[i] = (float)(255 * encoded_srgb(fmin(1, i / (double)SRGB_STEPS)));
    status = pov_blur_new(&s->blur);
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
    pov_blur_destroy(&s->blur);
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

static double vignette(const pov_sensor *sensor, int x, int y)
{
    const double half_x = (sensor->size_px[0] - 1) / 2.0, half_y = (sensor->size_px[1] - 1) / 2.0;
    const double corner2 = fmax(1, half_x * half_x + half_y * half_y);
    const double r2 = (x - half_x) * (x - half_x) + (y - half_y) * (y - half_y);
    return 1 - sensor->config.vignetting * r2 / corner2;
}

/* ---- photosites ---- */

static uint8_t encode(const pov_sensor *sensor, double value)
{
    const double at = fmin(fmax(value, 0), 1) * SRGB_STEPS;
    const int step = (int)at;
    const double share = at - step;
    return (uint8_t)(sensor->srgb[step] + share * (sensor->srgb[step + 1] - sensor->srgb[step]) + 0.5);
}

static double electrons(const pov_sensor_config *c, double light, uint64_t stream, uint64_t index)
{
    const double mean_e = fmax(light, 0) * c->exposure * c->full_well_e;
    if (c->shot_noise)
        return pov_noise_electrons(pov_noise_bits(stream, index), mean_e, c->read_noise_e);
    if (c->read_noise_e > 0)
        return mean_e + pov_noise_electrons(pov_noise_bits(stream, index), 0, c->read_noise_e);
    return mean_e;
}

static void expose_pixel(const pov_sensor *sensor, uint8_t rgb[3], const float light[3], double kept,
                         const uint64_t stream_and_pixel[2])
{
    const pov_sensor_config *c = &sensor->config;
    for (int k = 0; k < 3; k++) {
        const double e =
            electrons(c, light[k] * kept, stream_and_pixel[0], 3 * stream_and_pixel[1] + (uint64_t)k);
        rgb[k] = encode(sensor, fmin(e / c->full_well_e, 1) * c->gain * c->white_balance[k]);
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
            pov_blur_gather(sensor->blur, blurred, light, sensor->size_px, (int[2]){x, y}, radius_px);
            expose_pixel(sensor, &rgb[3 * pixel], blurred, vignette(sensor, x, y),
                         (uint64_t[2]){stream, pixel});
        }
    return sensor->config.jpeg_quality > 0 ? through_jpeg(sensor, rgb) : pov_ok();
}
