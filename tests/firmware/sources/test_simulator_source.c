/* The simulator as a camera. */
#include "firmware/sources/simulator_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TIMEOUT_MS = 60000, IMAGES = 36 };

static pov_image_source *open_source(double rate_hz, bool loop)
{
    pov_image_source *source;
    const pov_simulator_source_config config = {
        .world = "comfort-ball", .width_px = 64, .height_px = 64, .rate_hz = rate_hz, .loop = loop};
    assert_int_equal(pov_simulator_source_new(&source, &config).code, POV_OK);
    return source;
}

static void without_a_rate_each_image_comes_once(void **state)
{
    (void)state;
    pov_image_source *source = open_source(0, false);
    pov_image image;
    for (uint32_t i = 0; i < IMAGES; i++) {
        assert_int_equal(pov_image_source_next(source, &image, TIMEOUT_MS).code, POV_OK);
        assert_int_equal(image.sequence, i);
        assert_true(image.width_px == 64 && image.mid_exposure_ns > 0 && strstr(image.name, "simulated"));
    }
    assert_int_equal(pov_image_source_next(source, &image, TIMEOUT_MS).code, POV_END);
    assert_int_equal(pov_image_source_statistics_of(source).delivered, IMAGES);
    pov_image_source_destroy(&source);
}

static void in_a_loop_a_turn_later_the_same_is_seen(void **state)
{
    (void)state;
    static uint8_t first[3 * 64 * 64];
    pov_image_source *source = open_source(0, true);
    pov_image image;
    for (int i = 0; i <= IMAGES; i++) {
        assert_int_equal(pov_image_source_next(source, &image, TIMEOUT_MS).code, POV_OK);
        if (i == 0)
            memcpy(first, image.pixels, sizeof first);
        else
            assert_int_equal(memcmp(first, image.pixels, sizeof first) == 0, i == IMAGES);
    }
    pov_image_source_destroy(&source);
}

static void with_a_rate_images_are_due_or_lost(void **state)
{
    (void)state;
    pov_image_source *source = open_source(500, false);
    pov_image image;
    int64_t start_ns = 0;
    uint32_t last = 0;
    for (int i = 0; i < 8; i++) {
        assert_int_equal(pov_image_source_next(source, &image, TIMEOUT_MS).code, POV_OK);
        if (i == 0)
            start_ns = image.mid_exposure_ns - (int64_t)image.sequence * 2000000;
        assert_true(i == 0 || image.sequence > last);
        assert_int_equal(image.mid_exposure_ns, start_ns + (int64_t)image.sequence * 2000000);
        last = image.sequence;
    }
    const pov_image_source_statistics statistics = pov_image_source_statistics_of(source);
    assert_int_equal(statistics.delivered + statistics.lost, last + 1);
    assert_int_equal(statistics.expected, -1);
    pov_image_source_destroy(&source);
}

static void an_unknown_world_is_named_with_those_there_are(void **state)
{
    (void)state;
    pov_image_source *source;
    const pov_simulator_source_config typo = {.world = "confort-ball"}, none = {.world = ""};
    pov_status status = pov_simulator_source_new(&source, &typo);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "'comfort-ball'"));
    assert_non_null(strstr(status.message, "vpt"));
    status = pov_simulator_source_new(&source, &none);
    assert_non_null(strstr(status.message, "simulator.world"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_rate_each_image_comes_once),
        cmocka_unit_test(in_a_loop_a_turn_later_the_same_is_seen),
        cmocka_unit_test(with_a_rate_images_are_due_or_lost),
        cmocka_unit_test(an_unknown_world_is_named_with_those_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
