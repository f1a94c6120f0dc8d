#include "firmware/sources/ahead_source.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLL_MS = 50 }; /* how long the thread waits for an image before it looks whether to stop; chosen */

/* One answer of the wrapped source, its pixels copied. */
typedef struct {
    pov_status status;
    pov_image image;
    pov_image_source_statistics statistics; /* once it had said so */
    uint8_t *pixels;
    size_t capacity;
    void *result; /* of the work; NULL: there is none */
} delivery;

typedef struct {
    pov_image_source *wrapped; /* the thread's */
    bool live;
    pov_ahead_work work;
    void *result; /* the thread's */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool stops, is_waiting;
    delivery waiting;
    uint64_t dropped;
    delivery taken; /* the caller's */
} ahead_source;

/* ---- on the thread ---- */

/* Rows without gaps, then its grey, then the file that they came from. False: no memory. */
static bool copy_image(delivery *to, const pov_image *image)
{
    const size_t row = 3 * (size_t)image->width_px, size = row * (size_t)image->height_px;
    const size_t coded_len = image->coded ? image->coded_len : 0, grey_len = image->grey ? size / 3 : 0;
    const size_t needed = size + grey_len + coded_len;
    if (needed > to->capacity) {
        uint8_t *grown = realloc(to->pixels, needed);
        if (!grown)
            return false;
        to->pixels = grown;
        to->capacity = needed;
    }
    for (int y = 0; y < image->height_px; y++)
        memcpy(to->pixels + (size_t)y * row, image->pixels + (ptrdiff_t)y * image->stride_bytes, row);
    to->image = *image;
    to->image.pixels = to->pixels;
    if (image->coded)
        to->image.coded = memcpy(to->pixels + size + grey_len, image->coded, coded_len);
    if (image->grey)
        to->image.grey = memcpy(to->pixels + size, image->grey, grey_len);
    to->image.stride_bytes = (int)row;
    return true;
}

/* A newer image replaces one that waits, but no message. */
static bool may_deliver(const ahead_source *source, const pov_status *status)
{
    return !source->is_waiting ||
           (source->live && status->code == POV_OK && source->waiting.status.code == POV_OK);
}

/* False: nothing comes after it. */
static bool deliver(ahead_source *source, pov_status status, const pov_image *image)
{
    pthread_mutex_lock(&source->lock);
    while (!source->stops && !may_deliver(source, &status))
        pthread_cond_wait(&source->changed, &source->lock);
    source->dropped += source->is_waiting && !source->stops;
    delivery *to = &source->waiting;
    to->image = (pov_image){.width_px = 0};
    if (status.code == POV_OK && !copy_image(to, image))
        status = pov_error("%s: out of memory for the image", image->name);
    if (status.code == POV_OK && source->result) {
        memcpy(to->result, source->result, source->work.result_bytes);
        to->image.prepared = to->result;
    }
    to->status = status;
    to->statistics = pov_image_source_statistics_of(source->wrapped);
    to->statistics.lost += source->dropped;
    source->is_waiting = true;
    const bool goes_on = !source->stops && (status.code == POV_OK || status.code == POV_SKIPPED);
    pthread_cond_signal(&source->changed);
    pthread_mutex_unlock(&source->lock);
    return goes_on;
}

static bool must_stop(ahead_source *source)
{
    pthread_mutex_lock(&source->lock);
    const bool stops = source->stops;
    pthread_mutex_unlock(&source->lock);
    return stops;
}

static void *read_ahead(void *argument)
{
    ahead_source *source = argument;
    for (bool goes_on = true; goes_on && !must_stop(source);) {
        pov_image image;
        pov_status status = pov_image_source_next(source->wrapped, &image, POLL_MS);
        if (status.code == POV_OK && source->result)
            status = source->work.prepare(source->work.context, source->result, &image);
        if (status.code != POV_TIMEOUT)
            goes_on = deliver(source, status, &image);
        if (goes_on && status.code == POV_OK && source->work.finish)
            status = source->work.finish(source->work.context, &image);
        if (status.code == POV_ERROR && goes_on)
            goes_on = deliver(source, status, &image);
    }
    return NULL;
}

/* ---- on the caller's ---- */

static struct timespec time_after(int timeout_ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += timeout_ms / 1000;
    at.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

/* The end, or a failure, is said again and again. */
static pov_status take_next(void *impl, pov_image *image, int timeout_ms)
{
    ahead_source *source = impl;
    const struct timespec until = time_after(timeout_ms);
    pthread_mutex_lock(&source->lock);
    int failed = 0;
    while (!source->is_waiting && failed == 0)
        failed = pthread_cond_timedwait(&source->changed, &source->lock, &until);
    if (!source->is_waiting) {
        pthread_mutex_unlock(&source->lock);
        return pov_status_of(POV_TIMEOUT);
    }
    const pov_code code = source->waiting.status.code;
    const delivery before = source->taken;
    source->taken = source->waiting;
    if (code == POV_OK || code == POV_SKIPPED) {
        source->waiting = before;
        source->is_waiting = false;
        pthread_cond_signal(&source->changed);
    } else {
        source->taken.pixels = before.pixels;
        source->taken.capacity = before.capacity;
        source->taken.result = before.result;
    }
    pthread_mutex_unlock(&source->lock);
    *image = source->taken.image;
    return source->taken.status;
}

static pov_image_source_statistics taken_statistics(const void *impl)
{
    return ((const ahead_source *)impl)->taken.statistics;
}

static void destroy_ahead(void *impl)
{
    ahead_source *source = impl;
    pthread_mutex_lock(&source->lock);
    source->stops = true;
    pthread_cond_signal(&source->changed);
    pthread_mutex_unlock(&source->lock);
    if (source->has_thread)
        pthread_join(source->thread, NULL);
    pthread_cond_destroy(&source->changed);
    pthread_mutex_destroy(&source->lock);
    pov_image_source_destroy(&source->wrapped);
    free(source->waiting.pixels);
    free(source->taken.pixels);
    free(source->waiting.result);
    free(source->taken.result);
    free(source->result);
    free(source);
}

static const pov_image_source_backend ahead_backend = {
    .name = "ahead", .next = take_next, .statistics = taken_statistics, .destroy = destroy_ahead};

static void init_lock(ahead_source *source)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&source->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&source->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static bool make_results(ahead_source *source, const pov_ahead_work *work)
{
    if (!work)
        return true;
    source->work = *work;
    source->result = calloc(1, work->result_bytes);
    source->waiting.result = calloc(1, work->result_bytes);
    source->taken.result = calloc(1, work->result_bytes);
    return source->result && source->waiting.result && source->taken.result;
}

pov_status pov_ahead_source_new(pov_image_source **source, pov_image_source *wrapped, bool live,
                                const pov_ahead_work *work)
{
    ahead_source *made = calloc(1, sizeof *made);
    *source = NULL;
    if (!made) {
        pov_image_source_destroy(&wrapped);
        return pov_error("images: out of memory");
    }
    *made = (ahead_source){.wrapped = wrapped, .live = live};
    made->taken.statistics = pov_image_source_statistics_of(wrapped);
    init_lock(made);
    if (!make_results(made, work)) {
        destroy_ahead(made);
        return pov_error("images: out of memory");
    }
    made->has_thread = pthread_create(&made->thread, NULL, read_ahead, made) == 0;
    if (!made->has_thread) {
        destroy_ahead(made);
        return pov_error("images: no thread to read them; raise the limit of processes (ulimit -u)");
    }
    return pov_image_source_new(source, &ahead_backend, made);
}
