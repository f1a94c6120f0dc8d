/** An HTTP server for a handler function, on civetweb. The handler runs in the server's threads, several at a time. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

typedef struct {
    const char *method, *path;          /* "POST", "/v1/chat/completions" */
    const char *query;                  /* what follows '?'; "" if nothing does */
    const char *host, *cookie, *origin; /* headers; "" if missing */
    const char *body;                   /* NUL-terminated */
    size_t body_len;
} pov_http_request;

typedef struct pov_http_writer pov_http_writer;

/** Writes a reply's body bit by bit, for as long as it likes, in a thread of the server. body: the reply's. */
typedef void pov_http_stream(void *user, pov_http_writer *writer, const char *body);

/** The handler's to fill in; starts as 500 without a body. */
typedef struct {
    int status;
    char *body;               /* the server frees it */
    size_t body_len;          /* 0: up to its NUL */
    const char *content_type; /* NULL: JSON */
    const char *headers;      /* further ones, each with \r\n; NULL: none */
    char *own_headers;        /* like `headers`; the server frees it */
    const void *fixed;        /* instead of `body`: bytes that outlive the server */
    size_t fixed_len;
    pov_http_stream *stream; /* sends what it likes instead of the body, and gets that */
    bool hang;               /* say nothing until the server is destroyed */
} pov_http_reply;

typedef void pov_http_handler(void *user, pov_http_reply *reply, const pov_http_request *request);

typedef struct pov_http_server pov_http_server;

/** A WebSocket (RFC 6455) to one client. */
typedef struct pov_http_socket pov_http_socket;

/** How a server speaks over WebSockets. All but pov_http_socket_send is called in a thread of that socket. */
typedef struct {
    const char *const *subprotocols; /* a client names one of them, or is refused */
    int subprotocol_len;
    size_t message_max_bytes; /* of a client's; a longer one ends the connection; needs a gate */
    /** 101: the client may enter; else the status of a refusal. */
    int (*admit)(void *user, const pov_http_request *request);
    /** Returns the client; NULL ends the connection. */
    void *(*enter)(void *user, pov_http_socket *socket);
    /** A text; not NUL-terminated. False ends the connection. */
    bool (*hear)(void *client, const char *text, size_t len);
    /** Nothing may be sent from now on. */
    void (*leave)(void *client);
} pov_http_sockets;

typedef struct {
    const char *address;             /* "127.0.0.1" */
    int port;                        /* 0: any free one */
    size_t body_max_bytes;           /* of a request; a longer one is refused by 413 */
    int gated_max;                   /* connections through a gate (http_gate.h); 0: no gate */
    const char *certificate;         /* of the gate; NULL: no TLS */
    const pov_http_sockets *sockets; /* outlives the server; NULL: none */
} pov_http_server_config;

#define POV_HTTP_SERVER_CONFIG_DEFAULT                                                                       \
    ((pov_http_server_config){.address = "127.0.0.1", .body_max_bytes = 64 << 20})

/** Listens. A peer that neither sends nor takes bytes for ten seconds is dropped.
 *  Returns: POV_ERROR if the port cannot be had. */
POV_MUST_USE pov_status pov_http_server_new(pov_http_server **server, pov_http_handler *handler, void *user,
                                            const pov_http_server_config *config);
/** Waits for handlers that are at work. */
void pov_http_server_destroy(pov_http_server **server);
/** False: the peer is gone, too slow, or the server is being destroyed; the stream is to return. */
POV_MUST_USE bool pov_http_write(pov_http_writer *writer, const void *bytes, size_t len);
/** Waits until the client has taken it, at most ten seconds. From any thread. False: the client is gone, or does not take it. */
POV_MUST_USE bool pov_http_socket_send(pov_http_socket *socket, bool is_text, const void *bytes, size_t len);
int pov_http_server_port(const pov_http_server *server);
