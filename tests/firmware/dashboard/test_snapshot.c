#include "firmware/dashboard/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GAP_BYTES = 5 }; /* between rows, which are not pixels */

static int red_at(int x, int y)
{
    return 20 + (x + y) / 32;
}

/* Red grows slowly, by less than one a block, to the right and down, green is x's parity, blue 77. */
static pov_image image_of(int width_px, int height_px)
{
    const int stride = 3 * width_px + GAP_BYTES;
    uint8_t *pixels = malloc((size_t)stride * (size_t)height_px);
    assert_non_null(pixels);
    memset(pixels, 0xEE, (size_t)stride * (size_t)height_px);
    for (int y = 0; y < height_px; y++)
        for (int x = 0; x < width_px; x++) {
            uint8_t *pixel = pixels + y * stride + 3 * x;
            pixel[0] = (uint8_t)red_at(x, y);
            pixel[1] = x % 2 ? 255 : 0;
            pixel[2] = 77;
        }
    return (pov_image){
        .pixels = pixels, .width_px = width_px, .height_px = height_px, .stride_bytes = stride, .name = "i"};
}

static void take(pov_snapshot *snapshot, const pov_image *image)
{
    pov_observation *observation = calloc(1, sizeof *observation);
    pov_findings *findings = calloc(1, sizeof *findings);
    pov_station *station = calloc(1, sizeof *station);
    assert_true(observation && findings && station);
    pov_snapshot_take(
        snapshot,
        &(pov_news){.image = image, .observation = observation, .findings = findings, .station = station});
    free(station);
    free(findings);
    free(observation);
}

static void a_picture_that_is_small_enough_is_kept_pixel_by_pixel(void **state)
{
    (void)state;
    pov_snapshot *snapshot;
    pov_image image = image_of(POV_SNAPSHOT_WIDTH_MAX_PX, 40);
    assert_int_equal(pov_snapshot_new(&snapshot).code, POV_OK);
    take(snapshot, &image);
    assert_int_equal(snapshot->picture.width_px, POV_SNAPSHOT_WIDTH_MAX_PX);
    for (int y = 0; y < 40; y++)
        assert_memory_equal(snapshot->picture.pixels + y * snapshot->picture.stride_bytes,
                            image.pixels + y * image.stride_bytes, 3 * (size_t)image.width_px);
    pov_snapshot_destroy(&snapshot);
    free((void *)image.pixels);
}

static void a_large_picture_shrinks_and_everything_stays_where_it_is(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1280, 720}, {1921, 33}, {4056, 30}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pov_snapshot *snapshot;
        pov_image image = image_of(sizes[i][0], sizes[i][1]);
        assert_int_equal(pov_snapshot_new(&snapshot).code, POV_OK);
        take(snapshot, &image);
        const pov_image *small = &snapshot->picture;
        const int factor = image.width_px / small->width_px;
        assert_true(small->width_px <= POV_SNAPSHOT_WIDTH_MAX_PX && small->width_px >= 640);
        for (int y = 0; y < small->height_px; y++)
            for (int x = 0; x < small->width_px; x++) {
                const uint8_t *pixel = small->pixels + y * small->stride_bytes + 3 * x;
                const int middle = (factor - 1) / 2;
                assert_in_range(pixel[0], red_at(x * factor + middle, y * factor + middle) - 1,
                                red_at(x * factor + middle, y * factor + middle) + 1);
                assert_int_equal(pixel[2], 77);
            }
        pov_snapshot_destroy(&snapshot);
        free((void *)image.pixels);
    }
}

static void fine_stripes_of_a_half_sized_picture_become_their_mean(void **state)
{
    (void)state;
    pov_snapshot *snapshot;
    pov_image image = image_of(1280, 16);
    assert_int_equal(pov_snapshot_new(&snapshot).code, POV_OK);
    take(snapshot, &image);
    for (int x = 0; x < 640; x++)
        assert_in_range(snapshot->picture.pixels[3 * x + 1], 127, 128);
    pov_snapshot_destroy(&snapshot);
    free((void *)image.pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_that_is_small_enough_is_kept_pixel_by_pixel),
        cmocka_unit_test(a_large_picture_shrinks_and_everything_stays_where_it_is),
        cmocka_unit_test(fine_stripes_of_a_half_sized_picture_become_their_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
