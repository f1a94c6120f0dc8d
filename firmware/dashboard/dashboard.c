#include "firmware/dashboard/dashboard_internal.h"

#include "config/files/utf8.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/dashboard/bodies.h"
#include "firmware/dashboard/update.h"
#include "firmware/thread_priority.h"
#include "perception/hash.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { JPEG_QUALITY = 80, SLICE_NS = 50000000 };
static const int64_t period_min_ns = 20000000; /* 50 updates a second at most; chosen */
/* The share of the machine's processors that updates may take; the rest of 5 % is for copying and sending. */
static const double share_max = 0.03;

/* ---- encoding, in a thread of its own ---- */

/* Status besides the image; the dashboard's strings are copied. */
typedef struct {
    pov_update_frame frame;
    char step[POV_DASHBOARD_STEP_CAPACITY];
    bool new_image;
} told;

static bool await_news(pov_dashboard *d, told *news)
{
    pthread_mutex_lock(&d->lock);
    while (!d->is_waiting && !d->is_told && !d->stopping)
        pthread_cond_wait(&d->changed, &d->lock);
    news->new_image = d->is_waiting;
    if (d->is_waiting) {
        pov_snapshot *handed_over = d->waiting;
        d->waiting = d->working;
        d->working = handed_over;
    }
    d->is_waiting = d->is_told = false;
    memcpy(news->step, d->step, sizeof news->step);
    news->frame = (pov_update_frame){.sweeps = d->sweeps,
                                     .simulated = d->simulated,
                                     .step = news->step,
                                     .sweep_version = d->sweep_version,
                                     .has_report = *d->report != '\0'};
    pthread_mutex_unlock(&d->lock);
    return !d->stopping;
}

static pov_status encode_picture(pov_dashboard *d, const unsigned char **jpeg, size_t *len)
{
    *jpeg = NULL;
    *len = 0;
    if (!d->working->picture.pixels)
        return pov_ok();
    return pov_jpeg_encoder_run(d->encoder, jpeg, len, &d->working->picture);
}

static pov_status write_update(pov_dashboard *d, const told *news)
{
    const unsigned char *jpeg;
    size_t jpeg_len, len;
    char *bytes = NULL;
    POV_TRY(encode_picture(d, &jpeg, &jpeg_len));
    FILE *stream = open_memstream(&bytes, &len);
    if (!stream)
        return pov_error("out of memory");
    static const char head[POV_UPDATE_HEAD_BYTES];
    fwrite(head, 1, sizeof head, stream);
    pov_update_write(stream, d->working, &news->frame);
    fflush(stream);
    const uint32_t json_len = (uint32_t)(len - sizeof head);
    fwrite(jpeg, 1, jpeg_len, stream);
    if (fclose(stream) != 0) {
        free(bytes);
        return pov_error("out of memory");
    }
    const uint32_t lengths[2] = {htonl(json_len), htonl((uint32_t)jpeg_len)};
    memcpy(bytes, lengths, sizeof lengths);
    const pov_status status = pov_latest_write(d->updates, bytes, len);
    free(bytes);
    return status;
}

static uint64_t cast_hash(const pov_scene *scene)
{
    uint64_t hash = POV_HASH_START;
    for (pov_id id = 0; id < scene->len; id++)
        hash = pov_hash_value(pov_hash_text(hash, scene->entities[id].class_name), 0);
    return hash;
}

/* When things of other classes come into view. In this thread: the server's have little stack. */
static void make_bodies(pov_dashboard *d)
{
    const uint64_t hash = cast_hash(&d->working->observation->scene);
    char *text = NULL;
    size_t len;
    FILE *stream = hash == d->cast_hash ? NULL : open_memstream(&text, &len);
    if (!stream)
        return;
    pov_bodies_write(stream, &d->working->observation->scene);
    if (fclose(stream) != 0) {
        free(text);
        return;
    }
    d->cast_hash = hash;
    pthread_mutex_lock(&d->lock);
    free(d->bodies);
    d->bodies = text;
    d->bodies_version++;
    pthread_mutex_unlock(&d->lock);
}

/* Waits until the update's processor share is earned. Images that arrive meanwhile replace each other. */
static void rest_after_update(const pov_dashboard *d, int64_t start_ns, int64_t cost_ns)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t earned_ns =
        (int64_t)((double)cost_ns / (share_max * (double)(processors > 0 ? processors : 1)));
    const int64_t due_ns = start_ns + (earned_ns > period_min_ns ? earned_ns : period_min_ns);
    for (int64_t left_ns; !d->stopping && (left_ns = due_ns - pov_clock_monotonic_ns()) > 0;)
        nanosleep(&(struct timespec){.tv_nsec = left_ns < SLICE_NS ? left_ns : SLICE_NS}, NULL);
}

static void *run_encoder(void *user)
{
    pov_dashboard *d = user;
    told news;
    bool warned = false;
    /* Judging comes first: Linux takes the niceness of 0 as the calling thread's own. */
    pov_thread_works_behind();
    while (await_news(d, &news)) {
        const int64_t start_ns = pov_clock_monotonic_ns(), busy_ns = pov_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        d->picture_id += news.new_image;
        news.frame.picture_id = d->picture_id;
        make_bodies(d);
        news.frame.bodies_version = d->bodies_version; /* only this thread writes it */
        const pov_status status = pov_latest_readers(d->updates) > 0 ? write_update(d, &news) : pov_ok();
        if (status.code != POV_OK && !warned)
            pov_cli_warn("dashboard: %s", status.message);
        warned |= status.code != POV_OK;
        d->is_resting = true;
        rest_after_update(d, start_ns, pov_clock_ns(CLOCK_THREAD_CPUTIME_ID) - busy_ns);
        d->is_resting = false;
    }
    return NULL;
}

/* ---- the pipeline's side ---- */

int pov_dashboard_viewers(const pov_dashboard *dashboard)
{
    return pov_latest_readers(dashboard->updates);
}

bool pov_dashboard_wants(const pov_dashboard *dashboard)
{
    return pov_dashboard_viewers(dashboard) > 0 && !dashboard->is_resting;
}

int pov_dashboard_camera(const pov_dashboard *dashboard)
{
    return dashboard->camera;
}

void pov_dashboard_show(pov_dashboard *dashboard, const pov_news *news)
{
    pthread_mutex_lock(&dashboard->lock);
    pov_snapshot_take(dashboard->waiting, news);
    dashboard->is_waiting = true;
    dashboard->camera_len = news->station->camera_len;
    pthread_cond_signal(&dashboard->changed);
    pthread_mutex_unlock(&dashboard->lock);
    pov_ask_server_show(dashboard->asked, news->observation);
}

void pov_dashboard_tell(pov_dashboard *dashboard)
{
    pthread_mutex_lock(&dashboard->lock);
    dashboard->is_told = true;
    pthread_cond_signal(&dashboard->changed);
    pthread_mutex_unlock(&dashboard->lock);
}

void pov_dashboard_say(pov_dashboard *dashboard, const char *step)
{
    pthread_mutex_lock(&dashboard->lock);
    snprintf(dashboard->step, sizeof dashboard->step, "%s", step);
    pthread_mutex_unlock(&dashboard->lock);
    pov_dashboard_tell(dashboard);
}

void pov_dashboard_show_sweep(pov_dashboard *dashboard, const char *json)
{
    char *copy = strdup(json);
    if (!copy)
        return; /* the page keeps what it has */
    pthread_mutex_lock(&dashboard->lock);
    free(dashboard->sweep);
    dashboard->sweep = copy;
    dashboard->sweep_version++;
    pthread_mutex_unlock(&dashboard->lock);
    pov_dashboard_tell(dashboard);
}

void pov_dashboard_show_study(pov_dashboard *dashboard, const char *json, const char *participant)
{
    char *copy = strdup(json), *shown = participant ? strdup(participant) : NULL;
    if (!copy) {
        free(shown);
        return;
    }
    pthread_mutex_lock(&dashboard->lock);
    free(dashboard->study);
    free(dashboard->participant);
    dashboard->study = copy;
    dashboard->participant = shown;
    pthread_mutex_unlock(&dashboard->lock);
}

bool pov_dashboard_take_line(pov_dashboard *dashboard, char *line, size_t capacity)
{
    pthread_mutex_lock(&dashboard->lock);
    const bool has = dashboard->line_len > 0;
    if (has) {
        pov_utf8_copy(line, capacity, dashboard->lines[0]);
        dashboard->line_len--;
        memmove(dashboard->lines[0], dashboard->lines[1],
                (size_t)dashboard->line_len * sizeof dashboard->lines[0]);
    }
    pthread_mutex_unlock(&dashboard->lock);
    return has;
}

pov_ask_server *pov_dashboard_asked(pov_dashboard *dashboard)
{
    return dashboard->asked;
}

void pov_dashboard_offer_report(pov_dashboard *dashboard, const char *path)
{
    pthread_mutex_lock(&dashboard->lock);
    snprintf(dashboard->report, sizeof dashboard->report, "%s", path);
    pthread_mutex_unlock(&dashboard->lock);
    pov_dashboard_tell(dashboard);
}

void pov_dashboard_offer_print(pov_dashboard *dashboard, const char *path)
{
    pthread_mutex_lock(&dashboard->lock);
    snprintf(dashboard->print, sizeof dashboard->print, "%s", path);
    pthread_mutex_unlock(&dashboard->lock);
}

/* ---- setting up and tearing down ---- */

static pov_status set_up(pov_dashboard *d, const pov_dashboard_place *place)
{
    d->sweeps = place->sweeps;
    d->simulated = place->simulated;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    POV_TRY(pov_snapshot_new(&d->waiting));
    POV_TRY(pov_snapshot_new(&d->working));
    POV_TRY(pov_latest_new(&d->updates, POV_DASHBOARD_VIEWER_MAX));
    POV_TRY(pov_jpeg_encoder_new(&d->encoder, JPEG_QUALITY));
    POV_TRY(pov_token_draw(d->nonce));
    POV_TRY(pov_ask_server_new(&d->asked, &(pov_ask_server_config){.stale_after_s = POV_STALE_AFTER_S}));
    if (pthread_create(&d->thread, NULL, run_encoder, d) != 0)
        return pov_error("no thread for the dashboard");
    d->has_thread = true;
    return pov_dashboard_serve(d, &place->at);
}

pov_status pov_dashboard_new(pov_dashboard **dashboard, const pov_dashboard_place *place)
{
    *dashboard = calloc(1, sizeof **dashboard);
    if (!*dashboard)
        return pov_error("out of memory for the dashboard");
    const pov_status status = set_up(*dashboard, place);
    if (status.code != POV_OK)
        pov_dashboard_destroy(dashboard);
    return status;
}

static void stop_thread(pov_dashboard *d)
{
    pthread_mutex_lock(&d->lock);
    d->stopping = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
    if (d->updates)
        pov_latest_close(d->updates);
    if (d->asked)
        pov_ask_server_stop(d->asked); /* pages wait for its answers */
    pov_http_site_close(&d->site);
    pov_ask_server_destroy(&d->asked);
    if (d->has_thread)
        pthread_join(d->thread, NULL);
}

void pov_dashboard_destroy(pov_dashboard **dashboard)
{
    pov_dashboard *d = *dashboard;
    if (!d)
        return;
    stop_thread(d);
    pov_jpeg_encoder_destroy(&d->encoder);
    pov_snapshot_destroy(&d->waiting);
    pov_snapshot_destroy(&d->working);
    pov_latest_destroy(&d->updates);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d->bodies);
    free(d->sweep);
    free(d->study);
    free(d->participant);
    free(d);
    *dashboard = NULL;
}

const char *pov_dashboard_url(const pov_dashboard *dashboard)
{
    return dashboard->url;
}
