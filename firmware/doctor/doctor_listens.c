#include "firmware/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char host[256], port[8];
} place;

/* "https://host:port/..., http://[::1]/..." */
static bool parse_place(place *where, const char *url)
{
    const bool secure = strncmp(url, "https://", 8) == 0;
    const char *rest = strstr(url, "://");
    snprintf(where->port, sizeof where->port, "%s", secure ? "443" : "80");
    if (!rest)
        return false;
    rest += 3;
    const bool bracketed = *rest == '[';
    rest += bracketed;
    const size_t host_len = strcspn(rest, bracketed ? "]" : ":/");
    if (host_len == 0 || host_len >= sizeof where->host)
        return false;
    memcpy(where->host, rest, host_len);
    where->host[host_len] = '\0';
    rest += host_len + (bracketed && rest[host_len] == ']');
    return *rest != ':' || sscanf(rest, ":%7[0-9]", where->port) == 1;
}

/* 0, or an errno. */
static int try_address(const struct addrinfo *address, int timeout_ms)
{
    const int line = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (line < 0)
        return errno;
    int error = connect(line, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        struct pollfd ready = {.fd = line, .events = POLLOUT};
        socklen_t size = sizeof error;
        if (poll(&ready, 1, timeout_ms) <= 0)
            error = ETIMEDOUT;
        else
            getsockopt(line, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    close(line);
    return error;
}

pov_status pov_check_listens(const char *url, int timeout_ms)
{
    place where;
    if (!parse_place(&where, url))
        return pov_error("%s is no URL", url);
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses;
    const int unknown = getaddrinfo(where.host, where.port, &wanted, &addresses);
    if (unknown)
        return pov_error("%s: no such host as '%s' (%s); check the URL, the network, the name server", url,
                         where.host, gai_strerror(unknown));
    int error = ETIMEDOUT;
    for (const struct addrinfo *each = addresses; each && error; each = each->ai_next)
        error = try_address(each, timeout_ms);
    freeaddrinfo(addresses);
    return error ? pov_error("%s: nobody listens there (%s); start the model's server, or correct the URL",
                             url, strerror(error))
                 : pov_ok();
}
