#include "firmware/setup/setup_cameras.h"

#include "firmware/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { OPENS_MS = 400 };

static atomic_int open_len; /* sources that are open */

static void wait_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static pov_status next_image(void *impl, pov_image *image, int timeout_ms)
{
    static uint8_t pixels[16 * 12 * 3];
    (void)impl;
    (void)timeout_ms;
    *image = (pov_image){.pixels = pixels, .width_px = 16, .height_px = 12, .stride_bytes = 48};
    return pov_ok();
}

static pov_status no_image(void *impl, pov_image *image, int timeout_ms)
{
    (void)impl;
    (void)image;
    wait_ms(timeout_ms);
    return pov_status_of(POV_TIMEOUT);
}

static pov_image_source_statistics no_statistics(const void *impl)
{
    (void)impl;
    return (pov_image_source_statistics){.expected = -1};
}

static void close_camera(void *impl)
{
    (void)impl;
    atomic_fetch_sub(&open_len, 1);
}

/* A camera that is slow to open; of one called "dark" no image comes. */
static pov_status open_slowly(pov_image_source **source, const pov_setup_camera *camera)
{
    static const pov_image_source_backend
        sends = {.name = "slow", .next = next_image, .statistics = no_statistics, .destroy = close_camera},
        dark = {.name = "dark", .next = no_image, .statistics = no_statistics, .destroy = close_camera};
    static int impl;
    if (strcmp(camera->id, "broken") == 0)
        return pov_error("it is taken");
    wait_ms(OPENS_MS);
    atomic_fetch_add(&open_len, 1);
    return pov_image_source_new(source, strcmp(camera->id, "dark") == 0 ? &dark : &sends, &impl);
}

static pov_setup_cameras cameras_named(const char *id)
{
    pov_setup_cameras cameras = {.len = 1, .open = open_slowly, .listed_ns = pov_clock_monotonic_ns()};
    cameras.list[0] = (pov_setup_camera){.source = "practice", .title = "one"};
    snprintf(cameras.list[0].id, sizeof cameras.list[0].id, "%s", id);
    return cameras;
}

/* Looks until there is a verdict. Returns how long the longest call took. */
static double look_until_tried_ms(pov_setup_cameras *cameras)
{
    int64_t longest_ns = 0;
    while (!cameras->list[0].is_tried) {
        const int64_t begin_ns = pov_clock_monotonic_ns();
        pov_setup_cameras_look(cameras);
        const int64_t took_ns = pov_clock_monotonic_ns() - begin_ns;
        longest_ns = took_ns > longest_ns ? took_ns : longest_ns;
        wait_ms(5);
    }
    return 1e-6 * (double)longest_ns;
}

static void a_camera_that_is_slow_to_open_holds_nobody(void **state)
{
    (void)state;
    pov_setup_cameras cameras = cameras_named("slow");
    const double longest_ms = look_until_tried_ms(&cameras);
    assert_true(longest_ms < OPENS_MS / 2.0);
    assert_true(cameras.list[0].picture && strncmp(cameras.list[0].picture, "data:image/", 11) == 0);
    assert_true(atomic_load(&open_len) == 0);
    pov_setup_cameras_free(&cameras);
}

static void one_that_cannot_be_opened_says_why(void **state)
{
    (void)state;
    pov_setup_cameras cameras = cameras_named("broken");
    (void)look_until_tried_ms(&cameras);
    assert_true(!cameras.list[0].picture && strcmp(cameras.list[0].words, "no picture: it is taken") == 0);
    pov_setup_cameras_free(&cameras);
}

/* Else the source that is opened next would be refused. */
static void a_camera_is_closed_when_it_is_released(void **state)
{
    (void)state;
    pov_setup_cameras cameras = cameras_named("dark");
    pov_setup_cameras_look(&cameras);
    while (atomic_load(&open_len) == 0)
        wait_ms(5);
    const int64_t begin_ns = pov_clock_monotonic_ns();
    pov_setup_cameras_release(&cameras);
    assert_true(pov_clock_monotonic_ns() - begin_ns <
                1000000000); /* of the four seconds that it would wait for an image */
    assert_true(atomic_load(&open_len) == 0);
    assert_true(!cameras.list[0].is_tried); /* it is looked through another time */
    pov_setup_cameras_free(&cameras);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_camera_that_is_slow_to_open_holds_nobody),
                                       cmocka_unit_test(one_that_cannot_be_opened_says_why),
                                       cmocka_unit_test(a_camera_is_closed_when_it_is_released)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
