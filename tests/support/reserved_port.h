/** A port of 127.0.0.1 that is nobody else's while a server of the test's comes, goes and comes back: bound, but not listened
 *  at. The system gives it to no other program; a server, which binds with SO_REUSEADDR, may listen at it, and connections to it
 *  are refused while none does. Include after cmocka.h. */
#pragma once

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    int socket;
    char number[8], endpoint[40]; /* "43497", "tcp://127.0.0.1:43497" */
} test_reserved_port;

static inline test_reserved_port test_port_reserve(void)
{
    const int yes = 1;
    test_reserved_port port = {.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(setsockopt(port.socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
    assert_int_equal(bind(port.socket, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(port.socket, (struct sockaddr *)&address, &size), 0);
    snprintf(port.number, sizeof port.number, "%u", (unsigned)ntohs(address.sin_port));
    snprintf(port.endpoint, sizeof port.endpoint, "tcp://127.0.0.1:%s", port.number);
    return port;
}

static inline void test_port_give_back(test_reserved_port *port)
{
    close(port->socket);
}
