/* libzmq has no bound on connections, no hook before it accepts, and cannot be handed a connection. Its monitor tells of one only
 * afterwards: until the next image, 33 ms, a flood brings a thousand. The dynamic linker binds libzmq's calls of listen and
 * accept4 to the program's own (System V ABI, 5.2: the executable's symbols come first): the guard counts before libzmq sees a
 * connection.
 *
 * libzmq closes connections without a word to us, so an entry is looked at again only when there is no room: it has ended if its
 * descriptor is closed or is another socket by now, which its inode tells. */
#include "protocol/links/accept_guard.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GUARDS_MAX = 64 /* listeners of one program, further ones go unguarded; chosen: a station has two */ };

typedef struct {
    int descriptor;
    ino_t inode;
    struct in6_addr address; /* all 0: a local socket */
} guest;

struct pov_accept_guard {
    int len, capacity;
    atomic_uint_least64_t refused;
    guest guests[];
};

/* One for the whole program, as accept4 is. Only the thread that accepts at a listener uses its guard's guests. */
static struct {
    atomic_int listener; /* one more than the descriptor; 0: free */
    _Atomic(pov_accept_guard *) guard;
} guarded[GUARDS_MAX];
static _Thread_local pov_accept_guard *starting; /* of the listeners that this thread opens; NULL: none */

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

static bool is_there(const guest *g)
{
    struct stat facts;
    return fstat(g->descriptor, &facts) == 0 && facts.st_ino == g->inode;
}

static bool has_room(const pov_accept_guard *guard, const struct in6_addr *address)
{
    int of_address = 0;
    for (int i = 0; i < guard->len; i++)
        of_address += IN6_ARE_ADDR_EQUAL(&guard->guests[i].address, address);
    return guard->len < guard->capacity &&
           (IN6_IS_ADDR_UNSPECIFIED(address) || 2 * of_address < guard->capacity);
}

static void forget_gone(pov_accept_guard *guard)
{
    for (int i = guard->len - 1; i >= 0; i--)
        if (!is_there(&guard->guests[i]))
            guard->guests[i] = guard->guests[--guard->len];
}

static bool admit(pov_accept_guard *guard, int descriptor)
{
    struct stat facts;
    const struct in6_addr address = address_of(descriptor);
    if (!has_room(guard, &address))
        forget_gone(guard);
    if (!has_room(guard, &address) || fstat(descriptor, &facts) != 0)
        return false;
    guard->guests[guard->len++] =
        (guest){.descriptor = descriptor, .inode = facts.st_ino, .address = address};
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
        close(descriptor);
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

/* Under names of their own, since the C library's headers declare the parameters otherwise. */
#define INTERPOSES(name) __asm__(name) __attribute__((used, visibility("default")))
int pov_listen(int listener, int backlog) INTERPOSES("listen");
int pov_accept4(int listener, struct sockaddr *peer, socklen_t *size, int flags) INTERPOSES("accept4");
int pov_accept(int listener, struct sockaddr *peer, socklen_t *size) INTERPOSES("accept");

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

pov_status pov_accept_guard_new(pov_accept_guard **guard, int connections_max)
{
    *guard = calloc(1, sizeof **guard + (size_t)connections_max * sizeof *(*guard)->guests);
    if (!*guard)
        return pov_error("out of memory for %d connections", connections_max);
    (*guard)->capacity = connections_max;
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
    free(*guard);
    *guard = NULL;
}

uint64_t pov_accept_guard_refused(const pov_accept_guard *guard)
{
    return guard ? atomic_load(&guard->refused) : 0;
}
