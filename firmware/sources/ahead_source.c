#include "firmware/sources/ahead_source.h"

#include "firmware/thread_priority.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLL_MS = 50 }; /* how long the thread waits for an image before it looks whether to stop; chosen */

/* Images that wait for a caller that is late once; a caller that is late for so many in a row is too slow, and takes the
 * newest. At 30/s: a tenth of a second, and half a second. Chosen. */
enum { WAITING_LIVE = 3, WAITING = 1, LATE_MAX = 15 };

/* Memory that grows. */
typedef struct {
    uint8_t *bytes;
    size_t capacity;
} room;

/* The memory of one image. */
typedef struct {
    room pixels, coded;
    void *result; /* of the work; NULL: there is none */
} rooms;

/* One answer of the wrapped source, its pixels taken or copied. */
typedef struct {
    pov_status status;
    pov_image image;
    pov_image_source_statistics statistics; /* once it had said so */
    rooms in;
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
    bool stops;
    delivery waiting[WAITING_LIVE]; /* a ring: the oldest first */
    int room, first, len;
    int late; /* images in a row that waited for the caller */
    uint64_t dropped;
    delivery taken; /* the caller's */
} ahead_source;

/* ---- on the thread ---- */

static bool make_room(room *in, size_t needed)
{
    if (needed == 0 || needed <= in->capacity)
        return true;
    uint8_t *grown = realloc(in->bytes, needed);
    if (!grown)
        return false;
    in->capacity = needed;
    in->bytes = grown;
    return true;
}

/* Rows without gaps. */
static bool copy_pixels(delivery *to, const pov_image *image)
{
    const size_t row = 3 * (size_t)image->width_px;
    if (!make_room(&to->in.pixels, row * (size_t)image->height_px))
        return false;
    for (int y = 0; y < image->height_px; y++)
        memcpy(to->in.pixels.bytes + (size_t)y * row, image->pixels + (ptrdiff_t)y * image->stride_bytes,
               row);
    to->image.pixels = to->in.pixels.bytes;
    to->image.stride_bytes = (int)row;
    return true;
}

/* Its pixels, the file that they came from, and what the work made of them. False: no memory. */
static bool take_image(ahead_source *source, delivery *to, const pov_image *image)
{
    const size_t coded_len = image->coded ? image->coded_len : 0;
    to->image = *image;
    if (!pov_image_source_exchange(source->wrapped, &to->in.pixels.bytes, &to->in.pixels.capacity) &&
        !copy_pixels(to, image))
        return false;
    if (!make_room(&to->in.coded, coded_len))
        return false;
    if (image->coded)
        to->image.coded = memcpy(to->in.coded.bytes, image->coded, coded_len);
    void *const made = source->result;
    source->result = to->in.result;
    to->image.prepared = to->in.result = made;
    return true;
}

static delivery *waiting_at(ahead_source *source, int i)
{
    return &source->waiting[(source->first + i) % source->room];
}

/* Only an image gives way, and only to an image: no message is lost. */
static bool drop_oldest(ahead_source *source, const pov_status *newer)
{
    if (!source->live || newer->code != POV_OK || waiting_at(source, 0)->status.code != POV_OK)
        return false;
    source->first = (source->first + 1) % source->room;
    source->len--;
    source->dropped++;
    return true;
}

/* False: nothing comes after it. */
static bool deliver(ahead_source *source, pov_status status, const pov_image *image)
{
    pthread_mutex_lock(&source->lock);
    while (!source->stops && source->len == source->room && !drop_oldest(source, &status))
        pthread_cond_wait(&source->changed, &source->lock);
    if (source->stops) {
        pthread_mutex_unlock(&source->lock);
        return false;
    }
    delivery *to = waiting_at(source, source->len);
    to->image = (pov_image){.width_px = 0};
    if (status.code == POV_OK && !take_image(source, to, image))
        status = pov_error("%s: out of memory for the image", image->name);
    to->status = status;
    to->statistics = pov_image_source_statistics_of(source->wrapped);
    source->len++;
    pthread_cond_signal(&source->changed);
    pthread_mutex_unlock(&source->lock);
    return status.code == POV_OK || status.code == POV_SKIPPED;
}

/* Lends the wrapped source and the work the room of an image that is done, so that few rooms are ever touched. Their own waits in its
 * place. A live source may not wait for such a room. */
static void lend_room(ahead_source *source)
{
    pthread_mutex_lock(&source->lock);
    while (!source->stops && !source->live && source->len == source->room)
        pthread_cond_wait(&source->changed, &source->lock);
    if (source->len < source->room) {
        rooms *const in = &waiting_at(source, source->len)->in;
        void *const own = source->result;
        source->result = in->result;
        in->result = own;
        (void)pov_image_source_exchange(source->wrapped, &in->pixels.bytes, &in->pixels.capacity);
    }
    pthread_mutex_unlock(&source->lock);
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
    bool has_room = false;
    pov_thread_goes_first();
    for (bool goes_on = true; goes_on && !must_stop(source);) {
        pov_image image;
        if (!has_room)
            lend_room(source);
        pov_status status = pov_image_source_next(source->wrapped, &image, POLL_MS);
        has_room = status.code != POV_OK;
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

/* A caller that catches up misses nothing. */
static void choose_image(ahead_source *source)
{
    while (source->late > LATE_MAX && source->len > 1 &&
           drop_oldest(source, &waiting_at(source, source->len - 1)->status))
        continue;
}

/* The end, or a failure, is said again and again. */
static pov_status take_next(void *impl, pov_image *image, int timeout_ms)
{
    ahead_source *source = impl;
    const struct timespec until = time_after(timeout_ms);
    pthread_mutex_lock(&source->lock);
    source->late = source->len > 0 ? source->late + 1 : 0;
    int failed = 0;
    while (source->len == 0 && failed == 0)
        failed = pthread_cond_timedwait(&source->changed, &source->lock, &until);
    if (source->len == 0) {
        pthread_mutex_unlock(&source->lock);
        return pov_status_of(POV_TIMEOUT);
    }
    choose_image(source);
    delivery *oldest = waiting_at(source, 0);
    const pov_code code = oldest->status.code;
    const delivery before = source->taken;
    source->taken = *oldest;
    source->taken.statistics.lost += source->dropped;
    source->taken.statistics.late = source->late;
    if (code == POV_OK || code == POV_SKIPPED) {
        *oldest = before;
        source->taken.statistics.waiting = --source->len;
        source->first =
            source->len > 0 ? (source->first + 1) % source->room : 0; /* the others stay untouched */
        pthread_cond_signal(&source->changed);
    } else {
        source->taken.in = before.in;
    }
    pthread_mutex_unlock(&source->lock);
    *image = source->taken.image;
    return source->taken.status;
}

static pov_image_source_statistics taken_statistics(const void *impl)
{
    return ((const ahead_source *)impl)->taken.statistics;
}

static void free_rooms(rooms *in)
{
    free(in->pixels.bytes);
    free(in->coded.bytes);
    free(in->result);
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
    for (int i = 0; i < source->room; i++)
        free_rooms(&source->waiting[i].in);
    free_rooms(&source->taken.in);
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
    source->taken.in.result = calloc(1, work->result_bytes);
    bool made = source->result && source->taken.in.result;
    for (int i = 0; i < source->room; i++)
        made = (source->waiting[i].in.result = calloc(1, work->result_bytes)) && made;
    return made;
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
    *made = (ahead_source){.wrapped = wrapped, .live = live, .room = live ? WAITING_LIVE : WAITING};
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
