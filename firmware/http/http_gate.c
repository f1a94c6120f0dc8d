#include "firmware/http/http_gate.h"

#include "firmware/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    REQUEST_CAPACITY = 16384, /* bytes of a request; civetweb takes as many of its head */
    REPLY_CAPACITY = 65536,   /* bytes on their way to a peer; chosen: more would be old video */
    WAIT_MS = 1000,           /* longest time until deadlines are looked at; chosen */
    BACKLOG = 256,
    STEPS_MAX = 16, /* for one client before the next has its turn; chosen */
    FULL_US = 10000 /* pause when no descriptor is left; chosen */
};
static const int64_t request_ns = 5000000000; /* until the request must be whole; chosen */
static const int64_t stuck_ns = 10000000000;  /* that a peer may take nothing of a reply: as in the server */
static const int64_t linger_ns = 2000000000;  /* that a peer may go on sending after the reply; chosen */

typedef enum { FREE, SHAKING_HANDS, READING_REQUEST, OPEN, LINGERING } client_state;

typedef struct {
    size_t start, len, capacity;
    unsigned char *bytes;
} buffer;

typedef struct {
    client_state state;
    int peer, server; /* descriptors; server: -1 until it is open */
    SSL *ssl;
    struct in6_addr address;
    int64_t came_ns, moved_ns;                /* when it was accepted, when it last took a byte */
    bool peer_done, server_done, told_server; /* told_server: that no more of the request comes */
    bool wants_to_write;                      /* TLS cannot read before it has written */
    pov_frame_guard frames;
    buffer request, reply;
} client;

struct pov_http_gate {
    int listener, wake, port, server_port;
    size_t frame_max_bytes; /* 0: no frames */
    SSL_CTX *tls;
    pthread_t thread;
    bool has_thread;
    int len; /* places */
    client *clients;
    struct pollfd *polled;
    unsigned char *memory;
};

/* -------- frames -------- */

/* The head's length as far as it is known. */
static int frame_head_len(const pov_frame_guard *guard)
{
    enum { MASK_BYTES = 4 };
    const int short_len = guard->head[1] & 127;
    return guard->head_len < 2 ? 2 : 2 + (short_len == 127 ? 8 : short_len == 126 ? 2 : 0) + MASK_BYTES;
}

static uint64_t frame_len(const pov_frame_guard *guard)
{
    const int short_len = guard->head[1] & 127, bytes = short_len == 127 ? 8 : short_len == 126 ? 2 : 0;
    uint64_t len = 0;
    for (int i = 0; i < bytes; i++)
        len = len << 8 | guard->head[2 + i];
    return bytes ? len : (uint64_t)short_len;
}

bool pov_frame_guard_pass(pov_frame_guard *guard, const unsigned char *bytes, size_t len, size_t max_bytes)
{
    while (len > 0) {
        const size_t passing = guard->left < len ? (size_t)guard->left : len;
        guard->left -= passing;
        bytes += passing;
        len -= passing;
        if (len == 0)
            return true;
        guard->head[guard->head_len++] = *bytes++;
        len--;
        if (guard->head_len >= 2 && !(guard->head[1] & 128))
            return false;
        if (guard->head_len < frame_head_len(guard))
            continue;
        if (frame_len(guard) > max_bytes)
            return false;
        guard->left = frame_len(guard);
        guard->head_len = 0;
    }
    return true;
}

/* -------- bytes -------- */

typedef enum { MOVED, WAITING, ENDED } progress;

static progress judge_count(ssize_t count)
{
    return count > 0 ? MOVED : count < 0 && (errno == EAGAIN || errno == EINTR) ? WAITING : ENDED;
}

static progress judge_tls(client *g, int result)
{
    const int error = SSL_get_error(g->ssl, result);
    ERR_clear_error();
    g->wants_to_write = error == SSL_ERROR_WANT_WRITE;
    return error == SSL_ERROR_NONE                                         ? MOVED
           : error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? WAITING
                                                                           : ENDED;
}

static unsigned char *room_of(buffer *b, size_t *room)
{
    if (b->len == 0)
        b->start = 0;
    if (b->start > 0 && b->start + b->len == b->capacity) {
        memmove(b->bytes, b->bytes + b->start, b->len);
        b->start = 0;
    }
    *room = b->capacity - b->start - b->len;
    return b->bytes + b->start + b->len;
}

static void remove_bytes(buffer *b, size_t len)
{
    b->start += len;
    b->len -= len;
}

static progress read_peer(client *g)
{
    size_t room;
    unsigned char *at = room_of(&g->request, &room);
    if (room == 0)
        return WAITING;
    const ssize_t count = g->ssl ? SSL_read(g->ssl, at, (int)room) : recv(g->peer, at, room, 0);
    if (count > 0)
        g->request.len += (size_t)count;
    return g->ssl ? judge_tls(g, (int)count) : judge_count(count);
}

static progress write_peer(client *g, int64_t now_ns)
{
    if (g->reply.len == 0)
        return WAITING;
    const unsigned char *at = g->reply.bytes + g->reply.start;
    const ssize_t count =
        g->ssl ? SSL_write(g->ssl, at, (int)g->reply.len) : send(g->peer, at, g->reply.len, MSG_NOSIGNAL);
    if (count > 0) {
        remove_bytes(&g->reply, (size_t)count);
        g->moved_ns = now_ns;
    }
    return g->ssl ? judge_tls(g, (int)count) : judge_count(count);
}

static progress read_server(client *g, int64_t now_ns)
{
    size_t room;
    unsigned char *at = room_of(&g->reply, &room);
    if (room == 0)
        return WAITING;
    const ssize_t count = recv(g->server, at, room, 0);
    if (count > 0) {
        if (g->reply.len == 0)
            g->moved_ns = now_ns;
        g->reply.len += (size_t)count;
    }
    return judge_count(count);
}

static progress write_server(client *g)
{
    if (g->request.len == 0)
        return WAITING;
    const ssize_t count = send(g->server, g->request.bytes + g->request.start, g->request.len, MSG_NOSIGNAL);
    if (count > 0)
        remove_bytes(&g->request, (size_t)count);
    return judge_count(count);
}

/* -------- clients -------- */

static void dismiss(client *g)
{
    if (g->ssl) {
        SSL_shutdown(g->ssl); /* says goodbye if that can be done at once */
        ERR_clear_error();
        SSL_free(g->ssl);
    }
    close(g->peer);
    if (g->server >= 0)
        close(g->server);
    const buffer request = {.bytes = g->request.bytes, .capacity = REQUEST_CAPACITY};
    const buffer reply = {.bytes = g->reply.bytes, .capacity = REPLY_CAPACITY};
    *g = (client){.state = FREE, .peer = -1, .server = -1, .request = request, .reply = reply};
}

/* A small buffer for what the server sends: a slow peer gets recent images, not many old ones. */
static bool open_server(client *g, int server_port)
{
    const int small = REPLY_CAPACITY, yes = 1;
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)server_port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    g->server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (g->server < 0)
        return false;
    setsockopt(g->server, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    setsockopt(g->server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return connect(g->server, (const struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS;
}

/* The reply is complete, but the peer may still be sending its request. Closing now would reset the connection, and the peer might
 * never read the reply: what it sends is read and dropped until it ends. */
static void begin_lingering(client *g, int64_t now_ns)
{
    if (g->ssl) {
        SSL_shutdown(g->ssl);
        ERR_clear_error();
    }
    shutdown(g->peer, SHUT_WR);
    close(g->server);
    g->server = -1;
    g->state = LINGERING;
    g->moved_ns = now_ns;
    g->wants_to_write = false;
}

/* True: more may come at once. */
static bool linger(client *g)
{
    const ssize_t count = recv(g->peer, g->request.bytes, g->request.capacity, 0);
    const progress how = judge_count(count);
    if (how == ENDED)
        dismiss(g);
    return how == MOVED;
}

static const unsigned char *end_of_head(const buffer *request)
{
    return memmem(request->bytes + request->start, request->len, "\r\n\r\n", 4);
}

/* As its head announces it; 0: not at all. */
static size_t body_len(const unsigned char *head, const unsigned char *end)
{
    static const char name[] = "\r\ncontent-length:";
    const size_t name_len = sizeof name - 1;
    size_t len = 0;
    while (head + name_len < end && strncasecmp((const char *)head, name, name_len) != 0)
        head++;
    for (head += name_len; head < end && *head == ' ';)
        head++;
    for (; head < end && *head >= '0' && *head <= '9' && len < REQUEST_CAPACITY; head++)
        len = 10 * len + (size_t)(*head - '0');
    return len;
}

/* Its head and its body, so that none of the server's threads waits for them. One that has no room is the server's to refuse. */
static bool has_whole_request(const buffer *request)
{
    const unsigned char *head = request->bytes + request->start, *end = end_of_head(request);
    const size_t whole = end ? (size_t)(end + 4 - head) + body_len(head, end) : request->capacity;
    return request->len >= whole || whole > request->capacity;
}

/* True: another step may be possible at once. */
static bool shake_hands(client *g)
{
    const progress how = judge_tls(g, SSL_accept(g->ssl));
    if (how == ENDED)
        dismiss(g);
    else if (how == MOVED)
        g->state = READING_REQUEST;
    return how == MOVED;
}

/* Checks the frames that came together with the head. */
static bool passes_first_frames(const pov_http_gate *gate, client *g)
{
    const unsigned char *end = end_of_head(&g->request), *first = end ? end + 4 : NULL;
    return gate->frame_max_bytes == 0 ||
           (first &&
            pov_frame_guard_pass(&g->frames, first,
                                 g->request.len - (size_t)(first - g->request.bytes - g->request.start),
                                 gate->frame_max_bytes));
}

static bool read_request(const pov_http_gate *gate, client *g, int64_t now_ns)
{
    const progress how = read_peer(g);
    if (has_whole_request(&g->request) && passes_first_frames(gate, g) && open_server(g, gate->server_port)) {
        g->state = OPEN;
        g->moved_ns = now_ns;
        return true;
    }
    if (how == ENDED || has_whole_request(&g->request)) {
        dismiss(g);
        return false;
    }
    return how == MOVED;
}

static bool pass_bytes(const pov_http_gate *gate, client *g, int64_t now_ns)
{
    const size_t before = g->request.len;
    const progress in = g->peer_done ? WAITING : read_peer(g);
    const unsigned char *end = g->request.bytes + g->request.start + g->request.len;
    const size_t came = g->request.len - before;
    if (gate->frame_max_bytes > 0 &&
        !pov_frame_guard_pass(&g->frames, end - came, came, gate->frame_max_bytes)) {
        dismiss(g);
        return false;
    }
    const progress to_server = write_server(g);
    const progress from_server = g->server_done ? WAITING : read_server(g, now_ns),
                   out = write_peer(g, now_ns);
    g->peer_done |= in == ENDED || to_server == ENDED;
    g->server_done |= from_server == ENDED;
    if (to_server == ENDED) /* it may have replied before it had all of the request */
        g->request.len = 0;
    if (g->peer_done && g->request.len == 0 && !g->told_server) {
        shutdown(g->server, SHUT_WR);
        g->told_server = true;
    }
    const bool complete = g->server_done && g->reply.len == 0;
    if (complete && out != ENDED && !g->peer_done) {
        begin_lingering(g, now_ns);
        return true;
    }
    if (out == ENDED || complete) {
        dismiss(g);
        return false;
    }
    return in == MOVED || to_server == MOVED || from_server == MOVED || out == MOVED;
}

static void serve_client(const pov_http_gate *gate, client *g, int64_t now_ns)
{
    bool goes_on = true;
    for (int i = 0; i < STEPS_MAX && goes_on && g->state != FREE; i++)
        goes_on = g->state == SHAKING_HANDS     ? shake_hands(g)
                  : g->state == READING_REQUEST ? read_request(gate, g, now_ns)
                  : g->state == LINGERING       ? linger(g)
                                                : pass_bytes(gate, g, now_ns);
}

static bool is_overdue(const client *g, int64_t now_ns)
{
    return g->state == OPEN        ? g->reply.len > 0 && now_ns - g->moved_ns > stuck_ns
           : g->state == LINGERING ? now_ns - g->moved_ns > linger_ns
                                   : g->state != FREE && now_ns - g->came_ns > request_ns;
}

/* -------- the door -------- */

static struct in6_addr address_of(const struct sockaddr_storage *peer)
{
    struct in6_addr address = IN6ADDR_ANY_INIT;
    if (peer->ss_family == AF_INET6)
        address = ((const struct sockaddr_in6 *)peer)->sin6_addr;
    else if (peer->ss_family == AF_INET)
        memcpy(&address.s6_addr[12], &((const struct sockaddr_in *)peer)->sin_addr, 4);
    return address;
}

/* The oldest without a whole request, or with its whole reply; of one address, or of any (NULL). */
static client *find_idle(pov_http_gate *gate, const struct in6_addr *address)
{
    client *oldest = NULL;
    for (client *g = gate->clients; g < gate->clients + gate->len; g++)
        if (g->state != FREE && g->state != OPEN && (!address || IN6_ARE_ADDR_EQUAL(&g->address, address)) &&
            (!oldest || g->came_ns < oldest->came_ns))
            oldest = g;
    return oldest;
}

/* A free place, if need be that of one who waits; NULL: none. */
static client *find_place(pov_http_gate *gate, const struct in6_addr *address)
{
    int of_address = 0;
    client *place = NULL;
    for (client *g = gate->clients; g < gate->clients + gate->len; g++) {
        of_address += g->state != FREE && IN6_ARE_ADDR_EQUAL(&g->address, address);
        if (g->state == FREE)
            place = g;
    }
    if (place && 2 * of_address < gate->len)
        return place;
    place = find_idle(gate, 2 * of_address < gate->len ? NULL : address);
    if (place)
        dismiss(place);
    return place;
}

static bool admit(pov_http_gate *gate, int64_t now_ns)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    const int yes = 1, descriptor = accept4(gate->listener, (struct sockaddr *)&peer, &size,
                                            SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE))
        usleep(FULL_US);
    if (descriptor < 0)
        return false;
    const struct in6_addr address = address_of(&peer);
    client *g = find_place(gate, &address);
    if (!g) {
        close(descriptor);
        return true;
    }
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    g->state = READING_REQUEST;
    g->peer = descriptor;
    g->address = address;
    g->came_ns = now_ns;
    if (gate->tls) {
        g->state = SHAKING_HANDS;
        g->ssl = SSL_new(gate->tls);
        if (!g->ssl || SSL_set_fd(g->ssl, descriptor) != 1) {
            dismiss(g);
            return true;
        }
        SSL_set_accept_state(g->ssl);
    }
    serve_client(gate, g, now_ns);
    return true;
}

/* -------- the thread -------- */

static short events_of_peer(const client *g)
{
    const bool reads = g->state == LINGERING || (g->request.len < g->request.capacity && !g->peer_done);
    const bool writes = g->reply.len > 0 || g->wants_to_write;
    return (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
}

static short events_of_server(const client *g)
{
    const bool reads = g->reply.len < g->reply.capacity && !g->server_done;
    return (short)((reads ? POLLIN : 0) | (g->request.len > 0 ? POLLOUT : 0));
}

/* Two entries a place after those of the listener and of the end. A negative descriptor is passed over. */
static void list_polled(pov_http_gate *gate)
{
    gate->polled[0] = (struct pollfd){.fd = gate->wake, .events = POLLIN};
    gate->polled[1] = (struct pollfd){.fd = gate->listener, .events = POLLIN};
    for (int i = 0; i < gate->len; i++) {
        const client *g = &gate->clients[i];
        const short of_peer = events_of_peer(g), of_server = events_of_server(g);
        gate->polled[2 + 2 * i] =
            (struct pollfd){.fd = g->state == FREE || of_peer == 0 ? -1 : g->peer, .events = of_peer};
        gate->polled[3 + 2 * i] =
            (struct pollfd){.fd = g->state != OPEN || of_server == 0 ? -1 : g->server, .events = of_server};
    }
}

static void *run_gate(void *user)
{
    pov_http_gate *gate = user;
    for (;;) {
        list_polled(gate);
        poll(gate->polled, 2 + 2 * (nfds_t)gate->len, WAIT_MS);
        if (gate->polled[0].revents)
            return NULL;
        const int64_t now_ns = pov_clock_monotonic_ns();
        for (int i = 0; i < gate->len; i++) {
            if (gate->polled[2 + 2 * i].revents || gate->polled[3 + 2 * i].revents)
                serve_client(gate, &gate->clients[i], now_ns);
            if (is_overdue(&gate->clients[i], now_ns))
                dismiss(&gate->clients[i]);
        }
        if (gate->polled[1].revents)
            for (int i = 0; i < BACKLOG && admit(gate, now_ns); i++)
                continue;
    }
}

/* -------- coming and going -------- */

/* why: of errno; 0: none. */
static pov_status refuse_address(const pov_http_gate_config *config, int why)
{
    const char *advice =
        why == EADDRINUSE ? "another program listens there; take another port, or 0 for any that is free"
        : why == EACCES   ? "this port is kept for root; take one above 1023, or 0 for any that is free"
        : why == EADDRNOTAVAIL
            ? "no network interface of this machine has that address ('ip address' lists them)"
            : "is this an address of this machine?";
    return pov_error("cannot listen on %s:%d: %s", config->address, config->port, advice);
}

static bool bind_listener(int descriptor, const struct addrinfo *at)
{
    const int yes = 1, no = 0;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (at->ai_family == AF_INET6)
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    return bind(descriptor, at->ai_addr, at->ai_addrlen) == 0 && listen(descriptor, BACKLOG) == 0;
}

static pov_status open_listener(pov_http_gate *gate, const pov_http_gate_config *config)
{
    char host[256], port[16];
    const size_t length = strlen(config->address);
    const bool bracketed = config->address[0] == '[' && length > 2;
    snprintf(host, sizeof host, "%.*s", (int)(bracketed ? length - 2 : length), config->address + bracketed);
    snprintf(port, sizeof port, "%d", config->port);
    struct addrinfo *at, hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    if (getaddrinfo(host, port, &hints, &at) != 0)
        return refuse_address(config, 0);
    gate->listener = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool bound = gate->listener >= 0 && bind_listener(gate->listener, at);
    const int why = bound ? 0 : errno;
    freeaddrinfo(at);
    struct sockaddr_storage here;
    socklen_t size = sizeof here;
    if (!bound || getsockname(gate->listener, (struct sockaddr *)&here, &size) != 0)
        return refuse_address(config, why);
    gate->port = ntohs(here.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&here)->sin6_port
                                                  : ((struct sockaddr_in *)&here)->sin_port);
    return pov_ok();
}

static pov_status open_tls(pov_http_gate *gate, const char *certificate)
{
    gate->tls = SSL_CTX_new(TLS_server_method());
    if (!gate->tls || SSL_CTX_set_min_proto_version(gate->tls, TLS1_2_VERSION) != 1)
        return pov_error("this OpenSSL has no TLS 1.2");
    SSL_CTX_set_mode(gate->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                    SSL_MODE_RELEASE_BUFFERS);
    if (SSL_CTX_use_certificate_chain_file(gate->tls, certificate) == 1 &&
        SSL_CTX_use_PrivateKey_file(gate->tls, certificate, SSL_FILETYPE_PEM) == 1 &&
        SSL_CTX_check_private_key(gate->tls) == 1)
        return pov_ok();
    char why[256];
    ERR_error_string_n(ERR_peek_last_error(), why, sizeof why);
    ERR_clear_error();
    return pov_error(
        "%s: no certificate with its private key, in PEM form (%s); remove the file and pov makes a new one",
        certificate, why);
}

static pov_status make_places(pov_http_gate *gate, int len)
{
    gate->clients = calloc((size_t)len, sizeof *gate->clients);
    gate->polled = calloc(2 + 2 * (size_t)len, sizeof *gate->polled);
    gate->memory = malloc((size_t)len * (REQUEST_CAPACITY + REPLY_CAPACITY));
    if (!gate->clients || !gate->polled || !gate->memory)
        return pov_error("out of memory for %d connections", len);
    gate->len = len;
    for (int i = 0; i < len; i++) {
        unsigned char *bytes = gate->memory + (size_t)i * (REQUEST_CAPACITY + REPLY_CAPACITY);
        gate->clients[i] = (client){.state = FREE,
                                    .peer = -1,
                                    .server = -1,
                                    .request = {.bytes = bytes, .capacity = REQUEST_CAPACITY},
                                    .reply = {.bytes = bytes + REQUEST_CAPACITY, .capacity = REPLY_CAPACITY}};
    }
    return pov_ok();
}

static pov_status open_gate(pov_http_gate *gate, const pov_http_gate_config *config)
{
    POV_TRY(make_places(gate, config->connections_max));
    if (config->certificate)
        POV_TRY(open_tls(gate, config->certificate));
    POV_TRY(open_listener(gate, config));
    gate->wake = eventfd(0, EFD_CLOEXEC);
    gate->has_thread = gate->wake >= 0 && pthread_create(&gate->thread, NULL, run_gate, gate) == 0;
    return gate->has_thread ? pov_ok() : pov_error("no thread for an HTTP server: %s", strerror(errno));
}

pov_status pov_http_gate_new(pov_http_gate **gate, const pov_http_gate_config *config)
{
    *gate = calloc(1, sizeof **gate);
    if (!*gate)
        return pov_error("out of memory for an HTTP server");
    (*gate)->listener = (*gate)->wake = -1;
    (*gate)->server_port = config->server_port;
    (*gate)->frame_max_bytes = config->frame_max_bytes;
    const pov_status status = open_gate(*gate, config);
    if (status.code != POV_OK)
        pov_http_gate_destroy(gate);
    return status;
}

void pov_http_gate_destroy(pov_http_gate **gate)
{
    pov_http_gate *g = *gate;
    if (!g)
        return;
    if (g->has_thread) {
        eventfd_write(g->wake, 1);
        pthread_join(g->thread, NULL);
    }
    for (int i = 0; i < g->len; i++)
        if (g->clients[i].state != FREE)
            dismiss(&g->clients[i]);
    if (g->listener >= 0)
        close(g->listener);
    if (g->wake >= 0)
        close(g->wake);
    SSL_CTX_free(g->tls);
    free(g->clients);
    free(g->polled);
    free(g->memory);
    free(g);
    *gate = NULL;
}

int pov_http_gate_port(const pov_http_gate *gate)
{
    return gate->port;
}
