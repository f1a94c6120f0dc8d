#include "firmware/sources/cameras_source.h"

#include "firmware/clock.h"
#include "perception/observation/observation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLICE_MS = 2
}; /* while an image of one camera is waited for, others are looked for so often; chosen */
static const int64_t wait_max_ns = 100000000,
                     patient_max_ns =
                         2000000000;         /* for an earlier image, of live cameras; of others; chosen */
static const int64_t silent_ns = 2000000000; /* told then; chosen */
static const int64_t tell_again_ns = 20000000000; /* if more is known by then; chosen */
enum { PERIODS_MAX = 3 };                         /* without an image: not waited for; chosen */

typedef struct {
    const char *id;
    pov_image_source *source;
    bool is_remote, has_head, is_gone, is_silent, has_delivered;
    pov_image head;      /* the next image; borrowed from the source */
    int64_t head_ns;     /* when it came */
    int64_t heard_ns;    /* when the last image came; before: when the station began */
    int64_t exposure_ns; /* of the last image */
    int64_t told_ns;     /* when its silence was told */
    int64_t period_ns;   /* between exposures, of late; 0: not known */
    uint64_t delivered;
    char trouble[POV_TROUBLE_CAPACITY];
} feed;

struct pov_cameras {
    int len;
    bool live;
    feed feeds[POV_CAMERA_MAX];
};

/* ---- one camera ---- */

static void note_image(feed *of, int64_t now_ns)
{
    const int64_t period_ns = of->head.mid_exposure_ns - of->exposure_ns;
    if (of->has_delivered && period_ns > 0)
        of->period_ns = of->period_ns > 0 ? (4 * of->period_ns + period_ns) / 5 : period_ns;
    of->exposure_ns = of->head.mid_exposure_ns;
    of->has_head = of->has_delivered = true;
    of->head_ns = of->heard_ns = now_ns;
    of->delivered++;
}

/* Notes a camera's trouble; the reader skips its image with these words. */
static pov_status tell_of(feed *of, const char *text)
{
    snprintf(of->trouble, sizeof of->trouble, "%.200s", text);
    return pov_status_with(POV_SKIPPED, "camera %s: %.400s", of->id, text);
}

static int count_open(const pov_cameras *cameras)
{
    int len = 0;
    for (int i = 0; i < cameras->len; i++)
        len += !cameras->feeds[i].is_gone;
    return len;
}

/* Once, and again where its source knows more by now. */
static pov_status tell_silence(feed *of, int64_t now_ns)
{
    char text[POV_TROUBLE_CAPACITY];
    const char *why = pov_image_source_statistics_of(of->source).silence;
    snprintf(text, sizeof text, "%.200s",
             why ? why : "no image for two seconds; the other cameras go on. Is it plugged in?");
    if (of->is_silent && (strcmp(text, of->trouble) == 0 || now_ns - of->told_ns < tell_again_ns))
        return pov_ok();
    of->is_silent = true;
    of->told_ns = now_ns;
    return tell_of(of, text);
}

/* Looks for the next image of a camera that has none yet. POV_OK: there is nothing to tell. */
static pov_status hear(pov_cameras *cameras, feed *of, int timeout_ms)
{
    const pov_status status = pov_image_source_next(of->source, &of->head, timeout_ms);
    char text[POV_MESSAGE_CAPACITY];
    const int64_t now_ns = pov_clock_monotonic_ns();
    if (status.code == POV_OK) {
        note_image(of, now_ns);
        const bool was_silent = of->is_silent;
        of->is_silent = false;
        const pov_status back = was_silent ? tell_of(of, "its images come again") : pov_ok();
        *of->trouble = '\0';
        return back;
    }
    if (status.code == POV_SKIPPED)
        return pov_status_with(POV_SKIPPED, "camera %s: %.400s", of->id, status.message);
    of->is_gone = status.code == POV_END || status.code == POV_ERROR;
    if (status.code == POV_ERROR && count_open(cameras) == 0)
        return status;
    if (status.code == POV_ERROR) {
        snprintf(text, sizeof text, "%.300s; the other cameras go on", status.message);
        return tell_of(of, text);
    }
    return of->is_gone || !cameras->live || now_ns - of->heard_ns <= silent_ns ? pov_ok()
                                                                               : tell_silence(of, now_ns);
}

/* ---- whose turn it is ---- */

/* Of several at one time the first in the order of the feeds. */
static const feed *find_earliest(const pov_cameras *cameras)
{
    const feed *earliest = NULL;
    for (int i = 0; i < cameras->len; i++) {
        const feed *of = &cameras->feeds[i];
        if (of->has_head && (!earliest || of->head.mid_exposure_ns < earliest->head.mid_exposure_ns))
            earliest = of;
    }
    return earliest;
}

/* An image of this camera may still come that was exposed before. Those of another process come when they come. */
static bool may_be_earlier(const feed *of, const feed *earliest, bool live, int64_t now_ns)
{
    if (of->is_remote || of->has_head || of->is_gone || of->is_silent)
        return false;
    const int64_t waited_ns = now_ns - earliest->head_ns,
                  bound_ns = live ? of->period_ns + wait_max_ns : patient_max_ns;
    if (waited_ns > bound_ns)
        return false;
    if (!of->has_delivered)
        return true;
    if (live && of->period_ns > 0 && now_ns - of->heard_ns > PERIODS_MAX * of->period_ns)
        return false;
    return of->exposure_ns + of->period_ns / 2 < earliest->head.mid_exposure_ns;
}

/* The camera whose image is waited for before the earliest; NULL: none. */
static feed *find_awaited(pov_cameras *cameras, const feed *earliest)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    for (int i = 0; earliest && i < cameras->len; i++)
        if (may_be_earlier(&cameras->feeds[i], earliest, cameras->live, now_ns))
            return &cameras->feeds[i];
    return NULL;
}

static pov_status hear_all(pov_cameras *cameras)
{
    for (int i = 0; i < cameras->len; i++)
        if (!cameras->feeds[i].has_head && !cameras->feeds[i].is_gone)
            POV_TRY(hear(cameras, &cameras->feeds[i], 0));
    return pov_ok();
}

static feed *find_open(pov_cameras *cameras, int64_t turn)
{
    for (int k = 0; k < cameras->len; k++) {
        feed *of = &cameras->feeds[(turn + k) % cameras->len];
        if (!of->has_head && !of->is_gone)
            return of;
    }
    return NULL;
}

static pov_status take_next(void *impl, pov_image *image, int timeout_ms)
{
    pov_cameras *cameras = impl;
    const int64_t until_ns = pov_clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    for (int turn = 0;; turn++) {
        POV_TRY(hear_all(cameras));
        const feed *earliest = find_earliest(cameras);
        feed *awaited = find_awaited(cameras, earliest);
        if (earliest && !awaited) {
            feed *taken = &cameras->feeds[earliest - cameras->feeds];
            *image = taken->head;
            image->camera = (int)(taken - cameras->feeds);
            taken->has_head = false;
            return pov_ok();
        }
        feed *next = awaited ? awaited : find_open(cameras, turn);
        if (!next)
            return pov_status_of(POV_END);
        if (pov_clock_monotonic_ns() >= until_ns)
            return pov_status_of(POV_TIMEOUT);
        POV_TRY(hear(cameras, next, SLICE_MS));
    }
}

/* ---- as a source ---- */

static pov_image_source_statistics sum_statistics(const void *impl)
{
    const pov_cameras *cameras = impl;
    pov_image_source_statistics all = {0};
    for (int i = 0; i < cameras->len; i++) {
        const pov_image_source_statistics of = pov_image_source_statistics_of(cameras->feeds[i].source);
        all.delivered += of.delivered;
        all.lost += of.lost;
        all.skipped += of.skipped;
        all.reconnects += of.reconnects;
        all.waiting += of.waiting + cameras->feeds[i].has_head;
        all.late = of.late > all.late ? of.late : all.late;
        all.expected = all.expected < 0 || of.expected < 0 ? -1 : all.expected + of.expected;
    }
    return all;
}

pov_camera_state pov_cameras_state(const pov_cameras *cameras, int camera)
{
    const feed *of = &cameras->feeds[camera];
    return (pov_camera_state){.is_gone = of->is_gone,
                              .is_silent = of->is_silent,
                              .delivered = of->delivered,
                              .lost = pov_image_source_statistics_of(of->source).lost,
                              .trouble = of->trouble};
}

static void destroy_cameras(void *impl)
{
    pov_cameras *cameras = impl;
    for (int i = 0; i < cameras->len; i++)
        pov_image_source_destroy(&cameras->feeds[i].source);
    free(cameras);
}

static const pov_image_source_backend cameras_backend = {
    .name = "cameras", .next = take_next, .statistics = sum_statistics, .destroy = destroy_cameras};

pov_status pov_cameras_source_new(pov_image_source **source, pov_cameras **cameras,
                                  const pov_camera_feed *feeds, int len, bool live)
{
    POV_REQUIRE(len >= 1 && len <= POV_CAMERA_MAX);
    pov_cameras *made = *cameras = pov_allocate(1, sizeof *made);
    made->len = len;
    made->live = live;
    for (int i = 0; i < len; i++)
        made->feeds[i] = (feed){.id = feeds[i].id,
                                .source = feeds[i].source,
                                .is_remote = feeds[i].is_remote,
                                .heard_ns = pov_clock_monotonic_ns()};
    return pov_image_source_new(source, &cameras_backend, made);
}
