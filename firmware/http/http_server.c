#include "firmware/http/http_server.h"

#include "firmware/http/http_gate.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HANG_LOOK_US = 20000 };

struct pov_http_server {
    struct mg_context *context;
    pov_http_gate *gate; /* NULL: none */
    pov_http_handler *handler;
    void *user;
    char address[64];
    int port;
    size_t body_max_bytes;
    atomic_bool stopping;
};

struct pov_http_writer {
    struct mg_connection *connection;
    const pov_http_server *server;
};

/** The whole body, NUL-terminated; NULL if it is too long, cut, or there is no memory. */
static char *read_body(struct mg_connection *connection, size_t *len, size_t max_bytes)
{
    const long long announced = mg_get_request_info(connection)->content_length;
    *len = 0;
    if (announced > (long long)max_bytes)
        return NULL;
    char *body = malloc((announced > 0 ? (size_t)announced : 0) + 1);
    while (body && (long long)*len < announced) {
        const int got = mg_read(connection, body + *len, (size_t)announced - *len);
        if (got <= 0) {
            free(body);
            return NULL;
        }
        *len += (size_t)got;
    }
    if (body)
        body[*len] = '\0';
    return body;
}

static const char *reason_of(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 303:
        return "See Other";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 429:
        return "Too Many Requests";
    case 503:
        return "Service Unavailable";
    default:
        return "Error";
    }
}

static void send_reply(struct mg_connection *connection, const pov_http_reply *reply)
{
    const void *body = reply->fixed ? reply->fixed : reply->body;
    const size_t len = reply->fixed ? reply->fixed_len : reply->body ? strlen(reply->body) : 0;
    mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s\r\n",
              reply->status, reason_of(reply->status),
              reply->content_type ? reply->content_type : "application/json", len,
              reply->headers ? reply->headers : "", reply->own_headers ? reply->own_headers : "");
    if (len > 0)
        mg_write(connection, body, len);
}

static void send_stream(struct mg_connection *connection, pov_http_server *server,
                        const pov_http_reply *reply)
{
    pov_http_writer writer = {connection, server};
    mg_disable_connection_keep_alive(connection);
    mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nConnection: close\r\n%s\r\n", reply->status,
              reason_of(reply->status), reply->content_type, reply->headers ? reply->headers : "");
    reply->stream(server->user, &writer);
}

bool pov_http_write(pov_http_writer *writer, const void *bytes, size_t len)
{
    return !writer->server->stopping && mg_write(writer->connection, bytes, len) == (int)len;
}

static const char *find_header(const struct mg_connection *connection, const char *name)
{
    const char *value = mg_get_header(connection, name);
    return value ? value : "";
}

static int handle_request(struct mg_connection *connection, void *user)
{
    pov_http_server *server = user;
    const struct mg_request_info *info = mg_get_request_info(connection);
    pov_http_reply reply = {.status = 500};
    size_t len;
    char *body = read_body(connection, &len, server->body_max_bytes);
    if (body)
        server->handler(server->user, &reply,
                        &(pov_http_request){.method = info->request_method,
                                            .path = info->local_uri,
                                            .query = info->query_string ? info->query_string : "",
                                            .host = find_header(connection, "Host"),
                                            .cookie = find_header(connection, "Cookie"),
                                            .body = body,
                                            .body_len = len});
    else
        mg_disable_connection_keep_alive(connection); /* what remains of the body is no request */
    free(body);
    while (reply.hang && !server->stopping)
        usleep(HANG_LOOK_US);
    if (reply.stream)
        send_stream(connection, server, &reply);
    else if (!reply.hang)
        send_reply(connection, &reply);
    free(reply.body);
    free(reply.own_headers);
    return reply.status; /* for civetweb: handled */
}

/* With a gate, civetweb listens behind it. */
static void write_place(char *place, size_t capacity, const pov_http_server_config *config)
{
    if (config->gated_max > 0)
        snprintf(place, capacity, "127.0.0.1:0");
    else
        snprintf(place, capacity, "%s:%d", config->address, config->port);
}

static int bound_port(struct mg_context *context)
{
    struct mg_server_port port;
    return mg_get_server_ports(context, 1, &port) == 1 ? port.port : 0;
}

static pov_status open_gate(pov_http_server *server, const pov_http_server_config *config)
{
    return pov_http_gate_new(&server->gate, &(pov_http_gate_config){.address = config->address,
                                                                    .port = config->port,
                                                                    .server_port = server->port,
                                                                    .certificate = config->certificate,
                                                                    .connections_max = config->gated_max});
}

pov_status pov_http_server_new(pov_http_server **server, pov_http_handler *handler, void *user,
                               const pov_http_server_config *config)
{
    char listening[128];
    write_place(listening, sizeof listening, config);
    /* A connection that is kept alive holds a thread. */
    const char *options[] = {"listening_ports",
                             listening,
                             "num_threads",
                             "64",
                             "enable_keep_alive",
                             "yes",
                             "keep_alive_timeout_ms",
                             "1000",
                             "request_timeout_ms",
                             "10000",
                             "tcp_nodelay",
                             "1",
                             NULL};
    pov_http_server *s = *server = calloc(1, sizeof *s);
    if (!s)
        return pov_error("out of memory for an HTTP server");
    s->handler = handler;
    s->user = user;
    s->body_max_bytes = config->body_max_bytes;
    snprintf(s->address, sizeof s->address, "%s", config->gated_max > 0 ? "127.0.0.1" : config->address);
    mg_init_library(0);
    s->context = mg_start(&(struct mg_callbacks){0}, s, options);
    if (!s->context) {
        pov_http_server_destroy(server);
        return pov_error(
            "cannot listen on %s: it is in use, not permitted, or not of this machine; port 0 takes any",
            listening);
    }
    mg_set_request_handler(s->context, "/", handle_request, s);
    s->port = bound_port(s->context);
    const pov_status status = config->gated_max > 0 ? open_gate(s, config) : pov_ok();
    if (status.code != POV_OK)
        pov_http_server_destroy(server);
    return status;
}

/** civetweb looks whether it is to stop only every two seconds, or when someone connects. */
static void *wake_up(void *user)
{
    const pov_http_server *server = user;
    char error[100];
    usleep(HANG_LOOK_US);
    struct mg_connection *connection =
        mg_connect_client(server->address, server->port, 0, error, sizeof error);
    if (connection)
        mg_close_connection(connection);
    return NULL;
}

static void stop_server(pov_http_server *server)
{
    pthread_t thread;
    const bool waking = pthread_create(&thread, NULL, wake_up, server) == 0;
    mg_stop(server->context);
    if (waking)
        pthread_join(thread, NULL);
}

void pov_http_server_destroy(pov_http_server **server)
{
    if (!*server)
        return;
    (*server)->stopping = true;
    pov_http_gate_destroy(&(*server)->gate);
    if ((*server)->context)
        stop_server(*server);
    mg_exit_library();
    free(*server);
    *server = NULL;
}

int pov_http_server_port(const pov_http_server *server)
{
    return server->gate ? pov_http_gate_port(server->gate) : server->port;
}
