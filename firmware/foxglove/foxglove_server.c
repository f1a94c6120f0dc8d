#include "firmware/foxglove/foxglove_server.h"

#include "firmware/clock.h"
#include "firmware/picture/jpeg_encoder.h"
#include "firmware/picture/known_cameras.h"
#include "firmware/picture/waiting.h"
#include "firmware/thread_priority.h"
#include "perception/version.h"
#include "protocol/foxglove/foxglove_talk.h"
#include "protocol/foxglove/foxglove_views.h"
#include "protocol/observation/message.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGES_WAITING_MAX = 2,    /* to be coded; chosen: more would be old video */
    QUEUE_MAX = 256,           /* messages that wait for a client; chosen */
    QUEUE_BYTES_MAX = 8 << 20, /* of them, unless one alone is larger; chosen */
    JPEG_QUALITY = 80,
    REPEAT_MS = 1000, /* between two calibrations, and between two complaints to a client */
    HEARD_MAX = 1000, /* messages of a client a second; chosen: the app sends a few */
    STATUS_CAPACITY = 512
};

/* One message to any number of clients: room for its head, then its payload. */
typedef struct {
    atomic_int users;
    uint16_t channel; /* 0: the clock */
    int64_t log_ns;
    size_t len; /* of the payload */
    uint8_t bytes[];
} frame;

typedef struct {
    pov_foxglove_server *server;
    pov_http_socket *socket;
    pthread_t thread;
    /* under the server's lock */
    pthread_cond_t changed;
    pov_foxglove_subscriptions subscriptions;
    frame *queue[QUEUE_MAX];
    int first, len;
    size_t bytes;
    bool leaves;
    uint64_t lost, lost_told;
    int64_t told_ns;              /* when it was last told of a loss */
    int64_t clock_ns;             /* as it was last told */
    char status[STATUS_CAPACITY]; /* to be told; "": nothing */
    /* the reading thread's */
    int64_t second;
    int heard;
} client;

struct pov_foxglove_server {
    pov_http_site site;
    char *info, *advertisement;
    pov_known_cameras cameras;
    atomic_uint wanted;                             /* topics that someone listens to, a bit each */
    atomic_bool is_heard[POV_RECORDED_CHANNEL_MAX]; /* channels, by their number less 1 */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of all up to `lost` */
    pthread_cond_t changed;
    bool stops;
    pov_waiting_ring images, messages;
    client *clients[POV_FOXGLOVE_CLIENT_MAX];
    bool camera_is_due;
    int64_t now_ns; /* capture of the newest image: the clock; 0: none yet */
    uint64_t sent, lost;
    /* the coding thread's */
    pov_waiting image, message; /* that are being coded */
    pov_recording_packer *packer;
    pov_codec *codec;
    pov_observation *observation;
    pov_foxglove *foxglove;
    pov_jpeg_encoder *jpeg;
};

static unsigned bit_of(pov_recorded topic)
{
    return 1u << topic;
}

/* Topics that are made of what comes under this one. */
static unsigned made_of(pov_recorded topic)
{
    if (topic == POV_RECORDED_IMAGE)
        return bit_of(POV_RECORDED_IMAGE) | bit_of(POV_RECORDED_HEADER);
    if (topic == POV_RECORDED_OBSERVATION)
        return bit_of(topic) | bit_of(POV_RECORDED_TRANSFORMS) | bit_of(POV_RECORDED_THINGS) |
               bit_of(POV_RECORDED_ANNOTATIONS);
    return bit_of(topic);
}

bool pov_foxglove_server_wants(const pov_foxglove_server *server, pov_recorded topic)
{
    return (server->wanted & made_of(topic)) != 0;
}

/* ---- what a client is sent ---- */

static void release(frame *sent)
{
    if (atomic_fetch_sub(&sent->users, 1) == 1)
        free(sent);
}

static frame *take_first(client *to)
{
    frame *first = to->queue[to->first];
    to->first = (to->first + 1) % QUEUE_MAX;
    to->len--;
    to->bytes -= first->len;
    return first;
}

/* Under the lock. */
static void queue_frame(client *to, frame *queued)
{
    while (to->len > 0 && (to->len == QUEUE_MAX || to->bytes + queued->len > QUEUE_BYTES_MAX)) {
        release(take_first(to));
        to->lost++;
        to->server->lost++;
    }
    atomic_fetch_add(&queued->users, 1);
    to->queue[(to->first + to->len++) % QUEUE_MAX] = queued;
    to->bytes += queued->len;
    pthread_cond_signal(&to->changed);
}

/* Under the lock. */
static void tell_loss(client *to)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    if (to->lost == to->lost_told || now_ns - to->told_ns < INT64_C(1000000) * REPEAT_MS || *to->status)
        return;
    snprintf(to->status, sizeof to->status,
             "%" PRIu64 " messages were left out: this connection takes less than is subscribed to",
             to->lost - to->lost_told);
    to->lost_told = to->lost;
    to->told_ns = now_ns;
}

typedef struct {
    frame *frame;
    uint32_t subscription;
    char status[STATUS_CAPACITY];
} next_message;

/* Waits. False: the client leaves. */
static bool take_next(client *to, next_message *next)
{
    pov_foxglove_server *server = to->server;
    next->frame = NULL;
    pthread_mutex_lock(&server->lock);
    while (!to->leaves && to->len == 0 && !*to->status)
        pthread_cond_wait(&to->changed, &server->lock);
    tell_loss(to);
    memcpy(next->status, to->status, sizeof next->status);
    *to->status = '\0';
    while (!to->leaves && !next->frame && to->len > 0) {
        frame *first = take_first(to);
        if (first->channel == 0 || to->subscriptions.on[first->channel - 1])
            next->frame = first;
        else
            release(first); /* unsubscribed meanwhile */
    }
    if (next->frame && next->frame->channel > 0)
        next->subscription = to->subscriptions.id[next->frame->channel - 1];
    server->sent += next->frame != NULL;
    const bool goes_on = !to->leaves;
    pthread_mutex_unlock(&server->lock);
    return goes_on;
}

/* *room grows with the largest message. */
static bool send_frame(client *to, const next_message *next, uint8_t **room, size_t *capacity)
{
    const frame *sent = next->frame;
    uint8_t time[POV_FOXGLOVE_TIME_BYTES];
    if (sent->channel == 0) {
        pov_foxglove_write_time(time, sent->log_ns);
        return pov_http_socket_send(to->socket, false, time, sizeof time);
    }
    const size_t len = POV_FOXGLOVE_HEAD_BYTES + sent->len;
    if (!*room || len > *capacity) {
        uint8_t *grown = realloc(*room, len);
        if (!grown)
            return true; /* this message is left out */
        *room = grown;
        *capacity = len;
    }
    pov_foxglove_write_message_head(*room, next->subscription, sent->log_ns);
    memcpy(*room + POV_FOXGLOVE_HEAD_BYTES, sent->bytes, sent->len);
    return pov_http_socket_send(to->socket, false, *room, len);
}

static bool send_status(client *to, const char *text)
{
    char *message = pov_foxglove_status(1, text);
    const bool sent = !message || pov_http_socket_send(to->socket, true, message, strlen(message));
    free(message);
    return sent;
}

static void *send_all(void *argument)
{
    client *to = argument;
    const pov_foxglove_server *server = to->server;
    uint8_t *room = NULL;
    size_t capacity = 0;
    next_message next;
    pov_thread_works_behind();
    bool there = pov_http_socket_send(to->socket, true, server->info, strlen(server->info)) &&
                 pov_http_socket_send(to->socket, true, server->advertisement, strlen(server->advertisement));
    while (take_next(to, &next)) {
        there = there && (!*next.status || send_status(to, next.status));
        there = there && (!next.frame || send_frame(to, &next, &room, &capacity));
        if (next.frame)
            release(next.frame);
    }
    free(room);
    return NULL;
}

/* ---- what a client says ---- */

/* Under the lock. */
static void count_wanted(pov_foxglove_server *server)
{
    unsigned wanted = 0;
    for (int at = 0; at < POV_RECORDED_CHANNEL_MAX; at++) {
        bool is_heard = false;
        for (int i = 0; i < POV_FOXGLOVE_CLIENT_MAX; i++)
            is_heard |= server->clients[i] && server->clients[i]->subscriptions.on[at];
        server->is_heard[at] = is_heard;
        wanted |= is_heard ? bit_of(pov_recorded_of_channel((uint16_t)(at + 1))) : 0;
    }
    server->wanted = wanted;
}

/* Any page that a browser of this machine shows could connect: only Foxglove's, and pages of this machine, may. */
static bool may_ask(const pov_http_request *request)
{
    static const char *const known[] = {"https://app.foxglove.dev", "file://"};
    static const char *const here[] = {"http://localhost", "http://127.0.0.1", "http://[::1]"};
    bool may = !*request->origin; /* no browser */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        may |= strcmp(request->origin, known[i]) == 0;
    for (size_t i = 0; i < sizeof here / sizeof *here; i++) {
        const size_t len = strlen(here[i]);
        may |= strncmp(request->origin, here[i], len) == 0 &&
               (request->origin[len] == '\0' || request->origin[len] == ':');
    }
    return may;
}

static int count_clients(const pov_foxglove_server *server)
{
    int clients = 0;
    for (int i = 0; i < POV_FOXGLOVE_CLIENT_MAX; i++)
        clients += server->clients[i] != NULL;
    return clients;
}

static int admit_client(void *user, const pov_http_request *request)
{
    pov_foxglove_server *server = user;
    pov_http_access *access = &server->site.access;
    if (pov_http_role_of(access, request) == POV_MAY_NOTHING)
        return *access->operate && pov_http_count_wrong(access, pov_clock_monotonic_ns()) ? 429 : 403;
    if (!*access->operate && !may_ask(request))
        return 403;
    pthread_mutex_lock(&server->lock);
    const bool has_room = !server->stops && count_clients(server) < POV_FOXGLOVE_CLIENT_MAX;
    pthread_mutex_unlock(&server->lock);
    return has_room ? 101 : 503;
}

static void remove_client(pov_foxglove_server *server, const client *gone)
{
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < POV_FOXGLOVE_CLIENT_MAX; i++)
        if (server->clients[i] == gone)
            server->clients[i] = NULL;
    count_wanted(server);
    pthread_mutex_unlock(&server->lock);
}

static void free_client(client *gone)
{
    while (gone->len > 0)
        release(take_first(gone));
    pthread_cond_destroy(&gone->changed);
    free(gone);
}

static void *enter_client(void *user, pov_http_socket *socket)
{
    pov_foxglove_server *server = user;
    client *entered = calloc(1, sizeof *entered);
    if (!entered)
        return NULL;
    entered->server = server;
    entered->socket = socket;
    entered->subscriptions.camera_len = server->cameras.len;
    pthread_cond_init(&entered->changed, NULL);
    pthread_mutex_lock(&server->lock);
    int place = 0;
    while (place < POV_FOXGLOVE_CLIENT_MAX && server->clients[place])
        place++;
    const bool fits = place < POV_FOXGLOVE_CLIENT_MAX && !server->stops;
    if (fits)
        server->clients[place] = entered;
    pthread_mutex_unlock(&server->lock);
    if (fits && pthread_create(&entered->thread, NULL, send_all, entered) == 0)
        return entered;
    remove_client(server, entered);
    free_client(entered);
    return NULL;
}

/* Too many messages in a second: none of Foxglove's clients. */
static bool is_flood(client *from)
{
    const int64_t second = pov_clock_monotonic_ns() / 1000000000;
    if (second != from->second)
        from->heard = 0;
    from->second = second;
    return ++from->heard > HEARD_MAX;
}

static bool hear_client(void *user, const char *text, size_t len)
{
    client *from = user;
    pov_foxglove_server *server = from->server;
    bool is_camera_new = false;
    if (is_flood(from))
        return false;
    pov_foxglove_subscriptions wished = from->subscriptions; /* only this thread changes them */
    const pov_status status = pov_foxglove_hear(&wished, text, len);
    pthread_mutex_lock(&server->lock);
    for (int at = POV_RECORDED_CALIBRATION; at < POV_RECORDED_CHANNEL_MAX; at += POV_RECORDED_COUNT)
        is_camera_new |= wished.on[at] && !from->subscriptions.on[at];
    if (is_camera_new) {
        server->camera_is_due = true;
        pthread_cond_signal(&server->changed);
    }
    from->subscriptions = wished;
    count_wanted(server);
    if (status.code != POV_OK) {
        snprintf(from->status, sizeof from->status, "%s", status.message);
        pthread_cond_signal(&from->changed);
    }
    pthread_mutex_unlock(&server->lock);
    return true;
}

static void leave_client(void *user)
{
    client *gone = user;
    pov_foxglove_server *server = gone->server;
    pthread_mutex_lock(&server->lock);
    gone->leaves = true;
    pthread_cond_signal(&gone->changed);
    pthread_mutex_unlock(&server->lock);
    pthread_join(gone->thread, NULL);
    remove_client(server, gone);
    free_client(gone);
}

/* Tells a browser that opens the address to use Foxglove. */
static void answer_browser(void *user, pov_http_reply *reply, const pov_http_request *request)
{
    (void)user;
    (void)request;
    reply->status = 400;
    reply->content_type = "text/plain; charset=utf-8";
    reply->body = strdup(
        "This is not a page: open it in Foxglove, as a connection of the kind \"Foxglove WebSocket\".\n");
}

/* ---- the coding thread ---- */

/* When it moved on, or a loop of images began again. Under the lock. */
static bool needs_clock(client *to, int64_t now_ns)
{
    const int64_t late_ns = 1000000000; /* of a message beside others; chosen */
    const bool needs = now_ns > to->clock_ns || now_ns < to->clock_ns - late_ns;
    if (needs)
        to->clock_ns = now_ns;
    return needs;
}

/* To all who listen to the channel. */
static void send_message(pov_foxglove_server *server, const pov_mcap_message *message)
{
    frame *made = malloc(sizeof *made + message->len), *clock = malloc(sizeof *clock);
    pthread_mutex_lock(&server->lock);
    if (!made || !clock) {
        server->lost++;
    } else {
        *made =
            (frame){.users = 1, .channel = message->channel, .log_ns = message->log_ns, .len = message->len};
        *clock = (frame){.users = 1, .log_ns = message->log_ns};
        memcpy(made->bytes, message->bytes, message->len);
        for (int i = 0; i < POV_FOXGLOVE_CLIENT_MAX; i++) {
            client *to = server->clients[i];
            if (to && to->subscriptions.on[message->channel - 1]) {
                if (needs_clock(to, message->log_ns))
                    queue_frame(to, clock);
                queue_frame(to, made);
            }
        }
    }
    pthread_mutex_unlock(&server->lock);
    if (made && clock) {
        release(made);
        release(clock);
        return;
    }
    free(made);
    free(clock);
}

static bool is_wanted(const pov_foxglove_server *server, pov_recorded topic, int camera)
{
    return server
        ->is_heard[pov_recorded_channel(topic, pov_known_cameras_name(&server->cameras, camera)) - 1];
}

static void code_image(pov_foxglove_server *server, pov_waiting *taken)
{
    pov_mcap_message message = {.log_ns = taken->now_ns, .publish_ns = taken->now_ns};
    const pov_recorded_camera *of = pov_known_cameras_name(&server->cameras, taken->camera);
    pov_recorded_image *image = &taken->image;
    if (is_wanted(server, POV_RECORDED_HEADER, taken->camera) &&
        pov_recording_pack_header(server->packer, &message, image, of).code == POV_OK)
        send_message(server, &message);
    if (!is_wanted(server, POV_RECORDED_IMAGE, taken->camera))
        return;
    if (pov_waiting_code_image(taken, server->jpeg).code != POV_OK)
        return;
    if (pov_recording_pack_image(server->packer, &message, image, of).code == POV_OK)
        send_message(server, &message);
}

/* The observation as panels show it, after the transforms that they need. */
static void code_views(pov_foxglove_server *server, const pov_waiting *taken)
{
    pov_message decoded = {.observation = server->observation};
    const unsigned views = made_of(POV_RECORDED_OBSERVATION) & ~bit_of(POV_RECORDED_OBSERVATION);
    pov_camera camera;
    if (!(server->wanted & views) ||
        pov_codec_decode(server->codec, &decoded, taken->bytes, taken->len).code != POV_OK)
        return;
    const int index = pov_known_cameras_find(&server->cameras, decoded.observation->image.camera);
    const bool is_known = pov_known_cameras_take(&camera, &server->cameras, index);
    for (pov_recorded topic = POV_RECORDED_TRANSFORMS; topic <= POV_RECORDED_ANNOTATIONS; topic++) {
        pov_mcap_message message = {.log_ns = taken->now_ns};
        if (!is_wanted(server, topic, index))
            continue;
        pov_foxglove_view(server->foxglove, &message, topic, decoded.observation,
                          pov_known_cameras_name(&server->cameras, index), is_known ? &camera : NULL);
        if (message.bytes)
            send_message(server, &message);
    }
}

static void code_message(pov_foxglove_server *server, const pov_waiting *taken)
{
    pov_mcap_message message = {.channel = (uint16_t)(taken->topic + 1),
                                .log_ns = taken->now_ns,
                                .bytes = taken->bytes,
                                .len = taken->len};
    if (taken->topic == POV_RECORDED_OBSERVATION)
        code_views(server, taken);
    if (taken->topic == POV_RECORDED_LOG &&
        pov_recording_pack_line(server->packer, &message, taken->topic, taken->severity,
                                (const char *)taken->bytes)
                .code != POV_OK)
        return;
    send_message(server, &message);
}

static void code_cameras(pov_foxglove_server *server, int64_t now_ns)
{
    pov_camera camera;
    for (int i = 0; i < server->cameras.len; i++) {
        pov_mcap_message message = {.log_ns = now_ns};
        if (is_wanted(server, POV_RECORDED_CALIBRATION, i) &&
            pov_known_cameras_take(&camera, &server->cameras, i) &&
            pov_recording_pack_calibration(server->packer, &message, &camera,
                                           pov_known_cameras_name(&server->cameras, i), now_ns)
                    .code == POV_OK)
            send_message(server, &message);
    }
}

typedef struct {
    bool has_image, has_message, camera_is_due;
    int64_t now_ns;
} work;

/* Waits for something to code, or for the next calibration. False: the server stops. */
static bool take_work(pov_foxglove_server *server, work *next)
{
    const struct timespec until = pov_clock_deadline(REPEAT_MS);
    pthread_mutex_lock(&server->lock);
    for (int failed = 0; failed == 0 && !server->stops && !server->camera_is_due && server->images.len == 0 &&
                         server->messages.len == 0;)
        failed = pthread_cond_timedwait(&server->changed, &server->lock, &until);
    *next = (work){.has_image = pov_waiting_swap_first(&server->images, &server->image),
                   .has_message = pov_waiting_swap_first(&server->messages, &server->message),
                   .camera_is_due = server->camera_is_due,
                   .now_ns = server->now_ns ? server->now_ns : pov_clock_unix_ns()};
    server->camera_is_due = false;
    const bool goes_on = !server->stops;
    pthread_mutex_unlock(&server->lock);
    return goes_on;
}

static void *code_all(void *argument)
{
    pov_foxglove_server *server = argument;
    int64_t camera_ns = 0; /* when it was last sent */
    work next;
    pov_thread_works_behind();
    while (take_work(server, &next)) {
        const int64_t now_ns = pov_clock_monotonic_ns();
        if (next.camera_is_due || now_ns - camera_ns >= INT64_C(1000000) * REPEAT_MS) {
            camera_ns = now_ns;
            code_cameras(server, next.now_ns);
        }
        if (next.has_image)
            code_image(server, &server->image);
        if (next.has_message)
            code_message(server, &server->message);
    }
    return NULL;
}

/* ---- the pipeline's side ---- */

/* Under the lock. NULL: no memory. */
static pov_waiting *reserve_message(pov_foxglove_server *server, size_t len)
{
    pov_waiting *made = pov_waiting_reserve(&server->messages, len);
    if (made)
        pthread_cond_signal(&server->changed);
    return made;
}

static void set_clock(pov_foxglove_server *server, int64_t capture_ns)
{
    if (capture_ns > 0)
        server->now_ns = capture_ns;
}

void pov_foxglove_server_message(pov_foxglove_server *server, pov_recorded topic, const uint8_t *bytes,
                                 size_t len, int64_t capture_ns)
{
    if (!pov_foxglove_server_wants(server, topic))
        return;
    pthread_mutex_lock(&server->lock);
    set_clock(server, capture_ns);
    pov_waiting *made = reserve_message(server, len);
    if (made) {
        made->topic = topic;
        made->now_ns = server->now_ns ? server->now_ns : pov_clock_unix_ns();
        if (len > 0)
            memcpy(made->bytes, bytes, len);
    }
    pthread_mutex_unlock(&server->lock);
}

void pov_foxglove_server_log(pov_foxglove_server *server, const char *severity, const char *text)
{
    if (!pov_foxglove_server_wants(server, POV_RECORDED_LOG))
        return;
    const size_t len = strlen(text) + 1;
    pthread_mutex_lock(&server->lock);
    pov_waiting *made = reserve_message(server, len);
    if (made) {
        made->topic = POV_RECORDED_LOG;
        made->now_ns = server->now_ns ? server->now_ns : pov_clock_unix_ns();
        memcpy(made->bytes, text, len);
        snprintf(made->severity, sizeof made->severity, "%s", severity);
    }
    pthread_mutex_unlock(&server->lock);
}

void pov_foxglove_server_image(pov_foxglove_server *server, const pov_image *image)
{
    pthread_mutex_lock(&server->lock);
    set_clock(server, image->mid_exposure_ns); /* also for those who subscribe to other topics, or later */
    pthread_mutex_unlock(&server->lock);
    if (!is_wanted(server, POV_RECORDED_IMAGE, image->camera) &&
        !is_wanted(server, POV_RECORDED_HEADER, image->camera))
        return;
    pthread_mutex_lock(&server->lock);
    if (pov_waiting_add_image(&server->images, image))
        pthread_cond_signal(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

void pov_foxglove_server_camera(pov_foxglove_server *server, const pov_camera *camera, int index)
{
    if (!pov_known_cameras_tell(&server->cameras, camera, index))
        return; /* of several, one is announced with each image */
    pthread_mutex_lock(&server->lock);
    server->camera_is_due = true;
    pthread_cond_signal(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

int pov_foxglove_server_port(const pov_foxglove_server *server)
{
    return server->site.access.port;
}

pov_foxglove_statistics pov_foxglove_server_statistics(pov_foxglove_server *server)
{
    pthread_mutex_lock(&server->lock);
    const pov_foxglove_statistics all = {count_clients(server), server->sent,
                                         server->lost + server->images.lost + server->messages.lost};
    pthread_mutex_unlock(&server->lock);
    return all;
}

/* ---- coming and going ---- */

static pov_status set_up(pov_foxglove_server *server, const pov_http_place *place, const char *station)
{
    static const char *const subprotocols[] = {POV_FOXGLOVE_SUBPROTOCOLS};
    static const pov_http_sockets sockets = {.subprotocols = subprotocols,
                                             .subprotocol_len = sizeof subprotocols / sizeof *subprotocols,
                                             .message_max_bytes = POV_FOXGLOVE_TEXT_BYTES_MAX,
                                             .admit = admit_client,
                                             .enter = enter_client,
                                             .hear = hear_client,
                                             .leave = leave_client};
    char name[256], session[32];
    snprintf(name, sizeof name, "pov " POV_VERSION ": %.200s", station);
    snprintf(session, sizeof session, "%" PRId64, pov_clock_unix_ns());
    server->images.max = IMAGES_WAITING_MAX;
    server->messages.max = POV_WAITING_MAX;
    server->info = pov_foxglove_server_info(name, session);
    server->advertisement = pov_foxglove_advertisement(server->cameras.names, server->cameras.len);
    server->observation = calloc(1, sizeof *server->observation);
    if (!server->info || !server->advertisement || !server->observation)
        return pov_error("out of memory for a Foxglove server");
    POV_TRY(pov_recording_packer_new(&server->packer));
    POV_TRY(pov_codec_new(&server->codec));
    POV_TRY(pov_foxglove_new(&server->foxglove));
    POV_TRY(pov_jpeg_encoder_new(&server->jpeg, JPEG_QUALITY));
    server->has_thread = pthread_create(&server->thread, NULL, code_all, server) == 0;
    if (!server->has_thread)
        return pov_error("no thread for a Foxglove server");
    return pov_http_site_open(
        &server->site, place,
        &(pov_http_site_config){
            .scheme = "ws", .handler = answer_browser, .user = server, .sockets = &sockets});
}

pov_status pov_foxglove_server_new(pov_foxglove_server **server, const pov_http_place *place,
                                   const char *station, const pov_recorded_camera *cameras, int len)
{
    *server = calloc(1, sizeof **server);
    if (!*server)
        return pov_error("out of memory for a Foxglove server");
    pov_known_cameras_begin(&(*server)->cameras, cameras, len);
    pthread_mutex_init(&(*server)->lock, NULL);
    pov_clock_condition_init(&(*server)->changed);
    const pov_status status = set_up(*server, place, station);
    if (status.code != POV_OK)
        pov_foxglove_server_destroy(server);
    return status;
}

void pov_foxglove_server_destroy(pov_foxglove_server **server)
{
    pov_foxglove_server *s = *server;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stops = true;
    pthread_cond_signal(&s->changed);
    for (int i = 0; i < POV_FOXGLOVE_CLIENT_MAX; i++)
        if (s->clients[i]) {
            s->clients[i]->leaves = true;
            pthread_cond_signal(&s->clients[i]->changed);
        }
    pthread_mutex_unlock(&s->lock);
    if (s->has_thread)
        pthread_join(s->thread, NULL);
    pov_http_site_close(&s->site); /* clients leave */
    pov_waiting_free(&s->images);
    pov_waiting_free(&s->messages);
    free(s->image.bytes);
    free(s->message.bytes);
    free(s->info);
    free(s->advertisement);
    free(s->observation);
    pov_recording_packer_destroy(&s->packer);
    pov_codec_destroy(&s->codec);
    pov_foxglove_destroy(&s->foxglove);
    pov_jpeg_encoder_destroy(&s->jpeg);
    pov_known_cameras_end(&s->cameras);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
    *server = NULL;
}

void pov_foxglove_server_print_place(const pov_foxglove_server *server)
{
    pov_http_site_print(&server->site, "Foxglove", "");
}
