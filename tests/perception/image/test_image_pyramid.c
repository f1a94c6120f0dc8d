/* Every level against the mean of four pixels of the one before, for every number of threads. */
#include "firmware/thread_pool.h"
#include "perception/image/image_pyramid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint8_t *draw_noise(size_t len)
{
    uint8_t *pixels = malloc(len);
    uint32_t seed = 12345;
    assert_non_null(pixels);
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(seed >> 24);
    }
    return pixels;
}

static void assert_halved(const pov_pyramid_level *half, const pov_pyramid_level *from)
{
    assert_int_equal(half->width_px, from->width_px / 2);
    assert_int_equal(half->height_px, from->height_px / 2);
    for (int y = 0; y < half->height_px; y++)
        for (int x = 0; x < 3 * half->width_px; x++) {
            const uint8_t *above = from->pixels + 2 * y * from->stride_bytes + 6 * (x / 3) + x % 3,
                          *below = above + from->stride_bytes;
            const int mean = (above[0] + above[3] + below[0] + below[3] + 2) / 4;
            if (half->pixels[y * half->stride_bytes + x] != mean)
                fail_msg("%d x %d: row %d, byte %d", half->width_px, half->height_px, y, x);
        }
}

static void each_level_is_the_mean_of_four_for_every_number_of_threads(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1280, 720}, {333, 257}, {64, 200}, {640, 256}, {100, 511}, {70, 64}};
    for (int workers = 1; workers <= POV_WORKERS_MAX; workers++) {
        pov_thread_pool *pool;
        assert_int_equal(pov_thread_pool_new(&pool, workers).code, POV_OK);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const int width = sizes[i][0], height = sizes[i][1], stride = 3 * width + 5;
            uint8_t *pixels = draw_noise((size_t)stride * (size_t)height);
            const pov_image image = {
                .pixels = pixels, .width_px = width, .height_px = height, .stride_bytes = stride};
            pov_image_pyramid pyramid;
            assert_int_equal(pov_image_pyramid_new(&pyramid, width, height).code, POV_OK);
            pov_image_pyramid_set(&pyramid, &image, pov_thread_pool_workers(pool));
            for (int level = 1; level < POV_PYRAMID_LEVELS; level++)
                assert_halved(&pyramid.levels[level], &pyramid.levels[level - 1]);
            pov_image_pyramid_free(&pyramid);
            free(pixels);
        }
        pov_thread_pool_destroy(&pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_is_the_mean_of_four_for_every_number_of_threads),
    };
    return cmocka_run_group_tests_name("image_pyramid", tests, NULL, NULL);
}
