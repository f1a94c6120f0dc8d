#include "firmware/clock.h"
#include "firmware/sources/cameras_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A camera that takes an image each period from a start on, and may then fail, end or fall silent. */
typedef struct {
    int64_t start_ns, period_ns, clock_off_ns;
    int64_t late_ns; /* its images come so long after their exposures */
    int len, next;
    enum { ENDS, FAILS, FALLS_SILENT } then;
} fake;

static pov_status take_image(void *impl, pov_image *image, int timeout_ms)
{
    fake *f = impl;
    if (f->next == f->len && f->then == FAILS)
        return pov_error("the cable is out");
    if (f->next == f->len && f->then == ENDS)
        return pov_status_of(POV_END);
    const int64_t exposed_ns = f->start_ns + f->next * f->period_ns, now_ns = pov_clock_monotonic_ns(),
                  until_ns = now_ns + timeout_ms * INT64_C(1000000), due_ns = exposed_ns + f->late_ns;
    if (f->next == f->len || due_ns > until_ns) {
        const struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        return pov_status_of(POV_TIMEOUT);
    }
    const struct timespec due = {due_ns / 1000000000, due_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    *image = (pov_image){.mid_exposure_ns = exposed_ns + f->clock_off_ns, .sequence = (uint32_t)f->next++};
    return pov_ok();
}

static pov_image_source_statistics count_images(const void *impl)
{
    return (pov_image_source_statistics){.delivered = (uint64_t)((const fake *)impl)->next, .expected = -1};
}

static void keep_fake(void *impl)
{
    (void)impl;
}

static const pov_image_source_backend fake_backend = {
    .name = "fake", .next = take_image, .statistics = count_images, .destroy = keep_fake};

static const int64_t ms = 1000000;

static pov_image_source *watch(fake *fakes, pov_cameras **cameras, int len)
{
    static const char *const ids[] = {"a", "b", "c"};
    pov_camera_feed feeds[3] = {0};
    pov_image_source *source;
    for (int i = 0; i < len; i++) {
        feeds[i].id = ids[i];
        assert_int_equal(pov_image_source_new(&feeds[i].source, &fake_backend, &fakes[i]).code, POV_OK);
    }
    assert_int_equal(pov_cameras_source_new(&source, cameras, feeds, len, true).code, POV_OK);
    return source;
}

typedef struct {
    int images[3], told, disordered;
    char last[POV_MESSAGE_CAPACITY];
    double longest_s; /* from exposure to delivery, by the true clock */
    pov_code end;
} heard;

static heard hear_for(pov_image_source *source, const fake *fakes, int64_t duration_ns)
{
    heard all = {.end = POV_TIMEOUT};
    int64_t last_ns = INT64_MIN;
    const int64_t until_ns = pov_clock_monotonic_ns() + duration_ns;
    while (pov_clock_monotonic_ns() < until_ns) {
        pov_image image;
        const pov_status status = pov_image_source_next(source, &image, 20);
        if (status.code == POV_SKIPPED) {
            all.told++;
            memcpy(all.last, status.message, sizeof all.last);
        }
        if (status.code == POV_END || status.code == POV_ERROR) {
            all.end = status.code;
            break;
        }
        if (status.code != POV_OK)
            continue;
        all.images[image.camera]++;
        all.disordered += image.mid_exposure_ns < last_ns;
        last_ns = image.mid_exposure_ns;
        const int64_t exposed_ns = image.mid_exposure_ns - fakes[image.camera].clock_off_ns;
        const double age_s = 1e-9 * (double)(pov_clock_monotonic_ns() - exposed_ns);
        all.longest_s = age_s > all.longest_s ? age_s : all.longest_s;
    }
    return all;
}

static void images_come_in_the_order_of_their_exposures(void **state)
{
    (void)state;
    const int64_t now_ns = pov_clock_monotonic_ns();
    fake fakes[3] = {{.start_ns = now_ns, .period_ns = 20 * ms, .len = 20},
                     {.start_ns = now_ns + 7 * ms, .period_ns = 20 * ms, .len = 20},
                     {.start_ns = now_ns + 13 * ms, .period_ns = 33 * ms, .len = 12}};
    pov_cameras *cameras;
    pov_image_source *source = watch(fakes, &cameras, 3);
    const heard all = hear_for(source, fakes, 3000 * ms);
    assert_int_equal(all.end, POV_END);
    assert_int_equal(all.disordered, 0);
    assert_int_equal(all.images[0], 20);
    assert_int_equal(all.images[1], 20);
    assert_int_equal(all.images[2], 12);
    pov_image_source_destroy(&source);
}

/* The first of the file is the last to deliver. */
static void images_of_one_instant_come_in_the_order_of_the_station_file(void **state)
{
    (void)state;
    enum { INSTANTS = 12 };
    const int64_t now_ns = pov_clock_monotonic_ns();
    fake fakes[3] = {{.start_ns = now_ns, .period_ns = 30 * ms, .len = INSTANTS, .late_ns = 12 * ms},
                     {.start_ns = now_ns, .period_ns = 30 * ms, .len = INSTANTS, .late_ns = 6 * ms},
                     {.start_ns = now_ns, .period_ns = 30 * ms, .len = INSTANTS}};
    pov_cameras *cameras;
    pov_image_source *source = watch(fakes, &cameras, 3);
    for (int i = 0; i < 3 * INSTANTS;) {
        pov_image image;
        const pov_status status = pov_image_source_next(source, &image, 100);
        if (status.code == POV_TIMEOUT)
            continue;
        assert_int_equal(status.code, POV_OK);
        assert_int_equal(image.camera, i % 3);
        assert_int_equal(image.mid_exposure_ns, now_ns + i / 3 * 30 * ms);
        i++;
    }
    pov_image_source_destroy(&source);
}

static void a_camera_that_fails_is_told_once_and_costs_the_others_nothing(void **state)
{
    (void)state;
    const int64_t now_ns = pov_clock_monotonic_ns();
    fake fakes[2] = {{.start_ns = now_ns, .period_ns = 20 * ms, .len = 25},
                     {.start_ns = now_ns, .period_ns = 20 * ms, .len = 5, .then = FAILS}};
    pov_cameras *cameras;
    pov_image_source *source = watch(fakes, &cameras, 2);
    const heard all = hear_for(source, fakes, 3000 * ms);
    assert_int_equal(all.images[0], 25);
    assert_int_equal(all.images[1], 5);
    assert_int_equal(all.told, 1);
    assert_non_null(strstr(all.last, "camera b: the cable is out"));
    assert_true(pov_cameras_state(cameras, 1).is_gone);
    pov_image_source_destroy(&source);
}

/* The image of a is waited with for some periods of b at most, and then no more. */
static void a_camera_that_falls_silent_delays_the_others_by_little(void **state)
{
    (void)state;
    const int64_t now_ns = pov_clock_monotonic_ns();
    fake fakes[2] = {{.start_ns = now_ns, .period_ns = 20 * ms, .len = 1000},
                     {.start_ns = now_ns, .period_ns = 20 * ms, .len = 5, .then = FALLS_SILENT}};
    pov_cameras *cameras;
    pov_image_source *source = watch(fakes, &cameras, 2);
    const heard all = hear_for(source, fakes, 2300 * ms);
    assert_true(all.longest_s < 0.25);
    assert_true(all.images[0] > 90);
    assert_int_equal(all.told, 1);
    assert_non_null(strstr(all.last, "camera b: no image for two seconds"));
    assert_true(pov_cameras_state(cameras, 1).is_silent);
    pov_image_source_destroy(&source);
}

static void a_clock_that_is_off_delays_by_a_bounded_time(void **state)
{
    (void)state;
    const int64_t now_ns = pov_clock_monotonic_ns();
    fake fakes[2] = {{.start_ns = now_ns, .period_ns = 20 * ms, .len = 40},
                     {.start_ns = now_ns, .period_ns = 20 * ms, .len = 40, .clock_off_ns = -100 * ms}};
    pov_cameras *cameras;
    pov_image_source *source = watch(fakes, &cameras, 2);
    const heard all = hear_for(source, fakes, 3000 * ms);
    assert_int_equal(all.images[0], 40);
    assert_int_equal(all.images[1], 40);
    assert_true(all.longest_s < 0.3);
    pov_image_source_destroy(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_come_in_the_order_of_their_exposures),
        cmocka_unit_test(images_of_one_instant_come_in_the_order_of_the_station_file),
        cmocka_unit_test(a_camera_that_fails_is_told_once_and_costs_the_others_nothing),
        cmocka_unit_test(a_camera_that_falls_silent_delays_the_others_by_little),
        cmocka_unit_test(a_clock_that_is_off_delays_by_a_bounded_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
