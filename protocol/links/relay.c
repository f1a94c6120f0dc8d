/* The thread is libzmq's kind of thread: it moves bytes and knows nothing of messages. */
#include "protocol/links/relay.h"

#include "protocol/links/zmtp_watch.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

enum {
    BUFFER_BYTES = 64 << 10,
    RETRY_MS = 100,      /* as libzmq (ZMQ_RECONNECT_IVL) */
    HEARTBEAT_COST = 128 /* a PING and its context (RFC 37), encrypted, as pov_zmtp_frame_cost counts */
};
/* Bytes that the socket has read become a message at once; chosen: that it was looked for so often in vain tells that there is none. */
enum { LOOKS_IN_VAIN = 3 };

typedef struct {
    int start, len;
    uint8_t bytes[BUFFER_BYTES];
} buffer;

struct pov_relay {
    char endpoint[64], host[256], port[8]; /* endpoint: the relay's own; host "": a path */
    struct sockaddr_un path;
    socklen_t path_len;
    uint64_t waiting_max_bytes;
    atomic_uint_least64_t waiting;
    atomic_bool stops, is_held, drops, dropped, has_curve;
    atomic_uint round_trip_us; /* to the peer, by its kernel's acknowledgements; 0: not known, or no TCP */
    int looks;                 /* in vain, by the socket's owner */
    void *thread;
    /* The thread's own. inner: from libzmq; outer: to the peer. -1: none. */
    int wake, listener;
    atomic_int inner;
    int outer;
    bool is_connecting, waits, inner_ended; /* waits: until it tries again */
    int addresses_tried;
    pov_zmtp_watch watch;
    buffer to_inner, to_outer;
};

/* -------- the peer's address -------- */

static bool read_tcp(pov_relay *relay, const char *address)
{
    const char *colon = strrchr(address, ':');
    const size_t len = colon ? (size_t)(colon - address) : 0;
    char *end;
    const long port = colon ? strtol(colon + 1, &end, 10) : 0;
    if (len == 0 || port < 1 || port > 65535 || *end || colon[1] < '0' || colon[1] > '9')
        return false;
    const bool bracketed = address[0] == '[' && address[len - 1] == ']' && len > 2;
    const int host_len = snprintf(relay->host, sizeof relay->host, "%.*s", (int)(bracketed ? len - 2 : len),
                                  address + bracketed);
    snprintf(relay->port, sizeof relay->port, "%ld", port);
    return host_len > 0 && host_len < (int)sizeof relay->host && !strpbrk(relay->host, "*;/ ");
}

static bool read_path(pov_relay *relay, const char *path)
{
    const size_t len = strlen(path);
    if (len == 0 || len >= sizeof relay->path.sun_path || strcmp(path, "*") == 0)
        return false;
    relay->path.sun_family = AF_UNIX;
    memcpy(relay->path.sun_path, path, len + 1);
    relay->path_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (path[0] != '@'));
    if (path[0] == '@') /* abstract */
        relay->path.sun_path[0] = '\0';
    return true;
}

static bool read_endpoint(pov_relay *relay, const char *endpoint)
{
    static const char tcp[] = "tcp://", ipc[] = "ipc://";
    if (strncmp(endpoint, tcp, strlen(tcp)) == 0)
        return read_tcp(relay, endpoint + strlen(tcp));
    return strncmp(endpoint, ipc, strlen(ipc)) == 0 && read_path(relay, endpoint + strlen(ipc));
}

/* -------- connecting -------- */

static void set_keepalive(int descriptor)
{
    const int yes = 1, idle_s = 10, interval_s = 5;
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/* Begins; -1: cannot. */
static int begin_connect(const struct sockaddr *address, socklen_t len)
{
    const int descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return -1;
    if (address->sa_family != AF_UNIX)
        set_keepalive(descriptor);
    if (connect(descriptor, address, len) == 0 || errno == EINPROGRESS)
        return descriptor;
    close(descriptor);
    return -1;
}

/* The next of the host's addresses at each try. */
static int begin_tcp(pov_relay *relay)
{
    struct addrinfo *all, hints = {.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    if (getaddrinfo(relay->host, relay->port, &hints, &all) != 0)
        return -1;
    const struct addrinfo *tried = all;
    int len = 1;
    for (const struct addrinfo *a = all->ai_next; a; a = a->ai_next)
        len++;
    relay->addresses_tried %= len;
    for (int i = relay->addresses_tried++; i > 0; i--)
        tried = tried->ai_next;
    const int descriptor = begin_connect(tried->ai_addr, tried->ai_addrlen);
    freeaddrinfo(all);
    return descriptor;
}

static void begin_outer(pov_relay *relay)
{
    relay->outer = relay->host[0] ? begin_tcp(relay)
                                  : begin_connect((const struct sockaddr *)&relay->path, relay->path_len);
    relay->is_connecting = relay->outer >= 0;
    relay->waits = relay->outer < 0;
}

static void close_outer(pov_relay *relay)
{
    if (relay->outer >= 0)
        close(relay->outer);
    relay->outer = -1;
    relay->is_connecting = false;
    relay->waits = true;
}

/* libzmq connects again. */
static void close_both(pov_relay *relay)
{
    const int inner = atomic_exchange(&relay->inner, -1);
    close_outer(relay);
    if (inner >= 0)
        close(inner);
    relay->to_inner.len = relay->to_outer.len = 0;
    relay->inner_ended = false;
}

static void end_connecting(pov_relay *relay)
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(relay->outer, SOL_SOCKET, SO_ERROR, &error, &size);
    relay->is_connecting = false;
    if (error != 0)
        close_outer(relay);
    else
        relay->addresses_tried--; /* this one again, when it must connect again */
}

/* Only this program's own socket is let in. */
static void accept_inner(pov_relay *relay)
{
    struct ucred who = {.pid = 0};
    socklen_t size = sizeof who;
    const int inner = accept4(relay->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (inner < 0)
        return;
    if (getsockopt(inner, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.pid != getpid()) {
        close(inner);
        return;
    }
    close_both(relay);
    relay->waits = false;
    relay->watch = (pov_zmtp_watch){0};
    atomic_store(&relay->waiting, 0);
    atomic_store(&relay->drops, false);
    atomic_store(&relay->inner, inner);
}

/* -------- moving bytes -------- */

/* False: the connection has ended. */
static bool is_there(ssize_t count)
{
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool receive_bytes(buffer *b, int from)
{
    const ssize_t count = recv(from, b->bytes, sizeof b->bytes, 0);
    b->start = 0;
    b->len = count > 0 ? (int)count : 0;
    return is_there(count);
}

static bool send_bytes(buffer *b, int to)
{
    const ssize_t count = send(to, b->bytes + b->start, (size_t)b->len, MSG_NOSIGNAL);
    if (count > 0) {
        b->start += (int)count;
        b->len -= (int)count;
    }
    return is_there(count);
}

/* The shortest that TCP has seen of this connection. */
static void note_round_trip(pov_relay *relay)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (relay->host[0] && getsockopt(relay->outer, IPPROTO_TCP, TCP_INFO, &info, &size) == 0)
        atomic_store(&relay->round_trip_us, info.tcpi_min_rtt);
}

/* What is not ZMTP is handed on, for libzmq to say so; then the connection ends. One frame that is larger than what may wait
 * ends it at once. */
static bool receive_outer(pov_relay *relay)
{
    buffer *b = &relay->to_inner;
    uint64_t cost = 0;
    if (!receive_bytes(b, relay->outer))
        return false;
    relay->inner_ended = !pov_zmtp_watch_pass(&relay->watch, &cost, b->bytes, (size_t)b->len);
    atomic_store(&relay->has_curve, relay->watch.has_curve);
    note_round_trip(relay);
    if (cost > relay->waiting_max_bytes) {
        atomic_store(&relay->dropped, true);
        return false;
    }
    atomic_fetch_add(&relay->waiting, cost);
    return true;
}

static bool has_room(pov_relay *relay)
{
    return relay->to_inner.len == 0 && atomic_load(&relay->waiting) <= relay->waiting_max_bytes;
}

static bool move_bytes(pov_relay *relay, short of_inner, short of_outer)
{
    const int inner = atomic_load(&relay->inner);
    bool goes_on = true;
    if (of_outer && has_room(relay))
        goes_on = receive_outer(relay);
    if (goes_on && relay->to_inner.len > 0)
        goes_on = send_bytes(&relay->to_inner, inner);
    if (goes_on && of_inner && relay->to_outer.len == 0)
        goes_on = receive_bytes(&relay->to_outer, inner);
    if (goes_on && relay->to_outer.len > 0)
        goes_on = send_bytes(&relay->to_outer, relay->outer);
    return goes_on && !(relay->inner_ended && relay->to_inner.len == 0);
}

/* -------- the thread -------- */

enum { WAKE, LISTENER, INNER, OUTER, POLLED };

static short events(bool reads, bool writes)
{
    return (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
}

/* How long to wait at most, in milliseconds; -1: until something comes. A descriptor of -1 is passed over. */
static int list_polled(pov_relay *relay, struct pollfd polled[POLLED])
{
    const int inner = atomic_load(&relay->inner);
    const bool is_open = relay->outer >= 0 && !relay->is_connecting;
    const bool reads_inner = is_open && relay->to_outer.len == 0, writes_inner = relay->to_inner.len > 0;
    atomic_store(&relay->is_held, true); /* first: what is taken from now on wakes this thread */
    const bool reads_outer = is_open && has_room(relay), writes_outer = relay->to_outer.len > 0;
    polled[WAKE] = (struct pollfd){.fd = relay->wake, .events = POLLIN};
    polled[LISTENER] = (struct pollfd){.fd = relay->listener, .events = POLLIN};
    polled[INNER] = (struct pollfd){.fd = inner, .events = events(reads_inner, writes_inner)};
    polled[OUTER] =
        (struct pollfd){.fd = reads_outer || writes_outer || relay->is_connecting ? relay->outer : -1,
                        .events = events(reads_outer, writes_outer || relay->is_connecting)};
    atomic_store(&relay->is_held, is_open && !writes_inner && !reads_outer);
    return inner >= 0 && relay->outer < 0 ? RETRY_MS : -1;
}

static void serve(pov_relay *relay, const struct pollfd polled[POLLED])
{
    const bool is_ended =
        atomic_exchange(&relay->drops, false) || (polled[INNER].revents & (POLLHUP | POLLERR));
    const bool is_open = relay->outer >= 0 && !relay->is_connecting;
    if (polled[LISTENER].revents)
        accept_inner(relay);
    else if (relay->is_connecting && polled[OUTER].revents && !is_ended)
        end_connecting(relay);
    else if (is_ended || (is_open && !move_bytes(relay, polled[INNER].revents, polled[OUTER].revents)))
        close_both(relay);
}

static void run_relay(void *user)
{
    pov_relay *relay = user;
    struct pollfd polled[POLLED];
    eventfd_t count;
    while (!atomic_load(&relay->stops)) {
        const int wait_ms = list_polled(relay, polled);
        const int ready = poll(polled, POLLED, wait_ms);
        if (polled[WAKE].revents)
            (void)eventfd_read(relay->wake, &count);
        if (ready > 0)
            serve(relay, polled);
        if (atomic_load(&relay->inner) >= 0 && relay->outer < 0 && (ready == 0 || !relay->waits))
            begin_outer(relay);
    }
    close_both(relay);
}

/* -------- the socket's owner -------- */

void pov_relay_take(pov_relay *relay, size_t bytes)
{
    const uint64_t cost = pov_zmtp_frame_cost(bytes, atomic_load(&relay->has_curve));
    uint64_t waiting = atomic_load(&relay->waiting);
    while (!atomic_compare_exchange_weak(&relay->waiting, &waiting, waiting > cost ? waiting - cost : 0))
        continue;
    relay->looks = 0;
    if (atomic_load(&relay->is_held))
        (void)eventfd_write(relay->wake, 1);
}

double pov_relay_round_trip_s(const pov_relay *relay)
{
    return relay->host[0] ? 1e-6 * atomic_load(&relay->round_trip_us) : 0;
}

bool pov_relay_drained(pov_relay *relay)
{
    if (atomic_exchange(&relay->dropped, false))
        return true;
    int unread = 0;
    const int inner = atomic_load(&relay->inner);
    if (atomic_load(&relay->has_curve) && atomic_load(&relay->waiting) <= relay->waiting_max_bytes)
        pov_relay_take(relay, HEARTBEAT_COST - POV_ZMTP_FRAME_COST - POV_ZMTP_CURVE_BYTES);
    if (!atomic_load(&relay->is_held) || inner < 0 || ioctl(inner, SIOCOUTQ, &unread) != 0 || unread > 0) {
        relay->looks = 0;
        return false;
    }
    if (++relay->looks < LOOKS_IN_VAIN)
        return false;
    relay->looks = 0;
    atomic_store(&relay->drops, true);
    (void)eventfd_write(relay->wake, 1);
    return true;
}

/* -------- coming and going -------- */

/* An abstract path that the kernel chooses. */
static bool open_listener(pov_relay *relay)
{
    struct sockaddr_un here = {.sun_family = AF_UNIX};
    socklen_t size = sizeof here;
    relay->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (relay->listener < 0 ||
        bind(relay->listener, (const struct sockaddr *)&here, sizeof here.sun_family) != 0 ||
        listen(relay->listener, 4) != 0 || getsockname(relay->listener, (struct sockaddr *)&here, &size) != 0)
        return false;
    const int len = (int)(size - offsetof(struct sockaddr_un, sun_path)) - 1;
    return snprintf(relay->endpoint, sizeof relay->endpoint, "ipc://@%.*s", len, here.sun_path + 1) <
           (int)sizeof relay->endpoint;
}

static bool open_relay(pov_relay *relay, const char *endpoint)
{
    errno = EINVAL;
    if (!read_endpoint(relay, endpoint))
        return false;
    relay->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (relay->wake < 0 || !open_listener(relay))
        return false;
    relay->thread = zmq_threadstart(run_relay, relay);
    return relay->thread != NULL;
}

bool pov_relay_new(pov_relay **relay, const char *endpoint, uint64_t waiting_max_bytes)
{
    *relay = calloc(1, sizeof **relay);
    if (!*relay)
        return false;
    (*relay)->wake = (*relay)->listener = (*relay)->outer = -1;
    atomic_init(&(*relay)->inner, -1);
    (*relay)->waiting_max_bytes = waiting_max_bytes;
    if (open_relay(*relay, endpoint))
        return true;
    const int why = errno;
    pov_relay_destroy(relay);
    errno = why;
    return false;
}

void pov_relay_destroy(pov_relay **relay)
{
    pov_relay *r = *relay;
    if (!r)
        return;
    if (r->thread) {
        atomic_store(&r->stops, true);
        (void)eventfd_write(r->wake, 1);
        zmq_threadclose(r->thread);
    }
    if (r->listener >= 0)
        close(r->listener);
    if (r->wake >= 0)
        close(r->wake);
    free(r);
    *relay = NULL;
}

const char *pov_relay_endpoint(const pov_relay *relay)
{
    return relay->endpoint;
}
