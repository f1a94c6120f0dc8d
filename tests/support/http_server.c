#include "tests/support/http_server.h"

#include "perception/status.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 4096, STEPS_MAX = 64, RECEIVED_MAX = 1 << 20 };
static const size_t FLOOD_BYTES = (size_t)1 << 30;

typedef struct {
    test_http_server *server;
    int socket;
    pthread_t thread;
} connection;

struct test_http_server {
    int listener, port;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    test_http_step steps[STEPS_MAX];
    int step_len, requests, together, most_together, connection_len;
    bool stopping;
    size_t bytes_sent, received_len;
    char *received;
    connection connections[CONNECTIONS_MAX];
};

static void note_received(test_http_server *server, const char *bytes, size_t len)
{
    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < len && server->received_len < RECEIVED_MAX; i++)
        server->received[server->received_len++] = bytes[i];
    pthread_mutex_unlock(&server->lock);
}

/** The head and as much body as it announces; false at the end of the connection. */
static bool read_request(connection *c)
{
    char head[8192];
    size_t len = 0;
    char *end = NULL;
    while (!end) {
        ssize_t got = recv(c->socket, head + len, sizeof head - 1 - len, 0);
        if (got <= 0)
            return false;
        note_received(c->server, head + len, (size_t)got);
        len += (size_t)got;
        head[len] = '\0';
        end = strstr(head, "\r\n\r\n");
        POV_REQUIRE(end || len < sizeof head - 1);
    }
    const char *announced = strcasestr(head, "\r\ncontent-length:");
    size_t left = announced ? strtoul(announced + 17, NULL, 10) : 0;
    const size_t have = len - (size_t)(end + 4 - head);
    for (left -= have < left ? have : left; left > 0;) {
        char body[4096];
        ssize_t got = recv(c->socket, body, sizeof body, 0);
        if (got <= 0)
            return false;
        note_received(c->server, body, (size_t)got);
        left -= (size_t)got < left ? (size_t)got : left;
    }
    return true;
}

static bool send_all(connection *c, const char *bytes, size_t len)
{
    for (size_t sent = 0; sent < len;) {
        ssize_t put = send(c->socket, bytes + sent, len - sent, MSG_NOSIGNAL);
        if (put <= 0)
            return false;
        sent += (size_t)put;
        pthread_mutex_lock(&c->server->lock);
        c->server->bytes_sent += (size_t)put;
        pthread_mutex_unlock(&c->server->lock);
    }
    return true;
}

static bool reply(connection *c, const test_http_step *step, size_t promised)
{
    char head[2048];
    const char *body = step->body ? step->body : "";
    int len = snprintf(head, sizeof head, "HTTP/1.1 %d Scripted\r\n%sContent-Length: %zu\r\n\r\n",
                       step->status ? step->status : 200,
                       step->headers ? step->headers : "Content-Type: application/json\r\n", promised);
    return send_all(c, head, (size_t)len) && send_all(c, body, strlen(body));
}

static void flood(connection *c, bool headers)
{
    static const char line[] = "Flood: abcdefghijklmnopqrstuvw\r\n";
    const char *start =
        headers ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
    char chunk[1000 * (sizeof line - 1)];
    for (size_t i = 0; i < sizeof chunk; i += sizeof line - 1)
        memcpy(chunk + i, line, sizeof line - 1);
    send_all(c, start, strlen(start));
    for (size_t sent = 0; sent < FLOOD_BYTES && send_all(c, chunk, sizeof chunk); sent += sizeof chunk)
        continue;
}

/** Waits until enough are under way, or the server stops. */
static void wait_for_others(test_http_server *server, int together)
{
    pthread_mutex_lock(&server->lock);
    while (server->most_together < together && !server->stopping)
        pthread_cond_wait(&server->changed, &server->lock);
    pthread_mutex_unlock(&server->lock);
}

static void hang(test_http_server *server)
{
    pthread_mutex_lock(&server->lock);
    while (!server->stopping)
        pthread_cond_wait(&server->changed, &server->lock);
    pthread_mutex_unlock(&server->lock);
}

/** False: the connection ends. */
static bool act(connection *c, const test_http_step *step)
{
    const size_t len = step->body ? strlen(step->body) : 0;
    switch (step->act) {
    case TEST_HTTP_TOGETHER:
        wait_for_others(c->server, step->together);
        return reply(c, step, len);
    case TEST_HTTP_REPLY:
        return reply(c, step, len);
    case TEST_HTTP_CLOSE_EARLY:
        reply(c, step, 2 * len);
        return false;
    case TEST_HTTP_HANG:
        hang(c->server);
        return false;
    case TEST_HTTP_FLOOD:
    case TEST_HTTP_FLOOD_HEADERS:
        flood(c, step->act == TEST_HTTP_FLOOD_HEADERS);
        return false;
    default:
        return false;
    }
}

static void *serve_connection(void *user)
{
    connection *c = user;
    test_http_server *server = c->server;
    for (bool going = true; going && read_request(c);) {
        pthread_mutex_lock(&server->lock);
        const int last = server->step_len - 1;
        const test_http_step step = server->steps[server->requests < last ? server->requests : last];
        server->requests++;
        if (++server->together > server->most_together)
            server->most_together = server->together;
        pthread_cond_broadcast(&server->changed);
        pthread_mutex_unlock(&server->lock);
        going = act(c, &step);
        pthread_mutex_lock(&server->lock);
        server->together--;
        pthread_mutex_unlock(&server->lock);
    }
    shutdown(c->socket, SHUT_RDWR);
    return NULL;
}

static void *accept_connections(void *user)
{
    test_http_server *server = user;
    for (int socket; (socket = accept(server->listener, NULL, NULL)) >= 0;) {
        POV_REQUIRE(server->connection_len < CONNECTIONS_MAX);
        connection *c = &server->connections[server->connection_len++];
        *c = (connection){.server = server, .socket = socket};
        POV_REQUIRE(pthread_create(&c->thread, NULL, serve_connection, c) == 0);
    }
    return NULL;
}

test_http_server *test_http_server_new(const test_http_step *steps, int len)
{
    test_http_server *server = calloc(1, sizeof *server);
    POV_REQUIRE(server && len >= 1 && len <= STEPS_MAX);
    memcpy(server->steps, steps, (size_t)len * sizeof *steps);
    server->step_len = len;
    server->received = calloc(1, RECEIVED_MAX + 1);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    POV_REQUIRE(server->received && bind(server->listener, (struct sockaddr *)&address, sizeof address) == 0);
    POV_REQUIRE(listen(server->listener, 128) == 0);
    POV_REQUIRE(getsockname(server->listener, (struct sockaddr *)&address, &size) == 0);
    server->port = ntohs(address.sin_port);
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->changed, NULL);
    POV_REQUIRE(pthread_create(&server->thread, NULL, accept_connections, server) == 0);
    return server;
}

void test_http_server_destroy(test_http_server **server)
{
    test_http_server *s = *server;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
    for (int i = 0; i < s->connection_len; i++)
        shutdown(s->connections[i].socket, SHUT_RDWR);
    for (int i = 0; i < s->connection_len; i++) {
        pthread_join(s->connections[i].thread, NULL);
        close(s->connections[i].socket);
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s->received);
    free(s);
    *server = NULL;
}

int test_http_server_port(const test_http_server *server)
{
    return server->port;
}

int test_http_server_requests(test_http_server *server)
{
    pthread_mutex_lock(&server->lock);
    const int requests = server->requests;
    pthread_mutex_unlock(&server->lock);
    return requests;
}

int test_http_server_most_together(test_http_server *server)
{
    pthread_mutex_lock(&server->lock);
    const int most = server->most_together;
    pthread_mutex_unlock(&server->lock);
    return most;
}

size_t test_http_server_bytes_sent(test_http_server *server)
{
    pthread_mutex_lock(&server->lock);
    const size_t bytes = server->bytes_sent;
    pthread_mutex_unlock(&server->lock);
    return bytes;
}

bool test_http_server_received(test_http_server *server, const char *text)
{
    pthread_mutex_lock(&server->lock);
    const bool found = memmem(server->received, server->received_len, text, strlen(text)) != NULL;
    pthread_mutex_unlock(&server->lock);
    return found;
}
