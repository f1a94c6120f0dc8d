#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/run/pace.h"

#include <stdlib.h>
#include <string.h>

/* Images at 25/s of which every second is taken; each takes 30 ms for tags and 20 for finding, the first ones ten times that. */
static pov_pace pace_of(int len, bool is_video)
{
    pov_pace pace = {0};
    for (int i = 0; i < len; i++) {
        const int64_t slow = i < 5 ? 10 : 1;
        const int64_t stage_ns[POV_STATION_STAGE_COUNT] = {slow * 30000000, slow * 20000000};
        const pov_image image = {.width_px = 1280,
                                 .height_px = 720,
                                 .sequence = 2 * (uint32_t)i,
                                 .mid_exposure_ns = 1000 + INT64_C(80000000) * i};
        pov_pace_add(&pace, &image, stage_ns, is_video);
    }
    return pace;
}

static void the_first_images_of_a_video_are_not_counted(void **state)
{
    (void)state;
    const pov_pace video = pace_of(24, true), stills = pace_of(24, false);
    assert_float_equal(pov_pace_rate_hz(&stills), 24 / (5 * 0.5 + 19 * 0.05), 1e-9);
    assert_float_equal(pov_pace_images_hz(&video), 25, 1e-9);
    assert_int_equal(video.images, 22); /* the first two took a second */
    assert_float_equal(pov_pace_rate_hz(&video), 22 / (3 * 0.5 + 19 * 0.05), 1e-9);
}

static void a_second_of_judging_is_enough(void **state)
{
    (void)state;
    pov_pace pace = pace_of(30, true);
    assert_true(pov_pace_is_known(&pace));
    pov_pace_restart(&pace);
    assert_false(pov_pace_is_known(&pace));
}

static void what_is_late_is_told_with_the_stage_and_a_size_that_would_do(void **state)
{
    (void)state;
    char text[POV_MESSAGE_CAPACITY];
    pov_station *station = calloc(1, sizeof *station);
    pov_pace pace = pace_of(30, true);
    pov_pace_restart(&pace);
    const int64_t stage_ns[POV_STATION_STAGE_COUNT] = {30000000, 20000000};
    for (int i = 30; i < 54; i++)
        pov_pace_add(&pace,
                     &(pov_image){.width_px = 1280,
                                  .height_px = 720,
                                  .sequence = 2 * (uint32_t)i,
                                  .mid_exposure_ns = 1000 + INT64_C(80000000) * i},
                     stage_ns, true);
    assert_float_equal(pov_pace_rate_hz(&pace), 20, 1e-9);
    assert_float_equal(pov_pace_images_hz(&pace), 25, 1e-9);
    assert_true(pov_pace_is_late(&pace));
    pov_pace_text(text, &pace);
    assert_string_equal(
        text, "up to 20 images/s here, measured on 24 images of 1280 x 720; most time goes to tags (60 %)");
    pov_pace_advice(text, &pace, station,
                    25); /* sqrt(0.95 * 20 / 25) = 0.872 of 1280 x 720: 1115.9 x 627.7 */
    assert_string_equal(
        text, "use fewer or larger tags, with tags: {decimate: 2}; or take images of about 1104 x 624, and "
              "calibrate at that size");
    pov_pace_advice(text, &pace, station, 0);
    assert_string_equal(text, "use fewer or larger tags, with tags: {decimate: 2}");
    free(station);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_images_of_a_video_are_not_counted),
        cmocka_unit_test(a_second_of_judging_is_enough),
        cmocka_unit_test(what_is_late_is_told_with_the_stage_and_a_size_that_would_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
