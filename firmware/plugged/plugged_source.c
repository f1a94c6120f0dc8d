#include "firmware/plugged/plugged_source.h"

#include "firmware/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t NS_PER_MS = 1000000, NS_PER_S = 1000000000;
static const int64_t REOPEN_INTERVAL_NS = 500000000;
static const int64_t FIRST_OPEN_NS = 30000000000; /* a network camera that wakes up takes 10 s; chosen */

typedef struct {
    const pov_plugged_camera *kind;
    void *camera;
    bool is_open;
    int64_t next_attempt_ns;
    uint32_t first_sequence; /* of the images since it was opened */
    uint32_t next_sequence;  /* if none gets lost */
    pov_image_source_statistics statistics;
    char complaint[POV_MESSAGE_CAPACITY]; /* said last, so as not to repeat it */
} plugged_source;

static void sleep_until(int64_t monotonic_ns)
{
    struct timespec until = {.tv_sec = monotonic_ns / NS_PER_S, .tv_nsec = monotonic_ns % NS_PER_S};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until,
                    NULL); /* a signal may cut it short: then it asks early */
}

static void name_image(const plugged_source *source, pov_image *image)
{
    snprintf(image->name, sizeof image->name, "%.*s %u", POV_IMAGE_NAME_CAPACITY - 12,
             source->kind->id(source->camera), (unsigned)image->sequence);
}

static pov_status count_image(plugged_source *source, pov_image *image, pov_status status)
{
    image->sequence += source->first_sequence;
    name_image(source, image);
    source->statistics.lost += image->sequence - source->next_sequence;
    source->next_sequence = image->sequence + 1;
    if (status.code == POV_OK) {
        source->statistics.delivered++;
        return status;
    }
    source->statistics.skipped++;
    const pov_status named = pov_status_with(status.code, "camera %s: %s", image->name, status.message);
    memset(image, 0, sizeof *image);
    return named;
}

static pov_status say_gone(plugged_source *source, const char *how)
{
    source->kind->close(source->camera);
    source->is_open = false;
    source->next_attempt_ns = pov_clock_monotonic_ns() + REOPEN_INTERVAL_NS;
    source->complaint[0] = '\0';
    return pov_status_with(POV_SKIPPED, "camera %s %s; waiting for it to come back",
                           source->kind->id(source->camera), how);
}

/* POV_SKIPPED when there is news: it is back, or it is there but cannot be opened. POV_TIMEOUT while it is
 * away. */
static pov_status try_reopen(plugged_source *source, int64_t deadline_ns)
{
    bool found = false;
    const pov_status status = source->kind->open(source->camera, &found, deadline_ns);
    if (status.code == POV_TIMEOUT) {
        source->next_attempt_ns = deadline_ns; /* goes on with the next call */
        return status;
    }
    source->next_attempt_ns = pov_clock_monotonic_ns() + REOPEN_INTERVAL_NS;
    if (status.code == POV_OK) {
        source->is_open = true;
        source->first_sequence = source->next_sequence;
        source->statistics.reconnects++;
        return pov_status_with(POV_SKIPPED, "camera %s is back", source->kind->id(source->camera));
    }
    if (!found || strcmp(status.message, source->complaint) == 0)
        return pov_status_of(POV_TIMEOUT);
    memcpy(source->complaint, status.message, sizeof source->complaint);
    return pov_status_with(POV_SKIPPED, "%s", source->complaint);
}

static pov_status next_while_open(plugged_source *source, pov_image *image, int64_t deadline_ns)
{
    const pov_status status = source->kind->take(source->camera, image, deadline_ns);
    switch (status.code) {
    case POV_TIMEOUT:
        return status;
    case POV_END:
        return say_gone(source, status.message);
    default:
        return count_image(source, image, status);
    }
}

static pov_status next_while_away(plugged_source *source, int64_t deadline_ns)
{
    pov_status status = pov_status_of(POV_TIMEOUT);
    while (status.code == POV_TIMEOUT && source->next_attempt_ns < deadline_ns) {
        sleep_until(source->next_attempt_ns);
        status = try_reopen(source, deadline_ns);
    }
    if (status.code == POV_TIMEOUT)
        sleep_until(deadline_ns);
    return status;
}

static pov_status next_image(void *impl, pov_image *image, int timeout_ms)
{
    plugged_source *source = impl;
    const int64_t deadline_ns = pov_clock_monotonic_ns() + (int64_t)timeout_ms * NS_PER_MS;
    return source->is_open ? next_while_open(source, image, deadline_ns)
                           : next_while_away(source, deadline_ns);
}

static pov_image_source_statistics statistics_of(const void *impl)
{
    return ((const plugged_source *)impl)->statistics;
}

static void destroy_source(void *impl)
{
    plugged_source *source = impl;
    source->kind->close(source->camera);
    source->kind->destroy(source->camera);
    free(source);
}

static const pov_image_source_backend backend = {
    .name = "camera", .next = next_image, .statistics = statistics_of, .destroy = destroy_source};

static pov_status open_first(plugged_source *source)
{
    bool found = false;
    const pov_status status =
        source->kind->open(source->camera, &found, pov_clock_monotonic_ns() + FIRST_OPEN_NS);
    source->is_open = status.code == POV_OK;
    if (status.code != POV_TIMEOUT)
        return status;
    const int waited_s = (int)(FIRST_OPEN_NS / NS_PER_S);
    const char *id = source->kind->id(source->camera);
    if (source->kind->explain_silence)
        return pov_error("camera %.100s: no image within %d s: %.280s", id, waited_s,
                         source->kind->explain_silence(source->camera).message);
    return pov_error("camera %s: no image within %d s; is it switched on, and does another program use it?",
                     id, waited_s);
}

pov_status pov_plugged_source_new(pov_image_source **source, const pov_plugged_camera *kind, void *camera)
{
    *source = NULL;
    plugged_source *made = calloc(1, sizeof *made);
    if (!made) {
        kind->destroy(camera);
        return pov_error("camera: out of memory");
    }
    *made = (plugged_source){.kind = kind, .camera = camera, .statistics = {.expected = -1}};
    const pov_status status = open_first(made);
    if (status.code == POV_OK)
        return pov_image_source_new(source, &backend, made);
    destroy_source(made);
    return status;
}
