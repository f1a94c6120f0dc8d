#include "protocol/links/endpoint.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#define EXAMPLES "tcp://127.0.0.1:5570 or ipc:///tmp/pov"

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0 && text[strlen(start)] != '\0';
}

static pov_status check_endpoint(const char *endpoint)
{
    if (begins_with(endpoint, "tcp://") || begins_with(endpoint, "ipc://"))
        return pov_ok();
    return pov_error("'%s' is not an endpoint; write one like " EXAMPLES, endpoint);
}

const char *pov_endpoint_path(const char *endpoint)
{
    const char *path = endpoint + strlen("ipc://");
    return begins_with(endpoint, "ipc://") && path[0] != '*' && path[0] != '@' ? path : NULL;
}

bool pov_endpoint_is_local(const char *endpoint)
{
    static const char *const local[] = {"ipc://", "tcp://127.",
                                        "tcp://[::1]:", "tcp://localhost:", "tcp://lo:"};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (begins_with(endpoint, local[i]))
            return true;
    return false;
}

/* libzmq replaces a socket file without asking whether someone listens on it: ask first. */
static bool is_path_in_use(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return false;
    strcpy(address.sun_path, path);
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0)
        return false;
    bool answered = connect(probe, (struct sockaddr *)&address, sizeof address) == 0 || errno == EAGAIN;
    close(probe);
    return answered;
}

/* libzmq removes whatever has the socket's path. */
static bool is_other_file(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0 && !S_ISSOCK(facts.st_mode);
}

static pov_status explain_failure(const char *endpoint, const char *doing, int error)
{
    switch (error) {
    case EADDRINUSE:
        return pov_error(
            "cannot %s %s: it is in use, perhaps by another pov; stop that or choose another endpoint "
            "(tcp://127.0.0.1:* takes any free port)",
            doing, endpoint);
    case EACCES:
    case EPERM:
        return pov_error("cannot %s %s: not permitted; choose a port above 1023, or a path you may write to",
                         doing, endpoint);
    case ENODEV:
    case EADDRNOTAVAIL:
        return pov_error(
            "cannot %s %s: this machine has no such address; choose one of its own, or tcp://*:PORT for all",
            doing, endpoint);
    case EINVAL:
        return pov_error("cannot %s %s: it is malformed; write one like " EXAMPLES, doing, endpoint);
    default:
        return pov_error("cannot %s %s: %s; choose an endpoint like " EXAMPLES, doing, endpoint,
                         zmq_strerror(error));
    }
}

pov_status pov_endpoint_bind(void *socket, pov_accept_guard *guard, const char *endpoint, const char *doing)
{
    POV_TRY(check_endpoint(endpoint));
    const char *path = pov_endpoint_path(endpoint);
    if (path != NULL && is_other_file(path))
        return pov_error("cannot %s %s: %s is there, and is not a socket; choose another path", doing,
                         endpoint, path);
    if (path != NULL && is_path_in_use(path))
        return explain_failure(endpoint, doing, EADDRINUSE);
    pov_accept_guard_start(guard);
    const bool bound = zmq_bind(socket, endpoint) == 0;
    const int error = zmq_errno();
    pov_accept_guard_start(NULL);
    return bound ? pov_ok() : explain_failure(endpoint, doing, error);
}

pov_status pov_endpoint_connect(void *socket, pov_relay **relay, const char *endpoint,
                                uint64_t waiting_max_bytes)
{
    POV_TRY(check_endpoint(endpoint));
    if (!pov_relay_new(relay, endpoint, waiting_max_bytes))
        return explain_failure(endpoint, "connect to", errno);
    return zmq_connect(socket, pov_relay_endpoint(*relay)) == 0
               ? pov_ok()
               : explain_failure(endpoint, "connect to", zmq_errno());
}

bool pov_socket_set(void *socket, int option, int value)
{
    return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}

void pov_socket_close(void *context, void *socket)
{
    if (socket)
        zmq_close(socket);
    if (context)
        while (zmq_ctx_term(context) != 0 && errno == EINTR)
            continue;
}
