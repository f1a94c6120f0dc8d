#include "firmware/ask/ask_server.h"

#include "ask/talk/talk.h"
#include "config/files/json_value.h"
#include "firmware/ask/ask_request.h"
#include "firmware/clock.h"
#include "firmware/descriptors.h"
#include "firmware/thread_priority.h"
#include "protocol/links/responder.h"

#include <cJSON.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SESSIONS = 16, EXCHANGES = 64, POLL_MS = 50, CALLER_MS = 60000 };
/* A peer that is silent for so long begins again. Chosen: a coffee break. */
static const int64_t session_ns = 15 * 60 * (int64_t)1000000000;
static const int64_t rest_max_ns =
    100000000; /* the thread rests as long as it has worked: half of a core at most */

/** A dialogue with one peer, and one speaker. */
typedef struct {
    pov_talk *talk;
    size_t peer_len;
    uint8_t peer[POV_PEER_BYTES_MAX];
    char speaker[POV_NAME_CAPACITY], name[POV_NAME_CAPACITY]; /* name: the session's; "": the peer's */
    int64_t heard_ns;
} session;

/** An image and the facts about it. */
typedef struct {
    bool has_image;
    pov_scene scene;
    int sight_len, sight_capacity;
    pov_visibility *sights;
    char name[POV_IMAGE_NAME_CAPACITY];
    uint32_t sequence;
    int64_t capture_ns, shown_ns; /* shown_ns: when it was judged, by the monotonic clock */
    uint64_t calibration_hash;
} snapshot;

typedef struct {
    char speaker[POV_NAME_CAPACITY];
    char *reply;
} exchange;

struct pov_ask_server {
    pov_responder *responder;
    double stale_after_s;
    pthread_t thread;
    bool has_thread;
    atomic_bool stops;
    pthread_mutex_t lock; /* of `newest`, `shown`, the exchanges: held for a copy */
    snapshot images[2], *newest, *answered;
    pov_cameras_look seen, answered_seen; /* of each camera's newest image */
    bool is_newer;
    int exchange_len;
    exchange exchanges[EXCHANGES];
    char news[POV_PEER_TROUBLE_CAPACITY];
    session sessions[SESSIONS];
    pov_asked asked;
    /* without a responder: `asked` is a caller's, one at a time */
    pthread_mutex_t turn;
    pthread_cond_t changed;
    bool is_asked, is_answered; /* under `lock`, as `line` */
    char *line;
};

/* -------- the newest image -------- */

static bool copy_snapshot(snapshot *to, const pov_scene *scene, const pov_visibility *sights, int sight_len)
{
    if (sight_len > to->sight_capacity) { /* once, for the most that an image has */
        pov_visibility *more = realloc(to->sights, (size_t)sight_len * sizeof *more);
        if (!more)
            return false;
        to->sights = more;
        to->sight_capacity = sight_len;
    }
    if (sight_len > 0)
        memcpy(to->sights, sights, (size_t)sight_len * sizeof *sights);
    to->sight_len = sight_len;
    to->scene.len = scene->len;
    memcpy(to->scene.entities, scene->entities, (size_t)scene->len * sizeof *scene->entities);
    to->scene.camera = scene->camera;
    memcpy(to->scene.camera_pose_cov, scene->camera_pose_cov, sizeof to->scene.camera_pose_cov);
    to->scene.has_north = scene->has_north;
    to->scene.north_yaw_rad = scene->north_yaw_rad;
    return true;
}

void pov_ask_server_show(pov_ask_server *server, const pov_observation *o)
{
    pthread_mutex_lock(&server->lock);
    snapshot *newest = server->newest;
    pov_cameras_look_note(&server->seen, o->image.camera, o->image.capture_ns, &o->scene, o->sights,
                          o->sight_len);
    if (copy_snapshot(newest, &o->scene, o->sights, o->sight_len)) {
        newest->has_image = server->is_newer = true;
        snprintf(newest->name, sizeof newest->name, "%s", o->image.name);
        newest->sequence = o->image.sequence;
        newest->capture_ns = o->image.capture_ns;
        newest->shown_ns = pov_clock_monotonic_ns();
        newest->calibration_hash = o->image.calibration_hash;
    }
    pthread_mutex_unlock(&server->lock);
}

static void take_newest(pov_ask_server *server)
{
    pthread_mutex_lock(&server->lock);
    if (server->is_newer) {
        snapshot *taken = server->newest;
        server->newest = server->answered; /* its memory is used again */
        server->answered = taken;
        server->answered_seen = server->seen;
        server->is_newer = false;
    }
    pthread_mutex_unlock(&server->lock);
}

/* -------- sessions -------- */

/* A session that was named is the same over any connection. */
static bool is_session_of(const session *s, const pov_asked *asked, const pov_ask_request *request)
{
    const bool same_peer = s->peer_len == asked->peer_len && memcmp(s->peer, asked->peer, s->peer_len) == 0;
    return s->talk && strcmp(s->speaker, request->speaker) == 0 && strcmp(s->name, request->session) == 0 &&
           (*request->session || same_peer);
}

/* The peer's own, or the one that has been silent for the longest, which is forgotten. */
static pov_status find_session(session **found, pov_ask_server *server, const pov_ask_request *request)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    session *oldest = &server->sessions[0];
    *found = NULL;
    for (int i = 0; i < SESSIONS && !*found; i++) {
        session *s = &server->sessions[i];
        if (is_session_of(s, &server->asked, request))
            *found = s;
        else if (!s->talk || (oldest->talk && s->heard_ns < oldest->heard_ns))
            oldest = s;
    }
    if (!*found) {
        *found = oldest;
        if (!oldest->talk)
            POV_TRY(pov_talk_new(&oldest->talk));
        pov_talk_forget(oldest->talk);
        oldest->peer_len = server->asked.peer_len;
        memcpy(oldest->peer, server->asked.peer, oldest->peer_len);
        strcpy(oldest->speaker, request->speaker);
        strcpy(oldest->name, request->session);
    } else if (request->forget || now_ns - (*found)->heard_ns > session_ns)
        pov_talk_forget((*found)->talk);
    (*found)->heard_ns = now_ns;
    return pov_ok();
}

static void drop_silent_sessions(pov_ask_server *server)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    for (int i = 0; i < SESSIONS; i++)
        if (server->sessions[i].talk && now_ns - server->sessions[i].heard_ns > session_ns)
            pov_talk_destroy(&server->sessions[i].talk);
}

/* -------- answers -------- */

/* The reply to a request that could not be put to a scene. */
static char *refuse(const char *utterance, const char *named, const char *say)
{
    cJSON *json = pov_talk_refusal(utterance, say);
    pov_json_add_text(json, "session", *named ? named : NULL);
    char *line = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    return line;
}

static pov_status answer(char **line, pov_ask_server *server, const pov_ask_request *request)
{
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    const snapshot *image = server->answered;
    session *peer;
    pov_talk_reply reply;
    if (!image->has_image)
        return pov_error("I have no image yet; ask again in a moment");
    if (*request->speaker && pov_scene_find(&image->scene, request->speaker) == POV_ID_NONE)
        return pov_error("nobody called \"%s\" is in the scene", request->speaker);
    POV_TRY(find_session(&peer, server, request));
    const pov_talk_about about = {.scene = &image->scene,
                                  .judging = &judging,
                                  .sights = image->sights,
                                  .sight_len = image->sight_len,
                                  .cameras = &server->answered_seen,
                                  .speaker = *request->speaker ? request->speaker : NULL,
                                  .image = image->name,
                                  .sequence = image->sequence,
                                  .capture_ns = image->capture_ns,
                                  .age_s = 1e-9 * (double)(pov_clock_monotonic_ns() - image->shown_ns),
                                  .stale_after_s = server->stale_after_s,
                                  .calibration_hash = image->calibration_hash};
    POV_TRY(pov_talk_hear(peer->talk, &reply, &about, request->utterance));
    pov_json_add_text(reply.json, "session", *request->session ? request->session : NULL);
    *line = cJSON_PrintUnformatted(reply.json);
    pov_talk_reply_clear(&reply);
    return *line ? pov_ok() : pov_error("out of memory");
}

static void keep_exchange(pov_ask_server *server, const char *speaker, char *line)
{
    pthread_mutex_lock(&server->lock);
    if (server->exchange_len == EXCHANGES) {
        free(server->exchanges[0].reply);
        memmove(server->exchanges, server->exchanges + 1, (EXCHANGES - 1) * sizeof *server->exchanges);
        server->exchange_len--;
    }
    exchange *kept = &server->exchanges[server->exchange_len++];
    snprintf(kept->speaker, sizeof kept->speaker, "%s", speaker);
    kept->reply = line;
    pthread_mutex_unlock(&server->lock);
}

bool pov_ask_server_take(pov_ask_server *server, char speaker[POV_NAME_CAPACITY], char **reply)
{
    pthread_mutex_lock(&server->lock);
    const bool some = server->exchange_len > 0;
    if (some) {
        strcpy(speaker, server->exchanges[0].speaker);
        *reply = server->exchanges[0].reply;
        server->exchange_len--;
        memmove(server->exchanges, server->exchanges + 1,
                (size_t)server->exchange_len * sizeof *server->exchanges);
    }
    pthread_mutex_unlock(&server->lock);
    return some;
}

/* To the caller that waits in pov_ask_server_ask, who frees its own. */
static void hand_over(pov_ask_server *server, const char *line)
{
    pthread_mutex_lock(&server->lock);
    server->line = line ? strdup(line) : NULL;
    server->is_answered = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

static void answer_request(pov_ask_server *server)
{
    pov_ask_request request;
    char *line = NULL;
    take_newest(server);
    pov_status status = pov_ask_request_read(&request, server->asked.text, server->asked.length);
    const bool is_read = status.code == POV_OK;
    if (is_read)
        status = answer(&line, server, &request);
    if (status.code != POV_OK) {
        char say[POV_MESSAGE_CAPACITY + 16];
        snprintf(say, sizeof say, "Sorry: %s.", status.message);
        line = refuse(is_read ? request.utterance : "", is_read ? request.session : "", say);
    }
    if (!server->responder)
        hand_over(server, line);
    else if (line)
        pov_responder_reply(server->responder, &server->asked, line, strlen(line));
    if (line && (is_read || !server->responder)) /* a caller's reply may go out as an exchange only */
        keep_exchange(server, is_read ? request.speaker : "", line);
    else
        free(line);
}

/* -------- callers within the program -------- */

static pov_status refuse_length(pov_ask_server *server, char **reply)
{
    char say[80];
    snprintf(say, sizeof say, "Sorry: the request is too long: over %d bytes.", POV_RESPONDER_BYTES_MAX);
    char *line = refuse("", "", say);
    if (!line)
        return pov_error("out of memory");
    *reply = strdup(line);
    keep_exchange(server, "", line);
    return *reply ? pov_ok() : pov_error("out of memory");
}

pov_status pov_ask_server_ask(pov_ask_server *server, char **reply, const char *peer, const char *request)
{
    const size_t length = strlen(request), peer_len = strlen(peer);
    *reply = NULL;
    if (peer_len > POV_PEER_BYTES_MAX)
        return pov_error("the peer's name is too long");
    if (length > POV_RESPONDER_BYTES_MAX)
        return refuse_length(server, reply);
    pthread_mutex_lock(&server->turn);
    pthread_mutex_lock(&server->lock);
    server->asked.length = length;
    server->asked.peer_len = peer_len;
    memcpy(server->asked.text, request, length + 1);
    memcpy(server->asked.peer, peer, peer_len);
    server->is_asked = true;
    server->is_answered = false;
    pthread_cond_broadcast(&server->changed);
    while (!server->is_answered && !atomic_load(&server->stops))
        pthread_cond_wait(&server->changed, &server->lock);
    *reply = server->is_answered ? server->line : NULL;
    server->line = NULL;
    pthread_mutex_unlock(&server->lock);
    pthread_mutex_unlock(&server->turn);
    return *reply ? pov_ok() : pov_error("nobody answers");
}

static pov_status await_caller(pov_ask_server *server)
{
    const struct timespec deadline = pov_clock_deadline(CALLER_MS);
    pthread_mutex_lock(&server->lock);
    while (!server->is_asked && !atomic_load(&server->stops))
        if (pthread_cond_timedwait(&server->changed, &server->lock, &deadline) != 0)
            break;
    const bool is_asked = server->is_asked;
    server->is_asked = false;
    pthread_mutex_unlock(&server->lock);
    return is_asked ? pov_ok() : (pov_status){.code = POV_TIMEOUT};
}

/* -------- the thread -------- */

static void rest(int64_t worked_ns)
{
    const int64_t rest_ns = worked_ns < rest_max_ns ? worked_ns : rest_max_ns;
    nanosleep(&(struct timespec){.tv_nsec = (long)rest_ns}, NULL);
}

static void keep_news(pov_ask_server *server)
{
    const char *news = server->responder ? pov_responder_news(server->responder) : NULL;
    if (!news)
        return;
    pthread_mutex_lock(&server->lock);
    snprintf(server->news, sizeof server->news, "%s", news);
    pthread_mutex_unlock(&server->lock);
}

bool pov_ask_server_news(pov_ask_server *server, char news[POV_PEER_TROUBLE_CAPACITY])
{
    pthread_mutex_lock(&server->lock);
    strcpy(news, server->news);
    server->news[0] = '\0';
    pthread_mutex_unlock(&server->lock);
    return news[0] != '\0';
}

static void *run(void *void_server)
{
    pov_ask_server *server = void_server;
    pov_thread_works_behind();
    while (!atomic_load(&server->stops)) {
        const pov_status status = server->responder
                                      ? pov_responder_next(server->responder, &server->asked, POLL_MS)
                                      : await_caller(server);
        keep_news(server);
        if (status.code == POV_TIMEOUT)
            drop_silent_sessions(server);
        else if (status.code != POV_OK)
            break;
        else {
            const int64_t begin_ns = pov_clock_monotonic_ns();
            answer_request(server);
            rest(pov_clock_monotonic_ns() - begin_ns);
        }
    }
    return NULL;
}

static pov_status start(pov_ask_server *server, const pov_ask_server_config *config)
{
    if (config->endpoint)
        POV_TRY(pov_responder_new(&server->responder, config->endpoint, config->keys,
                                  pov_descriptors_for_questions()));
    server->has_thread = pthread_create(&server->thread, NULL, run, server) == 0;
    return server->has_thread ? pov_ok() : pov_error("ask: no thread can be started");
}

pov_status pov_ask_server_new(pov_ask_server **server, const pov_ask_server_config *config)
{
    *server = calloc(1, sizeof **server);
    if (!*server)
        return pov_error("out of memory");
    pthread_mutex_init(&(*server)->lock, NULL);
    pthread_mutex_init(&(*server)->turn, NULL);
    pov_clock_condition_init(&(*server)->changed);
    (*server)->stale_after_s = config->stale_after_s;
    (*server)->newest = &(*server)->images[0];
    (*server)->answered = &(*server)->images[1];
    const pov_status status = start(*server, config);
    if (status.code != POV_OK)
        pov_ask_server_destroy(server);
    return status;
}

void pov_ask_server_stop(pov_ask_server *server)
{
    pthread_mutex_lock(&server->lock);
    atomic_store(&server->stops, true);
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    if (server->has_thread)
        pthread_join(server->thread, NULL);
    server->has_thread = false;
}

void pov_ask_server_destroy(pov_ask_server **server)
{
    pov_ask_server *s = *server;
    if (!s)
        return;
    pov_ask_server_stop(s);
    pov_responder_destroy(&s->responder);
    for (int i = 0; i < SESSIONS; i++)
        pov_talk_destroy(&s->sessions[i].talk);
    for (int i = 0; i < s->exchange_len; i++)
        free(s->exchanges[i].reply);
    for (int i = 0; i < 2; i++)
        free(s->images[i].sights);
    free(s->line);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->turn);
    pthread_mutex_destroy(&s->lock);
    free(s);
    *server = NULL;
}

const char *pov_ask_server_endpoint(const pov_ask_server *server)
{
    return pov_responder_endpoint(server->responder);
}
