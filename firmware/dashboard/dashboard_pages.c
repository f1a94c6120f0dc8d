#include "firmware/dashboard/dashboard_files.h"
#include "firmware/dashboard/dashboard_internal.h"

#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "firmware/clock.h"
#include "firmware/thread_priority.h"

#include <arpa/inet.h>
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEAT_MS = 2000, BODY_MAX_BYTES = 4096, REPORT_MAX_BYTES = 256 << 20 };

static const char page_headers[] =
    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'self'; img-src 'self' data:; frame-ancestors 'none'\r\n";
static const char data_headers[] = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                                   "Cross-Origin-Resource-Policy: same-origin\r\n";
/* A report has its style and drawings within, and no script. */
static const char report_headers[] =
    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'none'\r\n";

/* ---- streams ---- */

/* Sends one update; false: the viewer is gone. */
typedef bool send_one(pov_http_writer *writer, const char *bytes, size_t len);

static bool send_update(pov_http_writer *writer, const char *bytes, size_t len)
{
    return pov_http_write(writer, bytes, len);
}

static bool send_picture(pov_http_writer *writer, const char *bytes, size_t len)
{
    uint32_t lengths[2];
    char head[96];
    memcpy(lengths, bytes, sizeof lengths);
    const size_t jpeg_len = ntohl(lengths[1]);
    if (jpeg_len == 0)
        return pov_http_write(writer, "\r\n", 2); /* which means nothing between the parts */
    /* The boundary follows at once: browsers show a part when it has ended. */
    const int head_len =
        snprintf(head, sizeof head, "Content-Type: image/jpeg\r\nContent-Length: %zu\r\n\r\n", jpeg_len);
    return pov_http_write(writer, head, (size_t)head_len) &&
           pov_http_write(writer, bytes + len - jpeg_len, jpeg_len) &&
           pov_http_write(writer, "\r\n--picture\r\n", 13);
}

/* Without news the last is sent again, which also shows whether the viewer is still there. */
static void send_all(pov_dashboard *d, pov_http_writer *writer, send_one *send)
{
    uint64_t seen = 0;
    bool there = true;
    pov_thread_works_behind();
    pov_dashboard_tell(d);
    while (there && !d->stopping) {
        pov_latest_view view = pov_latest_take(d->updates, seen, REPEAT_MS);
        if (!view.bytes)
            view = pov_latest_take(d->updates, 0, 0);
        if (!view.bytes)
            continue; /* closed, or nothing yet */
        seen = view.version;
        there = send(writer, view.bytes, view.len);
        pov_latest_give_back(d->updates, &view);
    }
    pov_latest_leave(d->updates);
}

static void stream_updates(void *user, pov_http_writer *writer, const char *body)
{
    (void)body;
    send_all(user, writer, send_update);
}

static void stream_video(void *user, pov_http_writer *writer, const char *body)
{
    (void)body;
    pov_dashboard *d = user;
    if (pov_http_write(writer, "--picture\r\n", 11))
        send_all(d, writer, send_picture);
    else
        pov_latest_leave(d->updates);
}

/* ---- replies ---- */

static void refuse_request(pov_http_reply *reply, int status, const char *why)
{
    reply->status = status;
    reply->content_type = "text/plain; charset=utf-8";
    reply->headers = data_headers;
    reply->body = strdup(why);
}

static void start_stream(pov_dashboard *d, pov_http_reply *reply, pov_http_stream *stream, const char *type)
{
    if (!pov_latest_enter(d->updates)) {
        refuse_request(reply, 503,
                       "This station has as many viewers as it takes. Close one and try again.\n");
        return;
    }
    reply->status = 200;
    reply->content_type = type;
    reply->headers = data_headers;
    reply->stream = stream;
}

/* `json` is the dashboard's own, which may change any time. */
static void send_json(pov_dashboard *d, pov_http_reply *reply, char *const *json)
{
    pthread_mutex_lock(&d->lock);
    reply->body = strdup(*json ? *json : "null");
    pthread_mutex_unlock(&d->lock);
    reply->status = reply->body ? 200 : 503;
    reply->headers = data_headers;
}

/* A file of the program's own: `path` is the dashboard's, which may change any time; "": none yet. */
static void send_made(pov_dashboard *d, pov_http_reply *reply, const char *path, const char *type)
{
    char copy[POV_DASHBOARD_PATH_CAPACITY];
    pov_bytes bytes = {0};
    pthread_mutex_lock(&d->lock);
    snprintf(copy, sizeof copy, "%s", path);
    pthread_mutex_unlock(&d->lock);
    if (!*copy || pov_read_file(&bytes, copy, REPORT_MAX_BYTES, "a document").code != POV_OK) {
        pov_bytes_free(&bytes);
        refuse_request(reply, 404, "There is none yet.\n");
        return;
    }
    reply->status = 200;
    reply->content_type = type;
    reply->headers = report_headers;
    reply->body = (char *)bytes.data;
    reply->body_len = bytes.length;
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

static void send_file(pov_http_reply *reply, const char *name)
{
    const pov_embedded_file *file = pov_embedded_find(POV_DASHBOARD_FILES, name);
    if (!file) {
        refuse_request(reply, 404, "There is no such page.\n");
        return;
    }
    reply->status = 200;
    reply->content_type = content_type(name);
    reply->headers = page_headers;
    reply->fixed = file->bytes;
    reply->fixed_len = file->len;
}

/* The state, and the word that lines begin with. */
static void send_study(pov_dashboard *d, pov_http_reply *reply)
{
    size_t length;
    FILE *stream = open_memstream(&reply->body, &length);
    if (!stream)
        return;
    pthread_mutex_lock(&d->lock);
    fprintf(stream, "{\"nonce\":\"%s\",\"step\":", d->nonce);
    cJSON *step = cJSON_CreateString(d->step);
    pov_json_print(stream, step);
    fprintf(stream, ",\"state\":%s}", d->study ? d->study : "null");
    pthread_mutex_unlock(&d->lock);
    reply->status = fclose(stream) == 0 ? 200 : 503;
    reply->headers = data_headers;
}

/* "NONCE the line": a page of others, which may post here too, cannot know the nonce. */
static bool begins_with_nonce(const pov_dashboard *d, const pov_http_request *request)
{
    const size_t head = strlen(d->nonce);
    return strncmp(request->body, d->nonce, head) == 0 && request->body[head] == ' ';
}

/* "NONCE DIALOGUE request": firmware/ask/ask_request.h. */
static void answer_question(pov_dashboard *d, pov_http_reply *reply, const pov_http_request *request)
{
    char dialogue[POV_TOKEN_CAPACITY] = "";
    if (!begins_with_nonce(d, request)) {
        refuse_request(reply, 403, "Open the page again.\n");
        return;
    }
    const char *rest = request->body + strlen(d->nonce) + 1;
    const size_t len = strcspn(rest, " ");
    if (rest[len] != ' ' || len >= sizeof dialogue) {
        refuse_request(reply, 400, "A question is: the nonce, the dialogue's name, the request.\n");
        return;
    }
    memcpy(dialogue, rest, len);
    if (pov_ask_server_ask(d->asked, &reply->body, dialogue, rest + len + 1).code != POV_OK) {
        refuse_request(reply, 503, "Nobody answers now.\n");
        return;
    }
    reply->status = 200;
    reply->headers = data_headers;
}

/* "NONCE 1": from now on the second camera's images. For all viewers. */
static void choose_camera(pov_dashboard *d, pov_http_reply *reply, const pov_http_request *request)
{
    const char *chosen = begins_with_nonce(d, request) ? request->body + strlen(d->nonce) + 1 : "";
    pthread_mutex_lock(&d->lock);
    const bool fits = chosen[0] >= '0' && chosen[0] < '0' + d->camera_len && chosen[1] == '\0';
    if (fits)
        d->camera = chosen[0] - '0';
    pthread_mutex_unlock(&d->lock);
    if (fits)
        reply->status = 204;
    else
        refuse_request(reply, 403, "Open the page again.\n");
}

static void take_line(pov_dashboard *d, pov_http_reply *reply, const pov_http_request *request)
{
    const size_t head = strlen(d->nonce);
    pthread_mutex_lock(&d->lock);
    const bool ours = d->study && begins_with_nonce(d, request);
    const bool fits =
        d->line_len < POV_DASHBOARD_LINES_MAX && request->body_len - head < POV_DASHBOARD_LINE_CAPACITY;
    if (ours && fits)
        snprintf(d->lines[d->line_len++], sizeof d->lines[0], "%s", request->body + head + 1);
    pthread_mutex_unlock(&d->lock);
    if (!ours || !fits) {
        refuse_request(reply, ours ? 503 : 403, ours ? "Too many lines wait.\n" : "Open the page again.\n");
        return;
    }
    reply->status = 200;
    reply->headers = data_headers;
    reply->body = strdup("{}");
}

/* The page to which a visitor with a token is sent. It is one of ours: a visitor's own words would become a header. */
static const char *find_landing(const char *path)
{
    static const char *const pages[] = {"/study.html", "/participant.html", "/setup.html"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(path, pages[i]) == 0)
            return pages[i];
    return "/";
}

/* The token moves from the address into a cookie: addresses are shown, kept in histories and passed on. */
static void hide_token(const pov_dashboard *d, pov_http_reply *reply, const pov_http_request *request,
                       pov_http_role role)
{
    char headers[512];
    snprintf(headers, sizeof headers,
             "Location: %s\r\nSet-Cookie: pov_token_%d=%s; HttpOnly; SameSite=Lax; Path=/%s\r\n",
             find_landing(request->path), d->site.access.port,
             role == POV_MAY_OPERATE ? d->site.access.operate : d->site.access.see,
             d->site.secure ? "; Secure" : "");
    refuse_request(reply, 303, "");
    reply->own_headers = strdup(headers);
}

static bool is_page(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && strcmp(end, ".html") == 0;
}

static const char stranger_page[] = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                                    "<meta name=\"viewport\" content=\"width=device-width\">"
                                    "<title>pov: this page needs its token</title><style>"
                                    ":root{color-scheme:light dark}body{font:1.2rem/1.5 "
                                    "system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem}"
                                    "code{font-size:1rem}</style>"
                                    "<h1>This page needs its token</h1>"
                                    "<p>Open the dashboard with the URL that pov printed, token and all. It "
                                    "stands on the terminal where the station was "
                                    "started, and looks like this:</p>"
                                    "<p><code>https://HOST:PORT/?token=0123&hellip;</code></p>"
                                    "<p>The token is new each time the station starts: an old link or "
                                    "bookmark does not open it.</p></html>\n";

static void refuse_stranger(pov_dashboard *d, pov_http_reply *reply, const char *name)
{
    if (*d->site.access.operate && pov_http_count_wrong(&d->site.access, pov_clock_monotonic_ns()))
        refuse_request(reply, 429, "Too many tries without the right token. Wait a minute.\n");
    else if (*d->site.access.operate && is_page(name)) {
        refuse_request(reply, 403, stranger_page);
        reply->content_type = "text/html; charset=utf-8";
        reply->headers = report_headers;
    } else
        refuse_request(reply, 403, "Open the dashboard with the URL that pov printed, token and all.\n");
}

static void handle_request(void *user, pov_http_reply *reply, const pov_http_request *request)
{
    pov_dashboard *d = user;
    const char *name = strcmp(request->path, "/") == 0 ? "index.html" : request->path + 1;
    const pov_http_role role = pov_http_role_of(&d->site.access, request);
    if (role == POV_MAY_NOTHING)
        refuse_stranger(d, reply, name);
    else if (*d->site.access.operate && is_page(name) && pov_http_has_token(request))
        hide_token(d, reply, request, role);
    else if (strcmp(request->method, "POST") == 0 && role != POV_MAY_OPERATE)
        refuse_request(reply, 403, "This URL lets you look only.\n");
    else if (strcmp(request->method, "POST") == 0 && strcmp(name, "study") == 0)
        take_line(d, reply, request);
    else if (strcmp(request->method, "POST") == 0 && strcmp(name, "camera") == 0)
        choose_camera(d, reply, request);
    else if (strcmp(request->method, "POST") == 0 && strcmp(name, "ask") == 0)
        answer_question(d, reply, request);
    else if (strcmp(request->method, "GET") != 0)
        refuse_request(reply, 405, "There is only GET.\n");
    else if (strcmp(name, "updates") == 0)
        start_stream(d, reply, stream_updates, "application/octet-stream");
    else if (strcmp(name, "video") == 0)
        start_stream(d, reply, stream_video, "multipart/x-mixed-replace; boundary=picture");
    else if (strcmp(name, "sweep") == 0)
        send_json(d, reply, &d->sweep);
    else if (strcmp(name, "bodies") == 0)
        send_json(d, reply, &d->bodies);
    else if (strcmp(name, "study") == 0 && role != POV_MAY_OPERATE) /* conditions, and the nonce */
        refuse_request(
            reply, 403,
            "This URL lets you look only. An experimenter's page needs the other URL that pov printed.\n");
    else if (strcmp(name, "study") == 0)
        send_study(d, reply);
    else if (strcmp(name, "participant") == 0)
        send_json(d, reply, &d->participant);
    else if (strcmp(name, "report") == 0)
        send_made(d, reply, d->report, "text/html; charset=utf-8");
    else if (strcmp(name, "print.pdf") == 0)
        send_made(d, reply, d->print, "application/pdf");
    else
        send_file(reply, name);
}

/* ---- where ---- */

pov_status pov_dashboard_serve(pov_dashboard *dashboard, const pov_http_place *place)
{
    POV_TRY(pov_http_site_open(&dashboard->site, place,
                               &(pov_http_site_config){.scheme = "http",
                                                       .handler = handle_request,
                                                       .user = dashboard,
                                                       .body_max_bytes = BODY_MAX_BYTES,
                                                       .has_roles = true}));
    pov_http_site_url(dashboard->url, &dashboard->site, "");
    return pov_ok();
}

void pov_dashboard_print_place(const pov_dashboard *dashboard, const char *label, const char *page)
{
    pov_http_site_print(&dashboard->site, label, page);
}
