#include "firmware/sources/ahead_source.h"

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { WIDTH = 24, HEIGHT = 16, GAP = 8, STRIDE = 3 * WIDTH + GAP };

enum { FEW = 100 };

/* Numbered images in one buffer, as every source has it; of few, every third cannot be read. */
typedef struct {
    int len, next;
    bool fails; /* at the end */
    int *destroyed;
    pov_image_source_statistics statistics;
    uint8_t *pixels; /* from malloc */
    size_t capacity;
} numbers;

static pov_status next_number(void *impl, pov_image *image, int timeout_ms)
{
    numbers *n = impl;
    (void)timeout_ms;
    if (n->next == n->len)
        return n->fails ? pov_error("the camera is gone") : pov_status_of(POV_END);
    const int number = n->next++;
    if (n->capacity < STRIDE * HEIGHT) {
        n->pixels = realloc(n->pixels, STRIDE * HEIGHT);
        n->capacity = STRIDE * HEIGHT;
        assert_non_null(n->pixels);
    }
    memset(n->pixels, number, STRIDE * HEIGHT);
    if (number % 3 == 2 && n->len <= FEW) {
        n->statistics.skipped++;
        return pov_status_with(POV_SKIPPED, "number %d is damaged", number);
    }
    n->statistics.delivered++;
    *image = (pov_image){.pixels = n->pixels,
                         .width_px = WIDTH,
                         .height_px = HEIGHT,
                         .stride_bytes = STRIDE,
                         .mid_exposure_ns = 1000 + number,
                         .sequence = (uint32_t)number};
    return pov_ok();
}

static pov_image_source_statistics statistics_of_numbers(const void *impl)
{
    return ((const numbers *)impl)->statistics;
}

static void destroy_numbers(void *impl)
{
    ++*((numbers *)impl)->destroyed;
    free(((numbers *)impl)->pixels);
    free(impl);
}

static bool exchange_numbers(void *impl, uint8_t **pixels, size_t *capacity)
{
    numbers *n = impl;
    const numbers before = *n;
    n->pixels = *pixels;
    n->capacity = *capacity;
    *pixels = before.pixels;
    *capacity = before.capacity;
    return true;
}

static const pov_image_source_backend backend = {
    .name = "numbers", .next = next_number, .statistics = statistics_of_numbers, .destroy = destroy_numbers};
static const pov_image_source_backend exchanging = {.name = "numbers",
                                                    .next = next_number,
                                                    .statistics = statistics_of_numbers,
                                                    .destroy = destroy_numbers,
                                                    .exchange = exchange_numbers};
static const pov_image_source_backend *used = &backend;

static int destroyed;

static pov_image_source *source_with(int len, bool fails, bool live, const pov_ahead_work *work)
{
    numbers *n = calloc(1, sizeof *n);
    pov_image_source *wrapped, *source;
    assert_non_null(n);
    *n = (numbers){.len = len, .fails = fails, .destroyed = &destroyed, .statistics = {.expected = len}};
    destroyed = 0;
    assert_int_equal(pov_image_source_new(&wrapped, used, n).code, POV_OK);
    assert_int_equal(pov_ahead_source_new(&source, wrapped, live, work).code, POV_OK);
    return source;
}

static pov_image_source *source_of(int len, bool fails, bool live)
{
    return source_with(len, fails, live, NULL);
}

static void assert_shows(const pov_image *image, int number)
{
    assert_int_equal(image->sequence, number);
    assert_int_equal(image->mid_exposure_ns, 1000 + number);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < 3 * WIDTH; x++)
            assert_int_equal(image->pixels[y * image->stride_bytes + x], number);
}

static void wait_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static void every_image_comes_in_order_and_stays_while_the_next_is_read(void **state)
{
    (void)state;
    pov_image_source *source = source_of(40, false, false);
    pov_image image;
    for (int i = 0; i < 40; i++) {
        const pov_status status = pov_image_source_next(source, &image, 5000);
        if (i % 3 == 2) {
            assert_int_equal(status.code, POV_SKIPPED);
            assert_non_null(strstr(status.message, "is damaged"));
            continue;
        }
        assert_int_equal(status.code, POV_OK);
        if (i % 4 == 0)
            wait_ms(2); /* the thread reads on */
        assert_shows(&image, i);
        const pov_image_source_statistics said = pov_image_source_statistics_of(source);
        assert_int_equal(said.delivered, i + 1 - (i + 1) / 3);
        assert_int_equal(said.skipped, (i + 1) / 3);
        assert_int_equal(said.lost, 0);
        assert_int_equal(said.expected, 40);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(pov_image_source_next(source, &image, 5000).code, POV_END);
    pov_image_source_destroy(&source);
    assert_int_equal(destroyed, 1);
}

static void note_place(const void *places[FEW], int *len, const void *place)
{
    for (int i = 0; i < *len; i++)
        if (places[i] == place)
            return;
    places[(*len)++] = place;
}

static pov_status do_nothing(void *context, void *result, pov_image *image)
{
    (void)context;
    (void)result;
    (void)image;
    return pov_ok();
}

/* One that is judged and one that is read: a third would cost 4 MB at 1280 x 720. */
static void exchanged_images_need_two_places(void **state)
{
    (void)state;
    const pov_ahead_work work = {.prepare = do_nothing, .result_bytes = 1};
    const void *pixels[FEW], *results[FEW];
    int pixels_len = 0, results_len = 0;
    pov_image image;
    used = &exchanging;
    pov_image_source *source = source_with(FEW + 1, false, false, &work);
    used = &backend;
    for (int i = 0; i < FEW; i++) {
        assert_int_equal(pov_image_source_next(source, &image, 5000).code, POV_OK);
        note_place(pixels, &pixels_len, image.pixels);
        note_place(results, &results_len, image.prepared);
    }
    assert_int_equal(pixels_len, 2);
    assert_int_equal(results_len, 2);
    pov_image_source_destroy(&source);
}

static void a_failure_comes_after_the_images_before_it(void **state)
{
    (void)state;
    pov_image_source *source = source_of(2, true, true);
    pov_image image;
    int last = -1;
    pov_status status;
    while ((status = pov_image_source_next(source, &image, 5000)).code == POV_OK)
        last = (int)image.sequence;
    assert_int_equal(last, 1);
    assert_int_equal(status.code, POV_ERROR);
    assert_string_equal(status.message, "the camera is gone");
    assert_null(image.pixels);
    pov_image_source_destroy(&source);
    assert_int_equal(destroyed, 1);
}

/* Lets so many images through in all, and waits until they were delivered: until the next one has begun. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int allowed, begun;
} gate;

static pov_status pass_gate(void *context, void *result, pov_image *image)
{
    gate *g = context;
    *(int *)result = (int)image->sequence;
    pthread_mutex_lock(&g->lock);
    g->begun++;
    pthread_cond_broadcast(&g->changed);
    while (g->begun > g->allowed)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return pov_ok();
}

static void let_through(gate *g, int images)
{
    pthread_mutex_lock(&g->lock);
    g->allowed = images;
    pthread_cond_broadcast(&g->changed);
    while (g->begun <= images && images < INT_MAX)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static pov_image_source *gated_source(gate *g)
{
    *g = (gate){.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    const pov_ahead_work work = {.prepare = pass_gate, .context = g, .result_bytes = sizeof(int)};
    return source_with(1000, false, true, &work);
}

static void assert_next_shows(pov_image_source *source, int number, int lost)
{
    pov_image image;
    assert_int_equal(pov_image_source_next(source, &image, 5000).code, POV_OK);
    assert_shows(&image, number);
    assert_int_equal(*(const int *)image.prepared, number);
    assert_int_equal(pov_image_source_statistics_of(source).lost, lost);
}

static void a_caller_that_is_late_once_gets_three_live_images_and_loses_older_ones(void **state)
{
    (void)state;
    gate g;
    pov_image_source *source = gated_source(&g);
    let_through(&g, 3);
    for (int i = 0; i < 3; i++)
        assert_next_shows(source, i, 0);
    let_through(&g, 8);
    for (int i = 5; i < 8; i++)
        assert_next_shows(source, i, 2);
    let_through(&g, INT_MAX);
    pov_image_source_destroy(&source);
}

static void a_caller_that_stays_late_gets_the_newest_live_image_until_it_has_caught_up(void **state)
{
    (void)state;
    gate g;
    pov_image image;
    pov_image_source *source = gated_source(&g);
    for (int i = 0; i < 15; i++) {
        let_through(&g, i + 2);
        assert_next_shows(source, i, 0);
    }
    let_through(&g, 17);
    assert_next_shows(source, 16, 1);
    let_through(&g, 20);
    assert_next_shows(source, 19, 3);
    assert_int_equal(pov_image_source_next(source, &image, 1).code, POV_TIMEOUT);
    let_through(&g, 22);
    assert_next_shows(source, 20, 3);
    let_through(&g, INT_MAX);
    pov_image_source_destroy(&source);
}

/* The sum of all images before, and of this one; the seventh is more than it can bear. */
static pov_status sum_up(void *context, void *result, pov_image *image)
{
    *(int *)context += image->pixels[0];
    *(int *)result = *(int *)context;
    return image->sequence == 6 ? pov_error("too much") : pov_ok();
}

static void work_is_done_on_each_image_in_order_and_comes_with_it(void **state)
{
    (void)state;
    static const int sums[] = {0, 1, -1, 4, 8, -1};
    int sum = 0;
    const pov_ahead_work work = {.prepare = sum_up, .context = &sum, .result_bytes = sizeof sum};
    pov_image_source *source = source_with(20, false, false, &work);
    pov_image image;
    for (int i = 0; i < 6; i++) {
        const pov_code code = pov_image_source_next(source, &image, 5000).code;
        if (i == 1)
            wait_ms(20); /* the next is prepared meanwhile */
        assert_int_equal(code, sums[i] < 0 ? POV_SKIPPED : POV_OK);
        if (sums[i] >= 0)
            assert_int_equal(*(const int *)image.prepared, sums[i]);
    }
    const pov_status failed = pov_image_source_next(source, &image, 5000);
    assert_int_equal(failed.code, POV_ERROR);
    assert_string_equal(failed.message, "too much");
    pov_image_source_destroy(&source);
}

static void it_can_be_left_at_any_time(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        pov_image_source *source = source_of(100, false, i % 2);
        pov_image image;
        for (int k = 0; k < i % 5; k++)
            assert_int_not_equal(pov_image_source_next(source, &image, 5000).code, POV_TIMEOUT);
        pov_image_source_destroy(&source);
        assert_int_equal(destroyed, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_image_comes_in_order_and_stays_while_the_next_is_read),
        cmocka_unit_test(exchanged_images_need_two_places),
        cmocka_unit_test(a_failure_comes_after_the_images_before_it),
        cmocka_unit_test(a_caller_that_is_late_once_gets_three_live_images_and_loses_older_ones),
        cmocka_unit_test(a_caller_that_stays_late_gets_the_newest_live_image_until_it_has_caught_up),
        cmocka_unit_test(work_is_done_on_each_image_in_order_and_comes_with_it),
        cmocka_unit_test(it_can_be_left_at_any_time),
    };
    const int copied = cmocka_run_group_tests_name("ahead_source, pixels copied", tests, NULL, NULL);
    used = &exchanging;
    return copied + cmocka_run_group_tests_name("ahead_source, pixels taken", tests, NULL, NULL);
}
