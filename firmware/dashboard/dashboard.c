#include "firmware/dashboard/dashboard.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/dashboard/dashboard_access.h"
#include "firmware/dashboard/dashboard_files.h"
#include "firmware/http_server.h"
#include "firmware/picture/jpeg_encoder.h"
#include "firmware/station/latest.h"
#include "protocol/json.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { JPEG_QUALITY = 80, REPEAT_MS = 2000, BODY_MAX_BYTES = 4096, ENCODER_NICENESS = 10 };
static const int64_t period_min_ns = 20000000;

/* What the pipeline hands over. */
typedef struct {
    pov_observation *observation;
    pov_image picture; /* its pixels are `pixels`; NULL: there is none */
    uint8_t *pixels;
    size_t pixels_capacity;
    pov_health health;
} showing;

struct pov_dashboard {
    pov_http_server *server;
    pov_dashboard_access access;
    char url[320], page_headers[512];
    pov_latest *video, *events;
    pov_jpeg_encoder *encoder;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of what follows; held to copy or swap, never to encode or send */
    pthread_cond_t handed_over;
    showing *waiting, *working, showings[2];
    bool is_waiting;
    atomic_bool stopping;
    int64_t shown_ns; /* the pipeline's own */
};

/* ---- encoding, in a thread of its own ---- */

/* Viewers' fields as [index in scene.entities, half the width in degrees, range in metres or null]. */
static void print_fields(FILE *stream, const pov_scene *scene)
{
    const char *separator = "";
    fputs("event: fields\ndata: [", stream);
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        if (!entity->can_see)
            continue;
        fprintf(stream, "%s[%d,%.3f,", separator, (int)id, entity->field.half_horizontal_rad * 180 / POV_PI);
        if (isfinite(entity->field.far_m))
            fprintf(stream, "%.4f]", entity->field.far_m);
        else
            fputs("null]", stream);
        separator = ",";
    }
    fputs("]\n\n", stream);
}

/* Server-sent events; each JSON is one line. */
static pov_status print_events(FILE *stream, const showing *shown)
{
    fputs("event: health\ndata: ", stream);
    POV_TRY(pov_json_write_health(stream, &shown->health));
    fputc('\n', stream);
    print_fields(stream, &shown->observation->scene);
    fputs("data: ", stream);
    POV_TRY(pov_json_write_observation(stream, shown->observation));
    fputc('\n', stream);
    return pov_ok();
}

static pov_status encode_events(pov_dashboard *dashboard, const showing *shown)
{
    char *text = NULL;
    size_t len;
    FILE *stream = open_memstream(&text, &len);
    if (!stream)
        return pov_error("out of memory");
    pov_status status = print_events(stream, shown);
    if (fclose(stream) != 0 && status.code == POV_OK)
        status = pov_error("out of memory");
    if (status.code == POV_OK)
        status = pov_latest_write(dashboard->events, text, len);
    free(text);
    return status;
}

static pov_status encode_picture(pov_dashboard *dashboard, const showing *shown)
{
    const unsigned char *bytes;
    size_t len;
    if (!shown->picture.pixels)
        return pov_ok();
    POV_TRY(pov_jpeg_encoder_run(dashboard->encoder, &bytes, &len, &shown->picture));
    return pov_latest_write(dashboard->video, bytes, len);
}

static bool await(pov_dashboard *dashboard)
{
    pthread_mutex_lock(&dashboard->lock);
    while (!dashboard->is_waiting && !dashboard->stopping)
        pthread_cond_wait(&dashboard->handed_over, &dashboard->lock);
    showing *handed_over = dashboard->waiting;
    dashboard->waiting = dashboard->working;
    dashboard->working = handed_over;
    dashboard->is_waiting = false;
    pthread_mutex_unlock(&dashboard->lock);
    return !dashboard->stopping;
}

static void *encode(void *user)
{
    pov_dashboard *dashboard = user;
    bool warned = false;
    /* Judging comes first: Linux takes the niceness of 0 as the calling thread's own. */
    (void)setpriority(PRIO_PROCESS, 0, ENCODER_NICENESS);
    while (await(dashboard)) {
        pov_status status = encode_picture(dashboard, dashboard->working);
        if (status.code == POV_OK && pov_latest_readers(dashboard->events) > 0)
            status = encode_events(dashboard, dashboard->working);
        if (status.code != POV_OK && !warned)
            pov_cli_warn("dashboard: %s", status.message);
        warned |= status.code != POV_OK;
    }
    return NULL;
}

/* ---- the pipeline's side ---- */

pov_dashboard_wish pov_dashboard_wishes(const pov_dashboard *dashboard)
{
    if (pov_clock_monotonic_ns() - dashboard->shown_ns < period_min_ns)
        return (pov_dashboard_wish){0};
    return (pov_dashboard_wish){.picture = pov_latest_readers(dashboard->video) > 0,
                                .observation = pov_latest_readers(dashboard->events) > 0};
}

static void copy_picture(showing *shown, const pov_image *picture)
{
    const size_t len = picture ? (size_t)picture->stride_bytes * (size_t)picture->height_px : 0;
    shown->picture.pixels = NULL;
    if (len > shown->pixels_capacity) {
        free(shown->pixels);
        shown->pixels = malloc(len);
        shown->pixels_capacity = shown->pixels ? len : 0;
    }
    if (!picture || !shown->pixels)
        return;
    /* The last row ends with the image, not with the stride. */
    memcpy(shown->pixels, picture->pixels,
           len - (size_t)picture->stride_bytes + 3 * (size_t)picture->width_px);
    shown->picture = *picture;
    shown->picture.pixels = shown->pixels;
}

void pov_dashboard_show(pov_dashboard *dashboard, const pov_observation *observation,
                        const pov_image *picture, const pov_health *health)
{
    dashboard->shown_ns = pov_clock_monotonic_ns();
    pthread_mutex_lock(&dashboard->lock);
    showing *shown = dashboard->waiting;
    *shown->observation = *observation;
    copy_picture(shown, picture);
    shown->health = *health;
    dashboard->is_waiting = true;
    pthread_cond_signal(&dashboard->handed_over);
    pthread_mutex_unlock(&dashboard->lock);
}

/* ---- the viewers' side, in the server's threads ---- */

typedef bool send_one(pov_http_writer *writer, const pov_latest_view *view);

static bool send_picture(pov_http_writer *writer, const pov_latest_view *view)
{
    char head[96];
    /* The boundary follows at once: browsers show a part when it has ended. */
    const int len =
        snprintf(head, sizeof head, "Content-Type: image/jpeg\r\nContent-Length: %zu\r\n\r\n", view->len);
    return pov_http_write(writer, head, (size_t)len) && pov_http_write(writer, view->bytes, view->len) &&
           pov_http_write(writer, "\r\n--picture\r\n", 13);
}

static bool send_event(pov_http_writer *writer, const pov_latest_view *view)
{
    return pov_http_write(writer, view->bytes, view->len);
}

/* Without news the last is sent again, which also shows whether the viewer is still there. */
static void send_all(pov_dashboard *dashboard, pov_latest *latest, pov_http_writer *writer, send_one *send)
{
    uint64_t seen = 0;
    bool there = true;
    while (there && !dashboard->stopping) {
        pov_latest_view view = pov_latest_take(latest, seen, REPEAT_MS);
        if (!view.bytes)
            view = pov_latest_take(latest, 0, 0);
        if (view.bytes)
            seen = view.version;
        if (view.bytes)
            there = send(writer, &view);
        else
            there = pov_http_write(writer, "\r\n", 2); /* which means nothing in either stream */
        pov_latest_give_back(latest, &view);
    }
    pov_latest_leave(latest);
}

static void stream_video(void *user, pov_http_writer *writer)
{
    pov_dashboard *dashboard = user;
    if (pov_http_write(writer, "--picture\r\n", 11))
        send_all(dashboard, dashboard->video, writer, send_picture);
    else
        pov_latest_leave(dashboard->video);
}

static void stream_events(void *user, pov_http_writer *writer)
{
    pov_dashboard *dashboard = user;
    if (pov_http_write(writer, "retry: 1000\n\n", 13))
        send_all(dashboard, dashboard->events, writer, send_event);
    else
        pov_latest_leave(dashboard->events);
}

static const char *content_type(const char *name)
{
    const char *end = strrchr(name, '.');
    return !end                        ? "text/plain"
           : strcmp(end, ".html") == 0 ? "text/html; charset=utf-8"
           : strcmp(end, ".css") == 0  ? "text/css; charset=utf-8"
           : strcmp(end, ".js") == 0   ? "text/javascript; charset=utf-8"
           : strcmp(end, ".svg") == 0  ? "image/svg+xml"
                                       : "text/plain";
}

static void refuse(pov_http_reply *reply, int status, const char *why)
{
    reply->status = status;
    reply->content_type = "text/plain; charset=utf-8";
    reply->body = strdup(why);
}

static void start_stream(pov_http_reply *reply, pov_latest *latest, pov_http_stream *stream, const char *type)
{
    if (!pov_latest_enter(latest)) {
        refuse(reply, 503, "This station has as many viewers as it takes. Close one and try again.\n");
        return;
    }
    reply->status = 200;
    reply->content_type = type;
    reply->headers = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                     "Cross-Origin-Resource-Policy: same-origin\r\n";
    reply->stream = stream;
}

static void send_file(pov_dashboard *dashboard, pov_http_reply *reply, const char *name)
{
    const pov_dashboard_file *file = POV_DASHBOARD_FILES;
    while (file->name && strcmp(file->name, name) != 0)
        file++;
    if (!file->name) {
        refuse(reply, 404, "There is no such page.\n");
        return;
    }
    reply->status = 200;
    reply->content_type = content_type(name);
    reply->headers = dashboard->page_headers;
    reply->fixed = file->bytes;
    reply->fixed_len = file->len;
}

static void handle(void *user, pov_http_reply *reply, const pov_http_request *request)
{
    pov_dashboard *dashboard = user;
    const char *name = strcmp(request->path, "/") == 0 ? "index.html" : request->path + 1;
    if (!pov_dashboard_may(&dashboard->access, request))
        refuse(reply, 403, "Open the dashboard with the URL that 'pov run' printed, token and all.\n");
    else if (strcmp(request->method, "GET") != 0)
        refuse(reply, 405, "There is only GET.\n");
    else if (strcmp(name, "video") == 0)
        start_stream(reply, dashboard->video, stream_video, "multipart/x-mixed-replace; boundary=picture");
    else if (strcmp(name, "events") == 0)
        start_stream(reply, dashboard->events, stream_events, "text/event-stream");
    else
        send_file(dashboard, reply, name);
}

/* ---- setting up and tearing down ---- */

bool pov_dashboard_place_parse(pov_dashboard_place *place, const char *text)
{
    const char *colon = strrchr(text, ':');
    const char *digits = colon ? colon + 1 : text;
    char *end;
    const long port = strtol(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || port > 65535)
        return false;
    const int host_len = colon ? (int)(colon - text) : 0;
    if (host_len >= POV_DASHBOARD_ADDRESS_CAPACITY || (colon && host_len == 0) ||
        strcspn(text, ", ") < (size_t)host_len)
        return false;
    snprintf(place->address, sizeof place->address, "%.*s", host_len, text);
    if (host_len == 0 || strcmp(place->address, "localhost") == 0)
        snprintf(place->address, sizeof place->address, "127.0.0.1");
    place->port = (int)port;
    return true;
}

static void write_url(pov_dashboard *dashboard, const char *address)
{
    char host[POV_DASHBOARD_ADDRESS_CAPACITY];
    const pov_dashboard_access *access = &dashboard->access;
    snprintf(host, sizeof host, "%s", address);
    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "[::]") == 0)
        gethostname(host, sizeof host - 1);
    snprintf(dashboard->url, sizeof dashboard->url, "http://%s:%d/%s%s", host, access->port,
             *access->token ? "?token=" : "", access->token);
    int len = snprintf(dashboard->page_headers, sizeof dashboard->page_headers,
                       "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                       "Referrer-Policy: no-referrer\r\n"
                       "Content-Security-Policy: default-src 'self'; frame-ancestors 'none'\r\n");
    if (*access->token)
        snprintf(dashboard->page_headers + len, sizeof dashboard->page_headers - (size_t)len,
                 "Set-Cookie: pov_token_%d=%s; HttpOnly; SameSite=Strict; Path=/\r\n", access->port,
                 access->token);
}

static pov_status set_up(pov_dashboard *d, const pov_dashboard_place *place)
{
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->handed_over, NULL);
    for (int i = 0; i < 2; i++)
        if (!(d->showings[i].observation = calloc(1, sizeof(pov_observation))))
            return pov_error("out of memory for the dashboard");
    d->waiting = &d->showings[0];
    d->working = &d->showings[1];
    POV_TRY(pov_latest_new(&d->video, POV_DASHBOARD_VIEWER_MAX));
    POV_TRY(pov_latest_new(&d->events, POV_DASHBOARD_VIEWER_MAX));
    POV_TRY(pov_jpeg_encoder_new(&d->encoder, JPEG_QUALITY));
    if (!pov_address_is_loopback(place->address))
        POV_TRY(pov_token_draw(d->access.token));
    if (pthread_create(&d->thread, NULL, encode, d) != 0)
        return pov_error("no thread for the dashboard");
    d->has_thread = true;
    return pov_ok();
}

static pov_status serve(pov_dashboard *d, const pov_dashboard_place *place)
{
    const pov_http_server_config config = {
        .address = place->address, .port = place->port, .body_max_bytes = BODY_MAX_BYTES};
    POV_TRY(pov_http_server_new(&d->server, handle, d, &config));
    d->access.port = pov_http_server_port(d->server);
    write_url(d, place->address);
    return pov_ok();
}

pov_status pov_dashboard_new(pov_dashboard **dashboard, const pov_dashboard_place *place)
{
    *dashboard = calloc(1, sizeof **dashboard);
    if (!*dashboard)
        return pov_error("out of memory for the dashboard");
    pov_status status = set_up(*dashboard, place);
    if (status.code == POV_OK)
        status = serve(*dashboard, place);
    if (status.code != POV_OK)
        pov_dashboard_destroy(dashboard);
    return status;
}

static void stop(pov_dashboard *dashboard)
{
    pthread_mutex_lock(&dashboard->lock);
    dashboard->stopping = true;
    pthread_cond_signal(&dashboard->handed_over);
    pthread_mutex_unlock(&dashboard->lock);
    if (dashboard->video)
        pov_latest_close(dashboard->video);
    if (dashboard->events)
        pov_latest_close(dashboard->events);
    pov_http_server_destroy(&dashboard->server);
    if (dashboard->has_thread)
        pthread_join(dashboard->thread, NULL);
}

void pov_dashboard_destroy(pov_dashboard **dashboard)
{
    pov_dashboard *d = *dashboard;
    if (!d)
        return;
    stop(d);
    for (int i = 0; i < 2; i++) {
        free(d->showings[i].observation);
        free(d->showings[i].pixels);
    }
    pov_jpeg_encoder_destroy(&d->encoder);
    pov_latest_destroy(&d->video);
    pov_latest_destroy(&d->events);
    pthread_cond_destroy(&d->handed_over);
    pthread_mutex_destroy(&d->lock);
    free(d);
    *dashboard = NULL;
}

const char *pov_dashboard_url(const pov_dashboard *dashboard)
{
    return dashboard->url;
}
