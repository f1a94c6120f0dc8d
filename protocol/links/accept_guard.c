/* libzmq has no bound on connections, no hook before it accepts, and cannot be handed a connection. Its monitor tells of one only
 * afterwards: until the next image, 33 ms, a flood brings a thousand. It bounds frames (ZMQ_MAXMSGSIZE) and whole messages
 * (ZMQ_RCVHWM), but not the parts of a message that does not end, nor requests that an XPUB socket has read ahead. The dynamic linker
 * binds libzmq's calls of listen, accept4, recv and close to the program's own (System V ABI, 5.2: the executable's symbols come
 * first): the guard counts before libzmq sees a connection or a byte. A call that fails is what libzmq knows of networks: it closes
 * the connection.
 *
 * With CURVE a heartbeat looks like a short message, and is never taken by the socket's owner. So a connection with CURVE is forgiven
 * one heartbeat each time the socket is found empty. */
#include "protocol/links/accept_guard.h"

#include "protocol/links/zmtp_watch.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    GUARDS_MAX = 64, /* listeners of one program, further ones go unguarded; chosen: a station has two */
    DESCRIPTORS_MAX = 65536,
    ALWAYS_BYTES =
        512, /* that a connection may have waiting whatever others have; chosen: a few subscriptions */
    /* Connections that were replaced and that libzmq has not closed yet: as many, or a quarter of those there may be. Each
       leaves room for another only when its messages have been taken. Chosen. */
    LEAVING_MIN = 4,
    HEARTBEAT_COST = 128, /* a PING and its context (RFC 37), encrypted, as pov_zmtp_frame_cost counts */
    /* Rounds are calls of pov_accept_guard_drained. A connection is kept for so many after it came (handshake and first message
       take milliseconds), and after its message was taken (the owner answers in the first, libzmq sends meanwhile). Chosen. */
    ROUNDS_TO_ARRIVE = 2,
    ROUNDS_TO_ANSWER = 3
};

/* A connection that libzmq has closed keeps its descriptor until the owner has found the socket empty: what the owner still takes of
 * it is never taken for that of a new connection with the same descriptor. */
enum { PLACE_FREE, PLACE_TAKEN, PLACE_CLOSED };

typedef struct {
    pov_accept_guard *guard;
    atomic_int state;
    int descriptor;
    bool leaves;             /* replaced by another */
    struct in6_addr address; /* all 0: a local socket */
    pov_zmtp_watch watch;
    uint64_t heard; /* counts up in its guard */
    atomic_uint_least64_t waiting;
    atomic_bool stays, has_curve, sends_ahead; /* sends_ahead: more came while something waited */
    atomic_uint_least64_t kept_until;          /* round; before it no other connection takes its place */
} client;

struct pov_accept_guard {
    pov_accept_guard_config config;
    atomic_uint_least64_t refused, waiting_in_all, rounds;
    atomic_int accepted; /* since the socket was found empty */
    uint64_t heard;
    int len; /* places */
    client clients[];
};

/* One for the whole program, as accept4 is. A guard's clients come, are heard and go on the one thread that its listener's context
 * has for connections. */
static struct {
    atomic_int listener; /* one more than the descriptor; 0: free */
    _Atomic(pov_accept_guard *) guard;
} guarded[GUARDS_MAX];
static _Atomic(client *) client_of[DESCRIPTORS_MAX];
static _Thread_local pov_accept_guard *starting; /* of the listeners that this thread opens; NULL: none */

static client *find_client(int descriptor)
{
    return descriptor >= 0 && descriptor < DESCRIPTORS_MAX ? atomic_load(&client_of[descriptor]) : NULL;
}

/* -------- coming -------- */

/* IPv4 as IPv6 writes it, since libzmq's sockets are of IPv6. */
static struct in6_addr address_of(int descriptor)
{
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof peer;
    struct in6_addr address = IN6ADDR_ANY_INIT;
    if (getpeername(descriptor, (struct sockaddr *)&peer, &size) != 0)
        return address;
    if (peer.ss_family == AF_INET6)
        address = ((const struct sockaddr_in6 *)&peer)->sin6_addr;
    else if (peer.ss_family == AF_INET) {
        address.s6_addr[10] = address.s6_addr[11] = 0xff;
        memcpy(&address.s6_addr[12], &((const struct sockaddr_in *)&peer)->sin_addr, 4);
    }
    return address;
}

static bool is_local_socket(const struct in6_addr *address)
{
    return IN6_IS_ADDR_UNSPECIFIED(address);
}

/* More than a request or two; chosen. */
static uint64_t excess_of(const client *g)
{
    const uint64_t waiting = atomic_load(&g->waiting);
    return waiting > g->guard->config.waiting_max_bytes / 4 ? waiting : 0;
}

/* Should this one go rather than the other? */
static bool goes_before(const client *one, const client *other)
{
    return excess_of(one) != excess_of(other) ? excess_of(one) > excess_of(other) : one->heard < other->heard;
}

/* Until it has introduced itself, and while its one message waits for its turn or for the answer: libzmq takes messages of all
 * connections in turn, so that each is taken after as many rounds as there are connections. */
static bool is_kept(const pov_accept_guard *guard, const client *g)
{
    return atomic_load(&g->stays) ||
           (!atomic_load(&g->sends_ahead) && atomic_load(&guard->rounds) < atomic_load(&g->kept_until));
}

static void keep_client(const pov_accept_guard *guard, client *g, uint64_t rounds)
{
    atomic_store(&g->kept_until, atomic_load(&guard->rounds) + rounds);
}

/* Shut down: libzmq closes it when it next looks at it. */
static bool replace_client(pov_accept_guard *guard, const struct in6_addr *address)
{
    client *leaving = NULL;
    for (client *g = guard->clients; g < guard->clients + guard->len; g++)
        if (atomic_load(&g->state) == PLACE_TAKEN && !g->leaves && !is_kept(guard, g) &&
            (!address || IN6_ARE_ADDR_EQUAL(&g->address, address)) && (!leaving || goes_before(g, leaving)))
            leaving = g;
    if (!leaving)
        return false;
    leaving->leaves = true;
    shutdown(leaving->descriptor, SHUT_RDWR);
    atomic_fetch_add(&guard->refused, 1);
    return true;
}

/* A free place, if need be after another has been told to leave; NULL: none. */
static client *find_place(pov_accept_guard *guard, const struct in6_addr *address)
{
    int staying = 0, leaving = 0, of_address = 0;
    client *place = NULL;
    for (client *g = guard->clients; g < guard->clients + guard->len; g++) {
        const int state = atomic_load(&g->state);
        const bool stays = state == PLACE_TAKEN && !g->leaves;
        leaving += state != PLACE_FREE && !stays;
        staying += stays;
        of_address += stays && IN6_ARE_ADDR_EQUAL(&g->address, address);
        place = state == PLACE_FREE ? g : place;
    }
    const bool is_full = staying >= guard->config.connections_max;
    const bool has_its_share = !is_local_socket(address) && 2 * of_address >= guard->config.connections_max;
    if (!is_full && !has_its_share)
        return place;
    return leaving < guard->len - guard->config.connections_max &&
                   replace_client(guard, has_its_share ? address : NULL)
               ? place
               : NULL;
}

static bool admit(pov_accept_guard *guard, int descriptor)
{
    const struct in6_addr address = address_of(descriptor);
    client *place =
        descriptor < DESCRIPTORS_MAX && atomic_fetch_add(&guard->accepted, 1) < guard->config.connections_max
            ? find_place(guard, &address)
            : NULL;
    if (!place)
        return false;
    place->descriptor = descriptor;
    place->leaves = false;
    place->address = address;
    place->watch = (pov_zmtp_watch){0};
    place->heard = ++guard->heard;
    atomic_store(&place->waiting, 0);
    atomic_store(&place->stays, false);
    atomic_store(&place->has_curve, false);
    atomic_store(&place->sends_ahead, false);
    keep_client(guard, place, ROUNDS_TO_ARRIVE);
    atomic_store(&place->state, PLACE_TAKEN);
    atomic_store(&client_of[descriptor], place);
    return true;
}

static pov_accept_guard *find_guard(int listener)
{
    for (int i = 0; i < GUARDS_MAX; i++)
        if (atomic_load(&guarded[i].listener) == listener + 1)
            return atomic_load(&guarded[i].guard);
    return NULL;
}

static int take_connection(int listener, struct sockaddr *peer, socklen_t *size, int flags)
{
    pov_accept_guard *guard = find_guard(listener);
    const int descriptor = (int)syscall(SYS_accept4, listener, peer, size, flags);
    if (!guard)
        return descriptor;
    if (descriptor >= 0 && admit(guard, descriptor))
        return descriptor;
    if (descriptor < 0 && errno != EMFILE) /* at which libzmq aborts, on a local socket */
        return descriptor;
    if (descriptor >= 0) {
        syscall(SYS_close, descriptor);
        atomic_fetch_add(&guard->refused, 1);
    }
    errno = ECONNABORTED;
    return -1;
}

static void guard_listener(pov_accept_guard *guard, int listener)
{
    for (int i = 0; i < GUARDS_MAX; i++) {
        int none = 0;
        /* Taken first, so that no other thread takes it, by a number that no descriptor has. */
        if (!atomic_compare_exchange_strong(&guarded[i].listener, &none, -1))
            continue;
        atomic_store(&guarded[i].guard, guard);
        atomic_store(&guarded[i].listener, listener + 1);
        return;
    }
}

/* -------- sending, and going -------- */

/* May libzmq have these bytes? */
static bool pass_bytes(client *g, const uint8_t *bytes, size_t len)
{
    pov_accept_guard *guard = g->guard;
    const pov_accept_guard_config *config = &guard->config;
    uint64_t cost = 0;
    g->heard = ++guard->heard;
    if (!pov_zmtp_watch_pass(&g->watch, &cost, bytes, len) || cost > config->waiting_max_bytes)
        return false;
    atomic_store(&g->has_curve, g->watch.has_curve);
    const uint64_t waiting = atomic_fetch_add(&g->waiting, cost) + cost;
    if (waiting > config->waiting_max_bytes)
        return false;
    if (cost > 0 && waiting > cost)
        atomic_store(&g->sends_ahead, true);
    else if (cost > 0)
        keep_client(guard, g, 2 * (uint64_t)guard->len);
    if (config->waiting_max_bytes_in_all == 0)
        return true;
    const uint64_t in_all = atomic_load(&guard->waiting_in_all) + cost;
    const bool has_room = waiting <= ALWAYS_BYTES || (in_all <= config->waiting_max_bytes_in_all &&
                                                      waiting <= config->waiting_max_bytes_in_all - in_all);
    if (has_room)
        atomic_fetch_add(&guard->waiting_in_all, cost);
    return has_room;
}

static ssize_t read_client(client *g, void *bytes, size_t capacity, int flags)
{
    const size_t at_once = g->guard->config.read_max_bytes;
    if (g->leaves) { /* what the kernel still has of it would keep libzmq reading */
        errno = ECONNRESET;
        return -1;
    }
    const ssize_t len = syscall(SYS_recvfrom, g->descriptor, bytes,
                                at_once > 0 && at_once < capacity ? at_once : capacity, flags, NULL, NULL);
    if (len <= 0 || pass_bytes(g, bytes, (size_t)len))
        return len;
    atomic_fetch_add(&g->guard->refused, 1);
    errno = ECONNRESET;
    return -1;
}

static void end_client(client *g)
{
    shutdown(g->descriptor, SHUT_RDWR);
    atomic_store(&client_of[g->descriptor], NULL);
    atomic_store(&g->state, PLACE_CLOSED);
}

static void free_place(client *g)
{
    if (atomic_load(&g->state) != PLACE_CLOSED)
        return;
    syscall(SYS_close, g->descriptor);
    atomic_store(&g->state, PLACE_FREE);
}

/* Under names of their own, since the C library's headers declare the parameters otherwise. */
#define INTERPOSES(name) __asm__(name) __attribute__((used, visibility("default")))
int pov_listen(int listener, int backlog) INTERPOSES("listen");
int pov_accept4(int listener, struct sockaddr *peer, socklen_t *size, int flags) INTERPOSES("accept4");
int pov_accept(int listener, struct sockaddr *peer, socklen_t *size) INTERPOSES("accept");
ssize_t pov_recv(int descriptor, void *bytes, size_t capacity, int flags) INTERPOSES("recv");
int pov_close(int descriptor) INTERPOSES("close");

int pov_listen(int listener, int backlog)
{
    if (starting)
        guard_listener(starting, listener);
    return (int)syscall(SYS_listen, listener, backlog);
}

int pov_accept4(int listener, struct sockaddr *peer, socklen_t *size, int flags)
{
    return take_connection(listener, peer, size, flags);
}

int pov_accept(int listener, struct sockaddr *peer, socklen_t *size)
{
    return take_connection(listener, peer, size, 0);
}

ssize_t pov_recv(int descriptor, void *bytes, size_t capacity, int flags)
{
    client *g = find_client(descriptor);
    return g ? read_client(g, bytes, capacity, flags)
             : syscall(SYS_recvfrom, descriptor, bytes, capacity, flags, NULL, NULL);
}

int pov_close(int descriptor)
{
    client *g = find_client(descriptor);
    if (g) {
        end_client(g);
        return 0;
    }
    return (int)syscall(SYS_close, descriptor);
}

/* -------- the guard -------- */

pov_status pov_accept_guard_new(pov_accept_guard **guard, const pov_accept_guard_config *config)
{
    const int quarter = config->connections_max / 4;
    const int len = config->connections_max + (quarter > LEAVING_MIN ? quarter : LEAVING_MIN);
    *guard = calloc(1, sizeof **guard + (size_t)len * sizeof *(*guard)->clients);
    if (!*guard)
        return pov_error("out of memory for %d connections", config->connections_max);
    (*guard)->config = *config;
    (*guard)->len = len;
    for (int i = 0; i < len; i++)
        (*guard)->clients[i].guard = *guard;
    return pov_ok();
}

void pov_accept_guard_start(pov_accept_guard *guard)
{
    starting = guard;
}

void pov_accept_guard_stop(pov_accept_guard *guard)
{
    for (int i = 0; guard && i < GUARDS_MAX; i++)
        if (atomic_load(&guarded[i].guard) == guard && atomic_load(&guarded[i].listener) > 0)
            atomic_store(&guarded[i].listener, 0);
}

void pov_accept_guard_destroy(pov_accept_guard **guard)
{
    pov_accept_guard_stop(*guard);
    for (int i = 0; *guard && i < (*guard)->len; i++)
        free_place(&(*guard)->clients[i]);
    free(*guard);
    *guard = NULL;
}

uint64_t pov_accept_guard_refused(const pov_accept_guard *guard)
{
    return guard ? atomic_load(&guard->refused) : 0;
}

/* -------- the owner of the socket -------- */

static void reduce_waiting(client *g, uint64_t bytes)
{
    uint64_t waiting = atomic_load(&g->waiting);
    while (!atomic_compare_exchange_weak(&g->waiting, &waiting, waiting > bytes ? waiting - bytes : 0))
        continue;
    if (waiting <= bytes)
        atomic_store(&g->sends_ahead, false);
}

/* A client's place is its guard's as long as the guard is there; who sits in it may change meanwhile, and is then given a little. */
static client *find_client_here(pov_accept_guard *guard, int descriptor)
{
    client *g = find_client(descriptor);
    return g >= guard->clients && g < guard->clients + guard->len ? g : NULL;
}

void pov_accept_guard_take(pov_accept_guard *guard, int descriptor, size_t bytes)
{
    client *g = find_client_here(guard, descriptor);
    if (!g)
        return;
    reduce_waiting(g, pov_zmtp_frame_cost(bytes, atomic_load(&g->has_curve)));
    keep_client(guard, g, ROUNDS_TO_ANSWER);
}

void pov_accept_guard_keep(pov_accept_guard *guard, int descriptor)
{
    client *g = find_client_here(guard, descriptor);
    if (g)
        atomic_store(&g->stays, true);
}

void pov_accept_guard_drained(pov_accept_guard *guard)
{
    atomic_store(&guard->waiting_in_all, 0);
    atomic_store(&guard->accepted, 0);
    atomic_fetch_add(&guard->rounds, 1);
    for (client *g = guard->clients; g < guard->clients + guard->len; g++) {
        free_place(g);
        if (atomic_load(&g->has_curve))
            reduce_waiting(g, HEARTBEAT_COST);
    }
}
