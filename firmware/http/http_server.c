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
    const pov_http_sockets *sockets; /* NULL: none */
    struct mg_websocket_subprotocols subprotocols;
    atomic_bool stopping;
};

struct pov_http_writer {
    struct mg_connection *connection;
    const pov_http_server *server;
};

struct pov_http_socket {
    struct mg_connection *connection;
    const pov_http_server *server;
    void *client;
};

/** The whole body, NUL-terminated; NULL: *status says whether it is too long (413), of no announced length (411), cut (400), or
 *  there is no memory (503). */
static char *read_body(struct mg_connection *connection, size_t *len, int *status, size_t max_bytes)
{
    const long long announced = mg_get_request_info(connection)->content_length;
    *len = 0;
    *status = announced > (long long)max_bytes ? 413 : 411;
    if (announced > (long long)max_bytes || mg_get_header(connection, "Transfer-Encoding"))
        return NULL;
    *status = 503;
    char *body = malloc((announced > 0 ? (size_t)announced : 0) + 1);
    while (body && (long long)*len < announced) {
        const int got = mg_read(connection, body + *len, (size_t)announced - *len);
        if (got <= 0) {
            *status = 400;
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
    case 400:
        return "Bad Request";
    case 303:
        return "See Other";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 411:
        return "Length Required";
    case 413:
        return "Content Too Large";
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
    const size_t len = reply->fixed      ? reply->fixed_len
                       : reply->body_len ? reply->body_len
                       : reply->body     ? strlen(reply->body)
                                         : 0;
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
    reply->stream(server->user, &writer, reply->body);
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

/* Without a body. */
static pov_http_request describe_request(const struct mg_connection *connection)
{
    const struct mg_request_info *info = mg_get_request_info(connection);
    return (pov_http_request){.method = info->request_method,
                              .path = info->local_uri,
                              .query = info->query_string ? info->query_string : "",
                              .host = find_header(connection, "Host"),
                              .cookie = find_header(connection, "Cookie"),
                              .origin = find_header(connection, "Origin"),
                              .body = ""};
}

static void refuse_body(pov_http_reply *reply, int status, size_t max_bytes)
{
    char text[160];
    snprintf(text, sizeof text,
             status == 413   ? "A request's body may have %zu bytes at most.\n"
             : status == 411 ? "A request's body needs a Content-Length; it may have %zu bytes at most.\n"
             : status == 400 ? "The request's body is cut; it may have %zu bytes at most.\n"
                             : "There is no memory for a body of up to %zu bytes.\n",
             max_bytes);
    reply->status = status;
    reply->content_type = "text/plain; charset=utf-8";
    reply->body = strdup(text);
}

static int handle_request(struct mg_connection *connection, void *user)
{
    pov_http_server *server = user;
    pov_http_request request = describe_request(connection);
    pov_http_reply reply = {.status = 500};
    size_t len;
    int refusal;
    char *body = read_body(connection, &len, &refusal, server->body_max_bytes);
    if (body) {
        request.body = body;
        request.body_len = len;
        server->handler(server->user, &reply, &request);
    } else {
        refuse_body(&reply, refusal, server->body_max_bytes);
        mg_disable_connection_keep_alive(connection); /* what remains of the body is not a request */
    }
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

/* ---- sockets ---- */

/* civetweb would give a client that names no subprotocol, or an unknown one, what it did not ask for. */
static int admit_socket(const struct mg_connection *connection, void *user)
{
    const pov_http_server *server = user;
    const pov_http_request request = describe_request(connection);
    const bool speaks = *find_header(connection, "Sec-WebSocket-Protocol") &&
                        mg_get_request_info(connection)->acceptedWebSocketSubprotocol;
    const int status = server->sockets->admit(server->user, &request);
    if (status == 101 && speaks)
        return 0;
    struct mg_connection *to =
        (struct mg_connection *)connection; /* civetweb's callback, not its object, is const */
    mg_printf(to, "HTTP/1.1 %d %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
              status == 101 ? 400 : status, reason_of(status == 101 ? 400 : status));
    return 1;
}

static void enter_socket(struct mg_connection *connection, void *user)
{
    const pov_http_server *server = user;
    pov_http_socket *socket = calloc(1, sizeof *socket);
    mg_set_user_connection_data(connection, socket);
    if (!socket)
        return;
    socket->connection = connection;
    socket->server = server;
    socket->client = server->sockets->enter(server->user, socket);
    if (!socket->client) /* told; its reply ends the connection */
        mg_websocket_write(connection, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, "\x03\xf5", 2);
}

/* Texts come whole: clients of a few hundred bytes a message do not send fragments. */
static int hear_socket(struct mg_connection *connection, int bits, char *text, size_t len, void *user)
{
    enum { WHOLE_TEXT = 0x81, CONTROL = 8 };
    const pov_http_server *server = user;
    const pov_http_socket *socket = mg_get_user_connection_data(connection);
    if (!socket || !socket->client || server->stopping)
        return 0;
    if (bits & CONTROL)
        return (bits & 15) != MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE;
    return bits == WHOLE_TEXT && server->sockets->hear(socket->client, text, len);
}

static void leave_socket(const struct mg_connection *connection, void *user)
{
    const pov_http_server *server = user;
    pov_http_socket *socket = mg_get_user_connection_data(connection);
    if (socket && socket->client)
        server->sockets->leave(socket->client);
    free(socket);
}

bool pov_http_socket_send(pov_http_socket *socket, bool is_text, const void *bytes, size_t len)
{
    return !socket->server->stopping &&
           mg_websocket_write(socket->connection,
                              is_text ? MG_WEBSOCKET_OPCODE_TEXT : MG_WEBSOCKET_OPCODE_BINARY, bytes,
                              len) >= (int)len;
}

/* ---- coming and going ---- */

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
    return pov_http_gate_new(
        &server->gate,
        &(pov_http_gate_config){.address = config->address,
                                .port = config->port,
                                .server_port = server->port,
                                .certificate = config->certificate,
                                .connections_max = config->gated_max,
                                .frame_max_bytes = config->sockets ? config->sockets->message_max_bytes : 0});
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
                             config->sockets ? "no" : "yes", /* what follows a head is frames */
                             "keep_alive_timeout_ms",
                             "1000",
                             "request_timeout_ms",
                             "10000",
                             "tcp_nodelay",
                             "1",
                             "enable_websocket_ping_pong",
                             "yes",
                             "websocket_timeout_ms",
                             "5000",
                             NULL};
    pov_http_server *s = *server = calloc(1, sizeof *s);
    if (!s)
        return pov_error("out of memory for an HTTP server");
    s->handler = handler;
    s->user = user;
    s->body_max_bytes = config->body_max_bytes;
    s->sockets = config->sockets;
    if (s->sockets)
        s->subprotocols = (struct mg_websocket_subprotocols){s->sockets->subprotocol_len,
                                                             (const char **)s->sockets->subprotocols};
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
    if (config->sockets)
        mg_set_websocket_handler_with_subprotocols(s->context, "/", &s->subprotocols, admit_socket,
                                                   enter_socket, hear_socket, leave_socket, s);
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
