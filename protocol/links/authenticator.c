#include "protocol/links/authenticator.h"

#include "protocol/links/endpoint.h"
#include "protocol/links/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zmq.h>

enum {
    HANDSHAKES_A_POLL = 64, /* chosen: less than a millisecond */
    POLLS_A_LOOK = 32,      /* at keys that could not be read; chosen: about each second */
    ZAP_FRAMES = 7,         /* version, request id, domain, address, identity, mechanism, credentials */
    ZAP_FRAME_CAPACITY = 256
};

struct pov_authenticator {
    void *socket;
    char *folder;
    pov_key own;
    pov_peers peers;
    struct timespec changed; /* of the folder of peers, when they were read */
    int polls;               /* since then */
    bool has_news;
    uint64_t refused;
};

typedef struct {
    size_t length;
    uint8_t bytes[ZAP_FRAME_CAPACITY]; /* of a longer frame the beginning */
} zap_frame;

/* -------- peers -------- */

static struct timespec folder_time(const char *folder)
{
    char path[4096];
    struct stat facts;
    snprintf(path, sizeof path, "%s/peers", folder);
    return stat(path, &facts) == 0 ? facts.st_mtim : (struct timespec){0};
}

/* Of a folder that cannot be read, nobody is admitted. */
static void read_peers(pov_authenticator *self)
{
    char before[POV_PEER_TROUBLE_CAPACITY];
    strcpy(before, self->peers.trouble);
    self->changed = folder_time(self->folder);
    self->polls = 0;
    const pov_status status = pov_peers_read(&self->peers, self->folder);
    if (status.code != POV_OK) {
        self->peers.skipped = 1;
        snprintf(self->peers.trouble, sizeof self->peers.trouble, "%s", status.message);
    }
    self->has_news |= self->peers.skipped > 0 && strcmp(before, self->peers.trouble) != 0;
}

/* The folder's time does not tell when a file in it, of which the name came before the bytes, can be read. */
static bool refresh_peers(pov_authenticator *self)
{
    const struct timespec changed = folder_time(self->folder);
    const bool looks_again = self->peers.skipped > 0 && ++self->polls >= POLLS_A_LOOK;
    if (changed.tv_sec == self->changed.tv_sec && changed.tv_nsec == self->changed.tv_nsec && !looks_again)
        return false;
    read_peers(self);
    return true;
}

const char *pov_authenticator_news(pov_authenticator *authenticator)
{
    const bool is_new = authenticator->has_news;
    authenticator->has_news = false;
    return is_new ? authenticator->peers.trouble : NULL;
}

static const pov_key *find_key(const pov_authenticator *self, const char *public_key)
{
    for (int i = 0; i < self->peers.len; i++)
        if (strcmp(self->peers.peers[i].public_key, public_key) == 0)
            return &self->peers.peers[i];
    return NULL;
}

bool pov_authenticator_allows(const pov_authenticator *authenticator, const char *name)
{
    for (int i = 0; i < authenticator->peers.len; i++)
        if (strcmp(authenticator->peers.peers[i].name, name) == 0)
            return true;
    return false;
}

/* -------- handshakes -------- */

static bool frame_is(const zap_frame *frame, const char *text)
{
    return frame->length == strlen(text) && memcmp(frame->bytes, text, frame->length) == 0;
}

/* Takes all frames of a request. Returns how many they were; 0: no request waits. */
static int receive_request(pov_authenticator *self, zap_frame frames[ZAP_FRAMES])
{
    int len = 0;
    int more = 1;
    for (size_t size = sizeof more; more; len++) {
        zap_frame *frame = &frames[len < ZAP_FRAMES ? len : ZAP_FRAMES - 1];
        const int length = zmq_recv(self->socket, frame->bytes, sizeof frame->bytes, ZMQ_DONTWAIT);
        if (length < 0)
            return 0;
        frame->length = (size_t)length < sizeof frame->bytes ? (size_t)length : sizeof frame->bytes;
        POV_REQUIRE(zmq_getsockopt(self->socket, ZMQ_RCVMORE, &more, &size) == 0);
    }
    return len;
}

/* The peer who asks, or NULL. */
static const pov_key *judge_request(const pov_authenticator *self, const zap_frame frames[ZAP_FRAMES],
                                    int len)
{
    char key[POV_KEY_CAPACITY];
    if (len != ZAP_FRAMES || !frame_is(&frames[0], "1.0") || !frame_is(&frames[5], "CURVE") ||
        frames[6].length != 32)
        return NULL;
    POV_REQUIRE(zmq_z85_encode(key, frames[6].bytes, 32) != NULL);
    return find_key(self, key);
}

static void answer_request(pov_authenticator *self, const zap_frame *id, const pov_key *peer)
{
    const char *texts[] = {peer ? "200" : "400", peer ? "OK" : "key not allowed", peer ? peer->name : "", ""};
    zmq_send_const(self->socket, "1.0", 3, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    zmq_send(self->socket, id->bytes, id->length, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    for (int i = 0; i < 4; i++)
        zmq_send(self->socket, texts[i], strlen(texts[i]), ZMQ_DONTWAIT | (i < 3 ? ZMQ_SNDMORE : 0));
}

bool pov_authenticator_poll(pov_authenticator *authenticator)
{
    zap_frame frames[ZAP_FRAMES];
    const bool changed = refresh_peers(authenticator);
    for (int i = 0; i < HANDSHAKES_A_POLL; i++) {
        const int len = receive_request(authenticator, frames);
        if (len == 0)
            break;
        const pov_key *peer = judge_request(authenticator, frames, len);
        authenticator->refused += peer == NULL;
        answer_request(authenticator, &frames[1], peer);
    }
    return changed;
}

uint64_t pov_authenticator_refused(const pov_authenticator *authenticator)
{
    return authenticator->refused;
}

/* -------- sockets -------- */

static bool set_text(void *socket, int option, const char *text)
{
    return zmq_setsockopt(socket, option, text, strlen(text) + 1) == 0;
}

pov_status pov_authenticator_guard(pov_authenticator *authenticator, void *socket)
{
    /* libzmq admits everybody while no handler is bound; ours is, from before the socket is bound until it has closed. */
    const bool set = pov_socket_set(socket, ZMQ_CURVE_SERVER, 1) &&
                     set_text(socket, ZMQ_CURVE_SECRETKEY, authenticator->own.secret_key) &&
                     zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, "pov", 3) == 0;
    return set ? pov_ok() : pov_error("this libzmq has no CURVE: %s", zmq_strerror(zmq_errno()));
}

pov_status pov_authenticate_to(void *socket, const char *folder, const char *server)
{
    pov_key own, peer;
    POV_TRY(pov_peer_find(&peer, folder, server));
    POV_TRY(pov_key_read_own(&own, folder));
    const bool set = set_text(socket, ZMQ_CURVE_SERVERKEY, peer.public_key) &&
                     set_text(socket, ZMQ_CURVE_PUBLICKEY, own.public_key) &&
                     set_text(socket, ZMQ_CURVE_SECRETKEY, own.secret_key);
    explicit_bzero(&own, sizeof own);
    return set ? pov_ok() : pov_error("this libzmq has no CURVE: %s", zmq_strerror(zmq_errno()));
}

static pov_status open_authenticator(pov_authenticator *self, void *context, const char *folder)
{
    self->folder = strdup(folder);
    if (!self->folder)
        return pov_error("out of memory for an authenticator");
    POV_TRY(pov_key_read_own(&self->own, folder));
    read_peers(self);
    self->socket = zmq_socket(context, ZMQ_REP);
    if (!self->socket || !pov_socket_set(self->socket, ZMQ_LINGER, 0) ||
        zmq_bind(self->socket, "inproc://zeromq.zap.01") != 0)
        return pov_error("cannot open a ZeroMQ socket: %s", zmq_strerror(zmq_errno()));
    return pov_ok();
}

pov_status pov_authenticator_new(pov_authenticator **authenticator, void *context, const char *folder)
{
    *authenticator = calloc(1, sizeof **authenticator);
    if (!*authenticator)
        return pov_error("out of memory for an authenticator");
    pov_status status = open_authenticator(*authenticator, context, folder);
    if (status.code != POV_OK)
        pov_authenticator_destroy(authenticator);
    return status;
}

void pov_authenticator_destroy(pov_authenticator **authenticator)
{
    if (!*authenticator)
        return;
    if ((*authenticator)->socket)
        zmq_close((*authenticator)->socket);
    free((*authenticator)->folder);
    explicit_bzero(*authenticator, sizeof **authenticator);
    free(*authenticator);
    *authenticator = NULL;
}
