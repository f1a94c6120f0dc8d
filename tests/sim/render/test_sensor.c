#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/geom.h"
#include "sim/render/sensor.h"
#include "tests/support/near.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 128, PIXELS = SIDE_PX * SIDE_PX };

static float light[PIXELS][3];
static float depth_m[PIXELS];
static uint8_t rgb[PIXELS][3];

static void expose_into(uint8_t (*out)[3], const pov_sensor_config *config, const float *depths_m,
                        uint32_t sequence)
{
    pov_sensor *sensor;
    assert_int_equal(pov_sensor_new(&sensor, config, SIDE_PX, SIDE_PX).code, POV_OK);
    assert_int_equal(pov_sensor_expose(sensor, &out[0][0], (const float(*)[3])light, depths_m, sequence).code,
                     POV_OK);
    pov_sensor_destroy(&sensor);
}

static void expose(const pov_sensor_config *config)
{
    expose_into(rgb, config, NULL, 0);
}

static void fill(float red, float green, float blue)
{
    for (int i = 0; i < PIXELS; i++) {
        light[i][0] = red;
        light[i][1] = green;
        light[i][2] = blue;
    }
}

static double linear(uint8_t value)
{
    const double encoded = value / 255.0;
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

typedef struct {
    double mean, variance;
} moments;

/** Mean and variance of a channel's decoded values, without the variance of rounding to 8 bits. */
static moments moments_of(int channel)
{
    double sum = 0, squares = 0, rounding = 0;
    for (int i = 0; i < PIXELS; i++) {
        const uint8_t value = rgb[i][channel];
        const double x = linear(value), step = linear((uint8_t)(value + 1)) - x;
        sum += x;
        squares += x * x;
        rounding += step * step / 12;
    }
    const double mean = sum / PIXELS;
    return (moments){mean, squares / PIXELS - mean * mean - rounding / PIXELS};
}

/** Janesick 2007, ch. 5: variance against mean is a line; its slope is the gain a count has per electron, and where it meets
 *  zero, the reading's noise. */
static void the_photon_transfer_curve_has_the_slope_of_the_gain_per_electron(void **state)
{
    (void)state;
    pov_sensor_config config = POV_SENSOR_DEFAULT;
    config.full_well_e = 800;
    config.exposure = 0.5;
    config.gain = 1.5;
    config.shot_noise = true;
    config.read_noise_e = 5;
    config.seed = 11;
    const double per_electron = config.gain / config.full_well_e;
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int n = 0;
    for (float level = 0.1F; level < 1; level += 0.1F) {
        fill(level, level, level);
        config.seed++;
        expose(&config);
        for (int channel = 0; channel < 3; channel++, n++) {
            const moments m = moments_of(channel);
            assert_near(m.mean, (double)level * config.exposure * config.gain, 2e-3);
            sx += m.mean;
            sy += m.variance;
            sxx += m.mean * m.mean;
            sxy += m.mean * m.variance;
        }
    }
    const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), offset = (sy - slope * sx) / n;
    assert_near(slope / per_electron, 1, 0.02);
    assert_near(sqrt(offset) / per_electron, config.read_noise_e, 0.6);
}

static void few_electrons_come_as_poisson_has_it(void **state)
{
    (void)state;
    pov_sensor_config config = POV_SENSOR_DEFAULT;
    config.full_well_e = 10; /* each electron is a tenth of white */
    config.exposure = 0.2;
    config.shot_noise = true;
    fill(1, 1, 1);
    expose(&config);
    int counts[11] = {0};
    for (int i = 0; i < 3 * PIXELS; i++) {
        const double electrons = 10 * linear(rgb[i / 3][i % 3]);
        assert_near(electrons, rint(electrons), 0.06);
        counts[(int)rint(electrons)]++;
    }
    double expected = exp(-2) * 3 * PIXELS;
    for (int k = 0; k < 7; k++) {
        assert_near(counts[k], expected, 4 * sqrt(expected));
        expected *= 2.0 / (k + 1);
    }
}

static void no_noise_is_the_srgb_curve(void **state)
{
    (void)state;
    pov_sensor_config config = POV_SENSOR_DEFAULT;
    config.exposure = 1;
    for (int i = 0; i < PIXELS; i++)
        light[i][0] = light[i][1] = light[i][2] = (float)i / PIXELS;
    expose(&config);
    for (int i = 0; i < PIXELS; i++) {
        const double x = i / (double)PIXELS;
        const double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
        assert_near(rgb[i][1], 255 * encoded, 0.51);
    }
}

static void exposure_gain_and_white_balance_multiply_and_a_full_well_is_full(void **state)
{
    (void)state;
    pov_sensor_config config = POV_SENSOR_DEFAULT;
    config.exposure = 0.25;
    config.gain = 2;
    config.white_balance[2] = 1.5;
    fill(0.2F, 0.6F, 0.4F);
    expose(&config);
    assert_near(linear(rgb[77][0]), 0.1, 0.003);
    assert_near(linear(rgb[77][1]), 0.3, 0.004);
    assert_near(linear(rgb[77][2]), 0.3, 0.004);
    config.exposure = 4;
    config.gain = 0.5;
    fill(1, 1, 1);
    expose(&config);
    assert_near(linear(rgb[77][0]), 0.5, 0.005);
}

/** A lens out of focus passes 2 J1(x) / x, x = 2 pi f r, of a wave's contrast: Goodman 2005, section 6.4. */
static void defocus_has_the_transfer_function_of_a_disc(void **state)
{
    (void)state;
    static const double RADII_PX[] = {1, 2, 2.5, 4, 7};
    for (size_t r = 0; r < sizeof RADII_PX / sizeof RADII_PX[0]; r++)
        for (int waves = 2; waves <= 24; waves += 2)
            for (int diagonal = 0; diagonal < 2; diagonal++) {
                const double f = waves / (double)SIDE_PX * (diagonal ? sqrt(2) : 1);
                const double x = 2 * POV_PI * f * RADII_PX[r];
                if (x > 3) /* the first zero is at 3.83 */
                    continue;
                for (int i = 0; i < PIXELS; i++) {
                    const int along = i % SIDE_PX + (diagonal ? i / SIDE_PX : 0);
                    light[i][1] = (float)(0.5 + 0.4 * cos(2 * POV_PI * waves * along / SIDE_PX));
                }
                pov_sensor_config config = POV_SENSOR_DEFAULT;
                config.exposure = 1;
                config.defocus_px = RADII_PX[r];
                expose(&config);
                double cosine = 0;
                for (int i = 0; i < PIXELS / 4;
                     i++) { /* of the middle, where the image's edge does not reach */
                    const int x_px = 32 + i % 64, y_px = 32 + i / 64;
                    const double phase = 2 * POV_PI * waves * (x_px + (diagonal ? y_px : 0)) / SIDE_PX;
                    cosine += 2 * cos(phase) * (linear(rgb[y_px * SIDE_PX + x_px][1]) - 0.5) / (PIXELS / 4);
                }
                assert_near(cosine / 0.4, 2 * j1(x) / x, 0.04);
            }
}

/** Each pixel's disc is that of a thin lens at its depth: a point's image has the disc's variance, r^2 / 4 an axis. */
static void an_aperture_blurs_by_the_depth(void **state)
{
    (void)state;
    static const double DEPTHS_M[] = {0.5, 0.8, 2, 8};
    pov_sensor_config config = POV_SENSOR_DEFAULT;
    config.aperture_m = 0.01;
    config.focal_px = 800;
    config.focus_m = 1;
    config.exposure = 1;
    for (int d = 0; d < 4; d++) {
        const double radius_px = 800 * 0.005 * fabs(1 / DEPTHS_M[d] - 1);
        fill(0, 0, 0);
        light[64 * SIDE_PX + 64][0] = light[64 * SIDE_PX + 64][1] =
            (float)(POV_PI / 2 * radius_px * radius_px);
        for (int i = 0; i < PIXELS; i++)
            depth_m[i] = (float)DEPTHS_M[d];
        expose_into(rgb, &config, depth_m, 0);
        double sum = 0, squares = 0;
        for (int i = 0; i < PIXELS; i++) {
            const double x = i % SIDE_PX - 64;
            sum += linear(rgb[i][1]);
            squares += linear(rgb[i][1]) * x * x;
        }
        assert_near(sqrt(4 * squares / sum), radius_px, 0.09); /* radii come in eighths */
    }
}

static void corners_lose_the_share_that_vignetting_says(void **state)
{
    (void)state;
    pov_sensor_config config = POV_SENSOR_DEFAULT;
    config.exposure = 1;
    config.vignetting = 0.4;
    fill(1, 1, 1);
    expose(&config);
    assert_near(linear(rgb[0][0]), 0.6, 0.005);
    assert_near(linear(rgb[PIXELS - 1][0]), 0.6, 0.005);
    assert_near(linear(rgb[64 * SIDE_PX + 64][0]), 1, 0.01);
    assert_near(linear(rgb[64 * SIDE_PX][0]), 0.8, 0.01);
}

static void the_same_seed_gives_the_same_noise_and_each_image_its_own(void **state)
{
    (void)state;
    static uint8_t again[PIXELS][3];
    pov_sensor_config config = {.seed = 5};
    assert_int_equal(pov_sensor_preset(&config, "noisy").code, POV_OK);
    config.jpeg_quality = 0;
    fill(0.4F, 0.4F, 0.4F);
    expose_into(rgb, &config, NULL, 3);
    expose_into(again, &config, NULL, 3);
    assert_memory_equal(rgb, again, sizeof rgb);
    for (int change = 0; change < 2; change++) {
        config.seed += (uint64_t)change;
        expose_into(again, &config, NULL, change ? 3 : 4);
        double product = 0, squares = 0;
        for (int i = 0; i < PIXELS; i++) {
            const double a = linear(rgb[i][0]) - linear(rgb[i][1]),
                         b = linear(again[i][0]) - linear(again[i][1]);
            product += a * b;
            squares += (a * a + b * b) / 2;
        }
        assert_true(squares > 0);
        assert_near(product / squares, 0, 4 / sqrt(PIXELS));
    }
}

static void jpeg_changes_little_at_high_quality_and_more_at_low(void **state)
{
    (void)state;
    double error[2];
    for (int low = 0; low < 2; low++) {
        pov_sensor_config config = POV_SENSOR_DEFAULT;
        for (int i = 0; i < PIXELS; i++)
            light[i][0] = light[i][1] = light[i][2] = i / SIDE_PX % 32 < 16 ? 0.2F : 0.7F;
        expose(&config);
        const uint8_t before = rgb[20 * SIDE_PX + 3][1];
        config.jpeg_quality = low ? 10 : 95;
        expose(&config);
        assert_near(rgb[20 * SIDE_PX + 3][1], before, 12);
        error[low] = 0;
        for (int i = 0; i < PIXELS; i++)
            error[low] += fabs(linear(rgb[i][1]) - 0.85 * (double)light[i][1]) / PIXELS;
    }
    assert_true(error[0] < 0.01 && error[1] > error[0]);
}

static void presets_are_known_by_name(void **state)
{
    (void)state;
    pov_sensor_config config = {.seed = 9};
    assert_int_equal(pov_sensor_preset(&config, "clean").code, POV_OK);
    assert_int_equal(pov_sensor_preset(&config, "blurred").code, POV_OK);
    assert_true(config.seed == 9 && config.defocus_px > 0 && config.shot_noise);
    const pov_status status = pov_sensor_preset(&config, "foggy");
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "foggy"));
    assert_non_null(strstr(status.message, "blurred"));
}

static void what_is_out_of_range_is_named(void **state)
{
    (void)state;
    pov_sensor *sensor;
    pov_sensor_config config = POV_SENSOR_DEFAULT;
    config.defocus_px = 9;
    pov_status status = pov_sensor_new(&sensor, &config, 8, 8);
    assert_int_equal(status.code, POV_ERROR);
    assert_null(sensor);
    assert_non_null(strstr(status.message, "defocus_px"));
    config.defocus_px = 0;
    config.gain = NAN;
    status = pov_sensor_new(&sensor, &config, 8, 8);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "gain"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_photon_transfer_curve_has_the_slope_of_the_gain_per_electron),
        cmocka_unit_test(few_electrons_come_as_poisson_has_it),
        cmocka_unit_test(no_noise_is_the_srgb_curve),
        cmocka_unit_test(exposure_gain_and_white_balance_multiply_and_a_full_well_is_full),
        cmocka_unit_test(defocus_has_the_transfer_function_of_a_disc),
        cmocka_unit_test(an_aperture_blurs_by_the_depth),
        cmocka_unit_test(corners_lose_the_share_that_vignetting_says),
        cmocka_unit_test(the_same_seed_gives_the_same_noise_and_each_image_its_own),
        cmocka_unit_test(jpeg_changes_little_at_high_quality_and_more_at_low),
        cmocka_unit_test(presets_are_known_by_name),
        cmocka_unit_test(what_is_out_of_range_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
