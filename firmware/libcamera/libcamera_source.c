#include "firmware/libcamera/libcamera_source.h"

#include "firmware/clock.h"
#include "firmware/libcamera/camera_pixels.h"
#include "firmware/plugged/plugged_source.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One buffer is being read, two wait, the device needs at least two more to write into. */
enum { WAITING_MAX = 2, BUFFER_COUNT = 6 };

static const int64_t NS_PER_S = 1000000000;
static const int64_t CLOCK_SLACK_NS = 1000000;

typedef struct {
    pthread_mutex_t lock; /* guards this struct; libcamera's thread writes it, the source's reads it */
    pthread_cond_t changed;
    pov_libcamera_capture waiting[WAITING_MAX]; /* oldest first */
    int waiting_len;
    bool unplugged;
    bool counting;
    uint32_t device_sequence; /* the device's count at its latest image */
    uint32_t sequence;        /* ours: of the latest image, from 0 since the camera was opened */
} inbox;

typedef struct {
    pov_libcamera_source_config config;
    pov_libcamera *library;     /* NULL while the camera is away */
    pov_libcamera_list cameras; /* filled when looking for the camera; too big for a stack */
    char id[POV_LIBCAMERA_ID_CAPACITY], model[64];
    bool ever_open;
    pov_camera_pixels *pixels;
    uint8_t *coded; /* a camera's JPEG: its buffer goes back to the camera */
    size_t coded_capacity;
    pov_libcamera_stream stream;
    inbox inbox;
} libcamera_source;

static struct timespec to_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

/* ---- On libcamera's thread ---- */

static int take_oldest(inbox *box)
{
    int slot = box->waiting[0].slot;
    memmove(box->waiting, box->waiting + 1, (size_t)(--box->waiting_len) * sizeof *box->waiting);
    return slot;
}

/* Ours follows the device's count, gaps and all, but never runs backwards. */
static uint32_t count_image(inbox *box, uint32_t device_sequence)
{
    int32_t step = box->counting ? (int32_t)(device_sequence - box->device_sequence) : 1;
    box->counting = true;
    box->device_sequence = device_sequence;
    box->sequence += step > 0 ? (uint32_t)step : 1;
    return box->sequence;
}

static void on_completed(void *context, const pov_libcamera_capture *capture)
{
    libcamera_source *source = context;
    inbox *box = &source->inbox;
    int given_back = -1;
    pthread_mutex_lock(&box->lock);
    uint32_t sequence = count_image(box, capture->sequence);
    if (!capture->usable) {
        given_back = capture->slot;
    } else {
        if (box->waiting_len == WAITING_MAX)
            given_back = take_oldest(box);
        box->waiting[box->waiting_len] = *capture;
        box->waiting[box->waiting_len++].sequence = sequence;
        pthread_cond_signal(&box->changed);
    }
    pthread_mutex_unlock(&box->lock);
    if (given_back >= 0)
        pov_libcamera_requeue(source->library, given_back);
}

static void on_unplugged(void *context)
{
    inbox *box = &((libcamera_source *)context)->inbox;
    pthread_mutex_lock(&box->lock);
    box->unplugged = true;
    pthread_cond_signal(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

/* ---- On the caller's thread ---- */

typedef enum { NOTHING, IMAGE, UNPLUGGED } event;

static event take_event(inbox *box, pov_libcamera_capture *capture)
{
    if (box->unplugged) {
        box->unplugged = false;
        return UNPLUGGED;
    }
    if (box->waiting_len > 0) {
        *capture = box->waiting[0];
        take_oldest(box);
        return IMAGE;
    }
    return NOTHING;
}

static event wait_for_event(inbox *box, pov_libcamera_capture *capture, int64_t deadline_ns)
{
    struct timespec deadline = to_timespec(deadline_ns);
    pthread_mutex_lock(&box->lock);
    event happened = take_event(box, capture);
    while (happened == NOTHING && pthread_cond_timedwait(&box->changed, &box->lock, &deadline) == 0)
        happened = take_event(box, capture);
    pthread_mutex_unlock(&box->lock);
    return happened;
}

static void empty_inbox(inbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->sequence = UINT32_MAX; /* before 0 */
    box->waiting_len = 0;
    box->unplugged = box->counting = false;
    pthread_mutex_unlock(&box->lock);
}

static void close_camera(void *camera)
{
    libcamera_source *source = camera;
    pov_libcamera_destroy(&source->library);
    empty_inbox(&source->inbox);
    pov_camera_pixels_destroy(&source->pixels);
}

/* The camera to open: at first the one that config means; later that same one, even in another socket. */
static pov_status find_camera(libcamera_source *source, const pov_libcamera_camera **camera)
{
    const pov_libcamera_list *list = &source->cameras;
    POV_TRY(pov_libcamera_list_cameras(source->library, &source->cameras));
    if (!source->ever_open)
        return pov_libcamera_source_select(camera, list, source->config.camera);
    for (int i = 0; i < list->len; i++) {
        *camera = &list->cameras[i];
        if (strcmp((*camera)->id, source->id) == 0)
            return pov_ok();
    }
    pov_status status = pov_libcamera_source_select(camera, list, source->config.camera);
    if (status.code == POV_OK && strcmp((*camera)->model, source->model) != 0)
        return pov_error("camera %s has not come back", source->id);
    return status;
}

static pov_status start_camera(libcamera_source *source, const pov_libcamera_camera *camera)
{
    pov_libcamera_settings settings = {
        .exposure_s = source->config.exposure_s, .gain = source->config.gain, .buffer_count = BUFFER_COUNT};
    POV_TRY(pov_libcamera_source_choose_mode(&settings.mode, camera, &source->config));
    POV_TRY(pov_libcamera_open(source->library, &source->stream, camera->id, &settings));
    POV_TRY(pov_camera_pixels_new(&source->pixels, &source->stream));
    snprintf(source->id, sizeof source->id, "%s", camera->id);
    snprintf(source->model, sizeof source->model, "%s", camera->model);
    source->ever_open = true;
    return pov_ok();
}

static bool is_chatty(void)
{
    return getenv("POV_DEBUG") != NULL;
}

static pov_status open_camera(void *opened, bool *found, int64_t deadline_ns)
{
    libcamera_source *source = opened;
    (void)deadline_ns; /* it takes no longer than it must */
    pov_libcamera_events events = {.context = source, .completed = on_completed, .unplugged = on_unplugged};
    const pov_libcamera_camera *camera = NULL;
    pov_status status = pov_libcamera_new(&source->library, &events, is_chatty());
    if (status.code == POV_OK)
        status = find_camera(source, &camera);
    *found = status.code == POV_OK;
    if (*found)
        status = start_camera(source, camera);
    if (status.code != POV_OK)
        close_camera(source);
    return status;
}

/* The start of the exposure as CLOCK_REALTIME. Drivers stamp with CLOCK_MONOTONIC or CLOCK_BOOTTIME; the
 * latter is ahead by the time the machine has slept, so a stamp from the future of the first is one of the
 * second. */
static int64_t to_realtime(int64_t timestamp_ns)
{
    const bool is_boottime = timestamp_ns > pov_clock_monotonic_ns() + CLOCK_SLACK_NS;
    return pov_clock_unix_at_ns(is_boottime ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, timestamp_ns);
}

static void describe_image(libcamera_source *source, pov_image *image, const pov_libcamera_capture *capture)
{
    image->width_px = source->stream.mode.width_px;
    image->height_px = source->stream.mode.height_px;
    image->stride_bytes = image->width_px * 3;
    image->mid_exposure_ns = to_realtime(capture->timestamp_ns) + capture->exposure_ns / 2;
    image->sequence = capture->sequence;
}

/* Without memory for it the image has pixels only. */
static void keep_coded(libcamera_source *source, pov_image *image, const pov_libcamera_capture *capture)
{
    const pov_libcamera_plane *plane = &capture->planes[0];
    if (strcmp(source->stream.mode.pixel_format, "MJPEG") != 0)
        return;
    if (plane->len > source->coded_capacity) {
        uint8_t *grown = realloc(source->coded, plane->len);
        if (!grown)
            return;
        source->coded = grown;
        source->coded_capacity = plane->len;
    }
    image->coded = memcpy(source->coded, plane->data, plane->len);
    image->coded_len = plane->len;
}

static pov_status deliver_image(libcamera_source *source, pov_image *image,
                                const pov_libcamera_capture *capture)
{
    describe_image(source, image, capture);
    pov_libcamera_read_begin(source->library, capture->slot);
    pov_status status = pov_camera_pixels_convert(source->pixels, &image->pixels, capture);
    if (status.code == POV_OK)
        keep_coded(source, image, capture);
    pov_libcamera_read_end(source->library, capture->slot);
    pov_libcamera_requeue(source->library, capture->slot);
    return status;
}

static pov_status take_image(void *camera, pov_image *image, int64_t deadline_ns)
{
    libcamera_source *source = camera;
    pov_libcamera_capture capture;
    switch (wait_for_event(&source->inbox, &capture, deadline_ns)) {
    case IMAGE:
        return deliver_image(source, image, &capture);
    case UNPLUGGED:
        return pov_status_with(POV_END, "was unplugged");
    default:
        return pov_status_of(POV_TIMEOUT);
    }
}

static const char *id_of(const void *camera)
{
    const libcamera_source *source = camera;
    return source->ever_open ? source->id : source->config.camera;
}

static void destroy_source(void *camera)
{
    libcamera_source *source = camera;
    free(source->coded);
    pthread_cond_destroy(&source->inbox.changed);
    pthread_mutex_destroy(&source->inbox.lock);
    free(source);
}

static const pov_plugged_camera kind = {
    .open = open_camera, .take = take_image, .close = close_camera, .id = id_of, .destroy = destroy_source};

static void init_inbox(inbox *box)
{
    pov_clock_condition_init(&box->changed);
    pthread_mutex_init(&box->lock, NULL);
    empty_inbox(box);
}

pov_status pov_libcamera_source_open(pov_image_source **source, const pov_libcamera_source_config *config)
{
    *source = NULL;
    libcamera_source *made = calloc(1, sizeof *made);
    if (!made)
        return pov_error("camera %s: out of memory", config->camera);
    made->config = *config;
    init_inbox(&made->inbox);
    return pov_plugged_source_new(source, &kind, made);
}

static void ignore_capture(void *context, const pov_libcamera_capture *capture)
{
    (void)context;
    (void)capture;
}

static void ignore_event(void *context)
{
    (void)context;
}

pov_status pov_libcamera_source_list(pov_libcamera_list *list)
{
    *list = (pov_libcamera_list){0};
    pov_libcamera *library = NULL;
    pov_libcamera_events events = {.completed = ignore_capture, .unplugged = ignore_event};
    POV_TRY(pov_libcamera_new(&library, &events, is_chatty()));
    pov_status status = pov_libcamera_list_cameras(library, list);
    pov_libcamera_destroy(&library);
    return status;
}
